//! Tests of `reproduce`: its results if the data are available, and its error messages if not.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Ran, folder, reproduce};

/// The data folder, if it contains this file.
fn data(file: &str) -> Option<PathBuf> {
    let named = std::env::var_os("GRADBODY_DATA").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = root.join(named.unwrap_or_else(|| "data".into()));
    if folder.join(file).is_file() {
        return Some(folder);
    }
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    eprintln!("skipped: no data: {test} needs {file} in GRADBODY_DATA");
    None
}

/// A page without its scripts, in which there are compressed data.
fn without_scripts(page: &str) -> String {
    let mut parts = page.split("<script");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("</script>").map_or("", |(_, rest)| rest))
}

#[track_caller]
fn json(folder: &Path, experiment: &str, data: &Path) -> Value {
    let args = [experiment, "--json", "--out", "page"];
    let Ran { status, stdout, stderr } = reproduce(folder, &args, Some(data));
    assert_eq!(status, 0, "{stderr}");
    let page = fs::read_to_string(folder.join("page/report.html")).expect("a page");
    let text = without_scripts(&page);
    assert!(!text.contains("NaN") && !page.contains("http:"), "a page that stands alone");
    assert!(!page.contains("https:"), "a page that stands alone");
    serde_json::from_str(&stdout).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn tossed_cubes_are_followed() {
    let Some(data) = data("contactnets_cube/tosses.csv") else { return };
    let folder = folder("reproduce_cube");
    let result = json(&folder, "cube-tosses", &data);
    assert!(number(&result["tosses"]) >= 400.0);
    // With published parameters and no fit, the medians are about a tenth of the side and ten degrees.
    let ncp = &result["solvers"]["ncp"];
    assert!(number(&ncp["position_mean_percent_of_side"]["median"]) < 13.0, "{ncp}");
    assert!(number(&ncp["rotation_mean_deg"]["median"]) < 11.0, "{ncp}");
    assert!(number(&ncp["position_end_percent_of_side"]["mean"]) < 33.0, "{ncp}");
    let compliant = &result["solvers"]["hunt-crossley"];
    assert!(number(&compliant["position_mean_percent_of_side"]["median"]) < 24.0, "{compliant}");
    let page = fs::read_to_string(folder.join("page/report.html")).expect("a page");
    assert_eq!(page.matches("<div class=\"player\"").count(), 2);
}

#[test]
fn five_links_agree_with_the_reference_to_rounding() {
    let Some(data) = data("reference/tds_trajectories.csv") else { return };
    let result = json(&folder("reproduce_pend5"), "pend5", &data);
    assert_eq!(result["agree_until_step"], 875, "{result}");
    assert!(number(&result["largest_difference_until_then"]) < 1e-11, "{result}");
    let at = |step: u64| {
        let rows = result["differences"].as_array().expect("a list");
        rows.iter().find(|row| row["step"] == step).expect("a row").clone()
    };
    // With the contact point midway between the surfaces the motion differs from the first impact on.
    assert!(number(&at(475)["midway"]) < 1e-12, "{result}");
    assert!((1e-4..1e-3).contains(&number(&at(500)["midway"])), "{result}");
    // Most of the cost accumulates before the motions diverge.
    let cost = &result["cost"];
    let relative = number(&cost["at_sphere"]) / number(&cost["reference"]) - 1.0;
    assert!(relative.abs() < 1e-5, "{cost}");
}

#[test]
fn what_is_missing_is_named_with_its_source() {
    let folder = folder("reproduce_missing");
    let tosses = ("data/contactnets_cube/tosses.csv", "github.com/DAIRLab/contact-nets");
    let pushes = ("data/mcube_push/shapes.json", "mcube.mit.edu/push-dataset");
    let reference = ("data/reference/tds_trajectories.csv", "tiny-differentiable-simulator");
    for (experiment, (file, source)) in [
        ("cube-tosses", tosses),
        ("cube-throw", tosses),
        ("pushing", pushes),
        ("discovery", pushes),
        ("pend5", reference),
    ] {
        let Ran { status, stdout, stderr } = reproduce(&folder, &[experiment], None);
        assert_eq!((status, stdout.as_str()), (1, ""));
        assert!(stderr.starts_with(&format!("error: {file}: no such file; ")), "{stderr}");
        for part in [source, "GRADBODY_DATA"] {
            assert!(stderr.contains(part), "{part}: {stderr}");
        }
    }
    assert!(fs::read_dir(&folder).expect("a folder").next().is_none(), "nothing was made");
    let unknown = reproduce(&folder, &["everything"], None);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("cube-tosses"), "{}", unknown.stderr);
}

