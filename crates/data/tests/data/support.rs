//! Folders and files to read.

use std::fs;
use std::path::{Path, PathBuf};

use gradbody_data::{Channel, DataSet, Dimension, ReadOptions, Trajectory, read};

/// A folder of a test's own.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// An empty folder of this name.
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data").join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// Writes a file.
    pub(crate) fn put(&self, file: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
        self
    }

    /// Reads as these options say.
    #[track_caller]
    pub(crate) fn read(&self, options: &str) -> DataSet {
        let options = ReadOptions::from_toml(options).expect("options");
        read(&self.0, &options).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What is said when these options are followed, without the path of the folder.
    #[track_caller]
    pub(crate) fn fault(&self, options: &str) -> String {
        let fault = ReadOptions::from_toml(options).and_then(|options| read(&self.0, &options));
        let message = fault.expect_err("a fault").to_string();
        message.replace(&format!("{}/", self.0.display()), "")
    }
}

/// A trajectory of one channel.
pub(crate) fn trajectory(name: &str, t: Vec<f64>, dimension: Dimension, x: Vec<f64>) -> Trajectory {
    Trajectory {
        name: name.to_owned(),
        origin: name.to_owned(),
        file: format!("{name}.csv"),
        t,
        channels: vec![Channel::si("x", dimension, x)],
    }
}
