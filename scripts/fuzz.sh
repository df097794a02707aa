#!/usr/bin/env bash
# Feeds broken files to every reader, under the address and undefined behaviour sanitizers. Builds the fuzzers in
# build/sanitize and runs each for SECONDS, with the seed GRBDA_TEST_SEED if set, on all cores. Inputs that break a law are
# kept in build/fuzz/artifacts and shown. Usage: fuzz.sh [SECONDS (60)] [FUZZER…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
[[ $# == 0 ]] || shift
fuzzers=("$@")
[[ ${#fuzzers[@]} -gt 0 ]] || fuzzers=(urdf extended_urdf xrdf srdf mjcf sdf includes load)

scripts/install_dependencies.sh --clang
scripts/build.sh sanitize --preset sanitize -- "${fuzzers[@]/#/fuzz_}"

# Seeds are the robots and the broken files, separate for each reader: a side file is preceded by its robot.
rm -rf build/fuzz/seeds
for fuzzer in "${fuzzers[@]}"; do
    mkdir -p "build/fuzz/seeds/$fuzzer" "build/fuzz/corpus/$fuzzer" build/fuzz/artifacts
done
seed() {  # reader, name, text
    for fuzzer in "$1" load; do
        [[ ! -d build/fuzz/seeds/$fuzzer ]] || printf '%s' "$3" > "build/fuzz/seeds/$fuzzer/$2"
    done
}
while read -r file; do
    folder=$(basename "$(dirname "$file")") stem=${file%.*}
    case "$file" in
        *.urdf) seed urdf "$folder-$(basename "$file")" "$(tr -d '\0' < "$file")" ;;
        *.sdf) seed sdf "$folder-$(basename "$file")" "$(tr -d '\0' < "$file")" ;;
        *.xml) seed mjcf "$folder-$(basename "$file")" "$(tr -d '\0' < "$file")" ;;
        *.files) seed includes "$(basename "$file")" "$(cat "$file")" ;;
        *.yaml | *.srdf)
            reader=extended_urdf
            ! grep -q '^format:' "$file" || reader=xrdf
            [[ $file != *.srdf ]] || reader=srdf
            robot=""
            [[ ! -f $stem.urdf ]] || robot="$(cat "$stem.urdf")"$'\n=== side file ===\n'
            seed "$reader" "$folder-$(basename "$file")" "$robot$(tr -d '\0' < "$file")" ;;
    esac
done < <(find robots tests/data/broken tests/fuzz/seeds -type f)

run() {  # fuzzer
    local dictionary=tests/fuzz/dictionaries/$1.dict
    [[ -f $dictionary ]] || dictionary=tests/fuzz/dictionaries/urdf.dict
    if [[ $1 == includes ]]; then
        dictionary=build/fuzz/includes.dict
        cat tests/fuzz/dictionaries/{mjcf,sdf}.dict > "$dictionary"
    fi
    if ! build/sanitize/tests/fuzz/fuzz_"$1" -max_total_time="$seconds" -seed="${GRBDA_TEST_SEED:-0}" -timeout=60 -rss_limit_mb=1024 -max_len=4096 \
        -dict="$dictionary" -artifact_prefix="build/fuzz/artifacts/$1-" -print_final_stats=1 \
        "build/fuzz/corpus/$1" "build/fuzz/seeds/$1" > "build/fuzz/$1.log" 2>&1; then
        echo "== fuzz_$1 failed"
        tail -n 60 "build/fuzz/$1.log"
        touch build/fuzz/failed
        return
    fi
    echo "== fuzz_$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$1.log") files in $seconds s," \
        "$(find "build/fuzz/corpus/$1" -type f | wc -l) kept"
}

rm -f build/fuzz/failed
for fuzzer in "${fuzzers[@]}"; do
    while [[ $(jobs -rp | wc -l) -ge $(nproc) ]]; do wait -n; done
    run "$fuzzer" &
done
wait

if [[ -e build/fuzz/failed ]]; then
    echo "== inputs that failed; run one again as build/sanitize/tests/fuzz/fuzz_NAME FILE"
    for artifact in build/fuzz/artifacts/*; do
        echo "-- $artifact"
        head -c 2000 "$artifact"
        echo
    done
    exit 1
fi
