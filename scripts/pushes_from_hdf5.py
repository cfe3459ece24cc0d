"""Converts pushes of the MIT push data set to the CSV files that gradbody reads.

The set (Yu, Bauza, Fazeli, Rodriguez 2016, https://mcube.mit.edu/push-dataset/) is published as one HDF5 file per push,
with three streams on separate clocks, each about 250 Hz:

    tip_pose     t, x, y, yaw      the fingertip
    object_pose  t, x, y, yaw      the object
    ft_wrench    t, fx, fy, tau    the reaction of the object on the fingertip

All are in SI units and in the world's frame. A CSV has them on one clock, from the time when all three have started
until the first of them ends: `t,tip_x,tip_y,obj_x,obj_y,obj_yaw,fx,fy,tau`. Values are interpolated linearly, the yaw
after unwrapping. Samples are sorted by their time stamps.

    python scripts/pushes_from_hdf5.py motion_surface=abs_*.h5 --out pushes
    python scripts/pushes_from_hdf5.py one.h5 --compare one.csv

Needs h5py and numpy.
"""

import argparse
import pathlib
import sys

import h5py
import numpy as np

COLUMNS = ["t", "tip_x", "tip_y", "obj_x", "obj_y", "obj_yaw", "fx", "fy", "tau"]
# Resolution of the sensors: 0.1 µm, 1 µrad, 10 µN, 1 µN m.
FORMATS = ["%.4f", "%.7f", "%.7f", "%.7f", "%.7f", "%.6f", "%.5f", "%.5f", "%.6f"]


def stream(file, name):
    """The times and columns of a stream, sorted by time and without duplicate times."""
    if name not in file:
        sys.exit(f"{file.filename}: no dataset \"{name}\"; it has {', '.join(file)}")
    rows = file[name][:]
    if rows.ndim != 2 or rows.shape[1] < 4 or len(rows) < 2:
        sys.exit(f"{file.filename}: dataset \"{name}\" has the shape {rows.shape}, not (samples, 4)")
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return rows[np.concatenate([[True], np.diff(rows[:, 0]) > 0])]


def convert(path, rate):
    """The rows of the CSV."""
    with h5py.File(path) as file:
        tip, pose, wrench = (stream(file, name) for name in ("tip_pose", "object_pose", "ft_wrench"))
    pose[:, 3] = np.unwrap(pose[:, 3])
    start = max(s[0, 0] for s in (tip, pose, wrench))
    end = min(s[-1, 0] for s in (tip, pose, wrench))
    if end <= start:
        sys.exit(f"{path}: its streams have no time in common")
    t = np.arange(int((end - start) * rate) + 1) / rate
    columns = [(tip, 1), (tip, 2), (pose, 1), (pose, 2), (pose, 3), (wrench, 1), (wrench, 2), (wrench, 3)]
    return np.column_stack([t] + [np.interp(start + t, s[:, 0], s[:, k]) for s, k in columns])


def compare(rows, path):
    """Prints how far the rows are from those of a CSV, column by column."""
    other = np.genfromtxt(path, delimiter=",", names=True)
    if list(other.dtype.names) != COLUMNS:
        sys.exit(f"{path}: its columns are {', '.join(other.dtype.names)}")
    print(f"{path}: {len(other)} rows, {len(rows)} here; largest differences:")
    n = min(len(other), len(rows))
    for k, name in enumerate(COLUMNS):
        print(f"  {name:8} {np.abs(rows[:n, k] - other[name][:n]).max():.2g}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="HDF5 files, one push each")
    parser.add_argument("--rate", type=float, default=250.0, help="samples per second (250)")
    parser.add_argument("--out", type=pathlib.Path, help="the folder to write to; without it nothing is written")
    parser.add_argument("--compare", type=pathlib.Path, help="a CSV to compare a single push with")
    options = parser.parse_args()
    if not options.rate > 0:
        parser.error("--rate must be positive")
    if options.compare and len(options.files) != 1:
        parser.error("--compare is for one file")
    if not (options.out or options.compare):
        parser.error("say where to write (--out) or what to compare with (--compare)")
    for path in options.files:
        rows = convert(path, options.rate)
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            to = options.out / f"{path.stem}.csv"
            np.savetxt(to, rows, FORMATS, delimiter=",", header=",".join(COLUMNS), comments="")
            print(f"{to}: {len(rows)} rows")
        if options.compare:
            compare(rows, options.compare)


if __name__ == "__main__":
    main()
