//! Experiments that are fits of published data: each a folder in `experiments/` with a model and an experiment file.

use gradbody::learn::Experiment;

/// A fit of published data.
pub(super) struct Published {
    /// Its name, that of its folder in `experiments/`.
    pub(super) name: &'static str,
    pub(super) experiment: &'static str,
    pub(super) model: &'static str,
    /// What a quick look leaves out.
    pub(super) quick: fn(&mut Experiment),
}

/// A filmed double pendulum.
pub(super) const REAL_DOUBLE_PENDULUM: Published = Published {
    name: "real-double-pendulum",
    experiment: include_str!("../real-double-pendulum/experiment.toml"),
    model: include_str!("../real-double-pendulum/pendulum.urdf"),
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
    experiment: include_str!("../multiarm-double-pendulum/experiment.toml"),
    model: include_str!("../multiarm-double-pendulum/pendulum.urdf"),
    quick: |experiment| experiment.objective.windows = Some(10),
};
