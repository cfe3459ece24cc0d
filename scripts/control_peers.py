"""Compares planning by gradbody with Crocoddyl and with iLQR by finite differences of MuJoCo, in one run.

    cargo xtask peers control
    .venv/bin/python scripts/control_peers.py [--repeat N] [--measure PATH] [--crocoddyl PATH --models FOLDER]

Crocoddyl (benches/peers/crocoddyl.cpp): a Laikago crouches. Its four feet are held to the ground at points, by bilateral
contacts that a schedule switches on. gradbody's contacts are found by the simulation, unilateral and with friction. Both
have 10 ms steps, one a knot, the same weights and one thread.

MuJoCo (scripts/ilqr_mujoco.py): a half cheetah drops to the ground and runs a metre. Both have all cores. Contacts are
each simulator's own: soft in MuJoCo, rigid here; so each plan is also evaluated by the other.

Every program is run N times (5), in turn, and the least time of each part is taken; a part of a search is an iteration,
since both searches do the same in every run. On a busy machine this still favours the shorter iterations, gradbody's;
processor time does not. Without `--crocoddyl` that part is left out.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PARTS = [("step", "dynamics_us", "one step (Crocoddyl: with the costs)"), ("step_and_derivatives", None, "a step and its derivatives"),
         ("expansion", "node", "the same with the derivatives of the costs"), ("backward", "backward_us", "backward pass"),
         ("forward", "forward_us", "forward pass"), ("us_min", "iteration", "a whole iteration")]
LEVELS = [10.0, 1.0]  # per cent above the best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--measure", default=str(ROOT / "target/release/measure"))
    parser.add_argument("--crocoddyl", help="the program built from benches/peers/crocoddyl.cpp")
    parser.add_argument("--models", default=str(ROOT / "target/peers/models"))
    args = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} before, {os.cpu_count()} cores, the least of {args.repeat} runs")
    if args.crocoddyl:
        crouch(args)
    else:
        print("\nCrocoddyl is left out: no --crocoddyl")
    try:
        import ilqr_mujoco
    except ImportError as error:
        print(f"\nMuJoCo is left out: {error} (scripts/requirements.txt lists the packages)")
    else:
        with tempfile.TemporaryDirectory() as folder:
            half_cheetah(args, ilqr_mujoco, Path(folder))
    print(f"\nload {os.getloadavg()[0]:.1f} after")


def rows(*command):
    """The JSON objects that a program prints, one a line."""
    done = subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def crouch(args):
    ours, theirs = [], []
    for _ in range(args.repeat):
        ours.append(rows(args.measure, "--json", "--only", "ilqr", "--time", "400"))
        theirs.append(rows(args.crocoddyl, Path(args.models) / "laikago.txt", 30, 100))
    print("\nµs a knot                                    gradbody  Crocoddyl   ratio")
    for k, row in enumerate(theirs[0]):
        own = {key: min(run[k][key] for run in ours) for key, _, _ in PARTS}
        peer = {key: min(run[k][key] for run in theirs) for key in row if key.endswith("_us")}
        peer["node"] = peer["dynamics_us"] + peer["derivatives_us"]
        # Ours steps again before it linearises; Crocoddyl keeps what the forward pass computed.
        peer["iteration"] = peer["derivatives_us"] + peer["backward_us"] + peer["forward_us"]
        print(f"{row['knots']} knots")
        for key, of_peer, what in PARTS:
            theirs_too = f"{peer[of_peer]:>10.2f} {own[key] / peer[of_peer]:>7.2f}" if of_peer else ""
            print(f"  {what:<42} {own[key]:>8.2f} {theirs_too}")
        first = ours[0][k]
        print(f"  iterations to the end: {first['iterations']:.0f}, {row['iterations']}; cost {first['cost']:.4f}, {row['cost']:.4f}; "
              f"last height {first['height']:.4f}, {row['height']:.4f} m")


def half_cheetah(args, mujoco_side, folder):
    measure = [args.measure, "--json", "--only", "plan", "--data", folder]
    rows(*measure)  # writes the task
    task = mujoco_side.Task(folder)
    ours, theirs, in_mujoco, processors = [], [], [], []
    for _ in range(args.repeat):
        before = cpu_seconds()
        ours.append(rows(*measure)[0])
        theirs.append(mujoco_side.plan(task))
        processors.append([now - then for now, then in zip(cpu_seconds(), before)])
        in_mujoco.append(task.seconds_in_mujoco / theirs[-1][1][-1][1])
    controls = theirs[0][0]
    (folder / "theirs.json").write_text(json.dumps(controls.ravel().tolist()))
    own_cost, their_cost = ours[0]["history"][-1][0], theirs[0][1][-1][0]
    there = mujoco_side.cost_of(task, ours[0]["actions"])
    here = rows(*measure, "--plan", folder / "theirs.json")[0]["cost_of_file"]
    print("\ncost of the plan, in            gradbody     MuJoCo")
    print(f"  found by gradbody           {own_cost:>10.4f} {there:>10.4f}")
    print(f"  found in MuJoCo             {here:>10.4f} {their_cost:>10.4f}")
    _, on = mujoco_side.plan(task, np.reshape(ours[0]["actions"], (task.knots, -1)))
    print(f"  found in MuJoCo, begun at gradbody's plan   {on[-1][0]:>10.4f}")
    print(f"\nseconds to a cost, each in its own simulator  gradbody     MuJoCo   times")
    own, their = undisturbed([run["history"] for run in ours]), undisturbed([run[1] for run in theirs])
    ends = sorted([own_cost, their_cost])
    levels = [("its own end", own_cost, their_cost), ("the worse end", ends[1], ends[1]), ("the better end", ends[0], ends[0])]
    for name, of_own, of_their in levels:
        for percent in LEVELS:
            pair = first_below(own, of_own * (1 + percent / 100)), first_below(their, of_their * (1 + percent / 100))
            print(f"  within {percent:>2.0f} % of {name:<22} {seconds(pair[0])} {seconds(pair[1])} {times(*pair)}")
    pair = own[-1][1], their[-1][1]
    print(f"  {'to the end of the search':<34} {seconds(pair[0])} {seconds(pair[1])} {times(*pair)}")
    print(f"  {'an iteration':<34} {seconds(pair[0] / (len(own) - 1))} {seconds(pair[1] / (len(their) - 1))}")
    pair = np.min(processors, axis=0)
    print(f"  {'processor time to the end':<34} {seconds(pair[0])} {seconds(pair[1])} {times(*pair)}")
    print(f"{len(own) - 1} and {len(their) - 1} iterations; {100 * min(in_mujoco):.0f} % of the time of MuJoCo's search is in its "
          "C code")


def cpu_seconds():
    """Processor time so far, all threads: of programs that were run, with their start, and of this one."""
    used = [resource.getrusage(of) for of in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return [of.ru_utime + of.ru_stime for of in used]


def undisturbed(histories):
    """A history with the least time of every iteration in any run."""
    costs = [cost for cost, _ in histories[0]]
    assert all([cost for cost, _ in history] == costs for history in histories), "a search is not repeatable"
    least = np.diff([[t for _, t in history] for history in histories], prepend=0.0).min(axis=0)
    return list(zip(costs, np.cumsum(least)))


def first_below(history, cost):
    """The time in which a search comes below a cost; None if it does not."""
    return next((t for c, t in history if c <= cost), None)


def seconds(x):
    return f"{x:>10.4f}" if x is not None else f"{'never':>10}"


def times(own, their):
    return f"{their / own:>7.1f}" if own and their else f"{'-':>7}"


if __name__ == "__main__":
    main()
