"""Gymnasium: the environments as `Env` and `VectorEnv`, registered as ``gradbody/Ant-v0`` and so on.

>>> import gymnasium as gym, gradbody.gym
>>> env = gym.make("gradbody/HalfCheetah-v0")
>>> envs = gym.make_vec("gradbody/HalfCheetah-v0", num_envs=256)
>>> envs.unwrapped.gradient(actions)          # (256, horizon, 6): the return's gradient with respect to the actions

Observations, rewards, ends and starts are those of Gymnasium's MuJoCo environments, version 5; contact is gradbody's.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import ArrayLike, NDArray

from ._gradbody import Environments, environment_names

__all__ = ["Environment", "Return", "VectorEnvironment"]

_MODES: dict[AutoresetMode, Literal["next-step", "same-step", "disabled"]] = {
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.DISABLED: "disabled",
}


@dataclass(frozen=True)
class Return:
    """Discounted sums of rewards, `returns` (n), and their gradients: `actions` (n, horizon, actions), and by the start `q`
    (n, nq) and `v` (n, nv). `end_q` and `end_v` are the states at the end, `failures` a dict of worlds that failed, whose rows are
    zero, and why."""

    returns: NDArray[Any]
    """Σ γᵏ rₖ, (n)."""
    actions: NDArray[Any]
    """By the actions, (n, horizon, actions)."""
    q: NDArray[Any]
    """By the configuration at the start, (n, nq)."""
    v: NDArray[Any]
    """By the velocity at the start, (n, nv)."""
    end_q: NDArray[Any]
    """Configuration at the end, (n, nq)."""
    end_v: NDArray[Any]
    """Velocity at the end, (n, nv)."""
    failures: dict[int, str]
    """Worlds that failed, whose rows are zero, and why."""


def _spaces(worlds: Environments) -> tuple[Any, Any]:
    observation = spaces.Box(-np.inf, np.inf, (worlds.n_observations,), np.float64)
    low, high = (x.astype(np.float32) for x in (worlds.action_low, worlds.action_high))
    return observation, spaces.Box(low, high, dtype=np.float32)


def _gradient(worlds: Environments, actions: ArrayLike, discount: float) -> Return:
    return Return(**worlds.gradient(actions, discount))


class Environment(gymnasium.Env[NDArray[np.float64], NDArray[np.float32]]):
    """One world."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, name: str, render_mode: str | None = None, **options: Any) -> None:
        if render_mode is not None:
            raise ValueError(f'render_mode="{render_mode}": gradbody\'s environments are not drawn')
        self.worlds = Environments(name, 1, autoreset="disabled", threads=1, **options)
        self._started = False
        self.observation_space, self.action_space = _spaces(self.worlds)
        seconds = self.worlds.seconds_per_step
        self.metadata = {**self.metadata, "render_fps": round(1 / seconds)}
        self.dt = seconds

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is None and not self._started:
            # The first reset without a seed: another start each time.
            seed = int(self.np_random.integers(2**62))
        self._started = True
        observation = self.worlds.reset(seed)[0]
        return observation.astype(np.float64, copy=False), {}

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], float, bool, bool, dict[str, Any]]:
        found = self.worlds.step(np.asarray(action)[None])
        terms = dict(zip(self.worlds.reward_names, found["terms"][0].tolist(), strict=True))
        info: dict[str, Any] = terms
        if self.worlds.rewards_motion:
            info["x_position"] = float(found["positions"][0])
        if found["diverged"][0]:
            info["diverged"] = True
        observation = found["observations"][0].astype(np.float64, copy=False)
        return (
            observation,
            float(found["rewards"][0]),
            bool(found["terminated"][0]),
            bool(found["truncated"][0]),
            info,
        )

    def gradient(self, actions: ArrayLike, discount: float = 1.0) -> Return:
        """The return of `actions` (horizon, actions) from the present state, with its gradient. Nothing moves."""
        return _gradient(self.worlds, np.asarray(actions)[None], discount)


class VectorEnvironment(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """Many worlds in vector lanes. `autoreset_mode` is one of Gymnasium's; `dtype` that of the simulation."""

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f'render_mode="{render_mode}": gradbody\'s environments are not drawn')
        mode = AutoresetMode(autoreset_mode)
        # Gymnasium's word for "without a limit" is -1.
        if max_episode_steps is not None and max_episode_steps < 0:
            max_episode_steps = sys.maxsize
        self.worlds = Environments(name, num_envs, autoreset=_MODES[mode], time_limit=max_episode_steps, **options)
        self._started = False
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self.single_observation_space, self.single_action_space = _spaces(self.worlds)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)
        self.autoreset_mode = mode

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        if isinstance(seed, (list, tuple)):
            raise ValueError("give one seed: every world draws random numbers of its own from it")
        super().reset(seed=seed)
        if seed is None and not self._started:
            seed = int(self.np_random.integers(2**62))
        self._started = True
        mask = None if options is None else options.get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise ValueError(f"reset_mask is an array of {self.num_envs} bools, not {mask.dtype} of shape {mask.shape}")
            mask = mask.tolist()
        return self._wide(self.worlds.reset(seed, mask)), {}

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        found = self.worlds.step(actions)
        terminated, truncated = found["terminated"], found["truncated"]
        ended = terminated | truncated
        names, numbers = self.worlds.reward_names, list(found["terms"].T)
        if self.worlds.rewards_motion:
            names, numbers = [*names, "x_position"], [*numbers, found["positions"]]
        stepped = ~found["was_reset"] if self.autoreset_mode == AutoresetMode.NEXT_STEP else np.ones(self.num_envs, bool)
        info: dict[str, Any] = {}
        for name, x in zip(names, numbers, strict=True):
            info[name], info[f"_{name}"] = x.copy(), stepped.copy()
        if found["diverged"].any():
            info["diverged"], info["_diverged"] = found["diverged"], found["diverged"].copy()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
            self._tell_ends(info, ended, found)
        return self._wide(found["observations"]), found["rewards"], terminated, truncated, info

    def _tell_ends(self, info: dict[str, Any], ended: NDArray[np.bool_], found: dict[str, Any]) -> None:
        """The last observation and information of the episodes that ended."""
        final = np.full(self.num_envs, None, dtype=object)
        for world, observation in zip(np.flatnonzero(ended), self._wide(found["final_observations"]), strict=True):
            final[world] = observation
        last = {name: x.copy() for name, x in info.items() if not name.startswith("_")}
        if "x_position" in last:
            last["x_position"][ended] = found["final_positions"]
        for name in list(last):
            last[name][~ended] = 0
            last[f"_{name}"] = ended.copy()
        info["final_obs"], info["_final_obs"] = final, ended.copy()
        info["final_info"], info["_final_info"] = last, ended.copy()

    def gradient(self, actions: ArrayLike, discount: float = 1.0) -> Return:
        """The returns of `actions` (n, horizon, actions) from the present states, with their gradients. Nothing moves."""
        return _gradient(self.worlds, actions, discount)

    def _wide(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        return observations.astype(np.float64, copy=False)


def _without_limit(name: str, **options: Any) -> Environment:
    """For `gymnasium.make`, whose own wrapper counts the steps."""
    return Environment(name, **{"time_limit": sys.maxsize, **options})


def _register() -> None:
    for name in environment_names():
        identity = f"gradbody/{name}-v0"
        if identity not in gymnasium.registry:
            gymnasium.register(
                id=identity,
                entry_point="gradbody.gym:_without_limit",
                vector_entry_point="gradbody.gym:VectorEnvironment",
                kwargs={"name": name},
                max_episode_steps=Environments(name, 1, threads=1).time_limit,
            )


_register()
