//! `gradbody predict`: runs a fitted model on its held-out data or on new data, and reports its errors.
//!
//! The folder of a fit is enough: its checkpoint has the experiment and the fitted numbers, and its origin says where
//! the experiment's files are.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};
use gradbody::learn::data::{DataError, TimeColumn, read};
use gradbody::learn::judge::{Predicted, Predictor, Trials};
use gradbody::learn::outcome::ErrorTable;
use gradbody::learn::run::{FitStage, Journal, Run};
use gradbody::learn::{DataPart, Experiment, Setup};
use serde_json::{Value, json};

use crate::atomic_file;
use crate::fit::{Folder, Origin};
use crate::model_args;
use crate::usage::Usage;
use gradbody_report::text::{csv_cell, number, several};

const AFTER_HELP: &str = "\
The experiment's files are looked for where they were during the fit, or at the same place relative to the fit's
folder if both were moved; --files names another folder. With --data the old recordings are needed only if the
noise of a channel is estimated from them.";

/// Options of `gradbody predict`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PredictArgs {
    /// The folder of a fit.
    #[arg(value_name = "FIT")]
    fit: PathBuf,
    /// New recordings with the same columns, instead of the experiment's own; files or patterns.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "part")]
    data: Vec<String>,
    /// The column of the new recordings that has the time, in seconds or as in stamp=ms (s, ms, us, ns); without it, as
    /// in the experiment.
    #[arg(long, value_name = "COLUMN", requires = "data", conflicts_with = "rate")]
    time: Option<String>,
    /// Samples a second of the new recordings [Hz], if no column has the time.
    #[arg(long, value_name = "HZ", requires = "data")]
    rate: Option<f64>,
    /// The column that tells the recordings of one new file apart; without it, as in the experiment.
    #[arg(long, value_name = "COLUMN", requires = "data")]
    trajectory: Option<String>,
    /// Part of the experiment's data to predict; without it test if there is one, else validation, else train.
    #[arg(long, value_enum)]
    part: Option<PartArg>,
    /// Samples given to the model before it predicts; without it, as in the experiment.
    #[arg(long, value_name = "N")]
    warm_up: Option<usize>,
    /// Samples to predict; without it, as in the experiment.
    #[arg(long, value_name = "N")]
    horizon: Option<usize>,
    /// Where the experiment's files are, if they were moved.
    #[arg(long, value_name = "FOLDER")]
    files: Option<PathBuf>,
    /// Print the errors as JSON.
    #[arg(long)]
    json: bool,
    /// A folder to write predictions.csv and errors.json to.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PartArg {
    /// Data that the fit never used.
    Test,
    /// Data by which networks were chosen.
    Validation,
    /// Data that the model was fitted to.
    Train,
}

/// The fitted model without networks, where there is one with networks.
const WITHOUT: &str = "without networks";

pub(crate) fn run(args: &PredictArgs) -> anyhow::Result<()> {
    let (Models { setup, before, without, after }, trials) = open(args)?;
    let mut tables = Vec::new();
    let mut judge = |by: &str, predictor: &Predictor| {
        let predicted = setup.predict(predictor, &trials)?;
        let mut table = setup.errors(by, 0, &trials, &predicted);
        if !args.data.is_empty() {
            table.part = "new".into();
        }
        tables.push(table);
        anyhow::Ok(predicted)
    };
    let mut predictions = vec![("before", judge("before", &before)?)];
    if let Some(without) = &without {
        predictions.push((WITHOUT, judge(WITHOUT, without)?));
    }
    predictions.push(("after", judge("after", &after)?));

    let errors = as_json(args, &setup, &trials, &tables);
    if let Some(out) = &args.out {
        atomic_file::make_folder(out)?;
        let file = |name: &str| out.join(name);
        atomic_file::write(&file("predictions.csv"), &as_csv(&setup, &trials, &predictions))?;
        atomic_file::write(&file("errors.json"), &serde_json::to_string_pretty(&errors)?)?;
    }
    let mut stdout = io::stdout().lock();
    if args.json {
        writeln!(stdout, "{}", serde_json::to_string_pretty(&errors)?)?;
    } else {
        write!(stdout, "{}", as_text(args, &setup, &trials, &tables))?;
        if let Some(out) = &args.out {
            writeln!(stdout, "wrote {}", out.join("predictions.csv").display())?;
        }
    }
    Ok(())
}

