//! Surfaces of geoms and pairs: friction according to `condim`, and the correction of penetration.
//!
//! MuJoCo uses the larger `condim` of two geoms that touch: 1 is frictionless, 3 slides, 4 also turns about the normal,
//! 6 also rolls. Here a coefficient that no contact of a geom uses is zero, and from 4 on a geom's contacts resist
//! turning. If the contacts of a geom differ in `condim`, all of them get the friction of the largest, with a note. A
//! pair takes all its numbers from itself and its class, none from its geoms.
//!
//! `solref` becomes the fraction of a penetration that a step corrects. MuJoCo aims at the acceleration −b v − k r for
//! velocity v at depth r, with time constant T and damping ratio ζ
//!
//! ```text
//!   b = 2 / (dmax T)      k = d(r) / (dmax² T² ζ²)
//! ```
//!
//! or, if both numbers are negative, with b = damping / dmax and k = stiffness d(r) / dmax². A constraint on the
//! velocity alone does the same if a step corrects k dt / (k dt + b) of the depth. Deep inside, where d(r) = dmax, that
//! does not depend on `solimp`. The smaller fraction of two geoms counts, where MuJoCo mixes their numbers. A geom or
//! pair without `solref` keeps this program's default, which is never less than MuJoCo's.

use std::collections::BTreeMap;

use super::body::Body;
use super::defaults::Settings;
use super::geom::Geom;
use crate::Material;
use crate::import::notes::Notes;
use crate::import::xml::Element;
use crate::import::{ImportError, NoteKind};

/// The `condim` of a geom or pair.
pub(super) fn condim(settings: &Settings<'_>) -> Result<i32, ImportError> {
    match settings.integer("condim")?.unwrap_or(3) {
        condim @ (1 | 3 | 4 | 6) => Ok(condim),
        _ => Err(settings.attr_error("condim", "expected 1, 3, 4 or 6")),
    }
}

/// Coefficients of friction, set to zero where `condim` excludes them.
fn with_friction(condim: i32, [slide, spin, roll]: [f64; 3]) -> Material<f64> {
    let if_at_least = |least: i32, x: f64| if condim >= least { x } else { 0.0 };
    Material {
        torsional_friction: if_at_least(4, spin),
        rolling_friction: if_at_least(6, roll),
        ..Material::with_friction(if_at_least(3, slide))
    }
}

/// The contents of `solref`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reference {
    /// Time constant [s] and damping ratio.
    Time(f64, f64),
    /// Stiffness [1/s²] and damping [1/s].
    Direct(f64, f64),
}

impl Reference {
    /// The `solref` of a geom or pair, if it or its class has one.
    pub(super) fn read(settings: &Settings<'_>) -> Result<Option<Self>, ImportError> {
        if settings.holder("solref").is_none() {
            return Ok(None);
        }
        match settings.leading("solref", [0.02, 1.0])? {
            [time, ratio] if time > 0.0 && ratio > 0.0 => Ok(Some(Reference::Time(time, ratio))),
            [k, b] if k <= 0.0 && b <= 0.0 => Ok(Some(Reference::Direct(-k, -b))),
            _ => {
                let problem = "expected a time constant and a damping ratio, both positive, or a \
                               stiffness and a damping, both negative";
                Err(settings.attr_error("solref", problem))
            }
        }
    }

    /// The fraction of a penetration that a step of `dt` [s] corrects.
    fn position_gain(self, dt: f64) -> f64 {
        match self {
            // At least two steps, as in MuJoCo.
            Reference::Time(time, ratio) => dt / (dt + 2.0 * time.max(2.0 * dt) * ratio * ratio),
            Reference::Direct(0.0, _) => 0.0,
            Reference::Direct(_, 0.0) => 1.0,
            Reference::Direct(stiffness, damping) => 1.0 / (1.0 + damping / (stiffness * dt)),
        }
    }
}

/// MuJoCo's default `solref`.
const MUJOCO_DEFAULT: Reference = Reference::Time(0.02, 1.0);

/// Adds a note on the conversion of a `solref`: once for each gain of geoms, and of pairs.
fn note_gain(element: Element<'_>, gain: f64, dt: f64, notes: &mut Notes) {
    let tag = element.tag();
    let (others, rule) = match tag {
        "pair" => ("pairs", ""),
        _ => ("geoms", " (of two geoms the smaller counts)"),
    };
    let what = format!(
        "solref: used only as a position gain of {}, the part of a deep penetration that a step \
         takes back{rule}; {others} without a solref keep this program's {}, where MuJoCo's \
         default contact takes back {}",
        short(gain),
        short(Material::DEFAULT.position_gain),
        short(MUJOCO_DEFAULT.position_gain(dt)),
    );
    notes.kind(NoteKind::Approximated, format!("{tag} solref {gain}"), element, what);
}

/// A number rounded to three digits.
fn short(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// The surface of a pair.
pub(super) fn of_pair(
    settings: &Settings<'_>,
    condim: i32,
    dt: f64,
    notes: &mut Notes,
) -> Result<Material<f64>, ImportError> {
    let [slide, slide2, spin, roll, roll2] =
        settings.leading("friction", [1.0, 1.0, 0.005, 0.0001, 0.0001])?;
    if [slide, slide2, spin, roll, roll2].iter().any(|f| *f < 0.0) {
        return Err(settings.attr_error("friction", "it cannot be negative"));
    }
    let unequal = (condim >= 3 && slide != slide2) || (condim >= 6 && roll != roll2);
    if unequal {
        let what = "friction: it is the same in all directions; of two numbers the first is used";
        notes.approximated(settings.element(), what);
    }
    let mut material = with_friction(condim, [slide, spin, roll]);
    if let Some(reference) = Reference::read(settings)? {
        material.position_gain = reference.position_gain(dt);
        note_gain(settings.element(), material.position_gain, dt, notes);
    }
    Ok(material)
}

/// The properties that decide which geoms can touch, and how.
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

/// The surface of each body's geoms, for a time step [s].
pub(super) fn of_geoms(bodies: &[Body<'_>], dt: f64, notes: &mut Notes) -> Vec<Vec<Material<f64>>> {
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
        // Whether a contact resists turning depends on its own two geoms; the rest does not.
        let differs = |condim: i32| (condim < 3 && kept >= 3) || (condim == 4 && kept == 6);
        if touched(*kind).any(|other| differs(other.condim.max(kind.condim))) {
            let what = format!(
                "condim=\"{}\": all its contacts get the friction of condim {kept}, which \
                 some of them have",
                kind.condim
            );
            notes.approximated(geom.element, what);
        }
    }
    let mut material = |body: &Body<'_>, geom: &Geom<'_>| {
        let directions = largest(Kind::of(body, geom));
        let mut material = with_friction(directions, geom.friction);
        if let Some(reference) = geom.reference {
            material.position_gain = reference.position_gain(dt);
            note_gain(geom.element, material.position_gain, dt, notes);
        }
        material
    };
    bodies.iter().map(|b| b.geoms.iter().map(|g| material(b, g)).collect()).collect()
}
