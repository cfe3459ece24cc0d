//! Checks whether a change of the engine changes numbers: compares the output of `examples/bits` with that of another
//! revision, or with a file of it.
//!
//! Every case must have the same bits, except where networks act: the order of their sums may change, so that
//! numbers may differ in the last digits.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

/// Folder of trees, builds and outputs.
const FOLDER: &str = "target/bits";
/// How the names of cases with networks begin.
const NETWORKS: &str = "networks/";
/// The largest difference of such a case, relative to its largest number: some tens of roundings.
const OF_NETWORKS: f64 = 1e-14;
/// Differing cases that are listed.
const LISTED: usize = 40;

/// Compares this tree with a revision.
pub(crate) fn against_revision(revision: &str) -> anyhow::Result<()> {
    let there = bits_of_revision(revision)?;
    compare_with(&there, revision)
}

/// Compares this tree with an earlier output.
pub(crate) fn against_file(path: &str) -> anyhow::Result<()> {
    let there = fs::read_to_string(path).with_context(|| path.to_owned())?;
    compare_with(&there, path)
}

fn compare_with(there: &str, name: &str) -> anyhow::Result<()> {
    let here = bits_of(Path::new("."), None)?;
    fs::create_dir_all(FOLDER)?;
    fs::write(Path::new(FOLDER).join("here.txt"), &here)?;
    let comparison = Comparison::new(&parse(there)?, &parse(&here)?);
    print!("{}", comparison.report(name));
    if comparison.differences.is_empty() {
        bail!("{name} and this tree have no case in common");
    }
    match comparison.faults() {
        0 => Ok(()),
        n => bail!("{n} cases differ too much from {name}"),
    }
}

// --- what a tree prints ------------------------------------------------------------------------

/// Checks a revision out, runs it, and removes everything but the output: `target/bits/COMMIT.txt`.
fn bits_of_revision(revision: &str) -> anyhow::Result<String> {
    let commit = git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")])?;
    let folder = std::path::absolute(Path::new(FOLDER).join(&commit))?;
    fs::create_dir_all(FOLDER)?;
    if let Err(error) = fs::create_dir(&folder) {
        bail!(
            "{}: {error}; remove it if it is left from a comparison that was broken off",
            folder.display()
        );
    }
    let made = Made { tree: folder.join("tree"), folder };
    let tree = made.tree.to_string_lossy().into_owned();
    // `--force`, in case the tree was removed without git's knowledge.
    git(&["worktree", "add", "--force", "--detach", &tree, &commit])?;
    if !made.tree.join("crates/gradbody/examples/bits").exists() {
        bail!("{revision} has no example \"bits\"; compare with a later revision");
    }
    let bits = bits_of(&made.tree, Some(&made.folder.join("build")))?;
    fs::write(made.folder.with_extension("txt"), &bits)?;
    Ok(bits)
}

/// A folder with a tree; both are removed on drop.
struct Made {
    folder: PathBuf,
    tree: PathBuf,
}

impl Drop for Made {
    fn drop(&mut self) {
        if self.tree.exists()
            && let Err(error) =
                git(&["worktree", "remove", "--force", &self.tree.to_string_lossy()])
        {
            eprintln!("{error:#}");
        }
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("{}: {error}", self.folder.display());
        }
    }
}

