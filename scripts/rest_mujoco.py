"""Compares where robots come to rest on the ground in gradbody and in MuJoCo.

    .venv/bin/python scripts/rest_mujoco.py [--seeds N] [--out DIR] [--gradbody PATH]

Run by hand, after `cargo build --release`; the interpreter needs `mujoco`. Ant, humanoid and Laikago are
each dropped and started standing. Both simulators use the same MJCF file, state and time step, with N
random starts (10) of each case. The results are in docs/contact-and-mujoco.md.

The files are models/*.xml and laikago.urdf with a position servo at every hinge (and, for the Laikago,
a floor). The servos are stiff for a reason. A robot that stands on friction has a family of rest poses:
friction can hold any strain between its feet up to mu times the load, and the motion before decides
which one. Stiffer servos make the family narrower; these make it about a millimetre wide (the script
measures it). The Laikago and the humanoid also get some armature: MuJoCo solves its contacts without
the damping that its integrators take implicitly, and overturns half of the Laikagos on landing where
step * damping is well above inertia. The humanoid has two balls for feet and cannot stand; it starts
upright, leaning forward, and falls on its hands.

A case is at rest if no velocity exceeds 1e-4 (m/s, rad/s) in its last quarter of a second. Rest poses
are compared by the positions of all bodies and shapes after the best shift in x and y and rotation
about z, which a flat ground leaves free. They must agree within 2 mm plus the sink of MuJoCo's soft
contact (its deepest penetration at rest), and the total ground reactions within 0.1 % of the weight.
Verdicts:

    agrees           within the tolerance
    other posture    at rest in both, but on other shapes (by a centimetre); no comparison
    no rest          one of them still moves
    DISAGREES        at rest in both on the same shapes, beyond the tolerance

The reference is MuJoCo with noslip_iterations = 10, its manual's way to suppress the slip of its
regularised friction; everything else is at the defaults. `defaults` is the same difference to MuJoCo
without it. `ours moves` and `theirs moves` are the direct check: how far MuJoCo's rest pose moves in
gradbody, and gradbody's in MuJoCo, until each rests again.

Further tables explain the differences: force and impulse on landing; the creep of MuJoCo's feet, on a
slope and under an ant without servos; how stiffer servos narrow the family of rest poses; how MuJoCo's
landing approaches gradbody's as its contact gets stiffer; why armature is needed. DIR (out/rest) gets
the MJCF files and an SVG for the first seed of each case.

The exit status is 1 if any seed disagrees, or if no seed of a case agrees.
"""

import argparse
import csv
import math
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np

from svg_plot import Curve, Panel, write_svg

ROOT = Path(__file__).resolve().parent.parent
POSE_TOLERANCE = 2e-3  # [m], besides MuJoCo's sink
FORCE_TOLERANCE = 1e-3  # of the weight
REST_SPEED = 1e-4  # [m/s, rad/s]
REST_TIME = 0.25  # [s]
POSTURE = 0.01  # [m]: shapes that lie lower than this above the lowest one make the posture
NOSLIP = 10
LANDED = 1.5  # [s]: motions are plotted up to this time
JOINT_NOISE = 0.02  # [rad]
ELLIPTIC = int(mujoco.mjtCone.mjCONE_ELLIPTIC)
MUJOCO_SETTINGS = {
    "defaults (pyramidal cone)": {},
    "elliptic cone": {"cone": ELLIPTIC},
    "elliptic, impratio 10": {"cone": ELLIPTIC, "impratio": 10.0},
    "elliptic, impratio 100": {"cone": ELLIPTIC, "impratio": 100.0},
    f"{NOSLIP} noslip iterations": {"noslip_iterations": NOSLIP},
}


@dataclass(frozen=True)
class Robot:
    """A model with servos; angles in radians, the others in SI units."""

    file: str
    pose: tuple  # held by the servos, in the order of the joints
    stiffness: float
    damping: float  # of every hinge, if its own is not larger
    armature: float  # likewise
    timestep: float | None = None  # if the file has none


@dataclass(frozen=True)
class Case:
    """The start of a robot: its lowest point `height` above the floor, upright except for a lean and a random tilt."""

    name: str
    height: float
    tilt: float  # random, about x and y
    lean: float = 0.0  # about y
    time: float = 4.0


