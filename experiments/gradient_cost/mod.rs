//! The time of a gradient (NeuralSim, figure 5): three published workloads, each differentiated in every available way.
//!
//! Each time is shown beside that of the Tiny Differentiable Simulator: its own code, built by g++ 12 -O3
//! -march=native, the shortest thread time on another machine.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use gradbody::math::Dual;
use gradbody::sim::{Kernel, Simulated, run_widest};
use serde_json::{Value, json};

use super::{Findings, Prepared};
use crate::measure::clock::{Figure, calls};
use crate::workloads::{Dp500, Nn175, Pend5, Workload};
use gradbody_report::Section;
use gradbody_report::text::{Align, Table};
use maud::{Markup, html};

/// Shortest time spent on each figure.
const TIME: Duration = Duration::from_millis(1500);
const QUICK: Duration = Duration::from_millis(150);
/// Relative step of central differences.
const STEP: f64 = 1e-6;
/// Differences with a larger error than this, relative to the largest derivative, are reported as meaningless.
const MEANINGLESS: f64 = 0.1;
/// Relative difference between the inputs of neighbouring lanes, so that no two worlds are equal.
const APART: f64 = 1e-3;

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |_| experiment(if quick { QUICK } else { TIME }))
}

/// The times of a workload [µs], and the differences between the ways.
struct Row {
    name: &'static str,
    what: &'static str,
    numbers: usize,
    value: f64,
    differences: f64,
    duals: f64,
    adjoint: f64,
    /// The adjoint on vectors, per world.
    lanes: f64,
    width: usize,
    cost: f64,
    /// The largest difference of a derivative from the adjoint's, relative to the largest derivative.
    duals_off: f64,
    differences_off: f64,
    reference: Reference,
}

/// The reference's figures [µs].
struct Reference {
    value: f64,
    differences: f64,
    duals: f64,
    /// Replaying a recorded tape; the recording is not included.
    tape: f64,
    /// Code generated from the tape, and the time to compile it [s].
    compiled: f64,
    compiling: Option<f64>,
    cost: f64,
}

const NN175: Reference = Reference {
    value: 0.43,
    differences: 151.0,
    duals: 256.0,
    tape: 3.35,
    compiled: 0.255,
    compiling: None,
    cost: -0.065_586_839_58,
};
const DP500: Reference = Reference {
    value: 420.0,
    differences: 2150.0,
    duals: 1710.0,
    tape: 405.0,
    compiled: 80.0,
    compiling: Some(40.0),
    cost: 5.044_452_97,
};
const PEND5: Reference = Reference {
    value: 66_000.0,
    differences: 728_000.0,
    duals: 694_000.0,
    tape: 304_000.0,
    compiled: 292_000.0,
    compiling: Some(307.0),
    cost: 0.002_141_635_722,
};

fn experiment(time: Duration) -> anyhow::Result<Findings> {
    let rows = [
        measure::<25>(("nn175", "a network of 175 weights"), &Nn175::new()?, NN175, time),
        measure::<2>(
            ("dp500", "500 steps of a double pendulum, by two lengths"),
            &Dp500::new()?,
            DP500,
            time,
        ),
        measure::<5>(
            ("pend5", "5000 steps of five links falling on the ground, by five velocities"),
            &Pend5::new()?,
            PEND5,
            time,
        ),
    ];
    Ok(Findings {
        title: "The cost of a gradient".into(),
        lead: "The three workloads of NeuralSim's figure 5, differentiated in several ways.".into(),
        sections: vec![Section {
            heading: "Microseconds per gradient".into(),
            text: remarks(&rows),
            markup: markup(&rows),
            ..Section::default()
        }],
        text: text(&rows),
        json: json!({
            "experiment": "gradient-cost",
            "workloads": rows.iter().map(Row::json).collect::<Vec<Value>>(),
        }),
    })
}

