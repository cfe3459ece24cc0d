"""The viewer: a model, a run, a fit or a plan in the browser.

The program `gradbody view` runs in a process of its own, so that a notebook stays free while a simulation goes on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import webbrowser
import weakref
from pathlib import Path
from types import TracebackType

from ._gradbody import GradbodyError
from ._model import Model
from ._programs import Fit, PathLike, Plan, _call

_HEIGHT = 600


class View:
    """A viewer that runs. It ends with :meth:`close`, with its `with` block, or with this Python process."""

    def __init__(self, url: str, process: subprocess.Popen[str], files: tempfile.TemporaryDirectory[str]) -> None:
        self.url = url
        """The address of the page. Whoever knows it can see and change the simulation."""
        self._end = weakref.finalize(self, _end, process, files)

    def open(self) -> None:
        """Opens the page in a browser."""
        webbrowser.open(self.url)

    def close(self) -> None:
        """Ends the viewer."""
        self._end()

    def __enter__(self) -> View:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" style="width:100%;height:{_HEIGHT}px;border:0" allow="fullscreen"></iframe>'

    def __repr__(self) -> str:
        return f"<gradbody.View at {self.url}>" if self._end.alive else "<gradbody.View, closed>"


class Page:
    """A page that was saved: it plays without a server."""

    def __init__(self, path: Path) -> None:
        self.path = path
        """Where it is."""

    def _repr_html_(self) -> str:
        source = self.path.read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{source}" style="width:100%;height:{_HEIGHT}px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<gradbody.Page {self.path}>"


def view(
    what: Model | Fit | Plan | PathLike,
    *,
    save: PathLike | None = None,
    model: PathLike | None = None,
    ground: bool | float = False,
    worlds: int = 1,
    paused: bool = False,
    time: float | None = None,
    gradient: bool = False,
    port: int | None = None,
    options: list[str] | None = None,
) -> View | Page:
    """Shows a model (an object, a file or a built-in name), a run (CSV, of `model`), a fit or a plan.

    Gives a :class:`View`, whose page shows itself in a notebook; elsewhere its :meth:`~View.open` opens a browser. With
    `save`, gives a :class:`Page` instead: one file that plays without a server. A model is simulated live, or for `time`
    seconds as a recording, which `gradient` and `save` ask for too. `options` are further options of the command
    ``gradbody view``, such as ``["--solver", "lcp"]``.
    """
    files = tempfile.TemporaryDirectory(prefix="gradbody-view-")
    name: PathLike
    if isinstance(what, Model):
        name = Path(files.name) / f"{Path(what.name).name or 'model'}.xml"
        name.write_text(what.to_mjcf(), encoding="utf-8")
    elif isinstance(what, (Fit, Plan)):
        name = what.folder
    else:
        name = what
    arguments = ["view", os.fspath(name), *(options or [])]
    if model is not None:
        arguments += ["--model", os.fspath(model)]
    if ground is not False:
        arguments.append("--ground" if ground is True else f"--ground={float(ground)!r}")
    if worlds != 1:
        arguments += ["--worlds", str(worlds)]
    if time is not None:
        arguments += ["--time", repr(float(time))]
    arguments += ["--paused"] * paused + ["--gradient"] * gradient
    if port is not None:
        arguments += ["--port", str(port)]
    if save is not None:
        try:
            _call([*arguments, "--save", os.fspath(save)], None)
        finally:
            files.cleanup()
        return Page(Path(save))
    return _start([*arguments, "--headless"], files)


def _start(arguments: list[str], files: tempfile.TemporaryDirectory[str]) -> View:
    # A group of its own: Ctrl-C in a terminal does not end it.
    process = subprocess.Popen(
        [sys.executable, "-m", "gradbody", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=(errors := tempfile.TemporaryFile("w+", encoding="utf-8")),
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdout is not None
    with errors:
        # The first line is the address; without one the program has ended.
        url = process.stdout.readline().strip()
        if not url:
            process.wait()
            files.cleanup()
            errors.seek(0)
            said = errors.read().strip()
            lines = [line.removeprefix("error: ") for line in said.splitlines() if line.startswith("error")]
            raise GradbodyError("\n".join(lines) or said or f"gradbody view ended with status {process.returncode}")
    return View(url, process, files)


def _end(process: subprocess.Popen[str], files: tempfile.TemporaryDirectory[str]) -> None:
    """Ends the program, and removes what it read."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()
    files.cleanup()
