"""Exceptions of the package other than ValueError and TypeError."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._grbda import Diagnostic, Result, Status


class LoadError(ValueError):
    """A robot that cannot be built; `diagnostics` has every finding made before giving up."""

    diagnostics: list[Diagnostic]

    def __init__(self, message: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[LoadError], tuple[str, list[Diagnostic]]]:
        return type(self), (str(self), self.diagnostics)


class StatusError(ArithmeticError):
    """An algorithm whose status is not ok: `result` is its outcome, `joints` are those of the cluster affected."""

    result: Result
    joints: list[str]

    def __init__(self, message: str, result: Result, joints: list[str]) -> None:
        super().__init__(message)
        self.result = result
        self.joints = joints

    def __reduce__(self) -> tuple[type[StatusError], tuple[str, Result, list[str]]]:
        return type(self), (str(self), self.result, self.joints)

    @property
    def status(self) -> Status:
        """Status of the failed call, for example `Status.singular_constraint`."""
        return self.result.status

    @property
    def cluster(self) -> int:
        """Index of the first cluster affected, in `Model.clusters`; -1: none."""
        return self.result.cluster

    @property
    def residual(self) -> float:
        """By how much loops are open, relative to the cluster's size; of `unbalanced` to the largest force."""
        return self.result.residual
