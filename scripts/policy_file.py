"""Policies in files: those of `gradbody train` (.safetensors), and layers of tanh on observations that are shifted and scaled, as
an .npz of NumPy, which scripts/ppo_half_cheetah.py writes."""

from pathlib import Path

import numpy as np


def save(path, mean, spread, layers):
    """`layers` are pairs of a matrix (outputs, inputs) and a bias."""
    arrays = {"mean": mean, "spread": spread}
    for k, (matrix, bias) in enumerate(layers):
        arrays |= {f"matrix{k}": matrix, f"bias{k}": bias}
    np.savez_compressed(path, **{name: np.asarray(x, dtype=np.float32) for name, x in arrays.items()})


def load(path):
    """The policy: a function from observations (…, n) to actions (…, m)."""
    if Path(path).suffix == ".safetensors" or Path(path).is_dir():
        import gradbody

        return gradbody.load_policy(path).act
    with np.load(path) as file:
        mean, spread = file["mean"].astype(float), file["spread"].astype(float)
        count = sum(name.startswith("matrix") for name in file.files)
        layers = [(file[f"matrix{k}"].astype(float), file[f"bias{k}"].astype(float)) for k in range(count)]

    def act(observations):
        x = np.clip((observations - mean) / spread, -10, 10)
        for k, (matrix, bias) in enumerate(layers):
            x = x @ matrix.T + bias
            if k + 1 < count:
                x = np.tanh(x)
        return np.clip(x, -1, 1)

    return act
