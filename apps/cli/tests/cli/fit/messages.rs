//! What is said of an experiment or a recording that is wrong, or odd.

use std::fs;
use std::path::Path;

use super::{SPRING, arm, arm_with, fails, fit, read_json};
use crate::support::gradbody_in;

#[test]
fn what_is_wrong_with_an_experiment_is_said() {
    let folder = arm("fit_mistakes");
    for (from, to, message) in [
        ("[model]", "[model", "arm.toml:1: "),
        (
            "window = 20",
            "windo = 20",
            "arm.toml:23: [objective] windo = 20: unknown key \"windo\"; did you mean \"window\"?",
        ),
        (
            "window = 20",
            "window = \"long\"",
            "arm.toml:23: [objective] window = \"long\": string \"long\", expected a whole number",
        ),
        ("file = \"arm.urdf\"", "", "arm.toml:1: [model]: the key \"file\" is missing"),
        (
            "[change]",
            "[chance]",
            "arm.toml:16: [chance]: unknown key \"chance\"; did you mean \"change\"?",
        ),
        (
            "\"rk4\"",
            "\"rk5\"",
            "arm.toml:20: [simulation] integrator = \"rk5\": unknown name \"rk5\"; did you mean \"rk4\"?",
        ),
        ("\"arm.urdf\"", "\"arn.urdf\"", "model: arn.urdf: "),
        ("run*.csv", "walk*.csv", "data: walk*.csv: no file matches this pattern"),
        ("run*.csv", "run7.csv", "data: run7.csv: no such file; did you mean \"run"),
        (
            "time = \"time\"",
            "time = \"tim\"",
            "run1.csv: no column \"tim\"; did you mean \"time\"?",
        ),
        (
            "\"run6\"",
            "\"run7\"",
            "split: part \"test\": no recording matches \"run7\"; did you mean",
        ),
        (
            "joint/elbow/position",
            "joint/elbo/position",
            "channels.elbow: the model has no \"joint/elbo/position\"; did you mean \"joint/elbow/position\"? \
             Its joints are shoulder, elbow",
        ),
        (
            "joint/elbow/position",
            "joint/elbow/q",
            "channels.elbow: the model has no \"joint/elbow/q\"; \"elbow\" has position, velocity, force",
        ),
        (
            "joint/elbow/force",
            "control/elbow",
            "channels.torque2: the model has no \"control/elbow\"; it has no actuators (a URDF never does): the forces \
             of motors are joint/shoulder/force, joint/elbow/force",
        ),
        (
            "elbow = { unit = \"deg\", is",
            "elbow = { is",
            "channels.elbow: no unit is given; joint/elbow/position is an angle: unit = \"rad\", \"mrad\", \"deg\", \
             \"rev\", or \"count\" with a scale (\"1\" is the unit of plain numbers)",
        ),
        (
            "elbow = { unit = \"deg\"",
            "elbov = { unit = \"deg\"",
            "no column \"elbov\"; did you mean \"elbow\"?",
        ),
        (
            "elbow = { unit = \"deg\"",
            "elbow = { unit = \"Nm\"",
            "channel \"elbow\" is an angle, but \"Nm\" is a unit of a torque",
        ),
        (
            "elbow = { unit = \"deg\"",
            "elbow = { unit = \"dag\"",
            "unknown unit \"dag\"; did you mean \"deg\"?",
        ),
        (
            "noise = 0.05 }\nelbow",
            "noise = 0 }\nelbow",
            "channels.shoulder.noise: 0 is no standard deviation",
        ),
        ("link/*/mass", "link/*/mas", "change.parameters: "),
        (
            "joint/elbow/rest",
            "joint/elbo/rest",
            "change.parameters: no parameter \"joint/elbo/rest\"; did you mean \"joint/elbow/rest\"? Its joints are \
             shoulder, elbow",
        ),
        (
            "horizon = 50",
            "horizon = 50\nprofiles = [\"link/hand/mass\"]",
            "prediction.profiles: \"link/hand/mass\" is no parameter that may change",
        ),
        (
            "[simulation]",
            "bounds = { \"link/fore/mass\" = [2.0, 1.0] }\n[simulation]",
            "change.bounds.\"link/fore/mass\": 2 is not below 1",
        ),
        (
            "[simulation]",
            "bounds = { \"link/fore/mass\" = [2.0, 3.0] }\n[simulation]",
            "arm.toml:19: change.bounds.\"link/fore/mass\": the value of link/fore/mass in the model, 0.5, is outside 2 to 3; \
             set another in model.set",
        ),
        (
            "[simulation]",
            "[optimiser]\nmethod = \"levenberg\"\n[simulation]",
            "[optimiser] method = \"levenberg\": unknown name \"levenberg\"; known are levenberg-marquardt, ",
        ),
        (
            "[simulation]",
            "[optimiser]\nmethod = \"adam\"\nlearning_rate = 1\n[simulation]",
            "unknown key \"learning_rate\"; did you mean \"learning-rate\"?",
        ),
        (
            "[simulation]",
            "[optimiser]\nmethod = \"adam\"\nlearning-rate = -1\n[simulation]",
            "optimiser: learning-rate = -1 is out of range: it must be above 0",
        ),
    ] {
        assert!(SPRING.contains(from), "{from}");
        fs::write(folder.join("arm.toml"), SPRING.replacen(from, to, 1)).expect("written");
        fails(&folder, &["fit", "arm.toml"], &[message]);
        let wrote = folder.join("arm-fit");
        assert!(!wrote.join("metrics.json").exists(), "{message}: a result all the same");
        let _ = fs::remove_dir_all(wrote);
    }
    fails(&folder, &["fit", "arn.toml"], &["arn.toml: ", "No such file"]);
}

