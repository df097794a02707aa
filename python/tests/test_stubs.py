"""The stub and the page of reference describe every public name, and mypy is content with tests and examples."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import grbda
import grbda._grbda
import pytest
import reference
import stubs
from conftest import SOURCE


MODULE = grbda._grbda


def test_the_package_contains_the_stub_of_its_module() -> None:
    assert Path(grbda.__file__).with_name("_grbda.pyi").read_text(encoding="utf-8") == stubs.stub(MODULE)


def test_the_stub_is_written_without_the_package(tmp_path: Path) -> None:
    generator = str(SOURCE / "python/generators/stubs.py")
    output = tmp_path / "_grbda.pyi"
    subprocess.run([sys.executable, "-I", "-S", generator, str(MODULE.__file__), str(output)], check=True)
    assert output.read_text(encoding="utf-8") == stubs.stub(MODULE)
    done = subprocess.run([sys.executable, generator, __file__, str(output)], check=True, capture_output=True, text=True)
    assert "_grbda.pyi is left out" in done.stdout
    assert not output.exists()


def test_the_stub_has_every_public_name() -> None:
    definitions = [node for node in ast.parse(stubs.stub(MODULE)).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    assert [node.name for node in definitions] == stubs.public_names(MODULE)
    for node in definitions:
        if isinstance(node, ast.ClassDef):
            names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            names |= {part.target.id for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)}
            public = {name for name in vars(getattr(MODULE, node.name)) if not name.startswith("_")}
            assert public <= names, node.name


def test_the_page_of_reference_has_every_public_name() -> None:
    page = reference.page(MODULE)
    assert sorted(re.findall(r"^### (?:Class )?(\w+)$", page, re.MULTILINE)) == stubs.public_names(MODULE)
    links = re.findall(r"\]\(([\w.-]+)\)", page)
    assert links
    assert [link for link in links if not (SOURCE / "docs" / link).exists()] == []


def test_signatures_can_be_inspected() -> None:
    signature = inspect.signature(grbda.aba)
    assert list(signature.parameters) == ["model", "data", "q", "yd", "tau", "wrenches", "out", "check"]
    assert signature.parameters["check"].default is True
    assert signature.parameters["check"].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(inspect.signature(grbda.Simulator).parameters) == ["model", "options", "ground"]
    assert list(inspect.signature(grbda.Simulator.step).parameters)[:2] == ["self", "tau_s"]
    for name in stubs.public_names(MODULE):
        thing = getattr(grbda, name)
        if not inspect.isclass(thing):
            assert inspect.signature(thing).parameters, name
        elif not stubs.is_enumeration(thing):
            for member, value in stubs.members_of(thing):
                assert isinstance(value, property) or "self" in inspect.signature(value).parameters, f"{name}.{member}"


def test_every_public_name_has_a_docstring() -> None:
    bare = []
    for name in stubs.public_names(MODULE):
        thing = getattr(grbda, name)
        lines = str(thing.__doc__ or "").strip().splitlines()
        if len(lines) < (1 if inspect.isclass(thing) else 3):
            bare.append(name)
        if inspect.isclass(thing) and not stubs.is_enumeration(thing):
            bare += [f"{name}.{member}" for member, value in stubs.members_of(thing) if not value.__doc__]
    assert bare == []


def test_every_algorithm_of_cpp_is_there() -> None:
    """All functions that the headers of algorithms declare for users."""
    below = {"require_frame", "require_body", "require_velocity", "refuse_size", "refuse_workspace", "refuse_chart",
             "refuse_factors", "refuse_kinematics", "refuse_embedding", "to_string", "begin", "enter", "leave", "finish"}  # fmt: skip
    below |= {"frame_pose", "body_pose", "conditioning"}  # of C++ alone
    other = {"add_frame_wrench": "frame_wrench",  # which returns what that adds
             "solver_step": "SolverStep", "solver_configuration": "SolverStep", "solver_forces": "SolverStep",
             "solver_acceleration": "SolverStep", "solver_state_step": "SolverStep",
             "solver_acceleration_derivatives": "SolverStep", "solver_state_step_derivatives": "SolverStep",
             "contact_at": "ContactFrame", "contact_on_body": "ContactFrame", "contact_dynamics": "ContactDynamics", "contact_impact": "ContactDynamics",
             "contact_dynamics_derivatives": "ContactDynamics", "contact_impact_derivatives": "ContactDynamics",
             "forces_in_world": "ContactDynamics", "with_inertial_parameters": "BatchSimulator"}  # fmt: skip
    missing = []
    folders = ("dynamics", "kinematics", "constraints", "derivatives", "search", "contact")
    for header in sorted(header for folder in folders for header in (SOURCE / "include/grbda" / folder).glob("*.hpp")):
        text = re.sub(r"//.*", "", header.read_text())
        for name in re.findall(r"GRBDA_EXPORT [\w:<>\s,]+?[\s&](\w+)\(", text):
            if name not in below and not hasattr(grbda, other.get(name, name)):
                missing.append(f"{header.name}: {name}")
    assert missing == []


def test_the_package_lists_its_public_names() -> None:
    assert set(grbda.__all__) == {*stubs.public_names(MODULE), "LoadError", "StatusError", "View", "view", "__version__"}
    assert [name for name in grbda.__all__ if not hasattr(grbda, name)] == []
    things = {name for name, thing in vars(grbda).items() if not name.startswith("_") and not inspect.ismodule(thing)}
    assert things <= set(grbda.__all__)
    assert grbda.view.__doc__ and grbda.View.__doc__


def test_mypy_is_content(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    mypy = [sys.executable, "-m", "mypy"]
    (tmp_path / "grbda").symlink_to(Path(grbda.__file__).parent)  # without what is installed beside it
    environment = {**os.environ, "MYPYPATH": f"{tmp_path}:{SOURCE / 'python/tests'}:{SOURCE / 'python/generators'}"}
    folders = [str(SOURCE / "python/tests"), str(SOURCE / "examples/python")]
    done = subprocess.run([*mypy, "--strict", "--cache-dir", str(tmp_path / "plain"), folders[1]],
                          capture_output=True, text=True, env=environment)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        [*mypy, "--strict", "--ignore-missing-imports", "--allow-untyped-decorators", "--allow-untyped-calls",
         "--allow-subclassing-any",
         "--no-warn-unused-ignores", "--no-warn-return-any", "--disable-error-code=type-arg", "--cache-dir", str(tmp_path),
         *folders],
        capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_says_its_version() -> None:
    header = (SOURCE / "include/grbda/version.hpp").read_text()
    assert f'"{grbda.__version__}"' in header
