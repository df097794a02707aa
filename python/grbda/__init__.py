"""Rigid-body dynamics of robots with kinematic loops.

    model = grbda.load("robot.urdf")
    data = grbda.Data(model)
    ydd = grbda.aba(model, data, q, yd, tau)

A `Model` is compiled and constant, a `Data` is the workspace of one thread, algorithms are functions of both. Arrays
are float64; a matrix [r, c] is read and written without a copy where it lies column by column (order="F"), states of a
batch [states, n] where they lie row by row. Other arrays, and lists, are copied. An algorithm whose status is not ok
raises `StatusError`; with check=False it does not, and `data.result` says what came of it.
"""

from . import _grbda
from ._errors import LoadError as LoadError
from ._errors import StatusError as StatusError
from ._grbda import *
from ._grbda import __version__ as __version__
from ._view import View as View
from ._view import view as view

__all__ = [*(name for name in vars(_grbda) if not name.startswith("_")), "LoadError", "StatusError", "View", "view", "__version__"]
