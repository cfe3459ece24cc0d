//! Force from control: gain, bias and state of an actuator, and the short ways of setting them.

use super::defaults::Settings;
use super::notes::Notes;
use crate::import::ImportError;
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

/// `force = gain · u + bias₀ + bias₁ · length + bias₂ · velocity`, where u is the control or the
/// state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Servo {
    /// Factor of u; with `affine_gain` it also depends on length and velocity.
    pub(super) gain: [f64; 10],
    affine_gain: bool,
    bias: [f64; 10],
    /// What drives the force.
    pub(super) dynamics: Dynamics,
    /// The element that set it last.
    owner: &'static str,
    /// It is of a kind that this cannot describe.
    strange: bool,
}

/// What drives an actuator's force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dynamics {
    /// The control.
    None,
    /// The control's integral.
    Integrator,
    /// The control, with a lag.
    Filter,
}

impl Servo {
    const DEFAULT: Servo = Servo {
        gain: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        affine_gain: false,
        bias: [0.0; 10],
        dynamics: Dynamics::None,
        owner: "general",
        strange: false,
    };

    /// The actuator that an element sets, after its defaults; none if it is of a kind that has no
    /// counterpart.
    pub(super) fn read(settings: &Settings<'_>) -> Result<Option<Self>, ImportError> {
        let mut servo = Servo::DEFAULT;
        for element in settings.weakest_first() {
            servo.set(element)?;
        }
        Ok((!servo.strange).then_some(servo))
    }

    fn set(&mut self, element: Element<'_>) -> Result<(), ImportError> {
        let tag = TAGS.iter().find(|tag| **tag == element.tag()).copied().unwrap_or("plugin");
        let foreign = self.owner != tag && self.owner != "general";
        if foreign && tag != "general" || tag == "motor" {
            *self = Servo { owner: tag, ..Servo::DEFAULT };
        }
        let kept = self.dynamics;
        let settings = Settings::alone(element);
        match tag {
            "general" => self.set_general(&settings)?,
            "motor" => {}
            "position" | "intvelocity" => {
                self.set_position(&settings)?;
                self.dynamics = match (tag, settings.magnitude("timeconst")?) {
                    ("intvelocity", _) => Dynamics::Integrator,
                    (_, Some(0.0)) => Dynamics::None,
                    (_, Some(_)) => Dynamics::Filter,
                    (_, None) if self.owner == tag => kept,
                    (_, None) => Dynamics::None,
                };
            }
            "velocity" => {
                self.dynamics = Dynamics::None;
                self.affine_gain = false;
                self.gain[0] = settings.magnitude("kv")?.unwrap_or(self.gain[0]);
                self.bias = [0.0; 10];
                self.bias[2] = -self.gain[0];
            }
            _ => self.strange = true,
        }
        self.owner = tag;
        Ok(())
    }

    fn set_general(&mut self, settings: &Settings<'_>) -> Result<(), ImportError> {
        self.gain = settings.leading("gainprm", self.gain)?;
        self.bias = settings.leading("biasprm", self.bias)?;
        if settings.attr("gaintype").is_some() {
            let known = ["fixed", "affine", "muscle", "user", "dcmotor", "so3", "pid"];
            let word = settings.choice("gaintype", &known)?;
            self.affine_gain = word == "affine";
            self.strange |= !matches!(word, "fixed" | "affine");
        }
        if settings.attr("biastype").is_some() {
            match settings.choice("biastype", &["none", "affine", "muscle", "user", "dcmotor", "so3"])? {
                "none" => self.affine_bias = false,
                "affine" => self.affine_bias = true,
                _ => self.strange = true,
            }
        }
        Ok(())
    }
}
