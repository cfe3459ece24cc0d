//! Bodies that are pushed over a table by the tip of a robot (NeuralSim, figure 7; data of Yu et al. 2016).
//!
//! An analytical model is identified on pushes of four shapes, networks that correct its friction are trained on the same pushes, and all are
//! judged on a fifth shape, and on pushes of the four that were kept back.

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
mod training;

use anyhow::bail;

use super::Prepared;
use super::data::DataFolder;
pub(super) use experiment::setup;

use measured::{Measured, Push};

/// How much is done.
struct Plan {
    /// Of the identification.
    iterations: u64,
    /// Of the training of a network, and with how many seeds.
    steps: u64,
    seeds: u64,
    /// Of the training of a network that knows no mechanics.
    epochs: usize,
    /// One of so many pushes is used.
    every: usize,
}

const WHOLE: Plan = Plan { iterations: 20, steps: 400, seeds: 3, epochs: 3000, every: 1 };
const QUICK: Plan = Plan { iterations: 2, steps: 4, seeds: 1, epochs: 200, every: 4 };

/// Of each shape, one push of so many is kept back.
const KEPT_BACK: usize = 4;
/// Slower pushes are left out [m/s of the tip]: seven of four shapes, as many steps as all others of these together.
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
                bail!("{}: no push {what} is fast enough", measured::INDEX.path);
            }
        }
        let known = |push: &&Push| self.train.iter().any(|seen| seen.shape == push.shape);
        if let Some(push) = self.test.iter().find(known) {
            bail!("{}: \"{}\" is of a shape that is learned from", measured::INDEX.path, push.name);
        }
        Ok(())
    }
}
