"""Times MuJoCo's system identification toolkit (`mujoco.sysid`) against gradbody, on the same fit.

    cargo xtask sysid
    .venv/bin/python scripts/sysid_mujoco.py [--repeat N] [--measure PATH]

The first installs `mujoco[sysid]`, builds gradbody and runs the second. `cargo measure --only identification`
measures its own fit and writes the model (URDF) and the data: a double pendulum, six unknowns, 20 windows of 100
samples with noise and known starts. MuJoCo gets that model, those windows, the same unknowns, starting values, bounds
and integrator (Runge-Kutta of fourth order, one step per sample), and errors in the same unit, the standard deviation
of the noise. First the script checks that both predict the same angles in every window.

Both minimise half the sum of squares. Two times are taken: until the first cost within 1 % of gradbody's minimum is
computed, and until each program's own search ends, at its defaults. Everything runs on all cores. MuJoCo is run in
these ways:

    toolkit                as documented: a `ModelSequences` of all windows, the default optimiser
    toolkit, scaled        the same with the optimiser's option x_scale="jac"
    toolkit, scipy         the same with the toolkit's optimiser "scipy_parallel_fd"
    toolkit, one batch     the toolkit's `model_residual` on all windows at once, which compiles 20 times fewer models, with
                           "scipy_parallel_fd"
    by hand                not the toolkit: scipy's least squares on a residual written for speed, with models changed in
                           place and one multi-threaded rollout for a whole Jacobian

All of them take derivatives by finite differences, through `mujoco.rollout`. Each of N repetitions (3) runs gradbody
and then all ways. Every ratio is printed; a table shows the median. The exit status is 1 if the
predictions differ, a cost is not reached, or the toolkit as documented takes less than ten times gradbody's time.
"""

import argparse
import contextlib
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mujoco
import mujoco.minimize
import mujoco.rollout
import numpy as np
import scipy.optimize
from mujoco import sysid

