#!/usr/bin/env bash
# Every public header compiles alone, without warnings, and exports each function that it declares and does not define.
# Usage: headers_test.sh COMPILER INCLUDE_DIRECTORY EIGEN_INCLUDE_DIRECTORY
set -euo pipefail

compile_alone() {  # compiler, include directory, Eigen, header
    printf '#include "%s"\n' "$4" |
        "$1" -std=c++20 -fsyntax-only -Wall -Wextra -Wshadow -Wconversion -Werror -I"$2" -isystem "$3" -x c++ - ||
        { echo "$4 does not compile alone"; return 1; }
}
export -f compile_alone

cd "$2"
headers=$(find grbda -name '*.hpp' | sort)
[[ -n $headers ]] || { echo "no headers in $2"; exit 1; }
xargs -P "$(nproc)" -I{} bash -c 'compile_alone "$@"' alone "$1" "$2" "$3" {} <<< "$headers"

# Declarations without GRBDA_EXPORT, which a program could not link to where the libraries are shared.
unexported() {
    awk '
        /^[[A-Za-z_]/ { statement = ""; open = 1 }
        /^(template|extern template|using|typedef|struct|class|enum|union|inline|constexpr|static_assert|namespace|public:|private:)/ { open = 0 }
        open { statement = statement $0 }
        open && /[{}] *$/ { open = 0 }
        open && /; *(\/\/.*)?$/ {
            if (statement ~ /\(/ && statement !~ /GRBDA_EXPORT/) print FILENAME ": not exported: " statement
            open = 0
        }' "$@"
}
[[ -n $(printf 'Model load(const A& a,\n           B b = {});\n' | unexported) ]] ||
    { echo "not seen: a function that is not exported"; exit 1; }
mapfile -t files <<< "$headers"
found=$(unexported "${files[@]}")
[[ -z $found ]] || { echo "$found"; exit 1; }