#[test]
fn other_files_than_experiments_are_refused_by_what_they_are() {
    let folder = arm("fit_other_files");
    for (file, what) in [
        ("arm.urdf", "is a model, not an experiment"),
        ("run1.csv", "is a recording, not an experiment"),
        (".", "is a folder"),
    ] {
        fails(&folder, &["fit", file], &[file, what]);
    }
}

#[test]
fn what_is_wrong_with_a_recording_is_said() {
    let folder = arm_with("fit_recordings", SPRING);
    let good = fs::read_to_string(folder.join("run2.csv")).expect("a recording");
    let with_line = |number: usize, line: &str| {
        let mut lines: Vec<&str> = good.lines().collect();
        lines[number - 1] = line;
        lines.join("\n")
    };
    for (line, message) in [
        (
            "0.08,nan,1,0,0",
            "run2.csv:10: column \"shoulder\": \"nan\" where a number should be; set missing = \"gap\"",
        ),
        ("0.08,,1,0,0", "run2.csv:10: column \"shoulder\": nothing where a number should be"),
        ("0.08,inf,1,0,0", "run2.csv:10: column \"shoulder\": \"inf\" is not finite"),
        ("0.08,1;5,1,0,0", "run2.csv:10: column \"shoulder\": \"1;5\" is not a number"),
        ("0.08,1,1,0", "run2.csv:10: 4 columns where line 1 has 5"),
        ("0.01,1,1,0,0", "run2.csv:10: column \"time\": time goes back from 0.07 s to 0.01 s"),
        ("0.07,1,1,0,0", "run2.csv:10: column \"time\": the time 0.07 s is repeated"),
        ("0.0899,1,1,0,0", "the samples of \"run2\" are not evenly spaced; add resample"),
    ] {
        fs::write(folder.join("run2.csv"), with_line(10, line)).expect("written");
        fails(&folder, &["fit", "arm.toml"], &[message]);
    }
    // What acts cannot be missing; what is measured can.
    let gaps = SPRING.replace("time = \"time\"", "time = \"time\"\nmissing = \"gap\"");
    fs::write(folder.join("arm.toml"), gaps).expect("written");
    fs::write(folder.join("run2.csv"), with_line(10, "0.08,1,1,,0")).expect("written");
    fails(&folder, &["fit", "arm.toml"], &["channels.torque1: \"run2\" has no value at sample 9"]);
    fs::write(folder.join("run2.csv"), with_line(10, "0.08,,1,0,0")).expect("written");
    fit(&folder, &["--restart"]);
    fs::write(folder.join("run2.csv"), good.lines().next().expect("a header")).expect("written");
    fails(
        &folder,
        &["fit", "arm.toml", "--restart"],
        &["run2.csv: empty: it has no rows of numbers"],
    );
}

