#!/usr/bin/env bash
# Tests the adapters for C++ in Crocoddyl and Aligator themselves: installs the wheels of requirements/solvers.txt into
# build/solvers-venv, and builds the library and the tests in build/solvers with an Eigen that allocates as that of wheels.
# Compiles the block of docs/solvers.md on these adapters.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ -x build/solvers-venv/bin/pip ]] || /usr/bin/python3 -m venv build/solvers-venv
build/solvers-venv/bin/pip install --quiet --requirement requirements/solvers.txt
prefix=$(echo "$PWD"/build/solvers-venv/lib/python3*/site-packages/cmeel.prefix)
scripts/build.sh solvers --preset install -D GRBDA_BUILD_TESTS=ON -D GRBDA_PACKAGED_EIGEN=ON \
    -D GRBDA_SOLVERS="$prefix" -- test_crocoddyl test_aligator
ctest --test-dir build/solvers --output-on-failure --tests-regex '^(crocoddyl|aligator)$'

echo "== the block of docs/solvers.md"
block=build/solvers/block.cpp
{
    sed -n '/^#include <crocoddyl\/core\/costs/,/^namespace ga/p' docs/solvers.md
    echo 'std::shared_ptr<crocoddyl::IntegratedActionModelEuler> block() {'
    sed -n '/^namespace ga = /,/^```$/p' docs/solvers.md | sed '1d;$d'
    echo 'return node; }'
} > "$block"
eigen=$(sed -n 's/^Eigen3_DIR:PATH=//p' build/solvers/CMakeCache.txt)
g++ -std=c++20 -fsyntax-only -Wall -Iinclude -isystem "$prefix/include" -isystem "$eigen/../../../include/eigen3" "$block"
