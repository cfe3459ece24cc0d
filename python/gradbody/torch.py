"""Rollouts inside PyTorch: one differentiable function around a whole batch.

>>> rollout = Rollout(gradbody.Batch(model, 64), params=["link/*/mass"])
>>> q, v = rollout(q0, v0, controls=controls, params=masses)
>>> loss(q, v).backward()

Gradients flow to the start, the controls or joint forces, the named parameters, and the modules that are networks inside
the physics. Tensors are on the CPU, of the batch's dtype. A world that fails is told by a warning; its states are NaN and its gradients zero. A gradient by q is one by its numbers: quaternions that are not of length one are scaled. The batch keeps the
last motion; the gradient of an earlier one runs it again, and leaves the batch at its end.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ._gradbody import Batch, Networks
from ._torch_networks import Sin, by_name, chosen, layouts

__all__ = ["Rollout", "Sin", "Step"]

_DTYPES = {"float64": torch.float64, "float32": torch.float32}


class _Function(torch.autograd.Function):
    """The motion of all worlds. Arrays and tensors share their memory."""

    @staticmethod
    def forward(
        ctx: Any,
        batch: Batch,
        patterns: list[str],
        steps: int | None,
        are_forces: bool,
        q: Tensor,
        v: Tensor,
        acts: Tensor | None,
        params: Tensor | None,
        weights: Tensor | None,
        may_go_back: bool,
    ) -> tuple[Tensor, Tensor]:
        ctx.batch, ctx.patterns, ctx.steps, ctx.are_forces = batch, patterns, steps, are_forces
        given = (q, v, acts, params, weights)
        ctx.save_for_backward(*given)
        found = _roll_out(ctx, given, keep=may_go_back and any(ctx.needs_input_grad))
        ctx.motion, ctx.others_set = batch._kept_so_far, _others_set(ctx, params, weights)
        ctx.lost = list(batch.failures)
        if ctx.lost:
            world, why = next(iter(batch.failures.items()))
            warnings.warn(
                f"{len(ctx.lost)} of {len(batch)} worlds have no motion and no gradient; world {world}: {why}", stacklevel=4
            )
        return torch.from_numpy(found[0]), torch.from_numpy(found[1])

    @staticmethod
    def backward(ctx: Any, q_bar: Tensor, v_bar: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError(
                "a gradient through gradbody cannot be differentiated again (create_graph=True): the simulation has first "
                "derivatives only here"
            )
        if not ctx.batch._can_differentiate(ctx.motion):
            # The batch has moved on since: the same motion once more, which has the same bits.
            if _others_set(ctx, *ctx.saved_tensors[3:]) != ctx.others_set:
                raise RuntimeError(
                    "parameters or weights of the batch were set between this rollout and its gradient; call backward() before "
                    "set_params and before rollouts with other parameters, or give each rollout a batch of its own"
                )
            _roll_out(ctx, ctx.saved_tensors, keep=True)
        if ctx.lost:
            # Their states are NaN, and so may be what a loss makes of them.
            q_bar, v_bar = q_bar.clone(), v_bar.clone()
            q_bar[ctx.lost], v_bar[ctx.lost] = 0, 0
        found = ctx.batch.vjp(q_bar.contiguous().numpy(), v_bar.contiguous().numpy(), params=ctx.patterns or None)
        failures = {world: why for world, why in found["failures"].items() if world not in ctx.lost}
        if failures:
            world, why = next(iter(failures.items()))
            warnings.warn(f"{len(failures)} of {len(ctx.batch)} worlds have a gradient of zeros; world {world}: {why}", stacklevel=2)
        acts = found.get("forces" if ctx.are_forces else "controls")
        # All worlds have the same weights.
        weights = found["weights"].sum(0) if "weights" in found else None
        gradients = [found["q"], found["v"], acts, found["params"], weights]
        tensors = [
            torch.from_numpy(x) if is_wanted and x is not None else None
            for x, is_wanted in zip(gradients, ctx.needs_input_grad[4:9], strict=True)
        ]
        return None, None, None, None, *tensors, None


def _others_set(ctx: Any, params: Tensor | None, weights: Tensor | None) -> dict[str, int]:
    """How often parameters and weights were set that a rollout does not set itself."""
    batch: Batch = ctx.batch
    found = batch._params_set(ctx.patterns if params is not None else [])
    return found if weights is not None else found | {"weights": batch._weights_set}


def _roll_out(ctx: Any, tensors: tuple[Tensor | None, ...], keep: bool) -> tuple[Any, Any]:
    q, v, acts, params, weights = (None if x is None else x.detach().numpy() for x in tensors)
    if params is not None:
        ctx.batch.set_params(ctx.patterns, params)
    if weights is not None:
        ctx.batch.set_weights(weights)
    ctx.batch.set_states(q, v)
    named = {"forces": acts} if ctx.are_forces else {"controls": acts}
    batch: Batch = ctx.batch
    return batch.rollout(steps=ctx.steps if acts is None else None, keep=keep, **named)


class Rollout(torch.nn.Module):
    """Many steps of all worlds of a batch, as a differentiable function.

    `params` are names or patterns of parameters that get gradients; their values come with each call. `networks` are modules
    that are the batch's networks: a ``torch.nn.Sequential``, or several by name. Their parameters are this module's, and
    every call uses them as they are.
    """

    def __init__(
        self,
        batch: Batch,
        params: list[str] | str | None = None,
        networks: torch.nn.Module | Mapping[str, torch.nn.Module] | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(batch, Batch):
            raise TypeError(f"a Rollout is of a gradbody.Batch, not of a {type(batch).__name__}")
        self.batch = batch
        self.patterns = [params] if isinstance(params, str) else list(params or [])
        # A name that is not known is told now, and a module that does not fit.
        batch._params_set(self.patterns)
        self._layouts = {} if networks is None else layouts(batch)
        self.networks = None if networks is None else torch.nn.ModuleList(by_name(self._layouts, networks).values())

    def forward(
        self,
        q: Tensor,
        v: Tensor | None = None,
        *,
        controls: Tensor | None = None,
        forces: Tensor | None = None,
        steps: int | None = None,
        params: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The states after each step: q (n, steps, nq) and v (n, steps, nv).

        From configurations `q` (n, nq) and velocities `v` (n, nv; zero if not given), under `controls` (n, steps, nu) or
        joint `forces` (n, steps, nv), or for `steps` steps without. `params` (n, k) are the values of the named
        parameters in each world.
        """
        if controls is not None and forces is not None:
            raise ValueError("give controls or forces, not both")
        if params is not None and not self.patterns:
            raise ValueError("params is given, but no names of parameters were: Rollout(batch, params=[…])")
        if params is None and self.patterns:
            raise ValueError(f"params is not given: the values (n, k) of {', '.join(self.patterns)}")
        weights = self._weights()
        given = {"q": q, "v": v, "controls": controls, "forces": forces, "params": params}
        for name, tensor in given.items():
            self._check(name, tensor)
        if v is None:
            v = q.new_zeros(q.shape[0], self.batch.nv)
        acts = forces if forces is not None else controls
        found: tuple[Tensor, Tensor] = _Function.apply(
            self.batch, self.patterns, steps, forces is not None, q, v, acts, params, weights, torch.is_grad_enabled()
        )
        return found

    def _weights(self) -> Tensor | None:
        """The weights of all networks, from their modules."""
        if self.networks is None:
            return None
        modules = zip(self._layouts.values(), self.networks, strict=True)
        weights = torch.cat([layout.weights(module) for layout, module in modules])
        return weights.to(_DTYPES[self.batch.dtype])

    def _check(self, name: str, tensor: Tensor | None) -> None:
        if tensor is None:
            return
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is a {type(tensor).__name__}, not a tensor: use torch.as_tensor({name})")
        if tensor.device.type != "cpu":
            raise ValueError(f"{name} is on {tensor.device}; the batch computes on the CPU: use {name}.cpu()")
        wanted = _DTYPES[self.batch.dtype]
        if tensor.dtype != wanted:
            raise TypeError(f"{name} is {tensor.dtype}, the batch {wanted}: use {name}.to({wanted})")


