//! `[costs.NAME]`: what is compared, where it should be, when, and how much a difference costs.

use gradbody_control::{Actions, Cost, Quantity, Shape, When};
use gradbody_data::one_or_many;
use gradbody_dynamics::{Kinematics, centre_of_mass, frame_pose, integrate, kinematics};
use gradbody_experiment::ExperimentError;
use gradbody_math::names::{did_you_mean, list_at_most};
use gradbody_math::{Quat, Vec3};
use gradbody_model::{JointKind, Model};
use gradbody_sim::State;
use serde::{Deserialize, Serialize};

use crate::catalogue::{Group, Part, Rests, groups};

/// A term of what a motion costs: half the squares of differences from a target, unless `width` or `outside` is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CostSpec {
    /// What is compared, by names or patterns: `joint/*/position`, `link/trunk/position/z`, `control/*`.
    #[serde(deserialize_with = "one_or_many")]
    pub of: Vec<String>,
    /// Where it should be. Without it positions, orientations and axes should be as at the start, actions as the search
    /// begins with, and everything else zero.
    #[serde(default)]
    pub target: Option<Numbers>,
    /// Whether the target is counted from the start.
    #[serde(default)]
    pub relative: bool,
    /// How much a difference costs.
    #[serde(default = "one")]
    pub weight: Numbers,
    /// When it counts.
    #[serde(default)]
    pub when: Span,
    /// Differences beyond this size cost in proportion, not by their squares.
    #[serde(default)]
    pub width: Option<f64>,
    /// Only what is beyond this range costs.
    #[serde(default)]
    pub outside: Option<(f64, f64)>,
    /// The task is done if no difference is larger than this.
    #[serde(default)]
    pub within: Option<f64>,
}

/// A number, or one for each of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or a list of numbers")]
pub enum Numbers {
    /// The same for all.
    One(f64),
    /// One for each.
    Each(Vec<f64>),
}

fn one() -> Numbers {
    Numbers::One(1.0)
}

impl Numbers {
    /// One for each part of a group, out of a list for all parts of a cost.
    fn of(&self, group: &NamedGroup, all: &[String]) -> Result<Vec<f64>, String> {
        match self {
            Numbers::One(number) => Ok(vec![*number; group.places.len()]),
            Numbers::Each(numbers) if numbers.len() == all.len() => {
                Ok(group.places.iter().map(|place| numbers[*place]).collect())
            }
            Numbers::Each(numbers) => {
                let (given, needed) = (numbers.len(), all.len());
                let is = if needed == 1 { "is" } else { "are" };
                let names = list_at_most(MOST_NAMES, all.iter().map(String::as_str));
                Err(format!("{given} numbers are given, and {needed} {is} compared: {names}"))
            }
        }
    }
}

/// So many names are told.
const MOST_NAMES: usize = 12;

/// A group with the parts that a cost names.
struct NamedGroup {
    group: Group,
    /// For each part, its place among all parts of the cost, which are in the order of `of`.
    places: Vec<usize>,
}

/// The parts that `of` names: by groups, and the names of all in its order.
fn named(of: &[String], groups: Vec<Group>) -> (Vec<NamedGroup>, Vec<String>) {
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (g, group) in groups.iter().enumerate() {
        for (p, part) in group.parts.iter().enumerate() {
            if let Some(first) = of.iter().position(|of| part.is_of(of)) {
                found.push((first, g, p));
            }
        }
    }
    found.sort_unstable();
    let name = |(_, g, p): &(usize, usize, usize)| groups[*g].parts[*p].name.clone();
    let all = found.iter().map(name).collect();
    let of_group = |(g, group): (usize, Group)| {
        let own = || found.iter().enumerate().filter(|(_, (_, other, _))| *other == g);
        let places: Vec<usize> = own().map(|(place, _)| place).collect();
        let parts = own().map(|(_, (.., p))| group.parts[*p].clone()).collect();
        (!places.is_empty()).then_some(NamedGroup { group: Group { parts, ..group }, places })
    };
    (groups.iter().cloned().enumerate().filter_map(of_group).collect(), all)
}

/// When a cost counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(
    rename_all = "kebab-case",
    expecting = "expected \"always\", \"end\" or { between = [from, to] }"
)]
pub enum Span {
    /// All the time: it is integrated over time.
    #[default]
    Always,
    /// At the end of the plan.
    End,
    /// From a time to another [s]; integrated over time.
    Between(f64, f64),
}

impl Span {
    fn when(self) -> When {
        match self {
            Span::Always => When::Always,
            Span::End => When::End,
            Span::Between(from, to) => When::Between { from, to },
        }
    }
}

/// What targets are counted from.
pub(crate) struct Origin<'a> {
    pub(crate) model: &'a Model<f64>,
    pub(crate) start: &'a State<f64>,
    pub(crate) actions: &'a Actions,
    /// The actions that the search begins with.
    pub(crate) begin: &'a [f64],
}

