#!/usr/bin/env python3
"""Draws a record of `grbda simulate -o` or of examples/simulation: joints, energy and contacts over time.

Usage: plot_simulation.py RECORD.csv [-o FILE.svg|FILE.png] [--joints NAME,...] [--simulation N]
"""

import argparse
import csv
import difflib
import math
import pathlib
import sys

sys.dont_write_bytecode = True  # only the figure appears in the source tree
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "benchmarks"))

FEW = 6  # joints drawn by default
COLOURS = ("aba", "dense_kkt", "rnea", "range_space", "crba", "kinematics", "proximal", "projection")
# column, label of its axis, factor to its unit
PANELS = (("energy", "energy, J", 1), ("contacts", "contacts that bear", 1),
          ("normal_impulse", "normal impulse, N·s", 1), ("overlap", "deepest overlap, mm", 1e3),
          ("residual", "residual of the loops", 1))


class Refused(Exception):
    """An error in the input, worded for its author."""


def number(path, line, name, text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Refused(f"{path}:{line}: column '{name}': expected a finite number, found '{text}'")
    return value


def read(path, simulation):
    """Columns by name, in their order; for a record of several simulations those of one."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Refused(f"{path}: expected a record in CSV: {error}") from error
    if not rows or "time" not in rows[0]:
        raise Refused(f"{path}:1: expected a header with the column 'time', as grbda simulate writes it")
    names = rows[0]
    columns = {name: [] for name in names}
    if len(columns) != len(names):
        raise Refused(f"{path}:1: expected each column once")
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise Refused(f"{path}:{line}: expected {len(names)} cells, found {len(row)}")
        for name, text in zip(names, row):
            columns[name].append(number(path, line, name, text))
    one = of_one(path, columns, simulation)
    check_time(path, one["time"])
    return one


def of_one(path, columns, simulation):
    """The rows of one simulation in a record that numbers them."""
    counts = columns.pop("simulation", [0] * len(columns["time"]))
    if simulation not in counts:
        raise Refused(f"{path}: expected a simulation from 0 to {max(counts, default=0):g}, found {simulation}")
    return {name: [x for x, count in zip(values, counts) if count == simulation] for name, values in columns.items()}


def check_time(path, time):
    if len(time) < 2:
        raise Refused(f"{path}: expected two rows at least, found {len(time)}")
    for line, (before, now) in enumerate(zip(time, time[1:]), 3):
        if not now > before:
            raise Refused(f"{path}:{line}: expected a time after {before:g}, found {now:g}")


def span(values):
    return max(values) - min(values)


def in_proportion(a, b):
    """Tells whether two joints move in proportion, such as a rotor and the link that it drives."""
    i = max(range(len(a)), key=lambda k: abs(a[k] - a[0]))
    ratio = (b[i] - b[0]) / (a[i] - a[0])
    return all(abs(y - b[0] - ratio * (x - a[0])) < 1e-9 * span(b) for x, y in zip(a, b))


def joints_that_move(columns):
    """A few joints of one coordinate that move most; among proportional joints, the one that moves least."""
    names = [name for name in columns if name.startswith("q:") and not name.endswith("]")]
    kept = []
    for name in sorted((name for name in names if span(columns[name]) > 1e-9), key=lambda name: span(columns[name])):
        if not any(in_proportion(columns[other], columns[name]) for other in kept):
            kept.append(name)
    few = kept[-FEW:]
    return [name for name in names if name in few]


def joints_called(columns, wanted):
    known = {name[2:]: name for name in columns if name.startswith("q:")}
    for name in wanted:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3, 0.5) or list(known)[:3]
            raise Refused(f"--joints: no joint '{name}' in the record; there are {', '.join(near)}" +
                          (" and others" if len(near) < len(known) else ""))
    return [known[name] for name in wanted]


def base_of(columns):
    """Positions of the first floating joint that moves: three of its seven numbers."""
    for name in columns:
        if name.startswith("q:") and name.endswith("[6]") and name[:-3] + "[7]" not in columns:
            place = [f"{name[:-3]}[{k}]" for k in range(3)]
            if max(span(columns[each]) for each in place) > 1e-9:
                return place
    return []


def draw(columns, joints, title):
    from plots import style  # Matplotlib is needed from here on
    panels = [panel for panel in PANELS if span(columns.get(panel[0], [0])) > 0]
    rows = (len(panels) + 1) // 2
    tall = 1 if joints else 0
    figure = style.plt.figure(figsize=(9.4, 0.6 + 3 * tall + 1.9 * rows))
    grid = figure.add_gridspec(rows + tall, 2, height_ratios=[1.6] * tall + [1] * rows)
    time, all_axes = columns["time"], []
    if joints:
        axes = figure.add_subplot(grid[0, :])
        for k, name in enumerate(joints):
            axes.plot(time, columns[name], label=name[2:], color=style.COLOURS[COLOURS[k % len(COLOURS)]],
                      linestyle=("-", "--", ":")[k // len(COLOURS) % 3])
        axes.set_ylabel("position, rad or m")
        all_axes.append(axes)
    for k, (name, text, factor) in enumerate(panels):
        last = k == len(panels) - 1 and k % 2 == 0
        axes = figure.add_subplot(grid[tall + k // 2, :] if last else grid[tall + k // 2, k % 2])
        values = [factor * value for value in columns[name]]
        axes.plot(time, values, color=style.COLOURS["aba"], linewidth=1.1,
                  drawstyle="steps-post" if name == "contacts" else "default")
        axes.set_ylabel(text)
        if name == "contacts":
            axes.yaxis.get_major_locator().set_params(integer=True)
        all_axes.append(axes)
    for axes in all_axes:
        axes.set_xlim(time[0], time[-1])
    for axes in all_axes[-1:] if len(panels) % 2 else all_axes[-2:]:
        axes.set_xlabel("time, s")
    figure.suptitle(title, fontsize=11)
    figure.tight_layout(rect=(0, 0, 1, 0.93 if joints else 0.98))
    if joints:
        style.legend_above(figure, all_axes[:1], columns=2 if len(joints) in (2, 4) else 3, top=0.95)
    return figure


def save(figure, path):
    from plots import style
    if path.suffix == ".svg":
        figure.savefig(path, metadata={"Date": None, "Creator": None})
        path.write_text(style.compact(path.read_text()))
    else:
        figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="by default the record's name, with .svg")
    parser.add_argument("--joints", help="names, a,b,c; name[2] of a joint with several numbers; by default the base and some that move")
    parser.add_argument("--simulation", type=int, default=0, help="which, of a record of several; the first by default")
    arguments = parser.parse_args()
    output = arguments.output or arguments.record.with_suffix(".svg")
    try:
        if output.suffix not in (".svg", ".png"):
            raise Refused(f"-o {output}: expected a name that ends in .svg or .png")
        columns = read(arguments.record, arguments.simulation)
        joints = joints_called(columns, arguments.joints.split(",")) if arguments.joints else base_of(columns) + joints_that_move(columns)
        save(draw(columns, joints, arguments.record.stem), output)
    except ImportError as error:
        sys.exit(f"plot_simulation.py needs Matplotlib (python3-matplotlib): {error}")
    except (Refused, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
