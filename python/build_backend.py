"""Builds the wheel of the package for pip (PEP 517): libraries, module and tool by CMake, then one archive of the files.

The package is a prefix for C++ too: include, lib, share, and bin with the tool. Needs a C++20 compiler and the headers of Python.
Programs and libraries that the system lacks are pinned wheels of PyPI; the wheel of the package contains their shared libraries and
licences. The tool is left out where the system lacks CLI11 or nlohmann-json.

Environment:
    CMAKE_ARGS                    options of CMake
    CMAKE_BUILD_PARALLEL_LEVEL    number of compilers that run at once
    GRBDA_SYSTEM_LIBRARIES=OFF    takes all programs and libraries from PyPI, also those that the system has
    GRBDA_WHEEL_LICENCES          licences of libraries of the system that the wheel will contain, as "Qhull=/FILE …"
    GRBDA_WHEEL_LEVELS            more instruction sets, as "x86-64-v3": the dynamic linker chooses when the module is loaded

CMake keeps its folder, build/pip-TAG, so that a second call builds only what has changed.
"""

from __future__ import annotations

import base64
import fnmatch
import hashlib
import importlib.metadata
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[1]
PACKAGE = SOURCE / "python/grbda"


class Library(NamedTuple):
    requirements: tuple[str, ...]  # of PyPI, NAME==VERSION; the first one is what pip is asked for
    option: str  # of CMake
    value: str  # of the option: a folder in the packages of the requirements
    shared: tuple[str, ...] = ()  # libraries that the module loads
    licences: tuple[str, ...] = ()


