//! Chains of one to seven links swing up: policy enhancement beside SAC, SHAC and MBPO (figure 4 of the publication).

use gradbody::env::{Description, Environment};
use gradbody::policy::{
    Learner, Mbpo, MbpoOptions, PolicyEnhancement, Sac, SacOptions, Shac, ShacOptions,
};

use super::page::{self, Group, Study};
use super::training::{Extent, Trained, train};
use crate::Prepared;
use crate::side_by_side::side_by_side;
use gradbody_cli::progress;

/// Samples of an epoch, unless the publication says otherwise; it trains for 100 epochs a link.
const EPOCH: u64 = 1000;
const EPOCHS_A_LINK: u64 = 100;

/// The chains, by their number of links.
const CHAINS: [Environment; 7] = [
    Environment::Pendulum1,
    Environment::Pendulum2,
    Environment::Pendulum3,
    Environment::Pendulum4,
    Environment::Pendulum5,
    Environment::Pendulum6,
    Environment::Pendulum7,
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    PolicyEnhancement,
    Sac,
    Shac,
    Mbpo,
}

impl Method {
    const ALL: [Method; 4] = [Method::PolicyEnhancement, Method::Sac, Method::Shac, Method::Mbpo];

    fn name(self) -> &'static str {
        match self {
            Method::PolicyEnhancement => "policy enhancement",
            Method::Sac => "SAC",
            Method::Shac => "SHAC",
            Method::Mbpo => "MBPO",
        }
    }

    /// MBPO takes much longer, so it has fewer lengths and seeds.
    fn seeds(self, links: usize) -> u64 {
        match self {
            Method::Mbpo if links.is_multiple_of(2) => 0,
            Method::Mbpo => 2,
            _ => 4,
        }
    }

    fn learner(self, of: &Description, seed: u64) -> anyhow::Result<Box<dyn Learner>> {
        // Episodes have 100 steps, so the usual discount sees most of one.
        let sac =
            SacOptions { seed, hidden: vec![128, 128], minibatch: 128, ..SacOptions::default() };
        Ok(match self {
            Method::PolicyEnhancement => {
                let enhanced = PolicyEnhancement { samples: 128, ..PolicyEnhancement::default() };
                let options = SacOptions { policy_enhancement: Some(enhanced), ..sac };
                Box::new(Sac::<f64>::new(of, options)?)
            }
            Method::Sac => Box::new(Sac::<f64>::new(of, sac)?),
            Method::Shac => {
                let options = ShacOptions {
                    seed,
                    worlds: 64,
                    horizon: 50,
                    discount: 0.99,
                    actor_rate: 1e-3,
                    ..ShacOptions::default()
                };
                Box::new(Shac::<f64>::new(of, options)?)
            }
            Method::Mbpo => {
                let options = MbpoOptions { seed, sac, ..MbpoOptions::default() };
                Box::new(Mbpo::<f64>::new(of, options)?)
            }
        })
    }
}

pub(crate) fn prepare(quick: bool) -> Prepared {
    Box::new(move |parts| {
        let (most_links, part) = if quick { (1, 50) } else { (CHAINS.len(), 1) };
        let mut jobs = Vec::new();
        for links in 1..=most_links {
            for method in Method::ALL {
                let seeds = if quick { method.seeds(links).min(1) } else { method.seeds(links) };
                jobs.extend((0..seeds).map(|seed| (links, method, seed)));
            }
        }
        let bar = progress::bar(jobs.len() as u64, "trainings");
        let found = side_by_side(&jobs, |&(links, method, seed)| {
            let name = format!("{links}-{}-{seed}", method.name().replace(' ', "-"));
            let trained = parts.get(&name, || {
                let samples = EPOCHS_A_LINK * EPOCH * links as u64 / part;
                let extent = Extent {
                    samples,
                    seconds: f64::INFINITY,
                    every: samples / 50,
                    reach: f64::INFINITY,
                };
                let of = CHAINS[links - 1].describe();
                let mut learner = method.learner(&of, seed)?;
                train((method.name(), seed), &mut *learner, &of, extent)
            })?;
            bar.inc(1);
            Ok((links, trained))
        })?;
        bar.finish_and_clear();
        Ok(page::outcome(&study(most_links, &found)))
    })
}

fn study(most_links: usize, found: &[(usize, Trained)]) -> Study {
    let groups = (1..=most_links).map(|links| {
        // From horizontal to upright: the squared distance from the end to the highest point.
        let most = 0.5 * (links as f64).powi(2);
        let of = found.iter().filter(|(n, _)| *n == links);
        Group {
            name: format!("{links} {}", if links == 1 { "link" } else { "links" }),
            most: Some(most),
            trained: of.map(|(_, trained)| trained.clone()).collect(),
        }
    });
    Study {
        title: "Chains that swing up".into(),
        lead: "A chain of links with a motor at each joint begins horizontally and shall reach the highest point. The reward \
               of an episode is at most that of a straight upright chain. An epoch is taken as 1,000 samples."
            .into(),
        groups: groups.collect(),
        reach: None,
    }
}
