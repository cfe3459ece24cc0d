//! The files of recorded motions, compiled into the program.

/// Starts and torques of all motions.
pub(super) const MOTIONS: &str = include_str!("motions.csv");

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!($name))),*]
    };
}

/// The recorded files by name.
static FILES: [(&str, &str); 16] = files![
    "swimmer2-vacuum-train.csv",
    "swimmer2-vacuum-test.csv",
    "swimmer2-water5-train.csv",
    "swimmer2-water5-test.csv",
    "swimmer2-water25-train.csv",
    "swimmer2-water25-test.csv",
    "swimmer2-air25-train.csv",
    "swimmer2-air25-test.csv",
    "swimmer6-vacuum-train.csv",
    "swimmer6-vacuum-test.csv",
    "swimmer6-water5-train.csv",
    "swimmer6-water5-test.csv",
    "swimmer6-water25-train.csv",
    "swimmer6-water25-test.csv",
    "swimmer6-air25-train.csv",
    "swimmer6-air25-test.csv",
];

/// The text of a file.
pub(super) fn file(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(of, _)| *of == name).map(|(_, text)| *text)
}