/// The models of a fit's folder, and the data that judge it.
pub(crate) fn judged(fit: &Path, files: Option<&Path>) -> anyhow::Result<(Models, Trials)> {
    open(&PredictArgs {
        fit: fit.to_owned(),
        data: Vec::new(),
        time: None,
        rate: None,
        trajectory: None,
        part: None,
        warm_up: None,
        horizon: None,
        files: files.map(Path::to_owned),
        json: false,
        out: None,
    })
}

/// The models, and the data to predict.
fn open(args: &PredictArgs) -> anyhow::Result<(Models, Trials)> {
    let (folder, journal) = Folder::existing(&args.fit)?;
    let origin = folder.origin()?;
    let files = match (&args.files, &origin) {
        (Some(files), _) => files.clone(),
        (None, Some(origin)) => origin.files(&args.fit),
        // Not written by `gradbody fit`: the files are in the folder itself.
        (None, None) => args.fit.clone(),
    };
    if let Some(origin) = &origin {
        origin.check_model(&files)?;
    }
    let setup = prepare(args, &journal, origin.as_ref(), &files)?;
    let part = choose_part(args, &setup)?;
    let Some(trials) = setup.trials(part) else { bail!(too_short(args, &setup, part)) };
    note_short_horizon(args, &setup, part);
    let models = models(setup, journal).with_context(|| {
        format!("{}: the checkpoint does not match its experiment", args.fit.display())
    })?;
    Ok((models, trials))
}

/// The experiment of a fit, with the data to predict.
fn prepare(
    args: &PredictArgs,
    journal: &Journal,
    origin: Option<&Origin>,
    files: &Path,
) -> anyhow::Result<Setup> {
    let name = origin.map_or(Path::new("experiment.toml"), |origin| &origin.experiment);
    let mut experiment = Experiment::from_toml(&journal.experiment, &name.display().to_string())?;
    if let Some(warm_up) = args.warm_up {
        experiment.prediction.warm_up = warm_up;
    }
    if args.horizon.is_some() {
        experiment.prediction.horizon = args.horizon;
    }
    let load = &model_args::read_for_experiment;
    if args.data.is_empty() {
        let setup = Setup::new(experiment, files, load)
            .with_context(|| format!("{}: the experiment", args.fit.display()))?;
        let changed = journal.files.iter().zip(&setup.files).find(|(was, now)| was != now);
        if let Some((was, _)) = changed {
            let _ = writeln!(io::stderr(), "note: {} has changed since the fit", was.file);
        }
        return Ok(setup);
    }
    // Estimated noise comes from the data of the fit.
    if experiment.channels.values().any(|channel| channel.noise.is_none() && measures(&channel.is))
    {
        let old = Setup::new(experiment.clone(), files, load).with_context(|| {
            "the noise of some channels is estimated from the data of the fit, which are needed for this"
        })?;
        let mut columns = old.columns.iter();
        for sensor in &old.sensors {
            for _ in 0..sensor.columns() {
                let Some((name, _, size)) = columns.next() else { continue };
                if let Some(channel) = experiment.channels.get_mut(name) {
                    channel.noise = Some(sensor.noise / size);
                }
            }
        }
    }
    experiment.data.set = None;
    experiment.data.split = None;
    experiment.data.samples = None;
    experiment.data.exclude.clear();
    experiment.data.trim.clear();
    experiment.data.files.clone_from(&args.data);
    read_as_told(args, &mut experiment);
    let has_clock = experiment.data.time.is_some() || experiment.data.rate.is_some();
    let set = read(Path::new(""), &experiment.read_options()?).map_err(|error| match error {
        DataError::Options(why) if !has_clock => {
            anyhow!(Usage(format!("{why}: here by --time COLUMN or --rate HZ")))
        }
        error => error.into(),
    })?;
    Ok(Setup::with_data(experiment, files, load, set)?)
}

