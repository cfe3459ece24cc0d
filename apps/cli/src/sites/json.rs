//! Sites as JSON.

use gradbody::augment::Stage;
use gradbody::model::Model;
use serde_json::{Value, json};

use super::Placed;

/// The stages in order, and each site by its own name.
pub(super) fn object(model: &Model<f64>, sites: &[Placed]) -> Value {
    let site = |p: &Placed| {
        json!({
            "name": p.site.name,
            "unit": p.site.unit,
            "stage": p.stage.to_string(),
            "order": p.stage.index() + 1,
            "can_change": p.can_change,
        })
    };
    json!({
        "model": model.topology.name,
        "stages": Stage::ALL.map(|stage| stage.to_string()),
        "sites": sites.iter().map(site).collect::<Vec<_>>(),
    })
}
