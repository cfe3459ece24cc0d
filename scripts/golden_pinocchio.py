"""Writes reference values computed by Pinocchio to tests/golden/pinocchio/*.json.

Run from anywhere with an interpreter that has `pin` and `example-robot-data`:

    python scripts/golden_pinocchio.py

Three groups of files:

* `robot_*.json`: robots of example-robot-data, named by their path in that package;
* `tree_*.json`: seeded random trees with every joint kind, described in the file;
* `derivatives_*.json`: derivatives of the dynamics for some of the above.

All values are in Pinocchio's own conventions: a free joint has
q = [x, y, z, qx, qy, qz, qw] and v = [linear, angular] in body axes; a planar
joint has q = [x, y, cos, sin] and v in body axes; a spherical joint has
q = [qx, qy, qz, qw]; a continuous URDF joint has q = [cos, sin]. Spatial vectors
are linear first. Derivatives with respect to q are along the velocity
coordinates (q moves to integrate(q, dq)). Mimic joints of a URDF are
independent joints here, and neither joint damping nor joint friction enters.
Total mass, centre of mass, momentum and energies leave out links that are
fixed to the world. `rnea` and the RNEA derivatives take the state's `tau` as
acceleration.

The derivatives are computed with each universal joint replaced by two revolute
joints, which have the same coordinates: Pinocchio's own derivatives of a
universal joint disagree with finite differences.

Pinocchio's functions return views into their `data`: each result is copied while
that `data` is alive, never taken from a temporary one.
"""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pinocchio as pin

from golden_io import numbers, packed_upper, robot_files, write_golden

# name: (path in the package, free base, frames, states)
ROBOTS = {
    "laikago": ("laikago_description/urdf/laikago.urdf", True, ["FL_calf", "RR_foot"], 2),
    "a1": ("a1_description/urdf/a1.urdf", True, ["FR_thigh", "RL_foot"], 2),
    "panda": ("panda_description/urdf/panda.urdf", False, ["panda_link7", "panda_hand_tcp"], 2),
    "kinova": (
        "kinova_description/robots/kinova.urdf",
        False,
        ["j2s6s200_link_6", "j2s6s200_end_effector"],
        2,
    ),
    "simple_humanoid": (
        "simple_humanoid_description/urdf/simple_humanoid.urdf",
        True,
        ["l_wrist", "r_ankle"],
        2,
    ),
    "talos_reduced": (
        "talos_data/robots/talos_reduced.urdf",
        True,
        ["arm_left_7_link", "right_sole_link"],
        2,
    ),
    "talos_full": (
        "talos_data/robots/talos_full_v2.urdf",
        True,
        ["gripper_left_fingertip_1_link", "left_sole_link"],
        1,
    ),
}
# Number of joints of each random tree.
TREE_SIZES = [1] * 6 + [2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10, 10, 12, 12, 14, 16, 18, 20, 24, 30, 40]
KINDS = ["revolute", "prismatic", "spherical", "planar", "universal", "free"]
DERIVATIVE_ROBOTS = ["laikago", "panda", "simple_humanoid"]
DERIVATIVE_TREES = [8, 10, 13, 15, 17, 18]
HEADER = {"generator": "golden_pinocchio.py", "pinocchio": pin.__version__}


def urdf_case(path, free_base):
    """The model of a URDF file, and how the golden file describes it."""
    file = robot_files()[path]
    robot = ElementTree.parse(file).getroot()
    joints = robot.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    root = next(link for link in robot.findall("link") if link.get("name") not in children)
    mass = root.find("inertial/mass")
    description = {
        "urdf": path,
        "free_base": free_base,
        "root_link": root.get("name"),
        "root_link_mass": 0.0 if mass is None else float(mass.get("value")),
        "mimic_joints": [joint.get("name") for joint in joints if joint.find("mimic") is not None],
        "continuous_joints": [joint.get("name") for joint in joints if joint.get("type") == "continuous"],
    }
    if free_base:
        return pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer()), description
    return pin.buildModelFromUrdf(str(file)), description


