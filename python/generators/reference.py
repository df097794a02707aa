"""Prints the page of reference from the docstrings of the extension module.

Usage: reference.py MODULE, where MODULE is the file of the built module. scripts/docs.sh calls it.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import stubs

HEAD = """# Python reference

This page is generated from the docstrings of the module; `help(grbda.NAME)` shows the same. [Python](python.md) explains how to
begin and which arrays are accepted. Sizes and units are those of the [headers](api.md).
"""


SIGNATURE = re.compile(r"^ *\w+\(.*\).*$", re.MULTILINE)
COMMA = re.compile(r", (?![^\[]*\])")  # not within the brackets of a type


def wrapped(text: str, width: int = 100) -> str:
    """Breaks signatures longer than the width between arguments."""
    def lines(match: re.Match[str]) -> str:
        line = match[0]
        if len(line) <= width or " -> " not in line:
            return line
        indent = " " * (len(line) - len(line.lstrip()) + 8)
        result = [""]
        for argument in COMMA.split(line):
            if result[-1] and len(result[-1]) + len(argument) + 1 > width:
                result.append(indent)
            result[-1] += argument + ", "
        return ",\n".join(part.removesuffix(", ") for part in result)
    return SIGNATURE.sub(lines, text)


def summary(thing: Any) -> str:
    """The docstring without its first line, which is the signature."""
    return "\n".join(str(thing.__doc__).splitlines()[2:]).strip()


def indented(text: str) -> str:
    return "\n".join("    " + line if line else "" for line in text.splitlines())


def function(name: str, thing: Any) -> str:
    return f"### {name}\n\n```\n{stubs.signature(thing)}\n\n{indented(summary(thing))}\n```"


def enumeration(name: str, thing: Any) -> str:
    first = str(thing.__doc__).splitlines()[0]
    return f"### {name}\n\n{first} Members: {', '.join(thing.__members__)}."


def member(name: str, value: Any) -> str:
    if isinstance(value, property):
        return f"{name}: {value.__doc__}"
    return f"{stubs.signature(value)}\n{indented(summary(value))}"


def one_class(name: str, thing: Any) -> str:
    members = "\n".join(member(*one) for one in stubs.members_of(thing))
    return f"### Class {name}\n\n{str(thing.__doc__).strip()}\n\n```\n{members}\n```"


def page(module: ModuleType) -> str:
    things = {name: getattr(module, name) for name in stubs.public_names(module)}
    classes = [name for name in things if inspect.isclass(things[name])]
    enumerations = [name for name in classes if stubs.is_enumeration(things[name])]
    parts = [HEAD, "## Functions", *(function(name, things[name]) for name in things if name not in classes)]
    parts += ["## Classes", *(one_class(name, things[name]) for name in classes if name not in enumerations)]
    parts += ["## Enumerations", *(enumeration(name, things[name]) for name in enumerations)]
    return wrapped("\n\n".join(part.strip() for part in parts)) + "\n"


if __name__ == "__main__":
    print(page(stubs.load(Path(sys.argv[1]))), end="")
