"""Runs the experiments whose tables in docs/results.md stand between marks, and rewrites these tables from their output.

    GRADBODY_DATA=... python3 scripts/results_table.py [--programs FOLDER] [--kept FOLDER] [--again]

The output of an experiment is kept in FOLDER (out/results); the experiment is run again only with --again. A complete
run takes about an hour on two cores. Each of these experiments has two marks in docs/results.md, `<!-- table: NAME -->`
and `<!-- end: NAME -->`. Only the lines between them are rewritten; all other text of the page is kept, also tables
without marks, which were copied by hand from what the commands beside them print.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results.md"


def digits(x, n=3):
    """`n` significant digits without an exponent."""
    text = f"{x:.{n}g}"
    return text if "e" not in text else f"{float(text):.12f}".rstrip("0").rstrip(".")


def table(heads, rows, texts=1):
    """A Markdown table: the first `texts` columns are text, the others are numbers."""
    lines = [heads, ["---"] * texts + ["---:"] * (len(heads) - texts), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def below(*sentences):
    """A paragraph below a table."""
    return "\n" + textwrap.fill(" ".join(sentences), 110, break_long_words=False, break_on_hyphens=False) + "\n"


def channels(found, by, part="test", times=1.0):
    """The errors of each channel for one way of predicting: rms with its range, and the median of the sequences' own."""
    errors = next(t for t in found["errors"] if t["by"] == by and t["part"] == part)
    cells = []
    for channel in errors["channels"]:
        low, high = channel["interval"] or (None, None)
        spread = "" if low is None else f" ({digits(times * low, 2)} to {digits(times * high, 2)})"
        cells += [digits(times * channel["rms"], 2) + spread, digits(times * channel["median"], 2)]
    return cells


SPREAD = below(
    "In brackets: the range of 90 % of draws of as many sequences from these (bootstrap). Beside it: the median of the",
    "sequences' own errors.",
)


def link_lengths(found):
    methods = {m["method"]: m for m in found["methods"]}
    guesses = len(methods["L-BFGS"]["starts"])
    rows = []
    for name in ["L-BFGS", "Levenberg-Marquardt", "parallel basin hopping"]:
        reached = f"{methods[name]['reached_percent']:.1f} %"
        derivatives = f"{methods[name]['rollouts_with_derivatives']['mean']:.0f}"
        rows.append([name, reached, derivatives])
    return table(["method", f"reaches the truth, of {guesses} guesses", "rollouts with derivatives per guess, mean"], rows)


def real_double_pendulum(found):
    ways = [
        ("model before the fit", "before"),
        ("model after a fit of six numbers", "without networks"),
        ("the same with a network on the bearings", "after"),
        ("LSTM of 1900 weights", "lstm"),
        ("holding the velocity", "hold velocity"),
    ]
    rows = [[name, *channels(found, by)] for name, by in ways]
    period = next(p for p in found["parameters"] if p["name"] == "period")["fitted"]
    return (
        table(["prediction of 200 frames from 4", "first angle [rad rms]", "median", "second angle [rad rms]", "median"], rows)
        + SPREAD
        + below(f"The fit also finds the time between frames: {1e3 * period:.3f} ms, where 2.5 ms were published.")
    )


def multiarm(found):
    ways = [("the authors' numbers", "before"), ("after the fit", "after")]
    rows = [[name, *channels(found, by, times=1e3)] for name, by in ways]
    heads = ["0.9 s predicted from 0.1 s", "first angle [mrad rms]", "median", "second angle [mrad rms]", "median"]
    return table(heads, rows) + SPREAD


def demo(found):
    best = found["candidates"][0]
    rows = [
        ["site", f"`{best['site']}`"],
        ["inputs that are left", ", ".join(f"`{name}`" for name in best["kept"])],
        ["law", f"a step of {abs(best['law']['strength']):.3f} N m against the motion (0.06 in the simulated arm)"],
        ["error on the validation data", f"falls by {best['gain']:.0f} %"],
        ["error on the test data", f"falls by {best['test_gain']:.0f} %"],
    ]
    return table(["", "found"], rows, texts=2)


