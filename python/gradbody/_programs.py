"""Fits, predictions, discoveries, plans and trainings: the commands of the program, with results as arrays.

Each runs in a process of its own, so that an interruption leaves what was found so far, and nothing of this process is
held up by it.
"""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._gradbody import GradbodyError, Policy, load_policy
from ._model import Model, load

PathLike = str | os.PathLike[str]
Progress = Callable[[str], None]

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_INTERRUPTED = 130


class _Result:
    """The folder that a command wrote."""

    def __init__(self, folder: Path, text: str, interrupted: bool = False) -> None:
        self.folder = folder
        """Where the files are."""
        self.text = text
        """What the command printed."""
        self.interrupted = interrupted
        """Whether it was interrupted; the results are then the best so far."""

    def _json(self, name: str) -> Any:
        path = self.folder / name
        if not path.exists():
            raise GradbodyError(f"{path}: no such file; was the folder changed since?")
        return json.loads(path.read_text())

    @property
    def report(self) -> Path | None:
        """The page about it, if there is one."""
        page = self.folder / "report.html"
        return page if page.exists() else None

    def _repr_html_(self) -> str:
        page = self.report
        if page is None:
            return f"<pre>{_escape(self.text)}</pre>"
        source = page.read_text().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{source}" style="width:100%;height:700px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<gradbody.{type(self).__name__} in {self.folder}>\n{self.text.strip()}"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _columns(path: Path) -> dict[str, NDArray[Any]]:
    """A CSV file as arrays by the names of its columns; text where a column is not of numbers."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    names, rows = rows[0], rows[1:]
    found: dict[str, NDArray[Any]] = {}
    for k, name in enumerate(names):
        texts = [row[k] for row in rows]
        try:
            found[name] = np.array([float(text) if text else np.nan for text in texts])
        except ValueError:
            found[name] = np.array(texts)
    return found


class Fit(_Result):
    """A model fitted to recordings."""

    @property
    def metrics(self) -> dict[str, Any]:
        """Everything that the report tells, as numbers: errors, parameters, how the search went."""
        found: dict[str, Any] = self._json("metrics.json")
        return found

    @property
    def parameters(self) -> dict[str, NDArray[Any]]:
        """The fitted parameters by column: `name`, `unit`, `initial`, `fitted` and `sigma`, their standard deviation (NaN where
        it is not known)."""
        rows = self.metrics["parameters"]
        numbers = {key: np.array([row[key] for row in rows], dtype=float) for key in ["initial", "fitted", "sigma"]}
        return {key: np.array([row[key] for row in rows], dtype=str) for key in ["name", "unit"]} | numbers

    @property
    def history(self) -> dict[str, NDArray[Any]]:
        """How the search went, by column: `iteration`, `seconds`, `cost` and `validation`."""
        return _columns(self.folder / "progress.csv")

    def model(self) -> Model:
        """The fitted model."""
        for name in ["model.xml", "model.urdf"]:
            if (self.folder / name).exists():
                return load(self.folder / name)
        raise GradbodyError(f"{self.folder} has no model")


class Prediction(_Result):
    """A fitted model judged on data."""

    @property
    def predictions(self) -> dict[str, NDArray[Any]]:
        """Measured and predicted channels over time, by column."""
        return _columns(self.folder / "predictions.csv")


class Discovery(_Result):
    """Which effect a model lacks."""

    @property
    def outcome(self) -> Any:
        """All that was found, as numbers."""
        return self._json("discover.json")


class Plan(_Result):
    """Actions that make a robot do a task."""

    @property
    def outcome(self) -> Any:
        """Everything that the report tells, as numbers."""
        return self._json("outcome.json")

    @property
    def motion(self) -> dict[str, NDArray[Any]]:
        """Time, positions, velocities, actions and contact forces at the ends of the knots, by column."""
        return _columns(self.folder / "plan.csv")

    @property
    def gains(self) -> NDArray[np.float64] | None:
        """Feedback gains K of ``u = ū + K (x ⊖ x̄)``, (knots, actions, state changes), if the method has any."""
        path = self.folder / "gains.npy"
        return np.load(path) if path.exists() else None


class Training(_Result):
    """A policy that was trained."""

    @property
    def outcome(self) -> Any:
        """Everything that the report tells, as numbers."""
        return self._json("outcome.json")

    @property
    def curve(self) -> dict[str, NDArray[Any]]:
        """How the return grew, by column: `seconds`, `processor_seconds`, `samples`, `gradient_samples`, `updates`,
        `return_with_noise`, `return`, `standard_deviation` and `length`; NaN where something is not known."""
        return _columns(self.folder / "curve.csv")

    @property
    def policy(self) -> Policy:
        """The best policy, by evaluations."""
        return load_policy(self.folder / "policy.safetensors")

    @property
    def last(self) -> Policy:
        """The policy at the end."""
        return load_policy(self.folder / "last.safetensors")


@dataclass(frozen=True)
class Played:
    """Episodes of a policy."""

    environment: str
    """Where they took place."""
    returns: NDArray[np.float64]
    """The sum of rewards of each episode."""
    lengths: NDArray[np.int64]
    """The number of steps of each."""
    lasted: NDArray[np.bool_]
    """Whether each reached the time limit."""
    motion: dict[str, NDArray[Any]]
    """The first episode, by column: time `t`, positions `q:…`, velocities `v:…`, controls `control/…` and the `return` so far."""

    @property
    def mean(self) -> float:
        """Mean of the returns."""
        return float(self.returns.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean."""
        n = len(self.returns)
        return float(self.returns.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0

    def __repr__(self) -> str:
        told = f"{self.mean:.6g} ± {self.standard_error:.2g}"
        return f"<gradbody.Played in {self.environment}: {len(self.returns)} episodes, return {told}>"


def fit(
    experiment: PathLike | Mapping[str, Any],
    *,
    out: PathLike | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: Progress | None = None,
) -> Fit:
    """Fits a model to recordings as an experiment says: a TOML file, or the same tables as dicts.

    `out` is the folder of the results, by default one beside the file. `progress` is called with each line that the fit
    tells. Ctrl-C ends the search and returns the best model so far; `resume` goes on from there. A folder that has results is
    left alone, unless `restart` replaces them.
    """
    return _run(Fit, "fit", experiment, out, _flags(resume, restart), progress)


def plan(
    task: PathLike | Mapping[str, Any],
    *,
    out: PathLike | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: Progress | None = None,
) -> Plan:
    """Finds actions for a task: a TOML file, or the same tables as dicts. The other arguments are those of :func:`fit`."""
    return _run(Plan, "plan", task, out, _flags(resume, restart), progress)


def train(
    task: PathLike | Mapping[str, Any],
    *,
    out: PathLike | None = None,
    seconds: float | None = None,
    samples: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: Progress | None = None,
) -> Training:
    """Trains a policy for a task: a TOML file, the name of a built-in task such as ``"ant"``, or the tables of a file as dicts.

    `seconds` or `samples` replace the task's limits of time and samples, and `seed` its seed. The other arguments are those of
    :func:`fit`: Ctrl-C ends the training and returns the best policy so far, and `resume` goes on from there.
    """
    given = {"--seconds": seconds, "--samples": samples, "--seed": seed, "--threads": threads}
    more = [text for flag, value in given.items() if value is not None for text in (flag, str(value))]
    if isinstance(task, Mapping) and out is not None:
        task = {"name": Path(out).name, **task}
    return _run(Training, "train", task, out, [*more, *_flags(resume, restart)], progress)


def play(
    policy: Policy | Training | PathLike,
    *,
    environment: str | None = None,
    episodes: int = 20,
    seed: int = 0,
    set: Mapping[str, float] | None = None,
    friction: float | None = None,
    pushes: Sequence[tuple[str, Sequence[float], float, float]] = (),
    command: Sequence[float] | None = None,
    delay: int = 0,
    steps: int | None = None,
) -> Played:
    """Plays episodes of a policy without the noise of learning, each from a start of its own.

    `set` changes parameters of the robot, by path or pattern, and `friction` that of everything. Each push is a link, a force in
    the world's axes [N], when it begins and how long it lasts [s]. `command` is what to follow, in an environment with commands;
    actions act `delay` steps late; an episode ends after `steps`.
    """
    file = policy.path if isinstance(policy, Policy) else policy.folder if isinstance(policy, Training) else Path(policy)
    given = {
        "--environment": environment,
        "--friction": friction,
        "--command": None if command is None else ",".join(str(float(x)) for x in command),
        "--steps": steps,
    }
    more = [text for flag, value in given.items() if value is not None for text in (flag, str(value))]
    for path, value in (set or {}).items():
        more += ["--set", f"{path}={float(value)}"]
    for link, force, at, lasts in pushes:
        more += ["--push", f"{link}={','.join(str(float(x)) for x in force)}@{float(at)}:{float(lasts)}"]
    with tempfile.TemporaryDirectory(prefix="gradbody-play-") as folder:
        motion = os.path.join(folder, "motion.csv")
        call = ["play", os.fspath(file), "--json", "--out", motion, "--episodes", str(episodes), "--seed", str(seed)]
        text, _ = _call([*call, "--delay", str(delay), *more], None)
        columns = _columns(Path(motion))
    found = json.loads(text)
    return Played(
        environment=found["environment"],
        returns=np.array(found["returns"], dtype=float),
        lengths=np.array(found["lengths"], dtype=np.int64),
        lasted=np.array(found["lasted"], dtype=bool),
        motion=columns,
    )


def discover(
    experiment: PathLike | Mapping[str, Any],
    *,
    out: PathLike | None = None,
    restart: bool = False,
    progress: Progress | None = None,
) -> Discovery:
    """Finds which effect the model of an experiment lacks. The arguments are those of :func:`fit`."""
    return _run(Discovery, "discover", experiment, out, _flags(False, restart), progress)


def predict(
    fitted: Fit | PathLike,
    data: PathLike | list[PathLike] | None = None,
    *,
    out: PathLike | None = None,
    progress: Progress | None = None,
) -> Prediction:
    """Runs a fitted model on its held-out data, or on new recordings, and reports its errors."""
    folder = fitted.folder if isinstance(fitted, Fit) else Path(fitted)
    files = [] if data is None else data if isinstance(data, list) else [data]
    more = [text for file in files for text in ("--data", os.fspath(file))]
    if out is None:
        out = Path(tempfile.mkdtemp(prefix="gradbody-predict-"))
    text, interrupted = _call(["predict", os.fspath(folder), "--out", os.fspath(out), *more], progress)
    return Prediction(Path(out), text, interrupted)


R = TypeVar("R", bound=_Result)


def _flags(resume: bool, restart: bool) -> list[str]:
    if resume and restart:
        raise ValueError("give resume or restart, not both")
    return ["--resume"] if resume else ["--restart"] if restart else []


def _run(
    kind: type[R],
    command: str,
    given: PathLike | Mapping[str, Any],
    out: PathLike | None,
    more: list[str],
    progress: Progress | None,
) -> R:
    if not isinstance(given, Mapping):
        file = Path(given)
        out = file.with_name(f"{file.stem}-{command}") if out is None else Path(out)
        return kind(out, *_call([command, os.fspath(file), "--out", os.fspath(out), *more], progress))
    if out is None:
        raise ValueError("out is not given; tables have no file whose folder the results could stand beside")
    # In the working folder, so that relative paths in the tables mean what they do for the caller.
    try:
        written = tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".toml", prefix=f".gradbody-{command}-", dir=".")
    except OSError as error:
        raise GradbodyError(f"tables are written to a file in the working folder, which fails: {error}") from error
    with written:
        written.write(_toml(given))
        written.flush()
        name = os.path.basename(written.name)
        call = [command, name, "--out", os.fspath(out), *more]
        # The caller knows no such file.
        try:
            text, interrupted = _call(call, progress)
        except GradbodyError as error:
            raise GradbodyError(re.sub(re.escape(name) + r"(:\d+)?", command, str(error))) from None
    return kind(Path(out), text.replace(name.removesuffix(".toml"), Path(out).name), interrupted)


