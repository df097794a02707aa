#!/usr/bin/env bash
# Runs docs/first-robot.md as a reader would: saves its files, runs its commands in their order, and looks for each block of output
# in the output of the commands before it. The page's program in C++ is built if PREFIX, an installed copy, is given. Without
# the viewer's template, or without Matplotlib, the command that needs it must say so. python/tests runs the lines for Python.
# Usage: first_robot_test.sh SOURCE_DIRECTORY TOOL FOLDER [PREFIX]
set -euo pipefail
source=$1 tool=$2 folder=$3 prefix=${4:-}
page=$source/docs/first-robot.md

rm -rf "$folder"
mkdir -p "$folder/bin"
ln -s "$source/scripts" "$source/benchmarks" "$folder"
ln -s "$tool" "$folder/bin/grbda"
cd "$folder"
export PATH=$PWD/bin:$PATH MPLCONFIGDIR=$PWD/matplotlib

fail() { echo "docs/first-robot.md: $1"; exit 1; }

# The commands of a block; what needs a part that this machine lacks must say which.
run() {
    local command=$1
    if output=$(bash -euo pipefail -c "$command" 2>&1); then return; fi
    case $command in
        *"grbda view"*) [[ $output == *scripts/view.sh* ]] ;;
        *plot_simulation.py*) [[ $output == *atplotlib* ]] ;;
        *) false ;;
    esac || fail "this failed: $command"$'\n'"$output"
    echo "not run to the end: $command"
}

kind="" before="" block="" output="" commands=0 results=0
while IFS= read -r line; do
    if [[ $line == '```'?* ]]; then
        kind=${line#'```'} block=""
    elif [[ $line != '```' ]]; then
        block+=$line$'\n'
    else
        case $kind in
            xml) echo -n "$block" > first_robot.urdf ;;
            cpp) echo -n "$block" > first_robot.cpp ;;
            cmake) echo -n "$block" > CMakeLists.txt ;;
            sh)
                if [[ $block == *cmake* ]]; then
                    [[ $prefix ]] || break  # the page ends with the program
                    block=${block//\/where\/grbda\/is/$prefix}
                fi
                run "$block"
                commands=$((commands + 1)) ;;
            python) ;;
            text)
                [[ $before == python || "$output"$'\n' == *"$block"* ]] ||
                    fail "expected"$'\n'"$block"$'\n'"found"$'\n'"$output"
                results=$((results + 1)) ;;
            *) fail "a block of an unknown kind: $kind" ;;
        esac
        before=$kind kind=""
    fi
done <<< "$(< "$page")"

diff first_robot.urdf "$source/examples/first_robot.urdf" || fail "does not show examples/first_robot.urdf"
diff first_robot.cpp "$source/examples/first_robot.cpp" || fail "does not show examples/first_robot.cpp"
[[ $(wc -l < first_robot.urdf) == 30 ]] || fail "says that the file has 30 lines"
[[ $(wc -l < swing.csv) == 2002 ]] || fail "expected 2001 rows in swing.csv"
[[ $commands -ge 5 && $results -ge 4 ]] || fail "has too few commands or results"
echo "$commands commands, $results results"
