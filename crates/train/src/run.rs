//! Trains a policy. Everything it does can be written between any two iterations, and a training that resumes from there
//! gives the same bits.

use std::io::{self, Write};

use gradbody_experiment::ExperimentError;
use gradbody_math::random::derived_seed;
use gradbody_policy::{
    About, Actor, Evaluation, Learner, PolicyFile, Progress, Snapshot, SnapshotError, TrainError,
    Training,
};
use rayon::ThreadPool;

use crate::checkpoint;
use crate::clock::Clock;
use crate::journal::keep;
use crate::{Age, Ending, Evaluated, Every, Journal, Point, Setup, Task};

/// A training that can be run, interrupted and resumed.
pub struct Run {
    setup: Setup,
    journal: Journal,
    learner: Box<dyn Learner>,
    /// The policy with the best evaluation.
    best: Option<Actor>,
    /// Policies on the way, from the untrained one to the last.
    ages: Vec<Age>,
    clock: Clock,
    /// Threads of its own; none for those that the process shares.
    pool: Option<ThreadPool>,
}

/// Time between points of the curve that are no evaluations [s].
const BETWEEN_POINTS: f64 = 1.0;
/// Where the seeds of evaluations begin, so that they share no numbers with the training.
const EVALUATION: u64 = 0x45_56_41_4c;

impl Run {
    /// A training that has not begun. `text` is the content of the task's file.
    pub fn new(setup: Setup, text: &str) -> Result<Run, ExperimentError> {
        let learner = begin(&setup)?;
        Ok(Run::with_learner(setup, text, learner))
    }

    /// The same with an algorithm of one's own.
    pub fn with_learner(setup: Setup, text: &str, learner: Box<dyn Learner>) -> Run {
        let journal =
            Journal { task: text.to_owned(), seed: setup.task.seed, ..Journal::default() };
        let clock = Clock::after(0.0, Some(0.0));
        Run { setup, journal, learner, best: None, ages: Vec::new(), clock, pool: None }
    }

    /// A training that goes on from a checkpoint. Fails if the bytes are damaged, or more of the task has changed than
    /// its limits and its evaluation. The seed is that of the checkpoint.
    pub fn resume(mut setup: Setup, text: &str, bytes: &[u8]) -> Result<Run, ExperimentError> {
        let (journal, arrays) = opened(text, bytes)?;
        setup.task.seed = journal.seed;
        let learner = begin(&setup)?;
        Run::restored(setup, text, learner, journal, &arrays)
    }

    /// The same with an algorithm of one's own.
    pub fn resume_with(
        mut setup: Setup,
        text: &str,
        bytes: &[u8],
        learner: Box<dyn Learner>,
    ) -> Result<Run, ExperimentError> {
        let (journal, arrays) = opened(text, bytes)?;
        setup.task.seed = journal.seed;
        Run::restored(setup, text, learner, journal, &arrays)
    }

    fn restored(
        setup: Setup,
        text: &str,
        mut learner: Box<dyn Learner>,
        mut journal: Journal,
        arrays: &Snapshot,
    ) -> Result<Run, ExperimentError> {
        let wrong =
            |error: &dyn std::fmt::Display| ExperimentError::wrong("resume", error.to_string());
        learner.restore(arrays).map_err(|error| wrong(&error))?;
        let actor = |prefix: &str| {
            take_actor(arrays, prefix, learner.actor()).map_err(|error| wrong(&error))
        };
        let best = journal.best.map(|_| actor("best")).transpose()?;
        let ages = std::mem::take(&mut journal.ages).into_iter().enumerate();
        let ages = ages.map(|(k, point)| Ok(Age { point, actor: actor(&format!("age{k}"))? }));
        let ages = ages.collect::<Result<_, ExperimentError>>()?;
        text.clone_into(&mut journal.task);
        // A training that has come to a limit goes on if that was raised.
        journal.ended = None;
        let clock = Clock::after(journal.now.seconds, journal.now.processor_seconds);
        Ok(Run { setup, journal, learner, best, ages, clock, pool: None })
    }

