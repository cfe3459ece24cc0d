"""Policies: trained, read, played, and as ONNX in ONNX's own evaluator."""

import json

import numpy as np
import pytest

import gradbody as gb

POLE = {
    "environment": "InvertedPendulum",
    "method": "ppo",
    "limits": {"samples": 6144},
    "evaluate": {"episodes": 3, "every": "2048 samples"},
}
# Networks with every head and activation that methods have.
METHODS = {
    "ppo": {"hidden": [8, 6]},
    "sac": {"hidden": [8], "samples": 200, "random-samples": 100, "minibatch": 16},
    "shac": {"actor": [8], "critic": [8]},
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A policy of each method, hardly trained."""
    folder = tmp_path_factory.mktemp("policies")
    task = {**POLE, "limits": {"samples": 600}, "worlds": 4}
    task["evaluate"] = {"episodes": 1, "every": "1e9 samples"}
    return {
        method: gb.train({**task, "method": method, method: options}, out=folder / method) for method, options in METHODS.items()
    }


def tensors(path):
    """The tensors and the metadata of a safetensors file."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    metadata = header.pop("__metadata__")
    kinds = {"F32": np.float32, "F64": np.float64}
    of = lambda entry: np.frombuffer(body[slice(*entry["data_offsets"])], kinds[entry["dtype"]]).reshape(entry["shape"])
    return {name: of(entry) for name, entry in header.items()}, metadata


def test_training_from_tables(tmp_path):
    told = []
    training = gb.train(POLE, out=tmp_path / "pole", progress=told.append)
    curve = training.curve
    evaluated = np.isfinite(curve["return"])
    assert evaluated.sum() == 4 and curve["samples"][evaluated].tolist() == [0, 2048, 4096, 6144]
    best = np.nanmax(curve["return"])
    assert best > 2 * curve["return"][0] and training.outcome["ended"] == "samples"
    assert any("samples: return" in line for line in told), told
    policy = training.policy
    assert policy.environment == "InvertedPendulum" and policy.observations == ["q/slider", "q/hinge", "v/slider", "v/hinge"]
    assert policy.training["method"] == "ppo" and policy.training["return"] == best
    assert "Policy for InvertedPendulum: 4 observations, 1 actions" in repr(policy)
    assert training._repr_html_().startswith("<iframe")
    with pytest.raises(gb.GradbodyError, match="already contains a training; resume=True continues it"):
        gb.train(POLE, out=tmp_path / "pole")
    longer = gb.train(POLE, out=tmp_path / "pole", samples=8192, resume=True)
    assert longer.curve["samples"][-1] == 8192
    with pytest.raises(gb.GradbodyError, match='no environment "InvertedPendulun"; did you mean "InvertedPendulum"'):
        gb.train({**POLE, "environment": "InvertedPendulun"}, out=tmp_path / "other")


def test_the_tensors_of_a_policy_are_all_that_it_is(trained):
    """The layers in NumPy give the actions, from the file alone."""
    for method, training in trained.items():
        path = training.folder / "policy.safetensors"
        found, metadata = tensors(path)
        about = json.loads(metadata["policy"])
        policy = gb.load_policy(path)
        seen = np.random.default_rng(1).normal(size=(50, 4))
        x = np.clip((seen - found["observations.shift"]) * found["observations.scale"], -10, 10)
        layers = about["network"]["layers"]
        for k, layer in enumerate(layers):
            x = x @ found[f"actor.layers.{k}.weight"].T + found[f"actor.layers.{k}.bias"]
            x = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "identity": lambda x: x, "elu": elu}[layer["activation"]](x)
        x = x[:, : len(policy.actions)]
        x = np.tanh(x) if about["squashed"] else np.clip(x, -1, 1)
        low, high = found["actions.low"], found["actions.high"]
        expected = 0.5 * (low + high) + 0.5 * (high - low) * x
        acted = policy.act(seen)
        assert acted.shape == (50, 1) and np.abs(acted - expected).max() < 1e-5, method
        assert policy.act(seen[3]).shape == (1,) and np.abs(policy.act(seen[3]) - acted[3]).max() < 1e-6
        assert np.ptp(acted) > 1e-3, method


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def test_onnx_gives_the_same_actions(trained):
    """By ONNX's checker and its reference evaluator."""
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    for method, training in trained.items():
        policy = training.policy
        model = onnx.load_model_from_string(policy.to_onnx())
        onnx.checker.check_model(model, full_check=True)
        properties = {entry.key: entry.value for entry in model.metadata_props}
        assert properties["environment"] == "InvertedPendulum"
        # Far outside the usual too, where normalised observations and actions are cut off.
        seen = np.random.default_rng(2).normal(size=(40, 4)) * np.logspace(-2, 3, 40)[:, None]
        (actions,) = ReferenceEvaluator(model).run(None, {"observations": seen.astype(np.float32)})
        assert np.abs(actions - policy.act(seen.astype(np.float32))).max() < 1e-5, method


def test_episodes_of_a_policy(trained):
    training = trained["ppo"]
    played = gb.play(training, episodes=4, seed=3)
    # A step is worth one, but not the one in which the pole falls.
    assert played.returns.shape == (4,) and (played.returns == played.lengths - (played.lengths < 1000)).all()
    assert played.motion["t"][1] == 0.04 and len(played.motion["q:hinge"]) == played.lengths[0] + 1
    assert "InvertedPendulum: 4 episodes" in repr(played) and played.standard_error >= 0
    again = gb.play(training.policy, episodes=4, seed=3)
    assert (again.returns == played.returns).all()
    pushed = gb.play(training, episodes=4, seed=3, pushes=[("pole", [200, 0, 0], 0, 0.1)], set={"link/pole/mass": 6})
    assert pushed.mean < played.mean
    with pytest.raises(gb.GradbodyError, match="Hopper has 11"):
        gb.play(training, environment="Hopper")


def test_what_is_no_policy_is_said(tmp_path, trained):
    with pytest.raises(gb.GradbodyError, match="no such file"):
        gb.load_policy(tmp_path / "none.safetensors")
    data = bytearray((trained["ppo"].folder / "policy.safetensors").read_bytes())
    data[-2] ^= 1
    (tmp_path / "damaged.safetensors").write_bytes(data)
    with pytest.raises(gb.GradbodyError, match="damaged: its checksum does not match"):
        gb.load_policy(tmp_path / "damaged.safetensors")
    policy = trained["ppo"].policy
    with pytest.raises(ValueError, match="observations has the shape"):
        policy.act(np.zeros((3, 5)))
    with pytest.raises(ValueError, match=r"observations\[0, 2\] is NaN"):
        policy.act([[0, 0, np.nan, 0]])
