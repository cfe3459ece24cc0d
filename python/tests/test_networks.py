"""Networks inside the physics: gradients by weights, and PyTorch's modules to and fro."""

import copy
import pickle

import numpy as np
import pytest

import gradbody as gb

from conftest import STAND

FRICTION = """
[[augmentation]]
name = "friction"
outputs = ["joint/*/passive_torque"]
inputs = [{ site = "joint/*/velocity", scale = 2.0 }]
output_scale = 0.5

[augmentation.network]
hidden = [4]
"""

REMEMBERS = """
[[augmentation]]
name = "motor"
outputs = ["joint/joint1/passive_torque"]
inputs = [{ site = "joint/joint1/velocity", history = 3 }]

[augmentation.network]
hidden = [3]
"""

DRAG = {
    "augmentation": [
        {
            "name": "drag",
            "outputs": ["contact/*/friction"],
            "inputs": ["contact/*/sliding_speed", {"site": "contact/*/penetration_rate", "scale": np.float64(0.1)}],
            "kind": {"dissipative": "isotropic"},
            "network": {"hidden": np.array([4]), "activation": "softplus"},
        }
    ]
}


def test_without_weights_nothing_changes_and_with_them_something_does(pendulum):
    networks = gb.Networks(pendulum, FRICTION)
    assert networks.names == ["friction"] and len(networks) == 13 and "friction" in repr(networks)
    start = gb.State(pendulum, [1, 0.5], [0.2, 0])
    bare = gb.rollout(pendulum, start, steps=50)
    with_network = gb.rollout(pendulum, start, steps=50, networks=networks)
    assert (bare.q != with_network.q).any()
    networks.weights = np.zeros(13)
    assert (gb.rollout(pendulum, start, steps=50, networks=networks).q == bare.q).all()
    state = start
    networks.weights = np.arange(13) / 10
    for _ in range(5):
        state = gb.step(pendulum, state, networks=networks)
    assert (state.q == gb.rollout(pendulum, start, steps=5, networks=networks).q[-1]).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_worlds_of_a_batch_have_the_networks(pendulum, rng, dtype):
    networks = gb.Networks(pendulum, FRICTION)
    batch = gb.Batch(pendulum, 5, networks=networks, dtype=dtype)
    q = rng.normal(size=(5, 2))
    batch.set_states(q)
    found, _ = batch.rollout(steps=30)
    alone = gb.rollout(pendulum, gb.State(pendulum, q[3]), steps=30, networks=networks)
    assert np.abs(alone.q[1:] - found[3]).max() <= (0 if dtype == "float64" else 1e-4)
    # What was bound stays as it was.
    networks.weights = np.zeros(13)
    assert (batch.weights != 0).any()
    batch.set_weights(networks.weights)
    batch.set_states(q)
    bare = gb.Batch(pendulum, 5, dtype=dtype)
    bare.set_states(q)
    assert (batch.rollout(steps=30)[0] == bare.rollout(steps=30)[0]).all()
    assert bare.weights is None


@pytest.mark.parametrize("blueprint", [FRICTION, REMEMBERS])
def test_gradients_by_weights_agree_with_differences(pendulum, rng, blueprint):
    networks = gb.Networks(pendulum, blueprint)
    weights = rng.normal(size=len(networks))
    q, v = rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    bar = rng.normal(size=(3, 40, 2))
    batch = gb.Batch(pendulum, 3, networks=networks)

    def run(weights, keep=False):
        batch.set_weights(weights)
        batch.set_states(q, v)
        return (batch.rollout(steps=40, keep=keep)[0] * bar).sum((1, 2))

    run(weights, keep=True)
    found = batch.vjp(bar)["weights"]
    assert found.shape == (3, len(networks))
    for k in range(len(networks)):
        h = 1e-6 * (np.arange(len(networks)) == k)
        slope = (run(weights + h) - run(weights - h)) / 2e-6
        assert np.abs(slope - found[:, k]).max() < 1e-6 * max(1, np.abs(found).max())


def test_what_networks_remember_is_part_of_a_state(pendulum):
    networks = gb.Networks(pendulum, REMEMBERS)
    whole = gb.rollout(pendulum, gb.State(pendulum, [1, 1]), steps=20, networks=networks)
    half = gb.rollout(pendulum, gb.State(pendulum, [1, 1]), steps=10, networks=networks).end
    for state in [half, copy.copy(half), pickle.loads(pickle.dumps(half)), half.replace(pendulum, time=half.time)]:
        rest = gb.rollout(pendulum, state, steps=10, networks=networks)
        assert (rest.q[-1] == whole.q[-1]).all()


