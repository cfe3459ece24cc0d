//! Force from control: gain, bias and state of an actuator.
//!
//! Every actuator is a `general` one; `motor`, `position` and the others are shortcuts that set one. Defaults set it
//! too, one after another. For what an element does not set, it inherits from the nearest class whose actuator was set
//! by the same kind of element or by `general`. So the gain of a velocity servo does not become that of a position
//! servo.

use super::defaults::Settings;
use crate::import::ImportError;
use crate::import::notes::Notes;
use crate::import::xml::Element;

/// The elements that are actuators.
pub(super) const TAGS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "pid",
    "orientation",
    "dcmotor",
];

/// `force = gain · u + bias₀ + bias₁ · length + bias₂ · velocity`, where u is the control or the state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Servo {
    /// Factor of u, and with `affine_gain` its dependence on length and velocity.
    gain: [f64; 10],
    affine_gain: bool,
    /// Used with `affine_bias`. A positive bias₂ of a position servo is a damping ratio.
    bias: [f64; 10],
    affine_bias: bool,
    /// What drives the force.
    pub(super) dynamics: Dynamics,
    /// The element that set it last.
    owner: &'static str,
    /// Whether its kind cannot be described by this struct.
    strange: bool,
}

/// What drives an actuator's force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dynamics {
    /// The control.
    None,
    /// The control's integral.
    Integrator,
    /// The control with a first-order lag.
    Filter,
    /// The same, integrated exactly, as for position servos.
    ExactFilter,
}

impl Servo {
    const DEFAULT: Servo = Servo {
        gain: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        affine_gain: false,
        bias: [0.0; 10],
        affine_bias: false,
        dynamics: Dynamics::None,
        owner: "general",
        strange: false,
    };

    /// The actuator that an element sets, after the defaults of its class and those around it, the outermost first;
    /// `None` if it has no counterpart.
    pub(super) fn read(
        element: Element<'_>,
        levels: &[Vec<Element<'_>>],
    ) -> Result<Option<Self>, ImportError> {
        // What each class sets, the outermost first.
        let mut classes: Vec<Servo> = vec![Servo::DEFAULT];
        for level in levels {
            let mut servo = classes[classes.len() - 1].clone();
            for &element in level {
                servo = servo.then(element, &classes)?;
            }
            classes.push(servo);
        }
        let servo = classes[classes.len() - 1].then(element, &classes)?;
        Ok((!servo.strange).then_some(servo))
    }

    /// The servo after an element's settings, starting from this one or from the nearest of `around` that it can
    /// inherit from.
    fn then(&self, element: Element<'_>, around: &[Servo]) -> Result<Servo, ImportError> {
        let tag = TAGS.iter().find(|tag| **tag == element.tag()).copied().unwrap_or("plugin");
        let begins = |s: &&Servo| tag == "general" || s.owner == tag || s.owner == "general";
        let nearest = std::iter::once(self).chain(around.iter().rev()).find(begins);
        let mut servo = nearest.unwrap_or(&Servo::DEFAULT).clone();
        servo.set(tag, &Settings::alone(element))?;
        servo.owner = tag;
        Ok(servo)
    }

    fn set(&mut self, tag: &str, settings: &Settings<'_>) -> Result<(), ImportError> {
        match tag {
            "general" => self.set_general(settings)?,
            "motor" => *self = Servo::DEFAULT,
            "position" => {
                let lags = match settings.magnitude("timeconst")? {
                    Some(time) => time > 0.0,
                    None => self.dynamics == Dynamics::ExactFilter,
                };
                self.set_position(settings)?;
                self.dynamics = if lags { Dynamics::ExactFilter } else { Dynamics::None };
            }
            "intvelocity" => {
                self.set_position(settings)?;
                self.dynamics = Dynamics::Integrator;
            }
            "velocity" => {
                let kv = settings.magnitude("kv")?.unwrap_or(self.gain[0]);
                *self = Servo { affine_bias: true, ..Servo::DEFAULT };
                (self.gain[0], self.bias[2]) = (kv, -kv);
            }
            _ => self.strange = true,
        }
        Ok(())
    }

    fn set_general(&mut self, settings: &Settings<'_>) -> Result<(), ImportError> {
        self.gain = settings.leading("gainprm", self.gain)?;
        self.bias = settings.leading("biasprm", self.bias)?;
        let others = ["muscle", "user", "dcmotor", "so3", "pid"];
        let words = |first: &[&'static str]| [first, &others].concat();
        if settings.attr("gaintype").is_some() {
            let word = settings.choice("gaintype", &words(&["fixed", "affine"]))?;
            self.affine_gain = word == "affine";
            self.strange |= others.contains(&word);
        }
        if settings.attr("biastype").is_some() {
            let word = settings.choice("biastype", &words(&["none", "affine"]))?;
            self.affine_bias = word == "affine";
            self.strange |= others.contains(&word);
        }
        if settings.attr("dyntype").is_some() {
            let known = words(&["none", "integrator", "filter", "filterexact"]);
            let word = settings.choice("dyntype", &known)?;
            self.dynamics = match word {
                "integrator" => Dynamics::Integrator,
                "filter" => Dynamics::Filter,
                "filterexact" => Dynamics::ExactFilter,
                _ => Dynamics::None,
            };
            self.strange |= others.contains(&word);
        }
        Ok(())
    }

    fn set_position(&mut self, settings: &Settings<'_>) -> Result<(), ImportError> {
        let kp = settings.number("kp")?.unwrap_or(self.gain[0]);
        let damping = match (settings.magnitude("kv")?, settings.magnitude("dampratio")?) {
            (Some(_), Some(_)) => {
                return Err(settings.error("kv and dampratio both give a damping; keep one"));
            }
            (Some(kv), None) => -kv,
            (None, Some(ratio)) => ratio,
            (None, None) => self.bias[2],
        };
        *self = Servo { affine_bias: true, ..Servo::DEFAULT };
        self.gain[0] = kp;
        (self.bias[1], self.bias[2]) = (-kp, damping);
        Ok(())
    }

    /// Whether it can be simulated, at least approximately; adds a note if not, or not exactly.
    pub(super) fn is_simulated(&self, element: Element<'_>, notes: &mut Notes) -> bool {
        if self.affine_gain && self.gain[1..3] != [0.0; 2] {
            notes.ignored(element, "a gain that depends on length or velocity is not simulated");
            return false;
        }
        if matches!(self.dynamics, Dynamics::Filter | Dynamics::ExactFilter) {
            notes.approximated(element, "the control acts at once, without its lag");
        }
        true
    }

    /// Whether the control is a target position.
    pub(super) fn is_position(&self) -> bool {
        self.affine_bias && self.gain[0] == -self.bias[1] && self.gain[0] != 0.0
    }

    /// Force per unit of control.
    pub(super) fn gain(&self) -> f64 {
        self.gain[0]
    }

    /// Constant, position and velocity terms of the force. `mass` is the effective inertia at the actuator [kg m² or
    /// kg].
    pub(super) fn bias(&self, mass: impl Fn() -> f64) -> [f64; 3] {
        if !self.affine_bias {
            return [0.0; 3];
        }
        let [constant, position, velocity, ..] = self.bias;
        if self.is_position() && velocity > 0.0 {
            // Damping ratio d: kv = 2 d √(kp m).
            let critical = 2.0 * (self.gain[0] * mass()).max(0.0).sqrt();
            return [constant, position, -velocity * critical];
        }
        [constant, position, velocity]
    }
}
