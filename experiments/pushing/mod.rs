//! Bodies pushed over a table by the tip of a robot (NeuralSim, figure 7; data of Yu et al. 2016).
//!
//! An analytical model is identified on pushes of four shapes, and networks that correct its friction are trained on
//! the same pushes. All are evaluated on a fifth, new shape and on held-out pushes of the four. Three further studies
//! ask why networks do not carry over to the new shape: each body is identified alone, the force sensor gives the
//! friction of the tip, and each of the four shapes is left out in turn.

mod alone;
mod drawing;
mod errors;
mod experiment;
mod fit_folder;
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

/// The extent of a run.
struct Plan {
    /// Generations of the identification.
    generations: u64,
    /// Steps of the training of a network, and number of seeds.
    steps: u64,
    seeds: u64,
    /// Epochs of the training of the network without mechanics.
    epochs: usize,
    /// One in this number of pushes is used.
    every: usize,
}

const WHOLE: Plan = Plan { generations: 50, steps: 400, seeds: 3, epochs: 3000, every: 1 };
const QUICK: Plan = Plan { generations: 2, steps: 4, seeds: 1, epochs: 200, every: 4 };

/// One in this number of pushes of each shape is held out.
const KEPT_BACK: usize = 4;
/// Pushes with a slower tip are left out [m/s]: seven of the ellipses, which have twice the steps of the others.
const SLOW: f64 = 0.03;

/// The pushes.
struct Split {
    /// Training pushes of four shapes.
    train: Vec<Push>,
    /// Held-out pushes of the same shapes.
    new: Vec<Push>,
    /// Pushes of the new shape.
    test: Vec<Push>,
}

/// Reads the pushes.
pub(super) fn prepare(data: &DataFolder, quick: bool) -> anyhow::Result<Prepared> {
    let measured = measured::read(data)?;
    let plan = if quick { QUICK } else { WHOLE };
    // A quick run rejects the same data as a full one.
    Split::of(&measured, &WHOLE).check()?;
    let split = Split::of(&measured, &plan);
    split.check()?;
    Ok(Box::new(move |parts| {
        let found = results::find(&measured.bodies, &split, &plan, parts)?;
        fit_folder::write_all(parts.results(), &measured.bodies, &split, &found)?;
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

    /// Rejects splits that are too small or mixed to be meaningful.
    fn check(&self) -> anyhow::Result<()> {
        for (part, what) in [
            (&self.train, "for training"),
            (&self.new, "to hold out"),
            (&self.test, "of a new shape"),
        ] {
            if part.is_empty() {
                bail!("{}: no push {what} is fast enough", INDEX.path);
            }
        }
        if self.test.len() < alone::FOLDS {
            bail!("{}: at least {} pushes of a new shape are needed", INDEX.path, alone::FOLDS);
        }
        let shapes = self.train.chunk_by(|a, b| a.shape == b.shape).count();
        if shapes < 2 {
            bail!("{}: training needs pushes of at least two shapes", INDEX.path);
        }
        let lacks = |push: &&Push| self.train.iter().all(|seen| seen.shape != push.shape);
        if let Some(push) = self.new.iter().find(lacks) {
            bail!("{}: \"{}\" is the only push of its shape", INDEX.path, push.name);
        }
        if let Some(push) = self.test.iter().find(|push| push.shape != self.test[0].shape) {
            bail!("{}: \"{}\" has another shape than the first test push", INDEX.path, push.name);
        }
        let known = |push: &&Push| self.train.iter().any(|seen| seen.shape == push.shape);
        if let Some(push) = self.test.iter().find(known) {
            bail!("{}: test push \"{}\" has a shape of the training set", INDEX.path, push.name);
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
            (split(&[], &["a"], &["c", "c"]), "for training"),
            (split(&["a", "b"], &[], &["c", "c"]), "to hold out"),
            (split(&["a", "b"], &["a"], &["c"]), "at least 2 pushes"),
            (split(&["a", "a"], &["a"], &["c", "c"]), "at least two shapes"),
            (split(&["a", "b"], &["d"], &["c", "c"]), "the only push of its shape"),
            (split(&["a", "b"], &["a"], &["b", "b"]), "of the training set"),
            (split(&["a", "b"], &["a"], &["c", "d"]), "another shape"),
        ] {
            let message = refused.check().expect_err(why).to_string();
            assert!(message.contains(why), "{message}");
        }
    }
}
