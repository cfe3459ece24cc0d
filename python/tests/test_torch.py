"""PyTorch: gradients through whole rollouts of a batch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gradbody as gb
from gradbody.torch import Rollout, Step

from conftest import STAND


def tensor(x):
    return torch.tensor(np.asarray(x, dtype=float), dtype=torch.float64, requires_grad=True)


def test_gradcheck_of_swinging_links(pendulum, rng):
    rollout = Rollout(gb.Batch(pendulum, 2), params=["link/*/mass", "joint/*/damping"])
    names = pendulum.params.names("link/*/mass", "joint/*/damping")
    params = np.tile([pendulum.params[name] + 0.1 for name in names], (2, 1))
    given = [tensor(rng.normal(size=(2, 2))), tensor(rng.normal(size=(2, 2))), tensor(rng.normal(size=(2, 6, 2))), tensor(params)]

    def run(q, v, forces, params):
        return rollout(q, v, forces=forces, params=params)

    assert torch.autograd.gradcheck(run, given, eps=1e-6, atol=1e-7, rtol=1e-5)


def test_gradcheck_through_contact_with_quaternions_of_any_length(laikago, rng):
    # On four feet that slide a little; the quaternion is not of length one, and has a gradient all the same.
    rollout = Rollout(gb.Batch(laikago, 1, options=gb.Options(accurate=True)))
    q = np.tile(STAND, (1, 1))
    q[:, 3:7] = 1.3 * np.array([1, 0.02, -0.01, 0.03])
    v = 0.3 * rng.normal(size=(1, 18))
    forces = rng.normal(size=(1, 3, 18))
    given = [tensor(q), tensor(v), tensor(forces)]

    def run(q, v, forces):
        return rollout(q, v, forces=forces)

    with torch.no_grad():
        end, _ = run(*given)
    assert (end[0, -1, 2] < 0.46).all()
    assert torch.autograd.gradcheck(run, given, eps=1e-6, atol=1e-4, rtol=1e-3)


def test_a_world_that_diverges_leaves_the_gradients_of_the_others(pendulum):
    rollout = Rollout(gb.Batch(pendulum, 3))
    q, v = tensor(np.ones((3, 2))), tensor([[0, 0], [1e200, 0], [0, 0]])
    with pytest.warns(UserWarning, match="1 of 3 worlds .* world 1"):
        end, _ = rollout(q, v, steps=3)
    assert torch.isnan(end[1]).all()
    torch.nan_to_num(end).sum().backward()
    assert (q.grad[1] == 0).all() and (q.grad[[0, 2]] != 0).all()
    alone = tensor(np.ones((3, 2)))
    Rollout(gb.Batch(pendulum, 3))(alone, steps=3)[0].sum().backward()
    assert (q.grad[[0, 2]] == alone.grad[[0, 2]]).all()


def test_names_are_checked_at_once_and_values_must_be_given(pendulum):
    with pytest.raises(KeyError, match="no parameter"):
        Rollout(gb.Batch(pendulum, 2), params=["joint/joint/damping"])
    with pytest.raises(TypeError, match="gradbody.Batch"):
        Rollout(pendulum)
    with pytest.raises(ValueError, match="params is not given"):
        Rollout(gb.Batch(pendulum, 2), params=["joint/*/damping"])(tensor(np.ones((2, 2))), steps=1)


def test_nothing_is_kept_without_gradients(pendulum):
    batch = gb.Batch(pendulum, 2)
    with torch.no_grad():
        Rollout(batch)(tensor(np.ones((2, 2))), steps=2)
    with pytest.raises(ValueError, match="nothing to differentiate"):
        batch.vjp()


def test_a_step_is_a_rollout_of_one(laikago):
    step, rollout = Step(gb.Batch(laikago, 2)), Rollout(gb.Batch(laikago, 2))
    q = tensor(np.tile(STAND, (2, 1)))
    (q1, v1), (q2, v2) = step(q), rollout(q, steps=1)
    assert (q1 == q2[:, 0]).all() and (v1 == v2[:, 0]).all()
    q1.sum().backward()
    assert q.grad is not None and torch.isfinite(q.grad).all()


def test_single_precision(laikago):
    rollout = Rollout(gb.Batch(laikago, 3, dtype="float32"))
    q = torch.tensor(np.tile(STAND, (3, 1)), dtype=torch.float32, requires_grad=True)
    end, _ = rollout(q, steps=5)
    assert end.dtype == torch.float32
    end[:, -1, 2].sum().backward()
    assert q.grad.dtype == torch.float32 and torch.isfinite(q.grad).all()


def test_learning_a_damping_by_gradient_descent(rng):
    # The damping of a pendulum's joints, from where it swings.
    model = gb.load("pendulum2")
    truth = 0.15
    q = tensor(np.tile(rng.normal(size=2), (4, 1)) * np.arange(1, 5)[:, None] / 4)
    model.params["joint/*/damping"] = truth
    batch = gb.Batch(model, 4)
    with torch.no_grad():
        measured, _ = Rollout(batch)(q, steps=300)
    rollout = Rollout(batch, params=["joint/*/damping"])
    damping = torch.tensor(0.01, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([damping], lr=0.02)
    for _ in range(80):
        optimiser.zero_grad()
        end, _ = rollout(q.detach(), steps=300, params=damping.expand(4, 2).contiguous())
        ((end - measured) ** 2).mean().backward()
        optimiser.step()
    assert abs(damping.item() - truth) < 0.01


def test_gradients_of_several_rollouts_of_one_batch(pendulum):
    rollout = Rollout(gb.Batch(pendulum, 2))
    q = tensor(np.ones((2, 2)))
    alone = torch.autograd.grad(rollout(q, steps=2)[0].sum(), q)[0]
    first, _ = rollout(q, steps=2)
    second, _ = rollout(2 * q, steps=3)
    (second.sum() + first.sum()).backward(retain_graph=True)
    both = q.grad.clone()
    q.grad = None
    second.sum().backward()
    assert (both - q.grad == alone).all() or torch.allclose(both - q.grad, alone, atol=1e-14)
    assert (torch.autograd.grad(first.sum(), q)[0] == alone).all()


def test_parameters_set_behind_a_rollout_are_noticed(pendulum):
    batch = gb.Batch(pendulum, 2)
    rollout = Rollout(batch)
    q = tensor(np.ones((2, 2)))
    end, _ = rollout(q, steps=2)
    batch.set_params("link/*/mass", [1.0, 2.0])
    with pytest.raises(RuntimeError, match="were set between"):
        end.sum().backward()
    # The same for a rollout that sets other parameters itself.
    masses, dampings = Rollout(batch, ["link/*/mass"]), Rollout(batch, ["joint/*/damping"])
    end, _ = masses(q, steps=2, params=tensor(np.ones((2, 2))))
    dampings(q, steps=2, params=tensor(np.ones((2, 2))))
    with pytest.raises(RuntimeError, match="were set between"):
        end.sum().backward()
    end, _ = masses(q, steps=2, params=tensor(np.ones((2, 2))))
    masses(q, steps=2, params=tensor(2 * np.ones((2, 2))))
    end.sum().backward()


def test_double_backward_is_refused(pendulum):
    rollout = Rollout(gb.Batch(pendulum, 2))
    q = tensor(np.ones((2, 2)))
    end, _ = rollout(q, steps=2)
    with pytest.raises(RuntimeError, match="cannot be differentiated again"):
        torch.autograd.grad(end.sum(), q, create_graph=True)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r(torch.zeros(2, 2), steps=1), TypeError, "float32"),
        (lambda r: r(np.zeros((2, 2)), steps=1), TypeError, "torch.as_tensor"),
        (lambda r: r(torch.zeros(3, 2, dtype=torch.float64), steps=1), ValueError, "n=2"),
        (lambda r: r(torch.zeros(2, 2, dtype=torch.float64)), ValueError, "how many steps"),
        (lambda r: r(torch.zeros(2, 2, dtype=torch.float64), steps=1, params=torch.zeros(2, 1)), ValueError, "no names"),
    ],
)
def test_wrong_tensors_get_one_clear_message(pendulum, call, error, message):
    with pytest.raises(error, match=message):
        call(Rollout(gb.Batch(pendulum, 2)))
