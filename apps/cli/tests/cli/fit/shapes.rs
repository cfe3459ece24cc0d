//! Fits of models with shapes and pairs that the experiment adds, and with joints that are moved along measured paths.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{folder, gradbody_in, refused_at_a_line, simulate};

/// The built-in cube without its box.
const BODY: &str = r#"<robot name="body">
  <link name="cube"><inertial>
    <mass value="0.37"/>
    <inertia ixx="0.00081" iyy="0.00081" izz="0.00081" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
</robot>
"#;

/// It stands on its lower four corners.
const EXPERIMENT: &str = r#"[model]
file = "body.urdf"
base = "free"
ground = { friction = 0.9 }

[model.shapes.feet]
link = "cube"
points = [[0.0524, 0.0524, 0], [-0.0524, 0.0524, 0], [0.0524, -0.0524, 0], [-0.0524, -0.0524, 0]]
position = [0, 0, -0.0524]

[[model.pairs]]
shapes = ["ground", "feet"]
friction = 0.6

[data]
files = "slide.csv"
time = "t"

[channels]
x = { column = "q:root/x", unit = "m", is = "link/cube/position/x", noise = 0.001 }
y = { column = "q:root/y", unit = "m", is = "link/cube/position/y", noise = 0.001 }
z = { column = "q:root/z", unit = "m", is = "link/cube/position/z", noise = 0.001 }
qw = { column = "q:root/qw", unit = "1", is = "link/cube/orientation/w", noise = 0.001 }
qx = { column = "q:root/qx", unit = "1", is = "link/cube/orientation/x" }
qy = { column = "q:root/qy", unit = "1", is = "link/cube/orientation/y" }
qz = { column = "q:root/qz", unit = "1", is = "link/cube/orientation/z" }

[change]
parameters = ["contact/ground-feet/friction"]
starts = "measured"

[simulation]
substeps = 10

[prediction]
baselines = []
"#;

/// A folder with a recording of a cube that slides on a ground with friction 0.3, and the experiment.
fn sliding(name: &str) -> PathBuf {
    let folder = folder(name);
    let start =
        ["cube", "--ground", "--friction", "0.3", "--q=0,0,0.0524,1,0,0,0", "--v=3,0,0,0,0,0"];
    let run = ["--time", "0.4", "--every", "10", "--out", "slide.csv"];
    simulate(&folder, &[&start[..], &run].concat());
    fs::write(folder.join("body.urdf"), BODY).expect("written");
    fs::write(folder.join("body.toml"), EXPERIMENT).expect("written");
    folder
}

/// The first fitted parameter.
#[track_caller]
fn fitted(folder: &Path, experiment: &str) -> f64 {
    let ran = gradbody_in(folder, &["fit", &format!("{experiment}.toml")]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let file = folder.join(format!("{experiment}-fit/metrics.json"));
    let metrics: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(file).expect("a file")).expect("JSON");
    metrics["parameters"][0]["fitted"].as_f64().expect("a number")
}

