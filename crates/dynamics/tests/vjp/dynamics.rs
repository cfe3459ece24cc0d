//! Inverse dynamics, the mass matrix, and the response to impulses.

use gradbody_dynamics::{
    AbaWork, CrbaVjpWork, CrbaWork, DynamicsCotangents, Kinematics, KinematicsCotangents,
    MassMatrix, MassProductWork, Response, RneaCotangents, RneaVjpWork, RneaWork, aba, crba,
    crba_vjp, impulse_response, mass_product_vjp, rnea, rnea_vjp, velocity_change,
};
use gradbody_math::{Motion, Scalar};
use gradbody_model::Model;

use crate::check::{FIRST, check, pair};
use crate::kinematics::Poses;
use crate::stage::{Cotangents, Inputs, Stage, forces, through_kinematics};
use crate::trees::{Random, random_inputs};

/// Extra: qdd, then external forces.
pub(crate) struct InverseDynamics;

impl Stage for InverseDynamics {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv() + 6 * model.n_links()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let (qdd, external) = x.extra.split_at(x.v.len());
        let mut work = RneaWork::new(&x.model);
        rnea(&x.model, &kin, qdd, &forces(external), &mut work);
        work.tau
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let (qdd, external) = x.extra.split_at(x.v.len());
            let (qdd_bar, external_bar) = out.extra.split_at_mut(x.v.len());
            let mut work = RneaVjpWork::new(&x.model);
            let bar = RneaCotangents {
                tau: y_bar,
                qdd: Some(qdd_bar),
                dynamics: DynamicsCotangents { kin: bar, params: &mut out.params },
            };
            rnea_vjp(&x.model, kin, qdd, &forces(external), &mut work, bar);
            for (i, external_bar) in external_bar.chunks_exact_mut(6).enumerate() {
                let Motion { ang, lin } = -work.motion_w(i);
                external_bar[..3].copy_from_slice(&ang.to_array());
                external_bar[3..].copy_from_slice(&lin.to_array());
            }
        })
    }
}

#[test]
fn inverse_dynamics_back() {
    check("rnea", &InverseDynamics);
}

pub(crate) struct MassEntries;

impl MassEntries {
    fn crba<S: Scalar>(&self, x: &Inputs<S>, kin: &Kinematics<S>) -> CrbaWork<S> {
        let mut work = CrbaWork::new(&x.model);
        crba(&x.model, kin, &mut work);
        work
    }
}

impl Stage for MassEntries {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let mass_matrix = self.crba(x, &kin).mass_matrix;
        let nv = x.v.len();
        (0..nv)
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .map(|(i, j)| mass_matrix.at(i, j))
            .collect()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let crba = self.crba(x, kin);
            let mut mass_matrix_bar = MassMatrix::new(&x.model);
            let mut y = y_bar.iter();
            for i in 0..x.v.len() {
                for j in 0..=i {
                    *mass_matrix_bar.at_mut(i, j) = *y.next().unwrap();
                }
            }
            let mut work = CrbaVjpWork::new(&x.model);
            // Twice, to see that nothing stays in the buffers.
            let mut dry = (KinematicsCotangents::new(&x.model), x.model.params.zeros_like());
            let (dry_bar, dry_params) = (&mut dry.0, &mut dry.1);
            crba_vjp(&x.model, kin, &crba, &mass_matrix_bar, &mut work, dry_bar, dry_params);
            crba_vjp(&x.model, kin, &crba, &mass_matrix_bar, &mut work, bar, &mut out.params);
        })
    }
}

/// xᵀ M y with constant x and y.
pub(crate) struct MassProduct;

impl MassProduct {
    fn vectors<S: Scalar>(&self, nv: usize) -> [Vec<S>; 2] {
        let mut random = Random::new(99);
        [0, 1].map(|_| random.numbers(nv).iter().map(|x| S::from_f64(*x)).collect())
    }
}

impl Stage for MassProduct {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let [a, b] = self.vectors(x.v.len());
        let mut product = b.clone();
        MassEntries.crba(x, &kin).mass_matrix.mul(&b, &mut product);
        vec![a.iter().zip(&product).fold(S::ZERO, |sum, (a, b)| a.mul_add(*b, sum))]
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let [a, b] = self.vectors(x.v.len());
            let a: Vec<S> = a.iter().map(|a: &S| *a * y_bar[0]).collect();
            let mut work = MassProductWork::new(&x.model);
            mass_product_vjp(&x.model, kin, &a, &b, &mut work, bar, &mut out.params);
        })
    }
}

#[test]
fn mass_matrix_back() {
    check("crba", &MassEntries);
    check("mass_product", &MassProduct);
}

/// x · F u = u · Fᵀ x, and F Fᵀ = M⁻¹.
#[test]
fn impulse_response_is_the_way_back() {
    let mut worst = 0.0_f64;
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let Inputs { model, q, v, .. } = random_inputs(&mut random, false, &Poses);
        let nv = model.nv();
        let kin = Kinematics::at(&model, &q, &v);
        let mut work = AbaWork::new(&model);
        aba(&model, &kin, &random.numbers(nv), &[], &mut work);
        let mut response = Response::new(&model);
        response.prepare(&work);
        let (x, u) = (random.numbers(nv), random.numbers(nv));
        let (before_v, before_u) = (random.numbers(nv), random.numbers(nv));
        let (mut fu, mut fx) = (before_v.clone(), before_u.clone());
        velocity_change(&model, &kin, &work, &mut response, &u, &mut fu);
        impulse_response(&model, &kin, &work, &mut response, &x, &mut fx);
        for k in 0..nv {
            fu[k] -= before_v[k];
            fx[k] -= before_u[k];
        }
        let (forward, size) = pair(x.iter().copied().zip(fu.iter().copied()));
        let (back, _) = pair(u.iter().copied().zip(fx.iter().copied()));
        let error = (forward - back).abs() / size;
        assert!(forward != 0.0 && error < FIRST, "seed {seed}: {forward:e}, {back:e}");
        worst = worst.max(error);

        let mut product = vec![0.0; nv];
        velocity_change(&model, &kin, &work, &mut response, &fx, &mut product);
        let mut mass = CrbaWork::new(&model);
        crba(&model, &kin, &mut mass);
        let mut again = vec![0.0; nv];
        mass.mass_matrix.mul(&product, &mut again);
        for k in 0..nv {
            let error = (again[k] - x[k]).abs();
            assert!(error < 1e-10, "seed {seed}: M F Fᵀ x is {}, x is {}", again[k], x[k]);
        }
    }
    println!("impulse_response: worst relative error {worst:.1e}");
}
