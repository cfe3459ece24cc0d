//! What should be known of a task before its search.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

use gradbody_contact::{Contact, Idle, Surfaces};
use gradbody_control::{Problem, Quantity, Shooting};
use gradbody_experiment::{matching, toml_text};
use gradbody_math::Vec3;
use gradbody_math::names::{list, matches};
use gradbody_math::text::number;
use gradbody_model::{DofKind, JointKind, Link, LinkId, Shape, ShapeId};
use gradbody_optimise::Objective as _;
use gradbody_sim::{GradientOptions, Input, NoTaps, StepScratch, StepTrace, step};

use crate::Setup;
use crate::setup::place_of;

/// A note, and the place in the task's file that it is about, if there is one.
type Told = (Option<String>, String);

/// Shapes that overlap by more than this are told [m]: more than rounding of a start, less than any foot.
const DEEP: f64 = 5e-3;

/// So many joints outside their ranges are told one by one.
const MOST_JOINTS: usize = 6;

impl Setup {
    /// Things to tell before the search, as of costs that the actions do not change near the first motion. Those that are
    /// about a place in `text`, the contents of the file `file`, name its line.
    pub fn notes(&self, text: &str, file: &str) -> Vec<String> {
        let with_line = |(place, told): Told| match place {
            Some(place) => toml_text::at(&place, &told, text, file),
            None => told,
        };
        self.told().into_iter().map(with_line).collect()
    }

    fn told(&self) -> Vec<Told> {
        let mut notes = self.notes_of_start();
        notes.extend(self.notes_of_surfaces());
        notes.extend(self.notes_of_bounds());
        notes.extend(self.notes_of_costs());
        notes
    }

    /// What is impossible in the start, as ends of sentences that begin with "at the start", and where it is said.
    pub(crate) fn wrong_start(&self) -> Vec<(String, String)> {
        let mut wrong = self.outside_ranges();
        if let Some(more) = wrong.len().checked_sub(MOST_JOINTS + 1) {
            wrong.truncate(MOST_JOINTS);
            let place = self.place_of_position("");
            wrong.push((place, format!("{} more joints are outside their ranges", more + 1)));
        }
        wrong.extend(self.overlap());
        wrong
    }

    /// Joints that are outside their ranges, or turned by more than anybody means.
    fn outside_ranges(&self) -> Vec<(String, String)> {
        let Problem { model, start, .. } = &self.problem;
        let joints = model.topology.links.iter().zip(&model.params.joints);
        let one_axis = joints.filter(|(link, _)| link.joint.kind.nv() == 1);
        let told = one_axis.filter_map(|(link, params)| {
            let (joint, q) = (&link.joint, start.q[link.joint.q_start]);
            let (lower, upper) = (params.limit_lower, params.limit_upper);
            let turns = joint.kind.dofs()[0] == DofKind::Angular;
            let (name, value) = (&joint.name, number(q));
            let why = if !(lower..=upper).contains(&q) {
                let unit = if turns { "rad" } else { "m" };
                let are_degrees =
                    turns && q.abs() > PI && (lower..=upper).contains(&q.to_radians());
                let hint = if are_degrees { "; are these degrees?" } else { "" };
                format!(
                    "{name} = {value} is outside {} to {} {unit}{hint}",
                    number(lower),
                    number(upper)
                )
            } else if turns && q.abs() > TAU {
                format!("{name} = {value} rad are {:.1} turns; are these degrees?", q.abs() / TAU)
            } else {
                return None;
            };
            Some((self.place_of_position(name), why))
        });
        told.collect()
    }

    /// Where the start says a position.
    fn place_of_position(&self, name: &str) -> String {
        let spec = &self.task.start;
        let mut patterns = spec.positions.keys().rev();
        let key = match spec.positions.contains_key(name) {
            true => Some(name),
            false => patterns.find(|pattern| matches(pattern, name)).map(String::as_str),
        };
        match key {
            _ if spec.settle > 0.0 => "start.settle".to_owned(),
            Some(key) => format!("start.positions.\"{key}\""),
            None if spec.q.is_some() => "start.q".to_owned(),
            None if !spec.positions.is_empty() => "start.positions".to_owned(),
            None => "start.key".to_owned(),
        }
    }

