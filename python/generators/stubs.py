"""Writes the stub of the extension module from its docstrings. Their first line is the signature, or the type of a property.

Usage: stubs.py MODULE STUB, where MODULE is the file of the built module. The build calls it. If this Python cannot load the
module, the script says so and writes no stub.
"""

from __future__ import annotations

import inspect
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import BuiltinFunctionType, ModuleType
from typing import Any

HEAD = '''# Written by stubs.py from the docstrings of the module.

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

__version__: str
'''


def load(path: Path) -> ModuleType:
    """Loads the extension module alone, without the package and without numpy."""
    loader = ExtensionFileLoader("_grbda", str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def public_names(module: ModuleType) -> list[str]:
    return sorted(name for name in dir(module) if not name.startswith("_"))


def signature(thing: Any) -> str:
    return str(thing.__doc__).splitlines()[0]


def is_enumeration(thing: Any) -> bool:
    return inspect.isclass(thing) and hasattr(thing, "__members__")


def enumeration(name: str, members: dict[str, Any]) -> str:
    lines = [f"class {name}:"]
    lines += [f"    {member}: ClassVar[{name}]" for member in members]
    lines += [
        f"    __members__: ClassVar[dict[str, {name}]]",
        "    def __init__(self, value: int) -> None: ...",
        "    def __int__(self) -> int: ...",
        "    @property",
        "    def name(self) -> str: ...",
        "    @property",
        "    def value(self) -> int: ...",
    ]
    return "\n".join(lines)


def is_own(name: str, member: Any) -> bool:
    if isinstance(member, property):
        return True
    return callable(member) and (not name.startswith("_") or str(member.__doc__).startswith(f"{name}("))


def attribute(name: str, member: Any) -> str:
    if not isinstance(member, property):
        return f"    def {signature(member)}: ..."
    kind = str(member.__doc__).split(": ")[0]
    text = f"    @property\n    def {name}(self) -> {kind}: ..."
    if member.fset is not None:
        text += f"\n    @{name}.setter\n    def {name}(self, value: {kind}) -> None: ..."
    return text


def members_of(thing: type) -> list[tuple[str, Any]]:
    return sorted((name, member) for name, member in vars(thing).items() if is_own(name, member))


def class_stub(name: str, thing: type) -> str:
    lines = [attribute(member, value) for member, value in members_of(thing)]
    return "\n".join([f"class {name}:", *(lines or ["    pass"])])


def stub(module: ModuleType) -> str:
    parts = [HEAD]
    for name in public_names(module):
        thing = getattr(module, name)
        if is_enumeration(thing):
            parts.append(enumeration(name, thing.__members__))
        elif inspect.isclass(thing):
            parts.append(class_stub(name, thing))
        elif isinstance(thing, BuiltinFunctionType):
            parts.append(f"def {signature(thing)}: ...")
    return "\n\n".join(parts) + "\n"


def main(module: Path, output: Path) -> None:
    output.unlink(missing_ok=True)
    try:
        text = stub(load(module))
    except ImportError as error:
        print(f"stubs.py: {output.name} is left out, because {sys.executable} cannot load the module: {error}")
    else:
        output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
