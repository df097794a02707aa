#!/usr/bin/env python3
"""Draws the motions that swing_up, leg and jump write.

Usage: plot.py swing_up|leg|jump RECORD.csv -o FILE.svg
"""

import argparse
import csv
import math
import pathlib
import sys

sys.dont_write_bytecode = True  # only the figure appears in the source tree
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
from plots import style  # noqa: E402  its folder comes first

PLANS = {"motors": ("aba", "-", "limits of the motor"), "box": ("dense_kkt", "--", "box of the knee"),
         "small box": ("baseline", "-", "small box")}
MOST_FORCE, STALL_FORCE, NO_LOAD_SPEED = 5, 12, 120  # of the motor in jump.c


def moved(point, length, angle):
    return point[0] + length * math.cos(angle), point[1] + length * math.sin(angle)


# Poses: lines from joint to joint, from the angles in a row of the record and the lengths in the robot's file.

def crank_pose(row):
    end = moved((0, 0), 0.15, row["crank"])
    pin = moved(end, 0.4, row["crank"] + 0.8410686705679303 + row["coupler"])
    return [[(0, 0), end], [end, pin], [pin, (0.45, 0)]]


def leg_pose(row):
    hip = row["base_to_thigh"]
    driver, support = moved((0, 0), 0.011, hip), moved((0, 0), 0.042, hip)
    ankle = moved(driver, 0.096, hip + row["thigh_to_driver"])
    sole = hip + row["thigh_to_driver"] + row["driver_to_foot"]
    return [[(0, 0), support], [driver, ankle], [support, moved(support, 0.096, hip + row["thigh_to_support"])],
            [ankle, moved(ankle, 0.127, sole)]]


def jumper_pose(row):
    """In the plane x, z, in which angles about y turn clockwise."""
    hip = (0, row["height"])
    thigh = -0.9272952180016122 - row["hip"]
    shank = thigh - 1.2870022175865685 + row["knee"]
    knee, crank = moved(hip, 0.25, thigh), moved(hip, 0.045, thigh + 1.63 + row["crank"])
    return [[hip, knee], [knee, moved(knee, 0.25, shank)], [hip, crank, moved(knee, 0.045, shank + 3.27), knee]]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: value if name == "plan" else float(value) for name, value in row.items()}
                for row in csv.DictReader(file)]


def draw_poses(axes, rows, pose, count, colours):
    for k in range(count):
        row = rows[round(k * (len(rows) - 1) / (count - 1))]
        for line, colour in zip(pose(row), colours):
            axes.plot(*zip(*line), color=colour, alpha=0.15 + 0.85 * k / (count - 1), linewidth=2, solid_capstyle="round")
    axes.set_aspect("equal")
    axes.set_xlabel("m")


def tracking(rows, pose, positions, limit):
    """Poses of the first second; positions, forces and the time of each plan over time."""
    figure = style.plt.figure(figsize=(9.4, 4.6))
    grid = figure.add_gridspec(3, 2, width_ratios=[1, 1.25], height_ratios=[1.3, 1, 1])
    colours = [style.COLOURS[name] for name in ("aba", "crba", "rnea", "dense_kkt")]
    axes = figure.add_subplot(grid[:, 0])
    draw_poses(axes, [row for row in rows if row["time"] <= 1], pose, 13, colours)
    axes.set_title("the first second, darker with time")
    time = [row["time"] for row in rows]
    panels = [figure.add_subplot(grid[k, 1]) for k in range(3)]
    for k, name in enumerate(positions):
        panels[0].plot(time, [row[name] for row in rows], color=colours[3 * k], label=name)
        panels[1].step(time, [row[f"u{k}"] for row in rows], where="post", color=colours[3 * k])
    panels[0].set_ylabel("position, rad")
    panels[0].legend()
    for bound in (-limit, limit):
        panels[1].axhline(bound, color=style.TEXT, linewidth=0.8, linestyle=":")
    panels[1].set_ylabel("force, N·m")
    panels[2].step(time, [row["milliseconds"] for row in rows], where="post", color=colours[2])
    panels[2].set_ylabel("plan, ms")
    panels[2].set_ylim(0)
    panels[2].set_xlabel("time, s")
    return figure


def jump(rows):
    figure = style.plt.figure(figsize=(9.4, 3.6))
    poses, motor, rise = figure.subplots(1, 3, width_ratios=[0.7, 1.3, 1.1])
    colours = [style.COLOURS[name] for name in ("aba", "rnea", "dense_kkt")]
    driven = [row for row in rows if row["plan"] == "motors"]
    span = driven[-1]["height"] - driven[0]["height"]
    at_heights = [min(driven, key=lambda row: abs(row["height"] - driven[0]["height"] - part * span / 4)) for part in range(5)]
    draw_poses(poses, at_heights, jumper_pose, 5, colours)
    poses.set_title("limits of the motor:\nthe leg stretches")
    corner = NO_LOAD_SPEED * (1 - MOST_FORCE / STALL_FORCE)
    motor.fill([-5, corner, NO_LOAD_SPEED, -5], [MOST_FORCE, MOST_FORCE, 0, 0], color=style.GRID)
    motor.text(6, 0.3, "what the motor can do", fontsize=8.5)
    for plan, (colour, dashes, label) in PLANS.items():
        chosen = [row for row in rows if row["plan"] == plan]
        options = {"color": style.COLOURS[colour], "linestyle": dashes, "label": label}
        motor.plot([row["motor_speed"] for row in chosen], [row["force"] for row in chosen], **options)
        rise.plot([row["height"] for row in chosen], [row["speed"] for row in chosen], **options)
    motor.set_xlabel("speed of the motor, rad/s")
    motor.set_ylabel("force of the motor, N·m")
    rise.set_xlabel("height of the trunk, m")
    rise.set_ylabel("speed of the trunk, m/s")
    rise.legend()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("motion", choices=("swing_up", "leg", "jump"))
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    rows = read(arguments.record)
    if arguments.motion == "jump":
        figure = jump(rows)
    elif arguments.motion == "leg":
        figure = tracking(rows, leg_pose, ("base_to_thigh", "thigh_to_driver"), 0.25)
    else:
        figure = tracking(rows, crank_pose, ("crank",), 0.6)
    figure.tight_layout()
    figure.savefig(arguments.output, metadata={"Date": None, "Creator": None})
    arguments.output.write_text(style.compact(arguments.output.read_text()))


main()