    /// The shapes that overlap most, if they do so deeply.
    fn overlap(&self) -> Option<(String, String)> {
        let Problem { model, start, options, actions, .. } = &self.problem;
        let topology = &model.topology;
        let mut input = Input::none(model);
        actions.write(&self.begin[..actions.len()], &mut input);
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let mut state = start.clone();
        step(model, &mut state, &input, options, &mut NoTaps, &mut trace, &mut scratch);
        let deepest = trace.contacts().iter().min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        let Contact { id, gap, link_a, link_b, .. } = *deepest;
        if gap > -DEEP {
            return None;
        }
        let free = [link_a, link_b].into_iter().flatten().find_map(|link| self.free_joint(link));
        let such = free.map_or(String::new(), |name| format!(", such as \"{name}/z\""));
        let advice = match (link_a, link_b) {
            (Some(_), Some(_)) => {
                "change start.positions, or let links pass through each other (model.self-collision = false)"
                    .to_owned()
            }
            _ => format!("change start.positions{such}"),
        };
        let name = |shape: ShapeId| &topology.shapes[shape.index()].name;
        let depth = number(-gap);
        let (a, b) = (name(id.a), name(id.b));
        let why =
            format!("\"{a}\" and \"{b}\" overlap by {depth} m and will be pushed apart; {advice}");
        let place = free.map_or(String::new(), |name| format!("{name}/z"));
        Some((self.place_of_position(&place), why))
    }

    /// The name of the free joint that carries a link.
    fn free_joint(&self, link: LinkId) -> Option<&str> {
        let links = &self.problem.model.topology.links;
        let mut next = Some(link);
        while let Some(id) = next {
            let Link { joint, parent, .. } = &links[id.index()];
            if joint.kind == JointKind::Free {
                return Some(&joint.name);
            }
            next = *parent;
        }
        None
    }

    /// Notes on a start that is impossible and on robots without a ground.
    fn notes_of_start(&self) -> Vec<Told> {
        let mut notes: Vec<Told> = Vec::new();
        for (place, why) in self.wrong_start() {
            notes.push((Some(place), format!("at the start {why}")));
        }
        let model = &self.problem.model;
        let is_free = |link: &Link| link.joint.kind == JointKind::Free;
        let fixed = |shape: &Shape| model.topology.frames[shape.frame.index()].link.is_none();
        let falls = model.topology.links.iter().any(is_free)
            && !model.topology.shapes.iter().any(fixed)
            && model.params.gravity != Vec3::ZERO;
        if falls {
            let told = "nothing is fixed to the world, so what is free falls: see model.ground";
            notes.push((None, told.to_owned()));
        }
        notes
    }

    /// Notes on the friction that acts, and on numbers of surfaces that have no influence.
    fn notes_of_surfaces(&self) -> Vec<Told> {
        let model = &self.problem.model;
        let surfaces = self.surfaces();
        let mut notes = Vec::new();
        let frictions = surfaces.frictions();
        if !frictions.is_empty() {
            notes.push((None, format!("the friction that acts is {}", frictions.join("; "))));
        }
        for pattern in self.task.model.set.keys() {
            let ids = matching(&model.topology, pattern);
            let idle: Option<Vec<Idle>> = ids.into_iter().map(|id| surfaces.idle(id)).collect();
            if let Some(first) = idle.as_ref().and_then(|idle| idle.first()) {
                let place = format!("model.set.\"{pattern}\"");
                let told = format!("{place} has no influence: {}", first.why);
                notes.push((Some(place), told));
            }
        }
        notes
    }

