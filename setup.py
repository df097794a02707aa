"""The Python package, its module built by CMake. Options of CMake: CMAKE_ARGS in the environment."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, ext: Extension) -> None:
        folder = Path(self.build_temp).resolve()
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        options = [
            "-D", "CMAKE_BUILD_TYPE=Release", "-D", "CMAKE_UNITY_BUILD=ON", "-D", "GRBDA_BUILD_PYTHON=ON",
            "-D", "GRBDA_BUILD_TESTS=OFF", "-D", "GRBDA_BUILD_TOOLS=OFF", "-D", f"Python_EXECUTABLE={sys.executable}",
            *shlex.split(os.environ.get("CMAKE_ARGS", "")),
        ]  # fmt: skip
        subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(folder), *options], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 1), "--target", "grbda_python"],
                       check=True)  # fmt: skip
        built = next((folder / "python/grbda").glob("_grbda.*.so"))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(target))


def version() -> str:
    header = (SOURCE / "include/grbda/version.hpp").read_text()
    found = re.search(r'#define GRBDA_VERSION "(.*)"', header)
    assert found is not None
    return found.group(1)


setup(version=version(), ext_modules=[Extension("grbda._grbda", [])], cmdclass={"build_ext": CMakeBuild})