ROBOTS = {
    "ant": Robot("ant.xml", (0.0, 1.0) * 4, 3000.0, 60.0, 1.0),
    "humanoid": Robot("humanoid.xml", (0.0,) * 17, 10000.0, 100.0, 0.3),
    "laikago": Robot("laikago.urdf", (0.0, 0.7, -1.4) * 4, 3000.0, 20.0, 0.1, timestep=0.002),
}
CASES = {
    "ant": (Case("dropped", 0.3, 0.2), Case("standing", 0.0, 0.05)),
    "humanoid": (Case("dropped", 0.3, 0.05, lean=1.0, time=5.0), Case("standing", 0.0, 0.03, lean=0.1, time=5.0)),
    "laikago": (Case("dropped", 0.2, 0.2, time=6.0), Case("standing", 0.0, 0.05)),
}


@dataclass
class Run:
    """A simulated motion, one row per step: base height [m], ground's force on the robot [N], largest speed."""

    dt: float
    height: np.ndarray
    force: np.ndarray
    speed: np.ndarray
    q: np.ndarray  # at the end
    sink: float  # deepest penetration at the end [m]

    def rest_speed(self):
        return self.speed[-round(REST_TIME / self.dt):].max()

    def rests(self):
        return self.rest_speed() < REST_SPEED


# ---- models and states ----------------------------------------------------------------------------

def write_model(path, robot, slope=0.0):
    """Writes the robot with servos on a floor, gravity leaning by `slope`, and loads the file."""
    spec = mujoco.MjSpec.from_file(str(ROOT / "models" / robot.file))
    if robot.file.endswith(".urdf"):
        add_floor(spec)
    if robot.timestep is not None:
        spec.option.timestep = robot.timestep
    spec.option.gravity = [9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)]
    for old in [*spec.keys, *spec.actuators]:
        spec.delete(old)
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.damping[0] = max(joint.damping[0], robot.damping)
            joint.armature = max(joint.armature, robot.armature)
            joint.actfrclimited, joint.actfrcrange = 0, [0.0, 0.0]
            servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            servo.set_to_position(kp=robot.stiffness)
            servo.gear[0], servo.ctrllimited, servo.ctrlrange = 1.0, 0, [0.0, 0.0]
    spec.compile()
    path.write_text(spec.to_xml())
    return mujoco.MjModel.from_xml_path(str(path))


def add_floor(spec):
    """Makes a URDF's robot free, on a floor that only the robot touches, as the MJCF models have it."""
    spec.compiler.fusestatic = False
    spec.worldbody.first_body().add_freejoint(name="root")
    for geom in spec.geoms:
        geom.name, geom.contype, geom.conaffinity = geom.parent.name, 1, 0
    floor = spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20, 20, 1])
    floor.contype, floor.conaffinity = 0, 1


def gaps(model, q):
    """Distance of every shape of the robot from the floor [m], by name; negative inside."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    floor, unused = model.geom("floor").id, np.zeros(6)
    return {model.geom(g).name: mujoco.mj_geomDistance(model, data, floor, g, 1e3, unused)
            for g in range(model.ngeom) if g != floor}


def start(model, robot, case, seed):
    rng = np.random.default_rng(seed)
    change = np.zeros(model.nv)
    change[3:5] = rng.uniform(-case.tilt, case.tilt, 2) + [0.0, case.lean]
    change[6:] = rng.uniform(-JOINT_NOISE, JOINT_NOISE, model.nv - 6)
    q = np.concatenate([[0.0, 0.0, 10.0, 1.0, 0.0, 0.0, 0.0], robot.pose])
    mujoco.mj_integratePos(model, q, change, 1.0)
    q[2] += case.height - min(gaps(model, q).values())
    return q


# ---- the two simulators ---------------------------------------------------------------------------

def ground_force(model, data):
    """Force of the floor on the robot, world axes, and the deepest penetration."""
    total, wrench, sink = np.zeros(3), np.zeros(6), 0.0
    for i in range(data.ncon):
        contact = data.contact[i]
        mujoco.mj_contactForce(model, data, i, wrench)
        # The force is of geom 1 on geom 2, in the contact's frame, whose axes are the rows.
        sign = 1.0 if model.geom_bodyid[contact.geom1] == 0 else -1.0
        total += sign * contact.frame.reshape(3, 3).T @ wrench[:3]
        sink = max(sink, -contact.dist)
    return total, sink


def run_mujoco(model, ctrl, q, time, **options):
    """MuJoCo's motion from rest at q; options are fields of model.opt."""
    before = {name: getattr(model.opt, name) for name in options}
    for name, value in options.items():
        setattr(model.opt, name, value)
    data = mujoco.MjData(model)
    data.qpos[:], data.ctrl[:] = q, ctrl
    height, force, speed, sink = [], [], [], 0.0
    for _ in range(round(time / model.opt.timestep)):
        mujoco.mj_step(model, data)
        # The contact data after mj_step belong to the start of that step.
        total, sink = ground_force(model, data)
        height.append(data.qpos[2])
        force.append(total)
        speed.append(np.abs(data.qvel).max())
    for name, value in before.items():
        setattr(model.opt, name, value)
    return Run(model.opt.timestep, np.array(height), np.array(force), np.array(speed), data.qpos.copy(), sink)


