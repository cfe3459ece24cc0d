//! Parts of walking against closed forms and independent sums, and a short walk.

use std::f64::consts::FRAC_PI_2;
use std::path::Path;

use gradbody_math::random::Random;
use gradbody_math::{Mat3, Vec3};
use gradbody_model::import::{Base, ImportOptions, load};
use gradbody_model::{Material, Model};
use gradbody_sim::{Simulation, State, StepOptions};

use super::footholds::Travel;
use super::swing::Swing;
use super::{
    Command, ConvexMpc, ConvexMpcOptions, Foot, FootholdRule, ForceChooser, Gait, LEGS, LegPhase,
    LeggedError, Quadruped, Situation, Walker, WalkerOptions,
};

const RADIUS: f64 = 0.0265;

fn model(base: Base) -> Model<f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/laikago.urdf");
    let options = ImportOptions { base, ..ImportOptions::default() };
    let mut model = load(&path, &options).expect("the model is valid").model;
    let surface = Material::with_friction(0.8);
    model.params.shapes.iter_mut().for_each(|shape| shape.material = surface);
    model.add_ground(0.0, surface).expect("no shape is called so yet");
    model
}

fn stance() -> Vec<f64> {
    let mut stance = vec![0.0, 0.0, 0.409, 1.0, 0.0, 0.0, 0.0];
    stance.extend([0.0, 0.7, -1.4].repeat(LEGS));
    stance
}

fn feet(model: &Model<f64>) -> [Foot; LEGS] {
    ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]
        .map(|name| Foot { frame: model.topology.frame(name).expect("a frame"), radius: RADIUS })
}

fn laikago(model: &Model<f64>) -> Quadruped {
    let trunk = model.topology.link("trunk").expect("a trunk");
    Quadruped::new(model, trunk, feet(model), &stance()).expect("a quadruped")
}

/// The robot in its stance, at rest where it should be.
fn at_rest(robot: &Quadruped, gait: &Gait, phase: f64) -> Situation {
    Situation {
        phase,
        stance: std::array::from_fn(|leg| matches!(gait.leg(leg, phase), LegPhase::Stance { .. })),
        tilt: [0.0; 2],
        height: robot.height,
        velocity_h: Vec3::ZERO,
        angular_velocity_h: Vec3::ZERO,
        position_error_h: [0.0; 2],
        heading_error: 0.0,
        command: Command::default(),
        feet_h: robot.home_b,
        footholds_h: robot.home_b,
    }
}

/// At rest, with everything changed a little at random.
fn disturbed(robot: &Quadruped, gait: &Gait, random: &mut Random) -> Situation {
    let mut situation = at_rest(robot, gait, random.unit());
    let mut vector = |size: f64| {
        Vec3::new(size * random.signed(), size * random.signed(), size * random.signed())
    };
    situation.velocity_h = vector(0.5);
    situation.angular_velocity_h = vector(0.5);
    let (a, b, c) = (vector(0.1), vector(0.05), vector(0.5));
    situation.tilt = [a.x, a.y];
    situation.height += 0.1 * a.z;
    situation.position_error_h = [b.x, b.y];
    situation.heading_error = b.z;
    situation.command = Command { forwards: c.x, sideways: c.y, turning: c.z };
    for leg in 0..LEGS {
        let (foot, hold) = (vector(0.05), vector(0.05));
        situation.feet_h[leg] += foot;
        situation.footholds_h[leg] += hold;
    }
    situation
}

#[test]
fn in_a_trot_diagonal_legs_are_on_the_ground_together() {
    let gait = Gait::trot(0.5, 0.5);
    for k in 0..50 {
        let phase = gait.phase(7.5 + 0.01 * f64::from(k) + 0.005);
        let on_ground: Vec<bool> =
            (0..LEGS).map(|leg| matches!(gait.leg(leg, phase), LegPhase::Stance { .. })).collect();
        assert!(on_ground == [true, false, false, true] || on_ground == [false, true, true, false]);
        for leg in 0..LEGS {
            // Just after the touchdown the leg has been on the ground for no time.
            let later = phase + (gait.time_to_touchdown(leg, phase) + 1e-9) / gait.period;
            let LegPhase::Stance { passed } = gait.leg(leg, later) else {
                panic!("leg {leg} is in the air after its touchdown");
            };
            assert!(passed < 1e-6);
        }
    }
}

