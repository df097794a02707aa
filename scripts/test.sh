#!/usr/bin/env bash
# Installs what is missing, builds the library, the tool and the tests in build/dev and runs the main tests, or with --all
# every test and example.
# Compiled for this machine's instruction set, so that the tests meet the code that is fast, and with --all the
# programs of the install test meet a library that is compiled otherwise than they are.
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
