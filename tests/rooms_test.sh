#!/usr/bin/env bash
# Checks the dependencies between components. Each component lists those whose headers it may include, and kernels
# include only kernels that come before them in the data flow. A switch over an enumeration names every case, so that the
# compiler finds switches without a new case. python/ and tools/ may include only the public headers of all components;
# python/ also includes headers of tools/ about robots. src/mechanism judges descriptions; readers do not.
# Usage: rooms_test.sh SOURCE_DIRECTORY
set -euo pipefail

# Sets REPLY to the component of a file, by the first pattern that fits; include/grbda/ and src/ are treated alike. A
# function that printed it would start a process for each include.
room_of() {
    case "$1" in
        io/load.*) REPLY=load ;;        # entry point for users
        io/write*) REPLY="write" ;;  # from a mechanism back to text
        io/height_field.*) REPLY=height_field ;;  # ground, not a robot
        io/text/* | io/file.*) REPLY=text ;;  # XML and YAML, independent of robots
        io/*/*) REPLY=${1%/*} ;;      # a format
        */*) REPLY=${1%%/*} ;;
        *) REPLY=${1%.*} ;;
    esac
}

declare -A below=(
    [diagnostics]=""
    [loop_row]=""
    [joint_types]="loop_row"
    [shape]=""
    [status]=""
    [version]=""
    [export]=""  # which every component may include
    [scalar]=""
    [table]=""
    [range]=""
    [triangle]=""
    [threads]=""
    [lanes]="scalar"
    [spatial]="scalar"
    [topology]=""
    [collision]="shape spatial table"
    [description]="diagnostics joint_types shape"
    [mechanism]="table description diagnostics"
    [model]="table range loop_row joint_types mechanism description diagnostics spatial scalar"
    [kernels]="model spatial scalar status triangle"
    [algorithms]="kernels model spatial scalar status triangle diagnostics"
    [batch]="threads algorithms kernels model spatial lanes scalar status"
    [simulation]="threads collision algorithms kernels model spatial scalar status table shape"
    [generate]="algorithms kernels model spatial scalar status version table"
    [compile]="kernels algorithms model topology mechanism description diagnostics table spatial scalar status"
    [baselines]="model mechanism description spatial scalar status"
    [edit]="compile kernels algorithms model mechanism description diagnostics table spatial status"
    [compose]="description diagnostics"
    [text]="description diagnostics"
    [io]="text description diagnostics table"
    [io/urdf]="io text description diagnostics table"
    [io/extended_urdf]="io text description diagnostics table"
    [io/srdf]="io text description diagnostics table"
    [io/xrdf]="io text description diagnostics table"
    [io/mjcf]="io text description diagnostics table"
    [io/sdf]="io text description diagnostics table"
    [io/world]="io text compose description diagnostics table"
    [write]="io text mechanism description diagnostics table"
    [height_field]="text collision diagnostics table"
    [viewer]="load text algorithms model mechanism shape table description diagnostics"
    [load]="io io/world text compose compile mechanism model description diagnostics table"
)

# Adds to `reached` the components that $1 includes, directly or through others.
reach_from() {
    local room
    for room in ${below[$1]}; do
        [[ $reached != *" $room "* ]] || continue
        reached+="$room "
        reach_from "$room"
    done
}

# No component includes itself through others, and baselines do not reach the parts of the engine that they check.
check_reach() {
    local room reached
    for room in "${!below[@]}"; do
        reached=" "
        reach_from "$room"
        [[ $reached != *" $room "* ]] || { echo "component '$room' includes itself"; return 1; }
        [[ $room != baselines || ! $reached =~ \ (kernels|algorithms|batch|compile)\  ]] ||
            { echo "baselines reach ${BASH_REMATCH[1]}"; return 1; }
    done
}

# Files of the kernels in the order of the table in a document; each may include those before it.
order_of() { sed -n '/^## Kernels$/,/^## /s/^| \(`[^|]*\) |.*/\1/p' "$1" | grep -oE '[a-z_/]+\.hpp'; }
declare -A flow=()
while read -r file; do flow[$file]=${#flow[@]}; done < <(order_of "$1/docs/algorithms.md")

report() {
    echo "$1"
    failures=$((failures + 1))
}

check_flow() {  # a kernel, the kernel that it includes
    local from=${1##*/kernels/} to=${2##*/kernels/}
    [[ ${flow[$to]:-99} -lt ${flow[$from]:-0} ]] || report "$1: $to is not listed before it in docs/algorithms.md"
}

check_include() {  # file, its component, the included file
    local file=$1 room=$2 target=$3 target_room
    case "$target" in
        \"grbda/export.hpp\") return ;;
        \"grbda/*\") target_room=${target#\"grbda/}; room_of "${target_room%\"}" ;;
        \"io/*\" | \"description/*\" | \"threads/*\") target_room=${target#\"}; room_of "${target_room%\"}" ;;
        \"*/*\") report "$file: $target is not in its own component"; return ;;
        \"*\")
            [[ -f "${file%/*}/${target//\"/}" ]] || report "$file: $target is not in its own component"
            return ;;
        \<pugixml* | \<yaml-cpp*) [[ $room == text || $room == io* ]] || report "$file: only io reads XML and YAML"; return ;;
        \<Eigen*) [[ $room != topology ]] || report "$file: topology holds no matrices"; return ;;
        *) return ;;
    esac
    target_room=$REPLY
    [[ $room != kernels || $target_room != kernels || $file == *.cpp ]] || check_flow "$file" "${target//\"/}"
    [[ $target_room == "$room" || " ${below[$room]} " == *" $target_room "* ]] ||
        report "$file: component '$room' includes $target of component '$target_room'"
}

# Errors of readers about what their format alone can be wrong about: quaternions and normals of zero, sizes and ranges
# of MJCF, cspace of XRDF.
declare -A judged=(
    [src/io/text/quaternion.hpp]=1
    [src/io/mjcf/geom.cpp]=1
    [src/io/mjcf/inertia.cpp]=2
    [src/io/mjcf/joint.cpp]=1
    [src/io/mjcf/pose.cpp]=2
    [src/io/sdf/shape.cpp]=1
    [src/io/urdf/shape.cpp]=1
    [src/io/xrdf/cspace.cpp]=2
)

check_reader() {  # a file, its path in the source tree
    local errors
    errors=$(tr '\n' ' ' < "$1" | grep -oE 'error\( *Code::(out_of_range|same_ends)' | wc -l || true)
    [[ $errors -le ${judged[$2]:-0} ]] || report "$1: src/mechanism judges figures and ends, not a reader"
}

# Prints the files with a default in a switch over an enumeration of ours.
defaults='
    FNR == 1 || /switch *\(/ { named = other = 0 }
    /case +([A-Za-z_]+::)+[A-Za-z0-9_]+:/ && !/pugi::/ { named = 1 }
    /default:/ { other = 1 }
    named && other { print FILENAME; named = other = 0 }'

check_on_top() {  # a file of python/ or tools/: headers of the library, or beside it
    local target beside=$2/tools/
    while read -r target; do
        [[ $target == grbda/* || -f ${1%/*}/$target || ($1 == */python/* && -f $beside$target) ]] ||
            report "$1: $target is neither a header of include/grbda nor a file beside it"
    done < <(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$1")
    checked=$((checked + 1))
}

# Prints the violations in the source tree at $1; returns success without one.
check_house() {
    local root=$1 file room target text
    failures=0
    while read -r file; do
        room=${file#"$root"/}
        room=${room#include/grbda/}
        room_of "${room#src/}"
        room=$REPLY
        [[ -v below[$room] ]] || { report "$file: no component '$room' in the list"; continue; }
        [[ $room != kernels || $file == *.cpp || -v flow[${file##*/kernels/}] ]] || report "$file: not in docs/algorithms.md"
        [[ $room != io* && $room != text ]] || check_reader "$file" "${file#"$root"/}"
        while read -r target; do check_include "$file" "$room" "$target"; done \
            < <(sed -n 's/^ *# *include *\(["<][^">]*[">]\).*/\1/p' "$file")
        if [[ $file == *.hpp ]]; then
            text=$'\n'$(< "$file")$'\n'
            [[ $text == *$'\n#pragma once\n'* ]] || report "$file: no #pragma once"
            [[ $text != *"using namespace"* ]] || report "$file: using namespace"
        fi
        [[ $room != topology ]] || ! grep -nwE '^[^/]*(double|float)' "$file" || report "$file: floating point"
        checked=$((checked + 1))
    done < <(find "$root/include" "$root/src" -name '*.hpp' -o -name '*.cpp')
    while read -r file; do check_on_top "$file" "$root"; done < <(
        find "$root/python" "$root/tools" -name '*.hpp' -o -name '*.cpp' 2> /dev/null)
    while read -r file; do report "$file: a default in a switch over an enumeration"; done < <(
        find "$root" '(' -name '.*' -o -name 'build*' ')' ! -path "$root" -prune -o -name '*.[hc]pp' -print0 |
            xargs -0 -r awk "$defaults")
    [[ $failures == 0 ]]
}

# The check itself must find a violation of each kind.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
plant() {  # path, text
    rm -rf "${planted:?}"/*
    mkdir -p "$planted/include" "$planted/src" "$(dirname "$planted/$1")"
    printf '#pragma once\n%s\n' "$2" > "$planted/$1"
    if check_house "$planted" > /dev/null; then
        echo "not seen: $2 in $1"
        exit 1
    fi
}
checked=0
plant include/grbda/topology/a.hpp '#include "grbda/model/model.hpp"'
plant include/grbda/topology/a.hpp 'double length;'
plant include/grbda/kernels/aba.hpp '#include "grbda/algorithms/aba.hpp"'
plant include/grbda/kernels/rows.hpp '#include "grbda/kernels/embedding.hpp"'
plant include/grbda/kernels/rows.hpp '#include "grbda/kernels/rows.hpp"'
plant include/grbda/kernels/attic.hpp ''
plant include/grbda/kernels/aba.hpp 'using namespace std;'
plant src/baselines/a.cpp '#include "grbda/kernels/aba.hpp"'
plant src/io/a.cpp '#include "grbda/model/model.hpp"'
plant src/io/a.cpp '#include "../io/../io/a.cpp"'
plant src/io/a.cpp '#include "compile.hpp"'
plant src/io/text/a.cpp '#include "io/readers.hpp"'
plant src/io/urdf/a.cpp '#include "io/mjcf/elements.hpp"'
plant src/model/a.cpp '#include <pugixml.hpp>'
plant src/io/urdf/a.cpp 'document.error(
    Code::out_of_range, mass, "a mass of zero or more", "-1");'
plant src/io/mjcf/joint.cpp 'error(Code::out_of_range, range); error(Code::same_ends, joint);'
plant src/attic/a.cpp ''
plant python/src/a.cpp '#include "kernels/path.hpp"'
plant tools/a.cpp '#include "python/src/arrays.hpp"'
plant src/io/a.cpp '#include "summary.hpp"'
plant src/model/a.cpp 'switch (type) { case JointType::fixed: return 1;
default: return 2; }'

(below[scalar]=kernels && check_reach > /dev/null) && { echo "not seen: a cycle of components"; exit 1; }
(below[spatial]="scalar batch" below[batch]="" && check_reach > /dev/null) && { echo "not seen: baselines on batch"; exit 1; }

check_reach
checked=0
check_house "$1" || { echo "$failures violations"; exit 1; }
[[ $checked -gt 0 ]] || { echo "no files in $1"; exit 1; }
echo "$checked files, all includes in allowed directions"
