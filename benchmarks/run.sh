#!/usr/bin/env bash
# Builds the benchmarks with GCC, and with Clang if it is installed, and runs them all.
# Usage: run.sh [--busy] [OUT_DIR]    default: build/bench_results
# OUT_DIR gets machine.json and COMPILER_GROUP_ROUND.json; existing files are replaced. Waits for an idle machine, and
# gives up after five minutes; --busy measures all the same.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
busy=false
if [[ ${1:-} == --busy ]]; then
    busy=true
    shift
fi
out=$(realpath -m "${1:-$here/../build/bench_results}")
cd "$here/.."

started=$SECONDS
declare -A command_of=([gcc]=g++ [clang]=clang++)
compilers=()
for compiler in gcc clang; do
    ! command -v "${command_of[$compiler]}" > /dev/null || compilers+=("$compiler")
done
[[ ${#compilers[@]} -gt 0 ]] || { echo "Neither g++ nor clang++ is installed" >&2; exit 1; }

build() {
    local compiler
    for compiler in "${compilers[@]}"; do
        scripts/build.sh "bench_$compiler" -D CMAKE_BUILD_TYPE=Release \
            -D CMAKE_CXX_COMPILER="${command_of[$compiler]}" -D GRBDA_NATIVE=ON -D GRBDA_BUILD_TESTS=OFF \
            -D GRBDA_BUILD_BENCHMARKS=ON
    done
    scripts/build.sh bench_packaged -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER="${command_of[${compilers[0]}]}" \
        -D GRBDA_NATIVE=ON -D GRBDA_PACKAGED_EIGEN=ON -D GRBDA_BUILD_TESTS=OFF -D GRBDA_BUILD_BENCHMARKS=ON \
        -- grbda_benchmarks_packaged
}

version_of() {
    case $1 in
        gcc) echo "GCC $(g++ -dumpfullversion)" ;;
        clang) echo "Clang $(clang++ -dumpversion)" ;;
    esac
}

cpu_model() {
    local model
    model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 || true)
    echo "${model:-$(uname -m)}"
}

os_name() {
    local name
    name=$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release 2> /dev/null || true)
    echo "${name:-$(uname -s)}"
}

quoted() { printf '"%s"' "${1//[\"\\]/}"; }

# Bytes of code and constants of the core and of the constraints, which a control loop needs.
code_bytes() {
    find "$1/src" '(' -name libgrbda_core.a -o -name libgrbda_constraints.a ')' -exec size --totals {} + | awk '/TOTALS/ { print $1; found = 1 } END { if (!found) print 0 }'
}

write_machine() {
    local release compiler separator=""
    release=$(sed -n 's/^CMAKE_CXX_FLAGS_RELEASE:[A-Z]*=//p' "build/bench_${compilers[0]}/CMakeCache.txt")
    {
        echo "{"
        echo "  \"cpu\": $(quoted "$(cpu_model)"),"
        echo "  \"cores\": $(nproc),"
        echo "  \"os\": $(quoted "$(os_name)"),"
        echo "  \"flags\": $(quoted "$release -march=native"),"
        echo "  \"commit\": $(quoted "$(git describe --always --dirty 2> /dev/null || echo unknown)"),"
        echo "  \"date\": $(quoted "$(date -u +%Y-%m-%d)"),"
        echo "  \"load_before\": $load,"
        echo "  \"core_bytes\": $(code_bytes "build/bench_${compilers[0]}"),"
        echo "  \"pinned\": $([[ ${#pin[@]} -gt 0 ]] && echo true || echo false),"
        echo "  \"compilers\": {"
        for compiler in "${compilers[@]}"; do
            printf '%s    "%s": {"version": %s}' "$separator" "$compiler" "$(quoted "$(version_of "$compiler")")"
            separator=$',\n'
        done
        echo
        echo "  }"
        echo "}"
    } > "$out/machine.json"
}

# One core, the last available one, because the first serves most interrupts.
pin=()
if command -v taskset > /dev/null && core=$(taskset -cp $$ 2> /dev/null | grep -oE '[0-9]+$'); then
    pin=(taskset -c "$core")
fi

# For each group: seconds of one measurement, number of measurements, rounds in which the compilers take turns.
settings() {
    case $1 in
        robots) echo "0.01 5 3" ;;
        chain | tree) echo "0.01 3 1" ;;
        accuracy | accuracy_derivatives) echo "0.01 3 1" ;;
        batch) echo "0.02 3 2" ;;
        *) echo "0.02 5 1" ;;
    esac
}

