"""Parameters of a model as a mapping from names to numbers."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._gradbody import Model, load, loads

__all__ = ["Model", "Params", "load", "loads"]


def _is_pattern(name: str) -> bool:
    if not isinstance(name, str):
        raise TypeError(f"parameters are named by strings, not by {name!r}")
    return "*" in name or "?" in name


class Params(MutableMapping[str, Any]):
    """The physical numbers of a model by name: ``model.params["link/trunk/mass"]``.

    A pattern (``*`` is any characters) gives an array, and is set from a number or an array:
    ``model.params["link/*/mass"] *= 1.1``. A negative mass and the like are refused, and then nothing is changed. Arrays are
    copies: set the whole of one, as here.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    def __getitem__(self, name: str) -> Any:
        if _is_pattern(name):
            return self._model._get_all([name])
        return self._model._get(name)

    def __setitem__(self, name: str, value: ArrayLike) -> None:
        if _is_pattern(name):
            count = len(self._model._names(name))
            self._model._set_all([name], np.broadcast_to(np.asarray(value, dtype=float), (count,)))
        else:
            self._model._set(name, float(np.asarray(value)))

    def __delitem__(self, name: str) -> None:
        raise TypeError(f'"{name}" is a number of the model; it can be set, but not deleted')

    def __iter__(self) -> Iterator[str]:
        return iter(self._model._names())

    def __len__(self) -> int:
        return len(self._model._names())

    def names(self, *patterns: str) -> list[str]:
        """Names that match any of the patterns, in the order of the model."""
        return self._model._names(*patterns)

    def _ipython_key_completions_(self) -> list[str]:
        return self._model._names()

    def __repr__(self) -> str:
        return f"<{len(self)} parameters of {self._model.name}>"