class Gradbody:
    """Runs the gradbody program, with its files in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, path, model, ctrl, q, time):
        """gradbody's motion from rest at q; joint damping implicit, as in MuJoCo."""
        controls, out = self.folder / "controls.csv", self.folder / "motion.csv"
        names = [model.actuator(i).name for i in range(model.nu)]
        controls.write_text(",".join(["t", *names]) + "\n" + ",".join(["0", *numbers(ctrl)]) + "\n")
        done = subprocess.run(
            [self.program, "simulate", str(path), "--strict", "--integrator", "implicit-damping",
             "--q=" + ",".join(numbers(q)), "--time", repr(time), "--controls", str(controls), "--out", str(out)],
            capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{path}: {done.stderr}")
        with open(out, newline="") as file:
            head, *rows = csv.reader(file)
        rows = np.array(rows[1:], dtype=float)  # without the start
        qs = [i for i, name in enumerate(head) if name.startswith("q:")]
        vs = [i for i, name in enumerate(head) if name.startswith("v:")]
        hinges = [model.joint(j).name for j in range(1, model.njnt)]
        assert [head[i] for i in qs[7:]] == ["q:" + name for name in hinges], "joints in another order"
        column = {name: rows[:, i] for i, name in enumerate(head)}
        return Run(model.opt.timestep, column["q:root/z"], np.stack([column[f] for f in ("fx", "fy", "fz")], 1),
                   np.abs(rows[:, vs]).max(1), rows[-1, qs], column["depth"][-1])


def numbers(values):
    return [repr(float(value)) for value in values]


# ---- comparison -----------------------------------------------------------------------------------

def places(model, q):
    """Positions of all bodies and shapes of the robot."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    return np.vstack([data.xpos[1:], data.geom_xpos[model.geom_bodyid > 0]])


def distance(model, q_a, q_b):
    """Largest distance between corresponding places of two poses [m]: after alignment in x, y and yaw, and without."""
    a, b = places(model, q_a), places(model, q_b)
    plane_a, plane_b = ((p[:, 0] + 1j * p[:, 1]) - (p[:, 0] + 1j * p[:, 1]).mean() for p in (a, b))
    turn = np.vdot(plane_a, plane_b)
    across = np.abs(plane_a * turn / abs(turn) - plane_b)
    return np.hypot(across, a[:, 2] - b[:, 2]).max(), np.linalg.norm(a - b, axis=1).max()


def tilt_between(q_a, q_b):
    """Angle between the world's up directions in the frames of the two bases [rad]: roll and pitch together."""
    ups = []
    for w, x, y, z in (q_a[3:7], q_b[3:7]):
        ups.append(np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]))
    return math.atan2(np.linalg.norm(np.cross(*ups)), ups[0] @ ups[1])


def on_ground(model, q):
    """The shapes the robot rests on; coarse, so that a small error is a disagreement and not another posture."""
    heights = gaps(model, q)
    return {name for name, gap in heights.items() if gap < min(heights.values()) + POSTURE}


def verdict(model, ours, theirs, weight):
    if not (ours.rests() and theirs.rests()):
        return "no rest"
    if on_ground(model, ours.q) != on_ground(model, theirs.q):
        return "other posture"
    near = distance(model, ours.q, theirs.q)[0] <= POSE_TOLERANCE + theirs.sink
    same_force = np.linalg.norm(ours.force[-1] - theirs.force[-1]) <= FORCE_TOLERANCE * weight
    return "agrees" if near and same_force else "DISAGREES"