#[test]
fn a_file_of_one_row_is_not_called_unevenly_spaced() {
    let folder = arm_with("fit_one_row", SPRING);
    let good = fs::read_to_string(folder.join("run2.csv")).expect("a recording");
    let one_row: Vec<&str> = good.lines().take(2).collect();
    fs::write(folder.join("run2.csv"), one_row.join("\n")).expect("written");
    let message = "data: the recording \"run2\" has only 1 sample; a recording needs at least 2";
    fails(&folder, &["fit", "arm.toml"], &[message]);
    let resampled =
        SPRING.replace("samples = 120", "resample = { rate = 100, longest_gap = 0.05 }");
    fs::write(folder.join("arm.toml"), resampled).expect("written");
    fails(&folder, &["fit", "arm.toml"], &[message]);
}

/// The recordings with another first column, and the cells of one column changed.
fn rewrite(folder: &Path, column: usize, change: impl Fn(&str) -> String) {
    for run in ["run1", "run2", "run6"] {
        let file = folder.join(format!("{run}.csv"));
        let text = fs::read_to_string(&file).expect("a recording");
        let line = |(k, line): (usize, &str)| {
            let cells = line.split(',').enumerate();
            let cell = |(c, cell): (usize, &str)| match k > 0 && c == column {
                true => change(cell),
                false => cell.to_owned(),
            };
            cells.map(cell).collect::<Vec<_>>().join(",") + "\n"
        };
        fs::write(file, text.lines().enumerate().map(line).collect::<String>()).expect("written");
    }
}

#[test]
fn time_in_milliseconds_is_doubted_before_the_cost_is_not_finite() {
    let folder = arm("fit_milliseconds");
    let named = SPRING.replace("\"run*.csv\"", "[\"run1.csv\", \"run2.csv\", \"run6.csv\"]");
    fs::write(folder.join("arm.toml"), named + "\n[limits]\niterations = 1\n").expect("written");
    rewrite(&folder, 0, |cell| format!("{:.0}", 1e3 * cell.parse::<f64>().expect("a number")));
    let ran = gradbody_in(&folder, &["fit", "arm.toml"]);
    let note = "note: in 3 recordings (run1, run2, run6): samples are 10 s apart; are its times milliseconds? Then set \
                time = { column = \"time\", unit = \"ms\" }\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
}

#[test]
fn degrees_given_as_radians_are_doubted() {
    let radians = SPRING.replace("elbow = { unit = \"deg\"", "elbow = { unit = \"rad\"");
    let folder = arm_with("fit_degrees", &(radians + "\n[limits]\niterations = 1\n"));
    let ran = gradbody_in(&folder, &["fit", "arm.toml"]);
    let doubt = "rad; are these degrees? Then set unit = \"deg\"";
    assert!(ran.stderr.contains("channel \"elbow\": it goes from"), "{}", ran.stderr);
    assert!(ran.stderr.contains(doubt), "{}", ran.stderr);
}

#[test]
fn an_angle_that_is_unwrapped_is_not_asked_to_be() {
    let few = SPRING.to_owned() + "\n[limits]\niterations = 1\n";
    let folder = arm_with("fit_unwrap", &few);
    rewrite(&folder, 2, |cell| {
        let angle = 5.0 * cell.parse::<f64>().expect("a number");
        (angle - 360.0 * (angle / 360.0).round()).to_string()
    });
    let jumps = "by a whole turn";
    let ran = gradbody_in(&folder, &["fit", "arm.toml"]);
    assert!(
        ran.stderr.contains(jumps) && ran.stderr.contains("set unwrap = true"),
        "{}",
        ran.stderr
    );
    let unwrapped =
        few.replace("elbow = { unit = \"deg\"", "elbow = { unwrap = true, unit = \"deg\"");
    fs::write(folder.join("arm.toml"), unwrapped).expect("written");
    let ran = gradbody_in(&folder, &["fit", "arm.toml", "--restart"]);
    assert!(!ran.stderr.contains(jumps), "{}", ran.stderr);
}

