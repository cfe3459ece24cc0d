"""Judges fits of experiments/cube_throw/*.toml on tosses, as `cargo reproduce cube-throw` judges its own.

    python scripts/cube_tosses.py measured                  # what the measurements say without a simulation
    python scripts/cube_tosses.py errors FIT...             # errors on the 100 held-out tosses
    python scripts/cube_tosses.py noise FIT                 # what noise of the start does to a prediction
    python scripts/cube_tosses.py law FIT...                # the friction that a network has learned
    python scripts/cube_tosses.py draw FILE.toml N [FIT]    # the experiment with other training tosses

It reads contactnets_cube/tosses.csv in the folder GRADBODY_DATA, and runs `gradbody predict` (another program
with --gradbody). `errors` and `noise` take --part validation for 75 tosses that are neither held out nor trained on,
and `noise` takes --model "without networks". A toss is predicted from its frames of flight; their number differs, so
tosses with the same number are predicted together. `draw` with a fit begins at the numbers of that fit.
"""

import argparse
import csv
import json
import os
import re
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SIDE, RATE = 0.1048, 148.0  # side of the cube [m], frames a second
GRAVITY, MASS = 9.61, 0.37  # in these data [m/s²]; [kg]
TOUCH = 0.003  # the cube touches if its lowest corner is no higher than this [m]
SHORTEST_FLIGHT = 3  # frames of flight that are used at least
IMPACT = 10  # frames from the first touch that count as the first impact
POSE = ["px", "py", "pz", "qw", "qx", "qy", "qz"]
CAMERA = 3e-5, np.radians(0.05)  # noise from frame to frame: a place [m], a rotation about each axis [rad]
AT_REST = 3e-4, np.radians(0.4)  # the same, constant over a toss
DRAWS = 10  # noisy starts of each toss


def read():
    """All tosses as (name, frames of POSE and velocities), in the order of the file."""
    path = Path(os.environ.get("GRADBODY_DATA", "data")) / "contactnets_cube" / "tosses.csv"
    rows = np.genfromtxt(path, delimiter=",", skip_header=1)
    names, first = np.unique(rows[:, 0], return_index=True)
    return [(int(name), frames[:, 2:]) for name, frames in zip(names, np.split(rows, first[1:]), strict=True)]


def parts():
    """Every fourth toss is held out, as in `cargo reproduce`. A quarter of the others is for choices."""
    tosses = read()
    others = [toss for k, toss in enumerate(tosses) if k % 4]
    return {
        "test": tosses[::4],
        "validation": others[3::4],
        "train": [toss for k, toss in enumerate(others) if k % 4 != 3],
    }


