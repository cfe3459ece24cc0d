//! Where the networks of a fitted model act in a predicted motion, and how much.
//!
//! One step is taken from each state of the motion, and what the networks changed at its start is put where it acts: at
//! a joint about or along its axis, at a link's origin, at a contact. The components of one force are one vector.

use std::collections::HashMap;

use gradbody_augment::{Acted, Bound, Change, ContactSignal, Pair, Signal, sites};
use gradbody_contact::{Contact, contact_frame};
use gradbody_draw::{Effect, EffectKind, EffectSite, EffectTrack, Effects};
use gradbody_math::Vec3;
use gradbody_model::{DofKind, FrameId, LinkId, Model, ParamId, ShapeId};
use gradbody_sim::{Input, Simulation, State, StepTrace};

use crate::experiment::Setup;
use crate::judge::{Predictor, Trials};

impl Setup {
    /// What the networks of a predictor do in the step from each predicted state of a window. None if there are no
    /// networks.
    pub fn networks_at_work(
        &self,
        by: &Predictor,
        trials: &Trials,
        window: usize,
        states: &[State<f64>],
    ) -> Option<Effects> {
        by.plan.networks().next()?;
        let mut taps = Bound::new(by.plan.clone(), by.weights.clone()).ok()?;
        let mut found = Gathered::new(&by.model);
        let first = states.first()?;
        let mut world = Simulation::new(&by.model, self.step_options(by)).from_state(first.clone());
        let none = Input::none(&by.model);
        let inputs = trials.inputs(&trials.windows[window]);
        for (row, state) in states.iter().enumerate() {
            world.state.copy_from(state);
            world.input.copy_from(inputs.get(trials.given + row).unwrap_or(&none));
            world.step_with(&mut taps);
            found.begin();
            for change in taps.changes(world.trace()) {
                found.add(change, world.trace());
            }
        }
        Some(found.effects)
    }
}

/// Effects as they are gathered, moment by moment.
struct Gathered<'m> {
    model: &'m Model<f64>,
    /// Name and unit of each quantity.
    names: HashMap<Signal, (String, &'static str)>,
    effects: Effects,
}

/// A change of a quantity.
struct Changed<'a> {
    network: &'a str,
    name: String,
    unit: &'a str,
    before: f64,
    by: f64,
}

/// How a change is drawn.
struct Drawn {
    /// The name of all changes that are one vector.
    site: String,
    kind: EffectKind,
    /// The body that carries it; None for the world.
    link: Option<LinkId>,
    /// Where, in the world [m].
    point: Vec3<f64>,
    /// How much, in the world.
    vector: Vec3<f64>,
}

impl<'m> Gathered<'m> {
    fn new(model: &'m Model<f64>) -> Self {
        let named = sites(model, &[]).into_iter().map(|site| (site.signal, (site.name, site.unit)));
        Gathered { model, names: named.collect(), effects: Effects::default() }
    }

    /// The next moment.
    fn begin(&mut self) {
        let Effects { moments, tracks, .. } = &mut self.effects;
        moments.push(Vec::new());
        for track in tracks {
            track.before.push(f32::NAN);
            track.change.push(f32::NAN);
        }
    }

    fn add(&mut self, Change { network, acted }: Change<'_>, trace: &StepTrace<f64>) {
        match acted {
            Acted::On(signal, before, by) => {
                let (name, unit) = self.names.get(&signal).cloned().unwrap_or_default();
                let drawn = self.place(signal, by, &name, trace);
                self.record(Changed { network, name, unit, before, by }, drawn, trace);
            }
            Acted::OnContact(e, signal, before, by) => {
                let contact = &trace.contacts()[e];
                let pair = self.pair(contact);
                let (name, unit) = self
                    .names
                    .get(&Signal::Contact(Pair(None), signal))
                    .cloned()
                    .unwrap_or_default();
                let name = name.replacen('*', &pair, 1);
                let drawn = at_contact(contact, signal, by, &pair, &name);
                self.record(Changed { network, name, unit, before, by }, Some(drawn), trace);
            }
            Acted::Apart(links, force, torque) => {
                self.push_apart(network, links, ("force", EffectKind::Along, force), trace);
                if torque != Vec3::ZERO {
                    self.push_apart(network, links, ("torque", EffectKind::About, torque), trace);
                }
            }
        }
    }

