//! The promises of the heads, and their gradients.

mod support;

use gradbody_math::{Dual, Lanes, Scalar};
use gradbody_neural::{
    Activation, Conservative, ConservativeWork, Damping, Dissipative, HeadError, Layer, Network,
    NetworkTrace,
};
use support::{Random, constants, size};

const DAMPINGS: [Damping; 3] = [Damping::Isotropic, Damping::Diagonal, Damping::Full];

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn a_dissipative_force_never_adds_energy() {
    let mut random = Random::new(1);
    let mut lost = 0.0;
    for draw in 0..10_000 {
        let n = 1 + draw % 7;
        let head = Dissipative::new(n, DAMPINGS[draw % 3]);
        let network = Network::perceptron(&[n, 6, head.n_outputs()], Activation::Tanh).unwrap();
        head.check(&network).unwrap();
        let spread = 10.0_f64.powf(random.number(2.0));
        let weights = random.numbers(network.n_weights(), spread);
        let speed = 10.0_f64.powf(random.number(3.0));
        let vel = random.numbers(n, speed);
        let mut trace = NetworkTrace::new(&network);
        network.forward(&weights, &vel, &[], &mut trace);
        let mut force = vec![f64::NAN; n];
        head.force(trace.outputs(), &vel, &mut force);
        let power = dot(&force, &vel);
        let scale: f64 = force.iter().zip(&vel).map(|(f, v)| (f * v).abs()).sum();
        assert!(power <= 1e-12 * scale, "draw {draw}: power {power:e}");
        lost += scale;
    }
    assert!(lost > 0.0);
}

#[test]
fn damping_is_symmetric_and_zero_for_zero() {
    let mut random = Random::new(8);
    for damping in DAMPINGS {
        let head = Dissipative::new(4, damping);
        let l = random.numbers(head.n_outputs(), 1.0);
        let (u, v) = (random.numbers(4, 1.0), random.numbers(4, 1.0));
        let (mut by_u, mut by_v) = (vec![0.0; 4], vec![0.0; 4]);
        head.force(&l, &u, &mut by_u);
        head.force(&l, &v, &mut by_v);
        assert!((dot(&by_u, &v) - dot(&by_v, &u)).abs() < 1e-14);
        head.force(&vec![0.0; l.len()], &u, &mut by_u);
        assert!(by_u.iter().all(|f| f.to_bits() == 0), "{damping:?}: {by_u:?}");
    }
    // L = [2 0; 3 5]: D = [4 6; 6 34].
    let mut force = [0.0; 2];
    Dissipative::new(2, Damping::Full).force(&[2.0, 3.0, 5.0], &[1.0, 10.0], &mut force);
    assert_eq!(force, [-64.0, -346.0]);
}

#[test]
fn gradients_of_a_dissipative_force_agree_with_dual_numbers() {
    let mut random = Random::new(2);
    for damping in DAMPINGS {
        for n in 1..6 {
            let head = Dissipative::new(n, damping);
            let n_l = head.n_outputs();
            let l = random.numbers(n_l, 1.0);
            let (vel, bar) = (random.numbers(n, 1.0), random.numbers(n, 1.0));
            let mut bars = vec![1.0; n_l + n];
            let (l_bar, vel_bar) = bars.split_at_mut(n_l);
            head.force_vjp(&l, &vel, &bar, l_bar, vel_bar);
            for i in 0..n_l + n {
                let mut duals: Vec<Dual<f64, 1>> = constants(&[&l[..], &vel].concat());
                duals[i].eps[0] = 1.0;
                let mut force = constants(&vec![0.0; n]);
                head.force(&duals[..n_l], &duals[n_l..], &mut force);
                let expected: f64 = force.iter().zip(&bar).map(|(f, b)| f.eps[0] * b).sum();
                assert!((bars[i] - 1.0 - expected).abs() < 1e-13, "{damping:?}, n {n}: {i}");
            }
        }
    }
}

