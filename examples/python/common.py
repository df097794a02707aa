"""Common functions of the examples: locations of robots and pictures."""

from __future__ import annotations

import argparse
import importlib
import os
from pathlib import Path
from typing import Any

import grbda
import numpy as np
from numpy.typing import NDArray

importlib.import_module("matplotlib").use("Agg")
Array = NDArray[np.float64]
pyplot: Any = importlib.import_module("matplotlib.pyplot")

ROBOTS = Path(os.environ.get("GRBDA_ROBOTS", Path(__file__).parents[2] / "robots"))


def robot(name: str) -> grbda.Model:
    """A robot of the collection with its side files."""
    folder = ROBOTS / name
    files = [folder / f"{name}.urdf", *sorted(folder.glob("*.yaml"))]
    return grbda.load(files)


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
