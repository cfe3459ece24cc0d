//! Collision detection: from poses of links to contacts.

use gradbody_dynamics::{BodyKinematics, Kinematics};
use gradbody_math::{Motion, Scalar, Transform, Vec3};
use gradbody_model::{ContactLaw, LinkId, Material, Model, ShapeId, ShapeKind};

use crate::broad_phase::{Ball, BroadPhase, Near};
use crate::contact::CONTACTS_PER_SHAPE;
use crate::geometry::{FAR, Placed, Scratch, Touch, TouchCotangents, bounding_radius, touches};
use crate::{Candidates, Contact, ContactId};

/// Which points between shapes count as contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detection {
    /// Points closer than `margin`, and points whose gap would close within the step: bodies stop where they touch, at
    /// any speed.
    Ahead {
        /// Distance below which a point is always a contact [m].
        margin: f64,
    },
    /// Points where shapes already penetrate: bodies are pushed apart afterwards.
    Penetrating,
}

impl Default for Detection {
    /// One millimetre: far above rounding, so that resting contacts persist, and far below the height of a robot's
    /// step.
    fn default() -> Self {
        Detection::Ahead { margin: 1e-3 }
    }
}

/// Options of collision detection.
#[derive(Clone, Copy, Debug)]
pub struct CollideOptions<S> {
    /// Time step [s]: how far ahead [`Detection::Ahead`] looks.
    pub dt: S,
    /// Which points count as contacts.
    pub detection: Detection,
    /// Whether every contact is compliant, whatever its shapes specify.
    pub all_compliant: bool,
}

/// The poses of a model's shapes and their contacts. Written by [`collide`], read by
/// [`collide_vjp`](crate::collide_vjp).
#[derive(Clone, Debug)]
pub struct Collisions<S> {
    /// Pose of each shape in the world.
    pub(crate) poses_w: Vec<Transform<S>>,
    /// A ball around each shape of finite extent, by shape.
    pub(crate) balls: Vec<Ball<S>>,
    /// Contacts, in the order of their identities.
    pub contacts: Vec<Contact<S>>,
}

/// Which shapes of a model may touch, and buffers of [`collide`] and [`collide_vjp`](crate::collide_vjp) whose contents
/// have no meaning between calls.
#[derive(Clone, Debug)]
pub struct CollideWork<S> {
    pub(crate) candidates: Candidates,
    /// Shapes of finite extent that may touch others.
    bounded: Vec<ShapeId>,
    /// Planes that may touch others.
    planes: Vec<ShapeId>,
    broad_phase: BroadPhase,
    pub(crate) scratch: Scratch,
    touches: Vec<Touch<S>>,
    /// Cotangents of the touches of one pair. Written by `collide_vjp`.
    pub(crate) touch_bars: Vec<TouchCotangents<S>>,
}

impl<S: Scalar> Collisions<S> {
    /// No contacts, with room for the shapes of a model.
    pub fn new(model: &Model<S>) -> Self {
        let n = model.topology.shapes.len();
        Collisions {
            poses_w: vec![Transform::IDENTITY; n],
            balls: vec![Ball { centre_w: Vec3::ZERO, radius: S::ZERO, reach: S::ZERO }; n],
            contacts: Vec::with_capacity(CONTACTS_PER_SHAPE * n),
        }
    }
}

impl<S: Scalar> CollideWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let topology = &model.topology;
        let n = topology.shapes.len();
        let in_a_pair = |id: ShapeId| topology.contact_pairs.iter().any(|p| p.a == id || p.b == id);
        let collides = |id: &ShapeId| {
            let shape = &topology.shapes[id.index()];
            (shape.collision_group | shape.collides_with) != 0 || in_a_pair(*id)
        };
        let is_plane = |id: &ShapeId| topology.shapes[id.index()].kind == ShapeKind::Plane;
        let (planes, bounded): (Vec<_>, Vec<_>) =
            (0..n).map(ShapeId::new).filter(collides).partition(is_plane);
        CollideWork {
            candidates: Candidates::new(topology),
            broad_phase: BroadPhase::new(n),
            scratch: Scratch::default(),
            touches: Vec::with_capacity(64),
            touch_bars: Vec::with_capacity(64),
            bounded,
            planes,
        }
    }
}

/// Finds the contacts at the poses and velocities of `kin`. Reads `kin`; writes `found`.
pub fn collide<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    options: &CollideOptions<S>,
    work: &mut CollideWork<S>,
    found: &mut Collisions<S>,
) {
    found.contacts.clear();
    if work.bounded.is_empty() {
        return;
    }
    S::vectorised(
        #[inline(always)]
        || {
            place_shapes(model, kin, options, work, found);
            near_pairs(kin, options.dt, found, work);
            for i in 0..work.broad_phase.near.len() {
                let near = work.broad_phase.near[i];
                contacts_of_pair(model, kin, options, near, work, found);
            }
        },
    );
}