#[test]
fn a_swing_begins_and_ends_at_rest_and_its_velocity_is_its_derivative() {
    let swing = Swing {
        from_w: Vec3::new(0.1, 0.2, 0.03),
        to_w: Vec3::new(0.35, 0.15, 0.05),
        duration: 0.3,
        clearance: 0.08,
    };
    for (passed, place) in [(0.0, swing.from_w), (1.0, swing.to_w)] {
        let (position, velocity) = swing.at(passed);
        assert!((position - place).norm() < 1e-15 && velocity.norm() < 1e-15);
    }
    let middle = swing.at(0.5).0;
    assert!((middle.z - (0.5 * (0.03 + 0.05) + 0.08)).abs() < 1e-15, "{}", middle.z);
    let step = 1e-6;
    for k in 1..20 {
        let passed = f64::from(k) / 20.0;
        let ahead = swing.at(passed + step).0 - swing.at(passed - step).0;
        let slope = ahead * (0.5 / (step * swing.duration));
        assert!((slope - swing.at(passed).1).norm() < 1e-8);
    }
}

/// A robot that moves as it is told puts its feet where their middle of the stance is their home.
#[test]
fn footholds_are_symmetric_about_the_stance() {
    let model = model(Base::Free);
    let robot = laikago(&model);
    let gait = Gait::trot(0.5, 0.5);
    let command = Command { forwards: 0.4, sideways: -0.1, turning: 0.0 };
    let velocity_h = command.velocity(0.0);
    let travel = Travel { command, velocity_h, height: robot.height };
    for phase in [0.1, 0.7] {
        let holds = FootholdRule::default().next(&robot, &gait, phase, &travel);
        for leg in 0..LEGS {
            let middle = gait.time_to_touchdown(leg, phase) + 0.5 * gait.stance_time();
            let home = robot.home_b[leg] + velocity_h * middle;
            assert!((holds[leg].x - home.x).abs() < 1e-12);
            assert!((holds[leg].y - home.y).abs() < 1e-12);
            assert_eq!(holds[leg].z, -robot.height);
        }
    }
    // Turning on the spot by a quarter until the middle of the stance turns the homes by a quarter.
    let phase = 0.25;
    let middle = gait.time_to_touchdown(0, phase) + 0.5 * gait.stance_time();
    let command = Command { turning: FRAC_PI_2 / middle, ..Command::default() };
    let travel = Travel { command, velocity_h: Vec3::ZERO, height: robot.height };
    let hold = FootholdRule::default().next(&robot, &gait, phase, &travel)[0];
    let home = robot.home_b[0];
    assert!((hold.x + home.y).abs() < 1e-12 && (hold.y - home.x).abs() < 1e-12);
}

/// The cost of forces along the horizon, by stepping the body through its intervals.
fn cost_by_stepping(
    robot: &Quadruped,
    gait: &Gait,
    options: &ConvexMpcOptions,
    s: &Situation,
    forces: &[f64],
) -> f64 {
    let h = options.interval;
    let mut position = [s.tilt[0], s.tilt[1], 0.0, 0.0, 0.0, s.height];
    let (v, w) = (s.velocity_h, s.angular_velocity_h);
    let mut velocity = [w.x, w.y, w.z, v.x, v.y, v.z];
    let mut forces = forces.as_chunks::<3>().0.iter();
    let mut cost = 0.0;
    for interval in 0..options.intervals {
        let middle = (interval as f64 + 0.5) * h;
        let phase = s.phase + middle / gait.period;
        let legs: Vec<usize> = (0..LEGS)
            .filter(|leg| match interval {
                0 => s.stance[*leg],
                _ => matches!(gait.leg(*leg, phase), LegPhase::Stance { .. }),
            })
            .collect();
        let turn = Mat3::IDENTITY.rotate_z((s.command.turning * middle).sin_cos());
        let (mut torque, mut force) = (Vec3::ZERO, Vec3::Z * -robot.weight());
        for leg in &legs {
            let own = Vec3::from_slice(forces.next().expect("a force for each foot"));
            let lands = gait.time_to_touchdown(*leg, s.phase);
            let held = s.stance[*leg] && middle < lands;
            let sole = if held { s.feet_h[*leg] } else { s.footholds_h[*leg] };
            torque += (sole - s.command.path(middle)).cross(own);
            force += own;
            let share = Vec3::Z * (robot.weight() / legs.len() as f64);
            // The square of what a force is beyond its share, up to a constant.
            let (square, shared) = (own.norm_squared(), own.dot(share));
            cost += 0.5 * options.force_weight * (square - 2.0 * shared);
        }
        // Angular acceleration in the trunk's axes and back.
        let moment_b = turn.transpose_mul(torque);
        let inertia = robot.inertia_b.to_mat3();
        let ang = turn * solve3(inertia, moment_b);
        let lin = force * (1.0 / robot.mass);
        let accelerations = [ang.x, ang.y, ang.z, lin.x, lin.y, lin.z];
        let time = (interval as f64 + 1.0) * h;
        let (path, speed) = (s.command.path(time), s.command.velocity(s.command.turning * time));
        let [ex, ey] = s.position_error_h;
        let yaw = s.heading_error + s.command.turning * time;
        let sought = [0.0, 0.0, yaw, ex + path.x, ey + path.y, robot.height];
        let sought_velocity = [0.0, 0.0, s.command.turning, speed.x, speed.y, 0.0];
        for c in 0..6 {
            position[c] += h * velocity[c] + 0.5 * h * h * accelerations[c];
            velocity[c] += h * accelerations[c];
            cost += 0.5 * options.position_weights[c] * (position[c] - sought[c]).powi(2);
            cost += 0.5 * options.velocity_weights[c] * (velocity[c] - sought_velocity[c]).powi(2);
        }
    }
    assert!(forces.next().is_none());
    cost
}

