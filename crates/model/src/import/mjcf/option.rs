//! The `option` section: time step and gravity, and notes on everything without a counterpart.

use gradbody_math::Vec3;

use super::defaults::Settings;
use super::source::Tree;
use crate::import::ImportError;
use crate::import::notes::Notes;
use crate::import::xml::{Element, shown};

/// The physics of the `option` section.
pub(super) struct Physics {
    /// Time step [s].
    pub(super) timestep: f64,
    /// Acceleration of free fall [m/s²].
    pub(super) gravity: Vec3<f64>,
}

/// Reads the section, which may occur several times: the last value of an attribute counts.
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
        "density" | "viscosity" | "wind" => Some("fluid forces are not simulated"),
        "magnetic" => Some("magnetic sensors are not simulated"),
        "integrator" => Some("the step has its own integrator"),
        "actuatorgroupdisable" => Some("all actuators act"),
        "collision" => Some("all shapes whose groups match can touch"),
        "o_margin" | "o_solref" | "o_solimp" | "o_friction" | "impratio" | "cone" => {
            Some("contacts have their own settings")
        }
        _ => Some("solvers have their own settings"),
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
            // Switches of MuJoCo's own computation that change the motion at most by rounding.
            ("energy" | "fwdinv" | "sensor" | "midphase" | "autoreset" | "warmstart", _) => {
                continue;
            }
            ("island" | "nativeccd" | "multiccd" | "refsafe", _) => continue,
            ("override" | "invdiscrete" | "sleep" | "diagexact", false) => continue,
            ("speculative" | "ipc", false) => continue,
            ("override" | "invdiscrete" | "sleep" | "diagexact" | "speculative" | "ipc", true) => {
                "it has no counterpart"
            }
            ("eulerdamp", false) => "the step has its own integrator",
            (_, true) => continue,
            (_, false) => "it stays enabled",
        };
        let state = if enabled { "enable" } else { "disable" };
        notes.ignored(flags, format!("{name}=\"{state}\" is not used: {what}"));
    }
    Ok(())
}
