//! Sticks between joints, for links without shapes.

use gradbody_model::Model;

use crate::bodies;

/// Pairs of points that are joined: each link's origin with its parent's unless both have shapes, and at the end of a chain
/// with the link's own far end if it has none.
pub fn sticks(model: &Model<f64>) -> Vec<(usize, usize)> {
    let links = &model.topology.links;
    let bodies = bodies(model);
    let bare = |link: usize| !bodies.iter().any(|body| body.index() == link);
    let mut sticks = Vec::new();
    for (k, link) in links.iter().enumerate() {
        if let Some(parent) = link.parent.filter(|parent| bare(k) || bare(parent.index())) {
            sticks.push((2 * parent.index(), 2 * k));
        }
        let ends = !links.iter().any(|other| other.parent.is_some_and(|p| p.index() == k));
        if ends && bare(k) {
            sticks.push((2 * k, 2 * k + 1));
        }
    }
    sticks
}
