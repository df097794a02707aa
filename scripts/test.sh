#!/usr/bin/env bash
# Installs what is missing, builds everything in build/test and runs all tests.
# Compiled for this machine's instruction set, so that the tests meet the code that is fast, and the
# programs of the install test meet a library that is compiled otherwise than they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_dependencies.sh
scripts/build.sh test -D CMAKE_BUILD_TYPE=Release -D GRBDA_NATIVE=ON -D GRBDA_WARNINGS_AS_ERRORS=ON \
    -D GRBDA_BUILD_TESTS=ON -D GRBDA_BUILD_EXAMPLES=ON -D GRBDA_BUILD_BENCHMARKS=ON

echo "== build/test: tests"
ctest --test-dir build/test --output-on-failure --parallel "$(nproc)"
