//! MCAP files with messages of a robot.
//!
//! Messages with the encoding `json` are supported: each number in them is a channel `topic.field`, nested ones
//! `topic.field.part`, the elements of an array `topic.field.0`, …; true and false are 1 and 0, text is left out. Other
//! encodings (`protobuf`, `cdr`, `ros1`, …) need their schemas; requesting one of their channels is an error. Topics
//! are logged at different times: each time is a row, and a channel has a gap where its topic has no message.

use std::collections::BTreeMap;

use serde_json::Value;

use super::DataError;
use super::table::{Array, Cells, Table};

/// The column of the log time [s], from the first message of the file.
const LOG_TIME: &str = "log_time";

/// The table in an MCAP file.
pub(super) fn table(file: String, content: &[u8]) -> Result<Table, DataError> {
    let malformed = |error: mcap::McapError| DataError::Malformed {
        file: file.clone(),
        why: format!("not a complete MCAP file: {error}"),
    };
    let refused = |topic: &str, why: String| DataError::Refused {
        file: file.clone(),
        name: topic.to_owned(),
        why,
    };
    let mut rows: BTreeMap<u64, BTreeMap<String, f64>> = BTreeMap::new();
    let mut other: BTreeMap<String, String> = BTreeMap::new();
    for message in mcap::MessageStream::new(content).map_err(malformed)? {
        let message = message.map_err(malformed)?;
        let (topic, encoding) = (&message.channel.topic, &message.channel.message_encoding);
        if encoding != "json" {
            other.insert(topic.clone(), encoding.clone());
            continue;
        }
        let at = message.log_time;
        let value = serde_json::from_slice(&message.data).map_err(|error| {
            refused(topic, format!("has a message at {at} ns that is not JSON: {error}"))
        })?;
        let row = rows.entry(at).or_default();
        let mut twice = false;
        flatten(topic, &value, &mut |name, x| twice |= row.insert(name, x).is_some());
        if twice {
            return Err(refused(topic, format!("has two messages at {at} ns")));
        }
    }

    let mut columns: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (k, row) in rows.values().enumerate() {
        for (name, x) in row {
            columns.entry(name).or_insert_with(|| vec![f64::NAN; rows.len()])[k] = *x;
        }
    }
    let start = rows.keys().next().copied().unwrap_or_default();
    let time = rows.keys().map(|at| (at - start) as f64 * 1e-9).collect();
    let mut names = vec![LOG_TIME.to_owned()];
    let mut arrays = vec![Array::Numbers(time)];
    for (name, values) in columns {
        names.push(name.to_owned());
        arrays.push(Array::Sparse(values));
    }
    for (topic, encoding) in other {
        names.push(topic);
        let why =
            format!("has messages of the encoding \"{encoding}\"; only \"json\" is supported");
        arrays.push(Array::Refused(why));
    }
    Ok(Table { file, names, clock: Some(LOG_TIME), cells: Cells::Arrays(arrays) })
}

/// Every number in a message, with its name.
fn flatten(name: &str, value: &Value, add: &mut impl FnMut(String, f64)) {
    match value {
        Value::Number(x) => add(name.to_owned(), x.as_f64().unwrap_or(f64::NAN)),
        Value::Bool(x) => add(name.to_owned(), f64::from(u8::from(*x))),
        Value::Array(parts) => {
            for (k, part) in parts.iter().enumerate() {
                flatten(&format!("{name}.{k}"), part, add);
            }
        }
        Value::Object(parts) => {
            for (key, part) in parts {
                flatten(&format!("{name}.{key}"), part, add);
            }
        }
        Value::Null | Value::String(_) => {}
    }
}
