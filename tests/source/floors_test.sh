#!/usr/bin/env bash
# Checks that includes go down: a file of src/ or include/ includes files of its own folder and of lower ones only. Public
# headers, and products on the public interface, include public headers only.
# Usage: floors_test.sh SOURCE_DIRECTORY
set -euo pipefail

# Folders of src/ and include/grbda/, the lowest first, in the order of src/CMakeLists.txt. "basics" is everything directly in
# these two folders, except headers with the name of a folder.
components='basics spatial simd threads linear description topology mechanism compose model kernels closing kinematics dynamics
    constraints search collision compile edit serial derivatives adapters io describe batch baselines generate
    simulation viewer c'

# Folders within a component, the lowest first. "." is the component's own folder. Folders joined by "," do not include
# each other.
declare -A floors=(
    [kernels]='body constraint rod cluster pass derivatives'
    [simulation]='force,contact state integrator . batch'
    [baselines]='. sparse'
)

# Components that use the library as any program does. CMake lets them find nothing else: PRODUCT in cmake/components.cmake.
products='serial viewer c'

# Known violations: the line that is printed, and its reason.
declare -A known=()

# Reads the paths of all files and lines "file:#include …" of these files, in any order.
# shellcheck disable=SC2016
arrows='
    function component_of(file,    parts, name) {
        sub(/^(src|include\/grbda)\//, "", file)
        if (split(file, parts, "/") > 1) return parts[1]
        name = file
        sub(/[.][ch]pp$/, "", name)
        return name in rank ? name : "basics"
    }
    function folder_of(file, component) {  # within its component; public headers have none
        if (!sub("^src/" component "/", "", file)) return ""
        if (!sub(/\/[^\/]*$/, "", file)) return "."
        sub(/\/kinds$/, "", file)  # part of pass: kinds specialise its pages, and its other files call the kinds
        return file
    }
    function beside(file) { sub(/[^\/]*$/, "", file); return file }
    function check_place(file,    component, folder) {
        component = component_of(file)
        folder = folder_of(file, component)
        if (!(component in rank)) print file ": its folder has no place in floors_test.sh"
        else if (component in has_floors && folder != "" && !((component, folder) in floor))
            print file ": its folder has no floor in floors_test.sh"
    }
    function check_include(line,    from, to, a, b, place, other) {
        from = to = line
        sub(/:.*/, "", from)
        sub(/^[^"]*"/, "", to)
        sub(/".*/, "", to)
        if (to ~ /[.][.]\//) { print from ": includes " to ", a relative path"; return }
        if (beside(from) to in is_file) to = beside(from) to
        else if ("include/" to in is_file) to = "include/" to
        else if ("src/" to in is_file) to = "src/" to
        else return  # of another project
        a = component_of(from)
        b = component_of(to)
        place = folder_of(from, a)
        other = folder_of(to, a)
        if (from ~ /^include\// && to !~ /^include\//)
            print from ": includes " to ", a private header in a public one"
        else if (a in is_product && to !~ /^include\// && beside(from) != beside(to))
            print from ": includes " to ": " a " is a product on the public interface"
        else if (a in rank && rank[a] < rank[b]) print from ": includes " to ": " a " is below " b
        else if (a == b && a in has_floors && place != "" && other != "" && place != other &&
                 floor[a, place] <= floor[a, other])
            print from ": includes " to ": " a "/" place " is not above " a "/" other
    }
    BEGIN {
        count = split(components, names, " ")
        for (i = 1; i <= count; ++i) rank[names[i]] = i
        count = split(floors, lines, ";")
        for (i = 1; i <= count; ++i) {
            places = split(lines[i], names, " ")
            for (j = 2; j <= places; ++j) {
                same = split(names[j], folders, ",")
                for (k = 1; k <= same; ++k) floor[names[1], folders[k]] = j
            }
            if (places > 0) has_floors[names[1]] = 1
        }
        count = split(products, names, " ")
        for (i = 1; i <= count; ++i) is_product[names[i]] = 1
    }
    !/:/ { is_file[$0] = 1 }
    /:/ { includes[++found] = $0 }
    END {
        for (file in is_file) check_place(file)
        for (i = 1; i <= found; ++i) check_include(includes[i])
    }'

# Prints the violations in the source tree at $1, one in a line.
violations() {
    local name lines=""
    for name in "${!floors[@]}"; do lines+="$name ${floors[$name]};"; done
    cd "$1"
    {
        find include src -name '*.[ch]pp'
        grep -r --include='*.[ch]pp' '^ *# *include *"' include src || true
    } | awk -v components="${components//$'\n'/ }" -v floors="$lines" -v products="$products" "$arrows" | LC_ALL=C sort
}

# The check itself must find a violation of each kind, and only these.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
plant() {  # path, included, the expected violation or nothing
    rm -rf "${planted:?}"/*
    local header
    for header in include/grbda/{status,mechanism,dynamics/aba}.hpp src/kernels/{body/joint,pass/aba,cluster/plane}.hpp \
        src/simulation/{stepper,force/motors,contact/softness}.hpp src/edit/parts.hpp src/viewer/text.hpp "$1"; do
        mkdir -p "$planted/$(dirname "$header")"
        touch "$planted/$header"
    done
    printf '#include <vector>\n#include "%s"\n' "$2" > "$planted/$1"
    local found
    found=$(violations "$planted")
    if [[ -z ${3:-} ]]; then [[ -z $found ]]; else [[ $found == *"$3"* && $found != *$'\n'* ]]; fi || { echo "$1 with $2: expected '${3:-}', found '$found'"; exit 1; }
}
plant src/dynamics/aba.cpp kernels/pass/aba.hpp
plant src/kernels/pass/aba.cpp aba.hpp
plant src/kernels/pass/aba.cpp kernels/body/joint.hpp
plant src/viewer/page.cpp text.hpp
plant src/simulation/batch/batch_simulator.cpp simulation/stepper.hpp
plant src/generate/text.cpp acados/of_another_project.hpp
plant src/mechanism/check.cpp grbda/mechanism.hpp
plant src/kernels/body/a.cpp kernels/pass/aba.hpp 'kernels/body is not above kernels/pass'
plant src/kernels/rod/a.hpp kernels/cluster/plane.hpp 'kernels/rod is not above kernels/cluster'
plant src/kernels/pass/a.cpp grbda/dynamics/aba.hpp 'kernels is below dynamics'
plant src/simulation/state/a.cpp simulation/stepper.hpp 'simulation/state is not above simulation/.'
plant src/simulation/force/a.cpp simulation/contact/softness.hpp 'simulation/force is not above simulation/contact'
plant src/status.cpp grbda/mechanism.hpp 'basics is below mechanism'
plant src/serial/a.cpp edit/parts.hpp 'serial is a product'
plant include/grbda/adapters/a.hpp kernels/body/joint.hpp 'a private header in a public one'
plant src/model/a.cpp ../kernels/body/joint.hpp 'a relative path'
plant src/strange/a.cpp grbda/status.hpp 'its folder has no place'
plant src/kernels/strange/a.cpp grbda/status.hpp 'its folder has no floor'

found=$(violations "$1")
for line in "${!known[@]}"; do
    grep -qxF "$line" <<< "$found" || { echo "no longer: $line"; exit 1; }
    found=$(grep -vxF "$line" <<< "$found" || true)
done
[[ -z $found ]] || { echo "$found"; exit 1; }
