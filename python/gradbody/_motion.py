"""Results of a rollout, of a linearised step and of kinematics, with names for their arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _gradbody
from ._gradbody import Model, Networks, Options, State

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """The motion of one world: times `t` (steps + 1) [s], configurations `q` (steps + 1, nq) and velocities `v`
    (steps + 1, nv), the start first, and `end`, the last state."""

    t: Array
    """Times [s], (steps + 1)."""
    q: Array
    """Configurations [rad or m], (steps + 1, nq), the start first."""
    v: Array
    """Velocities [rad/s or m/s], (steps + 1, nv)."""
    end: State
    """The last state."""

    def __len__(self) -> int:
        return len(self.t)


def rollout(
    model: Model,
    state: State,
    controls: ArrayLike | None = None,
    *,
    forces: ArrayLike | None = None,
    steps: int | None = None,
    options: Options | None = None,
    networks: Networks | None = None,
) -> Motion:
    """The motion from `state` under controls (steps, nu) or joint forces (steps, nv) [N m or N], or for `steps` steps
    without. `networks` are inside the physics."""
    return Motion(
        **_gradbody.rollout(model, state, controls, forces=forces, steps=steps, options=options, networks=networks)
    )


@dataclass(frozen=True)
class LinearStep:
    """A step and its derivatives. A change of state has m = 2 nv + na numbers: of q in local coordinates, v, activation.

    `next` is the state after the step; `state` (m, m) its derivative by the state before, `control` (m, nu) by the controls,
    `force` (m, nv) by joint forces. `analytical` says whether formulas for whole matrices gave them; if not, the adjoint did row
    by row, as exactly but slower, and `why` has the reason.
    """

    next: State
    """The state after the step."""
    state: Array
    """By the state before, (2 nv + na, 2 nv + na)."""
    control: Array
    """By the controls, (2 nv + na, nu)."""
    force: Array
    """By joint forces, (2 nv + na, nv)."""
    analytical: bool
    """Whether formulas for whole matrices gave them. If not, the adjoint did, row by row: as exact, but slower."""
    why: str | None
    """Why formulas did not."""


def linearise(
    model: Model,
    state: State,
    control: ArrayLike | None = None,
    force: ArrayLike | None = None,
    *,
    options: Options | None = None,
) -> LinearStep:
    """A step from `state` under `control` (nu) and joint forces (nv), with all its derivatives."""
    return LinearStep(**_gradbody.linearise(model, state, control, force, options=options))


@dataclass(frozen=True)
class HessianProduct:
    """How a loss of a motion grows: by `gradient`, and by how that changes along a direction, `product`.

    Both are dicts: `q` (nv) in local coordinates, `v` (nv), `controls` (steps, nu) or `forces` (steps, nv), `params` (k).
    """

    gradient: dict[str, Array]
    """The gradient of the loss."""
    product: dict[str, Array]
    """Its Hessian times the direction."""


def hvp(
    model: Model,
    state: State,
    loss: Callable[[Array, Array, Array, Array], tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]],
    direction: Mapping[str, ArrayLike],
    controls: ArrayLike | None = None,
    *,
    forces: ArrayLike | None = None,
    steps: int | None = None,
    params: str | Sequence[str] | None = None,
    options: Options | None = None,
) -> HessianProduct:
    """The Hessian of a loss of one world's motion, times a direction.

    The motion starts at `state`, under `controls` (steps, nu) or joint `forces` (steps, nv), or for `steps` steps without.
    `direction` has the parts that change: `q` (nv) in local coordinates, `v` (nv), `controls` or `forces`, and `params` (k),
    those that match `params`. ``loss(q, v, q_change, v_change)`` gets the states after each step (steps, nq) and (steps, nv),
    and how they change along the direction; it returns four arrays of the same shapes: how the loss grows with q and v, and
    how these two change. In JAX: ``lambda q, v, dq, dv: sum(jax.jvp(jax.grad(f, (0, 1)), (q, v), (dq, dv)), ())``.

    The motion runs twice, in dual numbers. With rigid contacts use ``Options(accurate=True)``.
    """
    patterns = None if params is None else [params] if isinstance(params, str) else list(params)
    found = _gradbody.hvp(
        model, state, loss, dict(direction), controls, forces=forces, steps=steps, params=patterns, options=options
    )
    return HessianProduct(*found)


@dataclass(frozen=True)
class Kinematics:
    """Where frames are, in the world: `position` (…, frames, 3) [m] of their origins, and `rotation` (…, frames, 3, 3),
    whose columns are their axes."""

    position: Array
    """Origins [m], (…, frames, 3)."""
    rotation: Array
    """Axes, (…, frames, 3, 3): columns are the frame's axes in the world."""


def kinematics(model: Model, q: ArrayLike, frames: Sequence[str] | str | None = None) -> Kinematics:
    """Where frames are in configurations `q` (…, nq). `frames` are names, all of ``model.frame_names`` if None."""
    names = None if frames is None else [frames] if isinstance(frames, str) else list(frames)
    return Kinematics(**_gradbody.kinematics(model, q, names))
