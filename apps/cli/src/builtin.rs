//! Models that come with the program: `gradbody inspect laikago` works anywhere.

use std::path::Path;

use anyhow::anyhow;
use gradbody::model::Model;
use gradbody::model::import::{ImportOptions, from_text};

/// A model file inside the program.
pub struct Builtin {
    /// Name of the model.
    pub name: &'static str,
    /// Name of the file, for messages.
    pub file: &'static str,
    /// Text of the file.
    pub text: &'static str,
}

macro_rules! builtins {
    ($($name:literal $end:literal),* $(,)?) => {
        [$(Builtin {
            name: $name,
            file: concat!($name, $end),
            text: include_str!(concat!("../../../models/", $name, $end)),
        }),*]
    };
}

/// All built-in models, sorted by name.
pub static BUILTINS: [Builtin; 26] = builtins![
    "a1" ".urdf",
    "acrobot" ".urdf",
    "ant" ".xml",
    "arm7" ".urdf",
    "arm9" ".urdf",
    "cartpole" ".urdf",
    "cube" ".urdf",
    "double_pendulum" ".urdf",
    "golf" ".urdf",
    "half_cheetah" ".xml",
    "hopper" ".xml",
    "humanoid" ".xml",
    "humanoid35" ".urdf",
    "laikago" ".urdf",
    "pend5" ".urdf",
    "pendulum1" ".urdf",
    "pendulum2" ".urdf",
    "pendulum3" ".urdf",
    "pendulum4" ".urdf",
    "pendulum5" ".urdf",
    "pendulum6" ".urdf",
    "pendulum7" ".urdf",
    "racecar" ".urdf",
    "swimmer2" ".xml",
    "swimmer3" ".xml",
    "swimmer6" ".xml",
];

/// The built-in model of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|b| b.name == name)
}

/// Names of all built-in models.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|b| b.name)
}

/// A built-in model, read with the default options.
pub fn model(name: &str) -> anyhow::Result<Model<f64>> {
    let file = find(name).ok_or_else(|| anyhow!("no built-in model \"{name}\""))?;
    Ok(from_text(file.text, Path::new(file.file), &ImportOptions::default())?.model)
}
