"""Batches: the bits of single worlds, gradients against differences, threads, messages."""

import pickle
import threading

import numpy as np
import pytest

import gradbody as gb

from conftest import STAND


def starts(model, n, rng):
    """Standing quadrupeds that move a little."""
    q = np.tile(STAND, (n, 1))
    q[:, 2] += rng.uniform(-0.01, 0.05, n)
    q[:, 7:] += rng.normal(0, 0.05, (n, 12))
    return q, rng.normal(0, 0.2, (n, model.nv))


def test_a_world_of_a_batch_has_the_bits_of_a_single_world(laikago, rng):
    q, v = starts(laikago, 5, rng)
    forces = rng.normal(0, 5, (5, 40, laikago.nv))
    batch = gb.Batch(laikago, 5)
    batch.set_states(q, v)
    q_end, v_end = batch.rollout(forces=forces)
    for world in range(5):
        alone = gb.rollout(laikago, gb.State(laikago, q[world], v[world]), forces=forces[world])
        assert (alone.q[1:] == q_end[world]).all()
        assert (alone.v[1:] == v_end[world]).all()
    assert batch.failures == {}
    assert batch.residuals.shape == (5,) and (batch.residuals < 1e-8).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bits_do_not_depend_on_threads_or_neighbours(laikago, rng, dtype):
    q, v = starts(laikago, 40, rng)
    forces = rng.normal(0, 5, (40, 20, laikago.nv))

    def run(worlds, threads):
        batch = gb.Batch(laikago, len(worlds), dtype=dtype, threads=threads)
        batch.set_states(q[worlds], v[worlds])
        found = batch.rollout(forces=forces[worlds], keep=True)
        gradient = batch.vjp(np.ones_like(found[0]), np.ones_like(found[1]), params="link/*/mass")
        return [*found, gradient["q"], gradient["v"], gradient["forces"], gradient["params"]]

    one, two, some = run(np.arange(40), 1), run(np.arange(40), 2), run(np.arange(7, 20), 2)
    for a, b, c in zip(one, two, some, strict=True):
        assert a.dtype == dtype
        assert (a == b).all()
        assert (a[7:20] == c).all()


def test_steps_one_by_one_are_a_rollout(laikago, rng):
    q, v = starts(laikago, 9, rng)
    force = rng.normal(0, 5, (9, 30, laikago.nv))
    batch, other = gb.Batch(laikago, 9), gb.Batch(laikago, 9)
    for b in (batch, other):
        b.set_states(q, v)
    for k in range(30):
        batch.step(force=force[:, k])
    q_all, v_all = other.rollout(forces=force)
    q_end, v_end = batch.states()
    assert (q_end == q_all[:, -1]).all() and (v_end == v_all[:, -1]).all()


def test_a_long_rollout_in_parts_has_the_bits_of_single_steps(pendulum, rng):
    # More world-steps than are taken between two looks at signals.
    n, steps = 3000, 150
    q = rng.normal(0, 1, (n, pendulum.nq))
    batch = gb.Batch(pendulum, n)
    batch.set_states(q)
    forces = rng.normal(0, 1, (n, steps, pendulum.nv))
    q_all, _ = batch.rollout(forces=forces)
    alone = gb.rollout(pendulum, gb.State(pendulum, q[1234]), forces=forces[1234])
    assert (alone.q[1:] == q_all[1234]).all()


def test_gradients_agree_with_differences_through_contact(laikago, rng):
    n, steps = 3, 12
    options = gb.Options(accurate=True)
    q, v = starts(laikago, n, rng)
    forces = rng.normal(0, 5, (n, steps, laikago.nv))
    mass = np.tile(laikago.params["link/*/mass"], (n, 1))
    q_bar, v_bar = rng.normal(size=(n, steps, laikago.nq)), rng.normal(size=(n, steps, laikago.nv))

    def run(q, v, forces, mass, keep=False):
        batch = gb.Batch(laikago, n, options=options)
        batch.set_params("link/*/mass", mass)
        batch.set_states(q, v)
        found = batch.rollout(forces=forces, keep=keep)
        return batch, (found[0] * q_bar).sum((1, 2)) + (found[1] * v_bar).sum((1, 2))

    batch, _ = run(q, v, forces, mass, keep=True)
    gradient = batch.vjp(q_bar, v_bar, params="link/*/mass")
    assert gradient["failures"] == {}
    for name, x in [("q", q), ("v", v), ("forces", forces), ("params", mass)]:
        direction = rng.normal(size=x.shape)

        def along(h):
            moved = {"q": q, "v": v, "forces": forces, "params": mass} | {name: x + h * direction}
            return run(moved["q"], moved["v"], moved["forces"], moved["params"])[1]

        h = 1e-6
        slope = (along(h) - along(-h)) / (2 * h)
        expected = (gradient[name] * direction).reshape(n, -1).sum(1)
        assert np.abs(slope - expected).max() < 2e-4 * np.abs(expected).max() + 1e-6, name


