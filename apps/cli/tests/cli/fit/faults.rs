//! Fits that are killed, interrupted, or have no room; files that change; a folder that is taken.

use std::fs;
use std::process::Command;
use std::time::Instant;

use gradbody::math::random::Random;

use super::{SPRING, all_are_whole, arm_with, fails, fit, network, result, spawn, wait_for};
use crate::support::{gradbody_in, names, refused};

#[test]
fn a_fit_does_not_replace_the_model_that_it_reads() {
    let folder = arm_with("fit_here", &SPRING.replace("arm.urdf", "model.urdf"));
    fs::rename(folder.join("arm.urdf"), folder.join("model.urdf")).expect("renamed");
    let before = names(&folder);
    let told =
        "./model.urdf: this file is not a result, and one would replace it; choose another --out";
    refused(&folder, &["fit", "arm.toml", "--out", "."], told);
    assert_eq!(names(&folder), before);
}

#[test]
fn a_fit_that_is_killed_again_and_again_comes_to_the_same_end() {
    const KILLS: u32 = 6;
    let folder = arm_with("fit_killed", &network());
    let began = Instant::now();
    fit(&folder, &["--out", "whole"]);
    let whole = began.elapsed();
    // Another moment in every run of this test.
    let seed = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(1, |t| u64::from(t.subsec_nanos()));
    println!("moments from {seed}");
    let mut random = Random::new(seed);
    let out = folder.join("parts");
    let (mut kills, mut resumed) = (0, 0);
    let ended = loop {
        let there = out.join("checkpoint.json").exists();
        resumed += u32::from(there);
        if there && kills == KILLS {
            // As if the last one had been killed while it was writing.
            fs::write(out.join(".metrics.json.999999999.tmp"), "{\"name\": ").expect("written");
        }
        let mut args = vec!["--out", "parts", "--checkpoint", "0.05"];
        args.extend(there.then_some("--resume"));
        let mut child = spawn(&folder, &args);
        if kills == KILLS {
            break child.wait_with_output().expect("it ends");
        }
        std::thread::sleep(whole.mul_f64(random.between(0.02, 0.27)));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        kills += 1;
        all_are_whole(&out);
    };
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(resumed > 1, "killed {kills} times, never resumed");
    all_are_whole(&out);
    assert!(names(&out).iter().all(|name| !name.starts_with('.')), "{:?}", names(&out));
    assert_eq!(result(&out), result(&folder.join("whole")));
    for file in ["weights.safetensors", "model.urdf", "parameters.toml"] {
        let bytes = |run: &str| fs::read(folder.join(run).join(file)).expect("a file");
        assert_eq!(bytes("whole"), bytes("parts"), "{file}");
    }
}

