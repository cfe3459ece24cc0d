//! Which surfaces act between the shapes of a model, and which numbers decide nothing.
//!
//! Where two shapes touch, each number of the surface is that of their listed pair, else that of one of the two shapes
//! ([`Material::between`]). A number that never is the one that counts has no influence on any motion.

use gradbody_model::{
    ContactLaw, FrictionOf, Material, MaterialScalar, Model, ParamId, ShapeId, Topology,
};

use crate::geometry::slots;
use crate::{Candidates, Rule, Solver};

/// The pairs of shapes of a model that may touch, and their surfaces.
#[derive(Clone, Debug)]
pub struct Surfaces<'m> {
    model: &'m Model<f64>,
    candidates: Candidates,
    /// No contact acts.
    off: bool,
    all_compliant: bool,
}

/// Two shapes that may touch; `a` has the lower number.
#[derive(Clone, Copy, Debug)]
struct Touching {
    a: ShapeId,
    b: ShapeId,
    rule: Rule,
}

/// Why a number has no influence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// The reason, as the end of a sentence.
    pub why: String,
    /// Whether that is so for all values of the numbers.
    pub always: bool,
}

impl<'m> Surfaces<'m> {
    /// The surfaces of a model whose contacts this solver finds.
    pub fn new(model: &'m Model<f64>, solver: &Solver) -> Self {
        Surfaces {
            model,
            candidates: Candidates::new(&model.topology),
            off: matches!(solver, Solver::Off),
            all_compliant: matches!(solver, Solver::HuntCrossley),
        }
    }

    /// The coefficients of sliding friction that act, and between which shapes: `0.8 between ground and foot, shin`.
    /// Pairs with the same coefficient and the same shape of the world share an entry.
    pub fn frictions(&self) -> Vec<String> {
        let topology = &self.model.topology;
        let of_world = |shape: &ShapeId| {
            topology.frames[topology.shapes[shape.index()].frame.index()].link.is_none()
        };
        let mut groups: Vec<Group> = Vec::new();
        for i in 0..topology.shapes.len() {
            let first = ShapeId::new(i);
            for pair in self.with(first).filter(|pair| pair.a == first) {
                let friction = self.material(&pair).friction;
                let world = [pair.a, pair.b].into_iter().find(of_world);
                let key = (friction.to_bits(), world);
                let group = match groups.iter_mut().position(|group| group.key == key) {
                    Some(known) => &mut groups[known],
                    None => {
                        groups.push(Group { key, friction, pairs: Vec::new(), more: 0 });
                        let last = groups.len() - 1;
                        &mut groups[last]
                    }
                };
                match group.pairs.len() < FEW {
                    true => group.pairs.push((pair.a, pair.b)),
                    false => group.more += 1,
                }
            }
        }
        // The world's shapes first: most contacts are with them.
        groups.sort_by_key(|group| (group.key.1.is_none(), group.key.1));
        let mut texts: Vec<String> =
            groups.iter().take(MOST_GROUPS).map(|group| group.text(topology)).collect();
        if let Some(rest) = groups.get(MOST_GROUPS..).filter(|rest| !rest.is_empty()) {
            let pairs: usize = rest.iter().map(|group| group.pairs.len() + group.more).sum();
            texts.push(format!("other numbers between {pairs} more pairs"));
        }
        texts
    }

    /// Whether a shape may touch any other.
    pub fn may_touch(&self, shape: ShapeId) -> bool {
        !self.off && self.with(shape).next().is_some()
    }

