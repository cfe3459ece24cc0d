#!/usr/bin/env python3
"""Makes the recording that `gradbody demo` fits: an arm heavier than its model, with dry friction in its elbow.

It is simulated by gradbody with other parameters, sampled at 100 Hz, with the noise of an encoder.

    python3 scripts/demo_data.py GRADBODY > apps/cli/src/demo/assets/recording.csv
"""

import csv
import random
import subprocess
import sys
import tempfile
from math import degrees
from pathlib import Path

MODEL = Path(__file__).parent.parent / "apps/cli/src/demo/assets/arm.urdf"
TRUTH = {
    "link/upper/mass": 1.25,
    "link/lower/mass": 0.75,
    "link/lower/inertia/xx": 0.0065,
    "link/lower/inertia/yy": 0.0065,
    "joint/shoulder/damping": 0.03,
    "joint/elbow/damping": 0.004,
    "joint/elbow/friction": 0.06,
    "joint/elbow/friction_velocity": 0.1,
}
STARTS = [(1.2, -0.8), (-1.0, 1.4), (0.6, 1.9), (1.6, 0.3), (-1.5, -0.9), (0.9, 1.1), (-0.7, -1.6), (1.3, 1.3)]
SECONDS = 2.5
NOISE = 0.1  # degrees


def main():
    random.seed(1)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["run", "t", "shoulder", "elbow"])
    for run, (shoulder, elbow) in enumerate(STARTS):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.csv"
            settings = [word for path, value in TRUTH.items() for word in ("--set", f"{path}={value}")]
            subprocess.run(
                [sys.argv[1], "simulate", str(MODEL), f"--q={shoulder},{elbow}", "--time", str(SECONDS), "--dt", "0.0005",
                 "--integrator", "rk4", "--every", "20", "--out", str(file), *settings],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with file.open() as rows:
                for row in csv.DictReader(rows):
                    angles = [degrees(float(row[name])) + random.gauss(0.0, NOISE) for name in ("q:shoulder", "q:elbow")]
                    out.writerow([run, f"{float(row['t']):.2f}", *(f"{angle:.2f}" for angle in angles)])


main()