/// Applies the options that say how new recordings are read.
fn read_as_told(args: &PredictArgs, experiment: &mut Experiment) {
    let data = &mut experiment.data;
    if let Some(time) = &args.time {
        let (column, unit) = time.split_once('=').unwrap_or((time, "s"));
        data.time = Some(TimeColumn { column: column.to_owned(), unit: unit.to_owned() });
        data.rate = None;
    }
    if let Some(rate) = args.rate {
        data.rate = Some(rate);
        data.time = None;
    }
    if let Some(column) = &args.trajectory {
        data.trajectory = vec![column.clone()];
    }
}

/// True for quantities that follow from the state, which are measured with noise.
fn measures(quantity: &str) -> bool {
    let given = quantity.starts_with("control/") || quantity.starts_with("signal/");
    !given && !["force", "torque"].iter().any(|what| quantity.split('/').nth(2) == Some(what))
}

fn choose_part(args: &PredictArgs, setup: &Setup) -> anyhow::Result<DataPart> {
    let part = match args.part {
        // New data are not split into parts.
        None if !args.data.is_empty() => return Ok(DataPart::Train),
        Some(PartArg::Test) => DataPart::Test,
        Some(PartArg::Validation) => DataPart::Validation,
        Some(PartArg::Train) => DataPart::Train,
        None => {
            let order = [DataPart::Test, DataPart::Validation, DataPart::Train];
            order.into_iter().find(|part| !setup.part(*part).is_empty()).unwrap_or(DataPart::Train)
        }
    };
    if setup.part(part).is_empty() {
        let there: Vec<&str> = DataPart::ALL
            .iter()
            .filter(|p| !setup.part(**p).is_empty())
            .map(|p| p.name())
            .collect();
        bail!("the experiment has no part \"{}\"; it has {}", part.name(), there.join(", "));
    }
    Ok(part)
}

/// Notes on stderr if no recording is long enough for --horizon.
fn note_short_horizon(args: &PredictArgs, setup: &Setup, part: DataPart) {
    let Some(asked) = args.horizon else { return };
    let longest = setup.part(part).iter().map(|r| r.samples).max().unwrap_or(0);
    let most = longest.saturating_sub(setup.experiment.prediction.warm_up.max(1));
    if asked > most {
        let _ = writeln!(
            io::stderr(),
            "note: --horizon {asked} is too long: the longest recording allows {most} samples, so {most} are predicted"
        );
    }
}

fn too_short(args: &PredictArgs, setup: &Setup, part: DataPart) -> String {
    let longest = setup.part(part).iter().map(|r| r.samples).max().unwrap_or(0);
    let given = setup.experiment.prediction.warm_up.max(1);
    let what = match args.data.is_empty() {
        true => format!("the part \"{}\"", part.name()),
        false => args.data.join(", "),
    };
    format!(
        "{what}: the data are too short: the longest recording has {longest} samples, and {given} are given to the \
         model before it predicts; try a shorter --warm-up"
    )
}

/// The models that predict.
pub(crate) struct Models {
    pub(crate) setup: Setup,
    pub(crate) before: Predictor,
    /// The fitted model without networks, if there is one with networks.
    without: Option<Predictor>,
    pub(crate) after: Predictor,
}

/// The models of a fit, from its checkpoint.
fn models(setup: Setup, journal: Journal) -> anyhow::Result<Models> {
    let run = Run::at(setup, journal);
    let before = run.before()?;
    let without = run.after(FitStage::Parameters)?;
    let networks = run.after(FitStage::Networks)?;
    let (without, after) = match (without, networks) {
        (without, Some(networks)) => (without, networks),
        (Some(without), None) => (None, without),
        (None, None) => bail!("the fit has no result yet"),
    };
    Ok(Models { setup: run.setup().clone(), before, without, after })
}