/// Cramer's rule.
fn solve3(m: Mat3<f64>, b: Vec3<f64>) -> Vec3<f64> {
    let [x, y, z] = m.cols;
    let with = |cols: [Vec3<f64>; 3]| Mat3 { cols }.determinant() / m.determinant();
    Vec3::new(with([b, y, z]), with([x, b, z]), with([x, y, b]))
}

#[test]
fn the_program_has_the_cost_of_the_stepped_body() {
    let model = model(Base::Free);
    let robot = laikago(&model);
    let mut random = Random::new(3);
    for stance_share in [0.5, 0.6] {
        let gait = Gait::trot(0.5, stance_share);
        let options = ConvexMpcOptions::for_weight(robot.weight());
        let mut mpc = ConvexMpc::new(&robot, &gait, options.clone()).expect("options");
        for _ in 0..20 {
            let situation = disturbed(&robot, &gait, &mut random);
            mpc.set_up(&situation);
            let n = mpc.program().unknowns();
            let cost =
                |forces: &[f64]| cost_by_stepping(&robot, &gait, &options, &situation, forces);
            let zero = cost(&vec![0.0; n]);
            for _ in 0..3 {
                let forces: Vec<f64> = random.numbers(n).iter().map(|x| 100.0 * x).collect();
                let (stepped, of_program) = (cost(&forces) - zero, mpc.program().cost(&forces));
                let size = stepped.abs().max(zero);
                assert!((stepped - of_program).abs() < 1e-9 * size, "{stepped} {of_program}");
            }
        }
    }
}

#[test]
fn at_rest_the_feet_carry_the_weight() {
    let model = model(Base::Free);
    let robot = laikago(&model);
    let gait = Gait::trot(0.5, 1.0);
    // The weight on forces asks for equal shares, which would turn the robot a little.
    let options =
        ConvexMpcOptions { force_weight: 1e-10, ..ConvexMpcOptions::for_weight(robot.weight()) };
    let mut mpc = ConvexMpc::new(&robot, &gait, options).expect("options");
    let forces = mpc.choose(&at_rest(&robot, &gait, 0.0)).expect("a minimum");
    let sum = forces.iter().fold(Vec3::ZERO, |sum, force| sum + *force);
    assert!((sum - Vec3::Z * robot.weight()).norm() < 1e-6 * robot.weight(), "{sum:?}");
    let torque = forces.iter().zip(&robot.home_b);
    let torque = torque.fold(Vec3::ZERO, |sum, (force, sole)| sum + sole.cross(*force));
    assert!(torque.norm() < 1e-6 * robot.weight(), "{torque:?}");
}

/// A strong pull to the side is answered at the edge of the friction pyramids, not beyond it.
#[test]
fn forces_stay_in_their_pyramids() {
    let model = model(Base::Free);
    let robot = laikago(&model);
    let gait = Gait::trot(0.5, 0.5);
    let options = ConvexMpcOptions::for_weight(robot.weight());
    let mut mpc = ConvexMpc::new(&robot, &gait, options.clone()).expect("options");
    let mut situation = at_rest(&robot, &gait, 0.1);
    situation.velocity_h = Vec3::new(0.3, 2.0, 0.0);
    let forces = mpc.choose(&situation).expect("a minimum");
    assert!(mpc.report().active > 0);
    for (force, on_ground) in forces.iter().zip(situation.stance) {
        let edge = options.friction * force.z + 1e-8;
        assert!(force.x.abs() <= edge && force.y.abs() <= edge, "{force:?}");
        assert!(force.z >= -1e-8 && force.z <= options.most_force + 1e-8);
        assert!(on_ground || force.norm() == 0.0);
    }
    assert!(forces.iter().map(|force| force.y).sum::<f64>() < -0.3 * robot.weight());
}

