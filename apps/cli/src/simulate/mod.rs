//! `gradbody simulate`: simulates a model and writes its motion as CSV.

mod contact_args;
mod contact_rows;
mod controls;
mod duration;
mod recorder;
mod summary;

use crate::ExitStatus;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use gradbody::contact::Surfaces;
use gradbody::model::{JointKind, LinkId, Model, Shape, ShapeId};
use gradbody::sim::{Input, Integrator, NoTaps, StepOptions, StepScratch, StepTrace, step};

use crate::atomic_file;
use crate::interrupt::{self, Interrupt};
use crate::model_args::{ModelArgs, tell_notes};
use crate::progress;
use crate::state_args::{Start, StateArgs};
use crate::usage::Usage;
pub(crate) use contact_args::{ContactArgs, GroundArgs, SolverArg};
use contact_rows::{ContactRows, ContactTotals, shapes_of};
pub(crate) use controls::Controls;
pub(crate) use duration::{Duration, parse as parse_time};
use gradbody_report::text::number;
use recorder::Recorder;
use summary::Summary;

const HELP: &str = "\
The CSV has a column t, then q:NAME and v:NAME for every coordinate, a:NAME for every actuator state,
and the energies kinetic, potential, elastic and energy (their sum). The file appears when it is
complete; Ctrl-C ends the run early and keeps the rows so far.

The last columns describe contact in the step that ended at t (all zero in the first row):
  contacts    number of contacts
  fx, fy, fz  force of the ground and other fixed bodies on moving ones [N]
  depth       deepest penetration, at the start of the step [m]
  sweeps      sweeps (or pivots) of the solver
  residual    largest velocity error that the solver left in a contact [m/s]

For each row of the CSV, --contacts writes a row for every point where bodies touch or nearly touch: t,
the shapes a and b, the number of the point in this pair (slot), its position x, y, z, the normal nx, ny,
nz from a to b, the gap [m], and the force fx, fy, fz of a on b [N].

A controls file is a CSV with a column t and one for each actuator to be driven, or tau:NAME for a
joint force; a row applies from its time until the next row's. --tau applies throughout.";

/// Options of `gradbody simulate`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    contact: ContactArgs,
    /// How long to simulate [s].
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = duration::parse)]
    time: f64,
    /// Time step [s]; without it the model file's, else 0.001.
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = duration::parse)]
    dt: Option<f64>,
    /// Controls over time.
    #[arg(long, value_name = "CSV")]
    controls: Option<PathBuf>,
    /// Integration scheme.
    #[arg(long, value_enum, default_value_t = IntegratorArg::ImplicitDamping)]
    integrator: IntegratorArg,
    /// Write every Nth step (and the last).
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// The CSV file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// A second CSV file to write, with every contact.
    #[arg(long, value_name = "FILE")]
    contacts: Option<PathBuf>,
}

/// The integration schemes, by their names on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum IntegratorArg {
    /// First the velocity, then the position with the new velocity; first order, the cheapest.
    SemiImplicit,
    /// The same with joint damping, friction and limits implicit; stable however stiff they are.
    ImplicitDamping,
    /// Classical Runge-Kutta; fourth order, the most accurate, for four times the work.
    Rk4,
}

impl IntegratorArg {
    /// The scheme itself.
    pub(crate) fn integrator(self) -> Integrator {
        match self {
            IntegratorArg::SemiImplicit => Integrator::SemiImplicitEuler,
            IntegratorArg::ImplicitDamping => Integrator::ImplicitDamping,
            IntegratorArg::Rk4 => Integrator::Rk4,
        }
    }
}

/// How a run ended.
enum End {
    Complete,
    Interrupted,
    /// The first link whose motion is not finite, and when [s].
    Diverged(LinkId, f64),
}

pub(crate) fn run(args: &SimulateArgs) -> anyhow::Result<ExitStatus> {
    args.contact.check()?;
    if args.contacts.as_ref().is_some_and(|contacts| same_file(contacts, &args.out)) {
        return Err(Usage("--out and --contacts name the same file".into()).into());
    }
    let mut imported = args.model.load()?;
    args.contact.prepare(&mut imported.model)?;
    let start = args.state.start(&imported.model)?;
    let duration = Duration::of(args.time, args.dt, imported.model.topology.timestep)?;
    let controls = match &args.controls {
        Some(file) => Controls::read(file, &imported.model.topology)?,
        None => Controls::none(),
    };
    let files = Files {
        recorder: Recorder::create(&args.out, &imported.model)?,
        contacts: args.contacts.as_deref().map(ContactRows::create).transpose()?,
    };
    tell_notes(&imported.report);
    tell_no_ground(&imported.model);
    args.contact.filter_self_collisions(
        &mut imported.model,
        imported.report.format,
        &start.state.q,
    );
    duration.tell_rounding(args.time);

    let model = &imported.model;
    let mut options = StepOptions::new(duration.dt).with(args.integrator.integrator());
    args.contact.apply(&mut options);
    args.model.tell_idle(model, &options.contact.solver);
    let adds_ground = args.contact.adds_ground();
    let run = Run { model, duration, every: args.every, options, controls, adds_ground };
    let (end, summary, rows) = run.simulate(start, files)?;

    let mut out = atomic_file::messages(&args.out);
    write!(out, "{summary}")?;
    for friction in Surfaces::new(model, &options.contact.solver).frictions() {
        writeln!(out, "  {:<17} {friction}", "friction")?;
    }
    tell_written(&mut out, rows.states, &args.out)?;
    if let (Some(rows), Some(file)) = (rows.contacts, &args.contacts) {
        tell_written(&mut out, rows, file)?;
    }
    match end {
        End::Complete => Ok(ExitStatus::SUCCESS),
        End::Interrupted => {
            let time = number(summary.end_time());
            writeln!(io::stderr(), "interrupted: the file ends at t = {time} s")?;
            Ok(ExitStatus::from(interrupt::EXIT_STATUS))
        }
        End::Diverged(link, time) => Err(anyhow!(
            "the simulation diverged: at t = {} s the motion of link \"{}\" is no longer finite; {}",
            number(time),
            model.topology.links[link.index()].name,
            args.contact.hint()
        )),
    }
}

