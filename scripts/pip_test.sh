#!/usr/bin/env bash
# Tests `pip install .` as on a machine with only a C++20 compiler and Python, in a copy of the source tree. All libraries come from
# PyPI; the test fails if the compiler or the module uses one of the system. Prints the time of the build, the size of the wheel and
# the time of `import grbda`. CMAKE_ARGS in the environment contains more options of CMake.
# Usage: pip_test.sh [PYTHON]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${1:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source" "$work/elsewhere"
git ls-files -z --cached --others --exclude-standard --deduplicate | tar --ignore-failed-read -c --null -T - 2> /dev/null | tar -x -C "$work/source"
cd "$work/source"
if command -v ccache > /dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$work/source CCACHE_SLOPPINESS=pch_defines,time_macros
fi
export GRBDA_SYSTEM_LIBRARIES=OFF CMAKE_ARGS="-D CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF ${CMAKE_ARGS:-}" PKG_CONFIG_PATH="" PYTHONDONTWRITEBYTECODE=1
unset CMAKE_PREFIX_PATH CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH
"$python" -m venv "$work/venv"
pip=("$work/venv/bin/python" -m pip --disable-pip-version-check)

echo "== Metadata"
"${pip[@]}" install --quiet --upgrade pip  # --dry-run came with pip 22.2
start=$SECONDS
"${pip[@]}" install --dry-run --no-deps .
[[ ! -e build ]] || { echo "pip compiles to get the metadata"; exit 1; }
echo "metadata: $((SECONDS - start)) s"

echo "== Build"
start=$SECONDS
"${pip[@]}" wheel --no-deps --wheel-dir "$work/wheels" -v . 2>&1 | tee "$work/log" | grep -E '^ *\[[0-9]+/[0-9]+\]' ||
    { tail -50 "$work/log"; exit 1; }
grep -qE '\[[0-9]+/[0-9]+\] Building' "$work/log" || { echo "pip -v does not show the progress of the build"; exit 1; }
echo "build: $((SECONDS - start)) s"
wheel=$(echo "$work"/wheels/grbda-*.whl)
echo "wheel: $(stat -c %s "$wheel") bytes"
"$work/venv/bin/python" -m zipfile --list "$wheel"

read_files=$(cat build/pip-*/.ninja_deps | tr '\0' '\n')  # contains the names of all files that the compiler has read
[[ $read_files == *packages/cmeel-eigen* ]] || { echo "the build read no Eigen of PyPI"; exit 1; }
if grep -aoE '/usr/(local/)?include/[^[:cntrl:]]*(eigen|pugi|yaml-cpp|qhull|tbb|oneapi|pybind11|httplib)[^[:cntrl:]]*' <<< "$read_files"; then
    echo "the compiler read these headers of the system"
    exit 1
fi

echo "== Installed, without its source and build"
"${pip[@]}" install --quiet "$wheel" pytest
mv python/tests robots "$work/elsewhere"
rm -rf "$work/source"
cd "$work/elsewhere"
package=$("$work/venv/bin/python" -c 'import grbda; print(grbda.__path__[0])')
[[ -s $package/_grbda.pyi ]] || { echo "the wheel has no _grbda.pyi"; exit 1; }
ldd "$package"/_grbda.*.so
foreign=$(ldd "$package"/_grbda.*.so | grep -vE "=> $package/lib/|linux-vdso|ld-linux|lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s)\.so\." || true)
[[ -z $foreign ]] || { echo "the module loads libraries that are not in its wheel: $foreign"; exit 1; }
"$work/venv/bin/python" - robots/digit_leg/digit_leg.{urdf,yaml} << 'PYTHON'
import sys
import time

import numpy as np

start = time.perf_counter()
import grbda

print(f"import grbda, after numpy: {1000 * (time.perf_counter() - start):.0f} ms")
model = grbda.load(*sys.argv[1:])
q = grbda.neutral_configuration(model)
yd, tau = np.zeros(model.nv), np.ones(model.nv)
data = grbda.Data(model)
ydd = grbda.aba(model, data, q, yd, tau)
print("aba:", ydd)
assert np.allclose(grbda.rnea(model, data, q, yd, ydd), tau)
PYTHON
GRBDA_SOURCE=$work/elsewhere "$work/venv/bin/python" -m pytest -q -p no:cacheprovider tests/test_{batch,laws,numbers,objects,simulation,view}.py