/// Potentials of each activation that is allowed.
fn potentials() -> Vec<Conservative> {
    let smooth = Activation::ALL.into_iter().filter(|a| a.has_continuous_slope());
    let network = |activation| {
        let residual = Layer::Dense { outputs: 3, activation, bias: true, residual: true };
        let layers = vec![
            residual,
            Layer::dense(8, activation),
            Layer::dense(6, activation),
            Layer::dense(1, Activation::Identity),
        ];
        Network::new(3, true, layers).unwrap()
    };
    smooth.map(|activation| Conservative::new(network(activation)).unwrap()).collect()
}

#[test]
fn a_conservative_force_has_a_symmetric_jacobian() {
    type D = Dual<f64, 3>;
    let mut random = Random::new(3);
    for head in potentials() {
        let mut work = ConservativeWork::<D>::new(&head);
        let mut curvature = 0.0_f64;
        for draw in 0..1200 {
            let weights: Vec<D> = constants(&random.numbers(head.network().n_weights(), 1.0));
            let q: Vec<D> = (0..3).map(|i| D::variable(random.number(2.0), i)).collect();
            let mut force = vec![D::ZERO; 3];
            head.force(&weights, &q, &mut work, &mut force);
            let most = force.iter().map(|f| size(&f.eps)).fold(0.0, f64::max);
            curvature = curvature.max(most);
            // Where the potential is nearly linear its curvature is rounding.
            let scale = most.max(1e-3);
            for i in 0..3 {
                for j in 0..i {
                    let gap = (force[i].eps[j] - force[j].eps[i]).abs();
                    assert!(gap <= 1e-12 * scale, "draw {draw}: {gap:e} of {most:e}");
                }
            }
        }
        let linear = Layer::dense(8, Activation::Identity);
        assert!(curvature > 0.1 || head.network().layers()[1] == linear, "nothing to compare");
    }
}

#[test]
fn a_conservative_force_does_no_work_around_a_loop() {
    let mut random = Random::new(4);
    for head in potentials() {
        let weights = random.numbers(head.network().n_weights(), 1.0);
        let mut work = ConservativeWork::new(&head);
        let mut force = [0.0; 3];
        let (mut total, mut along) = (0.0, 0.0_f64);
        // The midpoint rule on a circle converges faster than any power of the number of points.
        const POINTS: usize = 400;
        for i in 0..POINTS {
            let (sin, cos) = (core::f64::consts::TAU * i as f64 / POINTS as f64).sin_cos();
            head.force(&weights, &[0.8 * cos, 0.8 * sin, 0.3 * sin], &mut work, &mut force);
            let power = -0.8 * sin * force[0] + 0.8 * cos * force[1] + 0.3 * cos * force[2];
            total += power;
            along += power.abs();
        }
        // Elu and softsign bend suddenly, where the rule is less exact.
        let Layer::Dense { activation, .. } = head.network().layers()[0] else { unreachable!() };
        let bends = matches!(activation, Activation::Elu | Activation::Softsign);
        let tolerance = if bends { 2e-4 } else { 1e-9 };
        assert!(along > 0.1, "{activation:?}: nothing to compare");
        assert!(total.abs() <= tolerance * along, "{activation:?}: {total:e} of {along:e}");
    }
}

#[test]
fn a_conservative_force_is_the_slope_of_its_potential() {
    const STEP: f64 = 1e-5;
    let mut random = Random::new(5);
    for head in potentials() {
        let mut work = ConservativeWork::new(&head);
        for _ in 0..20 {
            let weights = random.numbers(head.network().n_weights(), 1.0);
            let mut q = random.numbers(3, 2.0);
            let mut force = [0.0; 3];
            let potential = head.force(&weights, &q, &mut work, &mut force);
            assert_eq!(potential, head.potential(&weights, &q, &mut work));
            for i in 0..3 {
                let at = q[i];
                q[i] = at + STEP;
                let above = head.potential(&weights, &q, &mut work);
                q[i] = at - STEP;
                let below = head.potential(&weights, &q, &mut work);
                q[i] = at;
                let error = (force[i] + (above - below) / (2.0 * STEP)).abs();
                assert!(error <= 1e-7 * (1.0 + size(&force)), "off by {error:e}");
            }
        }
    }
}

