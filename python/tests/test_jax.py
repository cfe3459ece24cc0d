"""JAX: gradients through whole rollouts, compiled, mapped and scanned."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp
from jax.test_util import check_grads

import gradbody as gb
from gradbody.jax import Rollout, Step

from conftest import STAND


def moving(model, n, rng):
    """Standing quadrupeds that move a little."""
    q = np.tile(STAND, (n, 1))
    q[:, 2] += rng.uniform(-0.01, 0.05, n)
    q[:, 7:] += rng.normal(0, 0.05, (n, 12))
    return q, rng.normal(0, 0.2, (n, model.nv))


def test_gradients_of_swinging_links_with_parameters(pendulum, rng):
    names = ["link/*/mass", "joint/*/damping"]
    rollout = Rollout(pendulum, params=names)
    params = np.array([pendulum.params[name] + 0.1 for name in pendulum.params.names(*names)])
    given = [jnp.asarray(x) for x in (rng.normal(size=2), rng.normal(size=2), rng.normal(size=(6, 2)), params)]
    check_grads(lambda q, v, f, p: rollout(q, v, forces=f, params=p), given, order=1, modes=["rev"], eps=1e-6)


def test_gradients_through_contact_with_quaternions_of_any_length(laikago, rng):
    rollout = Rollout(laikago, options=gb.Options(accurate=True))
    q = STAND.copy()
    q[3:7] = 1.3 * np.array([1, 0.02, -0.01, 0.03])
    given = [jnp.asarray(x) for x in (q, 0.3 * rng.normal(size=18), rng.normal(size=(3, 18)))]
    end, _ = rollout(*given[:2], forces=given[2])
    assert (end[-1, 2] < 0.46).all()
    check_grads(lambda q, v, f: rollout(q, v, forces=f), given, order=1, modes=["rev"], atol=1e-3, rtol=1e-3, eps=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["laikago", "hopper", "cartpole", "cube"])
def test_the_bits_are_those_of_a_batch(name, dtype, rng):
    model = gb.load(name, ground=name in ("laikago", "cube"))
    n, steps = 11, 20
    q = np.tile(STAND if name == "laikago" else model.neutral(), (n, 1)).astype(dtype)
    v = rng.normal(0, 0.3, (n, model.nv)).astype(dtype)
    forces = rng.normal(0, 1, (n, steps, model.nv)).astype(dtype)
    bars = [rng.normal(size=(n, steps, size)).astype(dtype) for size in (model.nq, model.nv)]
    masses = np.tile(model.params["link/*/mass"], (n, 1)).astype(dtype) * np.linspace(0.9, 1.1, n, dtype=dtype)[:, None]
    batch = gb.Batch(model, n, dtype=dtype)
    batch.set_params("link/*/mass", masses)
    batch.set_states(q, v)
    theirs = batch.rollout(forces=forces, keep=True)
    gradient = batch.vjp(*bars, params="link/*/mass")
    rollout = Rollout(model, "link/*/mass")

    def motion(q, v, forces, masses):
        return rollout(q, v, forces=forces, params=masses)

    for run in [motion, jax.jit(motion), jax.vmap(motion), jax.jit(jax.vmap(motion))]:
        ours, back = jax.vjp(run, q, v, forces, masses)
        found = back(tuple(map(jnp.asarray, bars)))
        for a, b in zip(ours, theirs, strict=True):
            assert a.dtype == dtype and (np.asarray(a) == b).all()
        for a, part in zip(found, ["q", "v", "forces", "params"], strict=True):
            assert a.dtype == dtype and (np.asarray(a) == gradient[part]).all(), part


def test_gradients_in_any_order_have_the_same_bits(laikago, rng):
    # A gradient whose rollout ran last does not run it again; others do.
    rollout = Rollout(laikago)
    q, v = moving(laikago, 3, rng)
    bars = (jnp.ones((3, 9, 19)), jnp.ones((3, 9, 18)))
    alone = [jax.vjp(lambda v: rollout(q, v, steps=9), scale * v)[1](bars)[0] for scale in (1.0, 0.5)]
    backs = [jax.vjp(lambda v: rollout(q, v, steps=9), scale * v)[1] for scale in (1.0, 0.5)]
    for order in [(0, 1), (1, 0), (1, 1)]:
        for k in order:
            assert (backs[k](bars)[0] == alone[k]).all()


def test_a_scan_of_steps(pendulum, rng):
    # 256 calls in one compiled program. Nothing touches, so steps one by one are a rollout.
    step, rollout = Step(pendulum), Rollout(pendulum)
    q, v = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    forces = jnp.asarray(rng.normal(size=(5, 256, 2)))

    def walk(forces):
        def one(state, force):
            state = step(*state, force=force)
            return state, state

        _, (q_all, v_all) = jax.lax.scan(one, (jnp.asarray(q), jnp.asarray(v)), jnp.swapaxes(forces, 0, 1))
        return jnp.swapaxes(q_all, 0, 1), jnp.swapaxes(v_all, 0, 1)

    compiled = jax.jit(walk).lower(forces).compile()
    text = compiled.as_text()
    assert "gradbody_rollout" in text and "callback" not in text
    for a, b in zip(compiled(forces), rollout(q, v, forces=forces), strict=True):
        assert (a == b).all()
    by_steps = jax.jit(jax.grad(lambda f: jnp.square(walk(f)[0]).sum()))(forces)
    at_once = jax.jit(jax.grad(lambda f: jnp.square(rollout(q, v, forces=f)[0]).sum()))(forces)
    assert np.allclose(by_steps, at_once, rtol=1e-9, atol=1e-12)


def test_worlds_in_several_axes_share_arguments(pendulum, rng):
    rollout = Rollout(pendulum, ["link/*/mass"])
    q, masses = jnp.asarray(rng.normal(size=(3, 4, 2))), jnp.asarray([1.0, 2.0])
    whole, _ = rollout(q, steps=5, params=masses)
    assert whole.shape == (3, 4, 5, 2)
    mapped = jax.vmap(jax.vmap(lambda q: rollout(q, steps=5, params=masses)[0]))(q)
    assert (whole == mapped).all()
    inner = jax.vmap(lambda q, m: rollout(q, steps=5, params=m)[0], in_axes=(1, None), out_axes=1)(q, masses)
    assert (whole == inner).all()
    # A shared argument gets the sum of the gradients of all worlds.
    shared = jax.grad(lambda m: rollout(q, steps=5, params=m)[0].sum())(masses)
    each = jax.grad(lambda m: rollout(q, steps=5, params=m)[0].sum())(jnp.broadcast_to(masses, (3, 4, 2)))
    assert np.allclose(shared, each.sum((0, 1)), rtol=1e-12)


def test_a_world_that_is_lost_leaves_the_others(pendulum):
    rollout = Rollout(pendulum)
    q = jnp.ones((5, 2)).at[2, 0].set(jnp.nan)
    v = jnp.zeros((5, 2)).at[1, 0].set(1e200)
    bar = (jnp.ones((5, 3, 2)), jnp.ones((5, 3, 2)).at[3, 0, 0].set(jnp.inf))
    (end, _), back = jax.vjp(lambda q, v: rollout(q, v, steps=3), q, v)
    assert jnp.isnan(end[1:3]).all() and jnp.isfinite(end[jnp.array([0, 3, 4])]).all()
    by_q, by_v = back(bar)
    assert (by_q[1:3] == 0).all() and (by_v[1:3] == 0).all()
    # No gradient is not a gradient of zero.
    assert jnp.isnan(by_q[3]).all()
    alone, back = jax.vjp(lambda q: rollout(q, steps=3), jnp.ones((1, 2)))
    assert (alone[0][0] == end[0]).all()
    assert (back((bar[0][:1], bar[1][:1]))[0][0] == by_q[0]).all()


def test_no_direction_no_motion(laikago):
    end, _ = Rollout(laikago)(jnp.zeros((2, 19)).at[0].set(STAND), steps=2)
    assert jnp.isfinite(end[0]).all() and jnp.isnan(end[1]).all()


def test_sizes_of_nothing(pendulum):
    rollout = Rollout(pendulum)
    q, v = rollout(jnp.zeros((0, 2)), steps=3)
    assert q.shape == (0, 3, 2)
    assert rollout(jnp.zeros(2), steps=0)[0].shape == (0, 2)
    assert jax.grad(lambda q: rollout(q, steps=0)[0].sum())(jnp.zeros(2)).shape == (2,)


def test_impossible_parameters_are_told(pendulum):
    rollout = Rollout(pendulum, ["link/*/mass"])
    with pytest.raises(Exception, match="world 0.*mass"):
        jax.block_until_ready(rollout(jnp.zeros(2), steps=1, params=jnp.array([1.0, -1.0])))
    # And the next call is not affected.
    assert jnp.isfinite(rollout(jnp.zeros(2), steps=1, params=jnp.ones(2))[0]).all()


def test_second_gradients_and_forward_mode_are_refused(pendulum):
    rollout = Rollout(pendulum)

    def loss(q):
        return rollout(q, steps=2)[0].sum()

    with pytest.raises(NotImplementedError, match="gradbody.hvp"):
        jax.grad(lambda q: jax.grad(loss)(q).sum())(jnp.ones(2))
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(loss, (jnp.ones(2),), (jnp.ones(2),))


def test_compiled_functions_outlive_what_made_them(pendulum):
    compiled = jax.jit(lambda q: Rollout(pendulum)(q, steps=2)[0]).lower(jnp.ones(2)).compile()
    expected = Rollout(pendulum)(jnp.ones(2), steps=2)[0]
    import gc

    gc.collect()
    assert (compiled(jnp.ones(2)) == expected).all()


def test_whole_numbers_and_numpy_arrays(pendulum):
    rollout = Rollout(pendulum)
    expected, _ = rollout(jnp.ones(2), steps=2)
    assert (rollout(np.ones(2, dtype=int), steps=2)[0] == expected).all()
    assert (rollout([1, 1], steps=2)[0] == expected).all()
    assert rollout(np.ones(2, dtype=np.float16), steps=2)[0].dtype == jnp.float32


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r(jnp.zeros(3), steps=1), ValueError, r"q has the shape \(3\), but needs \(…, nq=2\)"),
        (lambda r: r(jnp.zeros(()), steps=1), ValueError, "q has the shape"),
        (lambda r: r(jnp.zeros(2), jnp.zeros(3), steps=1), ValueError, "v has the shape"),
        (lambda r: r(jnp.zeros(2)), ValueError, "how many steps"),
        (lambda r: r(jnp.zeros(2), steps=-1), ValueError, "steps is -1"),
        (lambda r: r(jnp.zeros(2), forces=jnp.zeros((3, 2)), steps=4), ValueError, "steps=4"),
        (lambda r: r(jnp.zeros(2), forces=jnp.zeros(2)), ValueError, r"needs \(…, steps, nv=2\)"),
        (lambda r: r(jnp.zeros(2), controls=jnp.zeros((3, 1))), ValueError, "no actuators"),
        (lambda r: r(jnp.zeros(2), controls=jnp.zeros((3, 1)), forces=jnp.zeros((3, 2))), ValueError, "not both"),
        (lambda r: r(jnp.zeros((3, 2)), jnp.zeros((4, 2)), steps=1), ValueError, "axes of worlds"),
        (lambda r: r(jnp.zeros(2), steps=1, params=jnp.zeros(1)), ValueError, "no names"),
        (lambda r: r("standing", steps=1), TypeError, "q is no array"),
        (lambda r: r(jnp.zeros(2, dtype=complex), steps=1), TypeError, "complex"),
        (lambda r: jax.jit(lambda q: r(q, steps=1))(jnp.zeros(3)), ValueError, "q has the shape"),
        (lambda r: jax.vmap(lambda q: r(q, steps=1))(jnp.zeros((4, 3))), ValueError, r"\(3\), but needs"),
    ],
)
def test_wrong_arguments_get_one_clear_message(pendulum, call, error, message):
    with pytest.raises(error, match=message):
        call(Rollout(pendulum))


def test_what_cannot_be_simulated(pendulum):
    with pytest.raises(KeyError, match="no parameter"):
        Rollout(pendulum, params=["joint/joint/damping"])
    with pytest.raises(TypeError, match="gradbody.Model"):
        Rollout(gb.Batch(pendulum, 2))
    with pytest.raises(ValueError, match="params is not given"):
        Rollout(pendulum, params=["joint/*/damping"])(jnp.zeros(2), steps=1)
    with pytest.raises(ValueError, match="threads"):
        Rollout(pendulum, threads=0)


def test_without_64_bits_arrays_are_float32():
    script = textwrap.dedent(
        """
        import gradbody as gb, jax, numpy as np
        from gradbody.jax import Rollout
        rollout = Rollout(gb.load("pendulum2"))
        q = np.ones(2)
        print(rollout(q, steps=2)[0].dtype, jax.grad(lambda q: rollout(q, steps=2)[0].sum())(q).dtype)
        """
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout == "float32 float32\n"


def test_learning_a_damping_by_gradient_descent(rng):
    model = gb.load("pendulum2")
    q = jnp.asarray(rng.normal(size=2) * np.arange(1, 5)[:, None] / 4)
    rollout = Rollout(model, ["joint/*/damping"])
    measured, _ = rollout(q, steps=300, params=jnp.full(2, 0.15))

    @jax.jit
    def descend(damping):
        loss, slope = jax.value_and_grad(
            lambda d: jnp.square(rollout(q, steps=300, params=jnp.full(2, d))[0] - measured).mean()
        )(damping)
        return loss, slope

    # Newton's method on the loss, whose second derivative is a difference of gradients.
    damping = 0.1
    for _ in range(12):
        _, slope = descend(damping)
        _, beside = descend(damping + 1e-5)
        damping -= slope / jnp.abs((beside - slope) / 1e-5)
    assert abs(damping - 0.15) < 1e-4
