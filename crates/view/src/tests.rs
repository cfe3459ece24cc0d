//! What the stage, its contacts and the mouse do, and what is in a recording.

use std::io::Read as _;
use std::path::Path;

use flate2::read::ZlibDecoder;
use gradbody_math::{Force, Vec3};
use gradbody_model::import::{ImportOptions, load};
use gradbody_model::{Material, Model};
use gradbody_sim::{Input, NoTaps, Simulation, State, StepOptions};
use serde_json::Value;

use crate::drag;
use crate::gradient::{Pushed, final_height, sensitivity};
use crate::history::{Account, History, Moment};
use crate::protocol::Drag;
use crate::record;
use crate::stage::{Stage, Subject};

fn read(name: &str) -> Model<f64> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    load(&file, &ImportOptions::default()).expect("a model").model
}

fn subject(model: Model<f64>, dt: f64) -> Subject {
    let start = match model.topology.keyframes.first() {
        Some(key) => State::from_keyframe(&model, key),
        None => State::neutral(&model),
    };
    let control = vec![0.0; model.topology.actuators.len()];
    let tau = vec![0.0; model.nv()];
    Subject { start, control, tau, options: StepOptions::new(dt), model }
}

/// A cube on a ground, moving sideways at a speed.
fn sliding_cube(speed: f64) -> Stage {
    let mut model = read("cube.urdf");
    model.add_ground(0.0, Material::with_friction(0.5)).expect("a ground");
    let mut subject = subject(model, 1e-3);
    let half = subject.model.params.shapes[0].size.z;
    subject.start.q[2] = half;
    subject.start.v[0] = speed;
    Stage::new(subject, 1)
}

fn steps(stage: &mut Stage, n: usize) {
    (0..n).for_each(|_| stage.step().expect("a finite motion"));
}

fn total(stage: &Stage) -> f64 {
    let state = &stage.worlds[0].state;
    let mut kin = gradbody_dynamics::Kinematics::new(&stage.model);
    gradbody_sim::Totals::at(&stage.model, state, &mut kin).energy.total()
}

#[test]
fn a_pulled_body_comes_to_the_mouse_and_the_work_is_the_energy_it_got() {
    let mut model = read("double_pendulum.urdf");
    for joint in &mut model.params.joints {
        (joint.damping, joint.friction) = (0.0, 0.0);
    }
    let mut stage = Stage::new(subject(model, 1e-4), 1);
    steps(&mut stage, 10);
    let before = total(&stage);
    let body = &gradbody_dynamics::Kinematics::at(
        &stage.model,
        &stage.worlds[0].state.q,
        &stage.worlds[0].state.v,
    );
    let target = (body.bodies[1].pos_w + Vec3::new(0.2, 0.0, 0.1)).to_array();
    stage.hold(Drag { body: 2, point: [0.0; 3], target }).expect("held");
    steps(&mut stage, 2000);
    let work = stage.accounts[0].drag_work;
    let gained = total(&stage) - before;
    assert!(work.abs() > 1e-3, "the pull does work: {work}");
    // The rest is the first-order error of the scheme, in steps of 0.1 ms.
    assert!((gained - work).abs() < 2e-3 * work.abs(), "{gained} J gained by {work} J of work");
    stage.release();
    let free = total(&stage);
    steps(&mut stage, 500);
    assert_eq!(stage.accounts[0].drag_work, work, "no work once it is released");
    assert!((total(&stage) - free).abs() < 2e-3 * work.abs());
}

#[test]
fn a_free_body_follows_the_mouse_with_a_force_that_is_bounded() {
    let mut model = read("cube.urdf");
    model.params.gravity = Vec3::ZERO;
    let mut stage = Stage::new(subject(model, 1e-3), 1);
    let drag = |target: [f64; 3]| Drag { body: 1, point: [0.0; 3], target };
    stage.hold(drag([0.3, -0.2, 0.5])).expect("held");
    steps(&mut stage, 1000);
    for (q, target) in stage.worlds[0].state.q.iter().zip([0.3, -0.2, 0.5]) {
        assert!((q - target).abs() < 1e-2, "{q} {target}");
    }
    stage.hold(drag([1e6, 0.0, 0.0])).expect("held");
    steps(&mut stage, 1);
    let [.., x, y, z] = stage.drag_numbers().map(f64::from);
    let limit = drag::largest_limit(&stage.model);
    assert!(((x * x + y * y + z * z).sqrt() / limit - 1.0).abs() < 1e-6);
    assert!(stage.hold(Drag { body: 0, ..drag([0.0; 3]) }).is_err(), "the world is not pulled");
}

