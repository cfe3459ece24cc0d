"""Runs every experiment of docs/results.md and writes its table anew from what they print.

    GRADBODY_DATA=... python3 scripts/results_table.py [--gradbody PATH] [--kept FOLDER] [--again]

What an experiment printed is kept in FOLDER (out/results) and not run again, unless --again is given; the whole takes about ten
minutes on two cores. Only what is between the two marks in docs/results.md is written.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results.md"
BEGIN, END = "<!-- table of scripts/results_table.py -->\n", "<!-- end of the table -->\n"


def digits(x, n=3):
    """`n` significant digits without an exponent."""
    text = f"{x:.{n}g}"
    return text if "e" not in text else f"{x:.{n + 4}f}".rstrip("0")


def of_part(found, by, part="test", times=1.0):
    """The rms of both channels of a way of predicting."""
    table = next(t for t in found["errors"] if t["by"] == by and t["part"] == part)
    return " and ".join(digits(times * channel["rms"]) for channel in table["channels"])


def link_lengths(found):
    methods = {m["method"]: m for m in found["methods"]}
    lbfgs, lm, hopping = (methods[n] for n in ["L-BFGS", "Levenberg-Marquardt", "parallel basin hopping"])
    return (
        f"of {len(lbfgs['starts'])} guesses L-BFGS reaches it from {lbfgs['reached_percent']:.1f} %, Levenberg-Marquardt "
        f"from {lm['reached_percent']:.1f} %, parallel basin hopping from **{hopping['reached_percent']:.1f} %** "
        f"({hopping['rollouts_with_derivatives']['mean']:.0f} rollout derivatives a guess on average)"
    )


def real_double_pendulum(found):
    period = next(p for p in found["parameters"] if p["name"] == "period")["fitted"]
    return (
        f"200 frames from 4: {of_part(found, 'without networks')} rad (rms of the two angles) after a fit of six numbers, "
        f"{of_part(found, 'before')} before; LSTM of 1900 weights {of_part(found, 'lstm')}, holding the velocity "
        f"{of_part(found, 'hold velocity')}. Frames are {1e3 * period:.3f} ms apart, not 2.5. With a network on the "
        f"bearings: {of_part(found, 'after')}"
    )


def multiarm(found):
    return (
        f"held-out segments, 0.9 s predicted from 0.1 s: {of_part(found, 'after', times=1e3)} mrad (rms of the two angles); "
        f"with the authors' numbers {of_part(found, 'before', times=1e3)}"
    )


def demo(found):
    best = found["candidates"][0]
    return (
        f"at {best['site']}, of {', '.join(best['kept'])} alone, a step of {abs(best['law']['strength']):.3f} N m against the "
        f"motion (0.06 in the simulated arm); the error falls by {best['gain']:.0f} % on the validation data and by "
        f"{best['test_gain']:.0f} % on the test data"
    )


def damping(found):
    sizes = {s["swings"]: s for s in found["comparison"]["sizes"]}
    mean = lambda numbers: sum(numbers) / len(numbers)
    few, many = min(sizes), max(sizes)
    only = "exactly q̇ᵢ → τᵢ are" if found["discovery"]["only_own_velocity"] else "more than q̇ᵢ → τᵢ is"
    return (
        f"from iteration {found['discovery']['settled_at_iteration']} on {only} left, the others exactly zero; {few} swing of "
        f"{found['comparison']['steps_of_a_swing']} samples: {digits(mean(sizes[few]['corrected']), 2)} rad over "
        f"{found['comparison']['seconds']:.0f} s, a network trained on {many} swings: "
        f"{digits(mean(sizes[many]['learned']), 2)} rad"
    )


# What was published, the row, and the command.
ROWS = {
    "link-lengths": (
        "two link lengths from a swing (NeuralSim, figure 4)",
        "local search often ends far from the truth, parallel basin hopping reaches it from everywhere",
        link_lengths,
    ),
    "real-double-pendulum": (
        "filmed double pendulum (NeuralSim's workshop paper; data of Asseman et al. 2018)",
        "the gap between simulation and film nearly closes",
        real_double_pendulum,
    ),
    "multiarm-double-pendulum": (
        "double pendulum with encoders (Kaheman et al. 2022)",
        "followed for 1 s to 4.3 mrad (median)",
        multiarm,
    ),
    "discover": (
        "friction that the demo's arm lacks (NeuralSim's sparse-group lasso)",
        "the data say which inputs a missing effect has",
        demo,
    ),
    "damping": (
        "joint damping that a model lacks (NeuralSim, figure 10)",
        "only q̇ᵢ → τᵢ survives within 15 optimiser steps; orders of magnitude fewer samples than a learned model",
        damping,
    ),
}


def run(name, gradbody, kept):
    """Runs an experiment and keeps what it gives."""
    print(f"{name} …", file=sys.stderr, flush=True)
    if name == "discover":
        folder = kept / "demo"
        subprocess.run([gradbody, "demo", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        example = folder / "example" / "experiment.toml"
        subprocess.run([gradbody, "discover", example, "--out", kept / name], check=True, stdout=subprocess.DEVNULL)
        return (kept / name / "discover.json").read_text()
    command = [gradbody, "reproduce", name, "--json", "--out", kept / name]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gradbody", default=str(ROOT / "target/release/gradbody"))
    parser.add_argument("--kept", type=pathlib.Path, default=ROOT / "out" / "results")
    parser.add_argument("--again", action="store_true")
    args = parser.parse_args()
    args.kept.mkdir(parents=True, exist_ok=True)
    rows = "| experiment | published | here | command |\n|---|---|---|---|\n"
    for name, (what, published, row) in ROWS.items():
        file = args.kept / f"{name}.json"
        if args.again or not file.exists():
            file.write_text(run(name, args.gradbody, args.kept))
        command = f"gradbody reproduce {name}"
        if name == "discover":
            command = "gradbody demo --out out; gradbody discover out/example/experiment.toml"
        rows += f"| {what} | {published} | {row(json.loads(file.read_text()))} | `{command}` |\n"
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + rows + "\n" + END + rest.split(END)[1])
    print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
