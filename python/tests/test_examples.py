"""Each example runs and leaves its picture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SOURCE

pytest.importorskip("matplotlib")
EXAMPLES = SOURCE / "examples/python"


def run(name: str, tmp_path: Path, *options: str) -> Path:
    """Folder of the pictures of an example."""
    folder = Path(os.environ.get("GRBDA_PICTURES", tmp_path))
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py"), "--pictures", str(folder), *options], env=environment,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    return folder


@pytest.mark.parametrize("name", ["four_bar", "leg", "computed_torque", "standing", "rollouts"])
def test_an_example_runs_and_leaves_its_picture(name: str, tmp_path: Path) -> None:
    assert (run(name, tmp_path) / f"{name}.png").stat().st_size > 5000


def test_a_step_is_planned_by_crocoddyl(tmp_path: Path) -> None:
    pytest.importorskip("crocoddyl", reason="Crocoddyl is not installed: requirements/solvers.txt")
    assert (run("step_crocoddyl", tmp_path) / "step_crocoddyl.png").stat().st_size > 5000


def test_a_squat_is_planned_by_aligator(tmp_path: Path) -> None:
    pytest.importorskip("grbda.aligator", reason="Aligator is not installed, which is not on PyPI", exc_type=ImportError)
    assert (run("squat_aligator", tmp_path) / "squat_aligator.png").stat().st_size > 5000


def test_an_evolution_begins(tmp_path: Path) -> None:
    folder = run("evolution", tmp_path, "--generations", "1")
    for task in ("trot", "walk"):
        assert (folder / f"evolution_{task}.png").stat().st_size > 5000
