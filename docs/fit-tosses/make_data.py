#!/usr/bin/env python3
"""Makes the recordings tosses.csv of the block, as a camera with noise sees it.

The block is simulated by `gradbody simulate` with a friction and a restitution that its file does not have. Run it in this
folder: python3 make_data.py [PATH OF gradbody]
"""

import csv
import math
import random
import subprocess
import sys

TRUTH = {"shape/table/friction": 0.3, "shape/table/restitution": 0.3}
RATE, STEPS, SAMPLES, TOSSES = 148, 2, 25, 24
NOISE = 0.001, math.radians(1.0)  # of a place [m], of an orientation about each axis [rad]


def turned(q, turn):
    """The quaternion of a rotation vector, times q."""
    angle = math.sqrt(sum(x * x for x in turn))
    share = math.sin(angle / 2) / angle if angle > 0 else 0.5
    a, (b, c, d) = math.cos(angle / 2), (share * x for x in turn)
    w, x, y, z = q
    return [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "gradbody"
    truth = [word for path, value in TRUTH.items() for word in ("--set", f"{path}={value}")]
    with open("tosses.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["toss", "time", "x", "y", "z", "qw", "qx", "qy", "qz"])
        for toss in range(1, TOSSES + 1):
            draw = random.Random(toss)
            within = lambda most: draw.uniform(-most, most)
            place = [within(0.1), within(0.1), 0.11 + within(0.02)]
            q = place + turned([1, 0, 0, 0], [within(1.5) for _ in range(3)])
            v = [within(1.0), within(1.0), -0.6 + within(0.3)] + [within(4.0) for _ in range(3)]
            start = [f"--{name}=" + ",".join(map(repr, x)) for name, x in [("q", q), ("v", v)]]
            step = 1 / (RATE * STEPS)
            times = ["--time", repr((SAMPLES - 1) / RATE), "--dt", repr(step), "--every", str(STEPS)]
            command = [program, "simulate", "plank.xml", *truth, *times, *start, "--out", "run.csv"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            with open("run.csv") as run:
                rows = list(csv.DictReader(run))[:SAMPLES]
            for k, row in enumerate(rows):
                seen = [float(x) for name, x in row.items() if name.startswith("q:") or name.startswith("q[")]
                place = [x + NOISE[0] * draw.gauss(0, 1) for x in seen[:3]]
                quat = turned(seen[3:7], [NOISE[1] * draw.gauss(0, 1) for _ in range(3)])
                out.writerow([toss, f"{k / RATE:.6f}"] + [f"{x:.5f}" for x in place + quat])


main()
