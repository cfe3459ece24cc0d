//! An ant learns to run with samples that derivatives add (figure 5 of the publication).

use gradbody::env::Environment;
use gradbody::policy::{
    Learner, Mbpo, MbpoOptions, Ppo, PpoOptions, Sac, SacOptions, SampleEnhancement, Shac,
    ShacOptions,
};

use super::page::{self, Group, Study};
use super::training::{Extent, train};
use crate::Prepared;
use crate::side_by_side::side_by_side;
use gradbody_cli::progress;

/// The methods, the number of seeds of each, and its samples.
const METHODS: [(&str, u64, u64); 5] = [
    ("sample enhancement", 4, 200_000),
    ("SAC", 4, 200_000),
    ("PPO", 4, 1_000_000),
    ("SHAC", 4, 1_000_000),
    // Labelled as short: a full one would take half a day.
    ("MBPO (short)", 1, 20_000),
];

pub(crate) fn prepare(quick: bool) -> Prepared {
    Box::new(move |parts| {
        let part = if quick { 200 } else { 1 };
        let seeds = |(method, seeds, samples): (&'static str, u64, u64)| {
            (0..if quick { 1 } else { seeds }).map(move |seed| (method, seed, samples / part))
        };
        let jobs: Vec<_> = METHODS.into_iter().flat_map(seeds).collect();
        let of = Environment::AntWithoutContactForces.describe();
        let bar = progress::bar(jobs.len() as u64, "trainings");
        let trained = side_by_side(&jobs, |&(method, seed, samples)| {
            let name = format!("{}-{seed}", method.replace(' ', "-"));
            let trained = parts.get(&name, || {
                let sac = SacOptions { seed, ..SacOptions::default() };
                let mut learner: Box<dyn Learner> = match method {
                    "PPO" => {
                        let options = PpoOptions { seed, ..PpoOptions::default() };
                        Box::new(Ppo::<f32>::new(&of, options)?)
                    }
                    "SHAC" => {
                        let options = ShacOptions { seed, ..ShacOptions::default() };
                        Box::new(Shac::<f32>::new(&of, options)?)
                    }
                    "SAC" => Box::new(Sac::<f32>::new(&of, sac)?),
                    "sample enhancement" => {
                        let enhanced = Some(SampleEnhancement::default());
                        let options = SacOptions { sample_enhancement: enhanced, ..sac };
                        Box::new(Sac::<f32>::new(&of, options)?)
                    }
                    _ => {
                        let options = MbpoOptions { seed, sac, ..MbpoOptions::default() };
                        Box::new(Mbpo::<f32>::new(&of, options)?)
                    }
                };
                let extent = Extent {
                    samples,
                    seconds: f64::INFINITY,
                    every: samples / 40,
                    reach: f64::INFINITY,
                };
                train((method, seed), &mut *learner, &of, extent)
            })?;
            bar.inc(1);
            Ok(trained)
        })?;
        bar.finish_and_clear();
        Ok(page::outcome(&Study {
            title: "An ant that learns to run".into(),
            lead: "Gymnasium's Ant with 27 observed numbers. Sample enhancement adds nine samples to each true one, with \
                   actions changed by up to a hundredth, by the derivatives of the simulation."
                .into(),
            groups: vec![Group { name: "Ant".into(), most: None, trained }],
            reach: None,
        }))
    })
}
