#!/usr/bin/env python3
"""Stable-Baselines3's PPO and SAC, with their default settings, on gradbody's environments: returns over samples and time.

    cargo xtask python && .venv/bin/pip install stable-baselines3
    .venv/bin/python scripts/sb3_baselines.py [--only sac] [--environments Hopper] [--seeds 0 1 2] [--samples 200000]

One run is one JSON file in `out/sb3`, such as `sac-Hopper-0.json`. Runs whose file is there are skipped, so that a study that
was stopped goes on where it was; a file is written whole or not at all. Each file has the settings, the versions, and at ten
moments: samples, seconds (wall clock, and of processor time), and the returns of ten episodes of the policy without noise, whose
starts are the same in all runs of a seed. What judging takes is not in the times. `--table` prints the means of what is there.
"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ALGORITHMS = ("ppo", "sac")
ENVIRONMENTS = ("Hopper", "HalfCheetah")
MOMENTS = 10
EPISODES = 10


def judge(model, environment, seed):
    """The returns of whole episodes of the policy without noise."""
    returns = []
    for episode in range(EPISODES):
        seen, _ = environment.reset(seed=1_000_000 + 1_000 * seed + episode)
        total, over = 0.0, False
        while not over:
            action, _ = model.predict(seen, deterministic=True)
            seen, reward, terminated, truncated, _ = environment.step(action)
            total += float(reward)
            over = terminated or truncated
        returns.append(total)
    return returns


def run(algorithm, name, seed, samples, threads):
    import gymnasium as gym
    import stable_baselines3
    import torch
    from stable_baselines3 import PPO, SAC
    from stable_baselines3.common.callbacks import BaseCallback

    import gradbody.gym  # noqa: F401  (registers the environments)

    torch.set_num_threads(threads)
    environment, other = gym.make(f"gradbody/{name}-v0"), gym.make(f"gradbody/{name}-v0")
    model = {"ppo": PPO, "sac": SAC}[algorithm]("MlpPolicy", environment, seed=seed, device="cpu")
    curve = []
    spent = {"wall": 0.0, "processor": 0.0}

    class Curve(BaseCallback):
        """Judges the policy at some moments, and takes the time between them."""

        def _begin(self):
            self.began = (time.monotonic(), time.process_time())

        def _on_training_start(self):
            self._begin()

        def _on_step(self):
            due = (len(curve) + 1) * samples // MOMENTS
            if self.num_timesteps >= due:
                self.look()
            return self.num_timesteps < samples

        def look(self):
            spent["wall"] += time.monotonic() - self.began[0]
            spent["processor"] += time.process_time() - self.began[1]
            returns = judge(self.model, other, seed)
            curve.append({"samples": self.num_timesteps, **spent, "returns": returns})
            print(f"{algorithm} {name} {seed}: {self.num_timesteps:7,} samples, {spent['wall']:6.0f} s: {np.mean(returns):7.1f}", flush=True)
            self._begin()

    # SB3 asks for whole rollouts; the callback ends the training.
    model.learn(samples, callback=Curve())
    return {
        "algorithm": algorithm,
        "environment": name,
        "seed": seed,
        "samples": samples,
        "threads": threads,
        "versions": {"stable-baselines3": stable_baselines3.__version__, "torch": torch.__version__},
        "curve": curve,
    }


def write(path, found):
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found, indent=1))
    os.replace(part, path)


def table(folder):
    groups = {}
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text())
        groups.setdefault((found["algorithm"], found["environment"]), []).append(found)
    print("algorithm  environment   seeds  samples  mean return of each seed at the end, wall [s], processor [s]")
    for (algorithm, name), runs in sorted(groups.items()):
        last = [run["curve"][-1] for run in runs]
        ends = ", ".join(f"{np.mean(end['returns']):.0f}" for end in last)
        times = [np.mean([end[part] for end in last]) for part in ("wall", "processor")]
        print(f"{algorithm:9}  {name:12}  {len(runs):5}  {last[0]['samples']:7}  {ends}, {times[0]:.0f}, {times[1]:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=ALGORITHMS)
    parser.add_argument("--environments", nargs="+", default=list(ENVIRONMENTS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "sb3")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    args = parser.parse_args()
    if args.samples < MOMENTS:
        parser.error(f"--samples must be at least {MOMENTS}")
    if not args.table:
        for seed in args.seeds:
            for name in args.environments:
                for algorithm in [args.only] if args.only else ALGORITHMS:
                    path = args.out / f"{algorithm}-{name}-{seed}.json"
                    if not path.exists():
                        write(path, run(algorithm, name, seed, args.samples, args.threads))
    table(args.out)


if __name__ == "__main__":
    main()
