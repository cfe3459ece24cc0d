"""Line plots as SVG files: panels one below the other, over a common axis."""

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

WIDTH, PANEL_HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 220, 60, 12, 44, 40


@dataclass
class Curve:
    name: str
    x: np.ndarray
    y: np.ndarray
    colour: str


@dataclass
class Panel:
    title: str
    curves: list
    logarithmic: bool = False
    least: float = 0.0  # lower end of a logarithmic axis; smaller values are drawn there


def ticks(low, high, count=5):
    """Round numbers between low and high."""
    raw = (high - low) / count
    unit = 10.0 ** math.floor(math.log10(raw))
    step = unit * next(m for m in (1, 2, 5, 10) if m * unit >= raw)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, math.floor(high / step + 1e-9) + 1)]


def write_svg(path, title, panels, axis="time [s]", legend_width=220):
    height = TOP + len(panels) * PANEL_HEIGHT + BOTTOM
    x_max = max(curve.x[-1] for panel in panels for curve in panel.curves)

    def across(x):
        return LEFT + x / x_max * (WIDTH - LEFT - RIGHT)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
           'font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="18" font-size="14">{escape(title)}</text>']
    for i, curve in enumerate(panels[0].curves):
        out.append(f'<text x="{LEFT + legend_width * i}" y="36" fill="{curve.colour}">{escape(curve.name)}</text>')
    for i, panel in enumerate(panels):
        out += draw(panel, TOP + i * PANEL_HEIGHT, across)
    for x in ticks(0.0, x_max):
        out.append(f'<text x="{across(x):.1f}" y="{height - 22}" text-anchor="middle">{x:g}</text>')
    out += [f'<text x="{WIDTH - RIGHT}" y="{height - 6}" text-anchor="end">{escape(axis)}</text>', "</svg>"]
    Path(path).write_text("\n".join(out) + "\n")


def draw(panel, top, across):
    def scale(y):
        return np.log10(np.maximum(y, panel.least)) if panel.logarithmic else np.asarray(y)

    values = np.concatenate([scale(curve.y) for curve in panel.curves])
    low, high = values.min(), values.max()
    inner_top, inner_height = top + 22, PANEL_HEIGHT - 34

    def up(y):
        return inner_top + (high - scale(y)) / (high - low) * inner_height

    marks = [10.0**k for k in range(math.ceil(low), math.floor(high) + 1)] if panel.logarithmic else ticks(low, high)
    out = [f'<text x="{LEFT}" y="{top + 14}">{escape(panel.title)}</text>',
           f'<rect x="{LEFT}" y="{inner_top}" width="{WIDTH - LEFT - RIGHT}" height="{inner_height}" fill="none" '
           'stroke="#999"/>']
    for mark in marks:
        y = float(up(mark))
        out.append(f'<path d="M{LEFT},{y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{mark:g}</text>')
    for curve in panel.curves:
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across(curve.x), up(curve.y), strict=True))
        out.append(f'<polyline points="{points}" fill="none" stroke="{curve.colour}" stroke-width="1.2"/>')
    return out
