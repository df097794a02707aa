#!/usr/bin/env bash
# Symbols that the linker may merge between objects must name the instruction set of their object. Otherwise the
# linker could use them in the whole program, which then crashes on a machine without those instructions.
# Usage: isa_test.sh NM OBJECT…
set -euo pipefail
nm=$1
shift

# Weak symbols (W, V) and unique ones (u) of an object without its namespace. DW.ref.* is data: an address.
nameless() {  # object, namespace
    "$nm" -C "$1" | sed -nE 's/^[0-9a-f]+ [WVu] //p' | grep -vE "::$2::|^DW\.ref\." || true
}

# The check itself must see one.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
printf '#!/bin/sh\necho "0000000000000000 W std::max()"\necho "0000000000000001 W a::library_x::b()"\n' > "$planted/nm"
chmod +x "$planted/nm"
[[ $(nm=$planted/nm nameless object library_x) == "std::max()" ]] || { echo "a weak symbol was not seen"; exit 1; }

[[ $# -gt 0 ]] || { echo "no objects"; exit 1; }
found=""
for object in "$@"; do
    name=$(basename "$object")
    namespace=library_${name%%.*}
    "$nm" -C "$object" | grep "::$namespace::" > /dev/null || { echo "$object: nothing in $namespace"; exit 1; }
    found+=$(nameless "$object" "$namespace")
done
[[ -z $found ]] || { echo "could be merged with other objects' functions:"; echo "$found"; exit 1; }
echo "$# objects, every weak symbol of its own"