/// Poses of all shapes that may touch, and balls that contain them during the step.
#[inline(always)]
fn place_shapes<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    options: &CollideOptions<S>,
    work: &CollideWork<S>,
    found: &mut Collisions<S>,
) {
    let CollideOptions { dt, detection, .. } = *options;
    for id in work.planes.iter().chain(&work.bounded) {
        let placement = model.params.shapes[id.index()].placement;
        found.poses_w[id.index()] = match work.candidates.link(*id) {
            Some(link) => {
                let body = &kin.bodies[link.index()];
                Transform::new(body.rot_wb, body.pos_w) * placement
            }
            None => placement,
        };
    }
    for id in &work.bounded {
        let i = id.index();
        let pose = &found.poses_w[i];
        let size = model.params.shapes[i].size;
        let Some(radius) = bounding_radius(&model.topology.shapes[i].kind, size) else { continue };
        let reach = match (detection, work.candidates.link(*id)) {
            (Detection::Ahead { margin }, Some(link)) => {
                let body = &kin.bodies[link.index()];
                let lever = pose.pos - body.pos_w;
                let velocity = body.ang_vel_w.cross_add(lever, body.lin_vel_w);
                let speed = radius.mul_add(at_least_norm(body.ang_vel_w), at_least_norm(velocity));
                speed.mul_add(dt, fall(model, dt) + S::from_f64(margin))
            }
            _ => S::ZERO,
        };
        found.balls[i] = Ball { centre_w: pose.pos, radius: radius + reach, reach };
    }
}

/// An upper bound of how far gravity can deflect a body within a step.
#[inline(always)]
fn fall<S: Scalar>(model: &Model<S>, dt: S) -> S {
    at_least_norm(model.params.gravity) * dt * dt
}

/// The sum of the components' magnitudes: an upper bound of the length that needs no root.
#[inline(always)]
fn at_least_norm<S: Scalar>(v: Vec3<S>) -> S {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// Pairs of shapes that may touch and are near each other, in order.
#[inline(always)]
fn near_pairs<S: Scalar>(
    kin: &Kinematics<S>,
    dt: S,
    found: &Collisions<S>,
    work: &mut CollideWork<S>,
) {
    let CollideWork { candidates, bounded, planes, broad_phase, .. } = work;
    let Collisions { poses_w, balls, .. } = found;
    broad_phase.sweep(bounded, balls, |a, b| candidates.rule(a, b));
    for plane in planes.iter() {
        let pose = &poses_w[plane.index()];
        for shape in bounded.iter() {
            let Ball { centre_w, radius, .. } = balls[shape.index()];
            let comes = at_least_norm(motion_at(kin, candidates.link(*plane), centre_w).lin) * dt;
            let height = (centre_w - pose.pos).dot(pose.rot.cols[2]) - radius - comes;
            // NaN is not near.
            let near = height.select_le(S::ZERO, S::ONE, S::ZERO);
            let (a, b) = (*plane.min(shape), *plane.max(shape));
            if near.any()
                && let Some(rule) = candidates.rule(a, b)
            {
                broad_phase.near.push(Near { a, b, rule });
            }
        }
    }
    broad_phase.near.sort_unstable_by_key(|near| (near.a, near.b));
}

#[inline(always)]
fn contacts_of_pair<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    options: &CollideOptions<S>,
    Near { a, b, rule }: Near,
    work: &mut CollideWork<S>,
    found: &mut Collisions<S>,
) {
    let CollideOptions { dt, detection, all_compliant } = *options;
    let placed = |id: ShapeId| Placed {
        kind: &model.topology.shapes[id.index()].kind,
        pose_w: found.poses_w[id.index()],
        size: model.params.shapes[id.index()].size,
    };
    let reach = found.balls[a.index()].reach + found.balls[b.index()].reach;
    work.scratch.set_reach(reach);
    work.touches.clear();
    touches(&placed(a), &placed(b), &mut work.scratch, &mut work.touches);
    let law = if all_compliant { ContactLaw::Compliant } else { rule.law };
    let (link_a, link_b) = (work.candidates.link(a), work.candidates.link(b));
    let mut known_material = None;
    for (slot, touch) in work.touches.iter().enumerate() {
        let Touch { point_w, normal_w, .. } = *touch;
        let motion = motion_at(kin, link_b, point_w) - motion_at(kin, link_a, point_w);
        // Compliant contacts push only when they penetrate.
        let within = match (detection, law) {
            (Detection::Ahead { margin }, ContactLaw::Rigid) => {
                let closing = (-motion.lin.dot(normal_w)).max(S::ZERO);
                closing.mul_add(dt, fall(model, dt) + S::from_f64(margin))
            }
            _ => S::ZERO,
        };
        // A gap of NaN counts as far.
        let far = S::from_f64(FAR);
        let gap = touch.gap.select_lt(within, touch.gap, far);
        if !gap.select_lt(far, S::ONE, S::ZERO).any() {
            continue;
        }
        let material = match (known_material, rule.pair) {
            (Some(known), _) => known,
            (None, Some(pair)) => model.params.pairs[pair.index()],
            (None, None) => Material::between(
                &model.params.shapes[a.index()].material,
                &model.params.shapes[b.index()].material,
                rule.friction,
            ),
        };
        known_material = Some(material);
        found.contacts.push(Contact {
            id: ContactId { a, b, slot: slot as u32 },
            link_a,
            link_b,
            law,
            resists_turning: rule.resists_turning,
            point_w,
            normal_w,
            gap,
            velocity_w: motion.lin,
            spin_w: motion.ang,
            material,
            force_w: Vec3::ZERO,
            torque_w: Vec3::ZERO,
        });
    }
}

/// Motion of a link's point at the start of the step.
#[inline(always)]
fn motion_at<S: Scalar>(kin: &Kinematics<S>, link: Option<LinkId>, point_w: Vec3<S>) -> Motion<S> {
    match link {
        Some(link) => {
            let BodyKinematics { pos_w, ang_vel_w, lin_vel_w, .. } = kin.bodies[link.index()];
            Motion::new(ang_vel_w, lin_vel_w).at(point_w - pos_w)
        }
        None => Motion::ZERO,
    }
}
