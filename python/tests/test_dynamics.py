"""Dynamics on arrays: against each other, and against Pinocchio."""

import numpy as np
import pytest

import gradbody as gb

from conftest import STAND


def states(model, shape, rng):
    q = np.tile(STAND, (*shape, 1)) + 0.1 * rng.normal(size=(*shape, model.nq))
    q[..., 3:7] /= np.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
    return q, rng.normal(size=(*shape, model.nv))


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5)])
def test_inverse_dynamics_undoes_forward_dynamics(laikago, rng, shape):
    q, v = states(laikago, shape, rng)
    tau = rng.normal(size=(*shape, laikago.nv))
    qdd = gb.forward_dynamics(laikago, q, v, tau)
    assert qdd.shape == (*shape, 18)
    assert np.abs(gb.inverse_dynamics(laikago, q, v, qdd) - tau).max() < 1e-9
    bias = gb.inverse_dynamics(laikago, q, v, np.zeros_like(v))
    mass = gb.mass_matrix(laikago, q)
    assert mass.shape == (*shape, 18, 18)
    assert np.abs(np.einsum("...ij,...j", mass, qdd) + bias - tau).max() < 1e-9


def test_a_jacobian_is_the_derivative_of_kinematics(laikago, rng):
    q, v = states(laikago, (), rng)
    name = laikago.frame_names[-1]
    h = 1e-6
    moved = gb.rollout(laikago, gb.State(laikago, q, v), steps=1, options=gb.Options(h, contact="off"))
    before, after = (gb.kinematics(laikago, x, [name]) for x in (moved.q[0], moved.q[1]))
    slope = (after.position - before.position)[0] / h
    jacobian = gb.jacobian(laikago, q, name)
    assert jacobian.shape == (6, 18)
    assert np.abs(jacobian[3:] @ moved.v[1] - slope).max() < 1e-4
    turn = after.rotation[0] @ before.rotation[0].T
    spin = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (2 * h)
    assert np.abs(jacobian[:3] @ moved.v[1] - spin).max() < 1e-4


def test_pinocchio_computes_the_same_mass_matrix(rng):
    pinocchio = pytest.importorskip("pinocchio")
    model = gb.load("arm7")
    theirs = pinocchio.buildModelFromXML(model.to_urdf())
    data = theirs.createData()
    q, v, tau = rng.normal(size=7), rng.normal(size=7), rng.normal(size=7)
    mass = pinocchio.crba(theirs, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    assert np.abs(gb.mass_matrix(model, q) - mass).max() < 1e-12
    assert np.abs(gb.forward_dynamics(model, q, v, tau) - pinocchio.aba(theirs, data, q, v, tau)).max() < 1e-9


def test_a_linearised_step_predicts_a_changed_one(laikago, rng):
    state = gb.State(laikago, STAND, 0.1 * rng.normal(size=18))
    found = gb.linearise(laikago, state)
    assert found.analytical and found.why is None
    assert found.state.shape == (36, 36) and found.control.shape == (36, 0) and found.force.shape == (36, 18)
    change = np.zeros(18)
    change[7] = 1e-5
    up, down = (gb.step(laikago, state, force=s * change) for s in (1, -1))
    slope = (up.v - down.v) / 2
    assert np.abs(slope - found.force[18:] @ change).max() < 1e-4 * np.abs(slope).max()
    other = gb.linearise(laikago, state, options=gb.Options(integrator="rk4"))
    assert not other.analytical and "Runge-Kutta" in other.why


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: gb.mass_matrix(m, np.zeros(18)), ValueError, "nq=19"),
        (lambda m: gb.mass_matrix(m, np.zeros(19)), ValueError, "without a direction"),
        (lambda m: gb.forward_dynamics(m, STAND, np.zeros((2, 18)), np.zeros(18)), ValueError, "leading shape"),
        (lambda m: gb.jacobian(m, STAND, "trunkk"), KeyError, "did you mean"),
        (lambda m: gb.kinematics(m, STAND, ["nowhere"]), KeyError, "no frame"),
        (lambda m: gb.State(m, v=np.zeros(3)), ValueError, "nv=18"),
        (lambda m: gb.State(m, time=np.nan), ValueError, "time"),
        (lambda m: gb.step(m, gb.State(gb.load("pendulum1"))), ValueError, "not of this model"),
    ],
)
def test_wrong_arguments_get_one_clear_message(laikago, call, error, message):
    with pytest.raises(error, match=message):
        call(laikago)


def test_a_motion_that_diverges_says_where():
    model = gb.load("pendulum2")
    fast = gb.State(model, q=[1, 1], v=[1e200, 1e200])
    with pytest.raises(gb.SimulationError, match="\"link.\" is not finite after step 0"):
        gb.rollout(model, fast, steps=5)
    with pytest.raises(gb.SimulationError, match="not finite"):
        gb.step(model, fast)