#[test]
fn fitted_gravity_is_not_lost_with_a_urdf() {
    let gravity = SPRING.replace("\"link/*/mass\"", "\"gravity/z\"");
    let few = "\n[limits]\niterations = 3\n";
    let folder = arm_with("fit_gravity", &(gravity + few));
    let ran = fit(&folder, &[]);
    let note = "note: a URDF cannot hold the fitted gravity/z, joint/elbow/stiffness, joint/elbow/rest; model.xml, an \
                MJCF of the same model, is written too\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let parameters =
        fs::read_to_string(folder.join("arm-fit/parameters.toml")).expect("parameters");
    let line = parameters.lines().find(|line| line.starts_with("\"gravity/z\"")).expect("gravity");
    let fitted: f64 = line.rsplit(' ').next().and_then(|x| x.parse().ok()).expect("a number");
    assert_ne!(fitted, -9.81);
    let model = fs::read_to_string(folder.join("arm-fit/model.xml")).expect("an MJCF");
    assert!(model.contains(&format!("gravity=\"0.0 0.0 {fitted}\"")), "{model}");
    assert!(folder.join("arm-fit/model.urdf").exists());
    // A URDF holds masses and damping.
    let held = SPRING.replace(", \"joint/elbow/stiffness\", \"joint/elbow/rest\"", "") + few;
    fs::write(folder.join("arm.toml"), held).expect("written");
    let ran = fit(&folder, &["--restart"]);
    assert!(!ran.stderr.contains("cannot hold"), "{}", ran.stderr);
    assert!(!folder.join("arm-fit/model.xml").exists());
}

#[test]
fn recordings_are_chosen_trimmed_and_counted() {
    let split = SPRING.lines().find(|line| line.starts_with("split")).expect("a split");
    let fractions = "split = { fractions = { train = 0.34, test = 0.17 } }\n";
    let few = "\n[limits]\niterations = 1\n";
    let text = SPRING.replace(split, fractions) + few;
    let folder = arm_with("fit_fractions", &text);
    let ran = fit(&folder, &[]);
    let not_used = "are in no part of the split and are not used; 3 are\n";
    assert!(
        ran.stderr.contains("note: 3 recordings (run") && ran.stderr.contains(not_used),
        "{}",
        ran.stderr
    );
    // One recording less, and shorter ones.
    let with = |key: &str| text.replace(fractions, &format!("{fractions}{key}\n"));
    fs::write(folder.join("arm.toml"), with("exclude = \"run4\"\ntrim = { from = 1, to = 1.5 }"))
        .expect("written");
    let ran = fit(&folder, &["--restart"]);
    assert!(ran.stderr.contains("note: 2 recordings (run"), "{}", ran.stderr);
    assert!(ran.stderr.contains("have 51 samples at most"), "{}", ran.stderr);
    fs::write(folder.join("arm.toml"), with("exclude = \"toss*\"")).expect("written");
    let none = "data: exclude: no recording matches \"toss*\"; there are run1, run2, run3, run4, run5, run6";
    fails(&folder, &["fit", "arm.toml", "--restart"], &[none]);
}

