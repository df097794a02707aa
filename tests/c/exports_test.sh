#!/usr/bin/env bash
# The shared library of the C interface exports the functions that its header declares and nothing else.
# Usage: exports_test.sh NM LIBRARY HEADER
set -euo pipefail
exported=$("$1" -D --defined-only "$2" | awk '{ print $NF }' | sort)
declared=$(sed 's,//.*,,' "$3" | grep -oE '\bgrbda_[a-z_]+\(' | tr -d '(' | sort)
[[ -n $declared ]] || { echo "no functions in $3"; exit 1; }
diff <(echo "$declared") <(echo "$exported") || { echo "declared (<) and exported (>) differ"; exit 1; }
echo "$(wc -l <<< "$declared") functions"
