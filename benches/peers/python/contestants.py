"""One way to step many robots, in a process of its own: `contestants.py NAME ROBOT FOLDER`.

For each line on stdin it runs for about half a second and prints steps, seconds and processor seconds of all threads (not of
other processes, which "async" has).
Every robot lies or stands in contact: it settles without controls, then gets small random ones. A step is one time step
of the simulation (0.01 s; the Laikago 0.002 s), so an environment's step with its frame skip counts as several.
"""

import json
import os
import resource
import sys
import time

import numpy as np

THREADS = 2
SKIP = 5
SECONDS = 0.5
HORIZON = 20
ENVIRONMENTS = {"Ant": "Ant", "HalfCheetah": "HalfCheetah", "Laikago": "LaikagoWalk"}


def controls(robot, ranges):
    """The range of controls; of the Laikago's servos, a fifth of a radian around where they hold it."""
    if robot != "Laikago":
        return ranges[:, 0], ranges[:, 1]
    hold = np.array([0, 0.7, -1.4] * 4)
    return hold - 0.2, hold + 0.2


def actions(worlds, width, low, high):
    """Small random controls."""
    rng = np.random.default_rng(0)
    middle, reach = (low + high) / 2, (high - low) / 2
    return middle + 0.1 * reach * rng.uniform(-1, 1, (worlds, width))


# --- gradbody -------------------------------------------------------------------------------------


def batch(dtype):
    def make(robot, folder, worlds=2048):
        import gradbody as gb

        model = gb.load(f"{folder}/gradbody/{robot}.xml")
        options = gb.Options(integrator="rk4" if robot == "Ant" else "implicit-damping")
        many = gb.Batch(model, worlds, options=options, dtype=dtype, threads=THREADS)
        start = model.keyframe(model.keyframe_names[0])
        low, high = controls(robot, model.control_ranges)
        rest = np.tile((low + high) / 2, (300, 1))
        settled = gb.rollout(model, start, rest, options=options).end
        many.reset(list(range(worlds)), settled)
        control = actions(worlds, model.nu, low, high)
        for _ in range(50):
            many.step(control)
        return (lambda: many.step(control)), worlds

    return make


def environment(dtype):
    def make(robot, folder, worlds=2048):
        import gradbody as gb

        envs = gb.Environments(ENVIRONMENTS[robot], worlds, dtype=dtype, threads=THREADS)
        control = actions(worlds, envs.n_actions, envs.action_low, envs.action_high)
        for _ in range(30):
            envs.step(control)
        return (lambda: envs.step(control)), worlds * SKIP

    return make


