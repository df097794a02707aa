#!/usr/bin/env bash
# Builds wheels that can be published, in build/wheels, for the given versions of Python or all that are found: with the tool, the
# viewer's page, and the libraries for x86-64 and for x86-64-v3, of which the dynamic linker chooses. auditwheel adds the libraries
# that they need. Then each wheel is tested: the package without a compiler, and find_package(grbda) of a C++ program.
# Usage: wheel.sh [PYTHON…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_dependencies.sh --python
scripts/view.sh --release
unset CMAKE_ARGS

pythons=("$@")
if [[ ${#pythons[@]} == 0 ]]; then
    for version in 9 10 11 12 13 14; do
        for python in "python3.$version" "/usr/bin/python3.$version"; do
            if "$python" -c 'import venv, sysconfig, pathlib, sys; sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())' 2> /dev/null; then
                pythons+=("$(command -v "$python")")
                break
            fi
        done
    done
fi
[[ ${#pythons[@]} -gt 0 ]] || { echo "no Python with its headers was found" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${pythons[0]}" -m venv "$work/repair"
"$work/repair/bin/pip" install --quiet --disable-pip-version-check -r requirements/wheel.txt
if command -v ccache > /dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_SLOPPINESS=pch_defines,time_macros
fi
levels=()
[[ $(uname -m) != x86_64 ]] || levels=(x86-64-v3)
export GRBDA_WHEEL_LEVELS="${levels[*]}"
licences=()  # auditwheel copies these libraries without
for package in libeigen3-dev libpugixml-dev libqhull-dev libtbb-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev; do
    licences+=("$package=/usr/share/doc/$package/copyright")
done
export GRBDA_WHEEL_LICENCES="${licences[*]}"
mkdir -p build/wheels

for python in "${pythons[@]}"; do
    echo "== $python: build"
    started=$SECONDS
    "$python" -m venv "$work/build"
    "$work/build/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/made" .
    echo "built in $((SECONDS - started)) s"
    PATH="$work/repair/bin:$PATH" auditwheel repair --wheel-dir "$work/repaired" "$work"/made/grbda-*.whl
    wheel=$(echo "$work"/repaired/grbda-*.whl)
    mv "$wheel" build/wheels
    wheel=build/wheels/$(basename "$wheel")
    echo "$wheel: $(stat -c %s "$wheel") bytes"
    scripts/wheel_test.sh "$python" "$wheel"
    rm -rf "$work"/{build,made,repaired}
done