#[test]
fn gradients_of_a_conservative_force_agree_with_dual_numbers() {
    type D = Dual<f64, 1>;
    let mut random = Random::new(6);
    for head in potentials() {
        let n_weights = head.network().n_weights();
        let weights = random.numbers(n_weights, 1.0);
        let (q, force_bar) = (random.numbers(3, 1.0), random.numbers(3, 1.0));
        let (mut q_bar, mut weights_bar) = (vec![1.0; 3], vec![1.0; n_weights]);
        let mut work = ConservativeWork::new(&head);
        head.force_vjp(&weights, &q, &force_bar, &mut work, &mut q_bar, &mut weights_bar);
        let bars = [weights_bar, q_bar].concat();
        let mut dual_work = ConservativeWork::<D>::new(&head);
        let mut duals: Vec<D> = constants(&[weights, q].concat());
        for i in 0..duals.len() {
            duals[i].eps[0] = 1.0;
            let mut force = [D::ZERO; 3];
            head.force(&duals[..n_weights], &duals[n_weights..], &mut dual_work, &mut force);
            duals[i].eps[0] = 0.0;
            let expected: f64 = force.iter().zip(&force_bar).map(|(f, b)| f.eps[0] * b).sum();
            let error = (bars[i] - 1.0 - expected).abs();
            assert!(error <= 1e-12 * (1.0 + size(&bars)), "{i} off by {error:e}");
        }
    }
}

#[test]
fn heads_run_on_lanes_with_the_same_bits() {
    type L = Lanes<f64, 8>;
    let mut random = Random::new(7);
    for head in potentials() {
        let weights = random.numbers(head.network().n_weights(), 1.0);
        let worlds: Vec<Vec<f64>> = (0..8).map(|_| random.numbers(3, 1.0)).collect();
        let wide: Vec<L> = (0..3).map(|i| L::from_lanes(|world| worlds[world][i])).collect();
        let wide_weights: Vec<L> = constants(&weights);
        let (mut q_bar, mut weights_bar) = ([L::ZERO; 3], vec![L::ZERO; weights.len()]);
        let mut work = ConservativeWork::new(&head);
        head.force_vjp(&wide_weights, &wide, &wide, &mut work, &mut q_bar, &mut weights_bar);
        let mut alone_work = ConservativeWork::new(&head);
        for (world, q) in worlds.iter().enumerate() {
            let (mut alone, mut alone_weights) = ([0.0; 3], vec![0.0; weights.len()]);
            head.force_vjp(&weights, q, q, &mut alone_work, &mut alone, &mut alone_weights);
            for (wide, alone) in q_bar.iter().zip(&alone) {
                assert_eq!(wide.lane(world).to_bits(), alone.to_bits());
            }
            for (wide, alone) in weights_bar.iter().zip(&alone_weights) {
                assert_eq!(wide.lane(world).to_bits(), alone.to_bits());
            }
        }
    }
}

#[test]
fn networks_that_cannot_keep_the_promise_are_refused() {
    let perceptron = |sizes: &[usize], activation| Network::perceptron(sizes, activation).unwrap();
    let rough = Conservative::new(perceptron(&[2, 3, 1], Activation::Relu)).unwrap_err();
    assert_eq!(rough, HeadError::Rough { layer: 0, activation: Activation::Relu });
    assert!(rough.to_string().contains("Softplus"), "{rough}");
    let two = Conservative::new(perceptron(&[2, 3, 2], Activation::Tanh)).unwrap_err();
    assert_eq!(two.to_string(), "a potential needs a network with 1 outputs, this one has 2");
    let gru = Network::new(2, false, vec![Layer::Gru { hidden: 1 }]).unwrap();
    assert_eq!(Conservative::new(gru), Err(HeadError::Memory));
    let head = Dissipative::new(3, Damping::Full);
    let error = head.check(&perceptron(&[2, 3], Activation::Tanh)).unwrap_err();
    assert_eq!(error, HeadError::Outputs { head: "a dissipative force", expected: 6, found: 3 });
}
