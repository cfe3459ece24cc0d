"""Jacobians of the worlds of a batch, and products with Hessians."""

import numpy as np
import pytest

import gradbody as gb

from conftest import STAND


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("threads", [1, 2])
def test_jacobians_of_a_batch_are_those_of_single_worlds(laikago, rng, dtype, threads):
    n = 9
    q = np.tile(STAND, (n, 1))
    q[:, 2] += rng.uniform(-0.01, 0.05, n)
    v, force = rng.normal(0, 0.2, (n, 18)), rng.normal(0, 5, (n, 18)).astype(dtype)
    batch = gb.Batch(laikago, n, dtype=dtype, threads=threads)
    masses = np.linspace(8, 16, n)
    batch.set_params("link/trunk/mass", masses[:, None])
    batch.set_states(q, v)
    batch.step()
    before = batch.states()
    found = batch.jacobian(force=force)
    assert all((a == b).all() for a, b in zip(before, batch.states(), strict=True))
    assert found["failures"] == {} and found["state"].shape == (n, 36, 36) and found["control"].shape == (n, 36, 0)
    for world in range(n):
        laikago.params["link/trunk/mass"] = masses[world]
        alone = gb.linearise(laikago, batch.state(world), force=force[world])
        assert (found["state"][world] == alone.state).all() and (found["force"][world] == alone.force).all()


def test_jacobians_by_controls(rng):
    model = gb.load("hopper")
    batch = gb.Batch(model, 3)
    batch.set_states(np.tile(model.neutral(), (3, 1)), rng.normal(size=(3, model.nv)))
    control = rng.uniform(-1, 1, (3, model.nu))
    found = batch.jacobian(control)
    for world in range(3):
        alone = gb.linearise(model, batch.state(world), control[world])
        assert (found["control"][world] == alone.control).all() and (found["state"][world] == alone.state).all()


def test_a_world_that_would_diverge_is_named(pendulum):
    batch = gb.Batch(pendulum, 3)
    batch.set_states(np.ones((3, 2)), [[0, 0], [1e200, 0], [0, 0]])
    found = batch.jacobian()
    assert list(found["failures"]) == [1]
    assert np.isnan(found["state"][1]).all() and np.isfinite(found["state"][[0, 2]]).all()
    assert batch.failures == {}


def test_a_jacobian_leaves_a_kept_rollout(pendulum):
    batch = gb.Batch(pendulum, 2)
    end, _ = batch.rollout(steps=3, keep=True)
    batch.jacobian()
    batch.vjp(np.ones_like(end))
    with pytest.raises(ValueError, match="not both"):
        batch.jacobian(np.zeros((2, 0)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="force has the shape"):
        batch.jacobian(force=np.zeros((3, 2)))


# A loss that is not quadratic, its gradient, and how that changes.
def loss(q, v, dq, dv):
    return np.cos(q), v**3, -np.sin(q) * dq, 3 * v**2 * dv


def gradient(model, q, v, forces, masses, options):
    """By a batch, in local coordinates."""
    model = model.copy()
    model.params["link/*/mass"] = masses
    batch = gb.Batch(model, 1, options=options)
    batch.set_states(q[None], v[None])
    q_all, v_all = batch.rollout(forces=forces[None], keep=True)
    found = batch.vjp(*loss(q_all, v_all, 0, 0)[:2], params="link/*/mass")
    return {"q": found["q_local"][0], "v": found["v"][0], "forces": found["forces"][0], "params": found["params"][0]}


@pytest.mark.parametrize("name", ["pendulum3", "laikago"])
def test_products_with_a_hessian_agree_with_differences_of_gradients(name, rng):
    options = gb.Options(accurate=True)
    model = gb.load(name, ground=name == "laikago")
    q = STAND if name == "laikago" else rng.normal(size=model.nq)
    v, forces = rng.normal(0, 0.1, model.nv), rng.normal(size=(5, model.nv))
    masses = np.atleast_1d(model.params["link/*/mass"])
    # Without the start's rotation, about which local coordinates turn.
    along = {"v": rng.normal(size=model.nv), "forces": rng.normal(size=forces.shape), "params": 0.1 * rng.normal(size=masses.shape)}
    found = gb.hvp(model, gb.State(model, q, v), loss, along, forces=forces, params="link/*/mass", options=options)
    exact = gradient(model, q, v, forces, masses, options)
    h = 1e-6

    def moved(h):
        return gradient(model, q, v + h * along["v"], forces + h * along["forces"], masses + h * along["params"], options)

    ahead, behind = moved(h), moved(-h)
    for part, product in found.product.items():
        assert np.allclose(found.gradient[part], exact[part], rtol=1e-6, atol=1e-7), part
        expected = (ahead[part] - behind[part]) / (2 * h)
        assert np.abs(product - expected).max() < 1e-4 * np.abs(expected).max() + 1e-6, part


def test_a_hessian_is_symmetric(pendulum, rng):
    state = gb.State(pendulum, rng.normal(size=2), rng.normal(size=2))

    def product(**direction):
        return gb.hvp(pendulum, state, loss, direction, steps=8).product

    for k in range(2):
        for m in range(2):
            a, b = np.eye(2)[k], np.eye(2)[m]
            assert abs(product(q=a)["v"] @ b - product(v=b)["q"] @ a) < 1e-10


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"direction": {"q": np.ones(3)}}, ValueError, r'direction\["q"\] has the shape \(3\)'),
        ({"direction": {"mass": np.ones(3)}}, ValueError, 'no part "mass"'),
        ({"loss": lambda q, v, dq, dv: q}, ValueError, "four arrays"),
        ({"loss": lambda q, v, dq, dv: (q, v, dq, dv[1:])}, ValueError, "change of v_bar"),
        ({"loss": 3}, TypeError, "not callable"),
        ({"steps": None}, ValueError, "how many steps"),
        ({"params": "link/*/mess"}, KeyError, "no parameter"),
    ],
)
def test_wrong_arguments_of_products_get_one_clear_message(pendulum, arguments, error, message):
    given = {"loss": loss, "direction": {}, "steps": 2} | arguments
    with pytest.raises(error, match=message):
        gb.hvp(pendulum, gb.State(pendulum), **given)