    /// A force or torque on one link at the point midway to another, and its opposite on that one.
    fn push_apart(
        &mut self,
        network: &str,
        [a, b]: [LinkId; 2],
        (what, kind, vector): (&str, EffectKind, Vec3<f64>),
        trace: &StepTrace<f64>,
    ) {
        let bodies = &trace.kin().bodies;
        let point = (bodies[a.index()].pos_w + bodies[b.index()].pos_w) * 0.5;
        let unit = if kind == EffectKind::Along { "N" } else { "N m" };
        for (link, vector) in [(a, vector), (b, -vector)] {
            let site = format!("link/{}/{what}", self.model.topology.links[link.index()].name);
            for (axis, name) in AXES {
                let by = vector.dot(axis);
                let drawn =
                    Drawn { site: site.clone(), kind, link: Some(link), point, vector: axis * by };
                let name = format!("{site}/{name}");
                self.record(Changed { network, name, unit, before: 0.0, by }, Some(drawn), trace);
            }
        }
    }

    /// Where a change is drawn. None if it is of the whole model, such as of gravity.
    fn place(&self, signal: Signal, by: f64, name: &str, trace: &StepTrace<f64>) -> Option<Drawn> {
        let bodies = &trace.kin().bodies;
        let (model, whole) = (self.model, || name.to_owned());
        let origin = |link: LinkId| bodies[link.index()].pos_w;
        match signal {
            Signal::ActuatorForce(v)
            | Signal::PassiveForce(v)
            | Signal::Acceleration(v)
            | Signal::EndVelocity(v)
            | Signal::Velocity(v)
            | Signal::Position { v, .. } => {
                let mut links = model.topology.link_ids();
                let joint = |link: &LinkId| &model.topology.links[link.index()].joint;
                let link = links.find(|link| joint(link).v_range().contains(&v))?;
                let turns = joint(&link).kind.dofs()[v - joint(&link).v_start] == DofKind::Angular;
                let kind = if turns { EffectKind::About } else { EffectKind::Along };
                let (point, vector) = (origin(link), trace.kin().axes_w[v] * by);
                Some(Drawn { site: whole(), kind, link: Some(link), point, vector })
            }
            Signal::LinkPosition(link, k)
            | Signal::LinkVelocity(link, k)
            | Signal::Force(link, k)
            | Signal::LocalForce(link, k)
            | Signal::LinkSpin(link, k)
            | Signal::LinkOrientation(link, k)
            | Signal::Torque(link, k)
            | Signal::LocalTorque(link, k) => {
                let (mut vector, site) = (AXES[k].0 * by, name.rsplit_once('/')?.0.to_owned());
                if matches!(signal, Signal::LocalForce(..) | Signal::LocalTorque(..)) {
                    vector = bodies[link.index()].rot_wb * vector;
                }
                let turns = matches!(
                    signal,
                    Signal::LinkSpin(..)
                        | Signal::LinkOrientation(..)
                        | Signal::Torque(..)
                        | Signal::LocalTorque(..)
                );
                let kind = if turns { EffectKind::About } else { EffectKind::Along };
                Some(Drawn { site, kind, link: Some(link), point: origin(link), vector })
            }
            Signal::Param(id) => {
                let link = self.link_of(id)?;
                let body = &bodies[link.index()];
                let of_link =
                    matches!(id, ParamId::Mass(_) | ParamId::Com(..) | ParamId::Inertia(..));
                let com = model.params.links[link.index()].com;
                let point = if of_link { body.pos_w + body.rot_wb * com } else { body.pos_w };
                let vector = Vec3::Z * by.abs();
                Some(Drawn {
                    site: whole(),
                    kind: EffectKind::Mark,
                    link: Some(link),
                    point,
                    vector,
                })
            }
            Signal::Time | Signal::User(_) | Signal::Contact(..) => None,
        }
    }

    /// The link that a number of the model belongs to.
    fn link_of(&self, id: ParamId) -> Option<LinkId> {
        let topology = &self.model.topology;
        let of_joint = |index: usize| topology.link_ids().nth(index);
        let of_shape = |frame: FrameId| topology.frames[frame.index()].link;
        match id {
            ParamId::Mass(link) | ParamId::Com(link, _) | ParamId::Inertia(link, _) => Some(link),
            ParamId::JointPlacement(joint, _)
            | ParamId::JointAxis(joint, _)
            | ParamId::JointAxis2(joint, _)
            | ParamId::Joint(joint, _) => of_joint(joint.index()),
            ParamId::FramePlacement(frame, _) => of_shape(frame),
            ParamId::ShapePlacement(shape, _)
            | ParamId::ShapeSize(shape, _)
            | ParamId::ShapeMaterial(shape, _) => of_shape(topology.shapes[shape.index()].frame),
            ParamId::Actuator(actuator, _) => {
                of_joint(topology.actuators[actuator.index()].joint.index())
            }
            ParamId::Gravity(_) | ParamId::PairMaterial(..) => None,
        }
    }

