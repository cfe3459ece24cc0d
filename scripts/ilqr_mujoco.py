"""iLQR by finite differences of MuJoCo's steps, for one task that `cargo measure --only plan --data FOLDER` writes.

`scripts/control_peers.py` runs it beside gradbody's search. The same method: a linearised motion, a backward pass with
bounds on the controls (box-DDP) and with damping, a search for a good length of the step along feedback. Derivatives are
central differences of single steps, of all knots at once through `mujoco.rollout` on all cores.

The model has no quaternions and no actuator states, so a state is (q, v).
"""

import json
import os
import time
from pathlib import Path

import mujoco
import mujoco.rollout
import numpy as np

DIFFERENCE = 1e-6
LENGTHS = [1.0, 0.5, 0.25, 0.0625]
ACCEPTED, GOOD = 0.01, 0.3  # shares of the promised fall of the cost
SMALL = 1e-6  # relative fall of the cost that ends the search
PATIENCE = 10  # iterations of hardly any fall after which the search is stuck
MOST_ITERATIONS = 200


class Task:
    """The model, and the costs ½ Σ weight · difference² that gradbody has too."""

    def __init__(self, folder):
        given = json.loads((folder / "task.json").read_text())
        self.model = mujoco.MjModel.from_xml_path(str(folder / "model.xml"))
        self.dt, self.knots, self.effort = given["dt"], given["knots"], given["effort"]
        self.lower, self.upper = np.array(given["lower"]), np.array(given["upper"])
        self.start = np.array(given["q"] + given["v"])
        n = self.model.nv
        assert self.model.nq == n and self.model.na == 0 and self.model.opt.timestep == self.dt
        self.target = np.concatenate([given["target"], np.zeros(n)])
        self.end_weights = np.array(given["end"] + given["rest"])
        way = self.dt * np.concatenate([given["way"], np.zeros(n)])
        # The costs of a knot are about the state at its end, and the last one counts twice.
        self.weights = np.vstack([np.tile(way, (self.knots - 1, 1)), way + self.end_weights])
        self.seconds_in_mujoco = 0.0
        self.datas = [mujoco.MjData(self.model) for _ in range(os.cpu_count())]
        self.data = self.datas[0]
        self.pool = mujoco.rollout.Rollout(nthread=len(self.datas))

    def cost(self, xs, us):
        return 0.5 * np.sum(self.weights * (xs[1:] - self.target) ** 2) + 0.5 * self.dt * self.effort * np.sum(us**2)

    def run(self, policy):
        """States, controls and warm starts of the motion under `policy(knot, state)`."""
        n, data = self.model.nv, self.data
        xs, us = np.empty((self.knots + 1, 2 * n)), np.empty((self.knots, self.model.nu))
        warm = np.empty((self.knots, n))
        mujoco.mj_resetData(self.model, data)
        data.qpos[:], data.qvel[:] = self.start[:n], self.start[n:]
        xs[0] = self.start
        for k in range(self.knots):
            us[k] = np.clip(policy(k, xs[k]), self.lower, self.upper)
            data.ctrl[:], warm[k] = us[k], data.qacc_warmstart
            self.timed(mujoco.mj_step, self.model, data)
            xs[k + 1, :n], xs[k + 1, n:] = data.qpos, data.qvel
        return xs, us, warm

    def linearise(self, xs, us, warm):
        """A and B of each knot, by central differences of single steps."""
        x, u = xs.shape[1], us.shape[1]
        changes = DIFFERENCE * np.vstack([np.eye(x + u), -np.eye(x + u)])
        points = np.concatenate([xs[:-1], us], axis=1)[:, None] + changes
        points = points.reshape(-1, x + u)
        states = np.hstack([np.zeros((len(points), 1)), points[:, :x]])
        ends, _ = self.timed(self.pool.rollout, self.model, self.datas, states, points[:, None, x:],
                             initial_warmstart=np.repeat(warm, len(changes), axis=0))
        ends = ends[:, 0, 1:].reshape(self.knots, 2, x + u, x)
        slopes = (ends[:, 0] - ends[:, 1]).transpose(0, 2, 1) / (2 * DIFFERENCE)
        return slopes[:, :, :x], slopes[:, :, x:]

    def timed(self, call, *args, **more):
        start = time.perf_counter()
        result = call(*args, **more)
        self.seconds_in_mujoco += time.perf_counter() - start
        return result


