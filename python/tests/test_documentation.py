"""Each block of Python in docs/python.md runs, one after the other as a reader would type them."""

from __future__ import annotations

import re

import pytest
from conftest import SOURCE

PAGE = SOURCE / "docs/python.md"


def blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_blocks_of_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SOURCE)
    names: dict[str, object] = {}
    for block in blocks():
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks()) >= 8


def test_the_snippet_of_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SOURCE)
    found = re.findall(r"^```python\n(.*?)^```$", (SOURCE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    exec(compile(found[0], "README.md", "exec"), {})
