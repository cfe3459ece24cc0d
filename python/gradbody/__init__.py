"""gradbody: differentiable simulation of articulated rigid bodies, with neural networks anywhere inside it.

>>> import gradbody as gb
>>> model = gb.load("laikago", ground=True)
>>> state = gb.State(model, q=[0, 0, 0.55, 1, 0, 0, 0] + [0, 0.7, -1.4] * 4)
>>> motion = gb.rollout(model, state, steps=100)
>>> motion.q.shape
(101, 19)

Lengths are in metres, masses in kilograms, times in seconds, angles in radians. Quaternions are w, x, y, z. Arrays have
one row for each world, and for each step.

PyTorch: ``import gradbody.torch``. JAX: ``import gradbody.jax``. Gymnasium: ``import gradbody.gym``. Stable-Baselines3: ``import gradbody.sb3``.
"""

from ._gradbody import (
    Batch,
    Environments,
    GradbodyError,
    Networks,
    Options,
    Policy,
    SimulationError,
    State,
    __version__,
    builtin_models,
    environment_names,
    forward_dynamics,
    inverse_dynamics,
    jacobian,
    load_policy,
    mass_matrix,
    sites,
    step,
)
from ._model import Model, Params, load, loads
from ._motion import HessianProduct, Kinematics, LinearStep, Motion, hvp, kinematics, linearise, rollout
from ._programs import Discovery, Fit, Plan, Played, Prediction, Training, discover, fit, plan, play, predict, train
from ._view import Page, View, view

__all__ = [
    "Batch",
    "Discovery",
    "Environments",
    "Fit",
    "GradbodyError",
    "HessianProduct",
    "Kinematics",
    "LinearStep",
    "Model",
    "Motion",
    "Networks",
    "Options",
    "Page",
    "Params",
    "Plan",
    "Played",
    "Policy",
    "Prediction",
    "SimulationError",
    "State",
    "Training",
    "View",
    "__version__",
    "builtin_models",
    "discover",
    "environment_names",
    "fit",
    "forward_dynamics",
    "hvp",
    "inverse_dynamics",
    "jacobian",
    "kinematics",
    "linearise",
    "load",
    "load_policy",
    "loads",
    "mass_matrix",
    "plan",
    "play",
    "predict",
    "rollout",
    "sites",
    "step",
    "train",
    "view",
]
