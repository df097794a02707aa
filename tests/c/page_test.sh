#!/usr/bin/env bash
# docs/c-interface.md shows the source of the example in C, and its programs in other languages compute the same
# accelerations. A language whose compiler is not installed is left out.
# Usage: page_test.sh SOURCE_DIRECTORY LIBRARY_DIRECTORY ROBOT_FILE
set -euo pipefail
source=$1 libraries=$2 robot=$3
page=$source/docs/c-interface.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/!p}" "$page"; }

diff <(block c) "$source/examples/c/main.c" || { echo "the page does not show examples/c/main.c"; exit 1; }

declare -A found=()
cd "$work"
if command -v python3 > /dev/null; then
    block python > fall.py
    found[Python]=$(python3 fall.py "$robot")
fi
if command -v rustc > /dev/null; then
    block rust > fall.rs
    rustc -D warnings -L "$libraries" -o by_rust fall.rs
    found[Rust]=$(./by_rust "$robot")
fi
if command -v go > /dev/null; then
    block go > fall.go
    printf 'Name: grbda-c\nDescription: built\nVersion: 0\nCflags: -I%s\nLibs: -L%s -lgrbda_c\n' \
        "$source/include" "$libraries" > grbda-c.pc
    PKG_CONFIG_PATH=$work GO111MODULE=off go build -o by_go fall.go
    found[Go]=$(./by_go "$robot")
fi
[[ ${#found[@]} -gt 0 ]] || { echo "neither Python nor Rust nor Go"; exit 1; }
for language in "${!found[@]}"; do
    echo "$language: ${found[$language]}"
    [[ ${found[$language]} =~ ^-?[0-9]+\.[0-9]{6}( -?[0-9]+\.[0-9]{6})*$ ]] || { echo "no numbers"; exit 1; }
done
[[ $(printf '%s\n' "${found[@]}" | sort -u | wc -l) == 1 ]] || { echo "the results differ"; exit 1; }
