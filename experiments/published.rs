//! Fits of published data. Each has a folder in `experiments/` with a model and an experiment file.

use gradbody::learn::Experiment;

/// A fit of published data.
pub(super) struct Published {
    /// The name that `cargo reproduce` knows; its folder has underscores.
    pub(super) name: &'static str,
    pub(super) experiment: &'static str,
    pub(super) model: &'static str,
    /// Shortens the experiment for a quick run.
    pub(super) quick: fn(&mut Experiment),
}

/// A filmed double pendulum.
pub(super) const REAL_DOUBLE_PENDULUM: Published = Published {
    name: "real-double-pendulum",
    experiment: include_str!("real_double_pendulum/experiment.toml"),
    model: include_str!("real_double_pendulum/pendulum.urdf"),
    quick: |experiment| {
        experiment.objective.windows = Some(60);
        experiment.training.limits.iterations = Some(3);
        for baseline in &mut experiment.prediction.baselines {
            baseline.seconds = Some(3.0);
        }
    },
};

/// A double pendulum with encoders.
pub(super) const MULTIARM_DOUBLE_PENDULUM: Published = Published {
    name: "multiarm-double-pendulum",
    experiment: include_str!("multiarm_double_pendulum/experiment.toml"),
    model: include_str!("multiarm_double_pendulum/pendulum.urdf"),
    quick: |experiment| experiment.objective.windows = Some(10),
};
