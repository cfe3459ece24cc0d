"""Stable-Baselines3: the environments as a `VecEnv`.

>>> from stable_baselines3 import PPO
>>> from gradbody.sb3 import VecEnvironment
>>> PPO("MlpPolicy", VecEnvironment("HalfCheetah", 64)).learn(1_000_000)
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from ._gradbody import Environments

__all__ = ["VecEnvironment"]


class VecEnvironment(VecEnv):
    """Many worlds in vector lanes, with what SB3's `Monitor` adds: returns and lengths of episodes in the infos."""

    def __init__(self, name: str, num_envs: int, **options: Any) -> None:
        self.worlds = Environments(name, num_envs, autoreset="same-step", **options)
        self.render_mode = None
        low, high = (x.astype(np.float32) for x in (self.worlds.action_low, self.worlds.action_high))
        observation = spaces.Box(-np.inf, np.inf, (self.worlds.n_observations,), np.float32)
        super().__init__(num_envs, observation, spaces.Box(low, high, dtype=np.float32))
        self._actions: NDArray[Any] = np.zeros((num_envs, self.worlds.n_actions), np.float32)
        self._started = False
        self._begin = time.monotonic()

    def reset(self) -> NDArray[np.float32]:
        seeds = [seed for seed in self._seeds if seed is not None]
        seed = seeds[0] if seeds else None
        if seed is None and not self._started:
            seed = int(np.random.default_rng().integers(2**62))
        self._started = True
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.worlds.reset(seed).astype(np.float32)

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        found = self.worlds.step(self._actions)
        terminated, truncated = found["terminated"], found["truncated"]
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        last = found["final_observations"].astype(np.float32)
        seconds = round(time.monotonic() - self._begin, 6)
        for world, observation in zip(np.flatnonzero(done), last, strict=True):
            infos[world] = {
                "terminal_observation": observation,
                "TimeLimit.truncated": bool(truncated[world] and not terminated[world]),
                "episode": {
                    "r": float(found["episode_returns"][world]),
                    "l": int(found["episode_lengths"][world]),
                    "t": seconds,
                },
            }
        observations = found["observations"].astype(np.float32)
        return observations, found["rewards"].astype(np.float32), done, infos

    def close(self) -> None:
        pass

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        worlds = self._worlds(indices)
        if attr_name == "spec":
            return [None] * len(worlds)
        return [getattr(self, attr_name)] * len(worlds)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f'"{attr_name}" cannot be set: the worlds are not objects of Python')

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        raise AttributeError(f'"{method_name}" cannot be called: the worlds are not objects of Python')

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        # Infos have what a Monitor adds, so SB3 needs none around the worlds.
        return [wrapper_class.__name__ == "Monitor"] * len(self._worlds(indices))

    def _worlds(self, indices: Any) -> Sequence[int]:
        return list(self._get_indices(indices))