COLUMNS = ("model", "case", "seed", "speed ours", "MuJoCo", "diff mm", "allowed", "sink mm", "tilt mrad", "joint mrad",
           "unaligned", "defaults", "ours moves", "theirs moves", "reaction/weight", "MuJoCo", "verdict")
WIDTHS = (9, 9, 4, 10, 8, 8, 8, 8, 10, 11, 10, 9, 11, 13, 16, 10, 14)


def table_row(values):
    print(" ".join(f"{value:>{width}}" for value, width in zip(values, WIDTHS, strict=True)), flush=True)


def compare(gradbody, path, model, robot, case, seed):
    """Prints a row; returns its verdict, figures for the summary and the motions."""
    weight = model.body_subtreemass[1] * 9.81
    q = start(model, robot, case, seed)
    ours = gradbody.run(path, model, robot.pose, q, case.time)
    theirs = run_mujoco(model, robot.pose, q, case.time, noslip_iterations=NOSLIP)
    default = run_mujoco(model, robot.pose, q, case.time)
    ours_again = gradbody.run(path, model, robot.pose, theirs.q, case.time)
    theirs_again = run_mujoco(model, robot.pose, ours.q, case.time, noslip_iterations=NOSLIP)
    aligned, unaligned = distance(model, ours.q, theirs.q)
    figures = {
        "diff": 1e3 * aligned,
        "sink": 1e3 * theirs.sink,
        "tilt": 1e3 * tilt_between(ours.q, theirs.q),
        "joint": 1e3 * np.abs(ours.q[7:] - theirs.q[7:]).max(),
        "unaligned": 1e3 * unaligned,
        "defaults": 1e3 * distance(model, ours.q, default.q)[0],
        "ours moves": 1e3 * distance(model, theirs.q, ours_again.q)[1],
        "theirs moves": 1e3 * distance(model, ours.q, theirs_again.q)[1],
        "force": np.linalg.norm(ours.force[-1] - theirs.force[-1]) / weight,
    }
    told = verdict(model, ours, theirs, weight)
    short = [f"{figures[name]:.2f}" for name in ("sink", "tilt", "joint")]
    moves = [f"{figures[name]:.2f}" for name in ("defaults", "ours moves", "theirs moves")]
    table_row([path.stem, case.name, seed, f"{ours.rest_speed():.0e}", f"{theirs.rest_speed():.0e}",
               f"{aligned * 1e3:.2f}", f"{(POSE_TOLERANCE + theirs.sink) * 1e3:.2f}", *short, f"{unaligned * 1e3:.1f}",
               *moves, f"{ours.force[-1, 2] / weight:.6f}", f"{theirs.force[-1, 2] / weight:.6f}", told])
    if told == "other posture":
        print(f"    on the ground: in gradbody {sorted(on_ground(model, ours.q))}, "
              f"in MuJoCo {sorted(on_ground(model, theirs.q))}")
    return told, figures, (ours, theirs, default)


# ---- on the way -----------------------------------------------------------------------------------

def landing(name, case, weight, ours, theirs, default):
    """Peak force and impulse until LANDED [weights, weights * s], and largest depth of the base below its rest [mm]."""
    parts = []
    for run in (ours, default, theirs):
        fz = run.force[: round(LANDED / run.dt), 2] / weight
        parts.append(f"{fz.max():10.1f} {fz.sum() * run.dt:9.4f} {1e3 * deepest(run):9.1f}")
    return f"{name:>9} {case.name:>9} " + " |".join(parts)


def deepest(run):
    """Largest depth of the base below its rest position [m]."""
    return max(0.0, run.height[-1] - run.height.min())


def plot(path, title, weight, ours, theirs, default):
    runs = [("gradbody", ours, "#c0392b"), ("MuJoCo, defaults", default, "#2471a3"),
            (f"MuJoCo, {NOSLIP} noslip iterations", theirs, "#7d8a2e")]
    times = ours.dt * np.arange(1, len(ours.height) + 1)
    shown = times <= LANDED
    write_svg(path, title, [
        Panel("height of the base [m]", [Curve(n, times[shown], r.height[shown], c) for n, r, c in runs]),
        Panel("force of the ground / weight", [Curve(n, times[shown], r.force[shown, 2] / weight, c)
                                               for n, r, c in runs], logarithmic=True, least=0.03),
    ])