class Step(Rollout):
    """One step of all worlds, as a differentiable function: `Rollout` without the axis of steps."""

    def forward(  # type: ignore[override]
        self,
        q: Tensor,
        v: Tensor | None = None,
        *,
        control: Tensor | None = None,
        force: Tensor | None = None,
        params: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The states one step later: q (n, nq) and v (n, nv), under `control` (n, nu) or joint `force` (n, nv)."""
        controls = None if control is None else control.unsqueeze(1)
        forces = None if force is None else force.unsqueeze(1)
        steps = 1 if controls is None and forces is None else None
        q, v = super().forward(q, v, controls=controls, forces=forces, steps=steps, params=params)
        return q.squeeze(1), v.squeeze(1)


def _module_of(networks: Networks, name: str | None) -> torch.nn.Sequential:
    """For `Networks.to_torch`."""
    layout = chosen(networks, name)
    module = layout.module()
    layout.fill(module, torch.from_numpy(networks.weights))
    return module


def _take_weights(networks: Networks, module: torch.nn.Module, name: str | None) -> None:
    """For `Networks.load_torch`."""
    layout = chosen(networks, name)
    with torch.no_grad():
        new = layout.weights(module).double().numpy()
    weights = networks.weights
    weights[layout.first : layout.first + len(new)] = new
    networks.weights = weights