#[test]
fn what_cannot_walk_is_refused() {
    let model = model(Base::Free);
    let trunk = model.topology.link("trunk").expect("a trunk");
    let feet = feet(&model);
    let error = Quadruped::new(&model, trunk, feet, &[0.0; 3]).expect_err("too short");
    assert_eq!(error, LeggedError::Stance { given: 3, needed: model.nq() });
    let mut on_trunk = feet;
    on_trunk[1].frame = model.topology.frame("trunk").expect("a frame");
    let error = Quadruped::new(&model, trunk, on_trunk, &stance()).expect_err("no leg");
    assert_eq!(error, LeggedError::NoLeg("trunk".into()));
    let hip = model.topology.link("FL_hip").expect("a link");
    let error = Quadruped::new(&model, hip, feet, &stance()).expect_err("no trunk");
    assert_eq!(error, LeggedError::TrunkNotFree("FL_hip".into()));
    let mut upside_down = stance();
    upside_down[3..7].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
    // In the trunk's axes nothing changes, but the soles are then above the centre of mass by one radius more.
    assert!(Quadruped::new(&model, trunk, feet, &upside_down).is_ok());
    let mut legs_up = stance();
    for leg in 0..LEGS {
        legs_up[7 + 3 * leg + 1] = 0.7 + std::f64::consts::PI;
    }
    let error = Quadruped::new(&model, trunk, feet, &legs_up).expect_err("not above");
    assert_eq!(error, LeggedError::NotAbove);
}

#[test]
fn impossible_options_are_refused() {
    let model = model(Base::Free);
    let robot = laikago(&model);
    let gait = Gait::trot(0.5, 0.5);
    let usual = || ConvexMpcOptions::for_weight(robot.weight());
    let refused = |gait: &Gait, options: ConvexMpcOptions| {
        ConvexMpc::new(&robot, gait, options).expect_err("out of range").to_string()
    };
    let told = "gait.period = 0 is out of range: it must be positive and finite";
    assert_eq!(refused(&Gait::trot(0.0, 0.5), usual()), told);
    assert!(refused(&Gait::trot(0.5, 1.5), usual()).starts_with("gait.stance_share = 1.5"));
    let none = ConvexMpcOptions { intervals: 0, ..usual() };
    assert!(refused(&gait, none).starts_with("intervals = 0"));
    let slippery = ConvexMpcOptions { friction: -0.5, ..usual() };
    assert!(refused(&gait, slippery).starts_with("friction = -0.5"));
    let mut unknown = usual();
    unknown.velocity_weights[2] = f64::NAN;
    assert!(refused(&gait, unknown).starts_with("velocity_weights = NaN"));
    let options = WalkerOptions { heading_slack: -0.1, ..WalkerOptions::default() };
    let mpc = ConvexMpc::new(&robot, &gait, usual()).expect("options");
    let error = Walker::new(&model, robot.clone(), gait, options, mpc).expect_err("out of range");
    assert!(error.to_string().starts_with("heading_slack = -0.1"), "{error}");
}

/// Three seconds in rigid contact: it follows its command.
#[test]
fn laikago_walks_as_commanded() {
    let model = model(Base::Free);
    let robot = laikago(&model);
    let gait = Gait::trot(0.5, 0.5);
    let options = ConvexMpcOptions::for_weight(robot.weight());
    let mpc = ConvexMpc::new(&robot, &gait, options).expect("options");
    let trunk = robot.trunk;
    let walker = Walker::new(&model, robot, gait, WalkerOptions::default(), mpc);
    let mut walker = walker.expect("options");
    let mut start = State::neutral(&model);
    start.q.copy_from_slice(&stance());
    let mut world = Simulation::new(&model, StepOptions::new(1e-3)).from_state(start);
    let command = Command { forwards: 0.4, sideways: 0.0, turning: 0.3 };
    for step in 0..3000 {
        let torques = walker.act(&world.state, &command, f64::from(step) * 1e-3).expect("forces");
        world.input.tau.copy_from_slice(torques);
        assert!(world.step().diverged.is_none());
        let height = world.state.q[2];
        assert!((0.38..0.43).contains(&height), "{height} m at step {step}");
    }
    let kin = gradbody_dynamics::Kinematics::at(&model, &world.state.q, &world.state.v);
    let heading = kin.bodies[trunk.index()].rot_wb.to_rpy().z;
    assert!((heading - 0.9).abs() < 0.1, "turned by {heading} rad in 3 s of 0.3 rad/s");
    // On a circle of radius v/ω.
    let radius = 0.4 / 0.3;
    let [x, y] = [radius * heading.sin(), radius * (1.0 - heading.cos())];
    let off = (world.state.q[0] - x).hypot(world.state.q[1] - y);
    assert!(off < 0.15, "{off} m from the circle: {:?}", &world.state.q[..2]);
}
