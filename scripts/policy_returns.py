#!/usr/bin/env python3
"""The returns of one fixed policy in gradbody's environment and in Gymnasium's.

    cargo xtask python
    .venv/bin/python scripts/policy_returns.py [FILE] [--environment HalfCheetah] [--episodes 50]

The policy is a file that scripts/ppo_half_cheetah.py wrote, trained in gradbody. Each episode starts with its own random numbers,
which differ between the two; a mean is told with the standard error of the mean. To say how much of the difference is the contact, a
third row has the policy in Gymnasium's environment with the contacts of the file made stiff.
"""

import argparse
from pathlib import Path

import gymnasium
import numpy as np

import gradbody.gym
import policy_file

ROOT = Path(__file__).resolve().parents[1]


def returns(envs, act, seed):
    """The return of the first episode of each world."""
    seen, _ = envs.reset(seed=seed)
    total, running = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    while running.any():
        seen, reward, terminated, truncated, _ = envs.step(act(seen).astype(np.float32))
        total += np.where(running, reward, 0)
        running &= ~(terminated | truncated)
    return total


def stiffen(envs):
    """Makes the contacts of MuJoCo's models nearly rigid: a time constant of two time steps, full impedance."""
    for env in envs.envs:
        model = env.unwrapped.model
        model.geom_solref[:] = [2 * model.opt.timestep, 1]
        model.geom_solimp[:, :2] = [0.99, 0.999]


def table(path, name="HalfCheetah", episodes=50):
    act = policy_file.load(path)
    print(f"| {name}, {episodes} episodes | mean return | standard error | least | largest |\n|---|---:|---:|---:|---:|")
    ours = gymnasium.make_vec(f"gradbody/{name}-v0", num_envs=episodes)
    theirs, stiff = (gymnasium.make_vec(f"{name}-v5", num_envs=episodes, vectorization_mode="sync") for _ in range(2))
    stiffen(stiff)
    found = {}
    for what, envs in [("gradbody", ours), ("Gymnasium, MuJoCo", theirs), ("the same, stiff contacts", stiff)]:
        x = returns(envs, act, seed=100)
        found[what] = x
        print(f"| {what} | {x.mean():.0f} | {x.std(ddof=1) / len(x) ** 0.5:.0f} | {x.min():.0f} | {x.max():.0f} |", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "tests" / "policies" / "half_cheetah.npz")
    parser.add_argument("--environment", default="HalfCheetah")
    parser.add_argument("--episodes", type=int, default=50)
    args = parser.parse_args()
    table(args.file, args.environment, args.episodes)


if __name__ == "__main__":
    main()