    /// Uses a pool of so many threads. Fails if the system cannot start them.
    pub fn with_threads(mut self, threads: usize) -> Result<Run, ExperimentError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
        let pool = pool.map_err(|error| ExperimentError::wrong("threads", error.to_string()))?;
        self.pool = Some(pool);
        Ok(self)
    }

    /// Threads that it computes on.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads)
    }

    /// The task with its environment.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The progress so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Policies on the way.
    pub fn ages(&self) -> &[Age] {
        &self.ages
    }

    /// One iteration, and an evaluation if one is due. Returns whether training goes on; otherwise the journal says why
    /// it ended.
    pub fn advance(&mut self) -> bool {
        if self.journal.ended.is_some() {
            return false;
        }
        if self.journal.points.is_empty() {
            // How good the untrained policy is.
            self.evaluate();
        } else if let Some(limit) = self.limit() {
            self.finish();
            self.journal.ended.get_or_insert(limit);
        } else {
            self.iterate();
            if self.journal.ended.is_none() && self.evaluation_is_due() {
                self.evaluate();
            }
        }
        self.journal.ended.is_none()
    }

    /// Evaluates the policy as it is now, unless it was: before results are written.
    pub fn finish(&mut self) {
        let is_known = self.journal.evaluated.is_some_and(|(_, at)| at == self.journal.now.samples);
        if !is_known && !matches!(self.journal.ended, Some(Ending::Failed(_))) {
            self.evaluate();
        }
    }

    /// The limit that is reached, if one is.
    fn limit(&self) -> Option<Ending> {
        let (limits, now) = (&self.setup.task.limits, &self.journal.now);
        if limits.samples.is_some_and(|most| now.samples as f64 >= most) {
            return Some(Ending::Samples);
        }
        limits.seconds().is_some_and(|most| self.clock.seconds() >= most).then_some(Ending::Time)
    }

    fn iterate(&mut self) {
        let Run { learner, pool, .. } = self;
        let progress = match pool {
            Some(pool) => pool.install(|| learner.advance()),
            None => learner.advance(),
        };
        match progress {
            Ok(progress) => self.take(progress),
            Err(error) => self.journal.ended = Some(Ending::Failed(error.to_string())),
        }
    }

    /// Takes an iteration into the journal.
    fn take(&mut self, progress: Progress) {
        let Progress { samples, gradient_samples, updates, returns, details } = progress;
        let Journal { now, noisy, .. } = &mut self.journal;
        now.samples += samples;
        now.gradient_samples += gradient_samples;
        now.updates += updates;
        noisy.0 += returns.iter().sum::<f64>();
        noisy.1 += returns.len() as u64;
        self.tell_time();
        let journal = &mut self.journal;
        journal.details =
            details.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let samples = journal.now.samples;
        if !self.learner.actor().is_finite() {
            let why = format!(
                "after {samples} samples the policy is no longer finite; a smaller learning rate may help"
            );
            journal.ended = Some(Ending::Failed(why));
            return;
        }
        if journal.noisy.0.is_nan() {
            let why = format!("after {samples} samples the return of an episode is not a number");
            journal.ended = Some(Ending::Failed(why));
            return;
        }
        let last = journal.points.last().map_or(0.0, |point| point.seconds);
        if journal.now.seconds - last >= BETWEEN_POINTS {
            self.add_point(None);
        }
    }

    /// Takes the time into the journal.
    fn tell_time(&mut self) {
        let now = &mut self.journal.now;
        now.seconds = self.clock.seconds();
        now.processor_seconds = self.clock.processor_seconds();
    }

    /// Adds a point to the curve.
    fn add_point(&mut self, evaluated: Option<Evaluated>) {
        let journal = &mut self.journal;
        let (sum, count) = std::mem::take(&mut journal.noisy);
        journal.now.noisy = (count > 0).then(|| sum / count as f64);
        journal.points.push(Point { evaluated, ..journal.now });
    }

    fn evaluation_is_due(&self) -> bool {
        let now = &self.journal.now;
        let Some((seconds, samples)) = self.journal.evaluated else { return true };
        match self.setup.task.evaluate.every {
            Every::Seconds(every) => now.seconds - seconds >= every,
            // At whole multiples, so that it does not depend on interruptions.
            Every::Samples(every) => now.samples / every > samples / every,
        }
    }

    fn evaluate(&mut self) {
        let found = self.evaluation();
        self.tell_time();
        let now = &self.journal.now;
        self.journal.evaluated = Some((now.seconds, now.samples));
        let found = match found {
            Ok(found) if found.mean().is_finite() => found,
            Ok(_) => {
                let samples = now.samples;
                let why = format!(
                    "after {samples} samples an episode without noise returns a number that is not finite"
                );
                self.journal.ended = Some(Ending::Failed(why));
                return;
            }
            Err(error) => {
                self.journal.ended = Some(Ending::Failed(error.to_string()));
                return;
            }
        };
        let lengths = found.lengths.iter().sum::<usize>() as f64;
        let evaluated = Evaluated {
            mean: found.mean(),
            deviation: found.deviation(),
            length: lengths / found.lengths.len().max(1) as f64,
        };
        self.add_point(Some(evaluated));
        let journal = &mut self.journal;
        let index = journal.points.len() - 1;
        let is_better = journal.best().is_none_or(|(_, best)| evaluated.mean >= best.mean);
        if is_better {
            journal.best = Some(index);
            self.best = Some(self.learner.actor().clone());
        }
        keep(
            &mut self.ages,
            Age { point: journal.points[index], actor: self.learner.actor().clone() },
        );
        if self.setup.task.limits.mean_return.is_some_and(|wanted| evaluated.mean >= wanted) {
            journal.ended = Some(Ending::Return);
        }
    }

    /// Episodes of the policy without noise.
    fn evaluation(&self) -> Result<Evaluation, TrainError> {
        let Setup { task, environment, .. } = &self.setup;
        let actor = self.learner.actor();
        let (episodes, seed) = (task.evaluate.episodes, derived_seed(task.seed, &[EVALUATION]));
        let run = || {
            #[cfg(feature = "f32")]
            if task.precision == crate::Numbers::F32 {
                return Evaluation::run::<f32>(actor, environment, episodes, seed);
            }
            Evaluation::run::<f64>(actor, environment, episodes, seed)
        };
        match &self.pool {
            Some(pool) => pool.install(run),
            None => run(),
        }
    }

    /// Writes everything that [`resume`](Run::resume) needs.
    pub fn write_checkpoint(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut arrays = self.learner.snapshot();
        if let Some(best) = &self.best {
            put_actor(&mut arrays, "best", best);
        }
        for (k, age) in self.ages.iter().enumerate() {
            put_actor(&mut arrays, &format!("age{k}"), &age.actor);
        }
        let ages = self.ages.iter().map(|age| age.point).collect();
        let journal = Journal { ages, ..self.journal.clone() };
        checkpoint::write(to, &journal, &arrays)
    }

    /// The policy with the best evaluation; none before the first.
    pub fn best(&self) -> Option<PolicyFile> {
        let (point, _) = self.journal.best()?;
        Some(self.file(self.best.clone()?, point))
    }

    /// The policy as it is now.
    pub fn last(&self) -> PolicyFile {
        let last = self.journal.points.last();
        let is_last = |point: &&Point| point.samples == self.journal.now.samples;
        let point = last.filter(is_last).unwrap_or(&self.journal.now);
        self.file(self.learner.actor().clone(), point)
    }

    fn file(&self, actor: Actor, point: &Point) -> PolicyFile {
        let Setup { task, environment, .. } = &self.setup;
        let training = Training {
            method: task.method.name().to_owned(),
            seed: self.journal.seed,
            samples: point.samples,
            gradient_samples: point.gradient_samples,
            seconds: point.seconds,
            mean_return: point.evaluated.map(|evaluated| evaluated.mean),
            task: self.journal.task.clone(),
            program: format!("gradbody {}", env!("CARGO_PKG_VERSION")),
        };
        let about =
            About { set: task.set.clone(), training: Some(training), ..About::of(environment) };
        PolicyFile { actor, about }
    }
}