    /// Why a number of a shape or of a listed pair has no influence on any contact; `None` if it has, or if it is no
    /// such number.
    pub fn idle(&self, id: ParamId) -> Option<Idle> {
        let topology = &self.model.topology;
        let (shape, number) = match id {
            ParamId::ShapePlacement(shape, _) | ParamId::ShapeSize(shape, _) => (shape, None),
            ParamId::ShapeMaterial(shape, number) => (shape, Some(number)),
            ParamId::PairMaterial(pair, number) => {
                (topology.contact_pairs[pair.index()].a, Some(number))
            }
            _ => return None,
        };
        let always = |why: String| Some(Idle { why, always: true });
        if self.off {
            return always("contacts are switched off".into());
        }
        let of_pair = |touching: &Touching| match id {
            ParamId::PairMaterial(pair, _) => touching.rule.pair == Some(pair),
            _ => true,
        };
        let own: Vec<Touching> = self.with(shape).filter(of_pair).collect();
        if own.is_empty() {
            return always(match id {
                ParamId::PairMaterial(..) => "shapes of these kinds do not touch".into(),
                _ => format!("no other shape can touch {}", name(topology, shape)),
            });
        }
        let number = number?;
        let used: Vec<&Touching> = own.iter().filter(|pair| is_used(number, &pair.rule)).collect();
        let Some(first) = used.first() else {
            let counts = number.name().replace('_', " ");
            return always(format!("{counts} counts only where a contact {}", use_of(number)));
        };
        if let ParamId::PairMaterial(..) = id {
            return None;
        }
        let decided: Option<Vec<Decided>> =
            used.iter().map(|pair| self.decided_by_other(shape, number, pair)).collect();
        let decided = decided?;
        let [a, b] = [first.a, first.b].map(|shape| name(topology, shape));
        let likewise = match decided.len() {
            1 => String::new(),
            2 => ", and likewise in its other pair".into(),
            n => format!(", and likewise in its {} other pairs", n - 1),
        };
        let why = format!("between {a} and {b}, {}{likewise}", decided[0].why);
        Some(Idle { why, always: decided.iter().all(|decided| decided.always) })
    }

    /// The pairs of a shape.
    fn with(&self, shape: ShapeId) -> impl Iterator<Item = Touching> {
        let shapes = &self.model.topology.shapes;
        let others = (0..shapes.len()).map(ShapeId::new).filter(move |other| *other != shape);
        others.filter(|_| !self.off).filter_map(move |other| {
            let (a, b) = (shape.min(other), shape.max(other));
            let mut rule = self.candidates.rule(a, b)?;
            if self.all_compliant {
                rule.law = ContactLaw::Compliant;
            }
            let touch = slots(&shapes[a.index()].kind, &shapes[b.index()].kind) > 0;
            touch.then_some(Touching { a, b, rule })
        })
    }

    fn material(&self, pair: &Touching) -> Material<f64> {
        let params = &self.model.params;
        match pair.rule.pair {
            Some(own) => params.pairs[own.index()],
            None => {
                let [a, b] = [pair.a, pair.b].map(|s| &params.shapes[s.index()].material);
                Material::between(a, b, pair.rule.friction)
            }
        }
    }

    /// What decides a number of a pair, if that is not the number of `shape`.
    fn decided_by_other(
        &self,
        shape: ShapeId,
        number: MaterialScalar,
        pair: &Touching,
    ) -> Option<Decided> {
        let Model { topology, params } = self.model;
        if let Some(own) = pair.rule.pair {
            let path = topology.param_path(ParamId::PairMaterial(own, number));
            return Some(Decided { why: format!("{path} counts"), always: true });
        }
        let other = if pair.a == shape { pair.b } else { pair.a };
        let path = topology.param_path(ParamId::ShapeMaterial(other, number));
        let is_friction =
            matches!(number, MaterialScalar::Friction | MaterialScalar::StaticFriction);
        let friction = if is_friction { pair.rule.friction } else { FrictionOf::Larger };
        let decides = match friction {
            FrictionOf::A => pair.a,
            FrictionOf::B => pair.b,
            FrictionOf::Larger => {
                let [own, other] =
                    [shape, other].map(|s| *params.shapes[s.index()].material.get(number));
                let (counts, beaten) = match number.smaller_counts() {
                    true => ("smaller", other < own),
                    false => ("larger", other > own),
                };
                let why = format!("the {counts} number counts, and {path} is {other}");
                return beaten.then_some(Decided { why, always: false });
            }
        };
        let name = name(topology, shape);
        let why = format!("{path} counts, because the friction of {name} is not given");
        (decides != shape).then_some(Decided { why, always: true })
    }
}

