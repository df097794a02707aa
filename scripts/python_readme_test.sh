#!/usr/bin/env bash
# Runs the Python commands of README.md in a copy of the source tree: unchanged, with the system's Python, and inside a
# virtual environment, without the line that makes one. Then runs the Python snippet in both and, if TOOL is given, the
# tests of the package in the first. CMAKE_ARGS in the environment contains options of CMake.
# Usage: python_readme_test.sh [TOOL]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH=/usr/bin:$PATH  # the system's Python, for which the line before has installed packages

tool=${1:+$(realpath "$1")}
section=$(sed -n '/^## Use it from Python$/,/^## Use it from the command line$/p' README.md)
lines=$(sed -n 's/^    //p' <<< "$section")
snippet=$(sed -n '/^```python$/,/^```$/p' <<< "$section" | sed '/^```/d')
[[ $lines == *"pip install ."* && $snippet == *"import grbda"* ]] || { echo "README.md has no lines for Python"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files -z --cached --others --exclude-standard --deduplicate | tar --ignore-failed-read -c --null -T - 2> /dev/null | tar -x -C "$work"
cd "$work"
if command -v ccache > /dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$work CCACHE_SLOPPINESS=pch_defines,time_macros
fi

run() { # the lines, then the snippet, and the CPU time of all so far: user, system
    bash -euo pipefail -c "$1"$'\npython -c "import grbda; print(grbda.__file__)"\npython -c "$1"' lines "$snippet"
    times | tail -1
}

echo "== The lines as they are"
run "$lines"

if [[ $tool ]]; then
    echo "== Tests"
    export GRBDA_TOOL=$tool PYTHONDONTWRITEBYTECODE=1
    printf '%s\n' python/tests/test_*.py |
        xargs -P "$(nproc)" -I '{}' bash -c '. .venv/bin/activate
            python -m pytest -q -p no:cacheprovider "{}" || [[ $? == 5 ]]'  # 5: a package that all of its tests need is missing
fi

echo "== Inside an environment without the packages of the system, but for numpy"
mkdir numpy_alone
python3 -c 'import numpy, pathlib; print(*pathlib.Path(numpy.__file__).parents[1].glob("numpy*"), sep="\n")' |
    xargs -I '{}' ln -s '{}' numpy_alone/
export PYTHONPATH=$PWD/numpy_alone
python3 -m venv own
run ". own/bin/activate"$'\n'"$(grep -v venv <<< "$lines")"
