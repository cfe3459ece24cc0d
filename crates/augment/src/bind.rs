//! Binding: turns the names of a blueprint into the indices of a plan, once, before any simulation.

use std::ops::Range;

use gradbody_contact::{Candidates, Detection, Solver};
use gradbody_model::{ContactLaw, LinkId, Model, ShapeId};
use gradbody_neural::{Conservative, Dissipative, Network};
use gradbody_sim::ContactOptions;

use crate::names::Names;
use crate::plan::{Group, Head, InputAt, Piece, Register, Slot, Source};
use crate::{
    Augmentation, Blueprint, BlueprintError, ContactSignal, Kind, Mode, Networks, Pair, Plan,
    ReadingOptions, Signal, Stage,
};

/// Binds a blueprint to a model that is simulated with these contacts.
pub fn bind(
    blueprint: &Blueprint,
    model: &Model<f64>,
    contact: &ContactOptions,
) -> Result<Plan, BlueprintError> {
    check_signals(&blueprint.signals)?;
    let mut binder = Binder::new(blueprint, model, contact);
    for (i, augmentation) in blueprint.augmentations.iter().enumerate() {
        if blueprint.augmentations[..i].iter().any(|other| other.name == augmentation.name) {
            return Err(BlueprintError::Repeated(augmentation.name.clone()));
        }
        binder.add(i, augmentation)?;
    }
    binder.finish()
}

/// Checks that the names of signals are valid and unique.
fn check_signals(signals: &[String]) -> Result<(), BlueprintError> {
    for (i, name) in signals.iter().enumerate() {
        let wrong = |why| Err(BlueprintError::Signal { name: name.clone(), why });
        if name.is_empty() {
            return wrong("has no name");
        }
        if name.contains(['/', '*']) {
            return wrong("has a slash or a star in its name");
        }
        if signals[..i].contains(name) {
            return wrong("is listed twice");
        }
    }
    Ok(())
}

/// The least gap over which forces at rigid contacts fade [m]: far above rounding.
const LEAST_FADE: f64 = 1e-9;

struct Binder<'a> {
    model: &'a Model<f64>,
    names: Names,
    /// Whether a solver finds the forces of contacts.
    rigid_solver: bool,
    candidates: Candidates,
    slots: Vec<Signal>,
    plan: Plan,
}

impl<'a> Binder<'a> {
    fn new(blueprint: &Blueprint, model: &'a Model<f64>, contact: &ContactOptions) -> Self {
        let stages = || vec![Vec::new(); Stage::ALL.len()];
        Binder {
            model,
            names: Names::new(model, &blueprint.signals),
            rigid_solver: contact.solver.is_rigid() && contact.solver != Solver::Off,
            candidates: Candidates::new(&model.topology),
            slots: Vec::new(),
            plan: Plan {
                blueprint: blueprint.clone(),
                groups: Vec::new(),
                pieces: Vec::new(),
                at: stages(),
                reads: vec![Vec::new(); Stage::ALL.len()],
                registers: Vec::new(),
                params: Vec::new(),
                replaced: Vec::new(),
                fade: match contact.detection {
                    Detection::Ahead { margin } => margin.max(LEAST_FADE),
                    Detection::Penetrating => LEAST_FADE,
                },
                n_slots: 0,
                n_weights: 0,
                n_memory: 0,
            },
        }
    }

    fn stage(&self, signal: Signal) -> Stage {
        signal.stage(self.is_rigid(signal))
    }

    fn change_stage(&self, signal: Signal) -> Stage {
        signal.change_stage(self.is_rigid(signal))
    }

    /// Whether a solver finds the forces of contacts that a signal belongs to.
    fn is_rigid(&self, signal: Signal) -> bool {
        let rigid = |a: ShapeId, b: ShapeId| {
            self.candidates.rule(a, b).is_some_and(|rule| rule.law == ContactLaw::Rigid)
        };
        self.rigid_solver
            && match signal {
                Signal::Contact(Pair(Some((a, b))), _) => rigid(a, b),
                Signal::Contact(Pair(None), _) => {
                    let n = self.model.topology.shapes.len();
                    let id = ShapeId::new;
                    (0..n).any(|a| (a + 1..n).any(|b| rigid(id(a), id(b))))
                }
                _ => false,
            }
    }

