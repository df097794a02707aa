#!/usr/bin/env bash
# Builds the reference of the headers and all pages as one offline site, build/docs/index.html (Doxygen), with search in the text of
# all pages and formulas set by KaTeX (npm). A warning is an error, and so is a broken link within the site. The gallery of robots is that of `scripts/view.sh --gallery`, and the reference
# of Python comes from the newest built package. Without one of them, its page says how to build it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_dependencies.sh --docs

rm -rf build/docs
input=build/docs/.input
mkdir -p "$input"
python=build/python-venv/bin/python
[[ -x $python ]] || python=python3
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
# the build's copy of a wheel's module has no libraries beside it
module=$(find build -name "_grbda$suffix" -not -path '*/pip-*/python/*' -printf '%T@ %p\n' | sort -rn | sed -n '1s/^[^ ]* //p')
if [[ -z $module ]] || ! "$python" -B python/generators/reference.py "$module" > "$input/reference"; then
    cat > "$input/reference" <<'END'
# Python reference

This site was built without the Python package. These commands add its reference:

    pip install .
    scripts/docs.sh

`help(grbda.NAME)` shows the same text.
END
fi
python3 docs/doxygen_input.py "$input" "$input/reference"
doxygen -w html "$input/header.html" "$input/footer.html" "$input/doxygen.css" > /dev/null
sed -i 's|</head>|<link href="$relpath^katex/katex.min.css" rel="stylesheet"/><script defer src="$relpath^site.js"></script>\n&|' \
    "$input/header.html"
{
    cat docs/Doxyfile
    echo "INPUT = $input"
    echo "STRIP_FROM_PATH = $input"
    echo "STRIP_FROM_INC_PATH = $input/include"
    echo "USE_MDFILE_AS_MAINPAGE = $input/README.md"
    echo "OUTPUT_DIRECTORY = build/docs"
    echo "LAYOUT_FILE = $input/layout.xml"
    echo "HTML_HEADER = $input/header.html"
} | doxygen -
rm -rf "$input"
cp -r docs/images build/docs/images
mkdir -p build/docs-npm
cp docs/site/package.json docs/site/package-lock.json build/docs-npm
(cd build/docs-npm && npm ci --silent --no-audit --no-fund)
node docs/site/formulas.mjs build/docs build/docs-npm/node_modules
python3 docs/site/search_sections.py build/docs
if [[ -e build/view/gallery/index.html ]]; then
    cp -r build/view/gallery build/docs/gallery
else
    mkdir build/docs/gallery
    cat > build/docs/gallery/index.html <<'END'
<!doctype html><html lang="en"><meta charset="utf-8"><title>Robots of grbda</title>
<h1>Robots of grbda</h1><p>This site was built without the gallery. These commands add it:</p>
<pre>scripts/view.sh --gallery
scripts/docs.sh</pre><p><a href="../index.html">Back</a></p></html>
END
fi

# The check itself must find planted errors.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
for page in '<a href="nowhere.html">' '<a href="#nowhere">' '<img src="nowhere.svg">' '<img src="https://example.org/a.png">'; do
    echo "$page" > "$planted/index.html"
    ! python3 docs/check_links.py "$planted" > /dev/null || { echo "not seen: $page"; exit 1; }
done
echo > "$planted/index.html"
echo 'var menudata={children:[{text:"Nowhere",url:"nowhere.html"}]}' > "$planted/menudata.js"
! python3 docs/check_links.py "$planted" > /dev/null || { echo "not seen: a broken link in the menu"; exit 1; }
python3 docs/check_links.py build/docs
