//! Reverse derivatives of contacts against dual numbers, direction by direction.

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use gradbody_contact::geometry::FAR;
use gradbody_contact::{
    CollideCotangents, CollideOptions, CollideWork, Collided, Collisions, Contact,
    ContactCotangents, ContactId, ContactSolver, Detection, FrictionLaw, HuntCrossley,
    apply_forces, apply_forces_vjp, collide, collide_vjp,
};
use gradbody_dynamics::{
    CoordinateCotangents, Kinematics, KinematicsCotangents, integrate, kinematics, kinematics_vjp,
    velocities,
};
use gradbody_math::{Dual, Force, Inertia, Lanes, Mat3, Motion, Scalar, Sym3, Vec3};
use gradbody_model::{
    ContactLaw, ContactPair, FrameId, JointSpec, LinkId, Material, MaterialScalar, Model,
    ModelBuilder, Params, ShapeId, ShapeKind, ShapeParams,
};

use counting::allocations;
use support::random::Random;

/// Rounding of sums of some hundred products, relative to the largest of them.
const TOLERANCE: f64 = 1e-11;

type Varied = Dual<f64, 1>;

const LAWS: [FrictionLaw; 4] =
    [FrictionLaw::Coulomb, FrictionLaw::Brown, FrictionLaw::Andersson, FrictionLaw::Hollars];

// ---- numbers of contacts, one after the other ----

/// The numbers of a contact, or of its cotangents.
macro_rules! numbers {
    ($contact:expr) => {{
        let c = $contact;
        let vectors = [c.point_w, c.normal_w, c.velocity_w, c.spin_w];
        let mut numbers: Vec<_> = vectors.iter().flat_map(|v| v.to_array()).collect();
        numbers.push(c.gap);
        numbers.extend(MaterialScalar::ALL.iter().map(|number| *c.material.get(*number)));
        numbers
    }};
}

macro_rules! set_numbers {
    ($contact:expr, $numbers:expr) => {{
        let (c, numbers) = ($contact, $numbers);
        c.point_w = Vec3::from_slice(&numbers[0..]);
        c.normal_w = Vec3::from_slice(&numbers[3..]);
        c.velocity_w = Vec3::from_slice(&numbers[6..]);
        c.spin_w = Vec3::from_slice(&numbers[9..]);
        c.gap = numbers[12];
        for (number, value) in MaterialScalar::ALL.iter().zip(&numbers[13..]) {
            *c.material.get_mut(*number) = *value;
        }
    }};
}

const NUMBERS: usize = 13 + MaterialScalar::ALL.len();

fn lifted(values: &[f64], direction: &[f64]) -> Vec<Varied> {
    values.iter().zip(direction).map(|(re, eps)| Dual { re: *re, eps: [*eps] }).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn spread(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum()
}

/// The largest error so far, and how many derivatives were not zero.
#[derive(Default)]
struct Tally {
    worst: f64,
    live: usize,
}

impl Tally {
    fn compare(&mut self, got: f64, want: f64, scale: f64, what: &str) {
        let error = (got - want).abs() / scale.max(1e-300);
        let zero = got == 0.0 && want == 0.0;
        assert!(zero || error < TOLERANCE, "{what}: {got:e}, dual {want:e} (error {error:e})");
        self.worst = self.worst.max(if zero { 0.0 } else { error });
        self.live += usize::from(want != 0.0);
    }
}

fn random_numbers(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.uniform()).collect()
}

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * 0.5 * (1.0 + random.uniform())
}

fn random_material(random: &mut Random) -> Material<f64> {
    let mut material = Material::DEFAULT.map(|_| 0.0);
    for number in MaterialScalar::ALL {
        *material.get_mut(*number) = between(random, 0.1, 0.95);
    }
    Material { exponent: between(random, 1.1, 2.2), ..material }
}

// ---- friction ----

