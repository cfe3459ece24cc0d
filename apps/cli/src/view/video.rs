//! A video of a recording, made by an installed Chromium without a display: the page draws it frame by frame.

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use gradbody_view::{Content, Recording, Server, page};

use crate::ExitStatus;
use crate::atomic_file::{self, AtomicFile};
use crate::interrupt::{self, Interrupt};
use crate::usage::Usage;

/// Width and height [pixels], and frames a second.
const SIZE: (u32, u32) = (1280, 720);
const RATE: u32 = 60;
/// Names that Chromium has, the most usual first.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/// The variable that names another one.
const VARIABLE: &str = "GRADBODY_CHROMIUM";
/// Time between looks at whether the browser still runs.
const LOOK: Duration = Duration::from_millis(200);

/// Where Chromium is, or what to do without.
pub(super) fn chromium() -> Result<PathBuf, Usage> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Ok(named.into());
    }
    let folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file()).ok_or_else(|| {
        Usage(format!(
            "--video needs Chromium or Chrome, and none is in the PATH; install it (Debian, Ubuntu: apt install \
             chromium), or name it by the variable {VARIABLE}; without it, --save writes a page"
        ))
    })
}

/// Writes a video.
pub(super) fn film(recording: &Recording, file: &Path) -> anyhow::Result<ExitStatus> {
    let program = chromium()?;
    let out = AtomicFile::create(file)?;
    let (sender, films) = mpsc::channel();
    let server = Server::open(Content::Film(page::recorded(recording), sender), None)?;
    let (width, height) = SIZE;
    let address = server.film_address(width, height, RATE);
    let stop = server.stopper();
    let serving = std::thread::spawn(move || server.run());
    let interrupt = Interrupt::listen();
    let made = make(&program, &address, &films, &interrupt);
    stop.stop();
    // A panic of the thread was reported when it happened.
    let _ = serving.join();
    let Some(film) = made? else { return Ok(ExitStatus::from(interrupt::EXIT_STATUS)) };
    write(out, &film)?;
    let megabytes = film.len() as f64 / 1e6;
    writeln!(atomic_file::messages(file), "wrote {} ({megabytes:.2} MB)", file.display())?;
    Ok(ExitStatus::SUCCESS)
}

fn write(mut out: AtomicFile, film: &[u8]) -> anyhow::Result<()> {
    out.write_all(film)?;
    out.finish()
}

/// Runs the browser until the page has sent its video. None if the user asked to stop.
fn make(
    program: &Path,
    address: &str,
    films: &mpsc::Receiver<Result<Vec<u8>, String>>,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<Vec<u8>>> {
    let profile = tempfile::tempdir().context("a folder for the browser")?;
    let mut command = Command::new(program);
    command.args(["--headless=new", "--no-sandbox", "--no-first-run", "--disable-dev-shm-usage"]);
    command.args(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
    // It stays on this machine.
    command.args([
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]);
    command.arg(format!("--user-data-dir={}", profile.path().display())).arg(address);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let browser = command.spawn().with_context(|| format!("{}", program.display()))?;
    let mut browser = Running(browser);
    loop {
        match films.recv_timeout(LOOK) {
            Ok(Ok(film)) => return Ok(Some(film)),
            Ok(Err(why)) => bail!("no video: {why}"),
            Err(RecvTimeoutError::Disconnected) => bail!("no video: the page's server has ended"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupt.asked() {
            return Ok(None);
        }
        if let Some(status) = browser.0.try_wait()? {
            let program = program.display();
            return Err(anyhow!("no video: {program} ended before it was done ({status})"));
        }
    }
}

/// A browser, which ends with this.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended needs no end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