/// Measures all ways; a dual number carries `N` directions.
fn measure<const N: usize>(
    (name, what): (&'static str, &'static str),
    workload: &impl Workload,
    reference: Reference,
    time: Duration,
) -> Row
where
    Dual<f64, N>: Simulated,
{
    let numbers = workload.numbers();
    let n = numbers.len();
    let mut gradients = [const { Vec::new() }; 3];
    gradients.iter_mut().for_each(|gradient| gradient.resize(n, 0.0));
    let [by_differences, by_duals, by_adjoint] = &mut gradients;

    let mut cost = workload.cost::<f64>();
    let value = calls(time, 1, 1, |_| {
        black_box(cost(black_box(&numbers)));
    });
    let differences =
        calls(time, 1, 1, |_| central_differences(&mut cost, &numbers, by_differences));
    let mut dual_cost = workload.cost::<Dual<f64, N>>();
    let duals = calls(time, 1, 1, |_| directions(&mut dual_cost, black_box(&numbers), by_duals));
    let mut differentiate = workload.gradient::<f64>();
    let mut at = 0.0;
    let adjoint = calls(time, 1, 1, |_| {
        at = differentiate(black_box(&numbers), by_adjoint);
        black_box(&by_adjoint);
    });
    let lanes = run_widest::<f64, _>(SideBySide { workload, time });
    Row {
        name,
        what,
        numbers: n,
        value: value.min,
        differences: differences.min,
        duals: duals.min,
        adjoint: adjoint.min,
        lanes: lanes.min,
        width: lanes.lanes,
        cost: at,
        duals_off: off(&gradients[1], &gradients[2]),
        differences_off: off(&gradients[0], &gradients[2]),
        reference,
    }
}

/// The largest difference, relative to the largest entry of the second argument.
fn off(a: &[f64], b: &[f64]) -> f64 {
    let largest = b.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let off = a.iter().zip(b).map(|(a, b)| (a - b).abs() / largest);
    off.fold(0.0, |most, off| if off <= most { most } else { off })
}

fn central_differences(
    cost: &mut impl FnMut(&[f64]) -> f64,
    numbers: &[f64],
    gradient: &mut [f64],
) {
    let mut moved = numbers.to_vec();
    for (k, slope) in gradient.iter_mut().enumerate() {
        let step = STEP * numbers[k].abs().max(1e-3);
        moved[k] = numbers[k] + step;
        let above = cost(&moved);
        moved[k] = numbers[k] - step;
        *slope = (above - cost(&moved)) / (2.0 * step);
        moved[k] = numbers[k];
    }
}

/// The gradient by dual numbers, `N` directions per pass.
fn directions<const N: usize>(
    cost: &mut impl FnMut(&[Dual<f64, N>]) -> Dual<f64, N>,
    numbers: &[f64],
    gradient: &mut [f64],
) {
    let mut moved: Vec<Dual<f64, N>> = numbers.iter().map(|x| Dual::constant(*x)).collect();
    for (chunk, slopes) in gradient.chunks_mut(N).enumerate() {
        let at = chunk * N;
        for i in 0..slopes.len() {
            moved[at + i] = Dual::variable(numbers[at + i], i);
        }
        slopes.copy_from_slice(&cost(&moved).eps[..slopes.len()]);
        for i in 0..slopes.len() {
            moved[at + i] = Dual::constant(numbers[at + i]);
        }
    }
}

/// Gradients of one world per lane, each with its own inputs.
struct SideBySide<'a, W> {
    workload: &'a W,
    time: Duration,
}

impl<W: Workload> Kernel for SideBySide<'_, W> {
    type Output = Figure;

    fn run<S: Simulated>(self) -> Figure {
        let apart = |x: &f64| S::from_lanes(|lane| x * (1.0 + APART * lane as f64));
        let numbers: Vec<S> = self.workload.numbers().iter().map(apart).collect();
        let mut gradient = vec![S::ZERO; numbers.len()];
        let mut differentiate = self.workload.gradient::<S>();
        calls(self.time, S::LANES, 1, |_| {
            differentiate(black_box(&numbers), &mut gradient);
            black_box(&gradient);
        })
    }
}

