//! The identified numbers of a body as the folder of a fit, which `gradbody predict` runs on other pushes.
//!
//! Before its fit, the model has the numbers identified on the four training shapes together; after it, those identified
//! on pushes of the body alone. So one folder judges a push with both.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use gradbody::learn::Experiment;
use gradbody::learn::data::process::{Named, Split as Parts};
use gradbody::model::export;

use super::Split;
use super::alone::OneBody;
use super::fits::{self, NUMBERS, Number, OF_ONE_BODY, SAME, UNITS};
use super::measured::{Body, PERIOD, Push};
use super::results::Results;
use super::scene;
use crate::found::{self, Found};

/// The columns are those of the published pushes. A push starts at rest, where its first sample is.
const EXPERIMENT: &str = r#"
[model]
file = "push.xml"

[data]
time = "t"

[channels]
tip_x = { is = "joint/tip_x/motion", unit = "m", noise = 1e-5 }
tip_y = { is = "joint/tip_y/motion", unit = "m", noise = 1e-5 }
obj_x = { is = "link/body/position/x", unit = "m" }
obj_y = { is = "link/body/position/y", unit = "m" }
obj_yaw = { is = "link/body/heading", unit = "rad" }

[change]
starts = "measured"

[simulation]
integrator = "euler"

[objective]
estimate = { reach = 0 }

[prediction]
warm-up = 1
baselines = []
"#;

/// Numbers by their paths.
type Numbers = BTreeMap<String, f64>;

/// A body, and the numbers before and after its fit.
struct Identified<'a> {
    shape: &'a str,
    body: &'a Body,
    before: Numbers,
    after: Numbers,
    /// The pushes that the numbers after the fit were identified on, and held-out ones.
    train: Vec<&'a Push>,
    test: Vec<&'a Push>,
}

/// Writes a folder `fit-SHAPE` into `out` for each body.
pub(super) fn write_all(
    out: &Path,
    bodies: &BTreeMap<String, Body>,
    split: &Split,
    found: &Results,
) -> anyhow::Result<()> {
    let tuned: Numbers =
        found.numbers.iter().map(|(path, _, tuned)| (path.clone(), *tuned)).collect();
    let of = |one: &OneBody, pushes: &'_ [Push]| -> Vec<Push> {
        pushes.iter().filter(|push| push.shape == one.shape).cloned().collect()
    };
    for one in found.alone.known.iter().chain([&found.alone.unknown]) {
        // The new shape has no training pushes: its own numbers were identified on all of its pushes.
        let (train, test) = match of(one, &split.train) {
            train if train.is_empty() => (of(one, &split.test), Vec::new()),
            train => (train, of(one, &split.new)),
        };
        let all = numbers().map(|number| (number.path.to_owned(), one.number(number.path)));
        let identified = Identified {
            shape: &one.shape,
            body: &bodies[&one.shape],
            before: tuned.clone(),
            after: all.collect(),
            train: train.iter().collect(),
            test: test.iter().collect(),
        };
        write(&out.join(format!("fit-{}", one.shape)), &identified)?;
    }
    Ok(())
}

/// Every number that is identified on the pushes of one body.
fn numbers() -> impl Iterator<Item = &'static Number> {
    NUMBERS.iter().chain(&OF_ONE_BODY)
}

/// Writes the folder of a fit.
fn write(path: &Path, identified: &Identified<'_>) -> anyhow::Result<()> {
    let exported = export::mjcf(&scene::file(identified.body)?)?;
    let pushes = identified.train.iter().chain(&identified.test);
    let pushes = pushes.map(|push| (file_of(push), table(push)));
    let found = Found {
        experiment: experiment(identified)?,
        files: pushes.chain([("push.xml".to_owned(), exported.text)]).collect(),
        ended: "identified by `cargo reproduce pushing`, on whole pushes, by an evolution strategy"
            .into(),
    };
    found::write(path, found, |setup| {
        let unknowns = setup.unknowns()?;
        let found = unknowns.params.iter().map(|unknown| {
            let value = identified.after.get(&unknown.name);
            let value = value.with_context(|| format!("{} was not identified", unknown.name))?;
            Ok(value / unknown.scale)
        });
        found.collect()
    })
}

