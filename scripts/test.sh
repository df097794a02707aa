#!/usr/bin/env bash
# Installs what is missing, builds everything in build/dev and runs all tests.
# Compiled for this machine's instruction set, so that the tests meet the code that is fast, and the
# programs of the install test meet a library that is compiled otherwise than they are.
# Usage: test.sh [cmake options]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_dependencies.sh
scripts/build.sh dev --preset dev "$@"

echo "== build/dev: tests"
ctest --test-dir build/dev --output-on-failure --parallel "$(nproc)"