def test_each_kept_rollout_is_differentiated_once(pendulum):
    batch = gb.Batch(pendulum, 2)
    with pytest.raises(ValueError, match="nothing to differentiate"):
        batch.vjp()
    batch.rollout(steps=3, keep=True)
    batch.vjp()
    with pytest.raises(ValueError, match="nothing to differentiate"):
        batch.vjp()
    batch.rollout(steps=3, keep=True)
    batch.set_states(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="nothing to differentiate"):
        batch.vjp()


def test_a_world_that_diverges_is_named_and_the_others_go_on(rng):
    model = gb.load("pendulum2")
    q, v = rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    alone = gb.Batch(model, 3)
    alone.set_states(q, v)
    alone.rollout(steps=4)
    batch = gb.Batch(model, 3)
    fast = v.copy()
    fast[1] = 1e200
    batch.set_states(q, fast)
    batch.rollout(steps=4)
    assert list(batch.failures) == [1]
    assert "is not finite after step 0" in batch.failures[1]
    assert (batch.states()[0][[0, 2]] == alone.states()[0][[0, 2]]).all()
    batch.set_states(q, fast)
    assert batch.failures == {}
    end, _ = batch.rollout(steps=4, keep=True)
    assert np.isnan(end[1]).all() and np.isfinite(end[[0, 2]]).all()
    gradient = batch.vjp(np.ones_like(end))
    assert list(gradient["failures"]) == [1]
    assert (gradient["q"][1] == 0).all() and (gradient["q"][[0, 2]] != 0).all()


def test_reset_and_parameters_of_single_worlds(laikago, rng):
    batch = gb.Batch(laikago, 4)
    stand = gb.State(laikago, STAND)
    batch.reset([1, 3], stand)
    q, _ = batch.states()
    assert (q[[1, 3]] == STAND).all() and (q[[0, 2], 2] == 0).all()
    assert (batch.state(3).q == STAND).all()
    batch.set_params(["link/trunk/mass"], np.array([[10.0], [11], [12], [13]]))
    with pytest.raises(ValueError, match="world 2"):
        batch.set_params("link/trunk/mass", [[10.0], [11], [-12], [13]])
    with pytest.raises(ValueError, match="no world 4"):
        batch.reset([4], stand)
    with pytest.raises(ValueError, match="flatnonzero"):
        batch.reset([True, False, True, False], stand)
    for world in [4, -1]:
        with pytest.raises(IndexError, match=f"no world {world}"):
            batch.state(world)
    with pytest.raises(KeyError, match="no parameter"):
        batch.set_params("link/trunk/mess", [1.0])


