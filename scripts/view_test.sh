#!/usr/bin/env bash
# Tests the page of scripts/view.sh: compares the engine with the native one, loads every robot in headless Chromium, lets a
# page follow a program, and checks the size. Usage: view_test.sh [--times]
#   --times  prints how long the first picture, the engine and a frame take, of every robot
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export NODE_PATH=/usr/share/nodejs CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=$PWD
! command -v ccache > /dev/null || export EM_COMPILER_WRAPPER=ccache
scripts/build.sh dev --preset dev -- grbda_view_trace grbda_tool
cmake --build build/view/engine --parallel "$(nproc)" --target grbda_view_trace
node --test --test-concurrency=1 view/tests/engine.test.mjs view/tests/page.test.mjs view/tests/actions.test.mjs view/tests/newcomer.test.mjs view/tests/feed.test.mjs
[[ ${1:-} != --times ]] || node view/tests/times.mjs
