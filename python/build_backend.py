"""Builds the wheel of the package for pip (PEP 517): the module by CMake, then one archive of the files.

Options of CMake: CMAKE_ARGS in the environment. CMake keeps its folder, build/pip-TAG, so that a second call builds only what
has changed.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
PACKAGE = SOURCE / "python/grbda"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    tag = f"{interpreter()}-{interpreter()}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    module = build_module(SOURCE / f"build/pip-{tag}")
    name = f"grbda-{version()}"
    files = {f"grbda/{file.name}": file.read_bytes() for pattern in ("*.py", "*.pyi", "py.typed") for file in PACKAGE.glob(pattern)}
    files[f"grbda/{module.name}"] = module.read_bytes()
    template = SOURCE / "build/view/template.html"  # as far as scripts/view.sh has built it
    if template.exists():
        files["grbda/share/grbda/view/template.html"] = template.read_bytes()
    files[f"{name}.dist-info/METADATA"] = metadata().encode()
    files[f"{name}.dist-info/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: grbda\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = f"{name}.dist-info/RECORD"
    files[record] = "".join([*(entry(path, data) for path, data in files.items()), f"{record},,\n"]).encode()
    wheel = f"{name}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return wheel


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    return [requirement for program, requirement in (("cmake", "cmake>=3.20"), ("ninja", "ninja")) if shutil.which(program) is None]


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """The files of the last commit."""
    name = f"grbda-{version()}"
    archive = Path(sdist_directory) / f"{name}.tar.gz"
    subprocess.run(["git", "archive", f"--prefix={name}/", "-o", str(archive), "HEAD"], cwd=SOURCE, check=True)
    return archive.name


def interpreter() -> str:
    """Its tag, as cp311; extensions of C++ work with no other version."""
    return f"cp{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"


def version() -> str:
    header = (SOURCE / "include/grbda/version.hpp").read_text()
    found = re.search(r'#define GRBDA_VERSION "(.*)"', header)
    assert found is not None
    return found.group(1)


def build_module(folder: Path) -> Path:
    options = [
        "-D", "CMAKE_BUILD_TYPE=Release", "-D", "CMAKE_UNITY_BUILD=ON", "-D", "GRBDA_BUILD_PYTHON=ON",
        "-D", "GRBDA_BUILD_TESTS=OFF", "-D", "GRBDA_BUILD_TOOLS=OFF", "-D", f"Python_EXECUTABLE={sys.executable}",
        *pybind11(), *shlex.split(os.environ.get("CMAKE_ARGS", "")),
    ]  # fmt: skip
    if shutil.which("ninja") and not (folder / "CMakeCache.txt").exists():
        options += ["-G", "Ninja"]
    subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(folder), *options], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 1), "--target", "grbda_python"], check=True)
    return folder / f"python/grbda/_grbda{sysconfig.get_config_var('EXT_SUFFIX')}"


def pybind11() -> list[str]:
    """Option with the folder of CMake files of this build's pybind11, which pip puts in another place each time."""
    found = subprocess.run([sys.executable, "-m", "pybind11", "--cmakedir"], capture_output=True, text=True)
    return ["-D", f"pybind11_DIR={found.stdout.strip()}"] if found.returncode == 0 else []


def metadata() -> str:
    """Repeats the metadata of pyproject.toml, because Python 3.9 cannot read that file."""
    lines = ["Metadata-Version: 2.1", "Name: grbda", f"Version: {version()}",
             "Summary: Rigid-body dynamics of robots with kinematic loops", "License: MIT", "Requires-Python: >=3.9",
             "Requires-Dist: numpy>=1.23", "Provides-Extra: spread", 'Requires-Dist: distributed; extra == "spread"',
             "Description-Content-Type: text/markdown", "", (SOURCE / "README.md").read_text()]  # fmt: skip
    return "\n".join(lines)


def entry(path: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"
