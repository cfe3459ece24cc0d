//! `--set PATH=VALUE`: changes to a model's numbers.

use std::io::{self, Write as _};
use std::str::FromStr;

use anyhow::anyhow;
use gradbody::contact::{Solver, Surfaces};
use gradbody::model::{Model, check_inertia};

use crate::usage::Usage;

/// One change.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    path: String,
    value: f64,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A name may contain an equals sign, a number cannot.
        let (path, value) =
            text.rsplit_once('=').ok_or("this is not PATH=VALUE, as in link/trunk/mass=3.2")?;
        match value.trim().parse::<f64>() {
            Ok(value) if !value.is_nan() => Ok(Setting { path: path.trim().to_owned(), value }),
            _ => Err(format!("\"{value}\" is not a number")),
        }
    }
}

impl Setting {
    /// The path of the parameter and its value.
    pub(crate) fn pair(&self) -> (String, f64) {
        (self.path.clone(), self.value)
    }
}

/// Says on stderr which changes have no influence on the contacts of a model.
pub(crate) fn tell_idle(model: &Model<f64>, solver: &Solver, settings: &[Setting]) {
    let surfaces = Surfaces::new(model, solver);
    for Setting { path, .. } in settings {
        if let Ok(id) = model.topology.param_id(path)
            && let Some(idle) = surfaces.idle(id)
        {
            // A note that cannot be printed is not an error.
            let _ = writeln!(io::stderr(), "note: --set {path} has no influence: {}", idle.why);
        }
    }
}

/// Applies all changes, then checks that the model is still physically possible.
pub(crate) fn apply(model: &mut Model<f64>, settings: &[Setting]) -> anyhow::Result<()> {
    for Setting { path, value } in settings {
        let id = model.topology.param_id(path).map_err(|unknown| {
            let more =
                if unknown.hint.is_none() { "; see `gradbody inspect --params`" } else { "" };
            Usage(format!("--set: {unknown}{more}"))
        })?;
        model.set(id, *value);
        model.topology.note_friction_given(id);
    }
    if !settings.is_empty() {
        model.check().map_err(|e| anyhow!("after --set: {e}"))?;
        for (link, inertia) in model.topology.links.iter().zip(&model.params.links) {
            check_inertia(inertia)
                .map_err(|e| anyhow!("after --set: link \"{}\": {e}", link.name))?;
        }
    }
    Ok(())
}