    /// The slot of the table that records a signal.
    fn slot(&mut self, signal: Signal) -> usize {
        match self.slots.iter().position(|s| *s == signal) {
            Some(slot) => slot,
            None => {
                self.slots.push(signal);
                self.slots.len() - 1
            }
        }
    }

    fn add(&mut self, index: usize, of: &Augmentation) -> Result<(), BlueprintError> {
        if of.outputs.is_empty() {
            return Err(BlueprintError::NoOutputs(of.name.clone()));
        }
        let number = |what: String, value: f64, needed: &'static str| {
            Err(BlueprintError::Number { augmentation: of.name.clone(), what, value, needed })
        };
        const SCALE: &str = "a finite number other than zero";
        if !(of.output_scale.is_finite() && of.output_scale != 0.0) {
            return number("output_scale".into(), of.output_scale, SCALE);
        }
        for reading in of.inputs.iter().map(|r| r.options()) {
            if !(reading.scale.is_finite() && reading.scale != 0.0) {
                return number(format!("the scale of \"{}\"", reading.site), reading.scale, SCALE);
            }
            if !reading.mean.is_finite() {
                let what = format!("the mean of \"{}\"", reading.site);
                return number(what, reading.mean, "a finite number");
            }
        }
        let at_contacts = |name: &str| name.starts_with("contact/*");
        let pattern = of.outputs.iter().find(|name| {
            name.contains('*') && !(at_contacts(name) && of.networks != Networks::Each)
        });
        match pattern {
            Some(pattern) if of.networks != Networks::Together => {
                // The captures that all patterns share: a free joint, for example, has a velocity but no position.
                let mut captures = self.names.captures(pattern);
                let inputs = of.inputs.iter().map(|reading| reading.options().site);
                for other in of.outputs.iter().cloned().chain(inputs).filter(|n| n.contains('*')) {
                    let has = |capture: &String| self.signals(of, &other, Some(capture)).is_ok();
                    let left: Vec<String> = captures.iter().filter(|c| has(c)).cloned().collect();
                    if left.is_empty() {
                        return Err(self.no_match(of, &other));
                    }
                    captures = left;
                }
                for (k, capture) in captures.iter().enumerate() {
                    let fresh = k == 0 || of.networks == Networks::Each;
                    let name = match of.networks {
                        Networks::Each => format!("{}.{capture}", of.name),
                        _ => of.name.clone(),
                    };
                    self.piece(index, of, Some(capture), name, fresh)?;
                }
                Ok(())
            }
            _ => self.piece(index, of, None, of.name.clone(), true),
        }
    }

    fn no_match(&self, of: &Augmentation, pattern: &str) -> BlueprintError {
        let hint = self.names.nearest_pattern(pattern);
        let (augmentation, pattern) = (of.name.clone(), pattern.to_owned());
        BlueprintError::NoMatch { augmentation, pattern, hint }
    }

    /// The signals that a name of an augmentation refers to.
    fn signals(
        &self,
        of: &Augmentation,
        name: &str,
        capture: Option<&String>,
    ) -> Result<Vec<Signal>, BlueprintError> {
        // At contacts, `*` stands for all shapes and is not replaced by a joint.
        let at_contacts = of.outputs.iter().any(|output| output.starts_with("contact/"));
        let capture = capture.filter(|_| at_contacts || !name.starts_with("contact/*"));
        if let Some(capture) = capture {
            return self.names.resolve(&of.name, &name.replacen('*', capture, 1));
        }
        if !name.contains('*') || name.starts_with("contact/*") {
            return self.names.resolve(&of.name, name);
        }
        let captures = self.names.captures(name);
        if captures.is_empty() {
            return Err(self.no_match(of, name));
        }
        let mut found = Vec::new();
        for capture in captures {
            found.extend(self.names.resolve(&of.name, &name.replacen('*', &capture, 1))?);
        }
        Ok(found)
    }

    fn piece(
        &mut self,
        index: usize,
        of: &Augmentation,
        capture: Option<&String>,
        name: String,
        fresh: bool,
    ) -> Result<(), BlueprintError> {
        let mut outputs = Vec::new();
        for output in &of.outputs {
            outputs.extend(self.signals(of, output, capture)?);
        }
        let stage = self.output_stage(of, &outputs)?;
        let pair = outputs.iter().find_map(|o| match o {
            Signal::Contact(pair, _) => Some(*pair),
            _ => None,
        });
        let conjugates = self.conjugates(of, &outputs)?;
        let changes = Changes { stage, pair, outputs: &outputs };
        let inputs = self.inputs(of, capture, changes, &conjugates)?;
        if inputs.is_empty() {
            return Err(BlueprintError::NoInputs(of.name.clone()));
        }
        let kind =
            |why: &str| BlueprintError::Kind { augmentation: of.name.clone(), why: why.to_owned() };
        if of.kind != Kind::Free && of.mode != Mode::Add {
            return Err(kind(
                "only added forces can be dissipative, conservative or symmetric; leave mode at \"add\"",
            ));
        }
        let links = match of.kind {
            Kind::Symmetric => Some(symmetric(&outputs).ok_or_else(|| {
                kind(
                    "a symmetric augmentation has two links as its outputs: link/A/force and link/B/force, or \
                     both wrench",
                )
            })?),
            _ => None,
        };
        let n_outputs = match (of.kind, links) {
            (Kind::Dissipative(damping), _) => Dissipative::new(outputs.len(), damping).n_outputs(),
            (Kind::Conservative, _) => 1,
            (Kind::Symmetric, Some((_, torque))) => {
                if torque {
                    6
                } else {
                    3
                }
            }
            _ => outputs.len(),
        };
        let layers = of.network.layers(inputs.len(), n_outputs);
        let network = Network::new(inputs.len(), of.network.input_bias, layers)
            .map_err(|source| BlueprintError::Network { augmentation: of.name.clone(), source })?;
        if pair.is_some() && network.n_memory() > 0 {
            return Err(BlueprintError::ContactMemory(of.name.clone()));
        }
        let head = match (of.kind, links) {
            (Kind::Dissipative(damping), _) => {
                let sources = conjugates.iter().map(|s| self.source(*s, pair, &[])).collect();
                Head::Dissipative(Dissipative::new(outputs.len(), damping), sources)
            }
            (Kind::Conservative, _) => {
                Head::Conservative(Conservative::new(network.clone()).map_err(|source| {
                    BlueprintError::Head { augmentation: of.name.clone(), source }
                })?)
            }
            (Kind::Symmetric, Some((links, torque))) => Head::Symmetric(links, torque),
            _ => Head::Free,
        };
        let weights = match self.plan.groups.last() {
            Some(group) if !fresh => {
                if group.network != network {
                    return Err(kind(
                        "its matches have different numbers of inputs or outputs (joints of one and of several \
                         degrees of freedom, perhaps), so they cannot share a network; name those that \
                         can, or write networks = \"each\"",
                    ));
                }
                group.weights.clone()
            }
            _ => {
                let weights = self.plan.n_weights..self.plan.n_weights + network.n_weights();
                self.plan.n_weights = weights.end;
                let (network, weights_of) = (network.clone(), weights.clone());
                let group =
                    Group { name: name.clone(), augmentation: index, network, weights: weights_of };
                self.plan.groups.push(group);
                weights
            }
        };
        let memory = self.remember(network.n_memory());
        for signal in &outputs {
            match signal {
                Signal::Param(id) if !self.plan.params.contains(id) => self.plan.params.push(*id),
                Signal::PassiveForce(k) if of.mode == Mode::Replace => self.plan.replaced.push(*k),
                _ => {}
            }
        }
        self.plan.pieces.push(Piece {
            stage,
            network,
            weights,
            inputs,
            outputs,
            mode: of.mode,
            head,
            output_scale: of.output_scale,
            memory,
            pair,
            name,
        });
        Ok(())
    }

    fn remember(&mut self, numbers: usize) -> Range<usize> {
        let range = self.plan.n_memory..self.plan.n_memory + numbers;
        self.plan.n_memory = range.end;
        range
    }

    /// The common stage of all outputs.
    fn output_stage(&self, of: &Augmentation, outputs: &[Signal]) -> Result<Stage, BlueprintError> {
        let site = |signal: Signal| self.names.name(signal).to_owned();
        let augmentation = of.name.clone();
        let first = outputs[0];
        for signal in outputs {
            if !signal.can_change() {
                return Err(BlueprintError::NotChangeable { augmentation, site: site(*signal) });
            }
            if self.stage(*signal) == Stage::End && of.mode != Mode::Add {
                return Err(BlueprintError::Solved { augmentation, site: site(*signal) });
            }
            let (first_stage, second_stage) =
                (self.change_stage(first), self.change_stage(*signal));
            let pair = |s: Signal| match s {
                Signal::Contact(pair, _) => Some(pair),
                _ => None,
            };
            if first_stage == second_stage && pair(first) != pair(*signal) {
                let (first, second) = (site(first), site(*signal));
                return Err(BlueprintError::ApartContacts { augmentation, first, second });
            }
            if first_stage != second_stage {
                return Err(BlueprintError::Apart {
                    augmentation,
                    first: site(first),
                    first_stage,
                    second: site(*signal),
                    second_stage,
                });
            }
        }
        Ok(self.change_stage(first))
    }

    /// The signals that forces do work on: velocities for dissipative forces, positions for conservative ones.
    fn conjugates(
        &self,
        of: &Augmentation,
        outputs: &[Signal],
    ) -> Result<Vec<Signal>, BlueprintError> {
        let find = |signal: &Signal, conjugate: Option<Signal>| {
            conjugate.ok_or_else(|| BlueprintError::Kind {
                augmentation: of.name.clone(),
                why: format!(
                    "\"{}\" is not a force that this kind supports: use joint/…/passive_torque or actuator_force, \
                     link/…/force or torque, and, if dissipative, contact/…/friction or normal_force",
                    self.names.name(*signal)
                ),
            })
        };
        match of.kind {
            Kind::Free | Kind::Symmetric => Ok(Vec::new()),
            Kind::Dissipative(_) => outputs
                .iter()
                .map(|signal| {
                    find(
                        signal,
                        match *signal {
                            Signal::PassiveForce(k) | Signal::ActuatorForce(k) => {
                                Some(Signal::Velocity(k))
                            }
                            Signal::Force(link, k) => Some(Signal::LinkVelocity(link, k)),
                            Signal::Torque(link, k) => Some(Signal::LinkSpin(link, k)),
                            Signal::Contact(pair, ContactSignal::Friction(k)) => {
                                Some(Signal::Contact(pair, ContactSignal::Slide(k)))
                            }
                            Signal::Contact(pair, ContactSignal::NormalForce) => {
                                Some(Signal::Contact(pair, ContactSignal::Parting))
                            }
                            _ => None,
                        },
                    )
                })
                .collect(),
            Kind::Conservative => outputs
                .iter()
                .map(|signal| {
                    find(
                        signal,
                        match *signal {
                            Signal::PassiveForce(k) | Signal::ActuatorForce(k) => self.position(k),
                            Signal::Force(link, k) => Some(Signal::LinkPosition(link, k)),
                            _ => None,
                        },
                    )
                })
                .collect(),
        }
    }

    /// The position that a velocity coordinate changes, if the joint's coordinates are plain numbers.
    fn position(&self, v: usize) -> Option<Signal> {
        let link = self.model.topology.links.iter().find(|l| l.joint.v_range().contains(&v))?;
        let joint = &link.joint;
        let q = joint.q_start + v - joint.v_start;
        joint.kind.is_flat().then_some(Signal::Position { q, v })
    }

    fn source(&mut self, signal: Signal, pair: Option<Pair>, outputs: &[Signal]) -> Source {
        let here = pair.is_some() && matches!(signal, Signal::Contact(..));
        if here || outputs.contains(&signal) {
            Source::Here(signal)
        } else {
            Source::Slot(self.slot(signal))
        }
    }

    fn inputs(
        &mut self,
        of: &Augmentation,
        capture: Option<&String>,
        changes: Changes<'_>,
        conjugates: &[Signal],
    ) -> Result<Vec<InputAt>, BlueprintError> {
        let Changes { pair, outputs, .. } = changes;
        let mut inputs = Vec::new();
        let mut plain = Vec::new();
        for reading in &of.inputs {
            let reading = reading.options();
            let (mean, rate) = (reading.mean, 1.0 / reading.scale);
            for signal in self.signals(of, &reading.site, capture)? {
                let past = reading.past();
                self.check_input(of, &reading, signal, changes)?;
                if !reading.previous {
                    let source = self.source(signal, pair, outputs);
                    inputs.push(InputAt { source, mean, rate });
                }
                plain.push((signal, past));
                if past > 0 {
                    let slot = self.slot(signal);
                    let memory = self.remember(past);
                    let of_memory = |k| InputAt { source: Source::Past(k), mean, rate };
                    inputs.extend(memory.clone().map(of_memory));
                    self.plan.registers.push(Register { slot, memory });
                }
            }
        }
        let given = |signals: &[Signal]| plain.iter().map(|(s, _)| *s).eq(signals.iter().copied());
        let is_plain = plain.iter().all(|(_, past)| *past == 0);
        match of.kind {
            Kind::Conservative if !(plain.is_empty() || is_plain && given(conjugates)) => {
                Err(BlueprintError::Kind {
                    augmentation: of.name.clone(),
                    why: "a conservative force is that of the positions it does work on, in the order of its \
                          outputs; leave inputs out"
                        .into(),
                })
            }
            Kind::Conservative | Kind::Dissipative(_) if plain.is_empty() => {
                for signal in conjugates {
                    let source = self.source(*signal, pair, outputs);
                    inputs.push(InputAt { source, mean: 0.0, rate: 1.0 });
                }
                Ok(inputs)
            }
            _ => Ok(inputs),
        }
    }

    /// Checks that a network with these changes can read `signal`: it must be known in time, and belong to the same
    /// contact.
    fn check_input(
        &self,
        of: &Augmentation,
        reading: &ReadingOptions,
        signal: Signal,
        changes: Changes<'_>,
    ) -> Result<(), BlueprintError> {
        let Changes { stage, pair, outputs } = changes;
        let output = outputs[0];
        let site = |signal: Signal| self.names.name(signal).to_owned();
        let augmentation = of.name.clone();
        if let Some(own) = pair {
            if reading.past() > 0 {
                return Err(BlueprintError::ContactMemory(augmentation));
            }
            if let Signal::Contact(other, _) = signal
                && other != own
                && other != Pair(None)
            {
                let (output, input) = (site(output), site(signal));
                return Err(BlueprintError::OtherContact { augmentation, output, input });
            }
        }
        if !reading.previous && self.stage(signal) > stage {
            return Err(BlueprintError::Later {
                augmentation,
                input: site(signal),
                input_stage: self.stage(signal),
                output: site(output),
                output_stage: stage,
            });
        }
        Ok(())
    }

    /// Orders the pieces and records where each slot is read.
    fn finish(mut self) -> Result<Plan, BlueprintError> {
        for (slot, signal) in self.slots.iter().enumerate() {
            let stage = self.stage(*signal).index();
            self.plan.reads[stage].push(Slot { slot, signal: *signal });
        }
        self.plan.n_slots = self.slots.len();
        for stage in Stage::ALL {
            let of_stage: Vec<usize> = (0..self.plan.pieces.len())
                .filter(|i| self.plan.pieces[*i].stage == stage)
                .collect();
            self.plan.at[stage.index()] = in_order(&self.plan.pieces, &self.slots, of_stage)?;
        }
        Ok(self.plan)
    }
}

