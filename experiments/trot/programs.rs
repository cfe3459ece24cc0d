//! The quadratic programs of a walk as JSON, for `benches/peers/qp`.

use gradbody_control::QuadraticProgram;
use serde_json::{Value, json};

/// `[{"hessian": [[…], …], "gradient": […], "rows": [{"entries": [[unknown, factor], …], "lower": …, "upper": …}, …]}, …]`;
/// a bound that is infinite is null.
pub(super) fn json(programs: &[QuadraticProgram]) -> Value {
    programs.iter().map(program).collect()
}

fn program(program: &QuadraticProgram) -> Value {
    let hessian: Vec<&[f64]> =
        (0..program.unknowns()).map(|row| program.hessian_row(row)).collect();
    let row = |row: usize| {
        let (lower, upper) = program.bounds(row);
        // serde_json writes infinity as null.
        json!({ "entries": program.row(row), "lower": lower, "upper": upper })
    };
    json!({
        "hessian": hessian,
        "gradient": program.gradient(),
        "rows": (0..program.rows()).map(row).collect::<Vec<_>>(),
    })
}
