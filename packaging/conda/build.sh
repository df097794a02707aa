#!/usr/bin/env bash
# Called by conda build, which sets PREFIX, CPU_COUNT and CMAKE_ARGS.
set -euo pipefail

# shellcheck disable=SC2086  # CMAKE_ARGS are several words
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS:-} -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_PREFIX="$PREFIX" \
    -D CMAKE_INSTALL_LIBDIR=lib -D BUILD_SHARED_LIBS=ON -D GRBDA_BUILD_TESTS=OFF
cmake --build build/conda --parallel "${CPU_COUNT:-2}"
cmake --install build/conda
