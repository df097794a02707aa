#!/usr/bin/env bash
# Measures earlier versions and this tree in turns, in one run: aba, rnea, crba and aba_derivatives of every robot that a
# version has. Needs the history of the repository.
# Usage: versions.sh [OUT_DIR]    default: build/bench_results
# OUT_DIR gets version_NAME_ROUND.json; plot.py makes a table of them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(realpath -m "${1:-$here/../build/bench_results}")
cd "$here/.."

# The first commit with a package, and that which set the version.
declare -A commit_of=([0.1.0]=9544c72 [0.2.0]=89e0aa7)
versions=(0.1.0 0.2.0)
rounds=3

build() {  # NAME SOURCE
    cmake -S "$2" -B "build/versions/$1" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=g++ -D GRBDA_NATIVE=ON \
        -D GRBDA_BUILD_TESTS=OFF -D GRBDA_BUILD_BENCHMARKS=ON > "build/versions/$1.log"
    cmake --build "build/versions/$1" --target grbda_benchmarks >> "build/versions/$1.log" 2>&1 ||
        { tail -n 20 "build/versions/$1.log"; exit 1; }
}

mkdir -p build/versions "$out"
for version in "${versions[@]}"; do
    source="build/versions/source_$version"
    if [[ ! -d $source ]]; then
        mkdir -p "$source"
        git archive "${commit_of[$version]}" | tar -x -C "$source"
    fi
    echo "== building $version"
    build "$version" "$source"
done
echo "== building this tree"
scripts/build.sh bench_gcc -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=g++ -D GRBDA_NATIVE=ON -D GRBDA_BUILD_TESTS=OFF \
    -D GRBDA_BUILD_BENCHMARKS=ON
ln -sfn ../bench_gcc build/versions/now

pin=()
if command -v taskset > /dev/null && core=$(taskset -cp $$ 2> /dev/null | grep -oE '[0-9]+$'); then
    pin=(taskset -c "$core")
fi
for ((round = 1; round <= rounds; round++)); do
    for version in "${versions[@]}" now; do
        echo "== $version, round $round"
        "${pin[@]}" "build/versions/$version/benchmarks/grbda_benchmarks" \
            --benchmark_filter='^robots/.*/(aba|rnea|crba|aba_derivatives)$|^(aba|rnea|crba)/' --benchmark_min_time=0.02 \
            --benchmark_repetitions=3 --benchmark_enable_random_interleaving=true \
            --benchmark_out="$out/version_${version}_$round.json" --benchmark_out_format=json > "$out/version.log" 2>&1
    done
done