def unit_vector(rng):
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def random_axis(rng):
    """Exactly a coordinate axis, its negative, or a general direction."""
    if rng.random() < 0.5:
        return rng.choice([1.0, 1.0, -1.0]) * np.eye(3)[rng.integers(3)]
    return unit_vector(rng)


def random_body(rng, name, parent, kind):
    """One joint with its body, as written to the golden file."""
    axes = []
    if kind in ("revolute", "prismatic"):
        axes = [random_axis(rng)]
    elif kind == "universal":
        first = random_axis(rng)
        second = np.roll(first, 1) if np.count_nonzero(first) == 1 else np.cross(first, unit_vector(rng))
        axes = [first, second / np.linalg.norm(second)]
    quaternion = rng.normal(size=4)
    mass = rng.uniform(0.3, 3.0)
    # A covariance of mass gives an inertia that a real body can have.
    spread = rng.normal(size=(3, 3)) * 0.2
    covariance = mass * spread @ spread.T
    inertia = np.trace(covariance) * np.eye(3) - covariance
    return {
        "name": name,
        "parent": parent,
        "kind": kind,
        "axes": [numbers(axis) for axis in axes],
        "placement": {
            "xyz": numbers(rng.uniform(-0.5, 0.5, size=3)),
            "quat_wxyz": numbers(quaternion / np.linalg.norm(quaternion)),
        },
        "mass": mass,
        "com": numbers(rng.uniform(-0.3, 0.3, size=3)),
        "inertia": [inertia[i, j] for i, j in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]],
    }


def random_tree(index):
    """A tree in depth-first order: each parent is the world, the last body or its ancestor."""
    rng = np.random.default_rng([1, index])
    tree = []
    for i in range(TREE_SIZES[index]):
        candidates = [i - 1]
        while candidates[-1] >= 0:
            candidates.append(tree[candidates[-1]]["parent"])
        # Mostly chains; the world again now and then.
        parent = candidates[0] if rng.random() < 0.6 else int(rng.choice(candidates))
        kind = KINDS[index] if index < len(KINDS) else str(rng.choice(KINDS))
        tree.append(random_body(rng, f"body{i}", parent, kind))
    return tree


def joint_model(kind, axes):
    """Pinocchio's joint; its specialised types where the axis is exactly x, y or z."""
    if kind in ("revolute", "prismatic"):
        axis = np.array(axes[0])
        general, aligned = {
            "revolute": (pin.JointModelRevoluteUnaligned, [pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ]),
            "prismatic": (pin.JointModelPrismaticUnaligned, [pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ]),
        }[kind]
        return aligned[int(np.argmax(axis))]() if axis.max() == 1.0 else general(axis)
    if kind == "universal":
        return pin.JointModelUniversal(np.array(axes[0]), np.array(axes[1]))
    return {
        "spherical": pin.JointModelSpherical,
        "planar": pin.JointModelPlanar,
        "free": pin.JointModelFreeFlyer,
    }[kind]()


def tree_model(tree, split_universal=False):
    """The model of a tree; on request with each universal joint as two revolute joints."""
    model = pin.Model()
    joints = []
    for body in tree:
        w, x, y, z = body["placement"]["quat_wxyz"]
        placement = pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(body["placement"]["xyz"]))
        name, kind, axes = f"joint_{body['name']}", body["kind"], body["axes"]
        parent = joints[body["parent"]] if body["parent"] >= 0 else 0
        if kind == "universal" and split_universal:
            parent = model.addJoint(parent, joint_model("revolute", axes[:1]), placement, f"{name}_first")
            kind, axes, placement = "revolute", axes[1:], pin.SE3.Identity()
        joint = model.addJoint(parent, joint_model(kind, axes), placement, name)
        joints.append(joint)
        xx, yy, zz, xy, xz, yz = body["inertia"]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.appendBodyToJoint(joint, pin.Inertia(body["mass"], np.array(body["com"]), inertia), pin.SE3.Identity())
        model.addBodyFrame(body["name"], joint, pin.SE3.Identity(), 0)
    return model


