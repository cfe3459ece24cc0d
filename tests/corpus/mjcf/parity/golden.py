"""Writes what MuJoCo makes of the models beside this file, and of those in models/, to NAME.json.

Run from anywhere with an interpreter that has `mujoco`:

    python tests/corpus/mjcf/parity/golden.py

The fields are those of tests/golden/mujoco, without dynamics. The armature and damping that an
actuator adds at its joint (times gear squared) are counted with those of the joint.
"""

import json
from pathlib import Path

import mujoco
import numpy as np

HERE = Path(__file__).parent
TYPES = ["free", "ball", "slide", "hinge"]


def model_values(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    states = []
    for _ in range(3):
        qpos = model.qpos0.copy()
        mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 0.5)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        states.append({
            "qpos": qpos.tolist(),
            "xpos": data.xpos.tolist(),
            "xquat": data.xquat.tolist(),
            "site_xpos": data.site_xpos.tolist(),
            "geom_xpos": data.geom_xpos.tolist(),
            "geom_xmat": data.geom_xmat.tolist(),
        })
    armature, damping = model.dof_armature.copy(), model.dof_damping.copy()
    for i in range(model.nu):
        dof = model.jnt_dofadr[model.actuator_trnid[i, 0]]
        gear = model.actuator_gear[i, 0]
        armature[dof] += gear**2 * model.actuator_armature[i]
        damping[dof] += gear**2 * model.actuator_damping[i]
    name = lambda thing: thing.name or None
    limited = lambda on, values: values.tolist() if on else None
    return {
        "model": path.name,
        "mujoco": mujoco.__version__,
        "timestep": model.opt.timestep,
        "gravity_vector": model.opt.gravity.tolist(),
        "qpos0": model.qpos0.tolist(),
        "qpos_spring": model.qpos_spring.tolist(),
        "dof_armature": armature.tolist(),
        "dof_damping": damping.tolist(),
        "dof_frictionloss": model.dof_frictionloss.tolist(),
        "joints": [
            {
                "name": name(model.joint(i)),
                "type": TYPES[model.jnt_type[i]],
                "body": name(model.body(model.jnt_bodyid[i])),
                "qposadr": int(model.jnt_qposadr[i]),
                "dofadr": int(model.jnt_dofadr[i]),
                "stiffness": model.jnt_stiffness[i],
                "range": limited(model.jnt_limited[i], model.jnt_range[i]),
            }
            for i in range(model.njnt)
        ],
        "bodies": [
            {
                "name": name(model.body(i)),
                "mass": model.body_mass[i],
                "ipos": model.body_ipos[i].tolist(),
                "iquat": model.body_iquat[i].tolist(),
                "inertia": model.body_inertia[i].tolist(),
            }
            for i in range(model.nbody)
        ],
        "geoms": [
            {
                "name": name(model.geom(i)),
                "size": model.geom_size[i].tolist(),
                "contype": int(model.geom_contype[i]),
                "conaffinity": int(model.geom_conaffinity[i]),
                "friction": model.geom_friction[i].tolist(),
            }
            for i in range(model.ngeom)
        ],
        "sites": [name(model.site(i)) for i in range(model.nsite)],
        "actuators": [
            {
                "name": name(model.actuator(i)),
                "joint": name(model.joint(model.actuator_trnid[i, 0])),
                "gear": model.actuator_gear[i, 0],
                "gain": model.actuator_gainprm[i, 0],
                "bias": (model.actuator_biastype[i] * model.actuator_biasprm[i, :3]).tolist(),
                "dynamics": int(model.actuator_dyntype[i]),
                "ctrlrange": limited(model.actuator_ctrllimited[i], model.actuator_ctrlrange[i]),
                "forcerange": limited(model.actuator_forcelimited[i], model.actuator_forcerange[i]),
                "actrange": limited(model.actuator_actlimited[i], model.actuator_actrange[i]),
            }
            for i in range(model.nu)
        ],
        "keyframes": [
            {
                "qpos": model.key_qpos[i].tolist(),
                "qvel": model.key_qvel[i].tolist(),
                "act": model.key_act[i].tolist(),
                "ctrl": model.key_ctrl[i].tolist(),
            }
            for i in range(model.nkey)
        ],
        "states": states,
    }


def main():
    ours = (HERE.parents[3] / "models").glob("*.xml")
    for path in sorted([*HERE.glob("*.xml"), *ours]):
        if not path.name.startswith("part_"):
            values = json.dumps(model_values(path))
            (HERE / f"{path.stem}.json").write_text(values + "\n")
            print(path.stem)


if __name__ == "__main__":
    main()
