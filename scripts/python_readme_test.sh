#!/usr/bin/env bash
# Runs the Python commands and the snippet of README.md, unchanged, in a copy of the source tree with the system's Python. If TOOL
# is given, runs the tests of the package that they install: with the numpy of requirements/python.txt, and the tests of
# arrays with numpy 1.26, the oldest that is supported. CMAKE_ARGS in the environment contains options of CMake.
# Usage: python_readme_test.sh [TOOL]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH=/usr/bin:$PATH  # the system's Python, whose headers are installed

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

echo "== The lines as they are"
bash -euo pipefail -c "$lines"$'\npython -c "import grbda; print(grbda.__file__)"\npython -c "$1"' lines "$snippet"
times | tail -1  # CPU time so far: user, system
[[ $tool ]] || exit 0

export GRBDA_TOOL=$tool PYTHONDONTWRITEBYTECODE=1
tests() {  # python, files
    local python=$1
    shift
    "$python" -c 'import numpy; print("== Tests with numpy", numpy.__version__)'
    printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' bash -c '"$1" -m pytest -q -p no:cacheprovider "{}" || [[ $? == 5 ]]' \
        tests "$python"  # 5: a package that all of its tests need is missing
}
.venv/bin/pip install --quiet --requirement requirements/python.txt --requirement requirements/solvers.txt
tests .venv/bin/python python/tests/test_*.py

/usr/bin/python3 -m venv older
older/bin/pip install --quiet numpy==1.26.4 pytest==9.2.0
mkdir package
ln -s "$work"/.venv/lib/python3*/site-packages/grbda package/
PYTHONPATH=$work/package tests older/bin/python python/tests/test_{numpy,arguments,batch,numbers,worlds}.py
