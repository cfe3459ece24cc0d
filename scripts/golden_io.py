"""Helpers shared by the golden-value scripts: packing, writing, finding packages."""

import json
import math
from importlib.metadata import files
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"


def numbers(array):
    """A numpy array as nested lists, with negative zeros made plain zeros."""
    return (array + 0.0).tolist()


def packed_upper(matrix):
    """The upper triangle of a square matrix, row by row, as one flat list."""
    return [x for i, row in enumerate(numbers(matrix)) for x in row[i:]]


def check_finite(value, where):
    """Raises ValueError if any number nested in `value` is not finite."""
    if isinstance(value, dict):
        for key, item in value.items():
            check_finite(item, f"{where}.{key}")
    elif isinstance(value, list):
        for item in value:
            check_finite(item, where)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} is not finite")


def write_golden(folder, name, content):
    """Writes tests/golden/FOLDER/NAME.json and prints its size.

    Numbers are written with Python's shortest round-trip form, so reading the
    file gives back the same doubles.
    """
    check_finite(content, name)
    path = GOLDEN / folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, separators=(",", ":"), allow_nan=False) + "\n")
    print(f"{path.relative_to(GOLDEN)}: {path.stat().st_size} bytes")


def robot_files():
    """Every URDF file of the example-robot-data package: {path below robots/: Path}."""
    found = {}
    for entry in files("example-robot-data") or []:
        if entry.suffix == ".urdf" and "robots" in entry.parts:
            # The first "robots" is the package's folder; some robots have one of their own.
            below = entry.parts[entry.parts.index("robots") + 1 :]
            found["/".join(below)] = Path(entry.locate())
    if not found:
        raise FileNotFoundError("example-robot-data lists no URDF files")
    return dict(sorted(found.items()))
