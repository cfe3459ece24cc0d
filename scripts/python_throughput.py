#!/usr/bin/env python3
"""Steps a second in Python beside other simulators, in turn, on two threads of the same machine.

    cargo xtask peers python         # builds the wheel and runs scripts/python_cost.py and this
    .venv/bin/python scripts/python_throughput.py [--rounds 5] [--robots Ant,HalfCheetah,Laikago] [--only WORD]

The Ant and the HalfCheetah are Gymnasium's there and ours in the same layout here (models/gymnasium); the Laikago, held by
servos, is one file for all. Contact is rigid in gradbody and soft in MuJoCo, so the work is alike and not the same. Peers are
`mujoco.rollout` and `mujoco.batch` of MuJoCo 4, Gymnasium's vector environments, `mjbatch`, `envpool` and MJX on the CPU; those
that need packages of their own are installed into target/peers. MJX compiles for minutes, so it stands beside gradients only. Each runs in a process of its own, one after the other in
several rounds; the table has the best round of each, by the clock and by processor time (which other programs on the machine
disturb less), and the ratio to the best peer's.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pinocchio as pin

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "benches" / "peers" / "python"
# Packages of a contestant that lives apart.
APART = {
    "mjbatch": ["mjbatch==0.1.4"],
    "envpool": ["envpool==1.2.5", "gymnasium"],
    "MJX": ["mujoco-mjx==3.17.0", "jax==0.10.2"],
}
FORWARD = [
    "mujoco.rollout",
    "mujoco.batch",
    "mjbatch",
    "gymnasium, sync",
    "gymnasium, async",
    "envpool",
    "gradbody Batch, float64",
    "gradbody Batch, float32",
    "gradbody environments, float64",
    "gradbody environments, float32",
]
GRADIENTS = ["MJX gradient", "gradbody gradient, float64", "gradbody gradient, float32"]


def interpreter(name):
    """Python for a contestant, with its packages."""
    home = name.removesuffix(" gradient")
    if home not in APART:
        return sys.executable
    folder = ROOT / "target" / "peers" / home.lower()
    python = folder / "bin" / "python"
    wanted = " ".join(APART[home])
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *APART[home]]
        subprocess.run([python, *install], check=True)
        stamp.write_text(wanted)
    return python


def write_models(folder):
    """The robots' files, for gradbody and for MuJoCo."""
    import gymnasium

    sys.path.insert(0, str(ROOT / "scripts"))
    from peer_models import MODELS, standing_laikago

    assets = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    laikago = pin.buildModelFromUrdf(str(MODELS / "laikago.urdf"), pin.JointModelFreeFlyer())
    for kind, sources in [("gradbody", MODELS / "gymnasium"), ("mujoco", assets)]:
        (folder / kind).mkdir()
        shutil.copy(sources / "ant.xml", folder / kind / "Ant.xml")
        shutil.copy(sources / "half_cheetah.xml", folder / kind / "HalfCheetah.xml")
        (folder / kind / "Laikago.xml").write_text(standing_laikago(laikago))


class Contestant:
    """A process that runs when told to."""

    def __init__(self, name, robot, folder):
        self.name, self.best, self.best_processor, self.why = name, 0.0, 0.0, None
        try:
            command = [interpreter(name), PEERS / "contestants.py", name, robot, folder]
            self.errors = tempfile.TemporaryFile("w+")
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
            )
            self._listen()
        except (subprocess.CalledProcessError, RuntimeError) as error:
            self.why = str(error)

    def _listen(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            told = [text for text in self.errors.read().splitlines() if text.strip()]
            raise RuntimeError(told[-1] if told else "it ended")
        return line

    def run(self):
        if self.why is None:
            print(file=self.process.stdin, flush=True)
            steps, seconds, processor = json.loads(self._listen())
            self.best = max(self.best, steps / seconds)
            if "async" not in self.name:
                self.best_processor = max(self.best_processor, steps / processor)

    def end(self):
        if self.why is None:
            self.process.stdin.close()
            self.process.wait()


def compare(names, robot, folder, rounds):
    contestants = []
    for name in names:
        print(f"  {robot}: {name}", file=sys.stderr, flush=True)
        contestants.append(Contestant(name, robot, folder))
    for _ in range(rounds):
        for contestant in contestants:
            contestant.run()
    peers = [c for c in contestants if "gradbody" not in c.name]
    fastest, leanest = (max((getattr(c, of) for c in peers), default=0) for of in ("best", "best_processor"))
    for c in contestants:
        c.end()
        if c.why is not None:
            print(f"| {robot} | {c.name} | {c.why[:100]} | | | |", flush=True)
            continue
        pairs = [(c.best, fastest), (c.best_processor, leanest)]
        cells = [text for x, y in pairs for text in (f"{x:,.0f}" if x else "", f"{x / y:.1f}×" if x and y else "")]
        print(f"| {robot} | {c.name} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--robots", default="Ant,HalfCheetah,Laikago")
    parser.add_argument("--only", default="", help="contestants with this word in their names")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_models(folder)
        for title, names in [("Steps", FORWARD), ("Gradient-steps", GRADIENTS)]:
            names = [name for name in names if args.only in name]
            print(f"\n| robot | | {title.lower()} a second | of the best peer | a processor second | of the best peer |")
            print("|---|---|---:|---:|---:|---:|")
            for robot in args.robots.split(","):
                known = [name for name in names if robot != "Laikago" or name.split(",")[0] not in ("gymnasium", "envpool")]
                if known:
                    compare(known, robot, folder, args.rounds)


if __name__ == "__main__":
    main()