impl Row {
    /// The measured time and the reference's, for each way [µs].
    fn ways(&self) -> [(&'static str, Option<f64>, Option<f64>); 7] {
        let reference = &self.reference;
        [
            ("the value alone", Some(self.value), Some(reference.value)),
            ("central differences", Some(self.differences), Some(reference.differences)),
            ("dual numbers", Some(self.duals), Some(reference.duals)),
            ("tape, replayed", None, Some(reference.tape)),
            ("code compiled from the tape", None, Some(reference.compiled)),
            ("adjoint", Some(self.adjoint), None),
            ("adjoint on lanes, a world", Some(self.lanes), None),
        ]
    }

    fn json(&self) -> Value {
        let ways = self.ways().map(
            |(way, ours, theirs)| json!({ "way": way, "here_us": ours, "reference_us": theirs }),
        );
        json!({
            "name": self.name,
            "what": self.what,
            "numbers": self.numbers,
            "lanes": self.width,
            "ways": ways,
            "compiling_the_reference_s": self.reference.compiling,
            "cost": self.cost,
            "reference_cost": self.reference.cost,
            "duals_off": self.duals_off,
            "differences_off": self.differences_off,
        })
    }
}

/// A time [µs] to three digits.
fn micros(us: f64) -> String {
    let decimals = (2 - us.log10().floor() as i32).clamp(0, 3) as usize;
    format!("{us:.decimals$}")
}

fn of(time: Option<f64>) -> String {
    time.map_or_else(|| "–".into(), micros)
}

fn text(rows: &[Row]) -> String {
    let mut heads = vec![("gradient by [µs]".to_owned(), Align::Left)];
    for row in rows {
        heads.push((row.name.to_owned(), Align::Right));
        heads.push(("reference".to_owned(), Align::Right));
    }
    let heads: Vec<(&str, Align)> =
        heads.iter().map(|(head, align)| (head.as_str(), *align)).collect();
    let mut table = Table::new(&heads);
    let ways: Vec<_> = rows.iter().map(Row::ways).collect();
    for k in 0..ways[0].len() {
        let times = ways.iter().flat_map(|ways| [of(ways[k].1), of(ways[k].2)]);
        table.row([ways[0][k].0.to_owned()].into_iter().chain(times).collect());
    }
    let mut text = String::new();
    table.write(&mut text);
    for remark in remarks(rows) {
        let _ = write!(text, "\n{remark}");
    }
    text.push('\n');
    text
}

fn remarks(rows: &[Row]) -> Vec<String> {
    let mut remarks: Vec<String> = rows
        .iter()
        .map(|row| {
            let Row { name, what, cost, duals_off, differences_off, reference, .. } = row;
            format!(
                "{name}: {what}. Cost {cost:.10}, the reference's {:.10}. Relative to the largest derivative, duals \
                 differ from the adjoint by {duals_off:.1e}, differences by {differences_off:.1e}.",
                reference.cost
            )
        })
        .collect();
    for row in rows.iter().filter(|row| row.differences_off > MEANINGLESS) {
        let name = row.name;
        remarks
            .push(format!("{name}: the motion is chaotic, so finite differences are meaningless."));
    }
    let width = rows.iter().map(|row| row.width).max().unwrap_or(1);
    let compiling = rows.iter().filter_map(|row| {
        row.reference.compiling.map(|seconds| format!("{seconds:.0} s ({})", row.name))
    });
    remarks.push(format!(
        "Lanes: {width} worlds side by side, each with its own inputs. Each time is the shortest of many repetitions. \
         The reference is the Tiny Differentiable Simulator's own code: the shortest thread time on another machine, \
         not measured in this run. Compiling its tape took {}.",
        compiling.collect::<Vec<_>>().join(" and ")
    ));
    remarks
}

fn markup(rows: &[Row]) -> Markup {
    let ways: Vec<_> = rows.iter().map(Row::ways).collect();
    html! {
        table {
            tr {
                th { "gradient by [µs]" }
                @for row in rows { th { (row.name) } th { "reference" } }
            }
            @for k in 0..ways[0].len() {
                tr {
                    td { (ways[0][k].0) }
                    @for ways in &ways { td { (of(ways[k].1)) } td { (of(ways[k].2)) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_give_one_gradient() {
        let row =
            measure::<2>(("dp500", ""), &Dp500::new().expect("a model"), DP500, Duration::ZERO);
        assert!((row.cost - row.reference.cost).abs() < 1e-8);
        assert!(row.duals_off < 1e-9, "{}", row.duals_off);
        assert!(row.differences_off < 1e-5, "{}", row.differences_off);
        let row =
            measure::<25>(("nn175", ""), &Nn175::new().expect("a network"), NN175, Duration::ZERO);
        assert!((row.cost - row.reference.cost).abs() < 1e-10);
        assert!(row.duals_off < 1e-12 && row.differences_off < 1e-7);
    }
}
