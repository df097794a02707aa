"""Each notebook runs in a kernel of Jupyter, and its assertions hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import SOURCE

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

FOLDER = SOURCE / "examples/notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of Jupyter in a folder of the test, and a template in place of the viewer's page, which may not be built."""
    (tmp_path / "template.html").write_text("/*ROBOT*/")
    monkeypatch.setenv("GRBDA_VIEW_TEMPLATE", str(tmp_path / "template.html"))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))


def outputs(name: str) -> list[Any]:
    """Data of all outputs of a notebook after a run."""
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells), "clear the outputs before a commit"
    assert sum(cell.source.count("assert ") for cell in cells) >= 5
    nbclient.NotebookClient(notebook, timeout=200, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    return [output.get("data", {}) for cell in cells for output in cell.outputs]


@pytest.mark.parametrize(("name", "pictures", "pages"), [("first_steps", 2, 1), ("forces_in_a_loop", 3, 0), ("mpc_of_a_leg", 1, 1)])
def test_a_notebook_runs(name: str, pictures: int, pages: int) -> None:
    shown = outputs(name)
    assert sum("image/png" in data for data in shown) == pictures
    assert sum("<iframe" in data.get("text/html", "") for data in shown) == pages


def test_every_notebook_is_listed() -> None:
    assert NAMES == ["first_steps", "forces_in_a_loop", "mpc_of_a_leg"]
    page = (SOURCE / "docs/python.md").read_text()
    assert all(f"examples/notebooks/{name}.ipynb" in page for name in NAMES)
