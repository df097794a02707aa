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


def test_the_blocks_on_solvers_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/solvers.md shows generated code for other programs, too: a section of its own has those of the package."""
    pytest.importorskip("crocoddyl", reason="Crocoddyl is not installed: requirements/solvers.txt")
    monkeypatch.chdir(SOURCE)
    text = (SOURCE / "docs/solvers.md").read_text()
    (block,) = re.findall(r"^```python\n(import crocoddyl\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "docs/solvers.md", "exec"), names)
    solver = names["solver"]
    assert solver.iter > 0 and solver.cost < solver.problem.calc(names["xs"], names["us"])


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