    fn surfaces(&self) -> Surfaces<'_> {
        let Problem { model, options, .. } = &self.problem;
        Surfaces::new(model, &options.contact.solver)
    }

    /// Notes on actions that begin at a bound, and on what cannot change.
    fn notes_of_bounds(&self) -> Vec<Told> {
        let mut notes = Vec::new();
        let place = || Some("actions.bounds".to_owned());
        // A value that is not zero was chosen to hold the start.
        let (zero, holding): (Vec<_>, Vec<_>) =
            self.clamped.iter().partition(|(_, sought)| *sought == 0.0);
        if !holding.is_empty() {
            let names = list(holding.iter().map(|(name, _)| name.as_str()));
            let told = format!(
                "what holds the start is beyond the bounds of {names}, so the search begins at the bound"
            );
            notes.push((place(), told));
        }
        if !zero.is_empty() {
            let names = list(zero.iter().map(|(name, _)| name.as_str()));
            let told =
                format!("zero is beyond the bounds of {names}, so the search begins at the bound");
            notes.push((place(), told));
        }
        let actions = &self.problem.actions;
        let bounds = actions.lower.iter().copied().zip(actions.upper.iter().copied());
        let names = self.action_names.iter().chain(self.parameters.names());
        let all = names.zip(bounds.chain(self.parameter_bounds.iter().copied()));
        let (still, moving): (Vec<_>, Vec<_>) = all.partition(|(_, (lower, upper))| lower == upper);
        if !still.is_empty() {
            let names = list(still.iter().map(|(name, _)| name.as_str()));
            let told = match moving.is_empty() {
                true => format!("nothing can change: the bounds of {names} are equal"),
                false => format!("{names} cannot change: the bounds are equal"),
            };
            notes.push((place(), told));
        }
        notes
    }

    /// Notes on costs that nothing changes.
    fn notes_of_costs(&self) -> Vec<Told> {
        let mut notes = self.notes_of_contact_forces();
        let mut costs_something = false;
        for cost in &self.problem.costs {
            let problem = Problem { costs: vec![cost.clone()], ..self.problem.clone() };
            let (parameters, bounds) = (self.parameters.clone(), &self.parameter_bounds);
            let how = GradientOptions::default();
            let Ok(shooting) = Shooting::new(problem, parameters, bounds, how) else {
                costs_something = true;
                continue;
            };
            let numbers = shooting.begin_with(&self.begin);
            let mut gradient = vec![0.0; numbers.len()];
            let value = shooting.gradient(&numbers, &mut gradient);
            costs_something |= value != 0.0;
            if value > 0.0 && gradient.iter().all(|slope| *slope == 0.0) {
                let told = format!(
                    "costs.{}: nothing that the plan chooses changes it in the first motion",
                    cost.name
                );
                notes.push((Some(place_of(cost)), told));
            }
        }
        if !costs_something {
            let told = "all costs are zero in the first motion, so there is nothing to improve";
            notes.push((Some("costs".to_owned()), told.to_owned()));
        }
        notes
    }

    /// Notes on contact forces of links that touch nothing.
    fn notes_of_contact_forces(&self) -> Vec<Told> {
        let topology = &self.problem.model.topology;
        let surfaces = self.surfaces();
        let touches = |link: LinkId| {
            let shapes = topology.shapes.iter().enumerate();
            let own = |shape: &Shape| topology.frames[shape.frame.index()].link == Some(link);
            shapes.filter(|(_, shape)| own(shape)).any(|(k, _)| surfaces.may_touch(ShapeId::new(k)))
        };
        let mut told = BTreeSet::new();
        let mut notes = Vec::new();
        for cost in &self.problem.costs {
            let Quantity::ContactForce(link) = cost.quantity else { continue };
            if !touches(link) && told.insert(link.index()) {
                let name = &topology.links[link.index()].name;
                let why =
                    format!("link \"{name}\" touches nothing, so its contact force is always zero");
                notes.push((Some(place_of(cost)), format!("costs.{}: {why}", cost.name)));
            }
        }
        notes
    }
}
