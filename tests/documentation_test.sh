#!/usr/bin/env bash
# README shows the example as it is built, every relative link in the documentation leads somewhere, every name and file
# in a code span exists, and each code of a finding has its line in docs/diagnostics.md.
# Usage: documentation_test.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
export LC_ALL=C  # one order for sort and comm

# The first ```cpp block of a document.
code_of() { sed -n '/^```cpp$/,/^```$/{/^```/!p}' "$1"; }

# Prints each link of a document that leads nowhere; anchors, web addresses and code are left out.
dead_links() {
    local link
    while read -r link; do
        [[ -e "$(dirname "$1")/${link%%#*}" ]] || echo "$1: no $link"
    done < <(sed '/^```/,/^```$/d' "$1" | grep -oE '(\]\(|src=")[^)"# ]+' | sed -E 's/^(\]\(|src=")//' | grep -vE '^(https?|mailto):')
}

# Code spans of a document. Blocks of code are left out: most are input and output of programs.
spans_of() { sed '/^```/,/^```$/d' "$1" | grep -oE '`[^`]+`' | tr -d '`'; }

# Words of spans that must be in the code: spans of one word, and what is in snake_case or CamelCase in others.
# NAME and FORMAT stand for what the reader writes.
names_of() {
    {
        spans_of "$1" | sed -nE 's/^(grbda::)?([A-Za-z_][A-Za-z0-9_]{2,})(\(\))?$/\2/p'
        spans_of "$1" | grep -v '[*/]' | grep -oE '[A-Za-z0-9_]+' | grep -E '[a-z]_[a-z]|[a-z][A-Z]'
    } | grep -vE "NAME|FORMAT|$not_ours" | sort -u
}
not_ours='^mj(Data|_forward)$'  # MuJoCo's

# Files and folders, also by the last part of their path.
files_of() {
    spans_of "$1" | grep -oE '[A-Za-z0-9_.*/-]+\.(hpp|cpp|sh|cmake|py)\b|\b(include|src|tests|tools)/[A-Za-z0-9_.*/-]+' |
        grep -vE 'NAME|FORMAT' | sort -u
}

# Prints each name of a document that is no word in the list $2, and each file that is not in the list $3.
unknown_names() {
    local file
    names_of "$1" | comm -23 - "$2" | sed "s|^|$1: no |"
    while read -r file; do
        file=${file%/}
        grep -qE "(^|/)${file//\*/[^/]*}(/|$)" "$3" || echo "$1: no $file"
    done < <(files_of "$1")
}

# Codes of findings: as C++ prints them, and as a page explains them, each in two cells that say something.
codes_in_source() { sed -nE 's/^ +case Code::[a-z_]+: return "([a-z-]+)";.*/\1/p' "$1"; }
codes_of() { sed -nE 's/^\| `([a-z-]+)` \| [^|]+ \| [^|]+ \|$/\1/p' "$1"; }

# The checks themselves must see what they look for.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
printf '[a](nowhere.md) [b](.) [c](https://example.org)\n```cpp\nint x;\n```\n' > "$planted/page.md"
[[ $(dead_links "$planted/page.md") == "$planted/page.md: no nowhere.md" ]] || { echo "dead link not seen"; exit 1; }
[[ $(code_of "$planted/page.md") == "int x;" ]] || { echo "code not seen"; exit 1; }
printf '%s\n' known known_word > "$planted/words"
echo src/compile/build.cpp > "$planted/files"
printf '%s\n' '`known` `grbda::known_word` `build.cpp` `src/*` `apply_FORMAT`' > "$planted/page.md"
[[ -z $(unknown_names "$planted/page.md" "$planted/words" "$planted/files") ]] || { echo "known names refused"; exit 1; }
for name in strange strange_word 'known of StrangeType' 'strange_word()' grbda::strange_word \
    model/strange.cpp src/strange build.hpp 'src/*.hpp'; do
    echo "a \`$name\`" > "$planted/page.md"
    [[ $(unknown_names "$planted/page.md" "$planted/words" "$planted/files") == "$planted/page.md: no "* ]] ||
        { echo "not seen: $name"; exit 1; }
done
printf '%s\n' '        case Code::bad_name: return "bad-name";' > "$planted/codes.cpp"
printf '%s\n' '| `bad-name` | A name. | Mend it. |' '| `other` | Nothing to do. |' > "$planted/page.md"
[[ $(codes_in_source "$planted/codes.cpp") == bad-name ]] || { echo "code of a finding not seen"; exit 1; }
[[ $(codes_of "$planted/page.md") == bad-name ]] || { echo "line of a code not seen"; exit 1; }

code_of README.md > "$planted/shown.cpp"
diff "$planted/shown.cpp" examples/readme_snippet.cpp ||
    { echo "README.md does not show examples/readme_snippet.cpp"; exit 1; }

# Words of the code, comments left out, and all files.
find . -type d '(' -name .git -o -name 'build*' ')' -prune -o -type f -print | sed 's|^\./||' > "$planted/files"
grep -E '^(include|src|tests|tools|python|benchmarks|examples|scripts|cmake)/.*\.(hpp|cpp|sh|cmake|py|txt)$|^CMakeLists' \
    "$planted/files" | xargs cat | sed -E 's,(^|[^:])//.*,\1,' | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u > "$planted/words"
unknown=$(for page in README.md CONTRIBUTING.md docs/*.md; do unknown_names "$page" "$planted/words" "$planted/files"; done)
[[ -z $unknown ]] || { echo "$unknown"; exit 1; }

diff <(codes_in_source src/diagnostics.cpp) <(codes_of docs/diagnostics.md) ||
    { echo "codes in src/diagnostics.cpp (<) and in docs/diagnostics.md (>) differ"; exit 1; }

pages=0
dead=""
for page in README.md CHANGELOG.md CONTRIBUTING.md docs/*.md benchmarks/*.md robots/*.md robots/*/*.md; do
    dead+=$(dead_links "$page")
    pages=$((pages + 1))
done
[[ -z $dead ]] || { echo "$dead"; exit 1; }
echo "$pages pages"
