"""Spaces and modes of vectorised environments: those of gymnasium where it is installed, else classes that equal them."""

from __future__ import annotations

import enum
import importlib
import importlib.util
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

gymnasium: Any = importlib.import_module("gymnasium") if importlib.util.find_spec("gymnasium") else None


class PlainAutoresetMode(enum.Enum):
    """When an environment whose episode has ended begins the next one, as `gymnasium.vector.AutoresetMode`."""

    NEXT_STEP = "NextStep"
    SAME_STEP = "SameStep"
    DISABLED = "Disabled"


class PlainBox:
    """Arrays of float32 between bounds, as `gymnasium.spaces.Box`.

    low, high: arrays of one shape; infinite entries have no bound.
    """

    def __init__(self, low: ArrayLike, high: ArrayLike, seed: int | None = None) -> None:
        self.low: Floats = np.array(low, dtype=np.float32)
        self.high: Floats = np.array(high, dtype=np.float32)
        if self.low.shape != self.high.shape or not (self.low <= self.high).all():
            raise ValueError("Box: low and high must have one shape, and no entry of low may exceed that of high")
        self.shape = self.low.shape
        self.dtype = np.dtype(np.float32)
        self.np_random = np.random.default_rng(seed)

    def seed(self, seed: int | None = None) -> int | None:
        """Restarts `sample` from a seed."""
        self.np_random = np.random.default_rng(seed)
        return seed

    def sample(self) -> Floats:
        """Random entries: uniform between two bounds, exponential beyond a single one, normal without bounds."""
        random, low, high = self.np_random, self.low, self.high
        below, above = np.isfinite(low), np.isfinite(high)
        uniform = random.uniform(np.where(below & above, low, 0), np.where(below & above, high, 1))
        tail, free = random.exponential(size=self.shape), random.normal(size=self.shape)
        unbounded = np.where(below, np.where(below, low, 0) + tail, np.where(above, np.where(above, high, 0) - tail, free))
        return np.clip(np.where(below & above, uniform, unbounded).astype(np.float32), low, high)

    def contains(self, x: Any) -> bool:
        """Whether x is an array of this shape within the bounds, of a type that converts to float32 without loss."""
        if not isinstance(x, np.ndarray) or x.shape != self.shape or not np.can_cast(x.dtype, self.dtype):
            return False
        return bool((x >= self.low).all() and (x <= self.high).all())

    __contains__ = contains

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PlainBox) and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high)
        )

    def __repr__(self) -> str:
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


AutoresetMode: Any = getattr(gymnasium.vector, "AutoresetMode", PlainAutoresetMode) if gymnasium else PlainAutoresetMode
VectorEnvBase: Any = gymnasium.vector.VectorEnv if gymnasium else object


def box(low: ArrayLike, high: ArrayLike) -> Any:
    """Box of float32 between bounds of one shape."""
    if gymnasium is None:
        return PlainBox(low, high)
    return gymnasium.spaces.Box(np.array(low, dtype=np.float32), np.array(high, dtype=np.float32), dtype=np.float32)


def repeated(single: Any, count: int) -> Any:
    """Box of `count` rows, each with the bounds of a box."""
    return box(np.tile(single.low, (count, 1)), np.tile(single.high, (count, 1)))
