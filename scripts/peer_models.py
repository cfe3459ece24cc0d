"""Writes the benchmark models for peers.

Run by `cargo xtask peers` as  python scripts/peer_models.py FOLDER.

For peers in C++, plain text: the number of joints, then one line per joint: parent, kind (0 free, 1 to 3
revolute about x, y, z), placement (rotation row by row, position), mass, centre of mass, inertia
about it row by row. Fixed joints are merged, as in Pinocchio's own reader. Then the number of feet, and
one line per foot: joint, position of its centre.

For MuJoCo and gradbody, laikago_plane.xml: the Laikago held by position servos in its standing pose, its
feet on a plane. Joint limits are left out; the motion stays away from them. The ant is models/ant.xml.

The URDFs are copied under the names that `cargo measure --models FOLDER` reads.
"""

import shutil
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin

MODELS = Path(__file__).resolve().parent.parent / "models"
URDFS = {"laikago": "laikago", "humanoid": "humanoid35", "panda": "arm7", "double_pendulum": "double_pendulum"}
BENCH_NAMES = {"laikago": "laikago.urdf", "humanoid": "simple_humanoid.urdf", "panda": "panda7.urdf",
               "double_pendulum": "double_pendulum.urdf"}
KINDS = {"JointModelFreeFlyer": 0, "JointModelRX": 1, "JointModelRY": 2, "JointModelRZ": 3,
         "JointModelRUBX": 1, "JointModelRUBY": 2, "JointModelRUBZ": 3}


def chain(n, length=0.5, mass=1.0):
    """n rods that hang from the world, all hinges about y."""
    model = pin.Model()
    about_com = mass * length**2 / 12 + 1e-3
    rod = pin.Inertia(mass, np.array([0, 0, -length / 2]), np.diag([about_com, about_com, 1e-3]))
    parent = 0
    for i in range(n):
        place = pin.SE3(np.eye(3), np.array([0, 0, 0 if i == 0 else -length]))
        parent = model.addJoint(parent, pin.JointModelRY(), place, f"hinge{i}")
        model.appendBodyToJoint(parent, rod, pin.SE3.Identity())
    return model


def write(model, path):
    def flat(array):
        return " ".join(repr(float(x)) for x in np.asarray(array).ravel())

    lines = [str(model.njoints - 1)]
    for i in range(1, model.njoints):
        place, body = model.jointPlacements[i], model.inertias[i]
        kind = KINDS[model.joints[i].shortname()]
        lines.append(f"{model.parents[i]} {kind} {flat(place.rotation)} {flat(place.translation)} "
                     f"{body.mass!r} {flat(body.lever)} {flat(body.inertia)}")
    lines.append(str(len(feet_of(model))))
    lines += [f"{joint} {flat(foot.placement.translation)}" for joint, foot in feet_of(model).items()]
    path.write_text("\n".join(lines) + "\n")


def feet_of(model):
    return {f.parentJoint: f for f in model.frames if f.name.endswith("_foot") and f.type == pin.BODY}


def standing_laikago(model):
    """MJCF of the robot on a plane, with MuJoCo's options at their defaults except the time step."""
    def numbers(array):
        return " ".join(repr(float(x)) for x in np.asarray(array).ravel())

    home = [0, 0.7, -1.4] * 4
    height = 0.409
    surface = 'condim="3" friction="0.8 0.005 0.0001"'
    lines = ['<mujoco model="laikago">',
             '  <compiler angle="radian" autolimits="false"/>',
             '  <option timestep="0.002" gravity="0 0 -9.81"/>',
             '  <worldbody>',
             f'    <geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0" {surface}/>']
    feet = feet_of(model)

    def body(i, indent):
        place, inertia = model.jointPlacements[i], model.inertias[i]
        assert np.allclose(place.rotation, np.eye(3)), "the placements of Laikago do not turn"
        kind = KINDS[model.joints[i].shortname()]
        position = [0, 0, height] if kind == 0 else place.translation
        pad = " " * indent
        i6 = inertia.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        lines.append(f'{pad}<body name="{model.names[i]}" pos="{numbers(position)}">')
        lines.append(f'{pad}  <inertial pos="{numbers(inertia.lever)}" mass="{inertia.mass!r}" fullinertia="{numbers(i6)}"/>')
        if kind == 0:
            lines.append(f'{pad}  <freejoint name="{model.names[i]}"/>')
        else:
            lines.append(f'{pad}  <joint name="{model.names[i]}" type="hinge" axis="{numbers(np.eye(3)[kind - 1])}"/>')
        if i in feet:
            foot = feet[i]
            lines.append(f'{pad}  <geom name="{foot.name}" type="sphere" size="0.0265" pos="{numbers(foot.placement.translation)}" '
                         f'contype="0" conaffinity="1" {surface}/>')
        for child in range(1, model.njoints):
            if model.parents[child] == i:
                body(child, indent + 2)
        lines.append(f"{pad}</body>")

    body(1, 4)
    lines += ["  </worldbody>", "  <actuator>"]
    lines += [f'    <position name="{name}" joint="{name}" kp="150" kv="2"/>' for name in list(model.names)[2:]]
    lines += ["  </actuator>",
              f'  <keyframe><key name="home" qpos="{numbers([0, 0, height, 1, 0, 0, 0, *home])}" ctrl="{numbers(home)}"/></keyframe>',
              "</mujoco>"]
    return "\n".join(lines) + "\n"


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in URDFS.items():
        free = name in ("laikago", "humanoid")
        path = str(MODELS / f"{file}.urdf")
        model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(path)
        write(model, folder / f"{name}.txt")
        shutil.copy(path, folder / BENCH_NAMES[name])
        if name == "laikago":
            (folder / "laikago_plane.xml").write_text(standing_laikago(model))
    shutil.copy(MODELS / "ant.xml", folder / "ant.xml")
    for n in (2, 4, 8, 16, 32, 64, 128):
        write(chain(n), folder / f"chain{n}.txt")


if __name__ == "__main__":
    main()
