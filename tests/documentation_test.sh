#!/usr/bin/env bash
# README shows the example as it is built, and every relative link in the documentation leads somewhere.
# Usage: documentation_test.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"

# The first ```cpp block of a document.
code_of() { sed -n '/^```cpp$/,/^```$/{/^```/!p}' "$1"; }

# Prints each link of a document that leads nowhere; anchors and web addresses are left out.
dead_links() {
    local link
    while read -r link; do
        [[ -e "$(dirname "$1")/${link%%#*}" ]] || echo "$1: no $link"
    done < <(grep -oE '(\]\(|src=")[^)"# ]+' "$1" | sed -E 's/^(\]\(|src=")//' | grep -vE '^(https?|mailto):')
}

# The checks themselves must see what they look for.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
printf '[a](nowhere.md) [b](.) [c](https://example.org)\n```cpp\nint x;\n```\n' > "$planted/page.md"
[[ $(dead_links "$planted/page.md") == "$planted/page.md: no nowhere.md" ]] || { echo "dead link not seen"; exit 1; }
[[ $(code_of "$planted/page.md") == "int x;" ]] || { echo "code not seen"; exit 1; }

code_of README.md > "$planted/shown.cpp"
diff "$planted/shown.cpp" examples/readme_snippet.cpp ||
    { echo "README.md does not show examples/readme_snippet.cpp"; exit 1; }

pages=0
dead=""
for page in README.md CHANGELOG.md docs/*.md benchmarks/*.md robots/*.md robots/*/*.md; do
    dead+=$(dead_links "$page")
    pages=$((pages + 1))
done
[[ -z $dead ]] || { echo "$dead"; exit 1; }
echo "$pages pages"