/// What decides a number of a pair instead.
struct Decided {
    why: String,
    /// Whether that is so for all values of the numbers.
    always: bool,
}

/// Pairs with the same friction.
struct Group {
    /// The bits of the coefficient, and the shape of the world that all pairs have, if they have one.
    key: (u64, Option<ShapeId>),
    friction: f64,
    /// The first few.
    pairs: Vec<(ShapeId, ShapeId)>,
    /// How many others there are.
    more: usize,
}

/// At most this many pairs of a group are named, and this many groups.
const FEW: usize = 6;
const MOST_GROUPS: usize = 12;

impl Group {
    fn text(&self, topology: &Topology) -> String {
        let name = |shape: ShapeId| name(topology, shape);
        let between = match self.key.1 {
            Some(world) => {
                let others =
                    self.pairs.iter().map(|(a, b)| name(if *a == world { *b } else { *a }));
                format!("{} and {}", name(world), others.collect::<Vec<_>>().join(", "))
            }
            None => {
                let both = |(a, b): &(ShapeId, ShapeId)| format!("{} and {}", name(*a), name(*b));
                self.pairs.iter().map(both).collect::<Vec<_>>().join(", ")
            }
        };
        let more = match self.more {
            0 => String::new(),
            more => format!(", … ({more} more)"),
        };
        format!("{} between {between}{more}", self.friction)
    }
}

fn name(topology: &Topology, shape: ShapeId) -> &str {
    &topology.shapes[shape.index()].name
}

/// Whether contacts of this rule use a number of their surface.
fn is_used(number: MaterialScalar, rule: &Rule) -> bool {
    use MaterialScalar::*;
    match number {
        Friction => true,
        TorsionalFriction | RollingFriction => rule.resists_turning,
        StaticFriction | SlipVelocity | Stiffness | Damping | Exponent => {
            rule.law == ContactLaw::Compliant
        }
        Restitution | PositionGain | VelocityGain | Cfm => rule.law == ContactLaw::Rigid,
    }
}