/// The folder of the pushes in that of the fit.
const PUSHES: &str = "pushes";

fn file_of(push: &Push) -> String {
    format!("{PUSHES}/{}.csv", push.name)
}

/// The experiment of a body, with the numbers before its fit.
fn experiment(identified: &Identified<'_>) -> anyhow::Result<Experiment> {
    let Identified { shape, body, .. } = identified;
    let mut experiment = Experiment::from_toml(EXPERIMENT, "pushing")?;
    experiment.name = format!("pushing-{shape}");
    let model = &mut experiment.model;
    model.shapes = scene::shapes(body);
    model.pairs = scene::pairs();
    model.set.extend(scene::surface(body));
    let first = identified.train.first().context("no push")?;
    // No sensor measures how deep the body sinks into the table.
    model.q = Some(scene::start(&scene::model(body)?, body, &first.samples[0]).q);
    let change = &mut experiment.change;
    for Number { path, bounds, .. } in numbers() {
        // Rounding may have put a number beyond its bound.
        if let Some(value) = identified.before.get(*path) {
            model.set.insert((*path).into(), value.clamp(bounds.0, bounds.1));
        }
        change.parameters.push((*path).into());
        // The second of a tied pair follows the first and has no bounds of its own.
        if SAME.iter().all(|[_, follows]| follows != path) {
            change.bounds.insert((*path).into(), *bounds);
        }
    }
    change.ties = SAME.iter().map(|pair| pair.map(str::to_owned).to_vec()).collect();
    for (name, channel) in &mut experiment.channels {
        match name.as_str() {
            "obj_x" | "obj_y" => channel.noise = Some(UNITS.0),
            "obj_yaw" => channel.noise = Some(UNITS.1),
            _ => {}
        }
    }
    let names = |pushes: &[&Push]| -> Vec<String> {
        pushes.iter().map(|push| format!("{PUSHES}/{}", push.name)).collect()
    };
    let all = identified.train.iter().chain(&identified.test);
    experiment.data.files = all.map(|push| file_of(push)).collect();
    experiment.data.split = Some(Parts::Named(Named {
        train: names(&identified.train),
        test: names(&identified.test),
        ..Named::default()
    }));
    Ok(experiment)
}

