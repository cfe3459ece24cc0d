"""Counts the instructions of a step without taps, with an empty blueprint, and with a network on twelve joints.

    python scripts/tap_cost.py

Needs valgrind. The build targets AVX2, which valgrind supports.
"""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
STEPS = (200, 1200)


def build():
    target = ROOT / "target" / "tap-cost"
    environment = dict(os.environ, RUSTFLAGS="-C target-cpu=x86-64-v3", CARGO_TARGET_DIR=str(target))
    command = ["cargo", "build", "--release", "--quiet", "-p", "gradbody-augment", "--example", "tap_cost"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return target / "release" / "examples" / "tap_cost"


def instructions(program, how, steps):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), how, str(steps)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : (\d+)", said).group(1))


def main():
    program = build()
    counts = {}
    for how in ("none", "empty", "joints"):
        few, many = (instructions(program, how, steps) for steps in STEPS)
        counts[how] = (many - few) / (STEPS[1] - STEPS[0])
        print(f"{how:8} {counts[how]:10.0f} instructions per step, {counts[how] / counts['none']:.4f} of none")


if __name__ == "__main__":
    main()