ROOT = Path(__file__).resolve().parent.parent
SAME_PREDICTION = 1e-6  # [rad]
FOUND = 1.01  # of the least cost, as in `cargo measure`
WANTED = 10.0  # times gradbody's time
WAYS = ["toolkit", "toolkit, scaled", "toolkit, scipy", "toolkit, one batch", "by hand"]
SCIPY = {"optimizer": "scipy_parallel_fd"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--measure", default=str(ROOT / "target/release/measure"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"load {os.getloadavg()[0]:.1f} before, {os.cpu_count()} cores, MuJoCo {mujoco.__version__}")
        runs = [one_run(args.measure, Path(folder), first=k == 0) for k in range(args.repeat)]
        print(f"load {os.getloadavg()[0]:.1f} after")
    return report(runs)


def one_run(program, folder, first):
    """Runs every way once: (cost, seconds to 1 %, seconds to the end, rollouts to 1 %, to the end)."""
    ours = measure(program, folder)
    fit = Fit(folder)
    if first:
        apart = fit.apart()
        print(f"predictions of all {len(fit.windows)} windows differ by at most {apart:.1e} rad")
        if not apart < SAME_PREDICTION:
            sys.exit("the models of MuJoCo and gradbody predict different motions")
    target = FOUND * ours["identification"]["cost"]
    windows = len(fit.windows)
    close, end = ours["identification_1pct"], ours["identification"]
    # A Jacobian by dual numbers counts as one rollout of each window, and so does a cost.
    rollouts = [windows * int(row["jacobians"] + row["costs"]) for row in (close, end)]
    found = {"gradbody": (end["cost"], close["us_median"] * 1e-6, end["us_median"] * 1e-6, *rollouts)}
    for way in WAYS:
        found[way] = fit.run(way, target)
    return found, ours


def measure(program, folder):
    """gradbody's rows on all threads, by function; writes the fit to the folder."""
    command = [program, "--only", "identification", "--json", "--data", str(folder)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    # The last row of a function has the most threads.
    return {row["fn"]: row for row in map(json.loads, lines)}


class Fit:
    """The fit that gradbody wrote, for MuJoCo."""

    def __init__(self, folder):
        given = json.loads((folder / "fit.json").read_text())
        self.noise, self.windows, self.unknowns = given["noise"], given["windows"], given["unknowns"]
        self.spec = mujoco.MjSpec.from_file(str(folder / "model.urdf"))
        self.spec.option.timestep = given["period"]
        self.spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        # There are no contacts: disable their detection and solver.
        self.spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        # URDF gives inertia as a matrix, whose principal axes MuJoCo would compute and order again for each candidate.
        for body in self.spec.bodies[1:]:
            body.inertia, body.fullinertia = body.fullinertia[:3].copy(), np.full(6, np.nan)
        for joint in ("shoulder", "elbow"):
            motor = self.spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            motor.set_to_motor()
            self.spec.add_sensor(name=joint, type=mujoco.mjtSensor.mjSENS_JOINTPOS, objname=joint,
                                 objtype=mujoco.mjtObj.mjOBJ_JOINT)
        self.model = self.spec.compile()
        self.start = np.array([u["start"] for u in self.unknowns])
        self.bounds = tuple(np.array([u[side] for u in self.unknowns]) for side in ("lower", "upper"))
        self.measured = np.array([w["measured"] for w in self.windows])
        self.torques = np.array([w["torques"] for w in self.windows])
        self.states = np.array([sysid.create_initial_state(self.model, np.array(w["q"]), np.array(w["v"]))
                                for w in self.windows])
        self.times = given["period"] * np.arange(self.measured.shape[1])

    def apart(self):
        """The largest difference between MuJoCo's and gradbody's predictions at the initial values of the fit."""
        data = mujoco.MjData(self.model)
        states, _ = mujoco.rollout.rollout(self.model, data, self.states, self.torques[:, :-1])
        return np.abs(states[:, :, 1:3] - np.array([w["predicted"] for w in self.windows])).max()

    def run(self, way, target):
        solve = {"toolkit": self.toolkit, "toolkit, scaled": lambda seen: self.toolkit(seen, x_scale="jac"),
                 "toolkit, scipy": lambda seen: self.toolkit(seen, **SCIPY), "toolkit, one batch": self.one_batch,
                 "by hand": self.by_hand}[way]
        seen = Seen(target, len(self.windows))
        seconds = seen.time(solve)
        return seen.least, seen.seconds, seconds, seen.rollouts_to_target, seen.rollouts

    def parameters(self):
        found = sysid.ParameterDict()
        for u in self.unknowns:
            found.add(sysid.Parameter(u["path"], u["start"], u["lower"], u["upper"], modifier=modifier(u["path"])))
        return found

    def errors(self, params, predicted, measured, model, return_pred_all, state=None, sensor_weights=None):
        """The toolkit's hook for a custom residual: in standard deviations, without the first sample, and with angles
        from the states. The sensor values of a rollout are from before the step, one sample late."""
        there = sysid.TimeSeries(measured.times[1:], measured.data[1:], measured.signal_mapping)
        here = sysid.TimeSeries(predicted.times, state[:, 1:3], measured.signal_mapping)
        return (here.data - there.data) / self.noise, here, there

    def sequences(self):
        series = [(sysid.TimeSeries(self.times, torques), sysid.TimeSeries.from_names(self.times, angles, self.model))
                  for torques, angles in zip(self.torques, self.measured)]
        names = [f"window {k}" for k in range(len(series))]
        return sysid.ModelSequences("double pendulum", self.spec.copy(), names, list(self.states),
                                    [control for control, _ in series], [angles for _, angles in series])

    def toolkit(self, seen, **how):
        residual = sysid.build_residual_fn(models_sequences=[self.sequences()], modify_residual=self.errors,
                                           resample_true=False)

        def watched(x, params):
            result = residual(x, params)
            seen.see(x, np.concatenate(result[0]))
            return result

        seen.begin()
        silently(lambda: sysid.optimize(self.parameters(), watched, verbose=False, **how))

    def one_batch(self, seen):
        sequences = self.sequences()
        windows = sequences.measured_rollout

        def residual(x, params):
            build = lambda p: sysid.apply_param_modifiers(p, sequences.spec)
            errors, *_ = sysid.model_residual(x, params, build, windows, self.errors, resample_true=False)
            columns = 1 if x.ndim == 1 else x.shape[1]
            # One column per window and candidate; the optimiser expects one per candidate.
            errors = errors.T.reshape(columns, -1).T
            seen.see(x, errors)
            return [errors[:, 0] if x.ndim == 1 else errors], None, None

        seen.begin()
        silently(lambda: sysid.optimize(self.parameters(), residual, verbose=False, **SCIPY))

    def by_hand(self, seen):
        n, windows = len(self.unknowns), len(self.windows)
        models = [self.spec.copy().compile() for _ in range(n)]
        datas = [mujoco.MjData(self.model) for _ in range(os.cpu_count())]
        setters = [in_place(self.model, u["path"]) for u in self.unknowns]
        states, torques = np.tile(self.states, (n, 1)), np.tile(self.torques[:, :-1], (n, 1, 1))
        measured = self.measured[:, 1:]
        with mujoco.rollout.Rollout(nthread=len(datas)) as rollout:
            def residual(x):
                x = x.reshape(n, -1)
                columns = x.shape[1]
                for model, values in zip(models, x.T):
                    for put, value in zip(setters, values):
                        put(model, value)
                worlds = columns * windows
                each = [model for model in models[:columns] for _ in range(windows)]
                reached, _ = rollout.rollout(each, datas, states[:worlds], torques[:worlds])
                errors = (reached[:, :, 1:3].reshape(columns, *measured.shape) - measured) / self.noise
                errors = errors.reshape(columns, -1).T
                seen.see(x, errors)
                return errors

            low, high = (bound.reshape(n, 1) for bound in self.bounds)
            latest = {}

            def errors(x):
                latest["x"], latest["errors"] = x.copy(), residual(x)
                return latest["errors"][:, 0]

            def jacobian(x):
                # scipy asks for it where it has just computed the errors, except after rejected steps.
                known = latest["errors"] if np.array_equal(latest["x"], x) else residual(x)
                step = np.finfo(float).eps ** 0.5
                return mujoco.minimize.jacobian_fd(residual, x.reshape(n, 1), known, step, 0, [low, high])[0]

            seen.begin()
            scipy.optimize.least_squares(errors, self.start, jacobian, bounds=self.bounds)


class Seen:
    """Records the costs that a search computes, with their times."""

    def __init__(self, target, windows):
        self.target, self.windows = target, windows
        self.least, self.seconds, self.rollouts, self.rollouts_to_target = np.inf, None, 0, None

    def begin(self):
        self.began = time.perf_counter()

    def see(self, x, errors):
        columns = 1 if x.ndim == 1 else x.shape[1]
        self.rollouts += columns * self.windows
        if columns == 1:
            flat = errors.ravel()
            self.least = min(self.least, 0.5 * float(flat @ flat))
            if self.seconds is None and self.least <= self.target:
                self.seconds, self.rollouts_to_target = time.perf_counter() - self.began, self.rollouts

    def time(self, solve):
        solve(self)
        return time.perf_counter() - self.began


def silently(call):
    """Silences the optimisers, which print even if the toolkit is told not to."""
    with contextlib.redirect_stdout(io.StringIO()):
        call()


def modifier(path):
    """Puts an unknown into a specification."""
    _, name, *what = path.split("/")
    if what == ["mass"]:
        return lambda spec, p: setattr(spec.body(name), "mass", p.value[0])
    if what == ["damping"]:
        return lambda spec, p: spec.joint(name).damping.__setitem__(0, p.value[0])
    return lambda spec, p: spec.body(name).inertia.__setitem__(1, p.value[0])


def in_place(model, path):
    """Puts an unknown into a compiled model."""
    _, name, *what = path.split("/")
    if what == ["mass"]:
        body = model.body(name).id
        return lambda m, value: m.body_mass.__setitem__(body, value)
    if what == ["damping"]:
        dof = int(model.joint(name).dofadr[0])
        return lambda m, value: m.dof_damping.__setitem__(dof, value)
    body = model.body(name).id
    return lambda m, value: m.body_inertia.__setitem__((body, 1), value)


def report(runs):
    """Prints the tables and returns the exit status."""
    head = f"{'':<20} {'cost':>9} {'to 1 % [s]':>11} {'rollouts':>9} {'to end [s]':>11} {'rollouts':>9}  times gradbody's, to 1 %"
    print(f"\n{head}")
    reached = True
    for way in ["gradbody", *WAYS]:
        of = [found[way] for found, _ in runs]
        reached &= all(f[1] is not None for f in of)
        close = [f[1] or np.inf for f in of]
        ratios = [x / found["gradbody"][1] for x, (found, _) in zip(close, runs)]
        cost, _, _, rollouts_close, rollouts = of[0]
        end = statistics.median(f[2] for f in of)
        print(f"{way:<20} {cost:>9.2f} {statistics.median(close):>11.4f} {rollouts_close or 0:>9} {end:>11.4f} "
              f"{rollouts:>9}  {'  '.join(f'{r:.1f}' for r in ratios)}")
        if way == "toolkit":
            enough = min(ratios) >= WANTED
    rates = [f"{name} {statistics.median(ours[f'gradient_{name}']['per_second'] for _, ours in runs):.0f}"
             for name in ("adjoint", "duals", "differences")]
    print(f"\ngradbody's gradients per second: {', '.join(rates)}")
    return 0 if reached and enough else 1


if __name__ == "__main__":
    sys.exit(main())