#[test]
fn going_on_from_a_kept_moment_gives_the_same_bits() {
    let mut stage = Stage::new(subject(read("ant.xml"), 1e-2), 2);
    steps(&mut stage, 80);
    stage.seek(0.4);
    let from = stage.time();
    assert!((from - 0.4).abs() < 1e-9 && !stage.is_newest());
    let first: Vec<State<f64>> = stage.worlds.iter().map(|w| w.state.clone()).collect();
    steps(&mut stage, 20);
    let once: Vec<State<f64>> = stage.worlds.iter().map(|w| w.state.clone()).collect();
    assert!((stage.history.span()[1] - 0.6).abs() < 1e-9, "what came after is forgotten");
    stage.seek(from);
    assert_eq!(stage.worlds.iter().map(|w| w.state.clone()).collect::<Vec<_>>(), first);
    steps(&mut stage, 20);
    for (world, once) in stage.worlds.iter().zip(&once) {
        assert_eq!(world.state, *once);
    }
    stage.back(5);
    assert!((stage.time() - 0.55).abs() < 1e-9, "{}", stage.time());
    stage.reset(None).expect("reset");
    assert_eq!((stage.time(), stage.history.len()), (0.0, 1));
    let error = stage.reset(Some("handstand")).expect_err("no such keyframe");
    assert!(error.contains("handstand"), "{error}");
}

#[test]
fn an_edit_in_the_past_forgets_what_came_after() {
    let mut stage = Stage::new(subject(read("double_pendulum.urdf"), 1e-2), 1);
    steps(&mut stage, 30);
    stage.seek(0.1);
    stage.set_joint(1, 0.5).expect("set");
    let state = &stage.worlds[0].state;
    assert_eq!((state.q[1], state.v[1]), (0.5, 0.0));
    assert!(stage.is_newest() && (stage.history.span()[1] - 0.1).abs() < 1e-9);
    assert!(stage.set_joint(2, 0.0).is_err());
    let error = stage.set_parameter("link/link1/mass", -1.0).expect_err("no such mass");
    assert!(error.contains("link/link1/mass"), "{error}");
    let mass = stage.model.params.links[0].mass;
    assert!(mass > 0.0, "a refused number changes nothing");
}

#[test]
fn old_moments_make_room_for_new_ones() {
    let state = State::neutral(&read("pendulum1.urdf"));
    let moment = |k: usize| Moment {
        states: vec![State { time: k as f64, ..state.clone() }],
        accounts: vec![Account::default()],
        contacts: Vec::new(),
        drag: [0.0; 8],
    };
    let mut history = History::with_room(100_000);
    (0..1000).for_each(|k| history.push(moment(k)));
    let (kept, span) = (history.len(), history.span());
    assert!((50..1000).contains(&kept), "{kept}");
    assert_eq!(span, [(1000 - kept) as f64, 999.0]);
    assert_eq!(history.nearest(0.0), Some(0));
    assert_eq!(history.nearest(997.6), Some(kept - 2));
}

#[test]
fn contacts_carry_the_weight_and_slide_until_they_stick() {
    let mut stage = sliding_cube(0.5);
    steps(&mut stage, 20);
    assert!(!stage.contacts.is_empty());
    assert!(
        stage.contacts.iter().filter(|c| c[5] > 0.1).all(|c| c[6] == 2.0),
        "{:?}",
        stage.contacts
    );
    steps(&mut stage, 1000);
    assert!(
        stage.contacts.iter().filter(|c| c[5] > 0.1).all(|c| c[6] == 1.0),
        "{:?}",
        stage.contacts
    );
    let weight = stage.model.params.links[0].mass * 9.81;
    let sum: f32 = stage.contacts.iter().map(|c| c[5]).sum();
    assert!((f64::from(sum) / weight - 1.0).abs() < 1e-2, "{sum} N of {weight} N");
    let said = stage.accounts[0].contact_force[2];
    assert!((said - f64::from(sum)).abs() < 1e-3 * weight);
    assert!(stage.accounts[0].contact_work < 0.0, "sliding takes energy out");
}

/// The header and the arrays of the bytes of a recording.
fn opened(bytes: &[u8]) -> (Value, Vec<u8>) {
    let mut all = Vec::new();
    ZlibDecoder::new(bytes).read_to_end(&mut all).expect("zlib");
    let length = u32::from_le_bytes(all[..4].try_into().expect("4")) as usize;
    let header = serde_json::from_slice(&all[4..4 + length]).expect("JSON");
    (header, all[(4 + length).next_multiple_of(4)..].to_vec())
}

/// The numbers of an array.
fn floats(header: &Value, bytes: &[u8], name: &str) -> Vec<f32> {
    let about = &header["arrays"][name];
    let shape: Vec<usize> = serde_json::from_value(about["shape"].clone()).expect("a shape");
    let from = about["offset"].as_u64().expect("an offset") as usize;
    let words = bytes[from..].chunks(4).take(shape.iter().product());
    words.map(|word| f32::from_le_bytes(word.try_into().expect("4"))).collect()
}

