//! Outputs of the networks over the range of their inputs in the data.

use gradbody_augment::{
    Augmentation, ContactSignal, Kind, Mode, Networks, Reading, Signal, Site, sites,
};
use gradbody_contact::{CollideOptions, CollideWork, Collisions, collide};
use gradbody_dynamics::Kinematics;
use gradbody_math::names;
use gradbody_neural::NetworkTrace;

use crate::experiment::{DataPart, Setup};
use crate::judge::Predictor;
use crate::objective::estimate_states;
use crate::outcome::{DrawnResponse, Response};

/// An input or output of a network: its label, and the sites that it stands for.
struct Wire<'a> {
    label: String,
    sites: Vec<&'a Site>,
}

impl Wire<'_> {
    /// The unit of its sites; empty if they do not share one.
    fn unit(&self) -> &'static str {
        match self.sites.first() {
            Some(first) if self.sites.iter().all(|site| site.unit == first.unit) => first.unit,
            _ => "",
        }
    }

    /// The least and the greatest value of its sites in the data, or None if the data have none of them.
    fn range(&self, setup: &Setup) -> Option<(f64, f64)> {
        let ranges = self.sites.iter().filter_map(|site| range(setup, &site.name));
        ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

/// Each output of each network as a function of one input, over the input's range in the data. The other inputs are at
/// their means.
pub(crate) fn responses(setup: &Setup, by: &Predictor) -> Vec<Response> {
    let within = |range: Option<(f64, f64)>| range.unwrap_or((-1.0, 1.0));
    sampled(setup, by, within).into_iter().map(|drawn| drawn.response).collect()
}

/// Like [`responses`], but from −x to x, where x is the input's largest absolute value in the data. With units and the
/// range in the data.
pub(crate) fn drawn_responses(setup: &Setup, by: &Predictor) -> Vec<DrawnResponse> {
    sampled(setup, by, |range| {
        let reach = range.map_or(1.0, |(low, high)| low.abs().max(high.abs()));
        let reach = if reach > 0.0 { reach } else { 1.0 };
        (-reach, reach)
    })
}

/// Samples each response between `ends(range)`, where `range` is the input's range in the data.
fn sampled(
    setup: &Setup,
    by: &Predictor,
    ends: impl Fn(Option<(f64, f64)>) -> (f64, f64),
) -> Vec<DrawnResponse> {
    const POINTS: usize = 61;
    let all = sites(&setup.model, &setup.experiment.signals);
    let mut responses = Vec::new();
    for (name, network, weights) in by.plan.networks() {
        let weights = &by.weights[weights];
        // With `Networks::Each`, a network is named after its augmentation and the match of the pattern.
        let of = setup.experiment.augmentation.iter().find_map(|a| {
            let rest = name.strip_prefix(&a.name)?;
            let capture = rest.strip_prefix('.').filter(|_| a.networks == Networks::Each);
            (rest.is_empty() || capture.is_some()).then_some((a, capture))
        });
        let wires = |names: fn(&Augmentation) -> Vec<String>, n: usize, what: &str| {
            of.and_then(|(a, capture)| wires(&all, &names(a), n, capture)).unwrap_or_else(|| {
                let unnamed = |k| Wire { label: format!("{what} {k}"), sites: Vec::new() };
                (1..=n).map(unnamed).collect()
            })
        };
        let inputs = wires(
            |a| a.inputs.iter().map(|reading| reading.site().to_owned()).collect(),
            network.n_inputs(),
            "input",
        );
        let outputs = wires(|a| a.outputs.clone(), network.n_outputs(), "output");
        // An output has the unit of its site only if it is added to the site's value or replaces it.
        let direct = of.is_some_and(|(a, _)| a.mode != Mode::Scale && a.kind == Kind::Free);
        let scale = of.map_or(1.0, |(a, _)| a.output_scale);
        let mut work = NetworkTrace::new(network);
        for (i, input) in inputs.iter().enumerate() {
            let range = input.range(setup);
            let (from, to) = ends(range);
            let share = |p: usize| p as f64 / (POINTS - 1) as f64;
            let x: Vec<f64> = (0..POINTS).map(|p| from + (to - from) * share(p)).collect();
            // Scaled as inside a step.
            let (mean, rate) = of
                .and_then(|(a, _)| reading_of(a, i, inputs.len()))
                .map_or((0.0, 1.0), Reading::scaling);
            let mut answers = vec![Vec::with_capacity(POINTS); network.n_outputs()];
            for x in &x {
                let mut inputs = vec![0.0; network.n_inputs()];
                inputs[i] = (x - mean) / rate;
                let memory = vec![0.0; network.n_memory()];
                network.forward(weights, &inputs, &memory, &mut work);
                for (answers, y) in answers.iter_mut().zip(work.outputs()) {
                    answers.push(y * scale);
                }
            }
            for (output, y) in outputs.iter().zip(answers) {
                let response = Response {
                    network: name.to_owned(),
                    input: input.label.clone(),
                    output: output.label.clone(),
                    x: x.clone(),
                    y,
                };
                responses.push(DrawnResponse {
                    response,
                    input_unit: input.unit().to_owned(),
                    output_unit: if direct { output.unit().to_owned() } else { String::new() },
                    range,
                });
            }
        }
    }
    responses
}

/// The `n` inputs or outputs with these names or patterns, or None if their number does not fit.
fn wires<'a>(
    all: &'a [Site],
    names: &[String],
    n: usize,
    capture: Option<&str>,
) -> Option<Vec<Wire<'a>>> {
    let named = |name: &String| {
        let label = capture.map_or_else(|| name.clone(), |capture| name.replacen('*', capture, 1));
        let sites = all.iter().filter(|site| names::matches(&label, &site.name)).collect();
        Wire { label, sites }
    };
    let wires: Vec<Wire<'a>> = names.iter().map(named).collect();
    if wires.len() == n {
        return Some(wires);
    }
    // One network has all matches of its patterns.
    let each = |wire: Wire<'a>| {
        wire.sites.into_iter().map(|site| Wire { label: site.name.clone(), sites: vec![site] })
    };
    let wires: Vec<Wire<'a>> = wires.into_iter().flat_map(each).collect();
    (wires.len() == n).then_some(wires)
}