impl CostSpec {
    /// The costs that it stands for: one for each quantity that it names.
    pub(crate) fn costs(
        &self,
        name: &str,
        from: &Origin<'_>,
    ) -> Result<Vec<Cost>, ExperimentError> {
        let wrong =
            |key: &str, why: String| ExperimentError::wrong(format!("costs.{name}{key}"), why);
        if self.width.is_some() && self.outside.is_some() {
            return Err(wrong(".width", "give either width or outside".into()));
        }
        if let Some(within) = self.within.filter(|within| within.is_nan() || *within < 0.0) {
            return Err(wrong(".within", format!("{within}: it must not be negative")));
        }
        if self.of.is_empty() {
            return Err(wrong(".of", "nothing is compared".into()));
        }
        let groups = groups(from.model, from.actions);
        for of in &self.of {
            if !groups.iter().flat_map(|group| &group.parts).any(|part| part.is_of(of)) {
                return Err(wrong(".of", unknown(of, &groups, from)));
            }
        }
        if let Span::Between(from, to) = self.when {
            if !(from.is_finite() && to.is_finite()) {
                let why = format!("{from} to {to}: finite times are needed [s]");
                return Err(wrong(".when", why));
            }
            if from > to {
                return Err(wrong(".when", format!("the times are crossed: {from} to {to} s")));
            }
        }
        let (named, all) = named(&self.of, groups);
        let kinds = named.len();
        let turns =
            |named: &NamedGroup| matches!(named.group.quantity, Quantity::FrameOrientation(_));
        let is_list = matches!(self.target, Some(Numbers::Each(_)));
        if is_list && named.iter().any(turns) && !named.iter().all(turns) {
            let why =
                "an orientation has a quaternion as its target, so it needs a cost of its own";
            return Err(wrong(".target", why.into()));
        }
        let mut costs = Vec::with_capacity(kinds);
        for named in named {
            let weights = self.weight.of(&named, &all).map_err(|why| wrong(".weight", why))?;
            if weights.iter().all(|weight| *weight == 0.0) {
                return Err(wrong(".weight", "a weight of 0 costs nothing".into()));
            }
            let target = self.target(&named, &all, from).map_err(|why| wrong(".target", why))?;
            let group = named.group;
            let quantity = quantity(&group);
            let weights = match quantity.is_vector() {
                false => weights,
                true => {
                    let mut of_parts = vec![0.0; 3];
                    for (part, weight) in group.parts.iter().zip(&weights) {
                        of_parts[part.index] = *weight;
                    }
                    of_parts
                }
            };
            let whole = group.parts[0].whole.clone();
            costs.push(Cost {
                name: if kinds > 1 { format!("{name} ({whole})") } else { name.to_owned() },
                quantity,
                target,
                weights,
                shape: match (self.width, self.outside) {
                    (Some(width), _) => Shape::Absolute { width },
                    (_, Some((lower, upper))) => Shape::Outside { lower, upper },
                    (None, None) => Shape::Square,
                },
                when: self.when.when(),
            });
        }
        Ok(costs)
    }

    /// The whole target of a quantity, from the numbers for its parts. `all` are the names of all parts of the cost.
    fn target(
        &self,
        named: &NamedGroup,
        all: &[String],
        from: &Origin<'_>,
    ) -> Result<Vec<f64>, String> {
        let Origin { model, start, begin, .. } = *from;
        let group = &named.group;
        let rests = self.rests(group)?;
        let numbers = match (&self.target, &group.quantity) {
            (Some(Numbers::Each(turn)), Quantity::FrameOrientation(_)) if turn.len() == 4 => {
                if self.relative {
                    return Err("an orientation cannot be counted from the start".into());
                }
                if turn.iter().all(|x| *x == 0.0) {
                    return Err("a zero quaternion is not an orientation; use [1, 0, 0, 0]".into());
                }
                return Ok(turn.clone());
            }
            (Some(_), Quantity::FrameOrientation(_)) => {
                return Err("an orientation needs a quaternion [w, x, y, z]".into());
            }
            (Some(numbers), _) => Some(numbers.of(named, all)?),
            (None, _) => None,
        };
        // How far each part is from where it rests.
        let offset = |k: usize| numbers.as_ref().map_or(0.0, |numbers| numbers[k]);
        match &group.quantity {
            Quantity::Configuration(_) => {
                let mut dq = vec![0.0; model.nv()];
                for (k, Part { name, index, .. }) in group.parts.iter().enumerate() {
                    let is = flat_position(model, start, *index);
                    dq[*index] = match (rests, is) {
                        (Rests::Start, _) => offset(k),
                        (_, Some(is)) => offset(k) - is,
                        (_, None) => {
                            return Err(format!(
                                "{name} is a rotation: set relative = true, or compare link/…/orientation"
                            ));
                        }
                    };
                }
                let mut q = start.q.clone();
                integrate(model, &mut q, &dq);
                Ok(q)
            }
            Quantity::FrameOrientation(frame) => {
                let kin = kinematics_of(model, start);
                let turn = Quat::from_mat3(&frame_pose(model, &kin, *frame).rot);
                Ok(turn.to_array().to_vec())
            }
            Quantity::FramePosition(_) | Quantity::FrameDirection(..) | Quantity::CentreOfMass => {
                let at_start = place(&group.quantity, model, start).to_array();
                let mut target = at_start.to_vec();
                for (k, Part { index, .. }) in group.parts.iter().enumerate() {
                    let from = if rests == Rests::Start { at_start[*index] } else { 0.0 };
                    target[*index] = from + offset(k);
                }
                Ok(target)
            }
            Quantity::Actions(_) => {
                let value = |(k, part): (usize, &Part)| match rests {
                    Rests::Begin => begin[part.index] + offset(k),
                    _ => offset(k),
                };
                Ok(group.parts.iter().enumerate().map(value).collect())
            }
            Quantity::Velocity(_) => Ok((0..group.parts.len()).map(offset).collect()),
            _ => {
                let mut target = vec![0.0; 3];
                for (k, part) in group.parts.iter().enumerate() {
                    target[part.index] = offset(k);
                }
                Ok(target)
            }
        }
    }

