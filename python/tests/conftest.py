"""Robots, and the tool of the same build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grbda
import grbda.gym
import grbda.locomotion
import numpy as np
import pytest

SOURCE = Path(os.environ.get("GRBDA_SOURCE", Path(__file__).parents[2]))
sys.path.append(str(SOURCE / "python/generators"))
ROBOTS = ["four_bar", "six_bar", "slider_crank", "parallel_belt", "mit_humanoid", "tello", "digit_leg", "delta"]


def files_of(name: str) -> list[str]:
    folder = SOURCE / "robots" / name
    return [str(file) for ending in ("urdf", "xml", "sdf", "yaml", "srdf") for file in sorted(folder.glob(f"*.{ending}"))]


TASKS: dict[str, Callable[..., grbda.locomotion.GaitTask]] = {
    "trot": lambda **settings: grbda.locomotion.Trot(grbda.load(files_of("mini_cheetah")), **settings),
    "walk": lambda **settings: grbda.locomotion.WalkInPlace(grbda.load(files_of("digit")), **settings),
}


def random_actions(env: grbda.gym.VectorEnvironment, steps: int) -> Any:
    return np.random.default_rng(0).uniform(-1, 1, (steps, *env.action_space.shape))


def tool(*arguments: str) -> str:
    program = os.environ.get("GRBDA_TOOL")
    if program is None:
        pytest.skip("GRBDA_TOOL names no tool of the same build")
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def computed(name: str, states: dict[str, Any], folder: Path, *options: str) -> dict[str, Any]:
    """Output of `grbda compute` for these states."""
    file = folder / "states.json"
    file.write_text(json.dumps(states))
    result: dict[str, Any] = json.loads(tool("compute", *files_of(name), "--states", str(file), *options))
    return result


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=TASKS)
def task(request: pytest.FixtureRequest) -> grbda.locomotion.GaitTask:
    return TASKS[request.param]()


@pytest.fixture()
def model(robot: str) -> grbda.Model:
    return grbda.load(files_of(robot))


@pytest.fixture(scope="session")
def humanoid() -> grbda.Model:
    return grbda.load(files_of("mit_humanoid"))
