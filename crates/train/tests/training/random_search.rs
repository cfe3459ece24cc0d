//! A learner for tests: random changes of an actor's weights, of which the better ones are kept. It is enough to keep a
//! pole upright.

use gradbody_env::Description;
use gradbody_math::random::Random;
use gradbody_neural::Activation;
use gradbody_policy::{Actor, Evaluation, Head, Learner, Progress, Snapshot, Spread, TrainError};

pub(crate) struct RandomSearch {
    of: Description,
    actor: Actor,
    best: f64,
    random: Random,
    /// After so many iterations its weights are no numbers.
    pub(crate) breaks_after: Option<u64>,
    iterations: u64,
}

impl RandomSearch {
    pub(crate) fn new(of: &Description, seed: u64) -> Self {
        let head = Head { spread: Spread::Shared(vec![0.0; of.n_actions()]), squashed: false };
        let actor = Actor::new(of, &[], Activation::Tanh, head, seed).expect("an actor");
        let random = Random::derived(seed, &[1]);
        let mut of = of.clone();
        of.time_limit = 200;
        RandomSearch {
            of,
            actor,
            best: f64::NEG_INFINITY,
            random,
            breaks_after: None,
            iterations: 0,
        }
    }
}

impl Learner for RandomSearch {
    fn advance(&mut self) -> Result<Progress, TrainError> {
        let before = self.actor.weights.clone();
        for weight in &mut self.actor.weights {
            *weight += 0.5 * self.random.normal() as f32;
        }
        let found = Evaluation::run::<f64>(&self.actor, &self.of, 4, self.random.bits())?;
        if found.mean() < self.best {
            self.actor.weights = before;
        } else {
            self.best = found.mean();
        }
        self.iterations += 1;
        if self.breaks_after.is_some_and(|n| self.iterations >= n) {
            self.actor.weights[0] = f32::NAN;
        }
        let samples = found.lengths.iter().sum::<usize>() as u64;
        Ok(Progress { samples, updates: 1, returns: found.returns, ..Progress::default() })
    }

    fn actor(&self) -> &Actor {
        &self.actor
    }

    fn snapshot(&self) -> Snapshot {
        let mut to = Snapshot::default();
        self.actor.save(&mut to);
        to.put("best", vec![self.best]);
        to.put("random", self.random.state().to_vec());
        to.put("iterations", vec![self.iterations]);
        to
    }

    fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.actor.restore(from)?;
        self.best = from.number("best")?;
        let mut state = [0; 4];
        from.fill("random", &mut state)?;
        self.random = Random::from_state(state);
        self.iterations = from.number("iterations")?;
        Ok(())
    }
}
