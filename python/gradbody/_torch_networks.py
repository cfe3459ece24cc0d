"""Networks inside the physics as modules of PyTorch: layers compared, weights copied either way.

gradbody keeps the weights of a layer as PyTorch's matrix transposed, then its bias.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ._gradbody import Batch, Networks


class Sin(nn.Module):
    """The sine of each number: an activation that PyTorch does not have."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(x)


_ACTIVATIONS: dict[str, type[nn.Module]] = {
    "identity": nn.Identity,
    "tanh": nn.Tanh,
    "sin": Sin,
    "relu": nn.ReLU,
    "soft_relu": nn.Softplus,
    "elu": nn.ELU,
    "sigmoid": nn.Sigmoid,
    "softsign": nn.Softsign,
    "softplus": nn.Softplus,
    "silu": nn.SiLU,
}


@dataclass(frozen=True)
class _Dense:
    inputs: int
    outputs: int
    activation: str
    bias: bool

    def fits(self, linear: nn.Linear, activation: nn.Module) -> str | None:
        """What does not fit, if anything."""
        if (linear.in_features, linear.out_features) != (self.inputs, self.outputs):
            return f"has {linear.in_features} inputs and {linear.out_features} outputs, not {self.inputs} and {self.outputs}"
        if (linear.bias is not None) != self.bias:
            return "has no bias" if self.bias else "has a bias, and the blueprint none"
        if type(activation) is not _ACTIVATIONS[self.activation]:
            return f"is followed by {type(activation).__name__}, not by {_ACTIVATIONS[self.activation].__name__}"
        if isinstance(activation, nn.Softplus) and activation.beta != 1:
            return f"is followed by a Softplus with beta = {activation.beta}, not 1"
        if isinstance(activation, nn.ELU) and activation.alpha != 1:
            return f"is followed by an ELU with alpha = {activation.alpha}, not 1"
        return None


@dataclass(frozen=True)
class Layout:
    """A network's layers, and where its weights are among all."""

    name: str
    first: int
    layers: list[_Dense]

    def module(self) -> nn.Sequential:
        """New layers of float64."""
        modules: list[nn.Module] = []
        for layer in self.layers:
            modules.append(nn.Linear(layer.inputs, layer.outputs, layer.bias, dtype=torch.float64))
            if layer.activation != "identity":
                modules.append(_ACTIVATIONS[layer.activation]())
        return nn.Sequential(*modules)

    def linears(self, module: nn.Module) -> list[nn.Linear]:
        """The linear layers of a module, if it is this network."""
        found = list(_layers(module, self.name))
        if len(found) != len(self.layers):
            raise ValueError(
                f'network "{self.name}" has {len(self.layers)} layers, and the module {len(found)} linear layers'
            )
        for k, (layer, (linear, activation)) in enumerate(zip(self.layers, found, strict=True)):
            if why := layer.fits(linear, activation):
                raise ValueError(f'network "{self.name}": linear layer {k} of the module {why}')
        return [linear for linear, _ in found]

    def weights(self, module: nn.Module) -> Tensor:
        """The weights of a module in gradbody's order, as a differentiable function of its parameters."""
        parts: list[Tensor] = []
        for linear in self.linears(module):
            parts.append(linear.weight.t().reshape(-1))
            if linear.bias is not None:
                parts.append(linear.bias)
        return torch.cat(parts)

    def fill(self, module: nn.Module, weights: Tensor) -> None:
        """Copies weights in gradbody's order into a module."""
        at = self.first
        with torch.no_grad():
            for linear in self.linears(module):
                n = linear.weight.numel()
                linear.weight.copy_(weights[at : at + n].reshape(linear.in_features, linear.out_features).t())
                at += n
                if linear.bias is not None:
                    linear.bias.copy_(weights[at : at + linear.out_features])
                    at += linear.out_features


def layouts(of: Networks | Batch) -> dict[str, Layout]:
    """The networks by name, in the order of the weights. Only dense layers can be modules."""
    structure = of._structure
    if structure is None:
        raise ValueError("the batch has no networks: gradbody.Batch(model, n, networks=…)")
    return {name: _layout(name, network, first) for name, network, first in json.loads(structure)}


def chosen(of: Networks, name: str | None) -> Layout:
    """The network of a name, or the only one."""
    found = layouts(of)
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name not in found:
        given = "name is not given" if name is None else f'no network "{name}"'
        raise ValueError(f"{given}; there are: {', '.join(found)}")
    return found[name]


def by_name(layouts: Mapping[str, Layout], modules: nn.Module | Mapping[str, nn.Module]) -> dict[str, nn.Module]:
    """A module for each network."""
    if isinstance(modules, nn.Module):
        if len(layouts) > 1:
            raise ValueError(f"there are several networks: give networks={{name: module}} for {', '.join(layouts)}")
        modules = {name: modules for name in layouts}
    if set(modules) != set(layouts):
        raise ValueError(f"modules are given for {', '.join(modules)}; the networks are {', '.join(layouts)}")
    for name, layout in layouts.items():
        layout.linears(modules[name])
    return {name: modules[name] for name in layouts}


def _layout(name: str, network: dict[str, Any], first: int) -> Layout:
    layers, width = [], network["inputs"]
    for layer in network["layers"]:
        if layer["kind"] != "dense" or layer["residual"] or network["input_bias"]:
            what = "an input bias" if network["input_bias"] else f"a {layer['kind']} layer" if layer["kind"] != "dense" else "a residual layer"
            raise ValueError(f'network "{name}" has {what}, which a Sequential cannot have; use its weights as an array')
        layers.append(_Dense(width, layer["outputs"], layer["activation"], layer["bias"]))
        width = layer["outputs"]
    return Layout(name, first, layers)


def _layers(module: nn.Module, name: str) -> Iterator[tuple[nn.Linear, nn.Module]]:
    """Each linear layer of a Sequential with the activation after it."""
    if not isinstance(module, (nn.Sequential, nn.Linear)):
        raise TypeError(f'network "{name}": a torch.nn.Sequential is needed, not a {type(module).__name__}')
    linear, activation = None, None
    for part in module if isinstance(module, nn.Sequential) else [module]:
        if isinstance(part, nn.Linear):
            if linear is not None:
                yield linear, activation or nn.Identity()
            linear, activation = part, None
        elif linear is None or activation is not None or type(part) not in _ACTIVATIONS.values():
            raise ValueError(f'network "{name}": {part} cannot stand there; use linear layers, each with one activation')
        else:
            activation = part
    if linear is not None:
        yield linear, activation or nn.Identity()
