"""Fits and plans: the commands of the program, with results as arrays."""

import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import gradbody as gb


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    """A pendulum of two links with wrong damping, and its recordings, in the working folder."""
    monkeypatch.chdir(tmp_path)
    model = gb.load("pendulum2")
    model.params["joint/*/damping"] = 0.05
    options = gb.Options(1e-2)
    for k in range(3):
        start = gb.State(model, q=[0.5 + 0.3 * k, -0.4])
        motion = gb.rollout(model, start, steps=150, options=options)
        names = ["t", *model.position_names]
        rows = np.column_stack([motion.t, motion.q])
        np.savetxt(f"run{k}.csv", rows, delimiter=",", header=",".join(names), comments="")
    (tmp_path / "pendulum.urdf").write_text(gb.load("pendulum2").to_urdf())
    channels = {name: {"is": f"joint/{name}/position", "unit": "rad", "noise": 1e-4} for name in model.position_names}
    return tmp_path, {
        "model": {"file": "pendulum.urdf"},
        "data": {
            "files": "run*.csv",
            "time": "t",
            "split": {"named": {"train": ["run0", "run1"], "test": ["run2"]}},
        },
        "channels": channels,
        "change": {"parameters": ["joint/*/damping"]},
        "objective": {"window": 50},
        "prediction": {"horizon": 50},
    }


def test_a_fit_from_a_dict(experiment):
    folder, tables = experiment
    told = []
    fit = gb.fit(tables, out=folder / "fit", progress=told.append)
    damping = fit.model().params["joint/*/damping"]
    assert np.abs(damping - 0.05).max() < 1e-4
    assert fit.metrics and not fit.interrupted
    found = fit.parameters
    assert found["name"].tolist() == ["joint/joint1/damping", "joint/joint2/damping"]
    assert (found["fitted"] == damping).all() and (found["sigma"] < 1e-3).all()
    assert (np.diff(fit.history["cost"]) <= 0).all() and len(fit.history["seconds"]) == fit.metrics["iterations"]
    assert fit._repr_html_().startswith("<iframe") and "Fit" in repr(fit)
    assert fit.report is not None and told
    prediction = gb.predict(fit)
    assert len(prediction.predictions) > 3
    assert not list(folder.glob(".gradbody*"))


def test_the_program_comes_along():
    shown = subprocess.run([sys.executable, "-m", "gradbody", "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == f"gradbody {gb.__version__}"
    failed = subprocess.run([sys.executable, "-m", "gradbody", "inspect", "nothing.urdf"], capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stderr.startswith("error: nothing.urdf")


def test_a_plan_from_a_dict(tmp_path):
    task = {
        "model": {"file": "pendulum1"},
        "simulation": {"step": 0.01},
        "horizon": {"seconds": 0.5, "knot": 0.05},
        "actions": {"bounds": {"*": [-10.0, 10.0]}},
        "costs": {"up": {"of": "joint/*/position", "target": 0.05, "weight": 100, "when": "end", "within": 0.01}},
    }
    told = []
    plan = gb.plan(task, out=tmp_path / "plan", progress=told.append)
    assert abs(plan.motion["q:joint1"][-1] - 0.05) < 0.01
    assert plan.gains.shape[0] == 10
    assert "<html" in plan.report.read_text()[:200]
    assert plan._repr_html_().startswith("<iframe")
    assert not plan.interrupted
    assert "Plan" in repr(plan) and plan.text.startswith("plan: ")
    with pytest.raises(gb.GradbodyError, match="restart=True"):
        gb.plan(task, out=tmp_path / "plan")
    assert gb.plan(task, out=tmp_path / "plan", restart=True).motion.keys() == plan.motion.keys()


def test_a_discovery_from_a_dict(experiment):
    folder, tables = experiment
    told = []
    tables["discover"] = {"sites": ["joint/joint1/passive_torque"], "iterations": 3, "windows": 4, "shares": [0.3]}
    found = gb.discover(tables, out=folder / "discovery", progress=told.append)
    assert found.outcome and told and found._repr_html_().startswith("<")


def test_an_interrupted_fit_leaves_its_best_model(experiment):
    folder, tables = experiment
    (folder / "script.py").write_text(
        "import gradbody as gb\n"
        f"tables = {tables!r}\n"
        'tables |= {"optimiser": {"method": "cma-es", "step-tolerance": 0.0}, "limits": {"iterations": 1000000}}\n'
        'print("begins", flush=True)\n'
        'fit = gb.fit(tables, out="fit", progress=lambda line: print("told", flush=True))\n'
        'print(fit.interrupted, fit.model().params["joint/*/damping"].shape, len(fit.parameters["fitted"]))\n'
    )
    process = subprocess.Popen([sys.executable, "script.py"], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begins\n"
    time.sleep(4)
    process.send_signal(2)
    shown, _ = process.communicate(timeout=60)
    assert shown.splitlines()[-1] == "True (2,) 2", shown


def test_an_unknown_key_is_an_error_that_names_it(tmp_path):
    task = {"model": {"file": "pendulum1"}, "horizon": {"secnds": 1}, "costs": {}}
    with pytest.raises(gb.GradbodyError, match="secnds") as told:
        gb.plan(task, out=tmp_path / "plan")
    assert ".gradbody" not in str(told.value)
    with pytest.raises(ValueError, match="out is not given"):
        gb.plan(task)
    with pytest.raises(gb.GradbodyError, match="no such file|cannot be read"):
        gb.fit(tmp_path / "nothing.toml")


def test_an_interrupted_search_leaves_its_best_plan(tmp_path):
    """Ctrl-C in a program that plans: a usable result, and the program goes on."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import gradbody as gb
            task = {
                "model": {"file": "laikago", "ground": {"friction": 0.8}},
                "start": {"positions": {"root/z": 0.5}},
                "horizon": {"seconds": 2.0, "knot": 0.01},
                "costs": {"up": {"of": "joint/root/position/z", "target": 0.8, "weight": 100}},
                "search": {"method": "mppi", "samples": 64},
                "limits": {"iterations": 100000},
            }
            print("begins", flush=True)
            plan = gb.plan(task, out="plan")
            print(plan.interrupted, len(plan.motion))
            """
        )
    )
    process = subprocess.Popen([sys.executable, script.name], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begins\n"
    time.sleep(4)
    process.send_signal(2)
    shown, _ = process.communicate(timeout=60)
    assert shown.startswith("True"), shown