    /// The shapes of a contact, by name.
    fn pair(&self, contact: &Contact<f64>) -> String {
        let name = |id: ShapeId| &self.model.topology.shapes[id.index()].name;
        format!("{}-{}", name(contact.id.a), name(contact.id.b))
    }

    /// Adds a change to its track, and to the vector that is drawn of it. Of several contacts of two shapes, forces add
    /// up; of other numbers the track has the largest change.
    fn record(&mut self, changed: Changed<'_>, drawn: Option<Drawn>, trace: &StepTrace<f64>) {
        let Changed { network, name, unit, before, by } = changed;
        let Effects { sites, moments, tracks } = &mut self.effects;
        let site = drawn.as_ref().map(|drawn| {
            let known = sites.iter().position(|s| s.name == drawn.site && s.network == network);
            known.unwrap_or_else(|| {
                let (name, network) = (drawn.site.clone(), network.to_owned());
                sites.push(EffectSite { name, network, unit: unit.to_owned(), kind: drawn.kind });
                sites.len() - 1
            })
        });
        let known = tracks.iter().position(|track| track.name == name && track.network == network);
        let track = known.unwrap_or_else(|| {
            let (network, unit) = (network.to_owned(), unit.to_owned());
            let unknown = vec![f32::NAN; moments.len()];
            let (before, change) = (unknown.clone(), unknown);
            tracks.push(EffectTrack { name, network, unit, site, before, change });
            tracks.len() - 1
        });
        let track = &mut tracks[track];
        let Some(((old, change), moment)) =
            (track.before.last_mut()).zip(track.change.last_mut()).zip(moments.last_mut())
        else {
            return;
        };
        let (before, by) = (before as f32, by as f32);
        if !change.is_nan() && track.unit == "N" {
            (*old, *change) = (*old + before, *change + by);
        } else if change.is_nan() || change.abs() < by.abs() {
            (*old, *change) = (before, by);
        }
        let (Some(Drawn { link, point, vector, .. }), Some(site)) = (drawn, site) else { return };
        let (body, point, vector) = match link {
            None => (0, point, vector),
            Some(link) => {
                let body = &trace.kin().bodies[link.index()];
                let back = body.rot_wb.transpose();
                (link.index() + 1, back * (point - body.pos_w), back * vector)
            }
        };
        let [point, vector] = [point, vector].map(|v| v.to_array().map(|x| x as f32));
        // The components of a vector come one after another.
        match moment.iter_mut().rfind(|effect| effect.site == site && effect.point == point) {
            Some(effect) => {
                effect.vector.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
            }
            None => moment.push(Effect { site, body, point, vector }),
        }
    }
}

const AXES: [(Vec3<f64>, &str); 3] = [(Vec3::X, "x"), (Vec3::Y, "y"), (Vec3::Z, "z")];

/// A change at a contact: forces as those on b, everything else as a mark.
fn at_contact(
    contact: &Contact<f64>,
    signal: ContactSignal,
    by: f64,
    pair: &str,
    name: &str,
) -> Drawn {
    let [normal, x, y] = contact_frame(contact.normal_w).cols;
    // As the viewer draws contact forces: on the body that moves; of two moving bodies on b.
    let sign = if contact.link_b.is_some() { 1.0 } else { -1.0 };
    let (kind, vector) = match signal {
        ContactSignal::NormalForce => (EffectKind::Along, normal * (sign * by)),
        ContactSignal::Friction(0) => (EffectKind::Along, x * (sign * by)),
        ContactSignal::Friction(_) => (EffectKind::Along, y * (sign * by)),
        _ => (EffectKind::Mark, Vec3::Z * by.abs()),
    };
    let site =
        if kind == EffectKind::Along { format!("contact/{pair}/force") } else { name.to_owned() };
    Drawn { site, kind, link: None, point: contact.point_w, vector }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gradbody_augment::{Blueprint, bind};
    use gradbody_math::{Inertia, Sym3, Transform};
    use gradbody_model::{JointSpec, Material, ModelBuilder, ShapeKind, ShapeParams};
    use gradbody_sim::StepOptions;

    use super::*;

    /// A box that turns about y on the end of a rail along x, deep enough to touch a ground.
    fn slider() -> Model<f64> {
        let mut builder = ModelBuilder::new("slider");
        let rotational = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04));
        let inertia = Inertia { mass: 1.5, com: Vec3::new(0.1, 0.0, 0.0), rotational };
        let rail = JointSpec::prismatic("rail", Vec3::X);
        let cart = builder.link("cart", FrameId::WORLD, rail, inertia).unwrap();
        let body =
            builder.link("body", cart, JointSpec::revolute("hinge", Vec3::Y), inertia).unwrap();
        let surface = ShapeParams {
            placement: Transform::IDENTITY,
            size: Vec3::new(0.1, 0.1, 0.1),
            material: Material::DEFAULT,
        };
        builder.shape("crate", body, ShapeKind::Sphere, surface).unwrap();
        let mut model = builder.build().unwrap();
        model.add_ground(-0.0999, Material::with_friction(0.5)).unwrap();
        model
    }

    const NETWORKS: &str = r#"