#[test]
fn data_with_mistakes_are_refused_with_their_line() {
    let folder = folder("reproduce_mistakes");
    let cubes = folder.join("contactnets_cube");
    fs::create_dir_all(&cubes).expect("made");
    let header = "toss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
    for (text, message) in [
        (
            format!("{header}0,0,0,0,1,1,0,0,0,0,0,x,0,0,0\n"),
            "csv:2: column \"vz\": \"x\" is not a finite number",
        ),
        (
            format!("{header}0,0,0,0,1,2,0,0,0,0,0,0,0,0,0\n"),
            "csv:2: the quaternion is not of length one",
        ),
        ("toss,t\n0,0\n".to_owned(), "csv:1: no column \"px\""),
        (header.to_owned(), "csv: no toss"),
    ] {
        fs::write(cubes.join("tosses.csv"), text).expect("written");
        let args = ["cube-tosses"];
        let Ran { status, stderr, .. } = reproduce(&folder, &args, Some(&folder));
        assert_eq!(status, 1);
        assert!(stderr.trim_end().ends_with(message), "{stderr}");
    }
}

/// Runs `gradbody predict` on the folder of a fit with new recordings, and returns the models that it judges.
#[track_caller]
fn predict(fit: &Path, recordings: &Path, more: &[&str]) -> Vec<String> {
    let out = fit.join("judged");
    let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let mut args = vec!["gradbody".into(), "predict".into(), path(fit)];
    args.extend(["--data".into(), path(recordings), "--out".into(), path(&out)]);
    args.extend(more.iter().map(|arg| (*arg).to_owned()));
    gradbody_cli::run(args).unwrap_or_else(|error| panic!("{error:#}"));
    let text = fs::read_to_string(out.join("errors.json")).expect("a file");
    let errors: Value = serde_json::from_str(&text).expect("JSON");
    let models = errors["models"].as_array().expect("a list").iter();
    models.map(|model| model["by"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn predict_takes_the_folder_of_a_published_fit() {
    let Some(data) = data("multiarm_pendulum/double_pendulum.csv") else { return };
    let folder = folder("reproduce_multiarm");
    let args = ["multiarm-double-pendulum", "--quick", "--out", "fit"];
    let Ran { status, stderr, .. } = reproduce(&folder, &args, Some(&data));
    assert_eq!(status, 0, "{stderr}");
    // Two swings that no one has measured.
    let mut swings = String::from("theta1,theta2\n");
    for k in 0..1200 {
        let t = f64::from(k) * 2e-3;
        swings += &format!("{},{}\n", 0.1 * (6.0 * t).cos(), 0.05 * (6.0 * t).cos());
    }
    fs::write(folder.join("swings.csv"), swings).expect("written");
    let new = folder.join("swings.csv");
    let args = ["gradbody", "predict", "fit", "--data", "swings.csv"].map(|arg| match arg {
        "fit" | "swings.csv" => folder.join(arg).into_os_string(),
        arg => arg.into(),
    });
    let error = gradbody_cli::run(args).expect_err("no clock").to_string();
    assert!(error.contains("neither time nor rate") && error.ends_with("--rate HZ"), "{error}");
    assert_eq!(predict(&folder.join("fit"), &new, &["--rate", "500"]), ["before", "after"]);
}

#[test]
fn predict_takes_the_folder_of_an_identified_cube() {
    let Some(data) = data("contactnets_cube/tosses.csv") else { return };
    let folder = folder("reproduce_cube_throw");
    let args = ["cube-throw", "--quick", "--out", "page"];
    let Ran { status, stderr, .. } = reproduce(&folder, &args, Some(&data));
    assert_eq!(status, 0, "{stderr}");
    // Two tosses that are not among the published ones, as far as the fit knows.
    let text = fs::read_to_string(data.join("contactnets_cube/tosses.csv")).expect("a file");
    let of_two = |line: &&str| ["toss", "3", "7"].contains(&line.split(',').next().unwrap_or(""));
    let two: Vec<&str> = text.lines().filter(of_two).collect();
    fs::write(folder.join("new.csv"), two.join("\n")).expect("written");
    for fit in ["fit-ncp", "fit-hc"] {
        let judged = predict(&folder.join("page").join(fit), &folder.join("new.csv"), &[]);
        assert_eq!(judged, ["before", "after"], "{fit}");
    }
}

/// The mean distances [mm] between measured and predicted positions at the end of pushes, by the models before and after
/// a fit, and the number of pushes.
#[track_caller]
fn ends_of_pushes(fit: &Path, part: &str) -> ([f64; 2], f64) {
    let out = fit.join("judged");
    let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let args = ["gradbody", "predict", &path(fit), "--part", part, "--out", &path(&out)];
    gradbody_cli::run(args).unwrap_or_else(|error| panic!("{error:#}"));
    let mut reader = csv::Reader::from_path(out.join("predictions.csv")).expect("a file");
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let mean = |by: &str| {
        let cell = |row: &csv::StringRecord, name: String| -> f64 {
            let column = header.iter().position(|n| n == name).expect("a column");
            row[column].parse().expect("a number")
        };
        let off = |row: &csv::StringRecord, channel: &str| {
            cell(row, format!("{channel}:{by}")) - cell(row, format!("{channel}:measured"))
        };
        let ends = rows.chunk_by(|a, b| a[0] == b[0]).map(|push| &push[push.len() - 1]);
        let ends: Vec<f64> =
            ends.map(|row| 1e3 * f64::hypot(off(row, "obj_x"), off(row, "obj_y"))).collect();
        (ends.iter().sum::<f64>() / ends.len() as f64, ends.len() as f64)
    };
    let ((before, pushes), (after, _)) = (mean("before"), mean("after"));
    ([before, after], pushes)
}

#[test]
fn predict_takes_the_folders_of_pushed_bodies_and_errs_as_the_experiment_does() {
    let Some(data) = data("mcube_push/index.csv") else { return };
    let folder = folder("reproduce_pushing");
    let args = ["pushing", "--quick", "--json", "--out", "page"];
    let Ran { status, stdout, stderr } = reproduce(&folder, &args, Some(&data));
    assert_eq!(status, 0, "{stderr}");
    let result: Value = serde_json::from_str(&stdout).expect("JSON");
    let models = result["models"].as_array().expect("a list");
    let known = |name: &str| {
        let model = models.iter().find(|model| model["model"] == name).expect("a model");
        number(&model["new_pushes_of_known_shapes"]["mm"]["mean"])
    };
    let bodies = result["bodies"].as_array().expect("a list").iter();
    let bodies: Vec<&str> = bodies.map(|body| body["body"].as_str().expect("a name")).collect();
    let (unknown, shapes) = bodies.split_last().expect("bodies");
    let fit = |shape: &str| folder.join("page").join(format!("fit-{shape}"));
    // The held-out pushes of the known shapes.
    let (mut sums, mut all) = ([0.0; 2], 0.0);
    for shape in shapes {
        let (means, pushes) = ends_of_pushes(&fit(shape), "test");
        sums = [0, 1].map(|k| sums[k] + means[k] * pushes);
        all += pushes;
    }
    let close = |a: f64, b: f64| (a - b).abs() < 1e-3;
    assert!(close(sums[0] / all, known("tuned")), "{sums:?} of {all}: {result}");
    assert!(close(sums[1] / all, known("tuned on the same body")), "{sums:?} of {all}: {result}");
    // The new shape, identified on its own pushes.
    let (means, _) = ends_of_pushes(&fit(unknown), "train");
    let of_itself = number(&result["new_shape_fitted_to_itself_mm_degrees"][0]);
    assert!(close(means[1], of_itself), "{means:?} and {of_itself}");
    // A file as it is published.
    let index = fs::read_to_string(data.join("mcube_push/index.csv")).expect("a file");
    let line = index.lines().find(|line| line.contains("shape=hex")).expect("a push of hex");
    let file = data.join("mcube_push/pushes").join(line.split(',').next().unwrap_or(""));
    assert_eq!(predict(&fit("hex"), &file, &[]), ["before", "after"]);
}

/// Makes a quick run of an experiment that needs no data.
#[track_caller]
fn quick(experiment: &str) -> (Value, String) {
    let folder = folder(&format!("reproduce_{experiment}"));
    let args = [experiment, "--quick", "--json", "--out", "page"];
    let Ran { status, stdout, stderr } = reproduce(&folder, &args, None);
    assert_eq!(status, 0, "{stderr}");
    let page = fs::read_to_string(folder.join("page/report.html")).expect("a page");
    let text = without_scripts(&page);
    assert!(!text.contains("NaN") && !page.contains("http:"), "a page that stands alone");
    assert!(!page.contains("https:"), "a page that stands alone");
    (serde_json::from_str(&stdout).expect("JSON"), page)
}

#[test]
fn basin_hopping_finds_lengths_that_local_search_does_not() {
    let (result, page) = quick("link-lengths");
    let reached = |k: usize| number(&result["methods"][k]["reached_percent"]);
    assert!(reached(0) < 90.0 && reached(1) < 90.0, "too easy: {} and {}", reached(0), reached(1));
    assert_eq!(reached(2), 100.0);
    assert_eq!(page.matches("reach the truth</h3>").count(), 3);
}

#[test]
fn damping_is_found_and_nothing_else() {
    let (result, _) = quick("damping");
    let found = &result["discovery"];
    assert_eq!(found["only_own_velocity"], true, "{found}");
    for joint in found["joints"].as_array().expect("a list") {
        let slope = number(&joint["left"][0]["slope"]);
        assert!((slope / number(&joint["true_slope"]) - 1.0).abs() < 0.02, "{joint}");
        let weights = joint["weights"].as_array().expect("a list");
        assert_eq!(weights.iter().filter(|w| number(w) == 0.0).count(), 3, "{joint}");
    }
    assert!(
        number(&result["comparison"]["advantage"]) > 2.0,
        "{}",
        result["comparison"]["advantage"]
    );
}

/// From few samples of walks by the program the network falls at once; with as many in its own states it walks.
#[test]
fn laikago_trots_and_a_network_learns_to() {
    let (result, page) = quick("trot");
    let stood = |way: &str| number(&result[way]["free"]["without_fall"]);
    assert_eq!((stood("program"), stood("own_states")), (2.0, 2.0), "{result}");
    assert_eq!(number(&result["program"]["pushed"][0]["walks"]["without_fall"]), 2.0, "{result}");
    let errors = result["program"]["free"]["stride_errors"].as_array().expect("a list");
    assert!(errors.iter().all(|error| (0.0..0.05).contains(&number(error))), "{errors:?}");
    let times = &result["times_us"]["walking"];
    assert!((number(&times["unknowns"]) - 60.0).abs() < 1e-6, "two feet in ten intervals: {times}");
    assert!(number(&times["violation"]) < 1e-9 && number(&times["slope"]) < 1e-9, "{times}");
    assert_eq!(page.matches("<div class=\"player\"").count(), 2);
}

/// What the searches of a control experiment found, from the task's own start and from four random ones, of which at least
/// `least` must succeed.
#[track_caller]
fn controlled(experiment: &str, published_steps: f64, least: f64) -> Value {
    let (result, _) = quick(experiment);
    let own = &result["own"];
    assert_eq!(own["done"], true, "{own}");
    assert!(number(&own["steps"]) <= published_steps, "{own}");
    let random = &result["random"][0];
    assert_eq!(random["of"], 4, "{random}");
    assert!(number(&random["done"]) >= least, "{random}");
    // No start is so easy that nothing was searched for.
    assert!(number(&random["steps_median"]) >= 1.0, "{random}");
    result
}

#[test]
fn an_arm_throws_a_ball_to_its_target() {
    let result = controlled("throw", 20.0, 3.0);
    // Without forces the arm sinks and the ball falls, more than a metre away from the target.
    assert!(number(&result["first_loss"]) > 0.5, "{result}");
    assert!(number(&result["own"]["miss"]) <= 0.05, "{result}");
}

#[test]
fn a_club_strikes_a_ball_to_its_target() {
    let result = controlled("golf", 50.0, 4.0);
    assert!(number(&result["first_loss"]) > 0.1, "{result}");
    assert!(number(&result["own"]["miss"]) <= 0.05, "{result}");
}

#[test]
fn the_friction_of_a_car_agrees_with_its_closed_form() {
    let car = &controlled("racecar", 10.0, 4.0)["car"];
    let [found, in_steps] = ["found", "closed_form_in_steps"].map(|key| number(&car[key]));
    assert!((found / in_steps - 1.0).abs() < 1e-5, "{car}");
    // The closed form knows no time steps: it differs by about one of them, 5 ms in a second.
    for which in ["sliding", "stopped"] {
        let error = number(&car[format!("largest_relative_error_{which}")]);
        assert!(error < 0.02, "{which}: {car}");
    }
    // On ice, where the published code gave no finite gradient.
    let [adjoint, duals, differences] =
        ["adjoint", "duals", "differences"].map(|key| number(&car["slope"][key]));
    assert!(adjoint < -0.1, "{car}");
    assert!((adjoint / duals - 1.0).abs() < 1e-9, "{car}");
    assert!((adjoint / differences - 1.0).abs() < 1e-6, "{car}");
}