/// How many samples the longest window predicts.
fn horizon(trials: &Trials) -> usize {
    trials.windows.iter().map(|window| trials.horizon(window)).max().unwrap_or(0)
}

fn as_json(args: &PredictArgs, setup: &Setup, trials: &Trials, tables: &[ErrorTable]) -> Value {
    let models: Vec<Value> = tables
        .iter()
        .map(|table| {
            let told = table.diverged < table.windows;
            let rms: serde_json::Map<String, Value> = table
                .channels
                .iter()
                .map(|channel| {
                    let all = told.then_some(channel.rms);
                    let median = told.then_some(channel.median);
                    let of = json!({
                        "unit": channel.unit,
                        "all": all,
                        "median": median,
                        "by_horizon": channel.by_horizon,
                    });
                    (channel.name.clone(), of)
                })
                .collect();
            json!({ "by": table.by, "diverged": table.diverged, "rms": rms })
        })
        .collect();
    let recordings: Vec<&str> = trials.recordings.iter().map(|r| r.name.as_str()).collect();
    json!({
        "fit": args.fit,
        "experiment": setup.experiment.name,
        "part": tables.first().map(|table| table.part.as_str()),
        "recordings": recordings,
        "windows": trials.windows.len(),
        "warm_up": trials.given,
        "horizon": horizon(trials),
        "period": setup.period,
        "models": models,
    })
}

fn as_text(args: &PredictArgs, setup: &Setup, trials: &Trials, tables: &[ErrorTable]) -> String {
    let samples = horizon(trials);
    let of = match args.data.is_empty() {
        true => format!("the part \"{}\"", trials.part.name()),
        false => "the new data".to_owned(),
    };
    let mut text = format!(
        "{}: given {}, {samples} are predicted ({} s), in {} of {of};\n\
         root mean square errors over all samples, the median of the windows' own, and at these times ahead:\n",
        setup.experiment.name,
        several(trials.given, "sample"),
        number(samples as f64 * setup.period),
        several(trials.windows.len(), "window"),
    );
    text += &gradbody_report::fit::error_table(tables, samples, setup.period);
    text
}

/// A row for each predicted sample, with the predictions of each model; a cell is empty if nothing was measured or the
/// model diverged.
fn as_csv(setup: &Setup, trials: &Trials, models: &[(&str, Predicted)]) -> String {
    let mut text = String::from("recording,window,time");
    for (name, ..) in &setup.columns {
        let _ = write!(text, ",{name}:measured");
        for (model, _) in models {
            let _ = write!(text, ",{name}:{model}");
        }
    }
    text.push('\n');
    let columns = setup.columns.len();
    for (k, window) in trials.windows.iter().enumerate() {
        let recording = &trials.recordings[window.recording];
        for row in 0..trials.horizon(window) {
            let at = window.first + trials.given + row;
            let time = recording.begin + at as f64 * setup.period;
            let _ = write!(text, "{},{k},{}", csv_cell(&recording.name), number(time));
            let (measured, present) = recording.sample(at, &setup.sensors);
            let present = setup.sensors.iter().zip(present).flat_map(|(sensor, present)| {
                std::iter::repeat_n(*present > 0.0, sensor.columns())
            });
            for (c, present) in present.enumerate() {
                let size = setup.columns[c].2;
                let of = |by: &Predicted| by[k].as_ref().map(|by| by[row * columns + c] / size);
                let measured = present.then(|| measured[c] / size);
                for cell in std::iter::once(measured).chain(models.iter().map(|(_, by)| of(by))) {
                    let _ = match cell {
                        Some(x) => write!(text, ",{x}"),
                        None => write!(text, ","),
                    };
                }
            }
            text.push('\n');
        }
    }
    text
}