fn tell_written(out: &mut impl io::Write, rows: u64, file: &Path) -> io::Result<()> {
    let plural = if rows == 1 { "row" } else { "rows" };
    writeln!(out, "wrote {rows} {plural} to {}", file.display())
}

/// What a run writes.
struct Files {
    recorder: Recorder,
    contacts: Option<ContactRows>,
}

/// Numbers of rows that were written.
struct Rows {
    states: u64,
    contacts: Option<u64>,
}

impl Files {
    fn finish(self) -> anyhow::Result<Rows> {
        let contacts = self.contacts.map(ContactRows::finish).transpose()?;
        Ok(Rows { states: self.recorder.finish()?, contacts })
    }
}

/// The model and settings of a run.
struct Run<'a> {
    model: &'a Model<f64>,
    duration: Duration,
    every: u64,
    options: StepOptions<f64>,
    controls: Controls,
    /// Whether the ground is that of --ground.
    adds_ground: bool,
}

impl<'a> Run<'a> {
    fn simulate(
        mut self,
        start: Start,
        mut files: Files,
    ) -> anyhow::Result<(End, Summary<'a>, Rows)> {
        let interrupt = Interrupt::listen();
        let progress = progress::bar(self.duration.steps, "steps");
        let start_time = start.state.time;
        let Start { mut state, tau, control } = start;
        let mut input = Input { control, tau, ..Input::none(self.model) };
        let (mut trace, mut scratch) = (StepTrace::new(self.model), StepScratch::new(self.model));
        let mut contact = ContactTotals::NONE;
        let first = files.recorder.row(self.model, &state, &contact)?;
        let mut summary = Summary::new(self.model, first);
        let mut end = End::Complete;
        for i in 0..self.duration.steps {
            if interrupt.asked() {
                if i % self.every != 0 {
                    summary.add(files.recorder.row(self.model, &state, &contact)?);
                }
                end = End::Interrupted;
                break;
            }
            self.controls.apply(state.time, self.options.dt, &mut input);
            let time = state.time;
            let report = step(
                self.model,
                &mut state,
                &input,
                &self.options,
                &mut NoTaps,
                &mut trace,
                &mut scratch,
            );
            // A product, so that rounding does not accumulate over a long run.
            state.time = start_time + (i + 1) as f64 * self.options.dt;
            if let Some(link) = report.diverged {
                end = End::Diverged(link, state.time);
                break;
            }
            contact = ContactTotals::of(&trace, &report);
            summary.add_contact(time, &contact);
            if i == 0 {
                tell_start_inside(self.model, &contact, self.adds_ground);
            }
            if (i + 1) % self.every == 0 || i + 1 == self.duration.steps {
                summary.add(files.recorder.row(self.model, &state, &contact)?);
                if let Some(rows) = &mut files.contacts {
                    rows.step(self.model, state.time, trace.contacts())?;
                }
            }
            if i % PROGRESS_STEPS == 0 {
                progress.set_position(i);
            }
        }
        progress.finish_and_clear();
        Ok((end, summary, files.finish()?))
    }
}

/// Whether two paths name the same file, which need not exist.
fn same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(whole), ..) => whole,
        (_, Some(folder), Some(name)) => {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            folder.canonicalize().map_or(path.to_owned(), |folder| folder.join(name))
        }
        _ => path.to_owned(),
    };
    whole(a) == whole(b)
}

/// Notes on stderr that a robot with a free base has no ground to fall on.
pub(crate) fn tell_no_ground(model: &Model<f64>) {
    let topology = &model.topology;
    let falls = topology.links.iter().any(|l| l.joint.kind == JointKind::Free);
    let fixed = |s: &Shape| topology.frames[s.frame.index()].link.is_none();
    if falls && !topology.shapes.is_empty() && !topology.shapes.iter().any(fixed) {
        let _ = writeln!(io::stderr(), "note: there is no ground to fall on; --ground adds one");
    }
}

/// Notes on stderr that bodies overlap deeply at the start, usually because the ground is too high.
fn tell_start_inside(model: &Model<f64>, contact: &ContactTotals, adds_ground: bool) {
    /// Penetration from which a note is printed [m]: more than rounding of a start, less than any foot.
    const DEEP: f64 = 5e-3;
    if let Some(id) = contact.deepest.filter(|_| contact.depth > DEEP) {
        let (shapes, depth) = (shapes_of(model, id), number(contact.depth));
        let topology = &model.topology;
        let is_fixed = |shape: ShapeId| {
            topology.frames[topology.shapes[shape.index()].frame.index()].link.is_none()
        };
        let advice = match (is_fixed(id.a) || is_fixed(id.b), adds_ground) {
            (true, true) => "change --q or --ground=HEIGHT",
            (true, false) => "change --q",
            (false, _) => {
                "change --q, or use --self-collision none to let a robot's own bodies overlap"
            }
        };
        // A note that cannot be printed is not an error.
        let _ = writeln!(
            io::stderr(),
            "note: at the start {shapes} overlap by {depth} m and will be pushed apart; {advice}"
        );
    }
}

/// Steps between updates of the progress bar: about a millisecond of work.
const PROGRESS_STEPS: u64 = 1024;