#[test]
fn a_recording_of_a_humanoid_is_small_and_its_arrays_are_found() {
    let mut told = 0;
    let subject = subject(read("humanoid.xml"), 5e-3);
    let recording = record::simulated(&subject, 2.0, |_| {
        told += 1;
        true
    });
    assert_eq!(told, 400);
    assert_eq!(recording.times.len(), 121);
    let bytes = recording.encode();
    // Ten seconds in a page take less than a megabyte beside the page's own.
    assert!(bytes.len() < 150_000, "{} bytes", bytes.len());
    let (header, arrays) = opened(&bytes);
    let poses = floats(&header, &arrays, "poses/simulated");
    assert_eq!(poses.len(), recording.layers[0].poses.len());
    // Stored as multiples of 2⁻²⁰.
    for (stored, pose) in poses.iter().zip(&recording.layers[0].poses) {
        assert!((stored - pose).abs() <= 0.5_f32.powi(21), "{stored} for {pose}");
    }
    let times = floats(&header, &arrays, "t");
    assert_eq!((times[0], times[120]), (0.0, 2.0));
    let contacts = floats(&header, &arrays, "contacts");
    assert_eq!(contacts.len(), 8 * recording.contacts.iter().map(Vec::len).sum::<usize>());
    let channels = floats(&header, &arrays, "channels");
    let names = header["channels"].as_array().expect("channels");
    let height = names.iter().position(|c| c["name"] == "q:root/z").expect("a channel");
    let (bodies, body) = (recording.scene.bodies.len(), 7 + 2);
    for (row, pose) in
        channels.chunks(names.len()).zip(recording.layers[0].poses.chunks(7 * bodies))
    {
        assert!((row[height] - pose[body]).abs() < 1e-5);
    }
}

#[test]
fn a_diverging_simulation_is_recorded_up_to_there() {
    let mut subject = subject(read("double_pendulum.urdf"), 1e-3);
    subject.start.v[0] = 1e200;
    let recording = record::simulated(&subject, 1.0, |_| true);
    assert!(recording.caption.contains("is not finite after step"), "{}", recording.caption);
    assert!(!recording.times.is_empty());
}

fn kinematics_of(world: &Simulation<'_, f64>) -> gradbody_dynamics::Kinematics<f64> {
    gradbody_dynamics::Kinematics::at(world.model, &world.state.q, &world.state.v)
}

/// Arrows against differences of two simulations with a push.
#[test]
fn arrows_are_derivatives_by_pushes() {
    let mut model = read("cube.urdf");
    model.add_ground(0.0, Material::with_friction(0.5)).expect("a ground");
    let mut start = State::neutral(&model);
    start.q[2] = 1.0;
    start.v[4] = 0.3;
    let arm = read("double_pendulum.urdf");
    let mut bent = State::neutral(&arm);
    bent.q[0] = 0.4;
    for (model, start) in [(model, start), (arm, bent)] {
        let options = StepOptions::new(2e-3);
        let (steps, pushed_at) = (100, 40);
        let times = [0.0, 0.08, 0.082, 0.2];
        let inputs = [Input::none(&model)];
        let of = Pushed { model: &model, start: &start, options: &options, inputs: &inputs, steps };
        let loss = &mut final_height(&model);
        let found = sensitivity(&of, loss, ("height", "m"), &times, &mut NoTaps).expect("arrows");
        let bodies = model.n_links() + 1;
        let height = |link: usize, axis: usize, push: f64| {
            let mut world = Simulation::new(&model, options).from_state(start.clone());
            for k in 0..steps {
                world.input.external = vec![Force::ZERO; model.n_links()];
                if k == pushed_at {
                    let kin = kinematics_of(&world);
                    let mut force = Vec3::ZERO;
                    force[axis] = push / options.dt;
                    let lever = kin.bodies[link].rot_wb * model.params.links[link].com;
                    world.input.external[link] = Force::new(lever.cross(force), force);
                }
                assert!(world.step().diverged.is_none());
            }
            gradbody_dynamics::centre_of_mass(&model, &kinematics_of(&world)).z
        };
        for link in 0..model.n_links() {
            for axis in 0..3 {
                let small = 1e-5;
                let slope =
                    (height(link, axis, small) - height(link, axis, -small)) / (2.0 * small);
                let arrow = f64::from(found.arrows.vectors[3 * (bodies + 1 + link) + axis]);
                assert!((slope - arrow).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {arrow}");
            }
        }
        assert!(found.arrows.vectors.iter().any(|x| x.abs() > 1e-3));
    }
}
