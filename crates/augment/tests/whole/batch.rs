//! A batch of worlds with networks inside: each world as it is alone.

use std::sync::Arc;

use crate::support::{Random, STEPS, Scene, augmented};
use gradbody_augment::{Blueprint, Bound, bind};
use gradbody_contact::{Ncp, Solver};
use gradbody_math::Scalar;
use gradbody_model::Model;
use gradbody_sim::{
    BatchLoss, Constant, Ensemble, GradientOptions, Integrator, LinearState, Mean, Rollout,
    RolloutTrace, State, World, rollout_vjp,
};

/// The mean of all positions.
struct MeanOfPositions;

impl BatchLoss for MeanOfPositions {
    type Loss<S: Scalar> = Mean<LinearState<S>>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, _: &[usize]) -> Self::Loss<S> {
        Mean(LinearState::mean_of_q(model))
    }
}

#[test]
fn worlds_of_a_batch_have_the_gradients_that_they_have_alone() {
    let scene = Scene::new("ncp", Solver::Ncp(Ncp::default()), Integrator::ImplicitDamping);
    let mut blueprint: Blueprint = augmented("contact/*/friction_coefficient", &[]);
    let torque = augmented("joint/arm/passive_torque", &["joint/arm/position"]);
    blueprint.augmentations.extend(torque.augmentations);
    blueprint.augmentations[1].name = "torque".into();
    blueprint.augmentations[1].network.recurrent = 3;
    let plan = Arc::new(bind(&blueprint, &scene.model, &scene.options.contact).unwrap());
    let mut random = Random(5);
    let mut bound = Bound::new(plan.clone(), random.many(plan.n_weights())).unwrap();
    let starts: Vec<State<f64>> = (0..11)
        .map(|_| {
            let mut start = scene.start.clone();
            bound.begin(&mut start);
            start.v.iter_mut().for_each(|v| *v += 0.1 * random.next());
            start
        })
        .collect();
    let inputs = vec![scene.input.clone(); STEPS];
    let worlds: Vec<World<'_>> =
        starts.iter().map(|start| World { model: &scene.model, start, inputs: &inputs }).collect();
    let batch = Ensemble::new(STEPS, scene.options).with_threads(2).unwrap();
    let found = batch.gradients_with::<f64>(&worlds, &MeanOfPositions, &bound).unwrap();
    let ends = batch.run_with::<f64>(&worlds, &MeanOfPositions, &bound).unwrap();
    let (model, options) = (&scene.model, &scene.options);
    for ((start, found), end) in starts.iter().zip(found).zip(ends) {
        let alone = rollout_vjp(
            &Rollout { model, start, steps: STEPS, options },
            &mut Constant::new(model, scene.input.clone()),
            &mut Mean(LinearState::mean_of_q(model)),
            &mut bound,
            &GradientOptions::default(),
            &mut RolloutTrace::new(model),
        );
        let (alone, found) = (alone.checked().unwrap(), found.unwrap());
        assert_eq!(found.cost, alone.cost);
        // Summed the other way round.
        assert!((end.unwrap().cost - alone.cost).abs() < 1e-15);
        assert_eq!(found.start.v, alone.start.v);
        assert_eq!(found.start.memory, alone.start.memory);
        assert_eq!(found.weights, bound.weights_bar);
        assert!(found.weights.iter().filter(|bar| **bar != 0.0).count() > plan.n_weights() / 2);
    }
}
