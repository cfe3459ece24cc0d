//! The documents as HTML: notebooks with their results, the API in Python and in Rust, and a page that leads there.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use crate::{cargo, install, run};

const FOLDER: &str = "target/docs";
const NOTEBOOKS: &str = "docs/notebooks";

/// Builds all of it; the package must be installed in `.venv`.
pub(crate) fn build(python: &Path) -> anyhow::Result<()> {
    install(python, "python/requirements-docs.txt")?;
    if Path::new(FOLDER).exists() {
        fs::remove_dir_all(FOLDER)?;
    }
    let folder = std::path::absolute(FOLDER)?;
    fs::create_dir_all(&folder)?;
    run(
        "notebooks",
        Command::new(python)
            .args(["-m", "nbconvert", "--to", "html", "--execute", "--log-level", "WARN"])
            .arg("--output-dir")
            .arg(folder.join("notebooks"))
            .args(notebooks()?.iter().map(|name| format!("{NOTEBOOKS}/{name}.ipynb"))),
    )?;
    // From another folder, so that the installed package is found and not the sources.
    run(
        "the API in Python",
        Command::new(std::path::absolute(python)?)
            .args([
                "-m",
                "pdoc",
                "gradbody",
                "gradbody.torch",
                "gradbody.jax",
                "gradbody.gym",
                "gradbody.sb3",
            ])
            .arg("--output-directory")
            .arg(folder.join("python"))
            .current_dir("python/tests"),
    )?;
    cargo("the API in Rust", &["doc", "--workspace", "--no-deps", "--quiet"])?;
    copy(Path::new("target/doc"), &folder.join("rust"))?;
    fs::write(folder.join("index.html"), index()?)?;
    println!("\n{}", folder.join("index.html").display());
    Ok(())
}

/// The names of the notebooks, in order.
fn notebooks() -> anyhow::Result<Vec<String>> {
    let files = fs::read_dir(NOTEBOOKS)?.filter_map(Result::ok).map(|entry| entry.path());
    let notebooks = files.filter(|path| path.extension().is_some_and(|end| end == "ipynb"));
    let names = notebooks.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// The title of a notebook: the first line of its first cell.
fn title(name: &str) -> anyhow::Result<String> {
    let text = fs::read_to_string(format!("{NOTEBOOKS}/{name}.ipynb"))?;
    let first = text.lines().find_map(|line| line.trim().strip_prefix("\"# "));
    let title = first.with_context(|| format!("{name}.ipynb does not begin with a title"))?;
    Ok(title.split(['\\', '"']).next().unwrap_or(title).to_owned())
}

fn index() -> anyhow::Result<String> {
    let mut items = String::new();
    for name in notebooks()? {
        items += &format!("<li><a href=\"notebooks/{name}.html\">{}</a></li>\n", title(&name)?);
    }
    Ok(format!(
        "<!doctype html>
<html lang=\"en\"><meta charset=\"utf-8\"><title>gradbody</title>
<style>body {{ font: 17px/1.5 sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em }}</style>
<h1>gradbody</h1>
<p>Differentiable simulation of articulated rigid bodies, with neural networks anywhere inside it.</p>
<h2>Tutorial</h2>
<ol>
{items}</ol>
<h2>Reference</h2>
<ul>
<li><a href=\"python/gradbody.html\">Python</a></li>
<li><a href=\"rust/gradbody/index.html\">Rust</a></li>
</ul>
</html>
"
    ))
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
