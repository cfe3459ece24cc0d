import numpy as np
import pytest

import gradbody as gb

STAND = np.array([0, 0, 0.45, 1, 0, 0, 0] + [0, 0.7, -1.4] * 4, dtype=float)


@pytest.fixture
def laikago():
    return gb.load("laikago", ground=True)


@pytest.fixture
def pendulum():
    return gb.load("pendulum2")


@pytest.fixture
def rng():
    return np.random.default_rng(0)
