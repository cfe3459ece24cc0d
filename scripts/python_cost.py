#!/usr/bin/env python3
"""What Python adds to Rust: batches, gradients by PyTorch and JAX, single steps, and calls from compiled JAX, on one thread.

    cargo xtask peers python         # builds the wheel and runs this and scripts/python_throughput.py
    .venv/bin/python scripts/python_cost.py

The same worlds, states and steps as the Rust example, which this script builds and which runs before and after. Figures are the
shortest of several. The wheel is a portable build, the Rust example a native one. The last column is the limit that a figure is
meant to keep.
"""

import re
import subprocess
import time
from pathlib import Path

import numpy as np

import gradbody as gb

ROOT = Path(__file__).resolve().parents[1]
WORLDS, STEPS, REPETITIONS = 4096, 20, 15
# What each figure may be: times that of Rust, or microseconds more.
LIMITS = {
    "batch step float64": "1.05×",
    "batch step float32": "1.05×",
    "gradient of 32 steps, 1024 worlds": "1.15×",
    "single step": "+ 2 µs",
}


def shortest(run, repetitions=REPETITIONS):
    """The shortest time of a call [s]."""
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


def rust():
    """Figures of the Rust example: name to microseconds."""
    program = ROOT / "target" / "release" / "examples" / "python_cost"
    shown = subprocess.run([program], capture_output=True, text=True, check=True)
    return {name: float(x) for name, x in re.findall(r"^(.+): ([\d.]+) µs", shown.stdout, re.MULTILINE)}


def python():
    model = gb.load("laikago", ground=True, friction=0.8)
    state = gb.State(model, model.neutral()).replace(model, q=[0, 0, 0.5, *model.neutral()[3:]])
    state = gb.rollout(model, state, steps=500).end
    found = {}
    for dtype in ["float64", "float32"]:
        batch = gb.Batch(model, WORLDS, dtype=dtype, threads=1)

        def steps(batch=batch):
            for _ in range(STEPS):
                batch.step()

        def fresh(batch=batch):
            batch.reset(list(range(WORLDS)), state)

        times = []
        for _ in range(REPETITIONS):
            fresh()
            times.append(shortest(steps, 1))
        found[f"batch step {dtype}"] = min(times) * 1e6 / WORLDS / STEPS
    of_gradient = "gradient of 32 steps, 1024 worlds"
    found[of_gradient] = {"PyTorch": gradient(model, state), "JAX": gradient_by_jax(model, state)}
    single = shortest(lambda: [gb.step(model, state) for _ in range(1000)]) * 1e3
    found["single step"] = single
    found["one pendulum, a call a step"] = {"JAX, in a scan": scan()}
    return found


def gradient_by_jax(model, state):
    """The same rollout and gradient as one compiled program."""
    import jax
    import jax.numpy as jnp
    from gradbody.jax import Rollout

    jax.config.update("jax_enable_x64", True)
    worlds, steps = 1024, 32
    rollout = Rollout(model, threads=1)

    @jax.jit
    def by_all(q, v, forces):
        return jax.grad(lambda *x: rollout(*x[:2], forces=x[2])[0][:, -1].sum(), (0, 1, 2))(q, v, forces)

    q, v = jnp.tile(state.q, (worlds, 1)), jnp.tile(state.v, (worlds, 1))
    forces = jnp.zeros((worlds, steps, model.nv))
    by_all(q, v, forces)
    return shortest(lambda: jax.block_until_ready(by_all(q, v, forces)), 7) * 1e6 / worlds / steps


def scan():
    """Microseconds of one of 256 steps of a pendulum in a compiled scan."""
    import jax
    import jax.numpy as jnp
    from gradbody.jax import Step

    jax.config.update("jax_enable_x64", True)
    step = Step(gb.load("pendulum1"), threads=1)
    run = jax.jit(lambda q, v: jax.lax.scan(lambda state, _: (step(*state), None), (q, v), length=256)[0])
    q, v = jnp.array([0.5]), jnp.zeros(1)
    jax.block_until_ready(run(q, v))
    return shortest(lambda: jax.block_until_ready(run(q, v)), 50) * 1e6 / 256


def gradient(model, state):
    """Microseconds a world and step of a rollout and its gradient by PyTorch."""
    import torch
    from gradbody.torch import Rollout

    worlds, steps = 1024, 32
    rollout = Rollout(gb.Batch(model, worlds, threads=1))
    q = torch.tensor(np.tile(state.q, (worlds, 1)), requires_grad=True)
    v = torch.tensor(np.tile(state.v, (worlds, 1)), requires_grad=True)
    forces = torch.zeros(worlds, steps, model.nv, dtype=torch.float64, requires_grad=True)

    def run():
        q.grad = v.grad = forces.grad = None
        end, _ = rollout(q, v, forces=forces)
        end[:, -1].sum().backward()

    return shortest(run, 7) * 1e6 / worlds / steps


def main():
    build = ["cargo", "build", "--release", "--quiet", "-p", "gradbody", "--example", "python_cost"]
    subprocess.run(build, cwd=ROOT, check=True)
    theirs, ours = rust(), python()
    again = rust()
    print("| µs | Rust | Python | ratio | difference | limit |\n|---|---:|---:|---:|---:|---|")
    for name, found in ours.items():
        r = min(theirs[name], again[name])
        for how, x in found.items() if isinstance(found, dict) else [("", found)]:
            limit = "" if how == "JAX" else LIMITS.get(name, "")
            print(f"| {name}{how and ', ' + how} | {r:.3f} | {x:.3f} | {x / r:.3f} | {x - r:.3f} | {limit} |")


if __name__ == "__main__":
    main()
