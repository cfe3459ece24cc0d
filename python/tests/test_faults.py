"""Whatever Python passes ends in a result or an exception, never in a crash: random calls, fork, signals."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np

import gradbody as gb

CALLS = 10_000
ALLOWED = (ValueError, TypeError, KeyError, IndexError, OverflowError, RuntimeError, gb.GradbodyError)


def strange(rng, n, width):
    """An array, mostly of a shape that fits, sometimes of something else."""
    kind = rng.integers(16)
    good = rng.normal(size=(n, width))
    if kind < 7:
        return good
    return [
        None,
        good.T,
        good.astype(np.float32),
        np.where(rng.random(good.shape) < 0.1, np.nan, good),
        1e200 * good,
        good.tolist(),
        np.frombuffer(b"x" + good.tobytes(), offset=1, dtype=float).reshape(good.shape),
        np.zeros((1,) * 40),
        rng.choice(np.array(["text", -1, 2.5, [[]], {}, 1j, b"x", np.zeros(0), object()], dtype=object)),
    ][kind - 7]


def test_ten_thousand_random_calls():
    rng = np.random.default_rng(4)
    models = [gb.load(name, ground=ground) for name, ground in
              [("pendulum2", False), ("cube", True), ("hopper", False), ("cartpole", False), ("laikago", -0.5)]]
    options = [gb.Options(), gb.Options(1e-2, integrator="rk4"), gb.Options(contact="hunt-crossley"),
               gb.Options(contact="lcp"), gb.Options(accurate=True, keep="steps"), gb.Options(contact="off", keep=2)]
    refused = {}
    done = 0
    batch = model = None
    for k in range(CALLS):
        if k % 50 == 0:
            model = models[rng.integers(len(models))].copy()
            n = int(rng.integers(1, 12))
            batch = gb.Batch(model, n, options=options[rng.integers(len(options))],
                             dtype=rng.choice(["float64", "float32"]), threads=int(rng.integers(1, 3)))
        steps = int(rng.integers(0, 4))
        names = ["link/*/mass", "joint/*/damping", "gravity/z", "*", "shape/*/friction", "no/such/name", "", "**", "link/*"]
        name = str(rng.choice(names))

        def array(width):
            return strange(rng, n, width)

        def rows(width):
            given = array(width)
            fits = isinstance(given, np.ndarray) and given.ndim == 2 and given.shape == (n, width)
            return np.repeat(given[:, None], steps, axis=1) if fits else given

        calls = [
            lambda: batch.set_states(array(model.nq), array(model.nv)),
            lambda: batch.set_states(np.tile(model.neutral(), (n, 1)), array(model.nv)),
            lambda: batch.step(array(model.nu)),
            lambda: batch.step(force=array(model.nv)),
            lambda: batch.rollout(rows(model.nu), keep=bool(rng.integers(2))),
            lambda: batch.rollout(forces=rows(model.nv), keep=True),
            lambda: batch.rollout(steps=steps, keep=True),
            lambda: batch.vjp(rows(model.nq), rows(model.nv), params=name),
            lambda: batch.vjp(np.ones((n, steps, model.nq)), params=["link/*/mass"]),
            lambda: batch.set_params(name, array(max(1, len(model.link_names)))),
            lambda: batch.reset([int(x) for x in rng.integers(-1, 14, 2)], gb.State(model)),
            lambda: batch.state(int(rng.integers(-1, 14))),
            lambda: (batch.states(), batch.failures, batch.residuals, len(batch), repr(batch)),
            lambda: model.params.__setitem__(name, array(3)),
            lambda: model.params[name],
            lambda: gb.State(model, array(model.nq), array(model.nv), time=rng.choice([0, -1e300, np.nan])),
            lambda: gb.rollout(model, gb.State(model), array(model.nu), options=options[rng.integers(len(options))]),
            lambda: gb.rollout(model, gb.State(models[0]), steps=steps),
            lambda: gb.linearise(model, gb.State(model, v=rng.normal(size=model.nv))),
            lambda: batch.jacobian(array(model.nu), None if rng.integers(4) else array(model.nv)),
            lambda: batch.jacobian(force=array(model.nv)),
            lambda: gb.hvp(model, gb.State(model), lambda q, v, dq, dv: (rng.choice([0, np.nan], p=[0.9, 0.1]) * q, v, dq, dv),
                           {str(rng.choice(["q", "v", "params", "forces", "x"])): strange(rng, steps, model.nv)}, steps=steps),
            lambda: gb.hvp(model, gb.State(model), lambda q, v, dq, dv: array(model.nq), {"v": rng.normal(size=model.nv)},
                           controls=array(model.nu), params=name),
            lambda: gb.mass_matrix(model, array(model.nq)),
            lambda: gb.forward_dynamics(model, array(model.nq), array(model.nv), array(model.nv)),
            lambda: gb.jacobian(model, array(model.nq), str(rng.choice([*model.frame_names, "x"]))),
            lambda: gb.kinematics(model, model.neutral(), list(rng.choice(model.frame_names, 2))),
            lambda: gb.loads("<robot name='r'><link name='a'/></robot>", ground=array(1)),
        ]
        try:
            calls[rng.integers(len(calls))]()
            done += 1
        except ALLOWED as error:
            assert str(error), "an exception without a message"
            assert "panic" not in str(error)
            refused[type(error).__name__] = refused.get(type(error).__name__, 0) + 1
    assert done > CALLS / 5
    assert {"ValueError", "TypeError", "KeyError"} <= refused.keys()


def test_random_calls_of_environments_and_networks(tmp_path):
    rng = np.random.default_rng(5)
    model, other = gb.load("pendulum2"), gb.load("hopper")
    blueprint = {"augmentation": [{"name": "friction", "outputs": ["joint/*/passive_torque"],
                                   "inputs": ["joint/*/velocity"], "network": {"hidden": [4]}}]}
    file = tmp_path / "weights.safetensors"
    file.write_bytes(rng.bytes(200))
    refused = {}
    done = 0
    calls_each = 50
    for k in range(3000):
        if k % calls_each == 0:
            n = int(rng.integers(1, 6))
            envs = gb.Environments(str(rng.choice(["InvertedPendulum", "Hopper", "Reacher"])), n, seed=k, threads=1,
                                   dtype=rng.choice(["float64", "float32"]),
                                   autoreset=str(rng.choice(["next-step", "same-step", "disabled"])))
            networks = gb.Networks(model, blueprint)
            batch = gb.Batch(model, n, networks=networks, threads=1)
            nq, nv = (rows.shape[1] for rows in envs.states())
        actions, weights = envs.n_actions, len(networks)

        def odd(width):
            return strange(rng, n, width)

        calls = [
            lambda: envs.step(odd(actions)),
            lambda: envs.step(rng.normal(size=(n, actions))),
            lambda: envs.reset(int(rng.integers(-2, 5)), None if rng.integers(2) else list(rng.integers(0, 2, n) > 0)),
            lambda: envs.reset(mask=odd(1)),
            lambda: envs.set_states(odd(nq), odd(nv)),
            lambda: envs.gradient(np.repeat(rng.normal(size=(n, 1, actions)), rng.integers(0, 4), axis=1)),
            lambda: envs.gradient(odd(actions), float(rng.choice([0.9, np.nan]))),
            lambda: gb.Environments(str(rng.choice(["Ant", "x", ""])), int(rng.integers(-1, 3)), threads=int(rng.integers(0, 2))),
            lambda: gb.Networks(model if rng.integers(2) else other, blueprint),
            lambda: gb.Networks(model, strange(rng, 1, 1)),
            lambda: gb.Networks.load(model, file),
            lambda: setattr(networks, "weights", odd(weights)[0]),
            lambda: setattr(networks, "weights", rng.normal(size=weights)),
            lambda: networks.save(tmp_path / str(rng.choice(["saved", "no/such/folder"]))),
            lambda: batch.set_weights(odd(weights)),
            lambda: batch.set_weights(rng.normal(size=weights)),
            lambda: batch.rollout(steps=int(rng.integers(0, 4)), keep=True),
            lambda: batch.vjp(np.ones((n, int(rng.integers(0, 4)), 2))),
            lambda: batch.jacobian(),
            lambda: gb.step(model, gb.State(model), networks=networks),
            lambda: gb.rollout(other, gb.State(other), steps=2, networks=networks),
        ]
        try:
            calls[rng.integers(len(calls))]()
            done += 1
        except ALLOWED as error:
            assert str(error), "an exception without a message"
            assert "panic" not in str(error)
            refused[type(error).__name__] = refused.get(type(error).__name__, 0) + 1
    assert done > 600
    assert {"ValueError", "TypeError", "GradbodyError"} <= refused.keys()


def work(start):
    batch = gb.Batch(gb.load("pendulum2"), 8)
    batch.set_states(np.full((8, 2), start))
    return batch.rollout(steps=50)[0]


def test_other_processes_compute_the_same():
    # A forked process has no threads of its parent's pool: its batches must start their own.
    ours = work(0.3)
    for how in ["fork", "spawn"]:
        with multiprocessing.get_context(how).Pool(2) as pool:
            for theirs in pool.map(work, [0.3, 0.3]):
                assert (theirs == ours).all()


def use(batch):
    try:
        batch.step()
    except RuntimeError as error:
        return str(error)
    return "done"


def test_a_batch_from_before_a_fork_is_refused():
    batch = gb.Batch(gb.load("pendulum2"), 8, threads=2)
    batch.step()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, use(batch).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert "before the process forked" in os.read(read, 1000).decode()
    assert use(batch) == "done"


def test_ctrl_c_ends_a_long_rollout():
    script = textwrap.dedent(
        """
        import gradbody as gb, numpy as np
        batch = gb.Batch(gb.load("laikago", ground=True), 64)
        print("begins", flush=True)
        try:
            batch.rollout(steps=40_000)
        except KeyboardInterrupt:
            print("interrupted")
        batch.step()
        print(np.isfinite(batch.states()[0]).all())
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout.readline() == "begins\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate(timeout=60)
    assert shown == "interrupted\nTrue\n"