/// The entry that scales input `i` of `n`: its own, or the only one. None otherwise.
fn reading_of(a: &Augmentation, i: usize, n: usize) -> Option<&Reading> {
    if a.inputs.len() == n {
        a.inputs.get(i)
    } else {
        a.inputs.first().filter(|_| a.inputs.len() == 1)
    }
}

/// The largest absolute value of a site in the training data. None if it is zero or not known: see [`range`].
pub(crate) fn reach(setup: &Setup, site: &str) -> Option<f64> {
    let (low, high) = range(setup, site)?;
    Some(low.abs().max(high.abs())).filter(|most| *most > 0.0)
}

/// The least and the greatest value, in the training data, of a signal, of a measured site, of a velocity whose position
/// is measured, or of a quantity of contacts other than their forces. None for any other site.
pub(crate) fn range(setup: &Setup, site: &str) -> Option<(f64, f64)> {
    if site.starts_with("contact/") {
        return contact_range(setup, site);
    }
    let sensors = &setup.sensors;
    // The sensor's first column, and its index.
    let of = |name: &str| {
        let k = sensors.iter().position(|s| s.name == name)?;
        Some((sensors[..k].iter().map(|s| s.columns()).sum::<usize>(), k))
    };
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut see = |x: f64| (low, high) = (low.min(x), high.max(x));
    let recordings = setup.part(DataPart::Train);
    let value = |r: usize, k: usize, (c, sensor): (usize, usize)| {
        let (measured, present) = recordings[r].sample(k, sensors);
        (present[sensor] > 0.0).then(|| measured[c])
    };
    let signals = &setup.experiment.signals;
    let signal = site.strip_prefix("signal/").and_then(|s| signals.iter().position(|n| n == s));
    if let Some(k) = signal {
        let inputs = recordings.iter().flat_map(|recording| &recording.inputs);
        inputs.filter_map(|input| input.signals.get(k)).copied().for_each(&mut see);
    } else if let Some(at) = of(site) {
        for (r, recording) in recordings.iter().enumerate() {
            (0..recording.samples).filter_map(|k| value(r, k, at)).for_each(&mut see);
        }
    } else {
        // A velocity, from differences of positions.
        let at =
            of(&site.replace("/velocity", "/position")).filter(|_| site.contains("/velocity"))?;
        for (r, recording) in recordings.iter().enumerate() {
            for k in 4..recording.samples {
                if let (Some(from), Some(to)) = (value(r, k - 4, at), value(r, k, at)) {
                    see((to - from) / (4.0 * setup.period));
                }
            }
        }
    }
    (low <= high).then_some((low, high))
}

/// The range of a quantity of contacts in the states that are estimated from the training data. None if nothing touches.
fn contact_range(setup: &Setup, site: &str) -> Option<(f64, f64)> {
    let Setup { model, sensors, experiment, period, options, .. } = setup;
    if model.topology.shapes.len() < 2 {
        return None;
    }
    let named = sites(model, &experiment.signals).into_iter().find(|s| s.name == site)?;
    let Signal::Contact(pair, quantity) = named.signal else { return None };
    if matches!(quantity, ContactSignal::NormalForce | ContactSignal::Friction(_)) {
        return None;
    }
    let guess = setup.guess(model).ok()?;
    let how = CollideOptions {
        dt: options.dt,
        detection: options.contact.detection,
        all_compliant: !options.contact.solver.is_rigid(),
    };
    let (mut work, mut found) = (CollideWork::new(model), Collisions::new(model));
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for recording in setup.part(DataPart::Train) {
        let estimate = &experiment.objective.estimate;
        for state in estimate_states(model, sensors, recording, *period, &guess, estimate) {
            let kin = Kinematics::at(model, &state.q, &state.v);
            collide(model, &kin, &how, &mut work, &mut found);
            for contact in found.contacts.iter().filter(|c| pair.has(c.id.a, c.id.b)) {
                let x = quantity.of(contact);
                (low, high) = (low.min(x), high.max(x));
            }
        }
    }
    (low <= high).then_some((low, high))
}