def _call(arguments: list[str], progress: Progress | None) -> tuple[str, bool]:
    """What the command printed, and whether it was interrupted. An error is a `GradbodyError`."""
    command = [sys.executable, "-m", "gradbody", *arguments]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        # A group of its own: Ctrl-C in a terminal would reach it twice otherwise.
        process = subprocess.Popen(
            command, stdout=printed, stderr=subprocess.PIPE, text=True, encoding="utf-8", start_new_session=True
        )
        told: list[str] = []
        try:
            try:
                _listen(process, told, progress)
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)
                _listen(process, told, progress)
            status = process.wait()
        finally:
            if process.poll() is None:
                process.kill()
        printed.seek(0)
        text = printed.read()
    if status not in (0, _INTERRUPTED):
        errors = [line.removeprefix("error: ") for line in told if line.startswith("error")]
        named = [line.replace("--resume", "resume=True").replace("--restart", "restart=True") for line in errors]
        raise GradbodyError("\n".join(named or told[-5:]) or f"gradbody {arguments[0]} ended with status {status}")
    return text, status == _INTERRUPTED


def _listen(process: subprocess.Popen[str], told: list[str], progress: Progress | None) -> None:
    """Takes what a process tells on stderr, until it ends."""
    assert process.stderr is not None
    for line in process.stderr:
        line = _ESCAPES.sub("", line).strip("\r\n ")
        if line:
            told.append(line)
            if progress is not None:
                progress(line)


def _toml(tables: Mapping[str, Any], path: str = "") -> str:
    """Nested dicts as TOML."""
    lines = [f"{_key(k)} = {_value(v)}" for k, v in tables.items() if not isinstance(v, Mapping)]
    for key, value in tables.items():
        if isinstance(value, Mapping):
            inner = f"{path}{_key(key)}"
            lines += [f"\n[{inner}]", _toml(value, inner + ".")]
    return "\n".join(lines)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(x) for x in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    raise TypeError(f"{value!r} cannot stand in a TOML file")