def within(h, g, low, high):
    """The least of ½ duᵀ h du + gᵀ du between bounds, by projected Newton steps, and which du are free of them."""
    free = np.full(len(g), True)
    du = np.clip(-np.linalg.solve(h, g), low, high)
    for _ in range(20):
        slope = h @ du + g
        held = ((du <= low) & (slope > 0)) | ((du >= high) & (slope < 0))
        free = ~held
        if not free.any() or np.linalg.norm(slope[free]) < 1e-9 * (1 + np.linalg.norm(g)):
            break
        step = np.zeros_like(du)
        step[free] = -np.linalg.solve(h[np.ix_(free, free)], slope[free])
        value, length = du @ (0.5 * h @ du + g), 1.0
        while length > 1e-6:
            trial = np.clip(du + length * step, low, high)
            if trial @ (0.5 * h @ trial + g) <= value + 1e-4 * slope @ (trial - du):
                break
            length *= 0.5
        du = trial
    return du, free


def backward(task, xs, us, a, b, damping):
    """Changes of the controls, feedback, and the two terms of the promised fall of the cost. None if not convex."""
    changes, feedback = np.empty_like(us), np.zeros((task.knots, us.shape[1], xs.shape[1]))
    slope, curvature = np.zeros(xs.shape[1]), np.zeros((xs.shape[1],) * 2)
    first = second = 0.0
    for k in reversed(range(task.knots)):
        slope = slope + task.weights[k] * (xs[k + 1] - task.target)
        curvature = curvature + np.diag(task.weights[k])
        by_state = curvature @ a[k]
        by_control = curvature @ b[k]
        qx, qu = a[k].T @ slope, b[k].T @ slope + task.dt * task.effort * us[k]
        qxx, qux = a[k].T @ by_state, b[k].T @ by_state
        quu = b[k].T @ by_control + task.dt * task.effort * np.eye(len(qu))
        damped = quu + damping * np.eye(len(qu)) * max(np.trace(quu) / len(qu), 1e-12)
        try:
            np.linalg.cholesky(damped)
        except np.linalg.LinAlgError:
            return None
        du, free = within(damped, qu, task.lower - us[k], task.upper - us[k])
        if free.any():
            feedback[k, free] = -np.linalg.solve(damped[np.ix_(free, free)], qux[free])
        gains = feedback[k]
        changes[k] = du
        first, second = first + du @ qu, second + 0.5 * du @ quu @ du
        slope = qx + gains.T @ (quu @ du + qu) + qux.T @ du
        curvature = qxx + gains.T @ quu @ gains + gains.T @ qux + qux.T @ gains
        curvature = 0.5 * (curvature + curvature.T)
    return changes, feedback, first, second


def plan(task, first=None):
    """Searches from the first controls (zeros). Returns the controls and, after each iteration, the cost and the seconds until then."""
    task.seconds_in_mujoco = 0.0
    start = time.perf_counter()
    first = np.zeros((task.knots, task.model.nu)) if first is None else first
    xs, us, warm = task.run(lambda k, x: first[k])
    cost, damping, linear = task.cost(xs, us), 1e-3, None
    history = [(cost, time.perf_counter() - start)]
    while len(history) <= MOST_ITERATIONS and damping < 1e12:
        linear = linear or task.linearise(xs, us, warm)
        found = None
        proposal = backward(task, xs, us, *linear, damping)
        if proposal:
            changes, feedback, slope, curvature = proposal
            whole = -(slope + curvature)
            for length in LENGTHS:
                trial = task.run(lambda k, x: us[k] + length * changes[k] + feedback[k] @ (x - xs[k]))
                promised, fall = -length * (slope + length * curvature), cost - task.cost(*trial[:2])
                if fall > 0 and fall >= ACCEPTED * promised:
                    found = length, fall
                    break
        if found:
            length, fall = found
            (xs, us, warm), linear = trial, None
            cost -= fall
            if length == 1.0 and fall >= GOOD * promised:
                damping = max(damping / 4, 1e-9)
        else:
            damping *= 10
        history.append((cost, time.perf_counter() - start))
        small = proposal and (whole <= SMALL * cost or found and length == 1.0 and fall <= SMALL * cost)
        since = history[-1 - PATIENCE][0] if len(history) > PATIENCE else np.inf
        if small and damping <= 1 or since - cost <= SMALL * PATIENCE * cost:
            break
    return us, history


def cost_of(task, actions):
    """What a plan costs in MuJoCo."""
    controls = np.reshape(actions, (task.knots, -1))
    xs, us, _ = task.run(lambda k, x: controls[k])
    return task.cost(xs, us)


if __name__ == "__main__":
    import sys

    task = Task(Path(sys.argv[1]))
    us, history = plan(task)
    print(f"{len(history) - 1} iterations, {history[-1][1]:.3f} s, of them {task.seconds_in_mujoco:.3f} s in MuJoCo, "
          f"cost {history[-1][0]:.4f}")
