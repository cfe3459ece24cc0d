"""Batches in Python have the bits of batches in Rust: all models, both precisions, states and gradients."""

import os
import subprocess

import numpy as np
import pytest

import gradbody as gb

WORLDS, STEPS = 5, 6
# The Rust example `python_bits`, built as the wheel is; `cargo xtask python` builds it and names it here.
EXAMPLE = os.environ.get("GRADBODY_PYTHON_BITS")


def draw(count, size, state=[1]):
    """Numbers as the example draws them."""
    found = np.empty(count)
    for k in range(count):
        state[0] = (state[0] * 6_364_136_223_846_793_005 + 1) % 2**64
        found[k] = ((state[0] >> 40) / 2**24 - 0.5) * size
    return found


@pytest.fixture(scope="module")
def rust():
    if not EXAMPLE:
        pytest.skip("needs GRADBODY_PYTHON_BITS, the place of the Rust example python_bits")
    shown = subprocess.run([EXAMPLE], capture_output=True, text=True, check=True).stdout
    cases = {}
    for line in shown.splitlines():
        name, dtype, part, digits = line.split(" ")
        cases[name, dtype, part] = np.frombuffer(bytes.fromhex(digits), dtype=">f8")
    return cases


def test_the_example_has_all_models(rust):
    assert {name for name, _, _ in rust} == set(gb.builtin_models())


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", gb.builtin_models())
def test_bits_are_those_of_rust(rust, name, dtype, threads):
    model = gb.load(name, ground=name in ("ant", "cube", "laikago"))
    state = [1]
    v = draw(WORLDS * model.nv, 1, state).reshape(WORLDS, -1)
    forces = draw(WORLDS * STEPS * model.nv, 4, state).reshape(WORLDS, STEPS, -1)
    v_bar = draw(WORLDS * STEPS * model.nv, 1, state).reshape(WORLDS, STEPS, -1)
    batch = gb.Batch(model, WORLDS, dtype=dtype, threads=threads)
    batch.set_states(np.tile(model.neutral(), (WORLDS, 1)), v)
    q_all, v_all = batch.rollout(forces=forces, keep=True)
    found = batch.vjp(v_bar=v_bar, params="link/*/mass")
    ours = {"q": q_all, "v": v_all, "by-q": found["q_local"], "by-v": found["v"], "by-forces": found["forces"], "by-masses": found["params"]}
    for part, numbers in ours.items():
        theirs = rust[name, dtype, part]
        assert numbers.size == theirs.size and (numbers.ravel().view(f"u{numbers.itemsize}") == theirs.astype(dtype).view(f"u{numbers.itemsize}")).all(), part