def random_state(model, rng):
    """Random q, v, tau: numbers in [-1, 1], angles in [-pi, pi], uniform rotations."""
    q = rng.uniform(-1.0, 1.0, size=model.nq)
    for joint in list(model.joints)[1:]:
        kind = joint.shortname()
        part = q[joint.idx_q : joint.idx_q + joint.nq]
        if kind in ("JointModelFreeFlyer", "JointModelSpherical"):
            quaternion = rng.normal(size=4)
            part[-4:] = quaternion / np.linalg.norm(quaternion)
        elif kind == "JointModelPlanar" or kind.startswith("JointModelRU"):
            angle = rng.uniform(-np.pi, np.pi)
            part[-2:] = np.cos(angle), np.sin(angle)
        elif kind.startswith("JointModelR") or kind == "JointModelUniversal":
            part *= np.pi
    return q, rng.uniform(-1.0, 1.0, size=model.nv), rng.uniform(-1.0, 1.0, size=model.nv)


def joint_table(model):
    return [
        {
            "name": model.names[joint.id],
            "kind": joint.shortname(),
            "idx_q": joint.idx_q,
            "nq": joint.nq,
            "idx_v": joint.idx_v,
            "nv": joint.nv,
        }
        for joint in list(model.joints)[1:]
    ]


def mass_matrix(model, q):
    """The joint-space inertia; Pinocchio fills only the upper triangle."""
    data = model.createData()
    upper = np.triu(pin.crba(model, data, q).reshape(model.nv, model.nv))
    return upper + np.triu(upper, 1).T


def frame_values(model, q, v, name):
    """Pose, velocity and Jacobian of a body frame, in world axes at the frame's origin."""
    data = model.createData()
    frame = model.getFrameId(name, pin.FrameType.BODY)
    pin.forwardKinematics(model, data, q, v)
    pose = pin.updateFramePlacement(model, data, frame).copy()
    velocity = pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED).vector.copy()
    jacobian = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED).reshape(6, model.nv).copy()
    assert np.allclose(jacobian @ v, velocity, rtol=0, atol=1e-10), name
    local = model.frames[frame]
    return {
        "name": name,
        "parent_joint": model.names[local.parentJoint],
        "in_parent_joint": {
            "translation": numbers(local.placement.translation),
            "rotation": numbers(local.placement.rotation.ravel()),
        },
        "translation": numbers(pose.translation),
        "rotation": numbers(pose.rotation.ravel()),
        "velocity": numbers(velocity),
        "jacobian": numbers(jacobian),
    }


def state_values(model, q, v, tau, frames):
    """Every quantity of one state, after checking that they fit together."""
    data = model.createData()
    inertia = mass_matrix(model, q)
    bias = pin.nonLinearEffects(model, data, q, v).copy()
    gravity = pin.computeGeneralizedGravity(model, data, q).copy()
    rnea = pin.rnea(model, data, q, v, tau).copy()
    qdd = pin.aba(model, data, q, v, tau).copy()
    check_dynamics(model, q, v, tau, inertia, bias, rnea, qdd)
    com = pin.centerOfMass(model, data, q, v).copy()
    com_velocity = data.vcom[0].copy()
    momentum = pin.computeCentroidalMomentum(model, data, q, v).vector.copy()
    kinetic = pin.computeKineticEnergy(model, data, q, v)
    potential = pin.computePotentialEnergy(model, data, q)
    assert np.isclose(kinetic, 0.5 * v @ inertia @ v)
    assert np.allclose(momentum[:3], data.mass[0] * com_velocity)
    assert np.isclose(potential, -data.mass[0] * model.gravity.linear @ com)
    return {
        "q": numbers(q),
        "v": numbers(v),
        "tau": numbers(tau),
        "M_upper": packed_upper(inertia),
        "bias": numbers(bias),
        "gravity": numbers(gravity),
        "qdd": numbers(qdd),
        "rnea": numbers(rnea),
        "com": numbers(com),
        "com_velocity": numbers(com_velocity),
        "kinetic": kinetic,
        "potential": potential,
        "centroidal_momentum": numbers(momentum),
        "frames": [frame_values(model, q, v, name) for name in frames],
    }


