//! Named frames.

use crate::LinkId;

/// A named frame fixed to a moving link or to the world: a link of the source (even if a fixed joint merged it into
/// another), or a site. Its placement is in `Params::frames`.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Unique name.
    pub name: String,
    /// The link that carries it; `None` for the world.
    pub link: Option<LinkId>,
}
