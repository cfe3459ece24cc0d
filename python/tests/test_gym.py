"""Gymnasium and Stable-Baselines3: their own checkers, modes of starting anew, gradients."""

from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import gradbody as gb
import gradbody.gym

NAMES = gb.environment_names()

# Of one episode of the policy in tests/policies, here and on MuJoCo. Without a policy the cheetah gets about zero.
LEAST_RETURNS = (4000, 200)


def test_environments_are_registered():
    gymnasium.register_envs(gradbody.gym)
    assert {f"gradbody/{name}-v0" for name in NAMES} <= gymnasium.registry.keys()
    assert {"Ant", "HalfCheetah", "Hopper", "Walker2d", "Humanoid", "Swimmer", "InvertedPendulum", "Reacher"} <= set(NAMES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_finds_nothing_wrong(name):
    env = gymnasium.make(f"gradbody/{name}-v0")
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", ["Ant", "HalfCheetah", "Hopper", "Walker2d", "Humanoid", "Swimmer", "InvertedPendulum", "Reacher"])
def test_spaces_and_limits_are_those_of_gymnasium(name):
    theirs = gymnasium.make(f"{name}-v5")
    ours = gymnasium.make(f"gradbody/{name}-v0")
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.spec.max_episode_steps == theirs.spec.max_episode_steps
    assert abs(ours.unwrapped.dt - theirs.unwrapped.dt) < 1e-12


def test_an_ant_observes_contact_forces_or_not():
    seen = gymnasium.make("gradbody/Ant-v0").observation_space.shape
    without = gymnasium.make("gradbody/AntWithoutContactForces-v0").observation_space
    assert seen == (105,) and without.shape == (27,)
    assert without == gymnasium.make("Ant-v5", include_cfrc_ext_in_observation=False).observation_space


@pytest.mark.parametrize("name", ["Ant", "Hopper", "Walker2d", "Humanoid", "InvertedPendulum"])
def test_episodes_end_where_those_of_gymnasium_do(name, rng):
    """From states around the bounds, with nothing done for a step: whether it ends there."""
    theirs, ours = gymnasium.make(f"{name}-v5").unwrapped, gymnasium.make(f"gradbody/{name}-v0").unwrapped
    theirs.reset(seed=0)
    ours.reset(seed=0)
    height = 1 if name in ("Hopper", "Walker2d") else 2
    ends = []
    for x in np.linspace(-1, 1, 41):
        q, v = theirs.init_qpos.copy(), np.zeros(theirs.model.nv)
        if name == "InvertedPendulum":
            q[1] = 0.4 * x
        else:
            # From within the ground to far above it.
            q[height] = 1.2 + 1.15 * x if name != "Humanoid" else 1.6 + 0.9 * x
        theirs.set_state(q, v)
        ours.worlds.set_states(q[None], v[None])
        action = np.zeros(theirs.action_space.shape, np.float32)
        end, ended = theirs.step(action)[2], ours.step(action)[2]
        # What touches is pushed apart differently, and so are joints beyond their limits: this matters next to a bound.
        told = theirs.data.qpos[1 if name == "InvertedPendulum" else height]
        bounds = {"Ant": (0.2, 1), "Hopper": (0.7,), "Walker2d": (0.8, 2), "Humanoid": (1, 2), "InvertedPendulum": (-0.2, 0.2)}
        if theirs.data.nefc == 0 or min(abs(told - bound) for bound in bounds[name]) > 0.1:
            assert end == ended, (x, told)
        ends.append(end)
    assert any(ends) and not all(ends)


@pytest.mark.parametrize("name", ["HalfCheetah", "Swimmer", "Reacher", "InvertedPendulum"])
def test_a_step_in_the_air_is_that_of_gymnasium(name, rng):
    """From the same state, under the same action: observations and rewards, where nothing touches."""
    theirs = gymnasium.make(f"{name}-v5").unwrapped
    ours = gymnasium.make(f"gradbody/{name}-v0").unwrapped
    theirs.reset(seed=0)
    ours.reset(seed=0)
    for _ in range(5):
        q = theirs.init_qpos + 0.05 * rng.normal(size=theirs.model.nq)
        v = 0.1 * rng.normal(size=theirs.model.nv)
        if name == "HalfCheetah":
            q[1] += 2
        theirs.set_state(q, v)
        ours.worlds.set_states(q[None], v[None])
        action = rng.uniform(-0.5, 0.5, theirs.action_space.shape)
        expected, reward, *_ = theirs.step(action)
        found, our_reward, *_ = ours.step(action)
        # Gymnasium's Reacher reads positions of bodies from before the last time step of MuJoCo.
        close = 1e-6 if name != "Reacher" else 2e-2
        assert np.abs(found - expected).max() < close
        assert abs(reward - our_reward) < close


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_worlds_start_anew_as_gymnasium_does(mode):
    name = "InvertedPendulum"
    ours = gymnasium.make_vec(f"gradbody/{name}-v0", num_envs=3, autoreset_mode=mode)
    theirs = gymnasium.make_vec(
        f"{name}-v5", num_envs=3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}
    )
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == mode
    for envs in (ours, theirs):
        first, _ = envs.reset(seed=1)
        assert first.shape == (3, 4)
        seen = first
        for _ in range(200):
            seen, reward, terminated, truncated, info = envs.step(np.full((3, 1), 3.0, np.float32))
            if terminated.any():
                break
        assert terminated.any() and not truncated.any()
        world = int(np.flatnonzero(terminated)[0])
        if mode == AutoresetMode.SAME_STEP:
            assert abs(info["final_obs"][world][1]) > 0.2 > abs(seen[world][1])
            assert info["_final_obs"].tolist() == terminated.tolist()
            assert "final_info" in info and info["_final_info"].tolist() == terminated.tolist()
        else:
            assert abs(seen[world][1]) > 0.2
        if mode == AutoresetMode.NEXT_STEP:
            seen, reward, terminated, truncated, _ = envs.step(np.full((3, 1), 3.0, np.float32))
            assert abs(seen[world][1]) < 0.02 and reward[world] == 0 and not terminated[world]
        if mode == AutoresetMode.DISABLED:
            mask = terminated.copy()
            others = seen[~mask].copy()
            seen, _ = envs.reset(options={"reset_mask": mask})
            assert (np.abs(seen[mask][:, 1]) < 0.02).all() and (seen[~mask] == others).all()
            envs.step(np.zeros((3, 1), np.float32))


