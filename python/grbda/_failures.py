"""Nodes of a ShootingProblem of Crocoddyl that have no result, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._robot import Array, Robot


class Failure(NamedTuple):
    """A node without result: its number, the part that failed ("calc" or "calcDiff"), and why."""

    node: int
    part: str
    reason: str


def failures(problem: Any, xs: Sequence[Array], us: Sequence[Array]) -> list[Failure]:
    """Nodes of a ShootingProblem without result along states xs and inputs us, and why, for example

        Failure(node=3, part="calc", reason="integrate: singular_constraint in the cluster of joint 'knee'")

    A solver that meets such a node in its first guess ends after 0 iterations without a message.
    """
    for name, points, count in (("xs", xs, problem.T + 1), ("us", us, problem.T)):
        if len(points) != count:
            raise ValueError(f"failures: {name} has {len(points)} entries, expected {count} for {problem.T} running nodes")
    found: list[Failure] = []
    models, datas = list(problem.runningModels), list(problem.runningDatas)
    for k, (model, data) in enumerate(zip(models, datas)):
        _probe(found, k, model, data, (xs[k], us[k]))
    _probe(found, len(models), problem.terminalModel, problem.terminalData, (xs[len(models)],))
    return found


class NodeError(ArithmeticError):
    """Nodes of a problem without result: `failures` lists them."""

    def __init__(self, found: list[Failure]) -> None:
        more = f"; {len(found) - 1} more nodes fail" if len(found) > 1 else ""
        super().__init__(f"node {found[0].node}, {found[0].part}: {found[0].reason}{more}")
        self.failures = found


def check(problem: Any, xs: Sequence[Array], us: Sequence[Array]) -> None:
    """Raises NodeError if a node of a ShootingProblem has no result: call it with the first guess of a solver."""
    found = failures(problem, xs, us)
    if found:
        raise NodeError(found)


def _probe(found: list[Failure], node: int, model: Any, data: Any, point: tuple[Array, ...]) -> None:
    robot: Robot = model.state.robot
    for part, names in (("calc", ("xnext", "cost")), ("calcDiff", ("Fx", "Fu", "Lx", "Lu", "Lxx"))):
        robot.failure = None
        getattr(model, part)(data, *point)
        if robot.failure is not None:
            found.append(Failure(node, part, robot.failure))
            return
        bad = [name for name in names if not np.isfinite(getattr(data, name)).all()]
        if bad:
            found.append(Failure(node, part, f"{', '.join(bad)} of the node's data not finite"))
            return
