"""Compares `gradbody inspect` with Pinocchio on every URDF file of example-robot-data.

    python scripts/parity_corpus.py PATH_OF_GRADBODY [PART_OF_FILE_NAME ...]

The interpreter needs `pin` and `example-robot-data`. For each file (or each whose
path contains one of the parts) both programs load the model, with the base (fixed or
free) that gradbody chooses. The mass matrix, bias force, acceleration, centre of mass
and energies at one random state are compared after conversion to gradbody's
coordinates. An error is relative to the largest number of its quantity. A robot that
is refused because of its mimic joints is compared with --free-mimic, which makes them
independent, as in Pinocchio. One line per file says

    agrees                    both load it, every error is below the tolerance
    refused by both           neither loads it
    refused by gradbody       with the message it printed
    loads only in gradbody    Pinocchio refuses it
    FAILED                    a disagreement, a crash, or a refusal without a message

and the last line counts the files. The exit status is 1 if a file failed.
"""

import argparse
import json
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pinocchio as pin

from golden_io import robot_files

TOLERANCE = 1e-10
TIMEOUT_S = 120
SUFFIXES = ("vx", "vy", "vz", "wx", "wy", "wz")
QUANTITIES = ("M", "bias", "qdd", "com", "kinetic", "potential")


class Refused(Exception):
    """A program refused a file, with a reason."""


class Failed(Exception):
    """The comparison of a file failed."""


def skew(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def load_pinocchio(path, free):
    """Pinocchio's model, its mimic joints taken as independent."""
    try:
        if free:
            return pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer(), "root")
        return pin.buildModelFromUrdf(str(path))
    except (ValueError, RuntimeError) as error:
        raise Refused(str(error).replace(str(path), path.name)) from error


def inspect(gradbody, path, *flags, **vectors):
    """The JSON that `gradbody inspect` prints, at the given q, v and tau."""
    options = [
        f"--{name}=" + ",".join(map(repr, values.tolist())) for name, values in vectors.items() if values.size
    ]
    try:
        done = subprocess.run(
            [gradbody, "inspect", str(path), "--json", *flags, *options],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"gradbody took more than {TIMEOUT_S} s") from error
    if done.returncode == 0:
        return json.loads(done.stdout)
    message = " ".join(done.stderr.replace(str(path), path.name).split())
    if done.returncode == 1 and message.startswith("error:"):
        raise Refused(message)
    raise Failed(f"gradbody ended with status {done.returncode}: {message[-300:] or 'no message'}")


def joint_order(names):
    """The joints in the order of gradbody's velocity names: {joint: number of velocities}."""
    order = {}
    for name in names:
        joint, _, suffix = name.rpartition("/")
        joint = joint if suffix in SUFFIXES and joint else name
        order[joint] = order.get(joint, 0) + 1
    return order


class JointState:
    """One joint's random state in gradbody's coordinates, and the way to Pinocchio's.

    With v the velocity here and u Pinocchio's, u = T(q) v:

    * free: v is linear in parent axes and angular in body axes, u has both in body axes;
    * planar: v is linear in the joint's frame, u in body axes;
    * any other joint: u = v.
    """

    def __init__(self, joint, rng):
        kind = joint.shortname()
        self.v = rng.uniform(-1.0, 1.0, size=joint.nv)
        self.T = np.eye(joint.nv)
        self.T_dot = np.zeros((joint.nv, joint.nv))
        if kind == "JointModelFreeFlyer":
            place = rng.uniform(-1.0, 1.0, size=3)
            w, xyz = self.random_quaternion(rng)
            self.q, self.q_pin = np.r_[place, w, xyz], np.r_[place, xyz, w]
            to_body = pin.Quaternion(w, *xyz).matrix().T
            self.T[:3, :3] = to_body
            self.T_dot[:3, :3] = -skew(self.v[3:]) @ to_body
        elif kind == "JointModelPlanar":
            place = rng.uniform(-1.0, 1.0, size=2)
            angle = rng.uniform(-np.pi, np.pi)
            c, s = np.cos(angle), np.sin(angle)
            self.q, self.q_pin = np.r_[place, angle], np.r_[place, c, s]
            self.T[:2, :2] = [[c, s], [-s, c]]
            self.T_dot[:2, :2] = self.v[2] * np.array([[-s, c], [-c, -s]])
        elif kind == "JointModelSpherical":
            w, xyz = self.random_quaternion(rng)
            self.q, self.q_pin = np.r_[w, xyz], np.r_[xyz, w]
        elif joint.nv == 1:
            angle = rng.uniform(-1.0, 1.0)
            self.q = np.array([angle])
            self.q_pin = self.q if joint.nq == 1 else np.array([np.cos(angle), np.sin(angle)])
        else:
            raise Failed(f"no conversion for Pinocchio's {kind}")

    @staticmethod
    def random_quaternion(rng):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        return quaternion[0], quaternion[1:]