    /// What the numbers of the target are counted from.
    fn rests(&self, group: &Group) -> Result<Rests, String> {
        match (group.rests, &self.target) {
            (Rests::Zero, _) if self.relative => {
                Err(format!("{} cannot be counted from the start", group.parts[0].name))
            }
            (rests, Some(_)) if self.relative => Ok(rests),
            (_, None) if self.relative => Err("relative = true needs a target".into()),
            // A range is one of values, unless it is said to be around a target.
            (rests, None) if self.outside.is_none() => Ok(rests),
            _ => Ok(Rests::Zero),
        }
    }
}

/// The quantity with its coordinates or actions.
fn quantity(group: &Group) -> Quantity {
    let indices = || group.parts.iter().map(|part| part.index).collect();
    match &group.quantity {
        Quantity::Configuration(_) => Quantity::Configuration(indices()),
        Quantity::Velocity(_) => Quantity::Velocity(indices()),
        Quantity::Actions(_) => Quantity::Actions(indices()),
        vector => vector.clone(),
    }
}

/// A vector quantity of positions, in a state.
fn place(quantity: &Quantity, model: &Model<f64>, state: &State<f64>) -> Vec3<f64> {
    let kin = kinematics_of(model, state);
    match quantity {
        Quantity::FramePosition(frame) => frame_pose(model, &kin, *frame).pos,
        Quantity::FrameDirection(frame, own) => frame_pose(model, &kin, *frame).rot * *own,
        _ => centre_of_mass(model, &kin),
    }
}

fn kinematics_of(model: &Model<f64>, state: &State<f64>) -> Kinematics<f64> {
    let mut kin = Kinematics::new(model);
    kinematics(model, &state.q, &mut kin);
    kin
}

/// The position of a coordinate of v that is a number of its own; none for rotations of several axes.
fn flat_position(model: &Model<f64>, state: &State<f64>, v: usize) -> Option<f64> {
    let link = model.topology.links.iter().find(|link| link.joint.v_range().contains(&v))?;
    let (joint, k) = (&link.joint, v - link.joint.v_start);
    let is_flat = joint.kind.is_flat() || joint.kind == JointKind::Free && k < 3;
    is_flat.then(|| state.q[joint.q_start + k])
}

/// Why a name stands for nothing.
fn unknown(of: &str, groups: &[Group], from: &Origin<'_>) -> String {
    let is_action = |name: &str| name.starts_with("control/") || name.ends_with("/force");
    if is_action(of) {
        let chosen: Vec<String> =
            (0..from.actions.len()).map(|k| from.actions.name(k, from.model)).collect();
        let hint = did_you_mean(of, chosen.iter().map(String::as_str));
        return format!("the plan chooses no input \"{of}\"{hint}");
    }
    let names = groups.iter().flat_map(|group| &group.parts).map(|part| part.name.as_str());
    let wholes = groups.iter().flat_map(|group| &group.parts).map(|part| part.whole.as_str());
    let hint = did_you_mean(of, wholes.chain(names));
    if !hint.is_empty() {
        return format!("the model has no \"{of}\"{hint}");
    }
    format!(
        "the model has no \"{of}\": a cost is about joint/J/position, joint/J/velocity, link/L/position, \
         link/L/orientation, link/L/axis-z, link/L/velocity, link/L/spin, link/L/contact-force, com/position, \
         com/velocity, control/A or joint/J/force"
    )
}
