"""Each block of Python in docs/python.md and docs/learning.md runs, one after the other as a reader would type them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from conftest import SOURCE

def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (SOURCE / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("page", "least"), [("docs/python.md", 8), ("docs/learning.md", 3)])
def test_the_blocks_of_the_page_run(page: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SOURCE)
    names: dict[str, object] = {}
    for block in blocks(page):
        exec(compile(block, page, "exec"), names)
    assert len(blocks(page)) >= least


def block_on_solvers(first: str) -> dict[str, Any]:
    """Names that the block of docs/solvers.md with this first line defines. Other blocks show generated code."""
    text = (SOURCE / "docs/solvers.md").read_text()
    (block,) = re.findall(rf"^```python\n({first}\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "docs/solvers.md", "exec"), names)
    return names


def test_the_block_on_crocoddyl_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("crocoddyl", reason="Crocoddyl is not installed: requirements/solvers.txt")
    monkeypatch.chdir(SOURCE)
    names = block_on_solvers("import crocoddyl")
    solver = names["solver"]
    assert solver.iter > 0 and solver.cost < solver.problem.calc(names["xs"], names["us"])


def test_the_block_on_aligator_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grbda.aligator", reason="Aligator is not installed, which is not on PyPI", exc_type=ImportError)
    monkeypatch.chdir(SOURCE)
    names = block_on_solvers("import aligator")
    assert names["solved"]
    at = names["chart"].x(names["np"].array(names["solver"].results.xs[-1]))
    assert abs(names["foot"].residual.value(at, None)).max() < 5e-3


def test_the_snippet_of_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SOURCE)
    found = re.findall(r"^```python\n(.*?)^```$", (SOURCE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    exec(compile(found[0], "README.md", "exec"), {})


@pytest.mark.parametrize(("page", "folder"), [("docs/first-robot.md", "examples"), ("docs/constraint-embedding.md", ".")])
def test_the_lines_print_what_the_page_says(
    page: str, folder: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(SOURCE / folder)
    found = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", (SOURCE / page).read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    exec(compile(found[0][0], page, "exec"), {})
    assert capsys.readouterr().out == found[0][1]