def test_arrays_of_any_layout_and_kind(laikago, rng):
    q, v = starts(laikago, 6, rng)

    def end(q, v, force):
        batch = gb.Batch(laikago, 6)
        batch.set_states(q, v)
        batch.step(force=force)
        return batch.states()[0]

    force = np.zeros((6, laikago.nv))
    expected = end(q, v, force)
    frozen = q.copy()
    frozen.flags.writeable = False
    wide = np.zeros((6, 2 * laikago.nq))
    wide[:, ::2] = q
    for same in [frozen, np.asfortranarray(q), wide[:, ::2], q.tolist(), q.astype(object).astype(float)]:
        assert (end(same, v, force) == expected).all()
    # Not aligned, and a field among bytes of other things.
    packed = np.zeros((6, 19), dtype=np.dtype([("other", "u1"), ("q", "<f8")]))
    packed["q"] = q
    shifted = np.frombuffer(b"x" + q.tobytes(), offset=1, dtype=float).reshape(q.shape)
    assert not packed["q"].flags.aligned and not shifted.flags.aligned
    for same in [packed["q"], shifted]:
        assert (end(same, v, force) == expected).all()
    assert np.abs(end(q.astype(np.float32), v, np.zeros(force.shape, dtype=int)) - expected).max() < 1e-5


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda b: b.set_states(np.zeros((3, 19))), ValueError, r"q has the shape \(3, 19\), but needs \(n=2, nq=19\)"),
        (lambda b: b.set_states(np.zeros(19)), ValueError, r"q has the shape \(19\)"),
        (lambda b: b.set_states(np.zeros((2, 19))), ValueError, r"q\[0, 3:7\] is a quaternion without a direction"),
        (lambda b: b.set_states(np.full((2, 19), np.nan)), ValueError, r"q\[0, 0\] is NaN"),
        (lambda b: b.set_states("standing"), TypeError, "q is no array of real numbers"),
        (lambda b: b.set_states(np.zeros((2, 19), dtype=complex)), TypeError, "complex128"),
        (lambda b: b.set_states([[1, 2], [3]]), TypeError, "q is no array"),
        (lambda b: b.step(control=np.zeros((2, 1))), ValueError, "no actuators: give joint forces"),
        (lambda b: b.set_params("link/trunk/mass", np.ones(2)), ValueError, r"needs \(1\), the same for all worlds, or \(2, 1\)"),
        (lambda b: b.step(force=np.full((2, 18), np.inf)), ValueError, r"force\[0, 0\] is inf"),
        (lambda b: b.step(np.zeros((2, 0)), np.zeros((2, 18))), ValueError, "not both"),
        (lambda b: b.rollout(), ValueError, "how many steps"),
        (lambda b: b.rollout(forces=np.zeros((2, 3, 18)), steps=4), ValueError, "4 steps"),
        (lambda b: b.rollout(steps=-1), OverflowError, "negative"),
        (lambda b: b.rollout(steps=10**15), MemoryError, "does not fit"),
        (lambda b: b.rollout(steps=2**62), MemoryError, "does not fit"),
        (lambda b: b.set_states(np.tile([0, 0, 0, 1e200] + [0] * 15, (2, 1))), ValueError, "without a direction"),
        (lambda b: b.set_states(np.zeros((1,) * 40)), ValueError, "q has the shape"),
    ],
)
def test_wrong_arguments_get_one_clear_message(laikago, call, error, message):
    with pytest.raises(error, match=message):
        call(gb.Batch(laikago, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "at least one world"),
        ({"n": 2**60}, "at most"),
        ({"dtype": "int32"}, "int32"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_impossible_batches_are_refused(laikago, arguments, message):
    with pytest.raises(ValueError, match=message):
        gb.Batch(laikago, **({"n": 2} | arguments))


def test_a_batch_lives_on_without_its_model(rng):
    model = gb.load("pendulum3")
    batch = gb.Batch(model, 3)
    model.params["link/*/mass"] = 100
    del model
    batch.set_states(np.ones((3, 3)))
    batch.step()
    twin = gb.Batch(gb.load("pendulum3"), 3)
    twin.set_states(np.ones((3, 3)))
    twin.step()
    assert (batch.states()[0] == twin.states()[0]).all()


def test_a_batch_that_another_thread_uses_says_so(laikago):
    batch = gb.Batch(laikago, 512, threads=1)
    batch.set_states(np.tile(STAND, (512, 1)))
    refused, done = [], []

    def work():
        for _ in range(5):
            try:
                batch.rollout(steps=20)
                done.append(1)
            except RuntimeError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert done and refused and all("another thread is using this batch" in text for text in refused)
    assert len(done) + len(refused) == 20


def test_options_are_checked():
    for given, message in [
        ({"dt": -1}, "dt is -1"),
        ({"integrator": "rk5"}, 'did you mean "rk4"'),
        ({"contact": "pgs"}, "there are: ncp"),
        ({"gradient": "smoothed", "kappa": 0}, "kappa"),
        ({"keep": 0}, "at least one"),
        ({"keep": -3}, "number of snapshots"),
        ({"contact": "lcp", "accurate": True}, "accurate"),
        ({"keep": "stats"}, 'did you mean "states"'),
    ]:
        with pytest.raises(ValueError, match=message):
            gb.Options(**given)


@pytest.mark.parametrize("keep", ["states", "steps", 3])
def test_gradients_do_not_depend_on_what_is_kept(laikago, rng, keep):
    q, v = starts(laikago, 3, rng)

    def gradient(keep):
        batch = gb.Batch(laikago, 3, options=gb.Options(keep=keep))
        batch.set_states(q, v)
        found, _ = batch.rollout(steps=10, keep=True)
        return batch.vjp(np.ones_like(found))["v"]

    assert (gradient(keep) == gradient("states")).all()


def test_a_batch_cannot_be_pickled(pendulum):
    with pytest.raises(TypeError):
        pickle.dumps(gb.Batch(pendulum, 1))


def test_numbers_too_large_for_single_precision_are_refused(pendulum):
    batch = gb.Batch(pendulum, 2, dtype="float32")
    with pytest.raises(ValueError, match="too large for float32"):
        batch.set_states(np.full((2, 2), 1e300))
    with pytest.raises(ValueError, match="too large for float32"):
        batch.step(force=np.full((2, 2), 1e300))


def test_without_options_the_file_says_the_time_step():
    model = gb.load("hopper")
    assert model.timestep is not None and model.timestep != 1e-3
    motion = gb.rollout(model, gb.State(model), steps=2)
    assert motion.t[1] == model.timestep
    batch = gb.Batch(model, 1)
    q, _ = batch.rollout(steps=2)
    assert (q[0] == motion.q[1:]).all()
    # Nor with options that say nothing of it.
    assert gb.rollout(model, gb.State(model), steps=2, options=gb.Options(integrator="rk4")).t[1] == model.timestep


def test_a_copied_state_is_the_same_state(laikago):
    state = gb.State(laikago, STAND)
    for _ in range(300):
        state = gb.step(laikago, state)
    import copy

    with pytest.raises(ValueError, match="read-only"):
        state.q[0] = 1
    assert copy.copy(state) == state and copy.deepcopy(state) == state
    options = gb.Options(kappa=0.3, keep=4)
    assert hash(options) == hash(gb.Options(kappa=0.3, keep=4)) and "kappa=0.3, keep=4" in repr(options)