class State:
    """A random state of a whole model in both programs' coordinates."""

    def __init__(self, model, order, rng):
        self.q_pin = pin.neutral(model)
        # Rows are Pinocchio's velocities, columns are gradbody's.
        self.T = np.zeros((model.nv, model.nv))
        self.T_dot = np.zeros((model.nv, model.nv))
        q, v, column = [], [], 0
        for name in order:
            joint = model.joints[model.getJointId(name)]
            state = JointState(joint, rng)
            self.q_pin[joint.idx_q : joint.idx_q + joint.nq] = state.q_pin
            block = slice(joint.idx_v, joint.idx_v + joint.nv), slice(column, column + joint.nv)
            self.T[block] = state.T
            self.T_dot[block] = state.T_dot
            q.append(state.q)
            v.append(state.v)
            column += joint.nv
        self.q = np.concatenate([np.zeros(0), *q])
        self.v = np.concatenate([np.zeros(0), *v])
        self.tau = rng.uniform(-1.0, 1.0, size=model.nv)


def reference(model, state):
    """Pinocchio's values in gradbody's coordinates.

    T is orthogonal for every joint kind, so its inverse is its transpose.
    """
    data = model.createData()
    T = state.T
    drift = state.T_dot @ state.v
    q, v = state.q_pin, T @ state.v
    upper = np.triu(pin.crba(model, data, q).reshape(model.nv, model.nv))
    M = upper + np.triu(upper, 1).T
    bias = pin.nonLinearEffects(model, data, q, v).copy()
    acceleration = pin.aba(model, data, q, v, T @ state.tau).copy()
    return {
        "M": T.T @ M @ T,
        "bias": T.T @ (bias + M @ drift),
        "qdd": T.T @ (acceleration - drift),
        "com": pin.centerOfMass(model, data, q).copy(),
        "kinetic": np.array(pin.computeKineticEnergy(model, data, q, v)),
        "potential": np.array(pin.computePotentialEnergy(model, data, q)),
    }


def check_layout(model, found):
    """The joints of both programs are the same; returns gradbody's order."""
    order = joint_order(found["names"])
    expected = {model.names[joint.id]: joint.nv for joint in list(model.joints)[1:]}
    if order != expected:
        missing = sorted(expected.items() - order.items())
        extra = sorted(order.items() - expected.items())
        raise Failed(f"joints differ: only in Pinocchio {missing}, only in gradbody {extra}")
    return order


def worst_error(expected, found):
    """The largest relative error over all quantities, and the quantity it is in."""
    worst = (0.0, "none")
    for name in QUANTITIES:
        wanted = expected[name]
        if wanted.size == 0:
            continue
        if not np.isfinite(wanted).all():
            raise Failed(f"Pinocchio's {name} is not finite")
        values = np.array(found[name], dtype=float)
        if values.shape != wanted.shape or not np.isfinite(values).all():
            raise Failed(f"{name} has shape {values.shape} instead of {wanted.shape}, or is not finite")
        scale = np.abs(wanted).max() or 1.0
        worst = max(worst, (float(np.abs(values - wanted).max() / scale), name))
    return worst


def compare(gradbody, name, path):
    """The line about one file; raises Failed."""
    flags = []
    try:
        try:
            layout = inspect(gradbody, path)
        except Refused as reason:
            if "it mimics" not in str(reason):
                raise
            flags = ["--free-mimic"]
            layout = inspect(gradbody, path, *flags)
    except Refused as reason:
        try:
            load_pinocchio(path, free=False)
        except Refused as pinocchio_reason:
            return f"refused by both: {pinocchio_reason}"
        return f"refused by gradbody: {reason}"
    try:
        model = load_pinocchio(path, free="root/vx" in layout["names"])
    except Refused as pinocchio_reason:
        return f"loads only in gradbody: {pinocchio_reason}"
    order = check_layout(model, layout)
    state = State(model, order, np.random.default_rng(zlib.crc32(name.encode())))
    found = inspect(gradbody, path, *flags, q=state.q, v=state.v, tau=state.tau)
    expected = reference(model, state)
    if sum(inertia.mass for inertia in list(model.inertias)[1:]) == 0.0:
        expected["com"] = np.zeros(0)  # Nothing moves: Pinocchio has no centre of mass.
    error, quantity = worst_error(expected, found)
    if error > TOLERANCE:
        raise Failed(f"{quantity} differs by {error:.1e}")
    return " ".join(["agrees", *flags]) + f": worst error {error:.1e} in {quantity}, nv = {model.nv}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gradbody", help="path of the built gradbody program")
    parser.add_argument("part", nargs="*", help="only files whose path contains one of these")
    arguments = parser.parse_args()
    gradbody = Path(arguments.gradbody).resolve()
    if not gradbody.is_file():
        parser.error(f"no program at {arguments.gradbody}")
    parts = arguments.part or [""]
    chosen = {name: path for name, path in robot_files().items() if any(part in name for part in parts)}
    if not chosen:
        parser.error("no file matches")
    passed = failed = 0
    for name, path in chosen.items():
        try:
            print(f"{name}: {compare(gradbody, name, path)}", flush=True)
            passed += 1
        except (Failed, KeyError, TypeError, ValueError) as error:
            print(f"{name}: FAILED: {error}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