#[test]
fn friction_laws() {
    let random = &mut Random::new(1);
    let mut tally = Tally::default();
    for round in 0..400 {
        let law = LAWS[round % 4];
        let material = random_material(random);
        let slip = material.slip_velocity;
        // At rest, creeping where the law is a series, at the corner, and anywhere.
        let speed = match round / 4 % 5 {
            0 => 0.0,
            1 => between(random, 0.0, 1e-4) * slip,
            2 => slip,
            _ => between(random, 0.0, 4.0),
        };
        let at: Vec<f64> = MaterialScalar::ALL.iter().map(|n| *material.get(*n)).collect();
        let direction = random_numbers(random, at.len());
        let (speed_direction, bar) = (random.uniform(), random.uniform());
        let mut varied = material.map(Varied::from_f64);
        for (number, value) in MaterialScalar::ALL.iter().zip(lifted(&at, &direction)) {
            *varied.get_mut(*number) = value;
        }
        let want =
            law.coefficient_by_speed(&varied, Dual { re: speed, eps: [speed_direction] }).eps[0]
                * bar;
        let mut material_bar = material.map(|_| 0.0);
        let speed_bar = law.coefficient_by_speed_vjp(&material, speed, bar, &mut material_bar);
        let bars: Vec<f64> = MaterialScalar::ALL.iter().map(|n| *material_bar.get(*n)).collect();
        let got = dot(&bars, &direction) + speed_bar * speed_direction;
        let scale = spread(&bars, &direction) + (speed_bar * speed_direction).abs();
        tally.compare(got, want, scale, &format!("{law:?} at {speed}"));
    }
    println!("friction laws: worst {:.1e}, {} live", tally.worst, tally.live);
    assert!(tally.live > 300);
}

// ---- compliant contacts ----

fn two_bodies() -> Model<f64> {
    let mut builder = ModelBuilder::new("two");
    for name in ["one", "two"] {
        builder
            .link(name, FrameId::WORLD, JointSpec::free(format!("{name} joint")), body())
            .unwrap();
    }
    builder.build().unwrap()
}

fn body() -> Inertia<f64> {
    Inertia { mass: 1.0, com: Vec3::ZERO, rotational: Sym3::diagonal(Vec3::new(0.1, 0.1, 0.1)) }
}

fn a_contact<S: Scalar>(links: [Option<LinkId>; 2], turning: bool, numbers: &[S]) -> Contact<S> {
    let mut contact = Contact {
        id: ContactId { a: ShapeId::new(0), b: ShapeId::new(1), slot: 0 },
        link_a: links[0],
        link_b: links[1],
        law: ContactLaw::Compliant,
        resists_turning: turning,
        point_w: Vec3::ZERO,
        normal_w: Vec3::Z,
        gap: S::ZERO,
        velocity_w: Vec3::ZERO,
        spin_w: Vec3::ZERO,
        material: Material::DEFAULT.map(S::from_f64),
        force_w: Vec3::ZERO,
        torque_w: Vec3::ZERO,
    };
    set_numbers!(&mut contact, numbers);
    contact
}

