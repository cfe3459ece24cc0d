"""Draws docs/contact-gradients-*.svg from the output of `cargo reproduce contact-gradients --json`.

    cargo reproduce contact-gradients --json | python scripts/contact_gradients.py
"""

import json
import sys
from pathlib import Path

import numpy as np
from svg_plot import Curve, Panel, write_svg

COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#000000"]
FIGURES = {
    "ball": ("A ball is dropped: slope of its height after half a second", "height at first [m]"),
    "box": ("A box is pushed for half a second: slope of its way [m/N]", "force [N]"),
}


def main():
    found = json.load(sys.stdin)
    for name, (title, axis) in FIGURES.items():
        lines = {kind: np.array(points) for kind, points in found[name]["slopes"].items()}
        # The closed form is drawn last, over the others.
        order = sorted(lines, key=lambda kind: kind == "closed form")
        curves = [Curve(kind, *lines[kind].T, colour) for kind, colour in zip(order, COLOURS, strict=False)]
        path = Path(__file__).parent.parent / "docs" / f"contact-gradients-{name}.svg"
        write_svg(path, title, [Panel("", curves)], axis, legend_width=130)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
