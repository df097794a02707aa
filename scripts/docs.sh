#!/usr/bin/env bash
# Builds the reference of the headers and all pages as one offline site, build/docs/index.html (Doxygen). A warning is
# an error, and so is a broken link within the site.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_dependencies.sh --docs

rm -rf build/docs
input=build/docs/.input
mkdir -p "$input"
python3 docs/doxygen_input.py "$input"
{
    cat docs/Doxyfile
    echo "INPUT = $input"
    echo "STRIP_FROM_PATH = $input"
    echo "STRIP_FROM_INC_PATH = $input/include"
    echo "USE_MDFILE_AS_MAINPAGE = $input/README.md"
    echo "OUTPUT_DIRECTORY = build/docs"
} | doxygen -
rm -rf "$input"
cp -r docs/images build/docs/images

# The check itself must find planted errors.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
for page in '<a href="nowhere.html">' '<a href="#nowhere">' '<img src="nowhere.svg">' '<img src="https://example.org/a.png">'; do
    echo "$page" > "$planted/index.html"
    ! python3 docs/check_links.py "$planted" > /dev/null || { echo "not seen: $page"; exit 1; }
done
python3 docs/check_links.py build/docs