def damping(found):
    sizes = {s["swings"]: s for s in found["comparison"]["sizes"]}
    mean = lambda numbers: sum(numbers) / len(numbers)
    few, many = min(sizes), max(sizes)
    samples, seconds = found["comparison"]["steps_of_a_swing"], found["comparison"]["seconds"]
    only = "exactly q̇ᵢ → τᵢ are" if found["discovery"]["only_own_velocity"] else "more than q̇ᵢ → τᵢ is"
    rows = [
        ["model with corrected torques", f"{few}", digits(mean(sizes[few]["corrected"]), 2)],
        ["network that learns the whole motion", f"{many}", digits(mean(sizes[many]["learned"]), 2)],
    ]
    heads = ["model", f"swings of {samples} samples", f"error over {seconds:.0f} s [rad rms]"]
    settled = found["discovery"]["settled_at_iteration"]
    return table(heads, rows) + below(f"From iteration {settled} on {only} left; the other weights are exactly zero.")


def gradient_cost(found):
    workloads = found["workloads"]

    def cells(way):
        for workload in workloads:
            of = next(w for w in workload["ways"] if w["way"] == way)
            here = "" if of["here_us"] is None else digits(of["here_us"])
            there = "" if of["reference_us"] is None else f"({digits(of['reference_us'])})"
            yield f"{here} {there}".strip()

    ways = [
        ("central differences", "central differences"),
        ("dual numbers", "dual numbers"),
        ("tape, replayed", "tape, replayed"),
        ("code compiled from the tape", "code compiled from the tape"),
        ("adjoint", "adjoint"),
        ("adjoint on lanes, per world", "adjoint on lanes, a world"),
    ]
    rows = [[name, *cells(way)] for name, way in ways]
    return table(["µs per gradient: here (reference)", *(workload["name"] for workload in workloads)], rows)


def pushing(found):
    models = {m["model"]: m for m in found["models"]}
    known = "new_pushes_of_known_shapes"

    def ends(name, where):
        """Mean, range of the mean and median over pushes."""
        cells = []
        for unit in ["mm", "degrees"]:
            of = models[name][where + "_by_push"][unit]
            low, high = of["range_of_mean"]
            cells.append(f"{digits(of['mean'], 2)} ({digits(low, 2)} to {digits(high, 2)}), {digits(of['median'], 2)}")
        return cells

    def left_out(way):
        turns = found["shapes_left_out"]
        pushes = sum(turn["pushes"] for turn in turns)
        return [digits(sum(t["pushes"] * t[f"{way}_mm_degrees"][unit] for t in turns) / pushes, 2) for unit in [0, 1]]

    none = ["", ""]
    rows = [
        ["untuned", *ends("untuned", "new_shape"), *none, *none],
        ["tuned", *ends("tuned", "new_shape"), *ends("tuned", known), *left_out("tuned")],
        ["tuned, with a network", *ends("tuned + network", "new_shape"), *ends("tuned + network", known), *left_out("network")],
        [
            "tuned, with a dissipative network",
            *ends("tuned + dissipative network", "new_shape"),
            *ends("tuned + dissipative network", known),
            *none,
        ],
        ["purely learned", *ends("purely learned", "new_shape"), *none, *none],
        ["tuned on other pushes of the same body", *ends("tuned on the same body", "new_shape"), *none, *none],
        ["fitted to the same pushes that are evaluated", *(digits(x, 2) for x in found["new_shape_fitted_to_itself_mm_degrees"]), *none, *none],
    ]
    heads = ["error at the end of a push", "new shape [mm]", "[°]", "known shapes [mm]", "[°]", "each shape left out [mm]", "[°]"]
    seeds = models["tuned + network"]["seeds"]
    return (
        table(heads, rows)
        + below(
            f"New shape: {found['pushes']['new_shape']} pushes of a shape outside the training set.",
            "Known shapes: held-out pushes of the training shapes.",
            "Mean over pushes, in brackets its range in 90 % of draws of as many pushes (bootstrap), and the median push.",
            "Each shape left out: each of the five shapes in turn is the new one, one seed.",
            f"Models with networks, and the purely learned one, are means of {seeds} seeds in the first four columns.",
        )
    )


