#!/usr/bin/env bash
# The passes over one state must not use registers of 512 bits in builds for this machine: one state does not fill them,
# and reading them after narrower writes stalls. The function that fills outputs of Eigen with NaN may use them.
# Usage: wide_test.sh OBJDUMP OBJECT…
set -euo pipefail
objdump=$1
shift

# Functions of an object that name a register of 512 bits.
wide() {
    "$objdump" -dC --no-show-raw-insn "$1" |
        awk '/^[0-9a-f]+ <.*>:$/ { name = $0; sub(/^[0-9a-f]+ /, "", name) } /%zmm/ { print name }' |
        { grep -v 'grbda::kernels::clear<' || true; } | sort -u
}

# The check itself must see one.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
printf '#!/bin/sh\nprintf "0000 <f()>:\\n 0: vmovupd %%%%zmm0,(%%%%rax)\\n0010 <g()>:\\n 10: ret\\n"\n' > "$planted/objdump"
chmod +x "$planted/objdump"
[[ $(objdump=$planted/objdump wide object) == "<f()>:" ]] || { echo "a wide register was not seen"; exit 1; }

[[ $# -gt 0 ]] || { echo "no objects"; exit 1; }
found=""
for object in "$@"; do
    found+=$(wide "$object")
done
[[ -z $found ]] || { echo "registers of 512 bits in"; echo "$found"; exit 1; }
echo "$# objects, no register of 512 bits"