#[test]
fn a_folder_is_one_fits_at_a_time() {
    let folder = arm_with("fit_taken", &network());
    let mut child = spawn(&folder, &["--checkpoint", "0.05"]);
    wait_for(&folder.join("arm-fit/checkpoint.json"));
    let taken = "arm-fit: another fit is writing into this folder; wait until it ends, or choose another --out";
    for how in ["--restart", "--resume"] {
        fails(&folder, &["fit", "arm.toml", how], &[taken]);
    }
    // One that is killed leaves it free.
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    fails(&folder, &["fit", "arm.toml"], &["arm-fit: already contains a fit"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_everything_and_a_fit_goes_on() {
    let folder = arm_with("fit_interrupted", &network());
    let child = spawn(&folder, &["--checkpoint", "0.05"]);
    wait_for(&folder.join("arm-fit/checkpoint.json"));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("interrupted (continue with --resume)"), "{stdout}");
    assert!(!stdout.contains("do not determine"), "not known yet: {stdout}");
    all_are_whole(&folder.join("arm-fit"));
    assert!(
        folder.join("arm-fit/report.html").exists() && folder.join("arm-fit/metrics.json").exists()
    );
    let again = "arm-fit: already contains a fit; --resume continues it, --restart replaces it";
    fails(&folder, &["fit", "arm.toml"], &[again]);
    assert_eq!(gradbody_in(&folder, &["predict", "arm-fit"]).status, 0, "of the best so far");
    fit(&folder, &["--resume"]);
    fit(&folder, &["--out", "whole"]);
    assert_eq!(result(&folder.join("arm-fit")), result(&folder.join("whole")));
    fails(
        &folder,
        &["fit", "arm.toml", "--resume", "--out", "none"],
        &["none: there is no fit to resume"],
    );
}

#[test]
fn data_that_change_are_noticed() {
    let folder = arm_with("fit_changed", &network());
    let append = |file: &str| {
        let text = fs::read_to_string(folder.join(file)).expect("a recording");
        fs::write(folder.join(file), text + "4.01,0,0,0,0\n").expect("written");
    };
    // Under the run: it is of what was read, and says so.
    let child = spawn(&folder, &[]);
    wait_for(&folder.join("arm-fit/checkpoint.json"));
    append("run1.csv");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let note = "note: run1.csv: changed since it was read";
    assert!(
        stderr.contains(note)
            && stderr.contains("the fit used the files as they were at its beginning"),
        "{stderr}"
    );
    // Between an interrupt and going on: that would be another fit.
    let resume = ["fit", "arm.toml", "--resume"];
    fails(
        &folder,
        &resume,
        &["resume: run1.csv has changed since this fit began", "--restart", "another folder"],
    );
    fit(&folder, &["--restart"]);
    fs::copy(folder.join("run2.csv"), folder.join("run7.csv")).expect("copied");
    fails(&folder, &resume, &["resume: run7.csv was added since this fit began"]);
    fs::remove_file(folder.join("run7.csv")).expect("removed");
    fs::rename(folder.join("run3.csv"), folder.join("kept")).expect("moved");
    fails(&folder, &resume, &["resume: run3.csv was removed since this fit began"]);
    fs::rename(folder.join("kept"), folder.join("run3.csv")).expect("moved");
    let text = fs::read_to_string(folder.join("arm.toml")).expect("an experiment");
    fs::write(folder.join("arm.toml"), text + "# more\n").expect("written");
    fails(&folder, &resume, &["resume: the experiment has changed since this fit began"]);
    fs::write(folder.join("arm-fit/checkpoint.json"), "{\"half\": ").expect("written");
    fails(&folder, &resume, &["arm-fit/checkpoint.json: this is not a checkpoint of this version"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_said() {
    let folder = arm_with("fit_unwritable", SPRING);
    fails(
        &folder,
        &["fit", "arm.toml", "--out", "arm.urdf"],
        &["arm.urdf: this is a file; name a folder"],
    );
    fails(
        &folder,
        &["fit", "arm.toml", "--out", "arm.urdf/in"],
        &["arm.urdf/in: cannot be created: "],
    );
    fit(&folder, &[]);
    let onto_file = ["predict", "arm-fit", "--out", "arm.urdf"];
    fails(&folder, &onto_file, &["arm.urdf: this is a file; name a folder"]);
}

/// A disk that is full: no file may have more than so many blocks.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_what_was_found_is_told() {
    let folder = arm_with("fit_full", SPRING);
    let limited = |blocks: u32, args: &str| {
        let program = env!("CARGO_BIN_EXE_gradbody");
        let script =
            format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' fit arm.toml {args}");
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&folder)
            .output()
            .expect("a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    // The page does not find room, all else does. Blocks have 512 bytes.
    fit(&folder, &["--out", "roomy"]);
    let length = |file: &str| fs::metadata(folder.join("roomy").join(file)).expect("a file").len();
    assert!(length("metrics.json") + 2048 < length("report.html"));
    let blocks = u32::try_from(length("report.html") / 512 - 2).expect("a small page");
    let (status, stdout, stderr) = limited(blocks, "--out page");
    assert_eq!(status, Some(1), "{stderr}");
    let last = stderr.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("error: page/report.html: cannot be written: File too large"),
        "{stderr}"
    );
    assert!(stdout.contains("link/fore/mass"), "{stdout}");
    assert!(!folder.join("page/report.html").exists());
    all_are_whole(&folder.join("page"));
    assert!(names(&folder.join("page")).iter().all(|name| !name.starts_with('.')));
    // When there is room again, the rest is written.
    fit(&folder, &["--out", "page", "--resume"]);
    assert!(folder.join("page/report.html").exists());
    // Only the smallest files do: the fitted parameters are among them, the checkpoint is not.
    let (status, stdout, stderr) = limited(4, "--out nothing");
    assert_eq!(status, Some(1), "{stderr}");
    assert!(
        stderr.contains("note: no checkpoint: nothing/checkpoint.json: cannot be written"),
        "{stderr}"
    );
    assert!(stderr.contains("the fit continues without"), "{stderr}");
    let last = stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: nothing/"), "{stderr}");
    assert!(
        last.contains("nothing/checkpoint.json: cannot be written: File too large"),
        "{stderr}"
    );
    assert!(stdout.contains("link/fore/mass"), "{stdout}");
    let found = fs::read_to_string(folder.join("nothing/parameters.toml")).expect("parameters");
    assert!(found.contains("link/fore/mass"), "{found}");
    all_are_whole(&folder.join("nothing"));
}

/// A digit of a fitted number, which is valid JSON before and after.
#[test]
fn a_digit_changed_inside_a_checkpoint_is_refused_and_nothing_is_overwritten() {
    let folder = arm_with("fit_checksum", SPRING);
    fit(&folder, &[]);
    let checkpoint = folder.join("arm-fit/checkpoint.json");
    let whole = fs::read_to_string(&checkpoint).expect("a checkpoint");
    let at = whole.find("\"x\":[").expect("fitted numbers") + 8;
    let digit = at + whole[at..].find(|c: char| c.is_ascii_digit()).expect("a digit");
    let other = if whole[digit..].starts_with('7') { "8" } else { "7" };
    let changed = format!("{}{other}{}", &whole[..digit], &whole[digit + 1..]);
    assert!(serde_json::from_str::<serde_json::Value>(&changed).is_ok(), "still JSON");
    fs::write(&checkpoint, &changed).expect("written");
    let kept = ["parameters.toml", "model.urdf", "metrics.json", "report.html"];
    let contents = || kept.map(|file| fs::read(folder.join("arm-fit").join(file)).expect("a file"));
    let before = contents();
    let damaged = "arm-fit/checkpoint.json: the file is damaged: its checksum does not match its contents. Nothing was \
                   changed; fit again with --restart, or into another folder with --out";
    for args in
        [&["fit", "arm.toml", "--resume"][..], &["fit", "arm.toml"], &["predict", "arm-fit"]]
    {
        fails(&folder, args, &[damaged]);
    }
    assert_eq!(fs::read_to_string(&checkpoint).expect("a checkpoint"), changed);
    assert!(before == contents(), "a result was overwritten");
    fs::write(&checkpoint, &whole).expect("written");
    fit(&folder, &["--resume"]);
}

#[test]
fn resuming_in_a_missing_folder_leaves_neither_folder_nor_lock() {
    let folder = arm_with("fit_resume_nothing", SPRING);
    let resume = ["fit", "arm.toml", "--resume", "--out"];
    let with = |out: &'static str| [&resume[..], &[out]].concat();
    fails(&folder, &with("none"), &["none: there is no fit to resume"]);
    assert!(!folder.join("none").exists());
    fs::create_dir(folder.join("empty")).expect("a folder");
    fails(&folder, &with("empty"), &["empty: there is no fit to resume"]);
    assert!(names(&folder.join("empty")).is_empty());
}
