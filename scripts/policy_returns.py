#!/usr/bin/env python3
"""The returns of one fixed policy in gradbody's environment and in Gymnasium's.

    cargo xtask python
    .venv/bin/python scripts/policy_returns.py [FILE] [--episodes 50]

The policy is a file that `gradbody train` wrote (policy.safetensors, or the folder of the training), or one of
scripts/ppo_half_cheetah.py (.npz, with --environment), trained in gradbody. Each episode starts with its own random numbers,
which differ between the two; a mean is told with the standard error of the mean. To say how much of the difference is the contact, a
third row has the policy in Gymnasium's environment with the contacts of the file made stiff.
"""

import argparse
from pathlib import Path

import gymnasium
import numpy as np

import gradbody
import gradbody.gym
import policy_file

ROOT = Path(__file__).resolve().parents[1]
# Environments of ours that are Gymnasium's with other observations.
THEIRS = {"AntWithoutContactForces": "Ant"}
# What a policy in the loop of a gradient does not observe: forces.
WITHOUT_FORCES = {
    ("Ant", 27): {"include_cfrc_ext_in_observation": False},
    ("Humanoid", 253): {"include_qfrc_actuator_in_observation": False, "include_cfrc_ext_in_observation": False},
}


def environments(path, name, episodes):
    """Ours and, twice, Gymnasium's, with as many observations as the policy sees."""
    wide = None
    if Path(path).suffix != ".npz":
        policy = gradbody.load_policy(path)
        name, wide = policy.environment, len(policy.observations)
    theirs = THEIRS.get(name, name)
    if f"{theirs}-v5" not in gymnasium.registry:
        raise SystemExit(f"{name} is an environment of gradbody's own, which Gymnasium does not have")
    options = WITHOUT_FORCES.get((theirs, wide), {})
    make = lambda: gymnasium.make_vec(f"{theirs}-v5", num_envs=episodes, vectorization_mode="sync", **options)
    return name, wide, make(), make()


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
    name, wide, theirs, stiff = environments(path, name, episodes)
    print(f"| {name}, {episodes} episodes | mean return | standard error | least | largest |\n|---|---:|---:|---:|---:|")
    stiffen(stiff)
    if wide is None:
        ours = gymnasium.make_vec(f"gradbody/{name}-v0", num_envs=episodes)
        here = lambda: returns(ours, act, seed=100)
    else:
        here = lambda: gradbody.play(path, episodes=episodes, seed=100).returns
    found = {}
    for what, run in [
        ("gradbody", here),
        ("Gymnasium, MuJoCo", lambda: returns(theirs, act, seed=100)),
        ("the same, stiff contacts", lambda: returns(stiff, act, seed=100)),
    ]:
        x = run()
        found[what] = x
        print(f"| {what} | {x.mean():.0f} | {x.std(ddof=1) / len(x) ** 0.5:.0f} | {x.min():.0f} | {x.max():.0f} |", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "tests" / "policies" / "half_cheetah.npz")
    parser.add_argument("--environment", default="HalfCheetah", help="of a policy in an .npz file")
    parser.add_argument("--episodes", type=int, default=50)
    args = parser.parse_args()
    table(args.file, args.environment, args.episodes)


if __name__ == "__main__":
    main()