def test_the_last_position_of_an_episode_is_told():
    envs = gradbody.gym.VectorEnvironment("HalfCheetah", 2, AutoresetMode.SAME_STEP, max_episode_steps=5)
    envs.reset(seed=0)
    for _ in range(5):
        before = envs.worlds.states()[0][:, 0]
        seen, _, terminated, truncated, info = envs.step(np.ones((2, 6)))
    assert truncated.all() and not terminated.any()
    last = info["final_info"]
    assert last["_x_position"].all() and (np.abs(last["x_position"] - before) < 0.2).all()
    assert (last["x_position"] != info["x_position"]).all()
    assert (last["reward_forward"] == info["reward_forward"]).all()


@pytest.mark.parametrize(("given", "limit"), [(None, 1000), (7, 7), (1500, 1500), (-1, None)])
def test_step_limits_are_those_that_are_asked_for(given, limit):
    one = gymnasium.make("gradbody/HalfCheetah-v0", max_episode_steps=given)
    many = gymnasium.make_vec("gradbody/HalfCheetah-v0", num_envs=2, max_episode_steps=given)
    one.reset(seed=0)
    many.reset(seed=0)
    for k in range(1, 1600):
        truncated = [one.step(np.zeros(6, np.float32))[3], *many.step(np.zeros((2, 6), np.float32))[3]]
        assert truncated == [k == limit] * 3, k
        if k == limit:
            break


def test_starts_without_a_seed_differ():
    starts = []
    for _ in range(2):
        env = gymnasium.make("gradbody/Ant-v0")
        _ = env.unwrapped.np_random
        starts.append(env.reset()[0])
    assert (starts[0] != starts[1]).any()


def test_states_without_a_direction_are_refused_and_others_normalised():
    worlds = gb.Environments("Ant", 1)
    q, v = worlds.states()
    q[0, 3:7] *= 2
    worlds.set_states(q, v)
    assert abs(np.linalg.norm(worlds.states()[0][0, 3:7]) - 1) < 1e-12
    q[0, 3:7] = 0
    with pytest.raises(ValueError, match="without a direction"):
        worlds.set_states(q, v)


