//! Friction coefficients: what `condim` leaves of them.
//!
//! MuJoCo takes the larger `condim` of two geoms that touch: 1 has no friction, 3 slides, 4 also
//! turns about the normal, 6 also rolls. Here a coefficient that no contact of a geom uses is zero.
//! A geom whose contacts have different `condim` keeps those of the largest, with a remark.

use std::collections::BTreeMap;

use super::body::Body;
use super::geom::Geom;
use crate::Material;
use crate::import::notes::Notes;

/// What decides which geoms can touch, and how.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    contype: u32,
    conaffinity: u32,
    condim: i32,
    moves: bool,
}

impl Kind {
    fn of(body: &Body<'_>, geom: &Geom<'_>) -> Self {
        let Geom { contype, conaffinity, condim, .. } = *geom;
        Kind { contype, conaffinity, condim, moves: body.moves }
    }

    fn touches(self, other: Kind) -> bool {
        let bits = (self.contype & other.conaffinity) | (other.contype & self.conaffinity);
        bits != 0 && (self.moves || other.moves)
    }
}

/// The surface of each body's geoms.
pub(super) fn materials(bodies: &[Body<'_>], notes: &mut Notes) -> Vec<Vec<Material<f64>>> {
    let mut kinds: BTreeMap<Kind, &Geom<'_>> = BTreeMap::new();
    for body in bodies {
        for geom in &body.geoms {
            kinds.entry(Kind::of(body, geom)).or_insert(geom);
        }
    }
    let touched = |kind: Kind| kinds.keys().filter(move |other| kind.touches(**other));
    let largest = |kind: Kind| touched(kind).map(|o| o.condim).fold(kind.condim, i32::max);
    for (kind, geom) in &kinds {
        let kept = largest(*kind);
        if touched(*kind).any(|other| other.condim.max(kind.condim) < kept) {
            let what = format!(
                "condim=\"{}\": all its contacts have the friction of condim {kept}, as those with \
                 some other geoms have",
                kind.condim
            );
            notes.approximated(geom.element, what);
        }
    }
    let material = |body: &Body<'_>, geom: &Geom<'_>| {
        let directions = largest(Kind::of(body, geom));
        let [slide, spin, roll] = geom.friction;
        let if_at_least = |least: i32, x: f64| if directions >= least { x } else { 0.0 };
        Material {
            friction: if_at_least(3, slide),
            torsional_friction: if_at_least(4, spin),
            rolling_friction: if_at_least(6, roll),
        }
    };
    bodies.iter().map(|b| b.geoms.iter().map(|g| material(b, g)).collect()).collect()
}