#[test]
fn friction_of_a_listed_pair_is_found_for_a_body_on_points() {
    let folder = sliding("fit_points");
    let friction = fitted(&folder, "body");
    assert!((friction - 0.3).abs() < 0.003, "{friction}");
    // The folder of the fit is enough for new recordings.
    let ran = gradbody_in(&folder, &["predict", "body-fit", "--data", "slide.csv"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn wrong_shapes_and_pairs_are_refused_with_file_key_and_hint() {
    let folder = sliding("fit_wrong_shapes");
    let refuse = |change: [&str; 2], message: &str| {
        assert!(EXPERIMENT.contains(change[0]), "{}", change[0]);
        let text = EXPERIMENT.replacen(change[0], change[1], 1);
        fs::write(folder.join("body.toml"), text).expect("written");
        refused_at_a_line(&folder, &["fit", "body.toml"], message);
    };
    let points = "points = [[0.0524, 0.0524, 0], [-0.0524, 0.0524, 0], [0.0524, -0.0524, 0], [-0.0524, -0.0524, 0]]";
    let outline = |corners: &str, rest: &str| format!("outline = [{corners}]\n{rest}");
    let two = outline("[0, 0], [0.1, 0]", "half-height = 0.01");
    let crossing = outline("[0, 0], [2, 2], [2, 0], [0, 1]", "half-height = 0.01");
    let line = outline("[0, 0], [1, 1], [2, 2]", "half-height = 0.01");
    let flat = outline("[0, 0], [1, 0], [0, 1]", "half-height = -0.01");
    for (change, message) in [
        (
            ["link = \"cube\"", "link = \"cubes\""],
            "model.shapes.feet.link: the model has no link \"cubes\"; did you mean \"cube\"?",
        ),
        (
            ["link = \"cube\"", "link = \"trunk\""],
            "model.shapes.feet.link: the model has no link \"trunk\"; it has world, cube",
        ),
        (
            [points, &two],
            "model.shapes.feet.outline: an outline needs at least 3 corners; list the corners in order, as \
             [x, y] in m",
        ),
        (
            [points, &crossing],
            "model.shapes.feet.outline: the outline crosses or touches itself: sides 0 and 2 meet (counted \
             from 0); list the corners in order around the outline, each once",
        ),
        (
            [points, &line],
            "model.shapes.feet.outline: the outline has no area; list the corners in order, as [x, y] in m",
        ),
        ([points, &flat], "model.shapes.feet.half-height: -0.01: a positive number is needed [m]"),
        (
            ["0.0524, 0.0524, 0]", "0.0524, nan, 0]"],
            "model.shapes.feet.points: point 0 is not of finite numbers [m]",
        ),
        (
            ["position = ", "positon = "],
            "[model.shapes.feet] positon = [0, 0, -0.0524]: unknown key \"positon\"; did you mean \
             \"position\"?",
        ),
        (
            ["[model.shapes.feet]", "[model.shapes.ground]"],
            "model: two shapes are named \"ground\"",
        ),
        (
            ["[\"ground\", \"feet\"]", "[\"ground\", \"foot\"]"],
            "model.pairs[0].shapes: there is no shape \"foot\"; the shapes are feet, ground",
        ),
        (
            ["[\"ground\", \"feet\"]", "[\"feet\", \"feet\"]"],
            "model.pairs[0].shapes: \"feet\" cannot touch itself: name two shapes",
        ),
        (
            ["friction = 0.6", "friction = -0.6"],
            "model.pairs[0].friction: -0.6: a number that is not negative is needed",
        ),
        (
            [
                "[[model.pairs]]",
                "[model.shapes.more]\nlink = \"cube\"\npoints = [[0, 0, 1]]\n[[model.pairs]]\nshapes = [\"more\", \"feet\"]\nfriction = 1\n[[model.pairs]]",
            ],
            "model.pairs[0].shapes: shapes of the kinds of \"more\" and \"feet\" do not touch each other; \
             points touch planes, spheres, capsules, cylinders, boxes and outlines",
        ),
        (
            ["[data]", "[[model.pairs]]\nshapes = [\"feet\", \"ground\"]\nfriction = 1\n[data]"],
            "model.pairs[1].shapes: contact pair \"feet-ground\": its shapes are already a pair",
        ),
    ] {
        refuse(change, message);
    }
}

/// A pendulum that hangs on a cart.
const CART: &str = r#"<robot name="cart">
  <link name="rail"/>
  <link name="cart"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="bob"><inertial>
    <origin xyz="0 0 -0.4"/><mass value="0.5"/>
    <inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="5" velocity="9"/>
  </joint>
  <joint name="hinge" type="continuous"><parent link="cart"/><child link="bob"/><axis xyz="0 -1 0"/></joint>
</robot>
"#;

const MOVED: &str = r#"[model]
file = "cart.urdf"
base = "fixed"

[data]
files = "swing.csv"
time = "t"

[channels]
x = { is = "joint/slide/motion", unit = "m", noise = 1e-4 }
angle = { is = "joint/hinge/position", unit = "rad", noise = 0.001 }

[change]
parameters = ["link/bob/com/z"]

[simulation]
substeps = 10

[prediction]
baselines = []
"#;

/// A cart that someone moves by x = 0.1 (1 − cos 3t), and the angle of a pendulum of 0.5 m on it: small steps of
/// l θ″ = −g sin θ − x″ cos θ.
fn swing() -> String {
    let (length, h) = (0.5, 1e-5);
    let (mut angle, mut rate): (f64, f64) = (0.2, 0.0);
    let mut text = String::from("t,x,angle\n");
    for k in 0..200_000 {
        let t = h * f64::from(k);
        if k % 1000 == 0 {
            let _ = writeln!(text, "{t:.3},{},{angle}", 0.1 * (1.0 - (3.0 * t).cos()));
        }
        let push = 0.9 * (3.0 * t).cos();
        rate += h * (-9.81 * angle.sin() - push * angle.cos()) / length;
        angle += h * rate;
    }
    text
}

#[test]
fn a_pendulum_on_a_cart_that_is_moved_tells_its_length() {
    let folder = folder("fit_moved");
    fs::write(folder.join("cart.urdf"), CART).expect("written");
    fs::write(folder.join("swing.csv"), swing()).expect("written");
    fs::write(folder.join("cart.toml"), MOVED).expect("written");
    let length = -fitted(&folder, "cart");
    assert!((length - 0.5).abs() < 2e-3, "{length}");
    // Predictions know where the cart goes.
    let args = ["predict", "cart-fit", "--data", "swing.csv", "--json"];
    let ran = gradbody_in(&folder, &args);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let errors: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let of = |channel: &str| errors["models"][1]["rms"][channel]["all"].as_f64().expect("a number");
    assert!(of("x") < 5e-5 && of("angle") < 5e-4, "{} m, {} rad", of("x"), of("angle"));
}

#[test]
fn what_contradicts_a_moved_joint_is_refused() {
    let folder = folder("fit_moved_twice");
    fs::write(folder.join("cart.urdf"), CART).expect("written");
    fs::write(folder.join("swing.csv"), swing()).expect("written");
    for (change, message) in [
        (
            [
                "angle = {",
                "force = { is = \"joint/slide/force\", unit = \"N\", column = \"x\" }\nangle = {",
            ],
            "channels.x.is: joint \"slide\" is moved along this path, so the force of channels.force would do \
             nothing; leave one of them out",
        ),
        (
            ["\"link/bob/com/z\"", "\"link/bob/com/z\", \"joint/*/armature\""],
            "channels.x.is: joint \"slide\" is moved along this path, so joint/slide/armature cannot be \
             fitted; leave it out of change.parameters",
        ),
        (
            ["[change]", "[change]\nperiod = true"],
            "channels.x.is: a joint is moved by the clock of the data, so change.period cannot be fitted",
        ),
    ] {
        fs::write(folder.join("cart.toml"), MOVED.replacen(change[0], change[1], 1))
            .expect("written");
        refused_at_a_line(&folder, &["fit", "cart.toml"], message);
    }
}
