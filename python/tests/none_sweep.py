"""Calls every function, constructor, method and setter of the module with None for each parameter in turn.

Usage: none_sweep.py ROBOT FILE…; prints the calls that did not raise TypeError although the signature excludes None. Each
call is announced before it is made, so that the last line of a process that dies names the call that killed it.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import grbda
import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "generators"))
import stubs

MODEL = grbda.load(sys.argv[1:])
SIZES = {"nq": MODEL.nq, "nv": MODEL.nv, "nv_tree": MODEL.nv_tree, "bodies": len(MODEL.bodies), "n": MODEL.nv_tree,
         "nx": grbda.SolverStep(MODEL).nx, "nu": grbda.SolverStep(MODEL).nu}  # fmt: skip
PLAIN: dict[str, Any] = {"int": 0, "float": 0.5, "bool": False, "str": MODEL.frames[0].name}


class Parameter(NamedTuple):
    name: str
    annotation: str
    optional: bool = False
    starred: bool = False


def parameters_of(documentation: str) -> list[Parameter]:
    function = ast.parse(f"def {documentation.splitlines()[0]}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    places, names = function.args.args, function.args.kwonlyargs
    defaults = [None] * (len(places) - len(function.args.defaults)) + list(function.args.defaults)  # type: ignore[list-item]
    found = [(one, default is not None, False) for one, default in zip(places, defaults)]
    found += [(function.args.vararg, False, True)] if function.args.vararg else []
    found += [(one, default is not None, False) for one, default in zip(names, function.args.kw_defaults)]
    return [Parameter(one.arg, ast.unparse(one.annotation) if one.annotation else "", *rest) for one, *rest in found]


def array_for(name: str, documentation: str) -> Any:
    """As many zeros as the docstring says, and a configuration that closes the loops for q."""
    found = re.search(rf"^    {name} \[([^\]]*)\]:", documentation, re.MULTILINE)
    words = found.group(1).split(", ") if found else ["nv_tree"]
    if name in ("q", "q0", "q1"):
        q = grbda.neutral_configuration(MODEL)
        return q[None] if words[0] == "states" else q
    return np.zeros([SIZES.get(word, 1) if not word.isdigit() else int(word) for word in words])


def value_for(name: str, annotation: str, documentation: str) -> Any:
    kind = annotation.split(" | ")[0]
    if kind == "ArrayLike":
        return array_for(name, documentation)
    if kind in PLAIN:
        return PLAIN[kind]
    if kind == "Model":
        return MODEL
    thing = getattr(grbda, kind, None)
    if thing is None:
        return []
    if stubs.is_enumeration(thing):
        return next(iter(thing.__members__.values()))
    return made(kind)


def made(kind: str) -> Any:
    """An object of a class, by its constructor or by an algorithm."""
    if kind in OTHERS:
        return OTHERS[kind]()
    thing = getattr(grbda, kind)
    return thing(**arguments_of(str(thing.__init__.__doc__)))


def arguments_of(documentation: str) -> dict[str, Any]:
    """Those that must be given, but self."""
    return {one.name: value_for(one.name, one.annotation, documentation) for one in parameters_of(documentation)
            if not one.optional and not one.starred and one.name != "self"}  # fmt: skip


def search_result() -> Any:
    return grbda.inverse_kinematics(MODEL, grbda.Data(MODEL), [], grbda.neutral_configuration(MODEL))[1]


OTHERS: dict[str, Callable[[], Any]] = {
    "BatchSimulator": lambda: grbda.BatchSimulator(MODEL, 1),
    "ContactFrame": lambda: grbda.ContactFrame(MODEL, MODEL.frames[0].name),
    "ContactDynamics": lambda: grbda.ContactDynamics(MODEL, []),
    "Contact": lambda: grbda.Contact(0, np.zeros(3), np.eye(3)),
    "DataFrame": lambda: grbda.Data(MODEL).frame(MODEL.frames[0].name),
    "HeightField": lambda: grbda.HeightField(np.zeros((2, 2))),
    "Model": lambda: MODEL,
    "Placed": lambda: grbda.Placed("box", np.ones(3)),
    "Chart": lambda: grbda.Data(MODEL).chart,
    "Result": lambda: grbda.Data(MODEL).result,
    "SearchResult": search_result,
    "SimulatorState": lambda: grbda.Simulator(MODEL).state(),
}


def attempt(title: str, call: Callable[[], Any], refused: bool) -> None:
    print("#", title, flush=True)
    try:
        call()
    except TypeError:
        return
    except Exception as error:
        if refused:
            print(f"{title}: {type(error).__name__} {error}")
        return
    if refused:
        print(f"{title}: accepted")


def sweep(title: str, function: Callable[..., Any], documentation: str, bound: bool = False) -> None:
    """Passes None for each parameter, with valid values for all others that are required."""
    given = arguments_of(documentation)
    for one in parameters_of(documentation):
        place: list[Any] = [made(title.split(".")[0])] if bound else []
        if one.name == "self":
            if bound:
                attempt(f"{title}(None)", lambda: function(None, **given), refused=True)
            continue
        if one.starred:
            attempt(f"{title}(None)", lambda: function(None, **given), refused=True)
            continue
        attempt(f"{title}({one.name}=None)", lambda: function(*place, **{**given, one.name: None}), "None" not in one.annotation)


def sweep_class(name: str, thing: Any) -> None:
    hollow = thing.__new__(thing)
    for member, value in stubs.members_of(thing):
        if isinstance(value, property):
            attempt(f"{name}.__new__({name}).{member}", lambda: getattr(hollow, member), refused=True)
            attempt(f"{name}.{member}.fget(None)", lambda: value.fget and value.fget(None), refused=True)
            if value.fset is not None:
                attempt(f"{name}.{member} = None", lambda: setattr(made(name), member, None), refused=True)
        elif member == "__init__":
            sweep(name, thing, str(value.__doc__))
        elif not member.startswith("_"):
            sweep(f"{name}.{member}", value, str(value.__doc__), bound=True)
            attempt(f"{name}.__new__({name}).{member}()", lambda: getattr(hollow, member)(**arguments_of(str(value.__doc__))), True)
    attempt(f"restore_coordinates(hollow {name})", lambda: grbda.restore_coordinates(MODEL, hollow), refused=True)


def main() -> None:
    for name in stubs.public_names(grbda._grbda):
        thing: Any = getattr(grbda, name)
        if not inspect.isclass(thing):
            sweep(name, thing, str(thing.__doc__))
        elif stubs.is_enumeration(thing):
            attempt(f"{name}(None)", lambda: thing(None), refused=True)  # type: ignore[call-arg]
        else:
            sweep_class(name, thing)


if __name__ == "__main__":
    main()