/// A push from the sample at which the tip starts to move, with the columns of the published pushes.
fn table(push: &Push) -> String {
    let mut text = String::from("t,tip_x,tip_y,obj_x,obj_y,obj_yaw\n");
    for (k, sample) in push.samples[fits::begin(&push.samples)..].iter().enumerate() {
        let ([tip_x, tip_y], [x, y]) = (sample.tip, sample.position);
        let _ = writeln!(text, "{:.3},{tip_x},{tip_y},{x},{y},{}", PERIOD * k as f64, sample.yaw);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gradbody::augment::Blueprint;

    use super::super::SLOW;
    use super::super::errors::{Path as Poses, apart, measured as measured_path};
    use super::super::fits::Problem;
    use super::super::measured::{self, INDEX, Measured};
    use super::super::training::predict;
    use super::*;
    use crate::data::DataFolder;

    const SHAPE: &str = "hex";

    fn data() -> Option<(Measured, PathBuf)> {
        let data = DataFolder::find();
        if !data.path().join(INDEX.path).is_file() {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            eprintln!("skipped: no data: {test} needs {} in GRADBODY_DATA", INDEX.path);
            return None;
        }
        let pushes = data.path().join("mcube_push/pushes");
        Some((measured::read(&data).expect("data"), pushes))
    }

    /// The numbers of some body, unlike those of the scene.
    fn some(scale: f64) -> Numbers {
        let value = |number: &Number| match number.path {
            "contact/tip-body/friction" => 0.3 * scale,
            "shape/points/size/x" | "shape/points/size/y" => 0.8 * scale,
            "contact/ground-points/friction" | "contact/ground-points/static_friction" => 0.2,
            _ => 1e-3 * scale,
        };
        numbers().map(|number| (number.path.to_owned(), value(number))).collect()
    }

    /// The poses of the model before and after the fit, by recording, at each predicted sample.
    fn predictions(fit: &Path, more: &[&str]) -> BTreeMap<String, [Poses; 2]> {
        let out = fit.join("judged");
        let mut args: Vec<String> = ["gradbody", "predict"].map(str::to_owned).to_vec();
        let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        args.extend([path(fit), "--out".into(), path(&out)]);
        args.extend(more.iter().map(|arg| (*arg).to_owned()));
        gradbody_cli::run(args).unwrap_or_else(|error| panic!("{error:#}"));
        let mut reader = csv::Reader::from_path(out.join("predictions.csv")).expect("a file");
        let header = reader.headers().expect("a header").clone();
        let place = |name: String| header.iter().position(|n| n == name).expect("a column");
        let columns = ["before", "after"].map(|by| {
            ["obj_x", "obj_y", "obj_yaw"].map(|channel| place(format!("{channel}:{by}")))
        });
        let mut poses = BTreeMap::<String, [Poses; 2]>::new();
        for row in reader.records() {
            let row = row.expect("a row");
            let pair = poses.entry(row[0].to_owned()).or_default();
            for (poses, columns) in pair.iter_mut().zip(&columns) {
                poses.push(columns.map(|column| row[column].parse().expect("a number")));
            }
        }
        poses
    }

    /// The file of a fit holds the same model as the experiment, and `predict` moves it alike.
    #[test]
    fn the_folder_of_a_fit_predicts_as_the_experiment_does() {
        let Some((measured, published)) = data() else { return };
        let body = &measured.bodies[SHAPE];
        let is_hex = |push: &&Push| push.shape == SHAPE && push.speed() > SLOW;
        let pushes: Vec<Push> = measured.train.iter().filter(is_hex).take(3).cloned().collect();
        let [seen, held_out] = [&pushes[..2], &pushes[2..]];
        let folder =
            std::env::temp_dir().join(format!("gradbody-pushing-fit-{}", std::process::id()));
        let (before, after) = (some(0.7), some(1.0));
        let identified = Identified {
            shape: SHAPE,
            body,
            before: before.clone(),
            after: after.clone(),
            train: seen.iter().collect(),
            test: held_out.iter().collect(),
        };
        write(&folder, &identified).expect("a fit");

        let all: Vec<&Number> = numbers().collect();
        let blueprint = Blueprint::default();
        let problem = Problem { bodies: &measured.bodies, numbers: &all, blueprint: &blueprint };
        let paths = [&before, &after].map(|numbers| {
            let unknowns = &problem.fits(&pushes).expect("fits")[0].unknowns;
            let x: Vec<f64> = unknowns.named().map(|u| numbers[&u.name] / u.scale).collect();
            predict(&problem, &pushes, &x).expect("predictions")
        });
        let raw = |push: &Push| {
            let file = published.join(format!("{}.csv", push.name));
            file.to_str().expect("UTF-8").to_owned()
        };
        for push in &pushes {
            // The same samples: the held-out push alone is predicted by default.
            let same = match push.name == held_out[0].name {
                true => predictions(&folder, &[]),
                false => predictions(&folder, &["--part", "train"]),
            };
            // The published file begins with more samples at rest, so that the start is measured at another one.
            let file = raw(push);
            let new = predictions(&folder, &["--data", &file]);
            let [same, new] = [same, new].map(|all| {
                let own = all.into_iter().find(|(name, _)| name.ends_with(&push.name));
                own.expect("the push").1
            });
            for (k, paths) in paths.iter().enumerate() {
                let path = paths[&push.name].as_ref().expect("it converges");
                assert_eq!(same[k].len() + 1, path.len(), "all but the first sample");
                let moved = apart(path[path.len() - 1], measured_path(push)[0])[0];
                assert!(moved > 1.0, "the push moves the body by {moved} mm");
                let gaps = same[k].iter().zip(&path[1..]).map(|(a, b)| apart(*a, *b));
                let most = gaps.fold([0.0_f64; 2], |m, gap| [m[0].max(gap[0]), m[1].max(gap[1])]);
                let end = apart(*new[k].last().expect("samples"), path[path.len() - 1]);
                eprintln!("{}: {most:?} mm, °; from the published file {end:?}", push.name);
                assert!(most[0] < 1e-3 && most[1] < 1e-3, "{}: {most:?} mm, °", push.name);
                assert!(end[0] < 1.0 && end[1] < 1.0, "{}: {end:?} mm, °", push.name);
            }
        }
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
