//! The model as measured, before and after a fit, as it is drawn.

use gradbody_draw::{POSE, add_pose, poses};
use gradbody_math::{Quat, Transform, Vec3};
use gradbody_model::{LinkId, Model};
use gradbody_sim::State;

use crate::experiment::{ExperimentError, Setup};
use crate::judge::{Predictor, Trials};
use crate::objective::{Recording, Sees, Sensor};
use crate::outcome::Figures;

/// A window as it is drawn: as measured, and as predicted by the model before the fit and by the fitted one, `after`. Of
/// both predictions there are the poses.
pub(crate) fn figures(
    setup: &Setup,
    after: &Predictor,
    trials: &Trials,
    window: usize,
    states_after: &[State<f64>],
    [before, after_poses]: [Vec<f32>; 2],
) -> Result<Figures, ExperimentError> {
    let of = &trials.windows[window];
    let recording = &trials.recordings[of.recording];
    let states = setup.measured_states(trials, window)?;
    let model = &setup.model;
    let mut measured = poses(model, states.iter().map(|state| state.q.as_slice()));
    let whole: Vec<Option<WholePose>> =
        model.topology.link_ids().map(|link| WholePose::of(model, &setup.sensors, link)).collect();
    let size = POSE * (whole.len() + 1);
    for (k, poses) in (of.first + trials.given..).zip(measured.chunks_mut(size)) {
        for (pose, seen) in poses[POSE..].chunks_mut(POSE).zip(&whole) {
            let Some(seen) = seen else { continue };
            let mut found = Vec::with_capacity(POSE);
            match seen.pose(recording, &setup.sensors, k) {
                Some(pose) => add_pose(&pose, &mut found),
                None => found.resize(POSE, 0.0),
            }
            pose.copy_from_slice(&found);
        }
    }
    let effects = setup.networks_at_work(after, trials, window, states_after);
    Ok(Figures { measured, before, after: after_poses, effects })
}

/// A body whose whole pose is measured.
struct WholePose {
    /// The sensors and columns of x, y, z and of the orientation.
    place: [(usize, usize); 3],
    turn: (usize, usize),
    /// The measured frame in the link's.
    pose_lf: Transform<f64>,
}

impl WholePose {
    /// None if a part of the pose is not measured.
    fn of(model: &Model<f64>, sensors: &[Sensor], link: LinkId) -> Option<Self> {
        let mut column = 0;
        let mut at = Vec::new();
        for (k, sensor) in sensors.iter().enumerate() {
            at.push((sensor.sees, (k, column)));
            column += sensor.columns();
        }
        let find = |sees: Sees| at.iter().find(|(of, _)| *of == sees).map(|(_, at)| *at);
        at.iter().find_map(|(sees, turn)| {
            let Sees::Orientation(frame) = *sees else { return None };
            if model.topology.frames[frame.index()].link != Some(link) {
                return None;
            }
            let axis = |axis: usize| find(Sees::Place(frame, axis));
            Some(WholePose {
                place: [axis(0)?, axis(1)?, axis(2)?],
                turn: *turn,
                pose_lf: model.params.frames[frame.index()],
            })
        })
    }

    /// The measured pose of the link at sample `k`. None if it was not measured then.
    fn pose(&self, recording: &Recording, sensors: &[Sensor], k: usize) -> Option<Transform<f64>> {
        let (measured, present) = recording.sample(k, sensors);
        if self.place.iter().chain([&self.turn]).any(|(sensor, _)| present[*sensor] <= 0.0) {
            return None;
        }
        let [x, y, z] = self.place.map(|(_, column)| measured[column]);
        let turn = Quat::from_slice(&measured[self.turn.1..self.turn.1 + 4]);
        Some(Transform::from_quat(turn, Vec3::new(x, y, z)) * self.pose_lf.inverse())
    }
}

#[cfg(test)]
mod tests {
    use gradbody_math::{Inertia, Sym3};
    use gradbody_model::{FrameId, JointSpec, Material, ModelBuilder, ShapeKind, ShapeParams};

    use super::*;
    use crate::objective::NoiseLaw;

    /// A free body with a box, on a level ground.
    fn tossed() -> Model<f64> {
        let mut builder = ModelBuilder::new("body");
        let rotational = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04));
        let inertia = Inertia { mass: 1.5, com: Vec3::ZERO, rotational };
        let body = builder.link("body", FrameId::WORLD, JointSpec::free("root"), inertia).unwrap();
        let shape = surface(Vec3::new(0.1, 0.1, 0.1));
        builder.shape("crate", body, ShapeKind::Box, shape).unwrap();
        let mut model = builder.build().unwrap();
        model.add_ground(-0.25, Material::with_friction(0.5)).unwrap();
        model
    }

    fn surface(size: Vec3<f64>) -> ShapeParams<f64> {
        ShapeParams { placement: Transform::IDENTITY, size, material: Material::DEFAULT }
    }

    /// What was measured is drawn where it was measured, and not where nothing was.
    #[test]
    fn a_pose_that_is_measured_is_not_estimated() {
        let model = tossed();
        let frame = model.topology.frame("body").unwrap();
        let link = model.topology.frames[frame.index()].link.unwrap();
        let sensor = |sees: Sees| Sensor {
            name: String::new(),
            sees,
            noise: 0.01,
            estimated: false,
            law: NoiseLaw::Gaussian,
        };
        let place = |axis: usize| sensor(Sees::Place(frame, axis));
        let sensors = vec![place(1), place(0), sensor(Sees::Orientation(frame)), place(2)];
        let turn = Quat::exp(Vec3::new(0.3, 0.2, -0.5)).to_array();
        let recording = Recording {
            name: "toss".into(),
            begin: 0.0,
            measured: [&[2.0, 1.0][..], &turn, &[3.0]].concat().repeat(2),
            present: vec![1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0],
            inputs: vec![],
            samples: 2,
        };
        let seen = WholePose::of(&model, &sensors, link).unwrap();
        let mut pose = Vec::new();
        add_pose(&seen.pose(&recording, &sensors, 0).unwrap(), &mut pose);
        for (found, wanted) in pose.iter().zip([1.0, 2.0, 3.0].iter().chain(&turn)) {
            assert!((f64::from(*found) - wanted).abs() < 1e-6, "{pose:?}");
        }
        assert!(seen.pose(&recording, &sensors, 1).is_none(), "x is missing there");
        assert!(WholePose::of(&model, &sensors[..3], link).is_none(), "z is not measured");
    }
}
