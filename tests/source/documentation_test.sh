#!/usr/bin/env bash
# README and the pages for those from elsewhere show examples as they are built, every relative link in the documentation
# leads somewhere, every name and file in a code span exists, and each code of a finding has its line in
# docs/diagnostics.md.
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

# Code spans of a document. Blocks of code are left out: most are input and output of programs; and so is what says that
# it is of another library.
spans_of() { sed '/^```/,/^```$/d' "$1" | grep -oE '`[^`]+`' | tr -d '`' | grep -vE "$others"; }
others='^(pinocchio[:.]|mujoco[.]|pydrake$|drake::|MultibodyPlant::|mj[A-Z]|mjd?_|ClusterTreeModel::|ReflectedInertiaTreeModel$|RigidBodyDynamics::|ori::)'

# Prints each ```cpp block of the document $1 that the files $2… do not hold as it stands.
foreign_blocks() {
    local line block="" inside=0 source
    source=$(cat "${@:2}")
    while IFS= read -r line; do
        if [[ $line == '```cpp' ]]; then
            inside=1 block=""
        elif [[ $line == '```' && $inside == 1 ]]; then
            inside=0
            [[ $source == *"${block%$'\n'}"* ]] || echo "$1: not compiled: ${block%%$'\n'*}"
        elif [[ $inside == 1 ]]; then
            block+=$line$'\n'
        fi
    done < "$1"
}

# Words of spans that must be in the code: spans of one word, and what is in snake_case or CamelCase in others.
# NAME and FORMAT are placeholders for the reader's own words.
names_of() {
    {
        spans_of "$1" | sed -nE 's/^(grbda::)?([A-Za-z_][A-Za-z0-9_]{2,})(\(\))?$/\2/p'
        spans_of "$1" | grep -v '[*/]' | grep -oE '[A-Za-z0-9_]+' | grep -E '[a-z]_[a-z]|[a-z][A-Z]'
    } | grep -vE "NAME|FORMAT" | sort -u
}

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

printf '%s\n' 'int x;' 'int y;' > "$planted/compiled.cpp"
printf '%s\n' '```cpp' 'int x;' 'int y;' '```' '```cpp' 'int y;' 'int x;' '```' > "$planted/page.md"
[[ $(foreign_blocks "$planted/page.md" "$planted/compiled.cpp") == "$planted/page.md: not compiled: int y;" ]] ||
    { echo "code that is not compiled not seen"; exit 1; }

shown=""
for page in docs/from-elsewhere*.md; do
    foreign=$(foreign_blocks "$page" examples/tasks/*.cpp examples/tasks/*.hpp)
    [[ -z $foreign ]] || { echo "$foreign"; exit 1; }
    shown+=$(sed -n '/^```cpp$/,/^```$/p' "$page")
done
unshown=$(sed -n '/^namespace tasks {$/,$s/^[A-Za-z].* \([a-z_]*\)(.*/\1/p' examples/tasks/tasks.cpp |
    while read -r name; do [[ $shown == *" $name("* ]] || echo "$name"; done)
[[ -z $unshown ]] || { echo "docs/from-elsewhere-tasks.md does not show $unshown of examples/tasks/tasks.cpp"; exit 1; }

code_of README.md > "$planted/shown.cpp"
diff "$planted/shown.cpp" examples/readme_snippet.cpp ||
    { echo "README.md does not show examples/readme_snippet.cpp"; exit 1; }

[[ $(< docs/simulation.md) == *"$(< examples/crank.cpp)"* ]] ||
    { echo "docs/simulation.md does not show examples/crank.cpp"; exit 1; }

# Words of the code, comments left out, and all files.
find . -type d '(' -name .git -o -name 'build*' ')' -prune -o -type f -print | sed 's|^\./||' > "$planted/files"
grep -E '^(include|src|tests|tools|benchmarks|examples|scripts|cmake|python|view)/.*\.(hpp|cpp|[hc]|sh|cmake|py|txt|js)$|^CMakeLists' \
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
