"""Writes reference values computed by MuJoCo to tests/golden/mujoco/*.json.

Run from anywhere with an interpreter that has `mujoco` and `gymnasium`:

    python scripts/golden_mujoco.py

One file per Gymnasium model, named by its file in gymnasium/envs/mujoco/assets.
Contacts, limits, dry friction and equality constraints are all disabled, and the
density and viscosity of a fluid are set to zero after loading, so what is left is
the smooth dynamics

    M qacc + qfrc_bias = qfrc_passive + qfrc_actuator,

where M has the joint armature on its diagonal and qfrc_passive is joint springs,
-stiffness (qpos - qpos_spring), plus joint dampers, -damping qvel. The springs
of a model therefore stay on, and `potential` has two parts: `potential_gravity`
and `potential_spring`.

All values are in MuJoCo's own conventions: a free joint has
qpos = [x, y, z, qw, qx, qy, qz] and qvel = [linear velocity in world axes,
angular velocity in body axes]; a joint with a `ref` sits at its XML pose when
qpos equals qpos0. The lists of bodies start with the world.

Each trajectory runs for one second (a whole number of steps) with the Euler
integrator at the model's own timestep, from qpos0 and a random velocity: with
`eulerdamp` false it is plain semi-implicit Euler, with true the joint damping is
implicit. `sensitivity` is how far its end moves when its start moves by 1e-12.
"""

import sys
from pathlib import Path

import gymnasium
import mujoco
import numpy as np

from golden_io import numbers, packed_upper, write_golden

# The models of Gymnasium's newest environment versions.
MODELS = [
    "ant",
    "half_cheetah",
    "hopper",
    "humanoid",
    "inverted_double_pendulum",
    "reacher",
    "swimmer",
    "walker2d_v5",
]
ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
DISABLED = ["CONSTRAINT", "CONTACT", "EQUALITY", "FRICTIONLOSS", "LIMIT"]
FREE = int(mujoco.mjtJoint.mjJNT_FREE)
HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
SAMPLES = 6
# Size of a trajectory's controls, as a fraction of their range: moderate motion.
EFFORT = {"half_cheetah": 0.3}
DEFAULT_EFFORT = 0.03


def load(name):
    """A model without constraints and fluid, and the density and viscosity of its file."""
    model = mujoco.MjModel.from_xml_path(str(ASSETS / f"{name}.xml"))
    for flag in DISABLED:
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    fluid = {"file_density": model.opt.density, "file_viscosity": model.opt.viscosity, "density": 0.0, "viscosity": 0.0}
    model.opt.density = 0.0
    model.opt.viscosity = 0.0
    check_supported(model)
    return model, fluid


def check_supported(model):
    """Checks that nothing acts on these models that the golden file does not describe."""
    assert (model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT)).all()
    assert (model.actuator_gaintype == int(mujoco.mjtGain.mjGAIN_FIXED)).all()
    assert (model.actuator_biastype == int(mujoco.mjtBias.mjBIAS_NONE)).all()
    assert (model.actuator_dyntype == int(mujoco.mjtDyn.mjDYN_NONE)).all()
    assert (model.actuator_gainprm[:, 0] == 1.0).all()
    assert model.actuator_ctrllimited.all()
    polynomials = [model.jnt_stiffnesspoly, model.dof_dampingpoly, model.actuator_damping]
    tendons = [model.tendon_stiffness, model.tendon_damping, model.tendon_armature]
    assert not any(values.any() for values in polynomials + tendons + [model.body_gravcomp])


def names(model, kind, count):
    return [mujoco.mj_id2name(model, kind, i) for i in range(count)]


def description(model):
    """The joints, dofs, actuators and bodies as MuJoCo numbers them."""
    joint_names = names(model, mujoco.mjtObj.mjOBJ_JOINT, model.njnt)
    body_names = names(model, mujoco.mjtObj.mjOBJ_BODY, model.nbody)
    joints = []
    for i, name in enumerate(joint_names):
        joints.append(
            {
                "name": name,
                "type": mujoco.mjtJoint(model.jnt_type[i]).name.removeprefix("mjJNT_").lower(),
                "body": body_names[model.jnt_bodyid[i]],
                "qposadr": int(model.jnt_qposadr[i]),
                "dofadr": int(model.jnt_dofadr[i]),
                "stiffness": float(model.jnt_stiffness[i]),
            }
        )
    bodies = []
    for i, name in enumerate(body_names):
        bodies.append(
            {
                "name": name,
                "parent": body_names[model.body_parentid[i]],
                "mass": float(model.body_mass[i]),
                "ipos": numbers(model.body_ipos[i]),
                "iquat": numbers(model.body_iquat[i]),
                "inertia": numbers(model.body_inertia[i]),
            }
        )
    actuators = [
        {
            "joint": joint_names[model.actuator_trnid[i, 0]],
            "gear": float(model.actuator_gear[i, 0]),
            "ctrlrange": numbers(model.actuator_ctrlrange[i]),
        }
        for i in range(model.nu)
    ]
    return {
        "nq": model.nq,
        "nv": model.nv,
        "nu": model.nu,
        "timestep": model.opt.timestep,
        "gravity_vector": numbers(model.opt.gravity),
        "qpos0": numbers(model.qpos0),
        "qpos_spring": numbers(model.qpos_spring),
        "dof_armature": numbers(model.dof_armature),
        "dof_damping": numbers(model.dof_damping),
        "joints": joints,
        "actuators": actuators,
        "bodies": bodies,
    }


def random_qpos(model, rng):
    """Hinges and slides within 1 of qpos0, free joints with any orientation."""
    qpos = model.qpos0 + rng.uniform(-1.0, 1.0, size=model.nq)
    for kind, start in zip(model.jnt_type, model.jnt_qposadr):
        if kind == FREE:
            quaternion = rng.normal(size=4)
            qpos[start + 3 : start + 7] = quaternion / np.linalg.norm(quaternion)
    return qpos