/// A compliant contact from its numbers to what it does to two links, and back.
#[test]
fn compliant_contacts() {
    let random = &mut Random::new(2);
    let model = two_bodies();
    let varied_model: Model<Varied> = model.cast();
    let mut tally = Tally::default();
    for round in 0..4000 {
        let law = HuntCrossley { friction: LAWS[round % 4] };
        let links = match round / 4 % 3 {
            0 => [Some(LinkId::new(0)), Some(LinkId::new(1))],
            1 => [None, Some(LinkId::new(1))],
            _ => [Some(LinkId::new(1)), None],
        };
        let turning = round / 12 % 4 != 0;
        let mut at = random_numbers(random, NUMBERS);
        let material = random_material(random);
        let mut with = a_contact(links, turning, &at);
        with.material = material;
        with.normal_w = random.vec3().normalized_or(Vec3::Z);
        with.gap = between(random, -0.5, 0.05);
        match round / 48 % 8 {
            0 => with.velocity_w = Vec3::ZERO,
            1 => with.spin_w = Vec3::ZERO,
            2 => with.gap = 0.0,
            3 => {
                (with.gap, with.material.exponent) = (0.0, 1.0);
                with.velocity_w = Vec3::ZERO;
            }
            4 => (with.gap, with.material.exponent) = (0.0, 0.5),
            5 => with.gap = FAR,
            _ => {}
        }
        at = numbers!(&with);
        let direction = random_numbers(random, NUMBERS);

        // Forwards.
        let q_direction = random_numbers(random, model.nv());
        let mut q = model.neutral();
        integrate(&model, &mut q, &random_numbers(random, model.nv()));
        let varied_q = moved(&varied_model, &q, &q_direction);
        let mut varied_kin = Kinematics::new(&varied_model);
        kinematics(&varied_model, &varied_q, &mut varied_kin);
        let mut contacts = [a_contact(links, turning, &lifted(&at, &direction))];
        let mut external = vec![Force::<Varied>::default(); 2];
        law.forces(&mut contacts);
        apply_forces(&contacts, &varied_kin, false, &mut external);
        let external_bars: Vec<Motion<f64>> =
            (0..2).map(|_| Motion::new(random.vec3(), random.vec3())).collect();
        let want: f64 = external
            .iter()
            .zip(&external_bars)
            .map(|(f, bar)| {
                f.ang.map(|x| x.eps[0]).dot(bar.ang) + f.lin.map(|x| x.eps[0]).dot(bar.lin)
            })
            .sum();

        // Backwards.
        let mut kin = Kinematics::new(&model);
        kinematics(&model, &q, &mut kin);
        let mut contact = [a_contact(links, turning, &at)];
        law.forces(&mut contact);
        let mut bar = [ContactCotangents::zero()];
        let mut kin_bar = KinematicsCotangents::new(&model);
        apply_forces_vjp(&contact, &kin, false, &external_bars, &mut bar, &mut kin_bar);
        law.forces_vjp(&contact, &mut bar);
        let bars = numbers!(&bar[0]);
        assert!(bars.iter().all(|x| x.is_finite()), "{law:?}, {contact:?}: {bar:?}");
        let moves = |i: usize| varied_kin.bodies[i].pos_w.map(|x| x.eps[0]);
        let by_links: f64 = (0..2).map(|i| kin_bar.bodies[i].pos_w.dot(moves(i))).sum();
        let got = dot(&bars, &direction) + by_links;
        let scale = spread(&bars, &direction) + by_links.abs();
        tally.compare(got, want, scale, &format!("round {round}, {law:?}"));
        // Each kind of number on its own, too.
        if round % 7 == 0 {
            for k in 0..NUMBERS {
                let mut single = vec![0.0; NUMBERS];
                single[k] = 1.0;
                let mut contacts = [a_contact(links, turning, &lifted(&at, &single))];
                let mut external = vec![Force::<Varied>::default(); 2];
                let still = moved(&varied_model, &q, &vec![0.0; model.nv()]);
                kinematics(&varied_model, &still, &mut varied_kin);
                law.forces(&mut contacts);
                apply_forces(&contacts, &varied_kin, false, &mut external);
                let (mut want, mut scale) = (0.0, 0.0);
                for (force, bar) in external.iter().zip(&external_bars) {
                    for (x, bar) in [(force.ang, bar.ang), (force.lin, bar.lin)] {
                        want += x.map(|x| x.eps[0]).dot(bar);
                        // Parts as large as the force itself may cancel.
                        scale += x.map(|x| x.re.abs() + x.eps[0].abs()).norm();
                    }
                }
                tally.compare(bars[k], want, scale, &format!("number {k}, {law:?}"));
            }
        }
    }
    println!("compliant contacts: worst {:.1e}, {} live", tally.worst, tally.live);
    assert!(tally.live > 5000);
}

/// `q` displaced along a direction on the manifold.
fn moved(model: &Model<Varied>, q: &[f64], direction: &[f64]) -> Vec<Varied> {
    let mut moved: Vec<Varied> = q.iter().map(|x| Varied::from_f64(*x)).collect();
    let zero = vec![0.0; direction.len()];
    integrate(model, &mut moved, &lifted(&zero, direction));
    moved
}

// ---- collisions ----

