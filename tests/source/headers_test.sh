#!/usr/bin/env bash
# Every public header compiles with Eigen alone, which is read once for all, without warnings, and exports each function that it declares and does not define.
# Adapters for other libraries include these and are left out.
# Usage: headers_test.sh COMPILER INCLUDE_DIRECTORY EIGEN_INCLUDE_DIRECTORY
set -euo pipefail

warnings=(-Wall -Wextra -Wshadow -Wconversion -Werror)
eigen=$(mktemp -d)
trap 'rm -rf "$eigen"' EXIT
echo '#include <Eigen/Dense>' > "$eigen/eigen.hpp"
"$1" -std=c++20 "${warnings[@]}" -isystem "$3" -x c++-header "$eigen/eigen.hpp" -o "$eigen/eigen.pch"

compile_alone() {  # header, compiler and its options
    printf '#include "%s"\n' "$1" | "${@:2}" -fsyntax-only -x c++ - || { echo "$1 does not compile alone"; return 1; }
}
export -f compile_alone

cd "$2"
headers=$(find grbda -name '*.hpp' ! -path 'grbda/adapters/crocoddyl*.hpp' ! -path grbda/adapters/aligator.hpp | sort)
[[ -n $headers ]] || { echo "no headers in $2"; exit 1; }
xargs -P "$(nproc)" -I{} bash -c 'compile_alone "$@"' alone {} \
    "$1" -std=c++20 "${warnings[@]}" -include-pch "$eigen/eigen.pch" -I"$2" -isystem "$3" <<< "$headers"

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
