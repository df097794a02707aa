#!/usr/bin/env bash
# Every public header compiles alone, without warnings.
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
