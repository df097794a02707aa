#!/usr/bin/env bash
# Tests the page of scripts/view.sh: compares the engine with the native one, loads every robot in headless Chromium, lets a
# page follow a program, and checks the budgets of size and time. Usage: view_test.sh [--no-times]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests=(view/tests/engine.test.mjs view/tests/page.test.mjs view/tests/feed.test.mjs)
[[ ${1:-} == --no-times ]] || tests+=(view/tests/times.test.mjs)
export NODE_PATH=/usr/share/nodejs CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=$PWD
! command -v ccache > /dev/null || export EM_COMPILER_WRAPPER=ccache
scripts/build.sh dev --preset dev -- grbda_view_trace grbda_tool
cmake --build build/view/engine --parallel "$(nproc)" --target grbda_view_trace
node --test --test-concurrency=1 "${tests[@]}"