/// Shapes of all kinds that crowd around the origin, on links and in the world.
fn crowd(random: &mut Random) -> Model<f64> {
    let mut builder = ModelBuilder::new("crowd");
    let free = |name: &str| JointSpec::free(format!("{name} joint"));
    let mut link = |name: &str, parent: FrameId, joint: JointSpec, random: &mut Random| {
        builder.link(name, parent, joint.at(random.pose(0.2)), body()).unwrap()
    };
    let block = link("block", FrameId::WORLD, free("block"), random);
    let axis = random.vec3().normalized_or(Vec3::X);
    let arm = link("arm", block, JointSpec::revolute("elbow", axis), random);
    let hand = link("hand", arm, JointSpec::spherical("wrist"), random);
    let plate = link("plate", FrameId::WORLD, free("plate"), random);
    let slider = link("slider", FrameId::WORLD, JointSpec::prismatic("rail", axis), random);
    let shapes = [
        ("ground", FrameId::WORLD, ShapeKind::Plane),
        ("block", block, ShapeKind::Box),
        ("arm", arm, ShapeKind::Capsule),
        ("fist", hand, ShapeKind::Sphere),
        ("post", FrameId::WORLD, ShapeKind::Capsule),
        ("plate", plate, ShapeKind::Plane),
        ("knob", plate, ShapeKind::Sphere),
        ("ball", slider, ShapeKind::Sphere),
        ("kerb", FrameId::WORLD, ShapeKind::Box),
    ];
    for (i, (name, frame, kind)) in shapes.into_iter().enumerate() {
        let size = Vec3::new(0.3, 0.4, 0.35) + random.vec3() * 0.1;
        // Of surfaces that are equal, the first counts.
        let material = if i % 3 == 0 { Material::DEFAULT } else { random_material(random) };
        let params = ShapeParams { placement: random.pose(0.2), size, material };
        let id = builder.shape(name, frame, kind, params).unwrap();
        if i % 4 == 1 {
            builder.shape_mut(id).law = ContactLaw::Compliant;
            builder.shape_mut(id).resists_turning = true;
        }
    }
    for (a, b) in [(0, 1), (7, 3)] {
        let pair = ContactPair {
            a: ShapeId::new(a),
            b: ShapeId::new(b),
            law: ContactLaw::Rigid,
            resists_turning: true,
        };
        builder.contact_pair(pair, random_material(random));
    }
    builder.build().unwrap()
}

/// A state of a model.
struct Situation<S> {
    model: Model<S>,
    q: Vec<S>,
    v: Vec<S>,
}

impl<S: Scalar> Situation<S> {
    fn collide(&self, detection: Detection) -> (Kinematics<S>, Collisions<S>) {
        let mut kin = Kinematics::new(&self.model);
        kinematics(&self.model, &self.q, &mut kin);
        velocities(&self.model, &self.v, &mut kin);
        let mut found = Collisions::new(&self.model);
        let options = CollideOptions { dt: S::from_f64(1e-2), detection, all_compliant: false };
        collide(&self.model, &kin, &options, &mut CollideWork::new(&self.model), &mut found);
        (kin, found)
    }

    /// Cotangents of q, v and the parameters.
    fn back(
        &self,
        kin: &Kinematics<S>,
        found: &Collisions<S>,
        bars: &[ContactCotangents<S>],
    ) -> (Vec<S>, Vec<S>, Params<S>) {
        let model = &self.model;
        let mut params = model.params.zeros_like();
        let mut kin_bar = KinematicsCotangents::new(model);
        let of = Collided { kin, shapes: found, contacts: &found.contacts };
        let out = CollideCotangents { kin: &mut kin_bar, params: &mut params };
        collide_vjp(model, of, bars, &mut CollideWork::new(model), out);
        let (mut q_bar, mut v_bar) = (vec![S::ZERO; model.nv()], vec![S::ZERO; model.nv()]);
        let out = CoordinateCotangents { q: &mut q_bar, v: &mut v_bar, params: &mut params };
        kinematics_vjp(model, &self.q, &self.v, kin, &mut kin_bar, out);
        (q_bar, v_bar, params)
    }
}

fn situation(random: &mut Random) -> Situation<f64> {
    let model = crowd(random);
    let mut q = model.neutral();
    integrate(&model, &mut q, &random_numbers(random, model.nv()));
    for x in &mut q[..3] {
        *x *= 0.3;
    }
    let v = random_numbers(random, model.nv());
    Situation { model, q, v }
}

fn random_bars(random: &mut Random, n: usize) -> Vec<ContactCotangents<f64>> {
    let mut bar = || {
        let mut bar = ContactCotangents::zero();
        set_numbers!(&mut bar, &random_numbers(random, NUMBERS));
        bar
    };
    (0..n).map(|_| bar()).collect()
}

/// What is varied on its own.
#[derive(Clone, Copy, Debug)]
enum Part {
    Q,
    V,
    ShapePosition(usize),
    ShapeTurn(usize),
    ShapeSize(usize),
    ShapeMaterial(usize),
    PairMaterial(usize),
}

const N_SHAPES: usize = 9;
const N_PAIRS: usize = 2;

