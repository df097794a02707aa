#!/usr/bin/env bash
# Kernels on plain numbers are compiled at one level of optimisation only: the linker takes one of several copies for the
# whole program, and code that is compiled for being small must not give it those of the algorithms.
# Usage: levels_test.sh NM SMALL_OBJECT… -- FAST_OBJECT…
set -euo pipefail
nm=$1
shift

# Kernels on double that an object leaves to the linker.
merged() {
    "$nm" -C --defined-only "$@" | sed -nE 's/^[0-9a-f]+ [WVu] //p' | grep -E '^[^(]*grbda::kernels::' |
        grep -vE 'Dual<|grbda::kernels::(clear|delivered|matrix_finite)' | sort -u || true
}

small=()
while [[ $1 != -- ]]; do small+=("$1"); shift; done
shift
[[ ${#small[@]} -gt 0 && $# -gt 0 ]] || { echo "no objects"; exit 1; }
[[ -n $(merged "$@") ]] || { echo "no kernels in the objects of the algorithms"; exit 1; }
found=$(comm -12 <(merged "${small[@]}") <(merged "$@"))
[[ -z $found ]] || { echo "compiled at two levels; see src/kernels/:"; echo "$found"; exit 1; }
echo "${#small[@]} and $# objects share no kernel"
