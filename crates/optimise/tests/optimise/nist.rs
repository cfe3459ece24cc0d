//! Nonlinear regressions with certified results: the Statistical Reference Datasets of NIST.

use crate::problems::{Squares, run};
use gradbody_optimise::{LevenbergMarquardt, Method, Objective};

/// A model gives the value at t and its derivative with respect to each parameter.
struct Regression {
    name: &'static str,
    model: fn(&[f64], f64) -> (f64, Vec<f64>),
    t: &'static [f64],
    y: &'static [f64],
    starts: [&'static [f64]; 2],
    certified: &'static [f64],
    deviations: &'static [f64],
    sum_of_squares: f64,
}

fn regressions() -> [Regression; 3] {
    [
        Regression {
            name: "Misra1a",
            model: |b, t| {
                let e = (-b[1] * t).exp();
                (b[0] * (1.0 - e), vec![1.0 - e, b[0] * t * e])
            },
            t: &[
                77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1,
                689.1, 760.0,
            ],
            y: &[
                10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40,
                75.47, 81.78,
            ],
            starts: [&[500.0, 1e-4], &[250.0, 5e-4]],
            certified: &[2.3894212918E+02, 5.5015643181E-04],
            deviations: &[2.7070075241E+00, 7.2668688436E-06],
            sum_of_squares: 1.2455138894E-01,
        },
        Regression {
            name: "Thurber",
            model: |b, t| {
                let above = b[0] + t * (b[1] + t * (b[2] + t * b[3]));
                let below = 1.0 + t * (b[4] + t * (b[5] + t * b[6]));
                let (up, down) = (1.0 / below, -above / (below * below));
                let (t2, t3) = (t * t, t * t * t);
                (above / below, vec![up, t * up, t2 * up, t3 * up, t * down, t2 * down, t3 * down])
            },
            t: &[
                -3.067, -2.981, -2.921, -2.912, -2.840, -2.797, -2.702, -2.699, -2.633, -2.481,
                -2.363, -2.322, -1.501, -1.460, -1.274, -1.212, -1.100, -1.046, -0.915, -0.714,
                -0.566, -0.545, -0.400, -0.309, -0.109, -0.103, 0.010, 0.119, 0.377, 0.790, 0.963,
                1.006, 1.115, 1.572, 1.841, 2.047, 2.200,
            ],
            y: &[
                80.574, 84.248, 87.264, 87.195, 89.076, 89.608, 89.868, 90.101, 92.405, 95.854,
                100.696, 101.060, 401.672, 390.724, 567.534, 635.316, 733.054, 759.087, 894.206,
                990.785, 1090.109, 1080.914, 1122.643, 1178.351, 1260.531, 1273.514, 1288.339,
                1327.543, 1353.863, 1414.509, 1425.208, 1421.384, 1442.962, 1464.350, 1468.705,
                1447.894, 1457.628,
            ],
            starts: [
                &[1000.0, 1000.0, 400.0, 40.0, 0.7, 0.3, 0.03],
                &[1300.0, 1500.0, 500.0, 75.0, 1.0, 0.4, 0.05],
            ],
            certified: &[
                1.2881396800E+03,
                1.4910792535E+03,
                5.8323836877E+02,
                7.5416644291E+01,
                9.6629502864E-01,
                3.9797285797E-01,
                4.9727297349E-02,
            ],
            deviations: &[
                4.6647963344E+00,
                3.9571156086E+01,
                2.8698696102E+01,
                5.5675370270E+00,
                3.1333340687E-02,
                1.4984928198E-02,
                6.5842344623E-03,
            ],
            sum_of_squares: 5.6427082397E+03,
        },
        Regression {
            name: "MGH09",
            model: |b, t| {
                let (above, below) = (t * t + t * b[1], t * t + t * b[2] + b[3]);
                let down = -b[0] * above / (below * below);
                (b[0] * above / below, vec![above / below, b[0] * t / below, t * down, down])
            },
            t: &[4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625],
            y: &[
                0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235,
                0.0246,
            ],
            starts: [&[25.0, 39.0, 41.5, 39.0], &[0.25, 0.39, 0.415, 0.39]],
            certified: &[1.9280693458E-01, 1.9128232873E-01, 1.2305650693E-01, 1.3606233068E-01],
            deviations: &[1.1435312227E-02, 1.9633220911E-01, 8.0842031232E-02, 9.0025542308E-02],
            sum_of_squares: 3.0750560385E-04,
        },
    ]
}

#[test]
fn levenberg_marquardt_gives_the_certified_parameters_and_deviations() {
    for regression in regressions() {
        let Regression { name, model, t, y, certified, .. } = regression;
        let n = certified.len();
        let residuals = |b: &[f64]| {
            let (values, rows): (Vec<f64>, Vec<Vec<f64>>) = t.iter().map(|t| model(b, *t)).unzip();
            (values.iter().zip(y).map(|(value, y)| value - y).collect(), rows)
        };
        let objective = Squares { n, residuals, bounds: vec![] };
        for start in regression.starts {
            let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
            let (search, stop) = run(&method, &objective, start, 2000);
            let (b, cost) = search.best();
            for (found, certified) in b.iter().zip(certified) {
                let error = (found / certified - 1.0).abs();
                assert!(error < 2e-7, "{name} from {start:?}: {found} for {certified}, {stop:?}");
            }
            let error = (2.0 * cost / regression.sum_of_squares - 1.0).abs();
            assert!(error < 1e-9, "{name}: sum of squares {}", 2.0 * cost);
            // The certified standard deviations, by the inverse of JᵀJ.
            let variance = 2.0 * cost / (t.len() - n) as f64;
            let covariance = objective.quadratic(b).unwrap().hessian.global_covariance().unwrap();
            for (i, certified) in regression.deviations.iter().enumerate() {
                let found = (variance * covariance[(i, i)]).sqrt();
                assert!(
                    (found / certified - 1.0).abs() < 1e-6,
                    "{name}: deviation {found}, {certified}"
                );
            }
        }
    }
}