def swimmer(found):
    cases = {(c["swimmer"], c["medium"]): {m["model"]: m for m in c["models"]} for c in found["cases"]}

    def times(swimmer, medium, model):
        angle, position = cases[swimmer, medium][model]["lstm_by_it"]
        return f"{digits(angle, 2)} and {digits(position, 2)}"

    rows = []
    for swimmer, title in [("swimmer2", "two links"), ("swimmer6", "six links")]:
        for medium, name in [("water5", "water 5 °C"), ("water25", "water 25 °C"), ("air25", "air")]:
            models = ["torques_own_axes", "wrenches", "wrenches_dissipative"]
            rows.append([f"{title}, {name}", *(times(swimmer, medium, model) for model in models)])
    rate = found["rollout_gradients_per_second"]
    heads = ["swimmer and medium", "ψ on the joints", "one network for all links", "the same, dissipative"]
    return (
        table(heads, rows)
        + below(
            "Entries: how many times smaller the error is than the LSTM's, of angles and of position, at step 900 of",
            "motions that were not trained on.",
            f"ψ in the world's axes, two links, water 5 °C: {times('swimmer2', 'water5', 'torques')}.",
            "In vacuum the model alone is exact to the digits of the files.",
            f"Rollout gradients per second: {rate['swimmer2']:.0f} with two links, {rate['swimmer6']:.0f} with six.",
        )
    )


def cube_throw(found):
    fitted = found["fitted"]

    def pair(key, size, where=""):
        of = next(s for s in fitted[key] if s["tosses"] == size)
        return [digits(of[f"position{where}"]["mean"]), digits(of[f"rotation{where}"]["mean"])]

    most = max(s["tosses"] for s in fitted["ncp"])
    impact = "_first_impact"
    before, after, others = (found["simulated"][k]["whole"][0] for k in ["before", "after", "not_trained_on"])
    rows = [
        ["before", digits(before)],
        ["after, throws that were matched", digits(after, 2)],
        ["after, throws that were not trained on", digits(others, 2)],
    ]
    text = table(["simulated throws", "position error [% of the side]"], rows)
    rows = []
    for key, law in [("ncp", "rigid, identified"), ("hc", "compliant, identified")]:
        for size in (10, 30, 100, 300):
            if size <= most:
                first = pair(key, size, impact) if (key, size) == ("hc", most) else ["", ""]
                rows.append([law, f"{size}", *pair(key, size), *first])
    rows.append(["compliant, trained on short stretches", f"{most}", *pair("hc_short", most), *pair("hc_short", most, impact)])
    rows.append(["the same with a network", f"{most}", *pair("hc_free", most), *pair("hc_free", most, impact)])
    rows.append(["the same with a dissipative network", f"{most}", *pair("hc_dissipative", most), "", ""])
    heads = [
        f"{found['held_out_tosses']} real tosses, never trained on",
        "training tosses",
        "whole toss [% of the side]",
        "[°]",
        "first impact [% of the side]",
        "[°]",
    ]
    return text + "\n" + table(heads, rows)


def discovery(found):
    rows = []
    for one in found["sets"]:
        for s in one["sites"]:
            test = "–" if s["gain_on_test_percent"] is None else f"{s['gain_on_test_percent']:+.0f} %"
            rows.append([one["set"], f"`{s['site']}`", f"{s['gain_on_validation_percent']:+.0f} %", test])
    heads = ["data", "site of the network", "error falls by, validation", "error falls by, test"]
    return table(heads, rows, texts=2)


