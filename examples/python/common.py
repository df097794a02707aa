"""Common functions of the examples: locations of robots and pictures, and a state of Digit."""

from __future__ import annotations

import argparse
import importlib
import os
from pathlib import Path
from typing import Any

import grbda
import numpy as np
from grbda import control
from numpy.typing import NDArray

importlib.import_module("matplotlib").use("Agg")
Array = NDArray[np.float64]
pyplot: Any = importlib.import_module("matplotlib.pyplot")

DIGIT_FEET = ("left_foot", "right_foot")
ROBOTS = Path(os.environ.get("GRBDA_ROBOTS", Path(__file__).parents[2] / "robots"))


def robot(name: str) -> grbda.Model:
    """A robot of the collection with its side files."""
    folder = ROBOTS / name
    files = [folder / f"{name}.urdf", *sorted(folder.glob("*.yaml"))]
    return grbda.load(files)


def digit_standing(robot: control.Robot) -> Array:
    """State of Digit at rest with both soles level, under the hips."""
    model, q = robot.model, grbda.neutral_configuration(robot.model)
    grbda.forward_kinematics(model, robot.data, q)
    targets = []
    for foot in DIGIT_FEET:
        at = grbda.frame_position(model, robot.data, foot)
        below = [0.0, at[1], q[2] - 0.75]  # q[2]: height of the base
        targets.append(grbda.FrameTarget(model.frame(foot).index, position=below, orientation=np.eye(3)))
    options = grbda.SearchOptions()
    options.held = [model.joint("floating_base").index]
    q, result = grbda.inverse_kinematics(model, robot.data, targets, q, options)
    if max(gap.length for gap in result.gaps) > 1e-6:
        raise SystemExit(f"the feet do not reach their places: {result.outcome}")
    return np.concatenate([q, np.zeros(robot.nv)])


def picture_folder() -> Path:
    """Returns the folder given on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=Path, default=Path("."), help="folder for the pictures")
    folder: Path = parser.parse_args().pictures
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def save(figure: Any, folder: Path, name: str) -> None:
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=110)
    pyplot.close(figure)