/// The algorithm of a task; an error is at the option that it is about.
fn begin(setup: &Setup) -> Result<Box<dyn Learner>, ExperimentError> {
    let method = setup.task.method.name();
    crate::learner(setup).map_err(|error| match &error {
        TrainError::Option { option, .. } => {
            ExperimentError::wrong(format!("{method}.{option}"), error.to_string())
        }
        _ => ExperimentError::wrong("method", error.to_string()),
    })
}

/// A checkpoint, which must be of this task.
fn opened(text: &str, bytes: &[u8]) -> Result<(Journal, Snapshot), ExperimentError> {
    let wrong = |why: String| ExperimentError::wrong("resume", why);
    let (journal, arrays) = checkpoint::read(bytes).map_err(wrong)?;
    let learnt = |text: &str| Some(Task::from_toml(text, "").ok()?.what_is_learnt());
    let is_same = journal.task == text
        || learnt(&journal.task).is_some_and(|task| Some(task) == learnt(text));
    if !is_same {
        return Err(wrong("the task has changed since this training began".into()));
    }
    Ok((journal, arrays))
}

fn put_actor(to: &mut Snapshot, prefix: &str, actor: &Actor) {
    let mut own = Snapshot::default();
    actor.save(&mut own);
    for (name, array) in own.arrays() {
        to.insert(format!("run/{prefix}/{name}"), array.clone());
    }
}

fn take_actor(from: &Snapshot, prefix: &str, like: &Actor) -> Result<Actor, SnapshotError> {
    let prefix = format!("run/{prefix}/");
    let mut own = Snapshot::default();
    for (name, array) in from.arrays() {
        if let Some(name) = name.strip_prefix(&prefix) {
            own.insert(name.to_owned(), array.clone());
        }
    }
    let mut actor = like.clone();
    actor.restore(&own)?;
    Ok(actor)
}
