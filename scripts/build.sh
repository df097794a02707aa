#!/usr/bin/env bash
# Configures build/NAME and builds it. Usage: build.sh NAME [cmake -D options] [-- targets]
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

! command -v ccache > /dev/null || options+=(-D CMAKE_CXX_COMPILER_LAUNCHER=ccache)

echo "== build/$name: configure"
cmake -S . -B "build/$name" -G Ninja --log-level=WARNING "${options[@]}" > /dev/null
echo "== build/$name: build ${targets[*]}"
started=$SECONDS
cmake --build "build/$name" --parallel "$(nproc)" --target "${targets[@]}"
echo "== build/$name: built in $((SECONDS - started)) s"