def drawn(number):
    """The names of the training tosses of a draw: 30, evenly spaced. Draws 0, 1 and 2 have none in common."""
    train = parts()["train"]
    return [train[[0, 2, 5][number] + k * len(train) // 30][0] for k in range(30)]


def rotation(q):
    """Rotation matrices of quaternions, (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def turned(turn, q):
    """Quaternions turned by small rotation vectors in the world."""
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    a, b = np.cos(angle / 2), turn * np.sinc(angle / (2 * np.pi)) / 2
    w, v = q[..., :1], q[..., 1:]
    return np.concatenate([a * w - (b * v).sum(-1, keepdims=True), a * v + w * b + np.cross(b, v)], -1)


def touch(frames):
    """The first frame in which the cube touches the table, or the last frame if it never does."""
    lowest = frames[:, 2] - 0.5 * SIDE * np.abs(rotation(frames[:, 3:7])[:, 2]).sum(-1)
    return int(np.argmax(lowest < TOUCH)) if (lowest < TOUCH).any() else len(frames) - 1


def flight(frames):
    """Frames of flight except the last, in which the cube may already touch."""
    return max(touch(frames) - 1, SHORTEST_FLIGHT)


def predictions(program, fit, tosses):
    """Predicted poses after the flight of each toss, by model: a list of {model: (frames, 7)}."""
    found = [None] * len(tosses)
    groups = {}
    for k, frames in enumerate(tosses):
        groups.setdefault(flight(frames), []).append(k)
    calls = [(n, group[k : k + 100]) for n, group in groups.items() for k in range(0, len(group), 100)]
    with tempfile.TemporaryDirectory() as folder:
        for given, group in calls:
            with open(f"{folder}/new.csv", "w", newline="") as file:
                out = csv.writer(file)
                out.writerow(["toss", "t", *POSE])
                for k in group:
                    out.writerows([k, i / RATE, *pose[:7]] for i, pose in enumerate(tosses[k]))
            told = ["--data", f"{folder}/new.csv", "--time", "t", "--trajectory", "toss", "--warm-up", str(given)]
            command = [program, "predict", fit, *told, "--out", f"{folder}/out"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            with open(f"{folder}/out/predictions.csv") as file:
                rows = {}
                for row in csv.DictReader(file):
                    rows.setdefault(int(row["recording"].split("/")[-1]), []).append(row)
            for k in group:
                models = [key.split(":")[1] for key in rows[k][0] if key.startswith("px:")]
                poses = {m: [[float(row[f"{c}:{m}"]) for c in POSE] for row in rows[k]] for m in models}
                found[k] = {m: np.array(p) for m, p in poses.items() if m != "measured"}
    return found


def apart(a, b):
    """How far poses are apart: [% of the side], [degrees]."""
    dot = np.abs((a[..., 3:7] * b[..., 3:7]).sum(-1)) / np.linalg.norm(a[..., 3:7], axis=-1)
    cosine = np.minimum(1, dot / np.linalg.norm(b[..., 3:7], axis=-1))
    return np.stack([100 * np.linalg.norm(a[..., :3] - b[..., :3], axis=-1) / SIDE, np.degrees(2 * np.arccos(cosine))])


def summary(tosses, predicted, measured=None):
    """Errors of each toss (tosses, 2) over the whole toss, in the first impact and at the end, and frame by frame."""
    whole, impact, end, by_frame = [], [], [], []
    for frames, poses, truth in zip(tosses, predicted, measured or tosses, strict=True):
        error = apart(poses, truth[-len(poses) :])
        # Frames of the flight count like the first predicted one.
        error = np.concatenate([np.repeat(error[:, :1], len(frames) - 1 - len(poses), 1), error], 1)
        first = touch(frames)
        whole.append(error.mean(1))
        impact.append(error[:, first : first + IMPACT].mean(1))
        end.append(error[:, -1])
        by_frame.append(error[:, first - 1 :])
    return np.array(whole), np.array(impact), np.array(end), by_frame


def interval(values):
    """The mean and its range in 90 % of draws of as many tosses."""
    random = np.random.default_rng(0)
    means = values[random.integers(len(values), size=(2000, len(values)))].mean(1)
    return "{:.1f} ({:.1f} to {:.1f})".format(values.mean(), *np.percentile(means, [5, 95]))


def errors(args):
    tosses = [frames for _, frames in parts()[args.part]]
    for fit in args.fits:
        predicted = predictions(args.gradbody, fit, tosses)
        for model in predicted[0]:
            whole, impact, end, by_frame = summary(tosses, [p[model] for p in predicted])
            print(f"{fit}, {model}")
            print(f"  whole toss    {interval(whole[:, 0])} % of the side, {interval(whole[:, 1])} degrees")
            print("  median toss   {:.1f} %, {:.1f} degrees".format(*np.median(whole, 0)))
            print("  first impact  {:.2f} %, {:.2f} degrees".format(*impact.mean(0)), end="")
            print("; end {:.1f} %, {:.1f} degrees".format(*end.mean(0)))
            times = []
            for k in (3, 7, 15, 30, 44, 59):
                there = np.array([e[:, k] for e in by_frame if e.shape[1] > k])
                times.append("{:.2f} s {:.1f} %, {:.1f}°".format(k / RATE, *there.mean(0)))
            print("  after the first touch: " + "; ".join(times), flush=True)


def noisy(frames, noise, constant, random):
    """A toss with noise in every frame, or with one offset of all its frames."""
    shape = (1, 3) if constant else (len(frames), 3)
    seen = frames.copy()
    seen[:, :3] += noise[0] * random.normal(size=shape)
    seen[:, 3:7] = turned(np.broadcast_to(noise[1] * random.normal(size=shape), (len(frames), 3)), seen[:, 3:7])
    return seen


def distance(a, b):
    """The energy distance of two samples of numbers, E|X - Y| - E|X - X'|/2 - E|Y - Y'|/2."""
    mean = lambda x, y: np.abs(x[:, None] - y[None, :]).mean()
    return mean(a, b) - mean(a, a) / 2 - mean(b, b) / 2


def noise(args):
    tosses = [frames for _, frames in parts()[args.part]]
    model = args.model
    for fit in args.fits:
        best = [p[model] for p in predictions(args.gradbody, fit, tosses)]
        print(f"{fit}, {model}: predictions from noisy starts, against the one from the measured start")
        for what, size, constant in [
            ("from frame to frame", CAMERA, False),
            ("as at rest, halved", (AT_REST[0] / 2, AT_REST[1] / 2), True),
            ("as at rest", AT_REST, True),
            ("as at rest, doubled", (2 * AT_REST[0], 2 * AT_REST[1]), True),
        ]:
            random = np.random.default_rng(1)
            draws = DRAWS if size is AT_REST else 4
            # The flight must not change its length, or predictions would begin at another frame.
            others, of = [], []
            for k, frames in enumerate(tosses):
                while of.count(k) < draws:
                    seen = noisy(frames, size, constant, random)
                    if flight(seen) == flight(frames):
                        others.append(seen)
                        of.append(k)
            found = [p[model] for p in predictions(args.gradbody, fit, others)]
            whole, impact, end, _ = summary([tosses[k] for k in of], found, [best[k] for k in of])
            print(f"  {what} ({1e3 * size[0]:.2f} mm, {np.degrees(size[1]):.2f}°): ", end="")
            print("whole toss {:.1f} %, {:.1f} degrees".format(*whole.mean(0)), end="")
            print("; first impact {:.2f} %, {:.2f} degrees".format(*impact.mean(0)), end="")
            print("; end {:.1f} %, {:.1f} degrees".format(*end.mean(0)), flush=True)
            if size is AT_REST:
                ends(tosses, found, np.array(of))


def ends(tosses, found, of):
    """Predictions of where tosses end, as distributions: scores of each toss, and all tosses together."""
    last = np.array([poses[-1] for poses in found])
    measured = np.array([frames[-1, :7] for frames in tosses])
    score, right = np.zeros(2), np.zeros(2)
    for k, truth in enumerate(measured):
        mine = last[of == k]
        half = apart(mine[:, None], mine[None, :]).sum((1, 2)) / (len(mine) * (len(mine) - 1)) / 2
        score += (apart(mine, truth).mean(1) - half) / len(measured)
        right += half / len(measured)
    print("    energy score of the ends: {:.1f} %, {:.1f} degrees".format(*score), end="")
    print(" (for a model that is right {:.1f} %, {:.1f} degrees)".format(*right))
    start = np.array([frames[touch(frames), :2] for frames in tosses])
    way = lambda poses, of: 100 * np.linalg.norm(poses[:, :2] - start[of], axis=1) / SIDE
    there, all_ = way(measured, np.arange(len(measured))), way(last, of)
    halves = []
    random = np.random.default_rng(2)
    for _ in range(200):
        mixed = random.permutation(there)
        halves.append(distance(mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]))
    print(f"    ways from the first touch: mean {all_.mean():.0f} % of the side, measured {there.mean():.0f} %", end="")
    print(f"; energy distance {distance(all_, there):.1f} %", end="")
    print(f" (of two halves of the measured ones {np.mean(halves):.1f} %)")


def measured(_):
    """Noise, centre of mass and sliding friction, from the measurements alone."""
    every = parts()
    tosses = [frames for part in ("train", "validation") for _, frames in every[part]]
    normal, product, squares, count = np.zeros((6, 6)), np.zeros(6), 0.0, 0
    for frames in tosses:
        n = touch(frames) - 1
        if n < 10:
            continue
        # p = p0 + v t + a t²/2 - R c, with one acceleration a and one centre of mass c of all tosses.
        t = np.arange(n) / RATE
        line = np.stack([np.ones(n), t], 1)
        free = np.eye(n) - line @ np.linalg.pinv(line)
        unknown = np.concatenate([np.eye(3) * (t * t / 2)[:, None, None], -rotation(frames[:n, 3:7])], 2)
        rows = np.einsum("ab,bij->aij", free, unknown).reshape(-1, 6)
        normal += rows.T @ rows
        product += rows.T @ (free @ frames[:n, :3]).ravel()
        parabola = np.stack([np.ones(n), t, t * t], 1)
        rest = frames[:n, :3] - parabola @ np.linalg.lstsq(parabola, frames[:n, :3], rcond=None)[0]
        squares, count = squares + (rest**2).sum(), count + 3 * (n - 3)
    found = np.linalg.solve(normal, product)
    print(f"scatter of places in flight about a parabola: {1e3 * np.sqrt(squares / count):.3f} mm")
    print("flight: gravity {:.2f} m/s²; centre of mass {:.1f}, {:.1f}, {:.1f} mm".format(-found[2], *1e3 * found[3:]))
    # At rest a face is level: the tilt that is measured is an error of the pose.
    tilts, heights, faces = [], [], []
    for frames in tosses:
        up = rotation(frames[-5:, 3:7].mean(0) / np.linalg.norm(frames[-5:, 3:7].mean(0)))[2]
        face = np.abs(up).argmax()
        tilts += [up[i] for i in range(3) if i != face]
        heights.append(frames[-5:, 2].mean())
        faces.append("xyz"[face] + "-+"[int(up[face] > 0)])
    print(f"at rest: tilt {np.degrees(np.std(tilts)):.2f}° about each axis", end="")
    print(f"; height {1e3 * np.mean(heights):.1f} mm", end="")
    print(f" (standard deviation {1e3 * np.std(heights):.2f} mm)")
    print("axis that points up at the end, number of tosses and height of the middle [mm]:")
    for face in sorted(set(faces)):
        there = [height for height, of in zip(heights, faces, strict=True) if of == face]
        print(f"  {face}: {len(there)}, {1e3 * np.mean(there):.2f}")
    speeds, brakes, of = [], [], []
    half = 4
    for number, frames in enumerate(tosses):
        level = np.abs(rotation(frames[:, 3:7])[:, 2]).max(-1) > np.cos(np.radians(1.5))
        level &= np.abs(frames[:, 2] - 0.0512) < 0.0012
        t = np.arange(-half, half + 1) / RATE
        parabola = np.stack([np.ones_like(t), t, t * t / 2], 1)
        for k in range(half, len(frames) - half):
            near = slice(k - half, k + half + 1)
            if level[near].all() and np.linalg.norm(frames[k, 10:13]) < 3.0:
                _, v, a = np.linalg.lstsq(parabola, frames[near, :2], rcond=None)[0]
                speeds.append(np.linalg.norm(v))
                brakes.append(-(a @ v) / max(speeds[-1], 1e-9) / GRAVITY)
                of.append(number)
    speeds, brakes, of = np.array(speeds), np.array(brakes), np.array(of)
    print("deceleration of a cube that slides on a face, by gravity:")
    for low, high in [(0.03, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.6)]:
        among = (speeds >= low) & (speeds < high)
        print(f"  {low:.2f} to {high:.2f} m/s: {brakes[among].mean():.3f} ({among.sum()} frames)")
    # How much tosses differ: what is left beside a parabola over the logarithm of the speed.
    fast = (speeds > 0.1) & (speeds < 0.6)
    curve = np.polynomial.Polynomial.fit(np.log(speeds[fast]), brakes[fast], 2)
    left = brakes[fast] - curve(np.log(speeds[fast]))
    each = [left[of[fast] == number] for number in np.unique(of[fast])]
    halves = np.array([[x[: len(x) // 2].mean(), x[len(x) // 2 :].mean()] for x in each if len(x) > 16])
    common = np.sqrt(max(np.cov(halves.T)[0, 1], 0.0))
    print(f"  tosses differ by {common:.3f} (standard deviation, common to both halves of a slide)")


def law(args):
    """Friction of a cube that slides on a face, as a share of its weight: the coefficient and the network's drag."""
    speeds = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
    print("speed [m/s]".ljust(34) + "".join(f"{v:8.2f}" for v in speeds))
    for fit in args.fits:
        raw = (Path(fit) / "weights.safetensors").read_bytes()
        size = struct.unpack("<Q", raw[:8])[0]
        header = {k: v for k, v in json.loads(raw[8 : 8 + size]).items() if k != "__metadata__"}
        layers = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            layers[name] = np.frombuffer(raw[8 + size :][begin:end], np.float64).reshape(entry["shape"])
        weight = lambda k, layers=layers: (layers[f"drag.layers.{k}.weight"], layers[f"drag.layers.{k}.bias"])
        friction = re.search(r'"shape/ground/friction" = (\S+)', (Path(fit) / "parameters.toml").read_text())
        for rate in (0.0, 0.5, 1.0):
            # As in the experiment: inputs by 0.3 m/s, output times 0.5; four corners carry the cube.
            x = np.stack([speeds / 0.3, np.full_like(speeds, rate / 0.3)], 1)
            hidden = np.tanh(x @ weight(0)[0].T + weight(0)[1])
            drag = (0.5 * (hidden @ weight(1)[0].T + weight(1)[1])[:, 0]) ** 2 * speeds
            share = (float(friction[1]) if rate == 0.0 else 0.0) + 4 * drag / (MASS * GRAVITY)
            what = f"{fit}, friction" if rate == 0.0 else f"  drag alone, approaching {rate} m/s"
            print(what.ljust(34) + "".join(f"{x:8.3f}" for x in share))


def draw(args):
    """Prints an experiment with the training tosses of another draw; with a fit, it begins at the fit's numbers."""
    text = Path(args.file).read_text()
    names = "".join(f'    "tosses/{name}",\n' for name in drawn(args.number))
    text = re.sub(r"train = \[\n[^\]]*\]", f"train = [\n{names}]", text)
    if args.fit:
        found = re.findall(r'^("\S+") = (\S+)$', (Path(args.fit) / "parameters.toml").read_text(), re.MULTILINE)
        numbers = f'"gravity/z" = -{GRAVITY}\n' + "".join(f"{path} = {float(x):.6g}\n" for path, x in found)
        text = re.sub(r"\[model\.set\]\n(\"[^\n]*\n)*", f"[model.set]\n{numbers}", text)
    print(text, end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run in [("measured", measured), ("errors", errors), ("noise", noise), ("law", law)]:
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        if name != "measured":
            command.add_argument("fits", nargs="+")
        if name in ("errors", "noise"):
            command.add_argument("--gradbody", default="gradbody")
            command.add_argument("--part", default="test", choices=["test", "validation", "train"])
            command.add_argument("--model", default="after")
    command = commands.add_parser("draw")
    command.set_defaults(run=draw)
    command.add_argument("file")
    command.add_argument("number", type=int)
    command.add_argument("fit", nargs="?")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
