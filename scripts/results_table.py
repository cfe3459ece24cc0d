"""Runs every experiment of docs/results.md and writes its table anew from what they print.

    GRADBODY_DATA=... python3 scripts/results_table.py [--programs FOLDER] [--kept FOLDER] [--again]

What an experiment printed is kept in FOLDER (out/results) and not run again, unless --again is given; the whole takes about an
hour on two cores. Only what is between the two marks in docs/results.md is written.
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
    return text if "e" not in text else f"{float(text):.12f}".rstrip("0").rstrip(".")


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


def gradient_cost(found):
    def row(workload):
        ways = {w["way"]: w for w in workload["ways"]}
        here = lambda way: digits(ways[way]["here_us"])
        there = lambda way: digits(ways[way]["reference_us"])
        return (
            f"{workload['name']}: differences {here('central differences')} ({there('central differences')}), duals "
            f"{here('dual numbers')} ({there('dual numbers')}), adjoint **{here('adjoint')}** (tape "
            f"{there('tape, replayed')}, compiled {there('code compiled from the tape')}), on lanes "
            f"{here('adjoint on lanes, a world')}"
        )

    return "µs a gradient, in brackets those of the seed's own code: " + "; ".join(map(row, found["workloads"]))


def pushing(found):
    models = {m["model"]: m for m in found["models"]}

    def ends(name, where="new_shape"):
        model = models[name][where]
        text = " mm and ".join(digits(model[unit]["mean"]) for unit in ["mm", "degrees"]) + "°"
        if models[name]["seeds"] > 1:
            text += f" (mean of {models[name]['seeds']} seeds)"
        return text

    def left_out(way):
        turns = found["shapes_left_out"]
        pushes = sum(turn["pushes"] for turn in turns)
        mean = [sum(t["pushes"] * t[f"{way}_mm_degrees"][unit] for t in turns) / pushes for unit in [0, 1]]
        return " mm and ".join(digits(x) for x in mean) + "°"

    return (
        f"at the end of a push, mean over {found['pushes']['new_shape']} pushes of the shape not learned from: untuned "
        f"{ends('untuned')}, tuned {ends('tuned')}, with a network {ends('tuned + network')}, dissipative "
        f"{ends('tuned + dissipative network')}, purely learned {ends('purely learned')}; tuned on other pushes of the same "
        f"body {ends('tuned on the same body')}. On new pushes of known shapes: tuned "
        f"{ends('tuned', 'new_pushes_of_known_shapes')}, with a network "
        f"{ends('tuned + network', 'new_pushes_of_known_shapes')}, dissipative "
        f"{ends('tuned + dissipative network', 'new_pushes_of_known_shapes')}. With each of the five shapes left out in turn: "
        f"tuned {left_out('tuned')}, with a network {left_out('network')}. The analytical model fitted to the very pushes that "
        f"are judged: {' mm and '.join(digits(x) for x in found['new_shape_fitted_to_itself_mm_degrees'])}°"
    )


def swimmer(found):
    cases = {(c["swimmer"], c["medium"]): {m["model"]: m for m in c["models"]} for c in found["cases"]}

    def times(swimmer, medium, model):
        angle, position = cases[swimmer, medium][model]["lstm_by_it"]
        return f"{digits(angle, 2)} and {digits(position, 2)}"

    rows = []
    for swimmer, title in [("swimmer2", "two links"), ("swimmer6", "six links")]:
        for medium, name in [("water5", "water 5 °C"), ("water25", "water 25 °C"), ("air25", "air")]:
            rows.append(
                f"{title}, {name}: ψ {times(swimmer, medium, 'torques_own_axes')}, one network for all links "
                f"{times(swimmer, medium, 'wrenches')}, dissipative {times(swimmer, medium, 'wrenches_dissipative')}"
            )
    rate = found["rollout_gradients_per_second"]
    return (
        "how many times as near as the LSTM at step 900 of motions not trained on (angles and position): "
        + "; ".join(rows)
        + f". ψ in the world's axes, two links, water 5 °C: {times('swimmer2', 'water5', 'torques')}. In vacuum the model alone "
        f"is exact to the digits of the files. {rate['swimmer2']:.0f} and {rate['swimmer6']:.0f} rollout gradients a second"
    )


def cube_throw(found):
    fitted = found["fitted"]

    def row(key, size, where=""):
        of = next(s for s in fitted[key] if s["tosses"] == size)
        position, rotation = of[f"position{where}"], of[f"rotation{where}"]
        return f"{digits(position['mean'])} % and {digits(rotation['mean'])}°"

    most = max(s["tosses"] for s in fitted["ncp"])
    laws = ", ".join(f"{n} tosses: rigid {row('ncp', n)}, compliant {row('hc', n)}" for n in (10, 30, 100, 300) if n <= most)
    impact = "_first_impact"
    before, after, others = (found["simulated"][k]["whole"][0] for k in ["before", "after", "not_trained_on"])
    return (
        f"simulated: off by {digits(before)} % of the side before and {digits(after, 2)} % after ({digits(others, 2)} % on throws not "
        f"trained on). Real, {found['held_out_tosses']} tosses never trained on, position and rotation over whole tosses, identified "
        f"on {laws}; {most} tosses, trained on short stretches: compliant {row('hc_short', most)}, with a network "
        f"{row('hc_free', most)}, dissipative {row('hc_dissipative', most)}; in the first impact alone {row('hc', most, impact)} "
        f"identified, {row('hc_short', most, impact)} trained, {row('hc_free', most, impact)} with a network"
    )


def discovery(found):
    def set_of(one):
        sites = ", ".join(
            f"{s['site']} {s['gain_on_validation_percent']:+.0f} % / "
            + ("–" if s["gain_on_test_percent"] is None else f"{s['gain_on_test_percent']:+.0f} %")
            for s in one["sites"]
        )
        return f"{one['set']}: {sites}"

    return "what the held-out error falls by (validation / test): " + "; ".join(map(set_of, found["sets"]))


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
    "gradient-cost": (
        "the cost of a gradient (NeuralSim, figure 5)",
        "orders of magnitude between finite differences or a tape and compiled code",
        gradient_cost,
    ),
    "pushing": (
        "planar pushing (NeuralSim, figure 7; data of Yu et al. 2016)",
        "with a friction network clearly closer to the measured pushes than the tuned analytical model",
        pushing,
    ),
    "cube-throw": (
        "a thrown cube (NeuralSim's workshop paper; data of Pfrommer et al. 2020)",
        "from falling through the ground to matching the target",
        cube_throw,
    ),
    "swimmer": (
        "swimmers in media (NeuralSim, figures 8 and 9)",
        "accurate over 900 steps, far past the training window; the LSTM regresses to the mean",
        swimmer,
    ),
    "discovery": (
        "what real data say is missing (`discover` on the pendulums and the pushes)",
        "nothing published",
        discovery,
    ),
}


def run(name, programs, kept):
    """Runs an experiment and keeps what it gives."""
    print(f"{name} …", file=sys.stderr, flush=True)
    if name == "discover":
        folder = kept / "demo"
        subprocess.run([programs / "gradbody", "demo", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        example = folder / "example" / "experiment.toml"
        subprocess.run([programs / "gradbody", "discover", example, "--out", kept / name], check=True, stdout=subprocess.DEVNULL)
        return (kept / name / "discover.json").read_text()
    command = [programs / "reproduce", name, "--json", "--out", kept / name]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "target" / "release")
    parser.add_argument("--kept", type=pathlib.Path, default=ROOT / "out" / "results")
    parser.add_argument("--again", action="store_true")
    args = parser.parse_args()
    if args.programs == ROOT / "target" / "release":
        packages = ["-p", "gradbody-cli", "-p", "gradbody-experiments"]
        subprocess.run(["cargo", "build", "--release", *packages], check=True, cwd=ROOT)
    args.kept.mkdir(parents=True, exist_ok=True)
    rows = "| experiment | published | here | command |\n|---|---|---|---|\n"
    for name, (what, published, row) in ROWS.items():
        file = args.kept / f"{name}.json"
        if args.again or not file.exists():
            file.write_text(run(name, args.programs, args.kept))
        command = f"cargo reproduce {name}"
        if name == "discover":
            command = "gradbody demo --out out; gradbody discover out/example/experiment.toml"
        rows += f"| {what} | {published} | {row(json.loads(file.read_text()))} | `{command}` |\n"
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + rows + "\n" + END + rest.split(END)[1])
    print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
