//! Paths of meshes relative to the written file.

use std::path::{Component, Path, PathBuf};

/// The absolute path of a file's folder; `None` if there is no such folder.
pub(super) fn whole(folder: &Path) -> Option<PathBuf> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    std::fs::canonicalize(folder).ok()
}

/// The path of a file relative to a folder, or the file's own path if they share only the root. Both are absolute.
pub(super) fn path_from(folder: &Path, file: &Path) -> PathBuf {
    let (from, to) = (folder.components(), file.components());
    let shared = from.clone().zip(to.clone()).take_while(|(a, b)| a == b);
    let named = |part: Component<'_>| matches!(part, Component::Normal(_));
    let count = shared.clone().count();
    if !shared.into_iter().any(|(part, _)| named(part)) {
        return file.to_owned();
    }
    let up = from.skip(count).map(|_| Component::ParentDir);
    up.chain(to.skip(count)).collect()
}