fn parts() -> Vec<Part> {
    let shape = |i| {
        [Part::ShapePosition(i), Part::ShapeTurn(i), Part::ShapeSize(i), Part::ShapeMaterial(i)]
    };
    let pairs = (0..N_PAIRS).map(Part::PairMaterial);
    [Part::Q, Part::V].into_iter().chain((0..N_SHAPES).flat_map(shape)).chain(pairs).collect()
}

/// Varies a part in a random direction, and says what cotangents make of that direction.
fn vary(
    part: Part,
    at: &Situation<f64>,
    back: &(Vec<f64>, Vec<f64>, Params<f64>),
    random: &mut Random,
) -> (Situation<Varied>, f64) {
    let model: Model<Varied> = at.model.cast();
    let still = vec![0.0; at.model.nv()];
    let (q, v) = (moved(&model, &at.q, &still), lifted(&at.v, &still));
    let mut varied = Situation { model, q, v };
    let (q_bar, v_bar, bar) = back;
    let push = |x: &mut Varied, direction: f64| x.eps[0] = direction;
    let push3 = |x: &mut Vec3<Varied>, direction: Vec3<f64>| {
        (0..3).for_each(|k| push(&mut x[k], direction[k]));
    };
    let mut push_material = |x: &mut Material<Varied>, bar: &Material<f64>| {
        let mut sum = 0.0;
        for number in MaterialScalar::ALL {
            let direction = random.uniform();
            push(x.get_mut(*number), direction);
            sum += direction * bar.get(*number);
        }
        sum
    };
    let shapes = &mut varied.model.params.shapes;
    let got = match part {
        Part::ShapeMaterial(i) => push_material(&mut shapes[i].material, &bar.shapes[i].material),
        Part::PairMaterial(i) => push_material(&mut varied.model.params.pairs[i], &bar.pairs[i]),
        Part::Q => {
            let direction = random_numbers(random, v_bar.len());
            varied.q = moved(&varied.model, &at.q, &direction);
            dot(&direction, q_bar)
        }
        Part::V => {
            let direction = random_numbers(random, v_bar.len());
            varied.v = lifted(&at.v, &direction);
            dot(&direction, v_bar)
        }
        Part::ShapePosition(i) => {
            let direction = random.vec3();
            push3(&mut shapes[i].placement.pos, direction);
            direction.dot(bar.shapes[i].placement.pos)
        }
        Part::ShapeSize(i) => {
            let direction = random.vec3();
            push3(&mut shapes[i].size, direction);
            direction.dot(bar.shapes[i].size)
        }
        Part::ShapeTurn(i) => {
            let turn = at.model.params.shapes[i].placement.rot * Mat3::skew(random.vec3());
            let bar = bar.shapes[i].placement.rot;
            (0..3).for_each(|k| push3(&mut shapes[i].placement.rot.cols[k], turn.cols[k]));
            (0..3).map(|k| turn.cols[k].dot(bar.cols[k])).sum()
        }
    };
    (varied, got)
}

#[test]
fn collisions() {
    let random = &mut Random::new(3);
    let mut tallies: Vec<Tally> = parts().iter().map(|_| Tally::default()).collect();
    let mut n_contacts = 0;
    for round in 0..60 {
        let detection =
            if round % 3 == 0 { Detection::Penetrating } else { Detection::Ahead { margin: 0.1 } };
        let at = situation(random);
        let (kin, found) = at.collide(detection);
        let bars = random_bars(random, found.contacts.len());
        let back = at.back(&kin, &found, &bars);
        n_contacts += bars.len();
        for (part, tally) in parts().into_iter().zip(&mut tallies) {
            let (varied, got) = vary(part, &at, &back, random);
            let (_, varied_work) = varied.collide(detection);
            assert_eq!(varied_work.contacts.len(), bars.len());
            let (mut want, mut scale) = (0.0, 0.0);
            for (contact, bar) in varied_work.contacts.iter().zip(&bars) {
                let rates: Vec<f64> = numbers!(contact).iter().map(|x| x.eps[0]).collect();
                want += dot(&rates, &numbers!(bar));
                scale += spread(&rates, &numbers!(bar));
            }
            tally.compare(got, want, scale, &format!("round {round}, {part:?}"));
        }
    }
    let worst = tallies.iter().map(|t| t.worst).fold(0.0, f64::max);
    println!("collisions: {n_contacts} contacts, worst {worst:.1e}");
    assert!(n_contacts > 1000);
    for (part, tally) in parts().iter().zip(&tallies) {
        // Planes have no size, and spheres look the same from all sides.
        let dead = matches!(part, Part::ShapeSize(0 | 5) | Part::ShapeTurn(3 | 6 | 7));
        assert_eq!(tally.live > 5, !dead, "{part:?}: {} live", tally.live);
    }
}

