#!/usr/bin/env bash
# Measures what each special kind of cluster and inertia, each reduction and each vector path gains, on every robot and with
# both compilers: the time without it divided by the time with it. docs/performance.md has a table of the results.
# Usage: kinds.sh [OUT_DIR]    default: build/kinds
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=${1:-build/kinds}
rounds=5
mkdir -p "$out"
for compiler in g++ clang++; do
    for omitted in "" WIDE QUADS; do
        build="$out/$compiler$omitted"
        cmake -S . -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER="$compiler" -D GRBDA_NATIVE=ON \
            -D CMAKE_UNITY_BUILD=ON -D GRBDA_BUILD_TESTS=OFF -D GRBDA_BUILD_TOOLS=OFF -D GRBDA_BUILD_BENCHMARKS=ON \
            -D GRBDA_MEASURE_KINDS=ON -D CMAKE_CXX_FLAGS="${omitted:+-DGRBDA_WITHOUT_$omitted}" > "$build.log"
        cmake --build "$build" --target grbda_kinds --parallel "$(nproc)" >> "$build.log" 2>&1 ||
            { tail -n 20 "$build.log"; exit 1; }
    done
    echo "== $compiler: time without a kind / time with it: aba, rnea, crba"
    "$out/$compiler/benchmarks/grbda_kinds" | tee "$out/$compiler.txt"
    for ((round = 1; round <= rounds; round++)); do
        for omitted in "" WIDE QUADS; do
            "$out/$compiler$omitted/benchmarks/grbda_kinds" times > "$out/$compiler${omitted:-ALL}_$round.txt"
        done
    done
done