def creep(gradbody, folder):
    """Speed of the Laikago down a slope that friction should hold [mm/s], by MuJoCo's settings."""
    slope, robot = 0.1, ROBOTS["laikago"]
    path = folder / "laikago_slope.xml"
    model = write_model(path, robot, slope)
    q = start(model, robot, Case("slope", 0.0, 0.0), 0)

    def speed(run_for):
        # The distance of the base along the slope in the last second of three.
        return 1e3 * (run_for(3.0).q[0] - run_for(2.0).q[0])

    print(f"\nLaikago on a slope of {slope} rad with friction 1: speed of the base downhill in the third second [mm/s]")
    for name, options in MUJOCO_SETTINGS.items():
        print(f"  MuJoCo, {name:30} {speed(lambda t, o=options: run_mujoco(model, robot.pose, q, t, **o)):12.6f}")
    print(f"  {'gradbody':38} {speed(lambda t: gradbody.run(path, model, robot.pose, q, t)):12.6f}")


def passive(gradbody):
    """Drops the ant of models/ant.xml with its motors off, where only friction keeps it up."""
    path = ROOT / "models" / "ant.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    off = np.zeros(model.nu)
    starts = [start(model, ROBOTS["ant"], Case("dropped", 0.3, 0.2), seed) for seed in range(3)]

    def tell(name, runs):
        runs = list(runs)
        print(f"  {name:38}", *(f"{run.height[-1]:7.3f}" for run in runs), "  ",
              *(f"{run.rest_speed():6.3f}" for run in runs))

    print("\nants of models/ant.xml dropped with their motors off, 3 seeds: height of the base after ten seconds [m]")
    print("and the largest speed then [m/s, rad/s]")
    for name, options in MUJOCO_SETTINGS.items():
        tell(f"MuJoCo, {name}", (run_mujoco(model, off, q, 10.0, **options) for q in starts))
    tell("gradbody", (gradbody.run(path, model, off, q, 10.0) for q in starts))


def family(gradbody, folder):
    """The difference between rest poses of the dropped Laikago as a function of the stiffness of its servos."""
    base, case = ROBOTS["laikago"], Case("dropped", 0.1, 0.1, time=8.0)
    print("\nLaikago dropped from 0.1 m, 3 seeds, by the stiffness of its servos: largest difference at rest, sink,")
    print("how far MuJoCo's rest moves in gradbody and gradbody's in MuJoCo [mm]; verdicts as above, for information")
    print(f"{'kp':>7} {'diff':>7} {'sink':>7} {'ours moves':>11} {'theirs moves':>13}   verdicts")
    for stiffness in (300.0, 1000.0, 3000.0, 10000.0):
        damping = base.damping * math.sqrt(stiffness / base.stiffness)
        robot = replace(base, stiffness=stiffness, damping=damping)
        path = folder / "laikago_stiffness.xml"
        model = write_model(path, robot)
        worst, told = np.zeros(4), []
        for seed in range(3):
            q = start(model, robot, case, seed)
            ours = gradbody.run(path, model, robot.pose, q, case.time)
            theirs = run_mujoco(model, robot.pose, q, case.time, noslip_iterations=NOSLIP)
            ours_again = gradbody.run(path, model, robot.pose, theirs.q, case.time)
            theirs_again = run_mujoco(model, robot.pose, ours.q, case.time, noslip_iterations=NOSLIP)
            told.append(verdict(model, ours, theirs, model.body_subtreemass[1] * 9.81))
            worst = np.maximum(worst, [
                distance(model, ours.q, theirs.q)[0], theirs.sink,
                distance(model, theirs.q, ours_again.q)[1], distance(model, ours.q, theirs_again.q)[1]])
        shown = " ".join(f"{1e3 * x:{width}.2f}" for x, width in zip(worst, (7, 7, 11, 13), strict=True))
        print(f"{stiffness:7.0f} {shown}   {', '.join(told)}", flush=True)


