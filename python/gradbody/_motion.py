"""Results of a rollout, of a linearised step and of kinematics, with names for their arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _gradbody
from ._gradbody import Model, Options, State

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """The motion of one world: times `t` (steps + 1) [s], configurations `q` (steps + 1, nq) and velocities `v`
    (steps + 1, nv), the start first, and `end`, the last state."""

    t: Array
    """Times [s], (steps + 1)."""
    q: Array
    """Configurations, (steps + 1, nq), the start first."""
    v: Array
    """Velocities, (steps + 1, nv)."""
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
) -> Motion:
    """The motion from `state` under controls (steps, nu) or joint forces (steps, nv), or for `steps` steps without."""
    return Motion(**_gradbody.rollout(model, state, controls, forces=forces, steps=steps, options=options))


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