/// Builds the example in a tree and runs it. Another tree needs a folder of its own to build in: cargo takes packages
/// of two trees for the same.
fn bits_of(tree: &Path, build: Option<&Path>) -> anyhow::Result<String> {
    let mut command = Command::new("cargo");
    command.args(["run", "--package", "gradbody", "--example", "bits"]).current_dir(tree);
    if let Some(build) = build {
        command.env("CARGO_TARGET_DIR", build);
    }
    println!("== the bits of {}", tree.display());
    let output = command.stderr(std::process::Stdio::inherit()).output().context("cargo")?;
    if !output.status.success() {
        bail!("the example in {} ended with {}", tree.display(), output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn git(args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git").args(args).output().context("git")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("git {}: {}", args.join(" "), said.trim());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

// --- cases -------------------------------------------------------------------------------------

/// What a case has: numbers, or the reason why there are none.
#[derive(Debug, PartialEq)]
enum Case {
    Numbers(Vec<u64>),
    Failed(String),
}

type Cases = BTreeMap<String, Case>;

fn parse(text: &str) -> anyhow::Result<Cases> {
    let mut cases = Cases::new();
    for (number, line) in text.lines().enumerate() {
        let place = || format!("line {}", number + 1);
        let (name, rest) = line.split_once('\t').with_context(place)?;
        let case = if rest.starts_with("failed") {
            Case::Failed(rest.to_owned())
        } else {
            let bits = rest.split_whitespace().map(|word| u64::from_str_radix(word, 16));
            Case::Numbers(bits.collect::<Result<_, _>>().with_context(place)?)
        };
        if cases.insert(name.to_owned(), case).is_some() {
            bail!("line {}: two cases are called {name}", number + 1);
        }
    }
    Ok(cases)
}

/// The largest difference of two cases relative to their largest number; none if all bits are equal. Cases that
/// cannot be compared differ infinitely.
fn difference(a: &Case, b: &Case) -> Option<f64> {
    if a == b {
        return None;
    }
    let (Case::Numbers(a), Case::Numbers(b)) = (a, b) else { return Some(f64::INFINITY) };
    if a.len() != b.len() {
        return Some(f64::INFINITY);
    }
    let (mut most, mut largest) = (0.0_f64, 0.0_f64);
    for (a, b) in a.iter().zip(b) {
        let (x, y) = (f64::from_bits(*a), f64::from_bits(*b));
        // Parameters may be infinite.
        for x in [x, y].into_iter().filter(|x| x.is_finite()) {
            largest = largest.max(x.abs());
        }
        if a != b {
            let apart = (x - y).abs();
            most = most.max(if apart.is_nan() { f64::INFINITY } else { apart });
        }
    }
    // 0 and −0 differ by nothing, but in their bits.
    Some(if most == 0.0 { 0.0 } else { most / largest })
}

// --- comparison --------------------------------------------------------------------------------

/// What differs.
struct Comparison {
    /// Cases of one side only.
    only_there: Vec<String>,
    only_here: Vec<String>,
    /// Of each case of both, the difference.
    differences: Vec<(String, Option<f64>)>,
}

impl Comparison {
    fn new(there: &Cases, here: &Cases) -> Self {
        let names = |cases: &Cases| cases.keys().cloned().collect::<BTreeSet<String>>();
        let (names_there, names_here) = (names(there), names(here));
        let differences = (names_there.intersection(&names_here))
            .map(|name| (name.clone(), difference(&there[name], &here[name])))
            .collect();
        Comparison {
            only_there: names_there.difference(&names_here).cloned().collect(),
            only_here: names_here.difference(&names_there).cloned().collect(),
            differences,
        }
    }

    /// Number of cases that differ too much. A case that one side lacks is listed, but is not a fault.
    fn faults(&self) -> usize {
        self.differences.iter().filter(|(name, difference)| is_fault(name, *difference)).count()
    }

    fn report(&self, there: &str) -> String {
        let mut lines = Vec::new();
        for (what, names) in [(there, &self.only_there), ("this tree", &self.only_here)] {
            if !names.is_empty() {
                lines.push(format!("\nonly in {what}: {}", names.len()));
                lines.extend(names.iter().take(LISTED).map(|name| format!("  {name}")));
            }
        }
        let mut apart: Vec<(&str, f64)> = (self.differences.iter())
            .filter_map(|(name, d)| Some((name.as_str(), (*d)?)))
            .collect();
        apart.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        if !apart.is_empty() {
            lines.push(format!("\ncases that differ: {}, the largest differences", apart.len()));
            let shown = apart.iter().take(LISTED);
            lines.extend(shown.map(|(name, difference)| format!("  {difference:8.1e}  {name}")));
        }
        lines.push(format!("\n{:44} {:>6} {:>6}  largest difference", "kind", "cases", "equal"));
        let mut rows: BTreeMap<String, Row> = BTreeMap::new();
        for (name, difference) in &self.differences {
            rows.entry(kind(name)).or_default().add(*difference);
            rows.entry("~ all".into()).or_default().add(*difference);
        }
        for (name, Row { cases, equal, largest }) in rows {
            let name = name.trim_start_matches("~ ");
            lines.push(format!("{name:44} {cases:>6} {equal:>6}  {largest:.1e}"));
        }
        lines.join("\n") + "\n"
    }
}

/// A row of the table.
#[derive(Default)]
struct Row {
    cases: usize,
    equal: usize,
    largest: f64,
}

impl Row {
    fn add(&mut self, difference: Option<f64>) {
        self.cases += 1;
        self.equal += usize::from(difference.is_none());
        self.largest = self.largest.max(difference.unwrap_or(0.0));
    }
}

fn is_fault(name: &str, difference: Option<f64>) -> bool {
    match difference {
        None => false,
        Some(difference) => !name.starts_with(NETWORKS) || difference > OF_NETWORKS,
    }
}

/// `SCALAR/KIND` of a case, with `networks/` ahead where they act.
fn kind(name: &str) -> String {
    let (ahead, rest) = match name.strip_prefix(NETWORKS) {
        Some(rest) => (NETWORKS, rest),
        None => ("", name),
    };
    // MODEL/SOLVER/INTEGRATOR/SCALAR/KIND
    let tail = rest.splitn(4, '/').nth(3).unwrap_or(rest);
    format!("{ahead}{tail}")
}

#[cfg(test)]
mod tests {
    use super::{Case, Comparison, difference, kind, parse};

    fn case(numbers: &[f64]) -> Case {
        Case::Numbers(numbers.iter().map(|x| x.to_bits()).collect())
    }

    #[test]
    fn differences_are_relative_to_the_largest_number_of_a_case() {
        assert_eq!(difference(&case(&[1.0, 4.0]), &case(&[1.0, 4.0])), None);
        assert_eq!(difference(&case(&[1.0, 4.0]), &case(&[1.5, 4.0])), Some(0.125));
        assert_eq!(difference(&case(&[0.0]), &case(&[-0.0])), Some(0.0));
        assert_eq!(difference(&case(&[f64::INFINITY, 1.0]), &case(&[f64::INFINITY, 1.0])), None);
        assert_eq!(difference(&case(&[f64::NAN]), &case(&[1.0])), Some(f64::INFINITY));
        assert_eq!(difference(&case(&[1.0]), &case(&[1.0, 2.0])), Some(f64::INFINITY));
    }

    #[test]
    fn only_networks_may_differ_and_only_in_the_last_digits() {
        let there = "a/ncp/euler/f64/states\t3ff0000000000000\n\
                     networks/b/ncp/euler/f64/states\t3ff0000000000000\n\
                     old/ncp/euler/f64/states\tfailed: why\n";
        let faults =
            |here: &str| Comparison::new(&parse(there).unwrap(), &parse(here).unwrap()).faults();
        assert_eq!(faults(there), 0);
        let last_digit = |text: &str| there.replacen(text, "3ff0000000000001", 1);
        assert_eq!(faults(&last_digit("3ff0000000000000")), 1);
        let all = there.replace("3ff0000000000000", "3ff0000000000001");
        assert_eq!(faults(&all), 1, "a network's may");
        let far = there.replace("3ff0000000000000", "3ff0000000001000");
        assert_eq!(faults(&far), 2);
        assert_eq!(faults(&there.replace("why", "another reason")), 1);
    }

    #[test]
    fn a_kind_is_what_follows_the_integrator() {
        assert_eq!(kind("ant/lcp/rk4/batch-f32/states"), "batch-f32/states");
        assert_eq!(kind("networks/all/lcp/rk4/f64/states"), "networks/f64/states");
    }
}
