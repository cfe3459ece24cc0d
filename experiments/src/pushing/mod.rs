//! Bodies that are pushed over a table by the tip of a robot (NeuralSim, figure 7; data of Yu et al. 2016).
//!
//! An analytical model is identified on pushes of four shapes, networks that correct its friction are trained on the same pushes, and all are
//! judged on a fifth shape, and on pushes of the four that were kept back. Why networks do not carry over to a shape that
//! they were not learned from is asked by three more: each body is identified by itself, the force sensor is asked for the friction
//! of the tip, and each of the four shapes is left out in turn.

mod alone;
mod drawing;
mod errors;
mod experiment;
mod fits;
mod learned;
mod measured;
mod networks;
mod page;
mod results;
mod scene;
mod tip_friction;
mod training;
mod turns;

use anyhow::bail;

use super::Prepared;
use super::data::DataFolder;
pub(super) use experiment::setup;

use measured::{INDEX, Measured, Push};

/// How much is done.
struct Plan {
    /// Of the identification.
    generations: u64,
    /// Of the training of a network, and with how many seeds.
    steps: u64,
    seeds: u64,
    /// Of the training of a network that knows no mechanics.
    epochs: usize,
    /// One of so many pushes is used.
    every: usize,
}

const WHOLE: Plan = Plan { generations: 50, steps: 400, seeds: 3, epochs: 3000, every: 1 };
const QUICK: Plan = Plan { generations: 2, steps: 4, seeds: 1, epochs: 200, every: 4 };

/// Of each shape, one push of so many is kept back.
const KEPT_BACK: usize = 4;
/// Slower pushes are left out [m/s of the tip]: seven of the ellipses, with twice the steps of their others.
const SLOW: f64 = 0.03;

/// The pushes.
struct Split {
    /// To learn from: four shapes.
    train: Vec<Push>,
    /// Of the same shapes, not learned from.
    new: Vec<Push>,
    /// Of a shape that is not learned from.
    test: Vec<Push>,
}

/// Reads the pushes.
pub(super) fn prepare(data: &DataFolder, quick: bool) -> anyhow::Result<Prepared> {
    let measured = measured::read(data)?;
    let plan = if quick { QUICK } else { WHOLE };
    // A quick run refuses what a whole one would.
    Split::of(&measured, &WHOLE).check()?;
    let split = Split::of(&measured, &plan);
    split.check()?;
    Ok(Box::new(move |parts| {
        let found = results::find(&measured.bodies, &split, &plan, parts)?;
        Ok(page::outcome(&measured.bodies, &split, &found))
    }))
}

impl Split {
    fn of(measured: &Measured, plan: &Plan) -> Self {
        let chosen = |pushes: &[Push]| -> Vec<Push> {
            let fast = pushes.iter().filter(|push| push.speed() > SLOW);
            fast.step_by(plan.every).cloned().collect()
        };
        let (mut train, mut new) = (Vec::new(), Vec::new());
        let mut seen = chosen(&measured.train);
        seen.sort_by(|a, b| (&a.shape, &a.name).cmp(&(&b.shape, &b.name)));
        for of_shape in seen.chunk_by(|a, b| a.shape == b.shape) {
            for (k, push) in of_shape.iter().enumerate() {
                let kept_back = (k + 1).is_multiple_of(KEPT_BACK.min(of_shape.len()));
                if kept_back { &mut new } else { &mut train }.push(push.clone());
            }
        }
        Split { train, new, test: chosen(&measured.test) }
    }

    /// Refuses parts that prove nothing.
    fn check(&self) -> anyhow::Result<()> {
        for (part, what) in [
            (&self.train, "to learn from"),
            (&self.new, "to keep back"),
            (&self.test, "of a shape not learned from"),
        ] {
            if part.is_empty() {
                bail!("{}: no push {what} is fast enough", INDEX.path);
            }
        }
        if self.test.len() < alone::FOLDS {
            bail!("{}: {} pushes or more are needed to judge by", INDEX.path, alone::FOLDS);
        }
        let shapes = self.train.chunk_by(|a, b| a.shape == b.shape).count();
        if shapes < 2 {
            bail!("{}: pushes of two shapes or more are needed to learn from", INDEX.path);
        }
        let lacks = |push: &&Push| self.train.iter().all(|seen| seen.shape != push.shape);
        if let Some(push) = self.new.iter().find(lacks) {
            bail!("{}: \"{}\" is the only push of its shape", INDEX.path, push.name);
        }
        if let Some(push) = self.test.iter().find(|push| push.shape != self.test[0].shape) {
            bail!(
                "{}: \"{}\" is of another shape than the first to judge by",
                INDEX.path,
                push.name
            );
        }
        let known = |push: &&Push| self.train.iter().any(|seen| seen.shape == push.shape);
        if let Some(push) = self.test.iter().find(known) {
            bail!("{}: \"{}\" is of a shape that is learned from", INDEX.path, push.name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(shape: &str) -> Push {
        let (name, samples, forces) = (format!("a push of {shape}"), Vec::new(), Vec::new());
        Push { name, shape: shape.into(), samples, forces }
    }

    fn split(train: &[&str], new: &[&str], test: &[&str]) -> Split {
        let of = |shapes: &[&str]| shapes.iter().map(|shape| push(shape)).collect();
        Split { train: of(train), new: of(new), test: of(test) }
    }

    #[test]
    fn splits_that_prove_nothing_are_refused() {
        split(&["a", "b"], &["a"], &["c", "c"]).check().expect("enough of everything");
        for (refused, why) in [
            (split(&[], &["a"], &["c", "c"]), "to learn from"),
            (split(&["a", "b"], &[], &["c", "c"]), "to keep back"),
            (split(&["a", "b"], &["a"], &["c"]), "2 pushes or more"),
            (split(&["a", "a"], &["a"], &["c", "c"]), "two shapes or more"),
            (split(&["a", "b"], &["d"], &["c", "c"]), "the only push of its shape"),
            (split(&["a", "b"], &["a"], &["b", "b"]), "learned from"),
            (split(&["a", "b"], &["a"], &["c", "d"]), "another shape"),
        ] {
            let message = refused.check().expect_err(why).to_string();
            assert!(message.contains(why), "{message}");
        }
    }
}