def test_networks_at_contacts_follow_the_options(rng):
    model = gb.load("cube", ground=True)
    model.params["shape/*/friction"] = 0.05
    options = gb.Options(5e-3)
    networks = gb.Networks(model, DRAG, options=options)
    q = [0, 0, 0.06, 1, 0, 0, 0]
    slides = gb.State(model, q, [1, 0, 0, 0, 0, 0])
    bare = gb.rollout(model, slides, steps=40, options=options)
    slower = gb.rollout(model, slides, steps=40, options=options, networks=networks)
    assert slower.v[-1, 0] < bare.v[-1, 0] - 1e-3
    # Bound anew to contacts of another kind.
    compliant = gb.Options(5e-4, contact="hunt-crossley")
    gb.Batch(model, 2, options=compliant, networks=networks).step()


def test_weights_can_be_saved(pendulum, tmp_path):
    networks = gb.Networks(pendulum, FRICTION)
    networks.weights = np.arange(13) / 7
    networks.save(tmp_path / "friction.safetensors")
    again = gb.Networks.load(pendulum, tmp_path / "friction.safetensors")
    assert (again.weights == networks.weights).all() and again.names == ["friction"]
    (tmp_path / "friction.toml").write_text(FRICTION)
    assert len(gb.Networks(pendulum, tmp_path / "friction.toml")) == 13


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: gb.Networks(m, FRICTION.replace("velocity", "velocty")), gb.GradbodyError, "velocty"),
        (lambda m: gb.Networks(m, "friction.toml"), gb.GradbodyError, "pathlib.Path"),
        (lambda m: gb.Networks(m, 3), TypeError, "TOML text, a dict or the pathlib.Path"),
        (lambda m: gb.Networks(m, {"augmentation": [{"nam": 1}]}), gb.GradbodyError, "nam"),
        (lambda m: gb.Networks(m, {"augmentation": object()}), TypeError, "cannot stand in a blueprint"),
        (lambda m: gb.Networks(m, 'signals = ["wind"]\n' + FRICTION), ValueError, "signals cannot be given"),
        (lambda m: setattr(gb.Networks(m, FRICTION), "weights", [1.0]), ValueError, r"needs \(weights=13\)"),
        (lambda m: gb.Batch(m, 2).set_weights([1.0]), ValueError, "no networks"),
        (lambda m: gb.Batch(m, 2, networks=gb.Networks(gb.load("laikago"), FRICTION)), gb.GradbodyError, "joint"),
        (lambda m: gb.Networks.load(m, "nothing.safetensors"), gb.GradbodyError, "nothing.safetensors"),
    ],
)
def test_mistakes_get_one_clear_message(pendulum, call, error, message):
    with pytest.raises(error, match=message):
        call(pendulum)


def test_sites_are_listed(pendulum):
    assert ("joint/joint1/velocity", "rad/s") in gb.sites(pendulum)


# --- PyTorch --------------------------------------------------------------------------------------


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def test_modules_come_and_go(pendulum, torch, rng):
    from torch import nn

    networks = gb.Networks(pendulum, FRICTION)
    module = networks.to_torch()
    assert [type(part) for part in module] == [nn.Linear, nn.Tanh, nn.Linear]
    # The simulation computes what the module does: one step's change of the velocity is M⁻¹ of its torque.
    v = np.array([0.7, -0.4])
    state, options = gb.State(pendulum, [0.3, 0.2], v), gb.Options(1e-3, integrator="euler")
    networks.weights = rng.normal(size=13)
    module = networks.to_torch()
    change = gb.step(pendulum, state, options=options, networks=networks).v - gb.step(pendulum, state, options=options).v
    torque = 0.5 * module(torch.tensor(v[:, None] / 2.0)).detach().numpy()[:, 0]
    assert np.abs(gb.mass_matrix(pendulum, state.q) @ change - 1e-3 * torque).max() < 1e-12
    other = gb.Networks(pendulum, FRICTION)
    other.load_torch(module)
    assert (other.weights == networks.weights).all()
    other.load_torch(module.float())
    assert np.abs(other.weights - networks.weights).max() < 1e-6