def stiffening(gradbody, folder):
    """How MuJoCo's landing approaches gradbody's as its contact gets stiffer and its cone round."""
    robot, case = replace(ROBOTS["laikago"], timestep=2e-4), Case("dropped", 0.2, 0.2, time=0.6)
    path = folder / "laikago_small_steps.xml"
    model = write_model(path, robot)
    starts = [start(model, robot, case, seed) for seed in range(3)]
    ours = [gradbody.run(path, model, robot.pose, q, case.time) for q in starts]
    print("\nLaikago dropped, 3 seeds, steps of 0.2 ms, MuJoCo with noslip and the elliptic cone, by the time constant")
    print("of its contact (default 20 ms): largest difference of the base's height in the first 0.6 s [mm]")
    for constant in (0.02, 0.01, 0.005, 0.002, 0.001):
        model.geom_solref[:, 0] = constant
        theirs = [run_mujoco(model, robot.pose, q, case.time, noslip_iterations=NOSLIP, cone=ELLIPTIC) for q in starts]
        largest = [1e3 * np.abs(a.height - b.height).max() for a, b in zip(ours, theirs, strict=True)]
        print(f"  {1e3 * constant:4.0f} ms", *(f"{x:8.2f}" for x in largest), flush=True)


def damping(gradbody, folder):
    """Drops the Laikago with so much damping and so little inertia at its joints that MuJoCo needs smaller steps."""
    case = Case("dropped", 0.2, 0.2, time=3.0)
    print("\nLaikago dropped, 10 seeds, damping 60 N m s/rad and no armature: how many do not stand after 3 s")
    for timestep in (2e-3, 1e-3):
        robot = replace(ROBOTS["laikago"], damping=60.0, armature=0.0, timestep=timestep)
        path = folder / "laikago_damped.xml"
        model = write_model(path, robot)
        fallen = np.zeros(2, dtype=int)
        for seed in range(10):
            q = start(model, robot, case, seed)
            runs = (gradbody.run(path, model, robot.pose, q, case.time), run_mujoco(model, robot.pose, q, case.time))
            fallen += [run.height[-1] < 0.3 for run in runs]
        print(f"  steps of {1e3 * timestep:.0f} ms   gradbody {fallen[0]}   MuJoCo {fallen[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, metavar="N", help="random starts of each case")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "rest", metavar="DIR", help="folder to write to")
    parser.add_argument("--gradbody", default=str(ROOT / "target" / "release" / "gradbody"), metavar="PATH")
    args = parser.parse_args()
    if not Path(args.gradbody).exists():
        sys.exit(f"{args.gradbody}: no such file; build it with cargo build --release")
    args.out.mkdir(parents=True, exist_ok=True)
    gradbody = Gradbody(args.gradbody, args.out)
    verdicts, summary, landings = {}, [], []
    table_row(COLUMNS)
    for name, robot in ROBOTS.items():
        path = args.out / f"{name}.xml"
        model = write_model(path, robot)
        weight = model.body_subtreemass[1] * 9.81
        for case in CASES[name]:
            results = [compare(gradbody, path, model, robot, case, seed) for seed in range(args.seeds)]
            verdicts[name, case.name] = [told for told, _, _ in results]
            agreeing = [figures for told, figures, _ in results if told in ("agrees", "DISAGREES")]
            summary.append((name, case.name, agreeing))
            plot(args.out / f"{name}-{case.name}.svg", f"{name}, {case.name}", weight, *results[0][2])
            landings.append(landing(name, case, weight, *results[0][2]))
    print("\nlargest of the seeds that are at rest in both on the same shapes: all in mm and mrad, force / weight")
    for name, case, figures in summary:
        told = verdicts[name, case]
        counts = ", ".join(f"{told.count(kind)} {kind}" for kind in sorted(set(told)))
        largest = "  ".join(f"{key} {max(f[key] for f in figures):.2g}" for key in figures[0]) if figures else ""
        print(f"  {name} {case}: {counts}; {largest}")
    print(f"\nseed 0, first {LANDED} s: peak force / weight, impulse / weight [s], base below its rest [mm]")
    print(f"{'':19} {'gradbody':>30} |{'MuJoCo, defaults':>30} |{'MuJoCo, noslip':>30}")
    print("\n".join(landings))
    creep(gradbody, args.out)
    passive(gradbody)
    family(gradbody, args.out)
    stiffening(gradbody, args.out)
    damping(gradbody, args.out)
    bad = [kind for kind, told in verdicts.items() if "DISAGREES" in told or "agrees" not in told]
    for kind in bad:
        print("DISAGREES, or nothing to compare:", *kind)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