def check_dynamics(model, q, v, tau, inertia, bias, rnea, qdd):
    """Checks that M is positive definite and that forward and inverse dynamics undo each other."""
    np.linalg.cholesky(inertia)
    scale = np.abs(bias).max() + np.abs(tau).max()
    assert np.abs(inertia @ tau + bias - rnea).max() < 1e-11 * scale
    data = model.createData()
    assert np.abs(pin.rnea(model, data, q, v, qdd) - tau).max() < 1e-9 * scale


def derivative_values(model, q, v, tau):
    """Derivatives of forward dynamics and of inverse dynamics at one state."""
    data = model.createData()
    ddq_dq, ddq_dv, inverse = (x.copy() for x in pin.computeABADerivatives(model, data, q, v, tau))
    dtau_dq, dtau_dv, _ = (x.copy() for x in pin.computeRNEADerivatives(model, data, q, v, tau))
    inverse = np.triu(inverse) + np.triu(inverse, 1).T
    assert np.allclose(inverse @ mass_matrix(model, q), np.eye(model.nv), atol=1e-8)
    check_derivatives(model, q, v, tau, pin.aba, ddq_dq, ddq_dv)
    check_derivatives(model, q, v, tau, pin.rnea, dtau_dq, dtau_dv)
    return {
        "q": numbers(q),
        "v": numbers(v),
        "tau": numbers(tau),
        "ddq_dq": numbers(ddq_dq),
        "ddq_dv": numbers(ddq_dv),
        "Minv_upper": packed_upper(inverse),
        "dtau_dq": numbers(dtau_dq),
        "dtau_dv": numbers(dtau_dv),
    }


def check_derivatives(model, q, v, tau, function, by_q, by_v):
    """Central differences of `function` along one random direction of q and of v."""
    data = model.createData()
    direction = np.random.default_rng(0).normal(size=model.nv)
    step = 1e-5 * direction / np.linalg.norm(direction)

    def difference(at):
        return (at(step).copy() - at(-step).copy()) / 2.0

    in_q = difference(lambda dq: function(model, data, pin.integrate(model, q, dq), v, tau))
    in_v = difference(lambda dv: function(model, data, q, v + dv, tau))
    for matrix, change in ((by_q, in_q), (by_v, in_v)):
        assert np.abs(matrix @ step - change).max() < 1e-6 * np.abs(change).max()


def write_case(name, model, description, frames, seed, states, derivative_model=None):
    """Writes the values of one model, and its derivatives if a model for them is given."""
    head = HEADER | {
        "model": description,
        "nq": model.nq,
        "nv": model.nv,
        "gravity_vector": numbers(model.gravity.linear),
        "total_mass": pin.computeTotalMass(model),
        "joints": joint_table(model),
    }
    rng = np.random.default_rng(seed)
    samples = [random_state(model, rng) for _ in range(states)]
    write_golden("pinocchio", name, head | {"states": [state_values(model, *s, frames) for s in samples]})
    if derivative_model:
        content = head | {"states": [derivative_values(derivative_model, *samples[0])]}
        write_golden("pinocchio", f"derivatives_{name}", content)


def main():
    for number, (name, (path, free_base, frames, states)) in enumerate(ROBOTS.items()):
        model, description = urdf_case(path, free_base)
        derivative_model = model if name in DERIVATIVE_ROBOTS else None
        write_case(f"robot_{name}", model, description, frames, [2, number], states, derivative_model)
    for index in range(len(TREE_SIZES)):
        tree = random_tree(index)
        frames = [tree[-1]["name"]]
        states = 2 if len(tree) <= 12 else 1
        derivative_model = tree_model(tree, split_universal=True) if index in DERIVATIVE_TREES else None
        write_case(
            f"tree_{index:02}", tree_model(tree), {"tree": tree}, frames, [3, index], states, derivative_model
        )


if __name__ == "__main__":
    main()
