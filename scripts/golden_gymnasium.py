"""Writes one step of Gymnasium's MuJoCo environments to tests/golden/gymnasium/*.json.

Run from anywhere with an interpreter that has `gymnasium[mujoco]`:

    python scripts/golden_gymnasium.py

One file per environment. Each sample is a state in which nothing touches and no joint
is at its limit, an action, and what `env.step` returns from there; a sample in which a
constraint acts in any substep is drawn again. Some environments read positions of
bodies, which MuJoCo brings up to date only at the start of a substep, so what they
return belongs to a moment before the end of the step. `observation_at_end` and
`reward_at_end` are computed by the environment's own methods after `mj_forward`, at the
end of the step.

The rest describes the model: mass matrix (armature included) at the first sample,
masses, ranges, springs, dampers and gears, for the test that compares our files.
`beyond_limits` is the mean, over steps 20 to 60 of ten episodes under random actions,
of how far the worst joint is beyond its range.
"""

import gymnasium
import mujoco
import numpy as np

from golden_io import numbers, packed_upper, write_golden

# Environment, and how far samples go from its initial configuration and from rest.
ENVIRONMENTS = {
    "InvertedPendulum": (0.1, 1.0),
    "HalfCheetah": (0.2, 1.0),
    "Hopper": (0.2, 1.0),
    "Ant": (0.2, 1.0),
    "Walker2d": (0.2, 1.0),
    "Reacher": (0.1, 1.0),
    "Swimmer": (0.5, 1.0),
    "Humanoid": (0.05, 0.5),
}
SAMPLES = 8


def draw(env, rng, spread, speed):
    """A state without contacts and inside all joint ranges."""
    model = env.model
    q = env.init_qpos + rng.uniform(-spread, spread, model.nq)
    v = rng.uniform(-speed, speed, model.nv)
    for j in range(model.njnt):
        address = model.jnt_qposadr[j]
        if model.jnt_type[j] == int(mujoco.mjtJoint.mjJNT_FREE):
            q[address + 2] += 0.2
            q[address + 3 : address + 7] /= np.linalg.norm(q[address + 3 : address + 7])
        elif model.jnt_limited[j]:
            low, high = model.jnt_range[j]
            q[address] = low + (high - low) * rng.uniform(0.3, 0.7)
        elif model.jnt(j).name == "rootz":
            q[address] += 0.4
    if env.spec.id.startswith("InvertedPendulum"):
        q = env.init_qpos + rng.uniform(-spread, spread, model.nq)
    return q, v


def is_free(env, q, v, action):
    """Whether no constraint acts in any substep of a step from here."""
    data = mujoco.MjData(env.model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, action
    for _ in range(env.frame_skip):
        mujoco.mj_step(env.model, data)
        if data.nefc > 0:
            return False
    return True


def reward_at_end(env, name, before, action):
    """The reward with positions of the end of the step: by the environment's own methods."""
    if name == "Ant":
        velocity = (env.data.body(env._main_body).xpos[0] - before) / env.dt
    elif name == "Humanoid":
        velocity = (mass_centre_x(env) - before) / env.dt
    elif name == "Reacher":
        return float(env._get_rew(action)[0])
    else:
        return None
    return float(env._get_rew(velocity, action)[0])


def mass_centre_x(env):
    return float(env.model.body_mass @ env.data.xipos[:, 0] / env.model.body_mass.sum())


def position_before(env, name):
    return mass_centre_x(env) if name == "Humanoid" else float(env.data.xpos[1][0])


def sample(env, name, rng, spread, speed):
    while True:
        q, v = draw(env, rng, spread, speed)
        low, high = env.action_space.low, env.action_space.high
        # The environments take the action as it is, so every digit of it counts.
        action = rng.uniform(low, high).astype(np.float64)
        if is_free(env, q, v, action):
            break
    mujoco.mj_resetData(env.model, env.data)
    env.set_state(q, v)
    before = position_before(env, name)
    observation, reward, terminated, truncated, info = env.step(action)
    mujoco.mj_forward(env.model, env.data)
    at_end = reward_at_end(env, name, before, action)
    return {
        "q": numbers(q),
        "v": numbers(v),
        "action": numbers(action),
        "observation": numbers(observation),
        "reward": float(reward),
        "terminated": bool(terminated),
        "terms": {key: float(x) for key, x in info.items() if key.startswith("reward_")},
        "observation_at_end": numbers(env._get_obs()),
        "reward_at_end": float(reward) if at_end is None else at_end,
        "q_end": numbers(env.data.qpos),
        "v_end": numbers(env.data.qvel),
    }


def description(env, q):
    """The numbers of the model that a step without constraints depends on."""
    model, data = env.model, mujoco.MjData(env.model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    limited = model.jnt_limited.astype(bool)
    return {
        "timestep": float(model.opt.timestep),
        "integrator": mujoco.mjtIntegrator(model.opt.integrator).name.removeprefix("mjINT_"),
        "frame_skip": env.frame_skip,
        "time_limit": gymnasium.spec(env.spec.id).max_episode_steps,
        "init_qpos": numbers(env.init_qpos),
        "total_mass": float(model.body_mass.sum()),
        "mass_matrix": packed_upper(mass),
        "armature": numbers(model.dof_armature),
        "damping": numbers(model.dof_damping),
        "joint_stiffness": numbers(model.jnt_stiffness),
        "joint_limited": [bool(x) for x in limited],
        "joint_range": numbers(model.jnt_range),
        "gear": numbers(model.actuator_gear[:, 0]),
        "control_range": numbers(model.actuator_ctrlrange),
        "density": float(model.opt.density),
        "viscosity": float(model.opt.viscosity),
    }


def beyond_limits(env):
    """How far the worst joint is beyond its range, on average, under random actions."""
    model, rng = env.model, np.random.default_rng(11)
    limited = model.jnt_limited.astype(bool)
    address = model.jnt_qposadr[limited]
    low, high = model.jnt_range[limited].T
    worst = []
    for episode in range(10):
        env.reset(seed=episode)
        for step in range(60):
            env.step(rng.uniform(env.action_space.low, env.action_space.high))
            q = env.data.qpos[address]
            if step >= 20:
                worst.append(max(0.0, np.max(low - q), np.max(q - high)))
    return float(np.mean(worst))


def main():
    print(f"gymnasium {gymnasium.__version__}, mujoco {mujoco.__version__}")
    for name, (spread, speed) in ENVIRONMENTS.items():
        env = gymnasium.make(f"{name}-v5").unwrapped
        rng = np.random.default_rng(7)
        samples = [sample(env, name, rng, spread, speed) for _ in range(SAMPLES)]
        content = {
            "written_by": f"gymnasium {gymnasium.__version__}, mujoco {mujoco.__version__}",
            "environment": f"{name}-v5",
            "model": description(env, np.array(samples[0]["q"])),
            "beyond_limits": beyond_limits(env),
            "samples": samples,
        }
        write_golden("gymnasium", name, content)


if __name__ == "__main__":
    main()
