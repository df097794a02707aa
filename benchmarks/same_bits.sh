#!/usr/bin/env bash
# Compares the bits of the results of all algorithms, for all robots and forms, with those of another commit. Prints the
# algorithms whose bits differ, and fails if there are some. Products and sums are not fused, because compilers choose
# differently which of them they fuse after code is moved.
# Usage: same_bits.sh COMMIT [COMPILER]    default: g++
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

commit=${1:?usage: same_bits.sh COMMIT [COMPILER]} compiler=${2:-g++}
out=build/same_bits_$compiler
mkdir -p "$out"
rm -rf "$out/source"
mkdir "$out/source"
git archive "$commit" | tar -x -C "$out/source"
cp benchmarks/{bits,kinds}.cpp benchmarks/CMakeLists.txt "$out/source/benchmarks/"

build() {  # NAME SOURCE
    cmake -S "$2" -B "$out/$1" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER="$compiler" -D GRBDA_NATIVE=ON \
        -D CMAKE_UNITY_BUILD=ON -D CMAKE_CXX_FLAGS=-ffp-contract=off -D GRBDA_BUILD_TESTS=OFF -D GRBDA_BUILD_BENCHMARKS=ON > "$out/$1.log"
    cmake --build "$out/$1" --target grbda_bits --parallel "$(nproc)" >> "$out/$1.log" 2>&1 || { tail -n 20 "$out/$1.log"; exit 1; }
    "$out/$1/benchmarks/grbda_bits" > "$out/$1.txt"
}

build before "$out/source"
build now .
if ! diff "$out/before.txt" "$out/now.txt"; then
    echo "same_bits.sh: these results differ from those of $commit" >&2
    exit 1
fi
echo "all $(wc -l < "$out/now.txt") results have the bits of $commit"