/// Worlds in lanes get the derivatives they get alone, whatever is said of contacts they do not have.
#[test]
fn lanes_do_not_see_each_other() {
    type Many = Lanes<f64, 4>;
    let random = &mut Random::new(4);
    let detection = Detection::Penetrating;
    let mut missing = 0;
    for _ in 0..20 {
        let first = situation(random);
        let model = &first.model;
        let alone: [Situation<f64>; 4] = core::array::from_fn(|_| {
            let mut q = first.q.clone();
            let step: Vec<f64> = (0..model.nv()).map(|_| 0.3 * random.uniform()).collect();
            integrate(model, &mut q, &step);
            Situation { model: model.clone(), q, v: random_numbers(random, model.nv()) }
        });
        let gather = |of: &dyn Fn(usize) -> Vec<f64>| -> Vec<Many> {
            let lanes: Vec<Vec<f64>> = (0..4).map(of).collect();
            (0..lanes[0].len()).map(|k| Many::from_lanes(|lane| lanes[lane][k])).collect()
        };
        let together = Situation::<Many> {
            model: model.cast(),
            q: gather(&|i| alone[i].q.clone()),
            v: gather(&|i| alone[i].v.clone()),
        };
        let (kin, work) = together.collide(detection);
        let bars = random_bars(random, work.contacts.len());
        let masked: Vec<ContactCotangents<Many>> = (work.contacts.iter().zip(&bars))
            .map(|(contact, bar)| {
                let active = |lane: usize| contact.gap.lane(lane) < FAR;
                let number =
                    |x: &f64| Many::from_lanes(|lane| if active(lane) { *x } else { f64::NAN });
                let mut bar_together = ContactCotangents::zero();
                let numbers: Vec<Many> = numbers!(bar).iter().map(number).collect();
                set_numbers!(&mut bar_together, &numbers);
                bar_together
            })
            .collect();
        let (q_bar, v_bar, params) = together.back(&kin, &work, &masked);
        for (lane, alone) in alone.iter().enumerate() {
            let (kin, own) = alone.collide(detection);
            let own_bars: Vec<_> = (work.contacts.iter().zip(&bars))
                .filter(|(contact, _)| contact.gap.lane(lane) < FAR)
                .map(|(_, bar)| *bar)
                .collect();
            assert_eq!(own.contacts.len(), own_bars.len());
            missing += bars.len() - own_bars.len();
            let (own_q_bar, own_v_bar, own_params) = alone.back(&kin, &own, &own_bars);
            for k in 0..alone.v.len() {
                assert_eq!(q_bar[k].lane(lane), own_q_bar[k]);
                assert_eq!(v_bar[k].lane(lane), own_v_bar[k]);
            }
            for (shape, own) in params.shapes.iter().zip(&own_params.shapes) {
                let own_lane = shape.map(|x| x.lane(lane));
                assert_eq!(own_lane.placement, own.placement);
                assert_eq!((own_lane.size, own_lane.material), (own.size, own.material));
            }
            let own_lane: Vec<_> = params.pairs.iter().map(|m| m.map(|x| x.lane(lane))).collect();
            assert_eq!(own_lane, own_params.pairs);
        }
    }
    println!("lanes: {missing} contacts that a lane does not have");
    assert!(missing > 100);
}

// ---- allocations ----

#[test]
fn a_second_run_allocates_nothing() {
    let random = &mut Random::new(5);
    let at = situation(random);
    let (kin, found) = at.collide(Detection::Ahead { margin: 0.1 });
    let bars = random_bars(random, found.contacts.len());
    let mut work = CollideWork::new(&at.model);
    let mut params = at.model.params.zeros_like();
    let mut kin_bar = KinematicsCotangents::new(&at.model);
    let mut run = || {
        allocations(|| {
            let of = Collided { kin: &kin, shapes: &found, contacts: &found.contacts };
            let out = CollideCotangents { kin: &mut kin_bar, params: &mut params };
            collide_vjp(&at.model, of, &bars, &mut work, out);
        })
    };
    run();
    assert_eq!(run(), 0, "allocations");
}
