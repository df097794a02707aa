#!/usr/bin/env bash
# Runs the commands of docs/from-urdf-to-mpc.md behind its section about installing, in a fresh folder and against an
# installed copy, and compares what they find with the page. Without Matplotlib no figures are drawn.
# Usage: page_commands_test.sh SOURCE_DIRECTORY PREFIX FOLDER
set -euo pipefail
page=$1/docs/from-urdf-to-mpc.md

rm -rf "$3"
mkdir -p "$3/build"
ln -s "$1/examples" "$1/robots" "$1/benchmarks" "$3"
ln -s "$2" "$3/build/installed"
cd "$3"
export PATH=$PWD/build/installed/bin:$PATH MPLCONFIGDIR=$PWD/build/matplotlib

commands=$(sed '1,/^## The robot$/d' "$page" | sed -n '/^```sh$/,/^```$/{/^```/!p}')
[[ $commands == *"grbda generate"* && $commands == *"swing_up mpc"* && $commands == *"cmake"* ]] ||
    { echo "docs/from-urdf-to-mpc.md has no commands"; exit 1; }
/usr/bin/python3 -c 'import matplotlib' 2> /dev/null || commands=$(grep -v plot.py <<< "$commands")
bash -euxo pipefail -c "$commands" > output.txt 2> commands.txt || { cat output.txt commands.txt; exit 1; }

# The costs are those on the page, to six digits; the robot arrives; the limits of the motor hold in its plan alone,
# and stepping this plan gives the speed that it promises.
grep -o 'cost [0-9.]*' output.txt | sort -u | while read -r _ cost; do
    grep -q "cost ${cost:0:7}" "$page" || { echo "not on the page: cost $cost"; exit 1; }
done
awk '
    function fail(reason) { print reason ": " $0; failed = 1 }
    /^mpc:/ { ++runs; if ($(NF - 4) > 0.01) fail("far from the goal") }
    /^(motors|box|small box): / {
        ++jumps
        for (i = 1; i < NF; ++i) {
            if ($i == "plans") promised = $(i + 1)
            if ($i == "needs") needed = $(i + 1)
            if ($i == "reaches") reached = $(i + 1)
        }
        if ($1 == "box:" ? needed < 110 : needed > 100) fail("loads the motor otherwise than the page says")
        if ($1 == "motors:" && (promised - reached) ^ 2 > 1e-6) fail("is not what its steps give")
    }
    END { if (runs < 2 || jumps < 3) fail("too few results"); exit failed }' output.txt
cat output.txt
