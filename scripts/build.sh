#!/usr/bin/env bash
# Configures build/NAME and builds it. Usage: build.sh NAME [cmake options] [-- targets]
# Options are -D NAME=VALUE, or --preset NAME for those of CMakePresets.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=$1
shift
options=()
while [[ $# -gt 0 && $1 != -- ]]; do
    options+=("$1")
    shift
done
[[ $# == 0 ]] || shift
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=(all)

export CCACHE_SLOPPINESS=pch_defines,time_macros  # required with precompiled headers
export CCACHE_BASEDIR=$PWD                         # reuse objects compiled in another copy of the tree
! command -v ccache > /dev/null || options+=(-D CMAKE_CXX_COMPILER_LAUNCHER=ccache)

echo "== build/$name: configure"
cmake -S . -B "build/$name" -G Ninja --log-level=WARNING "${options[@]}" > /dev/null
echo "== build/$name: build ${targets[*]}"
started=$SECONDS
cmake --build "build/$name" --parallel "$(nproc)" --target "${targets[@]}"
echo "== build/$name: built in $((SECONDS - started)) s"