# run EXECUTABLE COMPILER GROUP ROUND [FILTER]; folder: of the build, if not that of the compiler
folder=
run() {
    local seconds repetitions rounds launcher=("${pin[@]}") file="$out/$2_$3_$4.json"
    read -r seconds repetitions rounds < <(settings "$3")
    [[ $3 != batch && $3 != worlds ]] || launcher=()  # their threads need all cores
    "${launcher[@]}" "build/bench_${folder:-$2}/benchmarks/$1" --benchmark_filter="${5:-^$3/}" \
        --benchmark_min_time="$seconds" --benchmark_repetitions="$repetitions" \
        --benchmark_enable_random_interleaving=true --benchmark_out="$file" --benchmark_out_format=json \
        > "$out/$2_$3_$4.log" 2>&1 || { cat "$out/$2_$3_$4.log"; exit 1; }
}

# Share of all cores that something else uses, over two seconds: 0 to 1.
others() {
    local before after
    read -r _ before < /proc/stat
    sleep 2
    read -r _ after < /proc/stat
    awk -v a="$before" -v b="$after" 'BEGIN {
        split(a, x); n = split(b, y)
        for (i = 1; i <= n && i <= 8; i++) sum += y[i] - x[i]
        print(sum > 0 ? 1 - (y[4] - x[4] + y[5] - x[5]) / sum : 0)
    }'
}

# Waits until other programs use less than 5 % of the machine; they change times by more than the code does.
wait_for_quiet() {
    local tries=0
    while load=$(others) && awk -v load="$load" 'BEGIN { exit !(load > 0.05) }'; do
        if [[ $busy == true ]]; then
            echo "== Other programs use $load of the machine: times will be too long"
            return
        fi
        ((tries++ > 0)) || echo "== Waiting for an idle machine; other programs use $load of it"
        if ((tries > 60)); then
            echo "Other programs use the machine: stop them, or give --busy and distrust the times" >&2
            exit 1
        fi
        sleep 3
    done
}

# Again what spreads by more than 3 %, up to twice.
repeat_noisy() {
    local round rounds compiler filter
    rounds=$(settings "$1" | cut -d' ' -f3)
    for ((round = rounds + 1; round <= rounds + 2; round++)); do
        for compiler in "${compilers[@]}"; do
            filter=$(python3 "$here/noisy.py" "$out" "$1" "$compiler")
            [[ -z $filter ]] || run grbda_benchmarks "$compiler" "$1" "$round" "$filter"
        done
    done
}

run_group() {
    local round rounds compiler
    rounds=$(settings "$1" | cut -d' ' -f3)
    for ((round = 1; round <= rounds; round++)); do
        for compiler in "${compilers[@]}"; do
            run grbda_benchmarks "$compiler" "$1" "$round"
        done
    done
    repeat_noisy "$1"
}

build
built=$((SECONDS - started))
mkdir -p "$out"
rm -f "$out"/{gcc,clang}_*.json "$out"/{gcc,clang}_*.log
load=0
wait_for_quiet
write_machine

groups=$("build/bench_${compilers[0]}/benchmarks/grbda_benchmarks" --benchmark_list_tests | cut -d/ -f1 | sort -u)
for group in $groups; do
    begun=$SECONDS
    echo -n "== $group: "
    run_group "$group"
    echo "$((SECONDS - begun)) s"
done
for peer in mujoco dart bullet simbody kdl; do
    case $peer in
        dart | kdl) folder=packaged ;;  # which pass Eigen vectors
        *) folder= ;;
    esac
    [[ -x build/bench_${folder:-${compilers[0]}}/benchmarks/grbda_benchmarks_$peer ]] || continue
    echo "== $peer"
    run "grbda_benchmarks_$peer" "${compilers[0]}" "$peer" 1
    [[ $peer == mujoco ]] || continue
    for group in simulate worlds; do  # again, with MuJoCo in the same run
        run grbda_benchmarks_mujoco "${compilers[0]}" "$group" 1
    done
done
echo "== built in $built s, ran in $((SECONDS - started - built)) s; results in $out"
echo "python3 benchmarks/plot.py $out docs/images/benchmarks"
