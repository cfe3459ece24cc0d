//! Contact surfaces of shapes and of pairs of shapes, where they differ from the default.

use std::fmt::Write as _;

use gradbody::contact::{Solver, Surfaces};
use gradbody::model::{ContactLaw, Material, MaterialScalar, Model, PairId};
use serde_json::{Map, Value, json};

use super::parts::shape_kind;
use gradbody_report::text::{Align, Table, number};

/// Shapes whose surface is not the default one, all pairs with a surface of their own, and the friction that acts.
pub(super) fn write(model: &Model<f64>, out: &mut String) {
    let topology = &model.topology;
    let mut rows = Vec::new();
    for (shape, params) in topology.shapes.iter().zip(&model.params.shapes) {
        let mut material = params.material;
        if !shape.friction_given {
            // The number says nothing of this shape.
            material.friction = Material::DEFAULT.friction;
        }
        let surface = Surface::new(shape.law, shape.resists_turning, &material);
        if !surface.is_default() {
            let frame = topology.frames[shape.frame.index()].name.clone();
            rows.push(vec![shape.name.clone(), format!("of {frame}"), surface.text()]);
        }
    }
    for (i, (pair, material)) in topology.contact_pairs.iter().zip(&model.params.pairs).enumerate()
    {
        let surface = Surface::new(pair.law, pair.resists_turning, material);
        rows.push(vec![topology.pair_name(PairId::new(i)), "a pair".into(), surface.text()]);
    }
    if !rows.is_empty() {
        out.push_str("\nsurfaces that are not the default\n");
        let mut table = Table::new(&[("", Align::Left); 3]);
        for row in rows {
            table.row(row);
        }
        table.write(out);
    }
    let frictions = frictions(model);
    if !frictions.is_empty() {
        out.push_str("\nfriction where shapes may touch\n");
        for friction in frictions {
            let _ = writeln!(out, "  {friction}");
        }
    }
}

/// The friction that acts between shapes that may touch, a sentence for each number.
pub(super) fn frictions(model: &Model<f64>) -> Vec<String> {
    Surfaces::new(model, &Solver::default()).frictions()
}

/// Every shape, with those numbers of its surface that are not the default.
pub(super) fn shapes(model: &Model<f64>) -> Vec<Value> {
    let topology = &model.topology;
    let shapes = topology.shapes.iter().zip(&model.params.shapes);
    let object = shapes.map(|(shape, params)| {
        let surface = Surface::new(shape.law, shape.resists_turning, &params.material);
        json!({
            "name": shape.name,
            "kind": shape_kind(&shape.kind),
            "frame": topology.frames[shape.frame.index()].name,
            "law": surface.law(),
            "resists_turning": shape.resists_turning,
            "surface": surface.object(),
        })
    });
    object.collect()
}

/// Every pair with a surface of its own, likewise.
pub(super) fn pairs(model: &Model<f64>) -> Vec<Value> {
    let topology = &model.topology;
    let pairs = topology.contact_pairs.iter().zip(&model.params.pairs).enumerate();
    let object = pairs.map(|(i, (pair, material))| {
        let surface = Surface::new(pair.law, pair.resists_turning, material);
        let shapes = [pair.a, pair.b].map(|s| &topology.shapes[s.index()].name);
        json!({
            "name": topology.pair_name(PairId::new(i)),
            "shapes": shapes,
            "law": surface.law(),
            "resists_turning": pair.resists_turning,
            "surface": surface.object(),
        })
    });
    object.collect()
}

/// The parts of a surface that have an effect, and are not the default.
struct Surface {
    law: ContactLaw,
    resists_turning: bool,
    numbers: Vec<(MaterialScalar, f64)>,
}

impl Surface {
    fn new(law: ContactLaw, resists_turning: bool, material: &Material<f64>) -> Self {
        use MaterialScalar::*;
        let default = Material::with_friction(material.friction);
        let differs = |number: &MaterialScalar| match number {
            Friction => material.friction != Material::DEFAULT.friction,
            TorsionalFriction | RollingFriction if !resists_turning => false,
            StaticFriction | SlipVelocity | Stiffness | Damping | Exponent
                if law == ContactLaw::Rigid =>
            {
                false
            }
            _ => material.get(*number) != default.get(*number),
        };
        let numbers = MaterialScalar::ALL.iter().copied().filter(differs);
        let numbers = numbers.map(|number| (number, *material.get(number))).collect();
        Surface { law, resists_turning, numbers }
    }

    fn is_default(&self) -> bool {
        self.law == ContactLaw::Rigid && !self.resists_turning && self.numbers.is_empty()
    }

    fn law(&self) -> &'static str {
        match self.law {
            ContactLaw::Rigid => "rigid",
            ContactLaw::Compliant => "compliant",
        }
    }

    /// `compliant, resists turning, restitution 0.5`.
    fn text(&self) -> String {
        let mut words = Vec::new();
        if self.law != ContactLaw::Rigid {
            words.push(self.law().to_owned());
        }
        if self.resists_turning {
            words.push("resists turning".into());
        }
        for (scalar, value) in &self.numbers {
            words.push(format!("{} {}", scalar.name().replace('_', " "), number(*value)));
        }
        words.join(", ")
    }

    fn object(&self) -> Map<String, Value> {
        self.numbers.iter().map(|(n, value)| (n.name().to_owned(), (*value).into())).collect()
    }
}
