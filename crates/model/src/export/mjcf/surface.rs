//! Surfaces of geoms and pairs: the inverse of `import::mjcf::surface`.

use super::super::xml::Tag;
use crate::{ContactLaw, Material, Model};

/// Default friction coefficients of a geom.
const FRICTION: [f64; 3] = [1.0, 0.005, 0.0001];

/// The time step of a file that does not give one [s].
pub(super) const TIME_STEP: f64 = 0.002;

/// The properties of surfaces that depend on the whole model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surfaces {
    /// Time step [s].
    dt: f64,
    /// Whether some geom has rolling friction, which counts wherever a contact resists turning.
    rolls: bool,
}

impl Surfaces {
    pub(super) fn of(model: &Model<f64>) -> Self {
        let rolls = model.params.shapes.iter().any(|s| s.material.rolling_friction > 0.0);
        Surfaces { dt: model.topology.timestep.unwrap_or(TIME_STEP), rolls }
    }

    /// Adds the surface of a geom.
    pub(super) fn of_geom(&self, tag: Tag, resists_turning: bool, material: &Material<f64>) -> Tag {
        let given = coefficients(material);
        let tag = tag.number_of_directions(resists_turning, material, self.rolls);
        let tag = if given == FRICTION { tag } else { tag.numbers("friction", &given) };
        self.reference(tag, material)
    }

    /// Adds the surface of a pair.
    pub(super) fn of_pair(&self, tag: Tag, resists_turning: bool, material: &Material<f64>) -> Tag {
        let [slide, spin, roll] = coefficients(material);
        let rolls = material.rolling_friction > 0.0;
        let tag = tag.number_of_directions(resists_turning, material, rolls);
        self.reference(tag.numbers("friction", &[slide, slide, spin, roll, roll]), material)
    }

    fn reference(&self, tag: Tag, material: &Material<f64>) -> Tag {
        match solref(material.position_gain, self.dt) {
            Some(numbers) => tag.numbers("solref", &numbers),
            None => tag,
        }
    }
}

impl Tag {
    /// Adds the smallest `condim` that keeps all coefficients.
    fn number_of_directions(self, turns: bool, material: &Material<f64>, rolls: bool) -> Self {
        match (turns, rolls) {
            (true, true) => self.word("condim", "6"),
            (true, false) => self.word("condim", "4"),
            (false, _) if material.friction > 0.0 => self,
            (false, _) => self.word("condim", "1"),
        }
    }
}

fn coefficients(material: &Material<f64>) -> [f64; 3] {
    [material.friction, material.torsional_friction, material.rolling_friction]
}

/// A `solref` that corrects the fraction `gain` of a penetration in a step of `dt` [s]; `None` if a geom without one
/// does the same. With time constant T (at least two steps) and damping ratio ζ, gain = dt / (dt + 2 T ζ²).
fn solref(gain: f64, dt: f64) -> Option<[f64; 2]> {
    let default = Material::DEFAULT.position_gain;
    let time = 0.5 * dt * (1.0 - gain) / gain;
    if gain == default {
        None
    } else if gain >= 1.0 {
        // A spring without damping.
        Some([-(dt * dt).recip().clamp(1.0, 1e10), 0.0])
    } else if !time.is_finite() {
        Some([0.0, -1.0])
    } else if time >= 2.0 * dt {
        Some([time, 1.0])
    } else {
        Some([2.0 * dt, (0.25 * (1.0 - gain) / gain).sqrt()])
    }
}

/// Tests whether a property of a surface is lost.
pub(super) type Lost = fn(ContactLaw, &Material<f64>) -> bool;

/// The properties of a surface that the format cannot express.
pub(super) const LOST: [(&str, Lost); 4] = [
    ("restitution", |_, m| m.restitution != Material::DEFAULT.restitution),
    ("the velocity gain", |_, m| m.velocity_gain != Material::DEFAULT.velocity_gain),
    ("constraint force mixing", |_, m| m.cfm != Material::DEFAULT.cfm),
    ("the compliant contact", |law, _| law == ContactLaw::Compliant),
];
