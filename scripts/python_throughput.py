#!/usr/bin/env python3
"""Steps a second in Python, beside MuJoCo's own batches, on the same machine in the same run, on two threads.

    cargo xtask python
    .venv/bin/python scripts/python_throughput.py

Each robot stands or lies with contact; time steps are those of Gymnasium's files. Peers: `mujoco.rollout` and
`mujoco.batch` of MuJoCo 4, Gymnasium's own vector environments (with its frame skip counted), and `mjbatch` and `envpool` if a
virtual environment with them is given: `--mjbatch PYTHON`, `--envpool PYTHON`. gradbody simulates its own models in
Gymnasium's layout; contact is rigid there and soft in MuJoCo, so the work is alike and not the same.
"""

import argparse
import json
import os
import subprocess
import time

import numpy as np

THREADS = 2
SECONDS = 1.5


def rate(run, steps):
    """World-steps a second of the fastest of several calls."""
    best, begin = 0.0, time.perf_counter()
    while time.perf_counter() - begin < SECONDS:
        start = time.perf_counter()
        run()
        best = max(best, steps / (time.perf_counter() - start))
    return best


def gradbody(name, dtype, worlds=4096, steps=20):
    """Environments, forwards: simulation steps, frame skip counted; and gradient-steps."""
    import gradbody as gb

    found = {}
    envs = gb.Environments(name, worlds, dtype=dtype, threads=THREADS)
    skip = round(envs.seconds_per_step / time_step(name))
    actions = np.random.default_rng(0).uniform(-0.1, 0.1, (worlds, envs.n_actions))
    for _ in range(30):
        envs.step(actions)

    def forwards():
        for _ in range(steps):
            envs.step(actions)

    found[f"gradbody {dtype}, environment"] = rate(forwards, worlds * steps * skip)
    horizon = 4
    few = gb.Environments(name, 1024, dtype=dtype, threads=THREADS)
    for _ in range(30):
        few.step(actions[:1024])
    held = np.repeat(actions[:1024, None], horizon, axis=1)
    found[f"gradbody {dtype}, gradient"] = rate(lambda: few.gradient(held), 1024 * horizon * skip)
    return found


def time_step(name):
    return {"Ant": 0.01, "HalfCheetah": 0.01, "LaikagoWalk": 0.004}.get(name, 0.01)


def mujoco_rates(name):
    """`mujoco.rollout` and `mujoco.batch` on Gymnasium's file."""
    import gymnasium
    import mujoco
    from mujoco import rollout

    env = gymnasium.make(f"{name}-v5").unwrapped
    model = env.model
    data = mujoco.MjData(model)
    for _ in range(300):
        mujoco.mj_step(model, data)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(size)
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    worlds, steps = 256, 100
    states = np.tile(state, (worlds, 1))
    control = np.random.default_rng(0).uniform(-0.1, 0.1, (worlds, steps, model.nu))
    found = {}
    with rollout.Rollout(nthread=THREADS) as pool:
        datas = [mujoco.MjData(model) for _ in range(THREADS)]
        found["mujoco.rollout"] = rate(lambda: pool.rollout(model, datas, states, control), worlds * steps)
    try:
        from mujoco import batch as mujoco_batch

        many = mujoco_batch.Batch(model, nsim=worlds, nthread=THREADS)
        many.bind("qpos")[:] = data.qpos
        ctrl = many.bind("ctrl")

        def batch_steps():
            for k in range(steps):
                ctrl[:] = control[:, k]
                many.step()

        found["mujoco.batch"] = rate(batch_steps, worlds * steps)
    except (ImportError, AttributeError) as error:
        found[f"mujoco.batch: {error}"] = float("nan")
    envs = gymnasium.make_vec(f"{name}-v5", num_envs=16, vectorization_mode="sync")
    envs.reset(seed=0)
    actions = np.zeros((16, model.nu), np.float32)
    found["gymnasium, sync"] = rate(lambda: envs.step(actions), 16 * env.frame_skip)
    return found


ENVPOOL = """
import sys, time, json, numpy as np, envpool
name = sys.argv[1]
envs = envpool.make(name + "-v4", env_type="gymnasium", num_envs=64, num_threads=2, batch_size=64)
envs.reset(); a = np.zeros((64, envs.action_space.shape[0]))
best = 0
for _ in range(30):
    t = time.perf_counter()
    for _ in range(10): envs.step(a)
    best = max(best, 640 * 5 / (time.perf_counter() - t))
print(json.dumps({"envpool": best}))
"""

MJBATCH = """
import sys, time, json, numpy as np, mujoco, mjbatch
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
for _ in range(300): mujoco.mj_step(model, data)
many = mjbatch.Batch(model, 256)
many.bind("qpos")[:] = data.qpos
best = 0
for _ in range(20):
    t = time.perf_counter()
    for _ in range(50): many.step()
    best = max(best, 256 * 50 / (time.perf_counter() - t))
print(json.dumps({"mjbatch": best}))
"""


def elsewhere(python, program, argument):
    """A peer that lives in a virtual environment of its own."""
    shown = subprocess.run(
        [python, "-c", program, argument], capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "2"}
    )
    if shown.returncode:
        return {f"failed: {shown.stderr.strip().splitlines()[-1]}": float("nan")}
    return json.loads(shown.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mjbatch", metavar="PYTHON")
    parser.add_argument("--envpool", metavar="PYTHON")
    args = parser.parse_args()
    import gymnasium

    assets = os.path.join(os.path.dirname(gymnasium.__file__), "envs", "mujoco", "assets")
    print("| robot | | steps a second | of the fastest peer |\n|---|---|---:|---:|")
    for name, file in [("Ant", "ant.xml"), ("HalfCheetah", "half_cheetah.xml")]:
        peers = mujoco_rates(name)
        if args.mjbatch:
            peers |= elsewhere(args.mjbatch, MJBATCH, os.path.join(assets, file))
        if args.envpool:
            peers |= elsewhere(args.envpool, ENVPOOL, name)
        best = max(x for x in peers.values() if x == x)
        ours = gradbody(name, "float64") | gradbody(name, "float32")
        for what, x in (peers | ours).items():
            print(f"| {name} | {what} | {x:,.0f} | {x / best:.2f} |", flush=True)


if __name__ == "__main__":
    main()
