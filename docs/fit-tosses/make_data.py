#!/usr/bin/env python3
"""Makes tosses.csv: poses of two hinged boxes that are thrown onto a table, as a camera sees them at 148 Hz.

The body is simulated by `gradbody simulate` with numbers that its URDF does not have. Run it in this folder:
python3 make_data.py [PATH OF gradbody]
"""

import csv
import math
import random
import subprocess
import sys

TRUTH = {
    "link/left/inertia/yy": 0.00038,  # there is a motor inside
    "link/right/inertia/yy": 0.0002,
    "joint/hinge/damping": 0.003,
    "shape/ground/friction": 0.22,
    "shape/ground/restitution": 0.3,
}
RATE, SUBSTEPS, SECONDS, TOSSES = 148, 2, 0.7, 16
METRES, RADIANS = 0.001, math.radians(1.0)  # noise of the camera


def quaternion_product(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def rotation(vector):
    """The quaternion of a rotation vector."""
    angle = math.sqrt(sum(x * x for x in vector))
    factor = math.sin(angle / 2) / angle if angle > 0 else 0.5
    return (math.cos(angle / 2), *(factor * x for x in vector))


def seen(position, quaternion, noise):
    """A pose as the camera reports it."""
    position = [x + noise.gauss(0, METRES) for x in position]
    turned = quaternion_product(quaternion, rotation([noise.gauss(0, RADIANS) for _ in range(3)]))
    return ["%.5f" % x for x in position] + ["%.6f" % x for x in turned]


def toss(program, k):
    """The configurations of a throw at each sample."""
    draw = random.Random(k)
    turn = rotation([draw.uniform(-1.5, 1.5) for _ in range(3)])
    q = [draw.uniform(-0.1, 0.1), draw.uniform(-0.1, 0.1), draw.uniform(0.18, 0.28), *turn, draw.uniform(-0.8, 0.8)]
    most = [1, 1, 0.7, 6, 6, 6, 6]
    v = [draw.uniform(-x, x) for x in most]
    command = [program, "simulate", "body.urdf", "--base", "free", "--ground", "--self-collision", "none"]
    command += ["--time", str(SECONDS), "--dt", repr(1 / (RATE * SUBSTEPS)), "--every", str(SUBSTEPS)]
    command += ["--q=" + ",".join(map(repr, q)), "--v=" + ",".join(map(repr, v)), "--out", "motion.csv"]
    for path, value in TRUTH.items():
        command += ["--set", "%s=%s" % (path, value)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open("motion.csv") as motion:
        rows = list(csv.DictReader(motion))
    names = ["x", "y", "z", "qw", "qx", "qy", "qz"]
    return [([float(row["q:root/" + name]) for name in names], float(row["q:hinge"])) for row in rows]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "gradbody"
    with open("tosses.csv", "w") as file:
        poses = ["x", "y", "z", "qw", "qx", "qy", "qz"]
        file.write(",".join(["toss", "t"] + ["left_" + p for p in poses] + ["right_" + p for p in poses]) + "\n")
        for k in range(TOSSES):
            noise = random.Random(1000 + k)
            for sample, (root, hinge) in enumerate(toss(program, k)):
                position, left = root[:3], tuple(root[3:])
                # Both boxes have their origin on the hinge.
                right = quaternion_product(left, rotation([0.0, hinge, 0.0]))
                cells = [str(k), "%.5f" % (sample / RATE), *seen(position, left, noise), *seen(position, right, noise)]
                file.write(",".join(cells) + "\n")


if __name__ == "__main__":
    main()