def trot(found):
    ways = [
        ("quadratic program", "program"),
        ("network, imitation alone", "imitation_alone"),
        ("network, samples in its own states", "own_states"),
    ]
    pushes = [pushed["newtons"] for pushed in found["program"]["pushed"]]
    rows = []
    for name, key in ways:
        way = found[key]
        stood = [f"{walks['without_fall']} of {walks['courses']}" for walks in [way["free"], *(p["walks"] for p in way["pushed"])]]
        rows.append([name, *stood, " ".join(digits(x, 2) for x in way["free"]["stride_errors"])])
    heads = ["forces by", "no push", *(f"{push:.0f} N" for push in pushes), "tracking error [m/s, m/s, rad/s]"]
    text = table(heads, rows)
    learning = found["learning"]
    rows = []
    for name, key in ways[1:]:
        rows.append([name, *(f"{count}" for count in learning[key]["without_fall"])])
    courses = found["program"]["free"]["courses"]
    heads = [f"courses without a fall, of {courses}; samples:", *(f"{count}" for count in learning["own_states"]["samples"])]
    text += "\n" + table(heads, rows)
    times = found["times_us"]
    rows = [
        ["quadratic program, set up and solved", digits(times["walking"]["choice"])],
        ["the same, with many active bounds", digits(times["thrown"]["choice"])],
        ["network with inputs and forces, f64", digits(times["policy"])],
        ["network alone, f64", digits(times["f64"])],
        ["network alone, f32", digits(times["f32"])],
        [f"network alone, {times['f32_lanes'][1]} lanes of f32, a world", digits(times["f32_lanes"][0])],
    ]
    return text + "\n" + table(["a choice of forces", "µs"], rows)


# The experiments in the order of the page.
EXPERIMENTS = {
    "link-lengths": link_lengths,
    "real-double-pendulum": real_double_pendulum,
    "multiarm-double-pendulum": multiarm,
    "discover": demo,
    "damping": damping,
    "gradient-cost": gradient_cost,
    "pushing": pushing,
    "cube-throw": cube_throw,
    "swimmer": swimmer,
    "discovery": discovery,
    "trot": trot,
}


def run(name, programs, kept):
    """Runs an experiment and returns its output."""
    print(f"{name} …", file=sys.stderr, flush=True)
    if name == "discover":
        folder = kept / "demo"
        subprocess.run([programs / "gradbody", "demo", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        example = folder / "example" / "experiment.toml"
        subprocess.run([programs / "gradbody", "discover", example, "--out", kept / name], check=True, stdout=subprocess.DEVNULL)
        return (kept / name / "discover.json").read_text()
    command = [programs / "reproduce", name, "--json", "--out", kept / name]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def between_marks(page, name, text):
    """Returns the page with `text` between the two marks of an experiment."""
    begin, end = f"<!-- table: {name} -->\n", f"<!-- end: {name} -->\n"
    if page.count(begin) != 1 or page.count(end) != 1:
        sys.exit(f"error: {PAGE.relative_to(ROOT)}: expected one \"{begin.strip()}\" and one \"{end.strip()}\"")
    before, rest = page.split(begin)
    return before + begin + "\n" + text + "\n" + end + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "target" / "release")
    parser.add_argument("--kept", type=pathlib.Path, default=ROOT / "out" / "results")
    parser.add_argument("--again", action="store_true")
    args = parser.parse_args()
    page = PAGE.read_text()
    for name in EXPERIMENTS:
        # Fail on a missing mark before the first experiment is run.
        between_marks(page, name, "")
    if args.programs == ROOT / "target" / "release":
        packages = ["-p", "gradbody-cli", "-p", "gradbody-experiments"]
        subprocess.run(["cargo", "build", "--release", *packages], check=True, cwd=ROOT)
    args.kept.mkdir(parents=True, exist_ok=True)
    for name, write in EXPERIMENTS.items():
        file = args.kept / f"{name}.json"
        if args.again or not file.exists():
            file.write_text(run(name, args.programs, args.kept))
        page = between_marks(page, name, write(json.loads(file.read_text())))
    PAGE.write_text(page)
    print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
