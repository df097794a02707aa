#!/usr/bin/env bash
# Checks conventions that the compiler does not check: headers have #pragma once and no `using namespace`, topology has no
# floating-point numbers, a switch over an enumeration names every case, and readers leave it to src/mechanism to judge
# descriptions.
# Usage: conventions_test.sh SOURCE_DIRECTORY
set -euo pipefail

# Errors of readers about what their format alone can be wrong about: quaternions and normals of zero, sizes and ranges
# of MJCF, cspace of XRDF, grids of height fields.
declare -A judged=(
    [src/io/height_field.cpp]=2
    [src/io/text/quaternion.hpp]=1
    [src/io/mjcf/geom.cpp]=1
    [src/io/mjcf/inertia.cpp]=2
    [src/io/mjcf/joint.cpp]=1
    [src/io/mjcf/pose.cpp]=2
    [src/io/sdf/shape.cpp]=1
    [src/io/urdf/shape.cpp]=1
    [src/io/xrdf/cspace.cpp]=2
)

# Prints the files with a default in a switch over an enumeration of ours.
defaults='
    FNR == 1 || /switch *\(/ { named = other = 0 }
    /case +([A-Za-z_]+::)+[A-Za-z0-9_]+:/ && !/pugi::/ { named = 1 }
    /default:/ { other = 1 }
    named && other { print FILENAME; named = other = 0 }'

# Prints the violations in the source tree at $1, one in a line.
violations() {
    local file errors
    cd "$1"
    find include src -name '*.hpp' -exec grep -L '^#pragma once$' {} + | sed 's/$/: no #pragma once/'
    # src/closing is written in the words of the kernels
    find include src -name '*.hpp' -exec grep -H 'using namespace' {} + |
        sed -E '/^src\/closing\/[a-z_]+\.hpp:using namespace kernels;$/d; s/:.*/: using namespace/'
    find src/topology -name '*.?pp' -exec grep -lwE '^[^/]*(double|float)' {} + | sed 's/$/: floating point/'
    find . '(' -name '.*' -o -name 'build*' ')' ! -path . -prune -o -name '*.[hc]pp' -print0 | xargs -0 -r awk "$defaults" |
        sed 's/$/: a default in a switch over an enumeration/'
    # without a number, Makefiles start every compiler at once
    find . '(' -name '.git' -o -name 'build*' -o -name conventions_test.sh -o -name CHANGELOG.md ')' -prune -o -type f '(' -name '*.md' -o -name '*.sh' -o -name '*.yaml' -o -name '*.json' ')' \
        -exec grep -lE 'cmake --build [^|&;]*(--parallel|-j)( *$| *[^" 0-9]| +-)' {} + | sed 's/$/: cmake --build --parallel without a number/'
    while read -r file; do
        errors=$(tr '\n' ' ' < "$file" | grep -oE 'error\( *Code::(out_of_range|same_ends)' | wc -l || true)
        [[ $errors -le ${judged[$file]:-0} ]] || echo "$file: src/mechanism judges figures and ends, not a reader"
    done < <(find src/io -name '*.?pp')
}

# The check itself must find a violation of each kind.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
plant() {  # path, text
    rm -rf "${planted:?}"/*
    mkdir -p "$planted"/{include,src/topology,src/io} "$(dirname "$planted/$1")"
    printf '%s\n' "$2" > "$planted/$1"
    [[ -n $(violations "$planted") ]] || { echo "not found: $2 in $1"; exit 1; }
}
plant include/grbda/a.hpp 'int a();'
plant src/kernels/a.hpp '#pragma once
using namespace std;'
plant src/topology/a.hpp '#pragma once
double length;'
plant src/io/urdf/a.cpp 'document.error(
    Code::out_of_range, mass, "a mass of zero or more", "-1");'
plant src/io/mjcf/joint.cpp 'error(Code::out_of_range, range); error(Code::same_ends, joint);'
plant docs/a.md '    cmake --build build/install --parallel'
plant scripts/a.sh 'cmake --build build -j --target x'
plant src/model/a.cpp 'switch (type) { case JointType::fixed: return 1;
default: return 2; }'

found=$(violations "$1")
[[ -z $found ]] || { echo "$found"; exit 1; }