/// The changes of one network of an augmentation.
#[derive(Clone, Copy)]
struct Changes<'a> {
    /// The stage of the changes.
    stage: Stage,
    /// The pair of shapes whose contacts it changes, if it changes contacts.
    pair: Option<Pair>,
    /// The changed sites, at least one.
    outputs: &'a [Signal],
}

/// Orders pieces so that each runs after those whose changes it reads.
fn in_order(
    pieces: &[Piece],
    slots: &[Signal],
    mut left: Vec<usize>,
) -> Result<Vec<usize>, BlueprintError> {
    let waits = |i: usize, j: usize| i != j && reads_from(&pieces[i], &pieces[j], slots);
    let mut order = Vec::new();
    while !left.is_empty() {
        let ready = left.iter().position(|i| !left.iter().any(|j| waits(*i, *j)));
        match ready {
            Some(k) => order.push(left.remove(k)),
            None => return Err(BlueprintError::Cycle(cycle(pieces, &left, waits))),
        }
    }
    Ok(order)
}

/// Names of pieces that wait for each other; the first is repeated at the end.
fn cycle(pieces: &[Piece], left: &[usize], waits: impl Fn(usize, usize) -> bool) -> Vec<String> {
    let mut path = vec![left[0]];
    loop {
        let last = path[path.len() - 1];
        let next = left.iter().copied().find(|j| waits(last, *j)).unwrap_or(last);
        if let Some(start) = path.iter().position(|i| *i == next) {
            path.push(next);
            return path[start..].iter().map(|i| pieces[*i].name.clone()).collect();
        }
        path.push(next);
    }
}

