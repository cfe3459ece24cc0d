#!/usr/bin/env python3
"""Short-horizon actor-critic in a hundred lines of PyTorch: a pole on a cart learns to swing up.

    .venv/bin/python python/examples/shac.py [--iterations 100] [--worlds 64]

Each iteration runs all worlds for a short horizon with the policy in the loop. The gradient of the discounted reward, and of the
critic's value at the end, goes back through gradbody.torch.Step to the policy. The critic then learns from the same states
[Xu et al. 2022, "Accelerated policy learning with parallel differentiable simulation"].

This is a starting point for algorithms of your own. `gradbody train` has the same method, compiled and on vector lanes.
"""

import argparse
import copy

import numpy as np
import torch
from torch import nn

import gradbody as gb
from gradbody.torch import Rollout

HORIZON, DISCOUNT, LAMBDA = 16, 0.99, 0.95
EPISODE = 120  # steps of the policy: 4.8 s
SKIP, DT, FORCE = 4, 0.01, 6.0  # an action is held for 0.04 s and is at most 6 N


def network(outputs):
    return nn.Sequential(nn.Linear(5, 64), nn.ELU(), nn.Linear(64, 64), nn.ELU(), nn.Linear(64, outputs)).double()


def observe(q, v):
    """Position of the cart, direction of the pole (zero is up), velocities."""
    angle = q[:, 1:]
    return torch.cat([q[:, :1], angle.cos(), angle.sin(), 0.3 * v], 1)


def reward(q, v, action):
    return q[:, 1].cos() - 0.1 * q[:, 0] ** 2 - 0.005 * (v**2).sum(1) - 0.01 * action[:, 0] ** 2


class Worlds:
    """Carts with hanging poles; a world starts anew when its episode is over."""

    def __init__(self, n, seed):
        self.rng, self.n = np.random.default_rng(seed), n
        options = gb.Options(DT)
        self.roll = Rollout(gb.Batch(gb.load("cartpole"), n, options=options))
        self.q, self.v = self.starts(n)
        self.age = self.rng.integers(EPISODE, size=n)  # so that episodes do not end together

    def starts(self, n):
        q = np.column_stack([self.rng.uniform(-0.3, 0.3, n), np.pi + self.rng.uniform(-0.3, 0.3, n)])
        return torch.tensor(q), torch.zeros(n, 2, dtype=torch.float64)

    def step(self, q, v, action):
        force = torch.cat([FORCE * action, torch.zeros_like(action)], 1)
        q, v = self.roll(q, v, forces=force[:, None].expand(-1, SKIP, -1))
        return q[:, -1], v[:, -1]

    def renew(self):
        over = self.age >= EPISODE
        self.q[over], self.v[over] = self.starts(int(over.sum()))
        self.age[over] = 0


def train(iterations=100, n=64, seed=0, tell=print):
    """Returns the mean reward of a step, iteration by iteration, and the policy."""
    torch.manual_seed(seed)
    worlds, policy, critic = Worlds(n, seed), network(1), network(1)
    slow, spread = copy.deepcopy(critic), nn.Parameter(torch.full((1,), -1.0, dtype=torch.float64))
    actor = torch.optim.Adam([*policy.parameters(), spread], 2e-3, betas=(0.7, 0.95))
    judge = torch.optim.Adam(critic.parameters(), 2e-3, betas=(0.7, 0.95))
    rewards_so_far = []
    for iteration in range(iterations):
        worlds.renew()
        q, v, seen, rewards = worlds.q, worlds.v, [], []
        for _ in range(HORIZON):
            seen.append(observe(q, v))
            mean = policy(seen[-1])
            action = torch.tanh(mean + spread.exp() * torch.randn_like(mean))
            q, v = worlds.step(q, v, action)
            rewards.append(reward(q, v, action))
        end = slow(observe(q, v))[:, 0]
        loss = -(sum(DISCOUNT**k * r for k, r in enumerate(rewards)) + DISCOUNT**HORIZON * end).mean() / HORIZON
        actor.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*policy.parameters(), spread], 1.0)
        actor.step()
        worlds.q, worlds.v, worlds.age = q.detach(), v.detach(), worlds.age + HORIZON

        # The critic learns λ-returns, from the slow copy of itself.
        x, rewards = torch.stack(seen).detach(), torch.stack(rewards).detach()
        with torch.no_grad():
            values, target, targets = slow(x)[..., 0], end, []
            following = torch.cat([values[1:], end[None]])
            for k in reversed(range(HORIZON)):
                target = rewards[k] + DISCOUNT * ((1 - LAMBDA) * following[k] + LAMBDA * target)
                targets.insert(0, target)
        x, y = x.reshape(-1, 5), torch.stack(targets).reshape(-1)
        for part in torch.randperm(4 * len(x)).remainder(len(x)).chunk(16):
            judge.zero_grad()
            nn.functional.mse_loss(critic(x[part])[:, 0], y[part]).backward()
            judge.step()
        for a, b in zip(slow.parameters(), critic.parameters(), strict=True):
            a.data.lerp_(b.data, 0.4)
        rewards_so_far.append(float(rewards.mean()))
        if iteration % 10 == 9:
            tell(f"iteration {iteration + 1}: mean reward of a step {np.mean(rewards_so_far[-10:]):.3f}")
    return rewards_so_far, policy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    train(args.iterations, args.worlds, args.seed)
