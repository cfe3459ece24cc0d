//! Derivatives as matrices: against dual numbers, and against forward dynamics.

use gradbody_dynamics::{
    AbaWork, Addend, Chains, Kinematics, MassColumns, RneaAt, RneaJacobianWork, RneaWork,
    SpatialAxes, TreeMotion, aba_with_added_inertia, integrate, into_factors, mass_columns,
    out_of_factors, rnea, rnea_jacobian, spatial_axes, tree_motion,
};
use gradbody_math::{Dual, Force};
use gradbody_model::Model;

use crate::trees::{Random, random_tree};

type D = Dual<f64, 1>;

struct Case {
    model: Model<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    qdd: Vec<f64>,
}

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let model = random_tree(&mut random, false);
    let mut q = model.neutral();
    integrate(&model, &mut q, &random.numbers(model.nv()));
    let (v, qdd) = (random.numbers(model.nv()), random.numbers(model.nv()));
    Case { model, q, v, qdd }
}

/// Row by row: the derivatives by q, then by v.
fn by_duals(case: &Case) -> Vec<f64> {
    let Case { model, q, v, qdd } = case;
    let nv = model.nv();
    let dual: Model<D> =
        Model { topology: model.topology.clone(), params: model.params.map(D::constant) };
    let mut matrix = vec![0.0; nv * 2 * nv];
    for column in 0..2 * nv {
        let unit = |k: usize| Dual { re: 0.0, eps: [if k == column { 1.0 } else { 0.0 }] };
        let mut qd: Vec<D> = q.iter().copied().map(D::constant).collect();
        let dq: Vec<D> = (0..nv).map(unit).collect();
        integrate(&dual, &mut qd, &dq);
        let vd: Vec<D> = (0..nv).map(|k| Dual { re: v[k], eps: unit(nv + k).eps }).collect();
        let ad: Vec<D> = qdd.iter().copied().map(D::constant).collect();
        let mut work = RneaWork::new(&dual);
        rnea(&dual, &Kinematics::at(&dual, &qd, &vd), &ad, &[], &mut work);
        for k in 0..nv {
            matrix[k * 2 * nv + column] = work.tau[k].eps[0];
        }
    }
    matrix
}

fn set_up(case: &Case) -> (Kinematics<f64>, Chains, SpatialAxes, TreeMotion) {
    let Case { model, q, v, .. } = case;
    let kin = Kinematics::at(model, q, v);
    let chains = Chains::new(model);
    let (mut axes, mut motion) = (SpatialAxes::new(model), TreeMotion::new(model));
    spatial_axes(model, &kin, &mut axes);
    tree_motion(model, &chains, &axes, v, &mut motion);
    (kin, chains, axes, motion)
}

#[test]
fn the_jacobian_of_inverse_dynamics_is_that_of_dual_numbers() {
    for seed in 0..12 {
        let case = case(seed);
        let nv = case.model.nv();
        let (kin, chains, axes, motion) = set_up(&case);
        let mut numbers = vec![0.0; nv * 2 * nv];
        let at = RneaAt {
            model: &case.model,
            chains: &chains,
            kin: &kin,
            axes: &axes,
            v: &case.v,
            motion: &motion,
        };
        let mut work = RneaJacobianWork::new(&case.model, &chains);
        let mut out = Addend { numbers: &mut numbers, stride: 2 * nv, factor: 1.0 };
        rnea_jacobian(&at, &case.qdd, &[], &mut work, &mut out);
        let expected = by_duals(&case);
        let size = expected.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        for (k, (found, expected)) in numbers.iter().zip(&expected).enumerate() {
            let (row, column) = (k / (2 * nv), k % (2 * nv));
            assert!(
                (found - expected).abs() < 1e-12 * size,
                "seed {seed}: row {row}, column {column} of {nv}: {found} and {expected}"
            );
        }
    }
}

#[test]
fn columns_solved_with_the_factors_are_the_accelerations_of_unit_forces() {
    for seed in 0..12 {
        let Case { model, q, v, .. } = &case(seed);
        let nv = model.nv();
        let (kin, chains, axes, _) = set_up(&case(seed));
        let added: Vec<f64> = (0..nv).map(|k| 0.1 * k as f64).collect();
        let mut work = AbaWork::new(model);
        let external: Vec<Force<f64>> = Vec::new();
        let mut accelerations = |tau: &[f64]| {
            aba_with_added_inertia(model, &kin, tau, &external, &added, &mut work);
            work.qdd.clone()
        };
        let still = accelerations(&vec![0.0; nv]);
        let mut expected = vec![0.0; nv * nv];
        for column in 0..nv {
            let mut tau = vec![0.0; nv];
            tau[column] = 1.0;
            for (k, a) in accelerations(&tau).iter().enumerate() {
                expected[k * nv + column] = a - still[k];
            }
        }
        let mut mass = MassColumns::new(model);
        mass_columns(model, &chains, &axes, &kin, &work, &mut mass);
        let stride = nv.next_multiple_of(8);
        let mut found = vec![0.0; nv * stride];
        (0..nv).for_each(|k| found[k * stride + k] = 1.0);
        into_factors(&chains, &mass, &mut found, stride);
        out_of_factors(&chains, &mass, &mut found, stride);
        let size = expected.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let rows = found.chunks(stride).flat_map(|row| &row[..nv]);
        for (found, expected) in rows.zip(&expected) {
            assert!((found - expected).abs() < 1e-10 * size, "seed {seed}: {found}, {expected}");
        }
        assert_eq!((q.len(), v.len()), (model.nq(), nv));
    }
}