/// Whether one piece reads what another changes.
fn reads_from(reader: &Piece, writer: &Piece, slots: &[Signal]) -> bool {
    let velocities: &[Source] = match &reader.head {
        Head::Dissipative(_, sources) => sources,
        _ => &[],
    };
    let sources = reader.inputs.iter().map(|i| i.source).chain(velocities.iter().copied());
    sources.into_iter().any(|source| {
        let signal = match source {
            Source::Slot(slot) => slots[slot],
            Source::Here(signal) if reader.outputs.contains(&signal) => return false,
            Source::Here(signal) => signal,
            Source::Past(_) => return false,
        };
        writer.outputs.iter().any(|output| overlap(signal, *output))
            || matches!(writer.head, Head::Symmetric(links, _) if links.iter().any(|l| wrench_of(signal) == Some(*l)))
    })
}

/// Whether a change of one signal also changes the other: they may be the same quantity under different names.
fn overlap(read: Signal, changed: Signal) -> bool {
    use ContactSignal::{Friction, Normal, NormalForce, Parting, Rate, Slide, Speed};
    let local = |s: Signal| matches!(s, Signal::LocalForce(..) | Signal::LocalTorque(..));
    match (read, changed) {
        (Signal::Contact(a, x), Signal::Contact(b, y)) => {
            let by_frame =
                matches!(x, Rate | Parting | Slide(_) | Speed | NormalForce | Friction(_));
            let same = match x {
                Parting => y == Rate,
                Speed => matches!(y, Slide(_)),
                _ => x == y,
            };
            let alike = same || matches!(y, Normal(_)) && (by_frame || matches!(x, Normal(_)));
            alike && (a == b || a == Pair(None) || b == Pair(None))
        }
        _ if local(read) != local(changed) => {
            wrench_of(read).is_some() && wrench_of(read) == wrench_of(changed)
        }
        _ => read == changed,
    }
}

/// The link on which a signal is a force.
fn wrench_of(signal: Signal) -> Option<LinkId> {
    match signal {
        Signal::Force(link, _)
        | Signal::Torque(link, _)
        | Signal::LocalForce(link, _)
        | Signal::LocalTorque(link, _) => Some(link),
        _ => None,
    }
}

/// The two links of a symmetric augmentation, and whether it has a torque.
fn symmetric(outputs: &[Signal]) -> Option<([LinkId; 2], bool)> {
    let half = outputs.len() / 2;
    let (first, second) = outputs.split_at(half);
    let link = |signals: &[Signal]| match signals.first()? {
        Signal::Force(link, 0) => Some(*link),
        _ => None,
    };
    let (a, b) = (link(first)?, link(second)?);
    let wrench = |link: LinkId| -> Vec<Signal> {
        let forces = (0..3).map(|k| Signal::Force(link, k));
        forces.chain((0..3).map(|k| Signal::Torque(link, k))).collect()
    };
    let is = |n: usize| half == n && first == &wrench(a)[..n] && second == &wrench(b)[..n];
    (a != b && (is(3) || is(6))).then_some(([a, b], half == 6))
}
