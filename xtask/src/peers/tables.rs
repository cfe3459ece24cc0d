//! The measurements side by side, in Markdown.

use anyhow::Context as _;

use super::Row;

const SCALARS: [&str; 4] = ["f64", "f32", "f64x8", "f32x16"];
/// Those that a portable build picks its vector instructions for.
const VECTORS: [&str; 2] = ["f64x8", "f32x16"];

/// Our figures: of a build for this machine, and of one for any.
pub(super) struct Ours {
    pub(super) native: Vec<Row>,
    pub(super) portable: Vec<Row>,
}

impl Ours {
    /// Names of the models that algorithms were measured on, in order.
    pub(super) fn algorithm_models(&self) -> Vec<&str> {
        let rows = self.native.iter().filter(|row| row.function == "aba");
        let mut names: Vec<&str> = rows.map(|row| row.model.as_str()).collect();
        names.dedup();
        names
    }

    /// The time of some functions together, as a share of a peer's in each scalar, then portable as
    /// shares of native.
    fn shares(&self, model: &str, functions: &[&str], peer: f64) -> anyhow::Result<String> {
        let time = |rows: &[Row], scalar: &str| -> anyhow::Result<f64> {
            let of = |function: &&str| Ok(find(rows, model, function, scalar)?.us_min);
            functions.iter().map(of).sum()
        };
        let mut cells = String::new();
        for scalar in SCALARS {
            cells += &format!(" {:.3} |", time(&self.native, scalar)? / peer);
        }
        for scalar in VECTORS {
            let (native, portable) = (time(&self.native, scalar)?, time(&self.portable, scalar)?);
            cells += &format!(" {:.2} |", portable / native);
        }
        Ok(cells)
    }
}

fn find<'a>(rows: &'a [Row], model: &str, function: &str, scalar: &str) -> anyhow::Result<&'a Row> {
    rows.iter()
        .find(|r| r.model == model && r.function == function && r.scalar == scalar)
        .with_context(|| format!("no {function} of {model} in {scalar}"))
}

/// Per model and function: the peer's best time, and ours as a share of it for each scalar.
pub(super) fn algorithms(peer: &[Row], ours: &Ours) -> anyhow::Result<()> {
    println!(
        "\nPer world: Pinocchio's best time, ours as a share of it, and the portable build's time"
    );
    println!("as a share of the native one's. Derivatives are of aba, which is counted with them:");
    println!("Pinocchio has all Jacobians, we a product with them (forward_dynamics_vjp).\n");
    println!(
        "| model | fn | Pinocchio µs | f64 | f32 | f64x8 | f32x16 | portable f64x8 | f32x16 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    // What is compared, and what of ours it is.
    let compared = [
        ("aba", &["aba"][..]),
        ("rnea", &["rnea"]),
        ("crba", &["crba"]),
        ("kinematics", &["kinematics"]),
        ("derivatives", &["aba", "forward_dynamics_vjp"]),
    ];
    for model in ours.algorithm_models() {
        for (function, own) in compared {
            let best = peer
                .iter()
                .filter(|r| r.model == model && r.function.starts_with(function))
                .map(|r| r.us_min)
                .reduce(f64::min)
                .with_context(|| format!("Pinocchio has no {function} of {model}"))?;
            let shares = ours.shares(model, own, best)?;
            println!("| {model} | {function} | {best:.3} |{shares}");
        }
    }
    Ok(())
}

/// Per scene: the time of a step of ours and of the peer's, and ours as a share for each scalar.
pub(super) fn steps(peers: &[Row], ours: &Ours) -> anyhow::Result<()> {
    println!("\nA step, per world, and ours as a share of the peer's. MuJoCo has the same file,");
    println!("Rapier the same boxes; options not in the file are each one's defaults.");
    println!("Of step_vjp MuJoCo has mjd_transitionFD: all Jacobians, by one-sided differences.\n");
    println!(
        "| scene | fn | peer | its options | its µs | its contacts | our f64 µs | our contacts | f64 | \
         f32 | f64x8 | f32x16 | portable f64x8 | f32x16 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for peer in peers {
        let Row { model, function, us_min, .. } = peer;
        let own = find(&ours.native, model, function, "f64")?.us_min;
        let own_contacts = find(&ours.native, model, "step", "f64")?.contacts;
        let version = peer.version.as_deref().unwrap_or_default();
        println!(
            "| {model} | {function} | {} {version} | {} | {us_min:.2} | {:.1} | {own:.2} | \
             {own_contacts:.1} |{}",
            peer.peer,
            peer.options(),
            peer.contacts,
            ours.shares(model, &[function], *us_min)?,
        );
    }
    Ok(())
}

impl Row {
    /// How the peer solved contacts, as it says itself.
    fn options(&self) -> String {
        let words = [&self.solver, &self.cone, &self.integrator];
        let mut text: Vec<String> = words.into_iter().flatten().cloned().collect();
        if self.warm_start == Some(true) {
            text.push("warm start".into());
        }
        text.push(format!("{} iterations", self.iterations));
        text.join(", ")
    }
}