def test_several_networks_by_name(torch):
    model = gb.load("laikago")
    each = FRICTION.replace('["joint/*/passive_torque"]', '["joint/*_joint/passive_torque"]')
    each = each.replace("joint/*/velocity", "joint/*_joint/velocity").replace("output_scale", 'networks = "each"\noutput_scale')
    networks = gb.Networks(model, each)
    assert len(networks.names) == 12
    last = networks.names[-1]
    module = networks.to_torch(last)
    with torch.no_grad():
        module[2].bias.fill_(3.0)
    networks.load_torch(module, last)
    assert networks.weights[-1] == 3 and (networks.weights == 3).sum() == 1
    with pytest.raises(ValueError, match="name is not given; there are"):
        networks.to_torch()
    from gradbody.torch import Rollout

    modules = {name: networks.to_torch(name) for name in networks.names}
    rollout = Rollout(gb.Batch(model, 2, networks=networks), networks=modules)
    q = torch.tensor(np.tile(STAND, (2, 1)))
    rollout(q, 0.1 * torch.ones(2, 18, dtype=torch.float64), steps=3)[0].sum().backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in rollout.parameters())
    assert len(list(rollout.parameters())) == 48


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ("Linear(1, 4), Tanh()", "2 layers, and the module 1"),
        ("Linear(1, 4), ReLU(), Linear(4, 1)", "followed by ReLU, not by Tanh"),
        ("Linear(1, 5), Tanh(), Linear(5, 1)", "5 outputs, not 1 and 4"),
        ("Linear(1, 4, bias=False), Tanh(), Linear(4, 1)", "linear layer 0 of the module has no bias"),
        ("Linear(1, 4), Dropout(), Linear(4, 1)", "cannot stand there"),
    ],
)
def test_modules_that_do_not_fit_are_refused(pendulum, torch, layers, message):
    module = eval(f"nn.Sequential({layers})", {"nn": torch.nn, **vars(torch.nn)})
    with pytest.raises(ValueError, match=message):
        gb.Networks(pendulum, FRICTION).load_torch(module)


def test_gradcheck_by_the_parameters_of_a_module_through_contact(laikago, torch, rng):
    from gradbody.torch import Rollout

    blueprint = FRICTION.replace('["joint/*/passive_torque"]', '["joint/*_joint/passive_torque"]')
    networks = gb.Networks(laikago, blueprint.replace("joint/*/velocity", "joint/*_joint/velocity"))
    options = gb.Options(accurate=True)
    module = networks.to_torch()
    rollout = Rollout(gb.Batch(laikago, 2, options=options, networks=networks), networks=module)
    q = torch.tensor(np.tile(STAND, (2, 1)), requires_grad=True)
    v = torch.tensor(0.3 * rng.normal(size=(2, 18)), requires_grad=True)
    names, values = zip(*rollout.named_parameters())

    def run(q, v, *values):
        return torch.func.functional_call(rollout, dict(zip(names, values)), (q, v), {"steps": 3})

    assert torch.autograd.gradcheck(run, (q, v, *values), eps=1e-6, atol=1e-4, rtol=1e-3)


def test_weights_set_behind_a_rollout_are_noticed(pendulum, torch):
    from gradbody.torch import Rollout

    networks = gb.Networks(pendulum, FRICTION)
    batch = gb.Batch(pendulum, 2, networks=networks)
    fixed, learns = Rollout(batch), Rollout(batch, networks=networks.to_torch())
    q = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    end, _ = fixed(q, steps=2)
    learns(q, steps=2)
    with pytest.raises(RuntimeError, match="were set between"):
        end.sum().backward()
    first, _ = learns(q, steps=2)
    alone = torch.autograd.grad(learns(q, steps=2)[0].sum(), learns.parameters())
    with torch.no_grad():
        [p.add_(1) for p in learns.parameters()]
    learns(q, steps=2)
    # The gradient of the first rollout is that with its own weights.
    late = torch.autograd.grad(first.sum(), q)[0]
    assert torch.isfinite(late).all() and len(alone) == 4


def test_a_module_of_single_precision_learns_a_friction(torch, rng):
    """A pendulum with friction that the model lacks: a network finds it from the motion."""
    from gradbody.torch import Rollout

    model = gb.load("pendulum1")
    blueprint = FRICTION.replace("hidden = [4]", "hidden = [8]")
    options = gb.Options(1e-2)
    q, v = rng.uniform(-2, 2, (16, 1)), rng.uniform(-2, 2, (16, 1))
    model.params["joint/*/damping"] = 0.2
    truth = gb.Batch(model, 16, options=options)
    truth.set_states(q, v)
    measured = torch.tensor(truth.rollout(steps=40)[0])
    model.params["joint/*/damping"] = 0.0
    networks = gb.Networks(model, blueprint, options=options)
    module = networks.to_torch().float()
    rollout = Rollout(gb.Batch(model, 16, options=options, networks=networks), networks=module)
    optimiser = torch.optim.Adam(rollout.parameters(), lr=0.02)
    losses = []
    for _ in range(100):
        optimiser.zero_grad()
        found, _ = rollout(torch.tensor(q), torch.tensor(v), steps=40)
        loss = (found - measured).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 1e-2 * losses[0]
    x = torch.linspace(-2, 2, 9)[:, None]
    learned = 0.5 * module(x / 2).detach()
    assert (learned + 0.2 * x).abs().max() < 0.1