def gradient(dtype):
    def make(robot, folder, worlds=512):
        import gradbody as gb

        envs = gb.Environments(ENVIRONMENTS[robot], worlds, dtype=dtype, threads=THREADS)
        control = actions(worlds, envs.n_actions, envs.action_low, envs.action_high)
        for _ in range(30):
            envs.step(control)
        held = np.repeat(control[:, None], HORIZON // SKIP, axis=1)
        return (lambda: envs.gradient(held)), worlds * HORIZON

    return make


# --- MuJoCo ---------------------------------------------------------------------------------------


def settled(robot, folder):
    import mujoco

    model = mujoco.MjModel.from_xml_path(f"{folder}/mujoco/{robot}.xml")
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    low, high = controls(robot, model.actuator_ctrlrange)
    data.ctrl[:] = (low + high) / 2
    for _ in range(300):
        mujoco.mj_step(model, data)
    assert data.ncon > 0, "nothing touches"
    return model, data, low, high


def mujoco_rollout(robot, folder, worlds=256, steps=20):
    import mujoco
    from mujoco import rollout

    model, data, low, high = settled(robot, folder)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(size)
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.tile(state, (worlds, 1))
    control = np.repeat(actions(worlds, model.nu, low, high)[:, None], steps, axis=1)
    pool = rollout.Rollout(nthread=THREADS)
    datas = [mujoco.MjData(model) for _ in range(THREADS)]
    return (lambda: pool.rollout(model, datas, states, control)), worlds * steps


def mujoco_batch(robot, folder, worlds=256):
    from mujoco import batch

    model, data, low, high = settled(robot, folder)
    return bound(batch.Batch(model, worlds, THREADS), model, data, low, high, worlds)


def mjbatch(robot, folder, worlds=256):
    import mjbatch

    model, data, low, high = settled(robot, folder)
    return bound(mjbatch.Batch(model, worlds, THREADS), model, data, low, high, worlds)


def bound(many, model, data, low, high, worlds):
    many.bind("qpos")[:] = data.qpos
    many.bind("qvel")[:] = data.qvel
    many.bind("ctrl")[:] = actions(worlds, model.nu, low, high)
    many.step(nstep=50)
    return (lambda: many.step(nstep=SKIP)), worlds * SKIP


def gymnasium(mode):
    def make(robot, folder, worlds=16):
        import gymnasium

        envs = gymnasium.make_vec(f"{robot}-v5", num_envs=worlds, vectorization_mode=mode)
        envs.reset(seed=0)
        low, high = envs.single_action_space.low, envs.single_action_space.high
        control = actions(worlds, len(low), low, high).astype(np.float32)
        for _ in range(20):
            envs.step(control)
        return (lambda: envs.step(control)), worlds * SKIP

    return make


def envpool(robot, folder, worlds=64):
    import envpool

    known = [name for name in envpool.list_all_envs() if name.startswith(f"{robot}-v")]
    envs = envpool.make(max(known), env_type="gymnasium", num_envs=worlds, num_threads=THREADS)
    envs.reset()
    space = envs.action_space
    control = actions(worlds, space.shape[-1], space.low, space.high)
    for _ in range(20):
        envs.step(control)
    return (lambda: envs.step(control)), worlds * SKIP


# --- MJX ------------------------------------------------------------------------------------------


def mjx_gradient(robot, folder, worlds=64):
    import jax
    import jax.numpy as jnp
    from mujoco import mjx

    model, data, low, high = settled(robot, folder)
    # Its solver can be differentiated backwards with one iteration only.
    model.opt.iterations, model.opt.ls_iterations = 1, 4
    on_device = mjx.put_model(model)
    start = mjx.put_data(model, data)
    control = jnp.asarray(actions(worlds, model.nu, low, high))

    def motion(ctrl):
        def step(d, _):
            return mjx.step(on_device, d.replace(ctrl=ctrl)), None

        end, _ = jax.lax.scan(step, start, None, length=HORIZON)
        return end.qpos[0]

    run = jax.jit(jax.vmap(jax.grad(motion)))
    assert np.isfinite(np.asarray(run(control))).all(), "its gradient is not finite"
    return (lambda: jax.block_until_ready(run(control))), worlds * HORIZON


CONTESTANTS = {
    "gradbody Batch, float64": batch("float64"),
    "gradbody Batch, float32": batch("float32"),
    "gradbody environments, float64": environment("float64"),
    "gradbody environments, float32": environment("float32"),
    "mujoco.rollout": mujoco_rollout,
    "mujoco.batch": mujoco_batch,
    "mjbatch": mjbatch,
    "gymnasium, sync": gymnasium("sync"),
    "gymnasium, async": gymnasium("async"),
    "envpool": envpool,
    "gradbody gradient, float64": gradient("float64"),
    "gradbody gradient, float32": gradient("float32"),
    "MJX gradient": mjx_gradient,
}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    name, robot, folder = sys.argv[1:]
    # What libraries print must not mix with what is told.
    told, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    run, steps = CONTESTANTS[name](robot, folder)
    run()
    print("ready", file=told, flush=True)
    for _ in sys.stdin:
        count, begin, processor = 0, time.perf_counter(), processor_seconds()
        while time.perf_counter() - begin < SECONDS:
            run()
            count += steps
        seconds = time.perf_counter() - begin
        print(json.dumps([count, seconds, processor_seconds() - processor]), file=told, flush=True)


if __name__ == "__main__":
    main()
