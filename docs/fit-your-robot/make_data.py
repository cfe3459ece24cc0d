#!/usr/bin/env python3
"""Makes the recordings run1.csv to run6.csv of the arm, with the noise of its sensors.

The arm is simulated by `gradbody simulate` with numbers that its URDF does not have, in steps of 1 ms; written are 100
samples a second. Run it in this folder: python3 make_data.py [PATH OF gradbody]
"""

import csv
import math
import random
import subprocess
import sys

TRUTH = {
    "link/upper/mass": 1.35,  # with a motor inside
    "link/fore/mass": 0.62,  # with a gripper
    "joint/shoulder/damping": 0.11,
    "joint/elbow/damping": 0.04,
    "joint/elbow/stiffness": 0.5,  # a hose that pulls the elbow
    "joint/elbow/rest": 0.4,
}
NOISE = {"shoulder": 0.05, "elbow": 0.05}  # degrees
SECONDS, RATE = 4.0, 100


def torques(run, t):
    """What the motors do: two slow sines each, other ones in each run [Nm]."""
    draw = random.Random(run)
    shoulder, elbow = 0.0, 0.0
    for _ in range(2):
        shoulder += draw.uniform(0.5, 1.3) * math.sin(math.tau * draw.uniform(0.2, 1.0) * t + draw.uniform(0, 6))
        elbow += draw.uniform(0.2, 0.45) * math.sin(math.tau * draw.uniform(0.3, 1.5) * t + draw.uniform(0, 6))
    return shoulder, elbow


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "gradbody"
    for run in range(1, 7):
        samples = range(int(SECONDS * RATE) + 1)
        with open("controls.csv", "w") as file:
            file.write("t,tau:shoulder,tau:elbow\n")
            for k in samples:
                file.write("%r,%.4f,%.4f\n" % (k / RATE, *torques(run, k / RATE)))
        command = [program, "simulate", "arm.urdf", "--time", str(SECONDS), "--dt", "0.001", "--every", "10"]
        command += ["--integrator", "rk4"]
        for path, value in TRUTH.items():
            command += ["--set", "%s=%s" % (path, value)]
        command += ["--q=%s,%s" % (0.3 * (run - 3), 0.2 * (4 - run))]
        subprocess.run([*command, "--controls", "controls.csv", "--out", "motion.csv"], check=True)
        noise = random.Random(100 + run)
        with open("motion.csv") as motion, open("run%d.csv" % run, "w") as file:
            file.write("time,shoulder,elbow,torque1,torque2\n")
            for row in csv.DictReader(motion):
                t = float(row["t"])
                angles = [
                    math.degrees(float(row["q:" + joint])) + noise.gauss(0, NOISE[joint])
                    for joint in ("shoulder", "elbow")
                ]
                file.write("%.2f,%.3f,%.3f,%.4f,%.4f\n" % (t, *angles, *torques(run, round(t * RATE) / RATE)))


if __name__ == "__main__":
    main()
