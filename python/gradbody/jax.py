"""Rollouts inside JAX: differentiable functions that XLA calls without Python in between.

>>> rollout = Rollout(model, params="link/*/mass")
>>> q, v = rollout(q0, v0, controls=controls, params=masses)
>>> jax.grad(lambda masses: loss(*rollout(q0, params=masses, steps=50)))(masses)

A function is of one world; `jax.vmap`, or arrays with more axes in front, make many, which share vector lanes and threads.
`jit`, `grad`, `scan` and the like work as on any function. Arrays are float32, or float64 with ``jax_enable_x64``, on the CPU.

The result depends on the arguments alone. A world that diverges has states of NaN from then on, and gradients of zero; so has
one that starts from numbers that are not finite. A gradient that does not exist is NaN. A gradient by q is one by its numbers:
quaternions that are not of length one are scaled.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from ._gradbody import Model, Options, _Simulated, _xla_functions

__all__ = ["Rollout", "Step"]

for _name, _function in _xla_functions():
    jax.ffi.register_ffi_target(_name, _function, platform="cpu")


class Rollout:
    """Many steps of a model, as a differentiable function.

    `params` are names or patterns of parameters that get gradients; their values come with each call. The others are those of
    the model now. `threads`: for many worlds; all cores if not given.
    """

    def __init__(
        self,
        model: Model,
        params: list[str] | str | None = None,
        *,
        options: Options | None = None,
        threads: int | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a {type(self).__name__} is of a gradbody.Model, not of a {type(model).__name__}")
        self.patterns = [params] if isinstance(params, str) else list(params or [])
        self._simulated = _Simulated(model, self.patterns, options=options, threads=threads)
        self.nq, self.nv, self.nu, self._named = self._simulated.sizes

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        controls: ArrayLike | None = None,
        forces: ArrayLike | None = None,
        steps: int | None = None,
        params: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """The states after each step: q (…, steps, nq) and v (…, steps, nv).

        From configurations `q` (…, nq) and velocities `v` (…, nv; zero if not given), under `controls` (…, steps, nu) or joint
        `forces` (…, steps, nv), or for `steps` steps without. `params` (…, k) are the values of the named parameters. The axes
        in front are those of worlds.
        """
        if controls is not None and forces is not None:
            raise ValueError("give controls or forces, not both")
        if params is not None and not self.patterns:
            raise ValueError("params is given, but no names of parameters were: Rollout(model, params=[…])")
        if params is None and self.patterns:
            raise ValueError(f"params is not given: the values (…, k) of {', '.join(self.patterns)}")
        given = {"q": q, "v": v, "controls": controls, "forces": forces, "params": params}
        arrays = _of_one_type({name: x for name, x in given.items() if x is not None})
        acts = arrays.get("controls", arrays.get("forces"))
        q = arrays["q"]
        width = self.nv if forces is not None else self.nu
        _check("q", q, nq=self.nq)
        if "v" in arrays:
            _check("v", arrays["v"], nv=self.nv)
        if controls is not None and self.nu == 0:
            raise ValueError("controls are given, but the model has no actuators: give joint forces")
        if acts is not None:
            name, size = ("forces", "nv") if forces is not None else ("controls", "nu")
            _check(name, acts, steps=steps, **{size: width})
        elif steps is None:
            raise ValueError("neither controls nor forces nor steps are given, so it is not known how many steps to take")
        elif steps < 0:
            raise ValueError(f"steps is {steps}")
        if "params" in arrays:
            _check("params", arrays["params"], parameters=self._named)
        none = jnp.zeros((0,), q.dtype)
        parts = [
            q,
            arrays.get("v", jnp.zeros(self.nv, q.dtype)),
            acts if acts is not None else jnp.zeros((steps or 0, 0), q.dtype),
            arrays.get("params", none),
        ]
        leading = _worlds(parts)
        parts = [jnp.broadcast_to(x, (*leading, *x.shape[x.ndim - own :])) for x, own in zip(parts, _OWN_AXES, strict=True)]
        found: tuple[Array, Array] = _motion(self, forces is not None, False, *parts)
        return found


class Step(Rollout):
    """One step of a model, as a differentiable function: `Rollout` without the axis of steps.

    Each call is on its own: actuators are at rest before it, and the contact solver starts afresh.
    """

    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        control: ArrayLike | None = None,
        force: ArrayLike | None = None,
        params: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """The states one step later: q (…, nq) and v (…, nv), under `control` (…, nu) or joint `force` (…, nv)."""
        controls, forces = (None if x is None else jnp.expand_dims(jnp.asarray(x), -2) for x in (control, force))
        steps = 1 if controls is None and forces is None else None
        q, v = super().__call__(q, v, controls=controls, forces=forces, steps=steps, params=params)
        return q.squeeze(-2), v.squeeze(-2)


# --- arguments ---------------------------------------------------------------------------------------

# Axes of q, v, what acts, and parameters that are not those of worlds.
_OWN_AXES = (1, 1, 2, 1)


def _of_one_type(given: dict[str, ArrayLike]) -> dict[str, Array]:
    """The arguments as arrays of float32, or of float64 if one of them is."""
    arrays = {}
    for name, x in given.items():
        try:
            arrays[name] = jnp.asarray(x)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{name} is no array of real numbers: {error}") from None
        if not (jnp.issubdtype(arrays[name].dtype, jnp.floating) or jnp.issubdtype(arrays[name].dtype, jnp.integer)):
            raise TypeError(f"{name} is no array of real numbers: its dtype is {arrays[name].dtype}")
    dtype = jnp.result_type(*(x.dtype for x in arrays.values()))
    if dtype not in (jnp.float32, jnp.float64):
        # Whole numbers, and floats too short to simulate in.
        dtype = jnp.result_type(float) if jnp.issubdtype(dtype, jnp.integer) else jnp.dtype(jnp.float32)
    return {name: x.astype(dtype) for name, x in arrays.items()}


def _check(name: str, array: Array, **sizes: int | None) -> None:
    """Fails unless the last axes have these sizes; None is any."""
    last = array.shape[max(array.ndim - len(sizes), 0) :]
    fits = len(last) == len(sizes) and all(n is None or n == given for n, given in zip(sizes.values(), last, strict=True))
    if not fits:
        wanted = ", ".join(size if n is None else f"{size}={n}" for size, n in sizes.items())
        raise ValueError(f"{name} has the shape ({', '.join(map(str, array.shape))}), but needs (…, {wanted})")


def _worlds(parts: list[Array]) -> tuple[int, ...]:
    """The axes in front, which all arguments share."""
    leading = [x.shape[: x.ndim - own] for x, own in zip(parts, _OWN_AXES, strict=True)]
    try:
        return jnp.broadcast_shapes(*leading)
    except ValueError:
        shown = ", ".join(f"{name} {shape}" for name, shape in zip(["q", "v", "controls or forces", "params"], leading, strict=True))
        raise ValueError(f"the axes of worlds do not agree: {shown}") from None


# --- functions of XLA ----------------------------------------------------------------------------------


@partial(jax.custom_vjp, nondiff_argnums=(0, 1, 2))
def _motion(of: Rollout, are_forces: bool, keep: bool, q: Array, v: Array, acts: Array, params: Array) -> tuple[Array, Array]:
    """The states after each step. `keep`: a gradient is likely to follow."""
    worlds = (*q.shape[:-1], acts.shape[-2])
    results = [_like((*worlds, of.nq), q), _like((*worlds, of.nv), q)]
    call = jax.ffi.ffi_call("gradbody_rollout", results, vmap_method="broadcast_all")
    q, v = call(q, v, acts, params, keep=np.int64(keep), **_attributes(of, are_forces))
    return q, v


def _motion_forward(of: Rollout, are_forces: bool, _: bool, *parts: Array) -> tuple[tuple[Array, Array], tuple[Array, ...]]:
    return _motion(of, are_forces, True, *parts), parts


def _motion_backward(
    of: Rollout, are_forces: bool, _: bool, parts: tuple[Array, ...], bars: tuple[Array, Array]
) -> tuple[Array, ...]:
    found: tuple[Array, ...] = _gradient(of, are_forces, *parts, *bars)
    return found


_motion.defvjp(_motion_forward, _motion_backward)


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _gradient(of: Rollout, are_forces: bool, *parts: Array) -> tuple[Array, ...]:
    """Gradients by q, v, what acts, and parameters."""
    results = [_like(x.shape, x) for x in parts[:4]]
    call = jax.ffi.ffi_call("gradbody_gradient", results, vmap_method="broadcast_all")
    return tuple(call(*parts, **_attributes(of, are_forces)))


@_gradient.defjvp
def _no_second_gradient(*_: Any) -> Any:
    raise NotImplementedError(
        "a gradient through gradbody cannot be differentiated again: gradbody.hvp has the Hessian of a loss of one world's "
        "motion, times a direction"
    )


def _like(shape: tuple[int, ...], array: Array) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, array.dtype)  # type: ignore[no-untyped-call]


def _attributes(of: Rollout, are_forces: bool) -> dict[str, Any]:
    return {"simulated": np.int64(of._simulated.place), "forces": np.int64(are_forces)}
