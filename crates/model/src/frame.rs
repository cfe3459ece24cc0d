//! Named frames.

use crate::LinkId;

/// A named frame fixed to a moving link or to the world: a link of the source (also one merged into
/// another by a fixed joint), or a site. Its placement is in `Params::frames`.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Unique name.
    pub name: String,
    /// The link that carries it; none for the world.
    pub link: Option<LinkId>,
}