def test_a_step_after_the_end_needs_a_reset():
    env = gymnasium.make("gradbody/InvertedPendulum-v0", disable_env_checker=True).unwrapped
    env.reset(seed=0)
    for _ in range(200):
        *_, terminated, _, _ = env.step(np.array([3.0], np.float32))
        if terminated:
            break
    with pytest.raises(ValueError, match="episode of world 0 has ended: reset it"):
        env.step(np.array([0.0], np.float32))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bits_do_not_depend_on_worlds_and_threads(dtype):
    def run(n, threads):
        envs = gradbody.gym.VectorEnvironment("HalfCheetah", n, dtype=dtype, threads=threads)
        envs.reset(seed=3)
        return [envs.step(np.full((n, 6), 0.3 * (-1) ** k))[:2] for k in range(20)]

    for (few, few_r), (many, many_r) in zip(run(3, 1), run(21, 2), strict=True):
        assert (few == many[:3]).all() and (few_r == many_r[:3]).all()


def test_the_gradient_of_a_return_agrees_with_differences(rng):
    envs = gymnasium.make_vec("gradbody/HalfCheetah-v0", num_envs=2).unwrapped
    envs.reset(seed=0)
    actions = rng.uniform(-0.3, 0.3, (2, 3, 6))
    found = envs.gradient(actions, discount=0.9)
    assert found.failures == {} and found.actions.shape == (2, 3, 6)
    direction = rng.normal(size=actions.shape)
    h = 1e-6
    up, down = (envs.gradient(actions + s * h * direction, 0.9).returns for s in (1, -1))
    slope = (up - down) / (2 * h)
    assert np.abs(slope - (found.actions * direction).sum((1, 2))).max() < 1e-4 * np.abs(slope).max()
    # By the start.
    q, v = envs.worlds.states()
    dq, dv = rng.normal(size=q.shape), rng.normal(size=v.shape)

    def moved(s):
        few = gb.Environments("HalfCheetah", 2)
        few.set_states(q + s * dq, v + s * dv)
        return few.gradient(actions, 0.9)["returns"]

    slope = (moved(h) - moved(-h)) / (2 * h)
    assert np.abs(slope - (found.q * dq).sum(1) - (found.v * dv).sum(1)).max() < 1e-4 * np.abs(slope).max()
    one = gymnasium.make("gradbody/HalfCheetah-v0").unwrapped
    one.reset(seed=0)
    assert one.gradient(actions[0]).returns.shape == (1,)


def test_commands_are_seen_and_can_be_set():
    envs = gymnasium.make_vec("gradbody/LaikagoCommands-v0", num_envs=3)
    seen, _ = envs.reset(seed=0)
    worlds = envs.unwrapped.worlds
    assert worlds.n_commands == 3 and worlds.commands.shape == (3, 3)
    assert (seen[:, -3:] == worlds.commands).all()
    given = np.array([[0.5, 0, 0], [0, 0.2, 0], [0, 0, -0.5]])
    assert (worlds.set_commands(given)[:, -3:] == given).all() and (worlds.commands == given).all()
    with pytest.raises(ValueError, match="n_commands=3"):
        worlds.set_commands(given[:, :2])
    assert gb.Environments("Hopper", 2).commands.shape == (2, 0)


def test_an_episode_of_a_pendulum_is_paid_by_its_squared_distance():
    env = gymnasium.make("gradbody/Pendulum3-v0")
    seen, _ = env.reset(seed=0)
    assert seen.tolist() == [1] * 3 + [0] * 6 and env.spec.max_episode_steps == 100
    total = sum(env.step(env.action_space.sample())[1] for _ in range(100))
    q = env.unwrapped.worlds.states()[0][0]
    y, z = (0.5 * f(np.cumsum(q)).sum() for f in (np.cos, np.sin))
    assert abs(total - (4.5 - y**2 - (z - 1.5) ** 2)) < 1e-10
    assert "x_position" not in env.step(env.action_space.sample())[4]


