//! The `option` section: time step and gravity, and what there is no counterpart for.

use gradbody_math::Vec3;

use super::defaults::Settings;
use super::source::Tree;
use crate::import::ImportError;
use crate::import::notes::Notes;
use crate::import::xml::{Element, shown};

/// What the `option` section says about the physics.
pub(super) struct Physics {
    /// Time step [s].
    pub(super) timestep: f64,
    /// Acceleration of free fall [m/s²].
    pub(super) gravity: Vec3<f64>,
}

/// Reads the section, which may be given several times: what comes last holds.
pub(super) fn read(tree: &Tree<'_>, notes: &mut Notes) -> Result<Physics, ImportError> {
    let sections = tree.sections("option");
    for &section in &sections {
        for (name, value) in section.attrs() {
            if let Some(what) = unused(name, value) {
                let value = shown(value);
                notes.ignored(section, format!("{name}=\"{value}\" is not used: {what}"));
            }
        }
    }
    let mut latest_first = vec![tree.root()];
    latest_first.splice(0..0, sections.iter().rev().copied());
    let settings = Settings::list(latest_first);
    let timestep = settings.number("timestep")?.unwrap_or(0.002);
    if timestep <= 0.0 {
        return Err(settings.attr_error("timestep", "it must be positive"));
    }
    let gravity = settings.array("gravity")?.unwrap_or([0.0, 0.0, -9.81]);
    let mut physics = Physics { timestep, gravity: Vec3::from_slice(&gravity) };
    for section in sections {
        for flag in tree.children(section) {
            read_flags(flag, &mut physics, notes)?;
        }
    }
    Ok(physics)
}

/// Why an attribute is not used, if its value would change anything.
fn unused(name: &str, value: &str) -> Option<&'static str> {
    let zero = value.split_whitespace().all(|word| word.parse() == Ok(0.0));
    match name {
        "timestep" | "gravity" | "apirate" => None,
        "density" | "viscosity" | "wind" | "magnetic" | "noslip_iterations" if zero => None,
        "density" | "viscosity" | "wind" => Some("forces of a medium are not simulated"),
        "magnetic" => Some("magnetic sensors are not simulated"),
        "integrator" => Some("the step has an integrator of its own"),
        "actuatorgroupdisable" => Some("all actuators act"),
        "collision" => Some("all shapes whose groups match can touch"),
        "o_margin" | "o_solref" | "o_solimp" | "o_friction" | "impratio" | "cone" => {
            Some("contacts have settings of their own")
        }
        _ => Some("solvers have settings of their own"),
    }
}

fn read_flags(
    flags: Element<'_>,
    physics: &mut Physics,
    notes: &mut Notes,
) -> Result<(), ImportError> {
    for (name, _) in flags.attrs() {
        let enabled = flags.choice(name, &["enable", "disable"])? == Some("enable");
        let what = match (name, enabled) {
            ("gravity", false) => {
                physics.gravity = Vec3::ZERO;
                continue;
            }
            // Switches of MuJoCo's own computation that change no motion, or by rounding only.
            ("energy" | "fwdinv" | "sensor" | "midphase" | "autoreset" | "warmstart", _) => {
                continue;
            }
            ("island" | "nativeccd" | "multiccd" | "refsafe", _) => continue,
            ("override" | "invdiscrete" | "sleep" | "diagexact", false) => continue,
            ("speculative" | "ipc", false) => continue,
            ("override" | "invdiscrete" | "sleep" | "diagexact" | "speculative" | "ipc", true) => {
                "there is nothing like it"
            }
            ("eulerdamp", false) => "the step has an integrator of its own",
            (_, true) => continue,
            (_, false) => "it stays enabled",
        };
        let state = if enabled { "enable" } else { "disable" };
        notes.ignored(flags, format!("{name}=\"{state}\" is not used: {what}"));
    }
    Ok(())
}