[[augmentation]]
name = "wind"
outputs = ["link/body/force"]
inputs = ["joint/rail/velocity"]
network = { hidden = [3] }

[[augmentation]]
name = "friction"
outputs = ["joint/hinge/passive_torque"]
inputs = ["joint/hinge/velocity"]
network = { hidden = [3] }

[[augmentation]]
name = "mud"
outputs = ["contact/*/normal_force", "contact/*/friction/x"]
inputs = ["contact/*/gap"]
network = { hidden = [3] }

[[augmentation]]
name = "wear"
outputs = ["contact/*/friction_coefficient"]
inputs = ["contact/*/gap"]
network = { hidden = [3] }
"#;

    /// Each effect is at its place, and as large as the change that the track has.
    #[test]
    fn effects_are_where_the_networks_act_and_as_large_as_what_they_change() {
        let model = slider();
        let options = StepOptions::new(1e-3);
        let blueprint = Blueprint::from_toml(NETWORKS).unwrap();
        let plan = Arc::new(bind(&blueprint, &model, &options.contact).unwrap());
        let weights = (0..plan.n_weights()).map(|k| 0.3 + 0.1 * (k as f64).sin()).collect();
        let mut taps = Bound::new(plan, weights).unwrap();
        let mut world = Simulation::new(&model, options);
        (world.state.q[0], world.state.q[1]) = (0.3, 0.7);
        (world.state.v[0], world.state.v[1]) = (0.4, -0.5);
        taps.begin(&mut world.state);
        world.step_with(&mut taps);
        let mut gathered = Gathered::new(&model);
        gathered.begin();
        for change in taps.changes(world.trace()) {
            gathered.add(change, world.trace());
        }
        let Effects { sites, moments, tracks } = gathered.effects;
        let track = |name: &str| {
            let found = tracks.iter().find(|track| track.name == name);
            found.unwrap_or_else(|| panic!("no {name} in {tracks:?}"))
        };
        let effect = |name: &str| {
            let site = sites.iter().position(|site| site.name == name).expect(name);
            (&sites[site], moments[0].iter().find(|effect| effect.site == site).expect(name))
        };
        let close = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);

        let (site, hinge) = effect("joint/hinge/passive_torque");
        let torque = track("joint/hinge/passive_torque");
        assert_eq!(
            (site.kind, site.network.as_str(), site.unit.as_str()),
            (EffectKind::About, "friction", "N m")
        );
        assert!(hinge.body == 2 && close(hinge.point, [0.0; 3]));
        assert!(torque.change[0].abs() > 1e-3 && close(hinge.vector, [0.0, torque.change[0], 0.0]));

        // A force in the world's axes is drawn in those of the body, which is turned by 0.7 rad about y.
        let (site, wind) = effect("link/body/force");
        assert_eq!((site.kind, wind.body), (EffectKind::Along, 2));
        let [x, y, z] =
            ["x", "y", "z"].map(|axis| track(&format!("link/body/force/{axis}")).change[0]);
        let (sin, cos) = 0.7_f32.sin_cos();
        assert!(close(wind.vector, [cos * x - sin * z, y, sin * x + cos * z]), "{wind:?}");

        // The sphere touches the ground below the end of the rail; forces are those on it.
        let (site, mud) = effect("contact/crate-ground/force");
        assert_eq!((site.kind, mud.body), (EffectKind::Along, 0));
        assert!((mud.point[0] - 0.3).abs() < 1e-6 && (mud.point[2] + 0.1).abs() < 1e-3, "{mud:?}");
        let (push, drag) =
            (track("contact/crate-ground/normal_force"), track("contact/crate-ground/friction/x"));
        assert!((mud.vector[2] - push.change[0]).abs() < 1e-6, "{mud:?} {push:?}");
        let across = mud.vector[0].hypot(mud.vector[1]);
        assert!((across - drag.change[0].abs()).abs() < 1e-6, "{mud:?} {drag:?}");

        let (site, wear) = effect("contact/crate-ground/friction_coefficient");
        let coefficient = track("contact/crate-ground/friction_coefficient");
        assert_eq!(site.kind, EffectKind::Mark);
        assert!(coefficient.before[0] >= 0.5, "{coefficient:?}");
        assert!(close(wear.vector, [0.0, 0.0, coefficient.change[0].abs()]));
    }
}