def test_disturbed_worlds_go_on_from_a_snapshot():
    options = dict(
        randomise={"link/*/mass": (0.8, 1.2)},
        randomise_values={"shape/ground/friction": (0.4, 1.2)},
        delay=(0, 2),
        pushes=(0.5, 0.5),
        time_limit=20,
    )
    one, other = (gb.Environments("LaikagoCommands", 4, seed=seed, **options) for seed in (1, 2))
    actions = np.random.default_rng(0).uniform(-1, 1, (60, 4, 12))
    for action in actions[:30]:
        one.step(action)
    seen = other.restore(*one.snapshot())
    assert seen.shape == (4, one.n_observations)
    for action in actions[30:]:
        ours, theirs = one.step(action), other.step(action)
        assert (ours["observations"] == theirs["observations"]).all() and (ours["rewards"] == theirs["rewards"]).all()
    with pytest.raises(ValueError, match="does not belong to these worlds"):
        gb.Environments("Hopper", 4).restore(*one.snapshot())
    plain = gb.Environments("LaikagoCommands", 4, seed=1)
    assert (plain.step(actions[0])["observations"] != gb.Environments("LaikagoCommands", 4, seed=1, delay=1).step(actions[0])["observations"]).any()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: gb.Environments("Ant", 1, randomise={"link/tors/mass": (1, 1)}), ValueError, "link/tors/mass"),
        (lambda: gb.Environments("Ant", 1, randomise={"link/*/mass": 2}), ValueError, "give two numbers"),
        (lambda: gb.Environments("Ant", 1, delay=(3, 1)), ValueError, "a delay of 3 to 1 steps"),
        (lambda: gb.Environments("Ant", 1, pushes=(1.0, 0.0)), ValueError, "positive mean time"),
        (lambda: gb.Environments("HalfCheeta", 1), ValueError, 'did you mean "HalfCheetah"'),
        (lambda: gb.Environments("Ant", 0), ValueError, "at least one world"),
        (lambda: gb.Environments("Ant", 1, autoreset="later"), ValueError, "next-step"),
        (lambda: gb.Environments("Ant", 1).step([[np.nan] * 8]), ValueError, r"actions\[0, 0\] is NaN"),
        (lambda: gb.Environments("Ant", 1).step(np.zeros(8)), ValueError, r"needs \(n=1, actions=8\)"),
        (lambda: gymnasium.make("gradbody/Ant-v0", render_mode="human"), ValueError, "render_mode"),
        (lambda: gradbody.gym.VectorEnvironment("Ant", 2).reset(seed=[1, 2]), ValueError, "one seed"),
        (lambda: gradbody.gym.VectorEnvironment("Ant", 2).reset(options={"reset_mask": [1, 0]}), ValueError, "bools"),
    ],
)
def test_wrong_arguments_get_one_clear_message(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.filterwarnings("ignore")
def test_stable_baselines_checks_and_learns():
    sb3 = pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env as check

    from gradbody.sb3 import VecEnvironment

    check(gradbody.gym.Environment("HalfCheetah"), skip_render_check=True)
    envs = VecEnvironment("InvertedPendulum", 32, threads=1)
    envs.seed(0)
    model = sb3.PPO("MlpPolicy", envs, n_steps=32, batch_size=256, learning_rate=1e-3, seed=0, device="cpu")

    def score():
        return np.mean([episode["l"] for episode in model.ep_info_buffer])

    model.learn(2048)
    before = score()
    model.learn(40_000, reset_num_timesteps=False)
    assert score() > 2 * before
    # The same policy on MuJoCo.
    theirs = gymnasium.make("InvertedPendulum-v5")
    assert episode(theirs, lambda seen: model.predict(seen, deterministic=True)[0])[1] > 2 * before


def episode(env, act):
    """Return and length of an episode."""
    seen, _ = env.reset(seed=1)
    total, length, ended = 0.0, 0, False
    while not ended:
        seen, reward, terminated, truncated, _ = env.step(act(seen))
        total, length, ended = total + reward, length + 1, terminated or truncated
    return total, length


def test_a_policy_that_learned_in_gradbody_runs_in_both(monkeypatch):
    """The policy of tests/policies: scripts/ppo_half_cheetah.py wrote it, scripts/policy_returns.py has its returns."""
    root = Path(__file__).resolve().parents[2]
    monkeypatch.syspath_prepend(root / "scripts")
    import policy_file

    act = policy_file.load(root / "tests" / "policies" / "half_cheetah.npz")
    found = {name: episode(gymnasium.make(name), act) for name in ["gradbody/HalfCheetah-v0", "HalfCheetah-v5"]}
    assert all(length == 1000 for _, length in found.values())
    assert found["gradbody/HalfCheetah-v0"][0] > LEAST_RETURNS[0] and found["HalfCheetah-v5"][0] > LEAST_RETURNS[1]
