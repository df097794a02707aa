"""Shows a robot in a notebook or in a browser."""

from __future__ import annotations

import html
import json
import os
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _grbda

class View:
    """The page of a robot, one file in HTML. A notebook shows it in place; elsewhere `path` is the file to open."""

    def __init__(self, path: str, robot: str, frames: int, height: int) -> None:
        self.path = path
        self.robot = robot
        self.frames = frames  # number of configurations that the page replays; 0 without a trajectory
        self.height = height  # pixels, in a notebook
        self.opened = False  # whether a browser has opened the page

    def open(self) -> bool:
        """Opens the page in a browser. Returns False if there is no display or no browser."""
        self.opened = _has_display() and webbrowser.open(Path(self.path).resolve().as_uri())
        return self.opened

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        content = f"{self.robot}, {self.frames} configurations" if self.frames else self.robot
        return f"<grbda.View of {content}: {self.path}{', open in a browser' if self.opened else ''}>"

    def _repr_html_(self) -> str:
        page = html.escape(Path(self.path).read_text(encoding="utf-8"))
        return f'<iframe title="{html.escape(self.robot)}" srcdoc="{page}" width="100%" height="{self.height}" style="border:0"></iframe>'


def view(
    robot: _grbda.Model | str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    q: ArrayLike | None = None,
    *,
    times: ArrayLike | None = None,
    output: str | os.PathLike[str] | None = None,
    open: bool = True,
    template: str | os.PathLike[str] | None = None,
    height: int = 600,
    **options: Any,
) -> View:
    """Shows a model, or the robot of files, by the viewer's page, and returns the page as a `View`.

    A notebook shows the returned `View` in place, `height` pixels high. Elsewhere the page opens in a browser; without a
    display, a line on stderr names the file. `open=False` opens nothing. The page is written to `output`, or to a file in
    a new folder.

    in      q         configuration [nq] that the page shows first, or a trajectory [frames, nq] that it replays
            times     of the trajectory [frames], s, increasing
            options   of `load`, if `robot` names files
    errors  RuntimeError if the page's template is not built; ValueError if sizes or times are wrong
    """
    model = robot if isinstance(robot, _grbda.Model) else _grbda.load(robot, **options)
    record, frames = "", 0
    if times is not None:
        record, frames, q = *_record(model, q, times), None
    elif q is not None and np.ndim(q) != 1:
        raise ValueError(f"view: q has {np.ndim(q)} axes, expected [nq]; for a trajectory [frames, nq] give times [frames], s")
    page = _grbda.viewer_page(robot, q, record=record, template=template, **options)
    path = Path(output) if output is not None else Path(tempfile.mkdtemp(prefix="grbda_")) / f"{model.name.replace('/', '_') or 'robot'}.html"
    path.write_text(page, encoding="utf-8")
    shown = View(str(path), model.name, frames, height)
    if open and not _in_notebook() and not shown.open():
        print(f"grbda.view: found no display or no browser; open this file in a browser: {path}", file=sys.stderr)
    return shown


def _record(model: _grbda.Model, q: ArrayLike | None, times: ArrayLike) -> tuple[str, int]:
    """A trajectory as a record of `grbda simulate`, and its number of rows."""
    rows, at = np.asarray([] if q is None else q, dtype=float), np.asarray(times, dtype=float)
    if at.ndim != 1 or not len(at) or rows.shape != (len(at), model.nq):
        raise ValueError(
            f"view: times has the shape {at.shape} and q {rows.shape}, expected [frames] and [frames, nq] with nq = {model.nq}"
        )
    if not np.isfinite(rows).all() or not np.isfinite(at).all():
        raise ValueError("view: times or q contains NaN or infinity")
    if (np.diff(at) <= 0).any():
        raise ValueError("view: times must increase")
    columns = ["time"]
    for body in sorted(model.bodies, key=lambda body: body.q.start):
        count = body.q.stop - body.q.start
        columns += [f"q:{body.joint}" if count == 1 else f"q:{body.joint}[{k}]" for k in range(count)]
    return json.dumps({"columns": columns, "rows": np.column_stack([at, rows]).tolist()}), len(at)


def _has_display() -> bool:
    """Whether a browser can show a window. Browsers of a terminal would take it over."""
    if not sys.platform.startswith("linux") or os.environ.get("BROWSER"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _in_notebook() -> bool:
    """Whether Jupyter runs this program."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    return shell is not None and hasattr(shell, "kernel")
