"""Writes the benchmark models as plain text for peers that are measured in C++.

Run by `cargo xtask peers` as  python scripts/peer_models.py FOLDER.  A model is a number of
joints, then a line a joint: parent, kind (0 free, 1 to 3 revolute about x, y, z), placement
(rotation row by row, position), mass, centre of mass, inertia about it row by row. Fixed joints
are merged, as Pinocchio's own reader does.
"""

import sys
from pathlib import Path

import numpy as np
import pinocchio as pin

MODELS = Path(__file__).resolve().parent.parent / "models"
URDFS = {"laikago": "laikago", "humanoid": "humanoid35", "panda": "arm7", "double_pendulum": "double_pendulum"}
KINDS = {"JointModelFreeFlyer": 0, "JointModelRX": 1, "JointModelRY": 2, "JointModelRZ": 3,
         "JointModelRUBX": 1, "JointModelRUBY": 2, "JointModelRUBZ": 3}


def chain(n, length=0.5, mass=1.0):
    """n rods hanging from the world, all hinges about y."""
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
    path.write_text("\n".join(lines) + "\n")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in URDFS.items():
        free = name in ("laikago", "humanoid")
        path = str(MODELS / f"{file}.urdf")
        model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(path)
        write(model, folder / f"{name}.txt")
    for n in (2, 4, 8, 16, 32, 64, 128):
        write(chain(n), folder / f"chain{n}.txt")


main()
