#!/usr/bin/env bash
# Installs missing packages, builds the library, the tool and the tests in build/dev and runs the main tests, or with
# --all every test and example.
# Compiles for this machine's instruction set, so that the tests run the fast code. With --all the programs of the
# install test use a library that is compiled with different flags.
# Usage: test.sh [--all] [cmake options]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all=OFF
if [[ ${1:-} == --all ]]; then
    all=ON
    shift
fi

scripts/install_dependencies.sh
scripts/build.sh dev --preset dev -D GRBDA_ALL_TESTS=$all -D GRBDA_BUILD_EXAMPLES=$all "$@"

echo "== build/dev: tests"
ctest --test-dir build/dev --output-on-failure --parallel "$(nproc)"