LIBRARIES = {
    "Eigen3": Library(("cmeel-eigen==3.4.1",), "Eigen3_DIR", "cmeel.prefix/share/eigen3/cmake"),
    # wheels with pugixml as a library do not exist; this one contains its sources
    "pugixml": Library(
        ("pugixml-cython==0.1.2",), "GRBDA_PUGIXML_SOURCES", "pugixml_cython/extern/pugixml/src",
        licences=("*/pugixml/LICENSE.md",),
    ),
    "Qhull": Library(
        ("cmeel-qhull==8.0.2.1",), "Qhull_DIR", "cmeel.prefix/lib/cmake/Qhull",
        ("cmeel.prefix/lib/libqhull_r.so.8.0",), ("*/licenses/qhull/COPYING.txt",),
    ),
    "TBB": Library(
        ("tbb-devel==2023.2.0", "tbb==2023.2.0"), "TBB_DIR", "lib/cmake/tbb",
        ("lib/libtbb.so.12",), ("tbb-2023*/LICENSE.txt", "*/third-party-programs.txt"),
    ),
    "yaml-cpp": Library(
        ("cmeel-yaml-cpp==0.8.0",), "yaml-cpp_DIR", "cmeel.prefix/lib/cmake/yaml-cpp",
        ("cmeel.prefix/lib/libyaml-cpp.so.0.8",), ("*/license/LICENSE",),
    ),
}  # fmt: skip
EIGEN_LICENCE = "The module contains code of Eigen's headers, version 3.4, under the Mozilla Public License 2.0 (mozilla.org/MPL/2.0).\n"
PUGIXML_SHA256 = {  # of version 1.16
    "pugiconfig.hpp": "e6c51fbc9a765608bd214ea47d229d3bbd6b650036cdffc94b96b498c202495c",
    "pugixml.cpp": "bd94cd9ec6ac67c0723422640bb243eab4a7c2d9fd5584dab77305a50fa31ef4",
    "pugixml.hpp": "0b7c94701df3d50981ffafe57f177c77b940e347c6e5d01073e4161f61299212",
}


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    programs = [requirement for name, requirement in (("cmake", "cmake==4.2.3"), ("ninja", "ninja==1.13.0")) if not has_program(name)]
    return programs + [LIBRARIES[name].requirements[0] for name in missing_libraries()]


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: object = None) -> str:
    folder = Path(metadata_directory) / f"grbda-{version()}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(wheel_file(), encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    folder = SOURCE / f"build/pip-{tag()}"
    libraries = {name: packages(library.requirements, folder) for name, library in LIBRARIES.items() if is_installed(name, library)}
    for name, root in libraries.items():
        if not (root / LIBRARIES[name].value).is_dir():  # CMake would take the system's library
            raise SystemExit(f"grbda: the package {LIBRARIES[name].requirements[0]} has no folder {LIBRARIES[name].value} in {root}.")
    if "pugixml" in libraries:
        check_pugixml(libraries["pugixml"] / LIBRARIES["pugixml"].value)
    prefix = build_package(folder, libraries)
    name = f"grbda-{version()}"
    files = {f"grbda/{file.name}": file.read_bytes() for pattern in ("*.py", "py.typed") for file in PACKAGE.glob(pattern)}
    files.update({f"grbda/{path.relative_to(prefix)}": path.read_bytes() for path in sorted(prefix.rglob("*")) if path.is_file()})
    if (prefix / "bin/grbda").exists():
        files[f"{name}.data/scripts/grbda"] = (SOURCE / "python/tool.py").read_bytes()
    template = SOURCE / "build/view/template.html"  # as far as scripts/view.sh has built it
    if template.exists():
        files["grbda/share/grbda/view/template.html"] = template.read_bytes()
    licences = f"{name}.dist-info/licenses"
    files[f"{licences}/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    files[f"{licences}/Eigen3/LICENSE"] = EIGEN_LICENCE.encode()
    for library, root in libraries.items():
        files.update({f"{licences}/{library}/{path.name}": path.read_bytes() for path in licences_of(library, root)})
    files[f"{name}.dist-info/METADATA"] = metadata().encode()
    files[f"{name}.dist-info/WHEEL"] = wheel_file().encode()
    for word in os.environ.get("GRBDA_WHEEL_LICENCES", "").split():
        library, _, licence = word.partition("=")
        files[f"{licences}/{library}/{Path(licence).name}"] = Path(licence).read_bytes()
    record = f"{name}.dist-info/RECORD"
    files[record] = "".join([*(entry(path, data) for path, data in files.items()), f"{record},,\n"]).encode()
    wheel = f"{name}-{tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            member = zipfile.ZipInfo(path, date_time=(2020, 1, 1, 0, 0, 0))
            member.external_attr = (0o755 if path.startswith("grbda/bin/") or "/scripts/" in path else 0o644) << 16
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """The files of the last commit."""
    name = f"grbda-{version()}"
    archive = Path(sdist_directory) / f"{name}.tar.gz"
    subprocess.run(["git", "archive", f"--prefix={name}/", "-o", str(archive), "HEAD"], cwd=SOURCE, check=True)
    return archive.name


def version() -> str:
    header = (SOURCE / "include/grbda/version.hpp").read_text()
    found = re.search(r'#define GRBDA_VERSION "(.*)"', header)
    assert found is not None
    return found.group(1)


def tag() -> str:
    """Tag of the wheel, as cp311-cp311-linux_x86_64. Extensions of C++ work with no other version of Python."""
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"
    return f"{interpreter}-{interpreter}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def uses_system() -> bool:
    return os.environ.get("GRBDA_SYSTEM_LIBRARIES", "ON").upper() not in ("OFF", "0", "NO", "FALSE")


def has_program(name: str) -> bool:
    """Whether the system has the program, and CMake is new enough."""
    if not uses_system() or shutil.which(name) is None:
        return False
    if name != "cmake":
        return True
    output = subprocess.run(["cmake", "--version"], capture_output=True, text=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", output)
    return found is not None and (int(found.group(1)), int(found.group(2))) >= (3, 20)


def missing_libraries() -> list[str]:
    """Libraries that CMake does not find in the system."""
    found = libraries_of_system()
    return [name for name in LIBRARIES if name not in found]


def libraries_of_system() -> list[str]:
    """A system without CMake counts as one without libraries."""
    found: list[str] = []
    if has_program("cmake"):
        with tempfile.TemporaryDirectory() as folder:
            names = Path(folder) / "found.txt"
            subprocess.run(["cmake", "-S", str(SOURCE / "python/system_libraries"), "-B", f"{folder}/build", *generator(), "-D",
                            f"FOUND={names}", *cmake_args()], capture_output=True)  # fmt: skip
            if names.exists():  # otherwise CMake does not work, and build_package() shows why
                found = names.read_text().split()
    return found


def is_installed(name: str, library: Library) -> bool:
    """Whether the environment of the build has the wheels of the library. pip installs them if get_requires_for_build_wheel() asks."""
    for requirement in library.requirements:
        package, required = requirement.split("==")
        try:
            if importlib.metadata.version(package) == required:
                continue
        except importlib.metadata.PackageNotFoundError:
            pass
        if not uses_system():
            raise SystemExit(
                f"grbda: the environment of the build lacks {requirement}, and GRBDA_SYSTEM_LIBRARIES=OFF forbids to use {name} of the "
                "system. Install this package, or call pip without --no-build-isolation."
            )
        return False
    return True


def packages(requirements: Sequence[str], folder: Path) -> Path:
    """Copies wheels, which pip puts in another place each time, to a fixed place in the folder of CMake. Returns that place."""
    place = folder / "packages" / requirements[0].replace("==", "-")
    if not place.exists():
        partial = place.with_name(f"{place.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        for requirement in requirements:
            wheel = importlib.metadata.distribution(requirement.split("==")[0])
            site = Path(os.path.abspath(str(wheel.locate_file(""))))  # PREFIX/lib/python3.11/site-packages
            for file in wheel.files or []:
                source = Path(os.path.abspath(str(wheel.locate_file(file))))
                target = partial / source.relative_to(site if source.is_relative_to(site) else site.parents[2])
                if source.suffix != ".pyc":
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)
        partial.rename(place)
    return place


def check_pugixml(folder: Path) -> None:
    for name, expected in PUGIXML_SHA256.items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
            raise SystemExit(f"grbda: {folder / name} is not the file of pugixml 1.16, because its SHA-256 is not {expected}.")


def licences_of(library: str, root: Path) -> list[Path]:
    found = []
    for pattern in LIBRARIES[library].licences:
        paths = [path for path in root.rglob("*") if path.is_file() and fnmatch.fnmatch(path.relative_to(root).as_posix(), pattern)]
        if not paths:
            raise SystemExit(f"grbda: the packages of {library} contain no licence {pattern} in {root}.")
        found += paths[:1]
    return found


def build_package(folder: Path, libraries: dict[str, Path]) -> Path:
    """Returns a folder with the compiled parts of the package, in their places, and with the stub of the module."""
    tool = {"CLI11", "nlohmann_json"} <= set(libraries_of_system())
    options = [
        "-D", "CMAKE_BUILD_TYPE=Release", "-D", "CMAKE_UNITY_BUILD=ON", "-D", "BUILD_SHARED_LIBS=ON", "-D", "GRBDA_WHEEL=ON",
        "-D", "GRBDA_ANY_MARCH=ON", "-D", "GRBDA_BUILD_TESTS=OFF", "-D", "GRBDA_BUILD_EXAMPLES=OFF", "-D", "GRBDA_BUILD_BENCHMARKS=OFF",
        "-D", "GRBDA_VIEWER_SERVER=OFF", "-D", "CMAKE_INSTALL_LIBDIR=lib",
        "-D", "GRBDA_NATIVE=OFF", "-D", "CMAKE_CXX_FLAGS=",  # not those of an earlier call
    ]  # fmt: skip
    for name, library in LIBRARIES.items():
        options += ["-D", f"{library.option}={libraries[name] / library.value}"] if name in libraries else ["-U", library.option]
    # libraries of the system may be in a folder of their own, those of wheels are copied
    copies = any(LIBRARIES[name].shared for name in libraries)
    options += ["-D", f"CMAKE_INSTALL_RPATH_USE_LINK_PATH={'OFF' if copies else 'ON'}"]
    prefix = folder / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    build(folder, [*options, "-D", f"GRBDA_BUILD_TOOLS={'ON' if tool else 'OFF'}", "-D", "GRBDA_BUILD_PYTHON=ON",
                   "-D", f"Python_EXECUTABLE={sys.executable}", *pybind11(folder)])  # fmt: skip
    for component in ("runtime", "dev", *(["tools"] if tool else [])):
        run("cmake", "--install", str(folder), "--prefix", str(prefix), "--component", component, "--strip")
    for level in os.environ.get("GRBDA_WHEEL_LEVELS", "").split():
        other = SOURCE / f"build/pip-{level}"  # the same for all versions of Python
        build(other, [*options, "-D", "GRBDA_BUILD_TOOLS=OFF", "-D", "GRBDA_BUILD_PYTHON=OFF", "-D", f"CMAKE_CXX_FLAGS=-march={level}",
                      "-D", "CMAKE_INSTALL_RPATH=$ORIGIN/../.."])  # fmt: skip
        shutil.rmtree(other / "prefix", ignore_errors=True)
        run("cmake", "--install", str(other), "--prefix", str(other / "prefix"), "--component", "runtime", "--strip")
        shutil.copytree(other / "prefix/lib", prefix / "lib/glibc-hwcaps" / level)
    for name, root in libraries.items():
        for path in LIBRARIES[name].shared:
            shutil.copy2(root / path, prefix / "lib")
    module = shutil.copy2(folder / f"python/grbda/_grbda{sysconfig.get_config_var('EXT_SUFFIX')}", prefix)
    run(sys.executable, "-B", str(SOURCE / "python/generators/stubs.py"), str(module), str(prefix / "_grbda.pyi"))
    return prefix


def build(folder: Path, options: list[str]) -> None:
    if not (folder / "CMakeCache.txt").exists():
        options = [*options, *generator()]
    run("cmake", "-S", str(SOURCE), "-B", str(folder), *options, *cmake_args())
    parallel = [] if "CMAKE_BUILD_PARALLEL_LEVEL" in os.environ else ["--parallel", str(compilers())]
    run("cmake", "--build", str(folder), *parallel)


def run(*command: str) -> None:
    print("+", shlex.join(command), flush=True)
    if subprocess.run(command).returncode != 0:
        raise SystemExit(
            "grbda: the module was not built; the reason is above. The build needs a C++20 compiler and the headers of Python "
            "(Debian, Ubuntu: g++ python3-dev)."
        )


def compilers() -> int:
    """Number of compilers that run at once: one for each core, as far as the memory suffices; each needs up to 1.5 GB."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, int(memory / 1.5e9)))


def generator() -> list[str]:
    return ["-G", "Ninja"] if shutil.which("ninja") else []


def cmake_args() -> list[str]:
    return shlex.split(os.environ.get("CMAKE_ARGS", ""))


def pybind11(folder: Path) -> list[str]:
    """Option with the folder of CMake files of this build's pybind11."""
    try:
        installed = importlib.metadata.version("pybind11")
    except importlib.metadata.PackageNotFoundError:
        return []  # CMake searches for it
    cmake_files = packages([f"pybind11=={installed}"], folder) / "pybind11/share/cmake/pybind11"
    return ["-D", f"pybind11_DIR={cmake_files}"] if cmake_files.exists() else []


def metadata() -> str:
    """Repeats the metadata of pyproject.toml, because Python 3.9 cannot read that file."""
    lines = ["Metadata-Version: 2.1", "Name: grbda", f"Version: {version()}",
             "Summary: Rigid-body dynamics of robots with kinematic loops", "License: MIT", "Requires-Python: >=3.9",
             "Requires-Dist: numpy>=1.23", "Provides-Extra: plot", 'Requires-Dist: matplotlib; extra == "plot"',
             "Provides-Extra: spread", 'Requires-Dist: distributed; extra == "spread"',
             "Provides-Extra: cpp", 'Requires-Dist: cmeel-eigen; extra == "cpp"',
             "Description-Content-Type: text/markdown", "", (SOURCE / "README.md").read_text(encoding="utf-8")]  # fmt: skip
    return "\n".join(lines)


def wheel_file() -> str:
    return f"Wheel-Version: 1.0\nGenerator: grbda\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def entry(path: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"
