"""The programs in python/examples."""

import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_shac_in_pytorch_improves(monkeypatch):
    """In a few iterations, by a stated amount; hanging, a step is worth about -1."""
    pytest.importorskip("torch")
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    import shac

    rewards, _ = shac.train(iterations=60, n=32, tell=lambda line: None)
    first, last = np.mean(rewards[:5]), np.mean(rewards[-10:])
    assert first < -0.5 and last > first + 0.5, (first, last)
