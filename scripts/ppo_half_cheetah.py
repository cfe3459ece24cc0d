#!/usr/bin/env python3
"""Stable-Baselines3's PPO learns to run in gradbody's HalfCheetah; its policy is then judged in Gymnasium's, on MuJoCo.

    cargo xtask python
    .venv/bin/python scripts/ppo_half_cheetah.py [--minutes 10] [--out tests/policies/half_cheetah.npz]

Prints the mean return of training episodes as it goes, and at the end the returns of the policy in both
(scripts/policy_returns.py has more episodes). PPO's settings are usual ones for this environment; the observations are shifted
and scaled by their running mean and spread, which are part of the file.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

import policy_file
from gradbody.sb3 import VecEnvironment

ROOT = Path(__file__).resolve().parents[1]


class Clock(BaseCallback):
    """Ends the training after some minutes, and tells how it goes."""

    def __init__(self, minutes):
        super().__init__()
        self.end, self.begin = minutes * 60, time.monotonic()

    def _on_step(self):
        return time.monotonic() - self.begin < self.end

    def _on_rollout_end(self):
        done = [episode["r"] for episode in self.model.ep_info_buffer]
        if done:
            seconds = time.monotonic() - self.begin
            print(f"{self.num_timesteps:9,} steps, {seconds:5.0f} s: return {np.mean(done):7.1f}", flush=True)


def train(minutes, steps, worlds=64, seed=0):
    torch.set_num_threads(1)
    inner = VecEnvironment("HalfCheetah", worlds)
    inner.seed(seed)
    envs = VecNormalize(inner, gamma=0.98)
    ppo = PPO(
        "MlpPolicy", envs, n_steps=128, batch_size=1024, n_epochs=8, gamma=0.98, gae_lambda=0.92, learning_rate=3e-4,
        clip_range=0.1, ent_coef=4e-4, vf_coef=0.6, max_grad_norm=0.8, seed=seed, device="cpu",
        policy_kwargs={"net_arch": [32, 32], "log_std_init": -1.0},
    )
    ppo.learn(steps, callback=Clock(minutes))
    return ppo, envs


def write(path, ppo, envs):
    modules = [*ppo.policy.mlp_extractor.policy_net, ppo.policy.action_net]
    layers = [(m.weight.detach().numpy(), m.bias.detach().numpy()) for m in modules if isinstance(m, torch.nn.Linear)]
    seen = envs.obs_rms
    policy_file.save(path, seen.mean, np.sqrt(seen.var + envs.epsilon), layers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--out", type=Path, default=ROOT / "tests" / "policies" / "half_cheetah.npz")
    args = parser.parse_args()
    begin, processor = time.monotonic(), time.process_time()
    ppo, envs = train(args.minutes, args.steps)
    write(args.out, ppo, envs)
    print(f"{ppo.num_timesteps:,} steps in {time.monotonic() - begin:.0f} s ({time.process_time() - processor:.0f} s of processor time)")
    from policy_returns import table

    table(args.out, episodes=10)


if __name__ == "__main__":
    main()
