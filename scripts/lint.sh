#!/usr/bin/env bash
# Runs the static checks: the format of all C++, shell scripts, and clang-tidy (.clang-tidy).
# clang-tidy takes ten to fifteen seconds of a core for each file, so it checks only some files, which
# together include all kernels and most public headers.
# --all checks all of src and tools, with the files of a folder as one unit, because headers take most of the time.
# Usage: lint.sh [--all]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tidied=(src/dynamics/{aba,crba,joint_forces,rnea}.cpp src/constraints/{closure,constraint_forces,coordinates}.cpp
    src/kinematics/{configuration,kinematics}.cpp src/derivatives/dynamics_derivatives.cpp src/search/{projection,sweep}.cpp)
together=OFF
[[ ${1:-} != --all ]] || together=ON

scripts/install_dependencies.sh --lint

echo "== format"
find include src tests tools view python benchmarks examples '(' -name '*.hpp' -o -name '*.cpp' ')' \
    -exec clang-format --dry-run --Werror {} +
clang-format --dry-run --Werror include/grbda/c.h tests/c/*.[ch] examples/c/main.c

echo "== shell scripts"
shellcheck --exclude=SC2016 {scripts,tests/c,tests/source,tests/package,packaging/conda,benchmarks}/*.sh .ci/run  # SC2016: sed's $ in single quotes

# precompiled headers would make it check all of the standard library and Eigen for each file
cmake -S . -B build/lint -G Ninja --log-level=WARNING -D CMAKE_CXX_COMPILER=clang++ -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_EXPORT_COMPILE_COMMANDS=ON -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON -D GRBDA_BUILD_TESTS=OFF \
    -D CMAKE_UNITY_BUILD=$together > /dev/null
if [[ $together == ON ]]; then
    mapfile -t tidied < <(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' build/lint/compile_commands.json)
fi
echo "== clang-tidy: ${#tidied[@]} files"
printf '%s\n' "${tidied[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy -p build/lint --quiet \
    --checks=-bugprone-suspicious-include --header-filter='/(include/grbda|src|tools)/[a-z_/0-9]*\.(hpp|cpp)$'