/// Where `is_used` holds: the end of `counts only where a contact …`.
fn use_of(number: MaterialScalar) -> &'static str {
    use MaterialScalar::*;
    match number {
        Friction => "acts",
        TorsionalFriction | RollingFriction => "resists turning",
        StaticFriction | SlipVelocity | Stiffness | Damping | Exponent => "is compliant",
        Restitution | PositionGain | VelocityGain | Cfm => "is rigid",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gradbody_model::import::{ImportOptions, from_text};
    use gradbody_model::{ContactLaw, ContactPair, Material, Model};

    use super::Surfaces;
    use crate::Solver;

    /// A trunk with two arms, which can touch each other; `right` is what the file says of the right arm's surface.
    fn robot(right: &str) -> Model<f64> {
        let link = |name: &str, surface: &str| {
            format!(
                r#"<link name="{name}"><inertial><mass value="1"/>
                <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
                <collision><geometry><sphere radius="0.1"/></geometry></collision>{surface}</link>"#
            )
        };
        let joint = |child: &str| {
            format!(
                r#"<joint name="{child}" type="continuous"><parent link="trunk"/><child link="{child}"/></joint>"#
            )
        };
        let text = format!(
            r#"<robot name="r">{}{}{}{}{}</robot>"#,
            link("trunk", ""),
            link("left", ""),
            link("right", right),
            joint("left"),
            joint("right"),
        );
        from_text(&text, Path::new("r.urdf"), &ImportOptions::default()).unwrap().model
    }

    fn on_ground(mut model: Model<f64>, friction: f64) -> Model<f64> {
        model.add_ground(0.0, Material::with_friction(friction)).unwrap();
        model
    }

    fn frictions(model: &Model<f64>) -> Vec<String> {
        Surfaces::new(model, &Solver::default()).frictions()
    }

    fn idle(model: &Model<f64>, path: &str) -> Option<(String, bool)> {
        let id = model.topology.param_id(path).unwrap();
        Surfaces::new(model, &Solver::default()).idle(id).map(|idle| (idle.why, idle.always))
    }

    #[test]
    fn friction_of_the_ground_acts_where_a_file_gives_none_and_links_keep_theirs() {
        let nothing = on_ground(robot(""), 0.05);
        let all = ["0.05 between ground and trunk, left, right", "1 between left and right"];
        assert_eq!(frictions(&nothing), all);

        let given = r#"<contact><lateral_friction value="0.5"/></contact>"#;
        let given = on_ground(robot(given), 0.05);
        let expected = [
            "0.05 between ground and trunk, left",
            "0.5 between ground and right",
            "1 between left and right",
        ];
        assert_eq!(frictions(&given), expected);

        // A program that has set a number has given it.
        let mut set = robot("");
        set.params.shapes[0].material.friction = 0.7;
        let set = on_ground(set, 0.0);
        assert_eq!(frictions(&set)[0], "0.7 between ground and trunk");
        assert_eq!(frictions(&set)[1], "0 between ground and left, right");
        assert!(Surfaces::new(&set, &Solver::Off).frictions().is_empty());
    }

    #[test]
    fn friction_without_influence_is_told_with_its_reason() {
        let mut model = on_ground(robot(""), 0.05);
        assert_eq!(idle(&model, "shape/ground/friction"), None);
        assert_eq!(idle(&model, "shape/left/friction"), None, "it counts between the arms");
        let (why, always) = idle(&model, "shape/trunk/friction").unwrap();
        let reason = "between trunk and ground, shape/ground/friction counts, because the friction of trunk is not \
                      given";
        assert_eq!((why.as_str(), always), (reason, true));
        let (why, _) = idle(&model, "shape/trunk/stiffness").unwrap();
        assert_eq!(why, "stiffness counts only where a contact is compliant");

        // Given, but smaller than the ground's.
        let trunk = model.topology.param_id("shape/trunk/friction").unwrap();
        model.topology.note_friction_given(trunk);
        model.set(trunk, 0.01);
        let (why, always) = idle(&model, "shape/trunk/friction").unwrap();
        let reason =
            "between trunk and ground, the larger number counts, and shape/ground/friction is 0.05";
        assert_eq!((why.as_str(), always), (reason, false));
        model.set(trunk, 0.05);
        assert_eq!(idle(&model, "shape/trunk/friction"), None, "equal: a larger one would count");

        // A pair with a surface of its own.
        let [trunk, ground] = ["trunk", "ground"].map(|name| model.topology.shape(name).unwrap());
        let pair =
            ContactPair { a: trunk, b: ground, law: ContactLaw::Rigid, resists_turning: false };
        model.topology.contact_pairs.push(pair);
        model.params.pairs.push(Material::with_friction(0.4));
        let (why, always) = idle(&model, "shape/trunk/friction").unwrap();
        let reason = "between trunk and ground, contact/trunk-ground/friction counts";
        assert_eq!((why.as_str(), always), (reason, true));
        assert_eq!(idle(&model, "contact/trunk-ground/friction"), None);
        assert_eq!(idle(&model, "link/trunk/mass"), None, "no number of a surface");
    }

    #[test]
    fn friction_of_a_shape_that_nothing_can_touch_has_no_influence() {
        let model = robot("");
        let (why, always) = idle(&model, "shape/trunk/friction").unwrap();
        assert_eq!((why.as_str(), always), ("no other shape can touch trunk", true));
        assert!(idle(&model, "shape/trunk/size/x").is_some());
        assert_eq!(idle(&model, "shape/left/friction"), None);
    }
}