#[test]
fn model_set_takes_patterns_and_a_path_takes_precedence() {
    let set = "file = \"arm.urdf\"\nself-collision = false\n\
               set = { \"joint/*/damping\" = 0.25, \"joint/elbow/damping\" = 0.125 }";
    let text = SPRING.replace("file = \"arm.urdf\"", set) + "\n[limits]\niterations = 1\n";
    let folder = arm_with("fit_set", &text);
    fit(&folder, &[]);
    let metrics = read_json(&folder.join("arm-fit/metrics.json"));
    let initial = |name: &str| {
        let all = metrics["parameters"].as_array().expect("a list").iter();
        all.clone().find(|p| p["name"] == name).expect("a parameter")["initial"].clone()
    };
    assert_eq!(initial("joint/shoulder/damping"), 0.25);
    assert_eq!(initial("joint/elbow/damping"), 0.125);
    fs::write(folder.join("arm.toml"), text.replace("joint/*/damping\" =", "joint/*/dumping\" ="))
        .expect("written");
    let none = "model.set.\"joint/*/dumping\": no parameter matches it";
    fails(&folder, &["fit", "arm.toml", "--restart"], &[none]);
}

#[test]
fn constant_data_of_1e300_are_refused() {
    let folder = arm_with("fit_1e300", SPRING);
    rewrite(&folder, 1, |_| "1e300".to_owned());
    let message = "run1.csv:2: column \"shoulder\": 1e300 is too large for a measurement";
    fails(&folder, &["fit", "arm.toml"], &[message]);
}

#[test]
fn what_is_not_as_asked_for_is_noted() {
    let torque2 = "torque2 = { unit = \"Nm\", is = \"joint/elbow/force\" }\n";
    assert!(SPRING.contains(torque2));
    let few = "\n[limits]\niterations = 2\n";
    let long = SPRING
        .replace(torque2, "")
        .replace("window = 20", "window = 500")
        .replace("horizon = 50", "horizon = 500");
    let folder = arm_with("fit_notes", &(long + few));
    let ran = fit(&folder, &[]);
    let notes = [
        "the column torque2 is not used; what acts on the robot must be among [channels]",
        "objective.window = 500, but the longest recording has 120 samples: windows are whole recordings",
        "prediction.horizon = 500, but recordings of the part \"train\" have 120 samples at most: 112 are predicted after \
         the first 8",
        "prediction.horizon = 500, but recordings of the part \"test\" have 401 samples at most: 393 are predicted after \
         the first 8",
    ];
    let metrics = read_json(&folder.join("arm-fit/metrics.json"));
    let written: Vec<&str> =
        metrics["notes"].as_array().expect("a list").iter().filter_map(|n| n.as_str()).collect();
    for note in notes {
        let line = format!("note: {note}\n");
        assert_eq!(ran.stderr.matches(&line).count(), 1, "{note}: {}", ran.stderr);
        assert!(written.contains(&note), "{note}: {written:?}");
    }
    // Starts of windows of one sample alone are more than was measured.
    fs::write(folder.join("arm.toml"), SPRING.replace("window = 20", "window = 1") + few)
        .expect("written");
    let ran = fit(&folder, &["--restart"]);
    let note = "note: 958 unknowns (6 parameters, the starts of 238 windows) for 480 measured numbers: the data cannot";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let nothing_held_out = "note: no recording is held out: errors are on the training data";
    assert!(!ran.stderr.contains(nothing_held_out), "{}", ran.stderr);
    let split = SPRING.lines().find(|line| line.starts_with("split")).expect("a split");
    fs::write(folder.join("arm.toml"), SPRING.replace(split, "") + few).expect("written");
    let ran = fit(&folder, &["--restart"]);
    assert!(ran.stderr.contains(nothing_held_out), "{}", ran.stderr);
}

#[test]
fn what_is_left_is_compared_with_the_noise() {
    let folder = arm_with("fit_noise", SPRING);
    let ran = fit(&folder, &[]);
    let line =
        "The residuals of the fitted windows are 1.0 times the noise: the model explains the data.";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    let lacking = SPRING.replace(", \"joint/elbow/stiffness\", \"joint/elbow/rest\"", "");
    fs::write(folder.join("arm.toml"), lacking).expect("written");
    let ran = fit(&folder, &["--restart"]);
    assert!(ran.stdout.contains("the model does not explain the data."), "{}", ran.stdout);
    let page = fs::read_to_string(folder.join("arm-fit/report.html")).expect("a page");
    assert!(page.contains("the model does not explain the data.") && page.contains(">pure noise<"));
}
