"""Records swimmers in four media with MuJoCo, for `cargo reproduce swimmer`.

    python experiments/swimmer/make_trajectories.py

Needs mujoco and numpy. The same seed gives the same bytes. Every trajectory has its own start and torques, which are
the same in each medium. The files are written beside this one:

motions.csv      swimmer, set (train or test), trajectory, the start, and the sines of each hinge's torque.
SWIMMER-MEDIUM-train.csv   the velocities after each step. Positions follow: q' = q + dt v'.
SWIMMER-MEDIUM-test.csv    the positions after each of the first 20 steps, then after every tenth.
"""

import csv
import pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parents[1] / "models"

SEED = 1
DT = 0.01
# Density [kg/m^3] and viscosity [Pa s].
MEDIA = {
    "vacuum": (0.0, 0.0),
    "water5": (1000.0, 0.001518),
    "water25": (997.0, 0.00089),
    "air25": (1.184, 1.849e-5),
}
SWIMMERS = {"swimmer2": 1, "swimmer6": 5}
# Number of trajectories and their steps. Of test trajectories the first FIRST steps are kept, then every EVERY-th.
TRAIN = (10, 200)
TEST = (6, 900)
FIRST, EVERY = 20, 10
# Springs of the hinges, which keep them in range without a medium [N m/rad].
STIFFNESS = 30.0
# Largest allowed hinge angle [rad]; the range ends at 1.7453.
MOST = 1.5
# Sines of a hinge's torque: number, largest amplitude [N m], range of frequencies [Hz].
SINES = 3
AMPLITUDE = 10.0
FREQUENCIES = (0.2, 1.2)
# Largest values of a start: yaw and hinges [rad], velocity [m/s] and spins [rad/s].
START = {"yaw": 0.3, "hinge": 0.4, "velocity": 0.3, "spin": 0.2, "rate": 0.5}


def main():
    random = np.random.default_rng(SEED)
    with open(HERE / "motions.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["swimmer", "set", "trajectory", "what", "values"])
        for swimmer, hinges in SWIMMERS.items():
            models = {medium: load(swimmer, *of) for medium, of in MEDIA.items()}
            for name, (count, last) in {"train": TRAIN, "test": TEST}.items():
                steps = range(1, last + 1)
                if name == "test":
                    steps = [step for step in steps if step <= FIRST or step % EVERY == 0]
                kept = {medium: [] for medium in MEDIA}
                for trajectory in range(count):
                    start, sines, motions = draw(random, models, hinges)
                    for what, values in [("position", start[0]), ("velocity", start[1])] + [
                        (f"torque{k + 1}", sine.ravel()) for k, sine in enumerate(sines)
                    ]:
                        numbers = " ".join(repr(float(x)) for x in values)
                        rows.writerow([swimmer, name, trajectory, what, numbers])
                    for medium, (q, v) in motions.items():
                        kept[medium].append(v if name == "train" else q)
                for medium, motions in kept.items():
                    write(HERE / f"{swimmer}-{medium}-{name}.csv", models[medium], motions, steps)


def load(swimmer, density, viscosity):
    """A swimmer in a medium, with springs in its hinges."""
    model = mujoco.MjModel.from_xml_path(str(MODELS / f"{swimmer}.xml"))
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER
    assert model.opt.timestep == DT
    model.opt.density, model.opt.viscosity = density, viscosity
    model.jnt_stiffness[3:] = STIFFNESS
    return model


def draw(random, models, hinges):
    """Draws a start and torques until the hinges stay in range in every medium; also returns the motions."""
    while True:
        most = [START["velocity"]] * 2 + [START["spin"]] + [START["rate"]] * hinges
        q = np.zeros(3 + hinges)
        q[2] = random.uniform(-START["yaw"], START["yaw"])
        q[3:] = random.uniform(-START["hinge"], START["hinge"], hinges)
        v = random.uniform(-1.0, 1.0, 3 + hinges) * most
        # (hinge, sine, (amplitude [N m], frequency [Hz], phase [rad]))
        sines = np.stack(
            [
                random.uniform(0.0, AMPLITUDE, (hinges, SINES)),
                random.uniform(*FREQUENCIES, (hinges, SINES)),
                random.uniform(-np.pi, np.pi, (hinges, SINES)),
            ],
            axis=-1,
        )
        # Round to eight decimals first, so that the written values are the simulated ones.
        q, v, sines = (np.round(x, 8) for x in (q, v, sines))
        motions = {}
        for medium, model in models.items():
            motion = simulate(model, q, v, sines)
            if motion is None:
                break
            motions[medium] = motion
        else:
            return (q, v), sines, motions


def simulate(model, q, v, sines):
    """Positions and velocities after each step; None if a hinge leaves the allowed range."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    positions, velocities = [], []
    for step in range(TEST[1]):
        amplitude, frequency, phase = np.moveaxis(sines, -1, 0)
        torque = (amplitude * np.sin(2.0 * np.pi * frequency * (step * DT) + phase)).sum(axis=-1)
        data.ctrl[:] = torque / model.actuator_gear[:, 0]
        mujoco.mj_step(model, data)
        if np.abs(data.qpos[3:]).max() > MOST:
            return None
        positions.append(data.qpos.copy())
        velocities.append(data.qvel.copy())
    return np.array(positions), np.array(velocities)


def write(path, model, motions, steps):
    """Writes the values of each motion after these steps."""
    names = [model.joint(k).name for k in range(model.njnt)]
    with open(path, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["trajectory", "step"] + names)
        for trajectory, motion in enumerate(motions):
            for step in steps:
                rows.writerow([trajectory, step] + [f"{x:.6f}" for x in motion[step - 1]])


if __name__ == "__main__":
    main()