def random_ctrl(model, rng):
    low, high = model.actuator_ctrlrange.T
    return rng.uniform(low, high)


def state_values(model, rng):
    """Every quantity at one random state, after checking the equation of motion."""
    data = mujoco.MjData(model)
    data.qpos = random_qpos(model, rng)
    data.qvel = rng.uniform(-1.0, 1.0, size=model.nv)
    data.ctrl = random_ctrl(model, rng)
    mujoco.mj_forward(model, data)
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, inertia)
    check_dynamics(model, data, inertia)
    potential, kinetic = data.energy
    gravity_part = -float(model.body_mass @ (data.xipos @ model.opt.gravity))
    spring_part = spring_energy(model, data)
    assert np.isclose(potential, gravity_part + spring_part)
    return {
        "qpos": numbers(data.qpos),
        "qvel": numbers(data.qvel),
        "ctrl": numbers(data.ctrl),
        "M_upper": packed_upper(inertia),
        "qfrc_bias": numbers(data.qfrc_bias),
        "qfrc_passive": numbers(data.qfrc_passive),
        "qfrc_spring": numbers(data.qfrc_spring),
        "qfrc_damper": numbers(data.qfrc_damper),
        "qfrc_actuator": numbers(data.qfrc_actuator),
        "qacc": numbers(data.qacc),
        "xpos": numbers(data.xpos),
        "xquat": numbers(data.xquat),
        "subtree_com": numbers(data.subtree_com[0]),
        "kinetic": float(kinetic),
        "potential": float(potential),
        "potential_gravity": gravity_part,
        "potential_spring": spring_part,
    }


def spring_energy(model, data):
    """Energy of the joint springs; only hinges and slides have one in these models."""
    energy = 0.0
    for i in np.flatnonzero(model.jnt_stiffness):
        assert model.jnt_type[i] in (HINGE, SLIDE)
        at = model.jnt_qposadr[i]
        energy += 0.5 * model.jnt_stiffness[i] * (data.qpos[at] - model.qpos_spring[at]) ** 2
    return float(energy)


def check_dynamics(model, data, inertia):
    """Checks that M is positive definite and the equation of motion holds without constraint forces."""
    np.linalg.cholesky(inertia)
    assert data.nefc == 0 and not data.qfrc_constraint.any() and not data.qfrc_fluid.any()
    assert np.allclose(data.qfrc_passive, data.qfrc_spring + data.qfrc_damper, rtol=1e-14, atol=1e-14)
    assert np.allclose(data.qfrc_damper, -model.dof_damping * data.qvel, rtol=1e-14, atol=0)
    force = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
    scale = np.abs(force).max() + np.abs(data.qfrc_bias).max()
    assert np.abs(inertia @ data.qacc - force).max() < 1e-11 * scale


def simulate(model, qpos, qvel, ctrl):
    """Times, qpos and qvel at equally spaced steps over one second."""
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.ctrl = qpos, qvel, ctrl
    steps = round(1.0 / model.opt.timestep)
    marks = {round(steps * k / (SAMPLES - 1)) for k in range(SAMPLES)}
    samples = []
    for step in range(steps + 1):
        if step in marks:
            samples.append({"step": step, "qpos": numbers(data.qpos), "qvel": numbers(data.qvel)})
        mujoco.mj_step(model, data)
    assert all(warning.number == 0 for warning in data.warning)
    return samples


def sensitivity(model, qvel, ctrl, end, rng):
    """Change of the end state when every number of the start moves by 1e-12."""
    signs = rng.choice([-1.0, 1.0], size=model.nq + model.nv)
    moved = simulate(model, model.qpos0 + 1e-12 * signs[: model.nq], qvel + 1e-12 * signs[model.nq :], ctrl)[-1]
    return max(np.abs(np.subtract(moved[key], end[key])).max() for key in ("qpos", "qvel"))


def trajectories(model, effort, rng):
    """Four runs: with and without implicit damping, with zero and with constant controls."""
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    flag = int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
    qvel = rng.uniform(-1.0, 1.0, size=model.nv)
    constant = effort * random_ctrl(model, rng)
    runs = []
    for eulerdamp in (False, True):
        model.opt.disableflags = model.opt.disableflags & ~flag if eulerdamp else model.opt.disableflags | flag
        for ctrl in (np.zeros(model.nu), constant):
            samples = simulate(model, model.qpos0, qvel, ctrl)
            moved = sensitivity(model, qvel, ctrl, samples[-1], rng)
            assert moved < 1e-9, f"too sensitive: {moved}"
            runs.append(
                {"eulerdamp": eulerdamp, "ctrl": numbers(ctrl), "sensitivity": float(moved), "samples": samples}
            )
    return runs


def main():
    # Without a handler MuJoCo writes its warnings to a log file in the current folder.
    mujoco.set_mju_user_warning(lambda message: print(f"warning: {message}", file=sys.stderr))
    for number, name in enumerate(MODELS):
        model, fluid = load(name)
        rng = np.random.default_rng([4, number])
        content = {
            "generator": Path(__file__).name,
            "mujoco": mujoco.__version__,
            "gymnasium": gymnasium.__version__,
            "model": f"{name}.xml",
            "disabled": [f"mjDSBL_{flag}" for flag in DISABLED],
            "fluid": fluid,
        }
        content |= description(model)
        content["states"] = [state_values(model, rng) for _ in range(2)]
        content["trajectories"] = trajectories(model, EFFORT.get(name, DEFAULT_EFFORT), rng)
        write_golden("mujoco", name, content)


if __name__ == "__main__":
    main()
