//! Tasks that come with the program: `gradbody train ant` works anywhere.

use gradbody_math::names::{did_you_mean, list};

/// A task inside the program.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        [$(Builtin {
            name: $name,
            text: include_str!(concat!("../tasks/", $name, ".toml")),
        }),*]
    };
}

/// All built-in tasks, sorted by name.
pub static BUILTINS: [Builtin; 8] = builtins![
    "ant",
    "half-cheetah",
    "hopper",
    "humanoid",
    "inverted-pendulum",
    "laikago",
    "swimmer",
    "walker2d",
];

/// The built-in task of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|task| task.name == name)
}

/// A sentence's end for a name that is unknown: the nearest, or all.
pub fn hint(name: &str) -> String {
    let names = || BUILTINS.iter().map(|task| task.name);
    match did_you_mean(name, names()) {
        hint if hint.is_empty() => format!(" (there are: {})", list(names())),
        hint => hint,
    }
}
