#!/usr/bin/env bash
# Builds the viewer's page: the engine as WebAssembly by emscripten, and build/view/template.html by esbuild, which `grbda view`
# fills with a robot. Installs what is missing (Debian). Usage: view.sh [--release] [--gallery] [--test] [FILE…]
#   FILE…      a robot's files: writes its page too, build/view/NAME.html after the first file's name
#   --release  links for size, which takes a minute more
#   --gallery  writes the pages of all robots that are shipped and a list with pictures, build/view/gallery/index.html
#   --test     compares the engine with that of this machine, and tries the page in Chromium
set -euo pipefail

link=-O1
gallery=false
test=false
robot=()
for option in "$@"; do
    case $option in
        --release) link=-O2 ;;
        --gallery) gallery=true ;;
        --test) test=true ;;
        -*) echo "no option $option" >&2; exit 1 ;;
        *) robot+=("$(realpath -e "$option")") ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install_dependencies.sh --view

# Sources of the packages that the distribution has compiled for this machine alone: from where those come, as signed there,
# and without a change to the system's lists.
sources=build/view/sources
if [[ ! -e $sources/complete ]]; then
    rm -rf "$sources"
    mkdir -p "$sources"/{apt/lists/partial,pugixml,yaml-cpp,json}
    apt-get indextargets --format 'deb-src $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
        grep ' main$' | sort -u > "$sources/apt/sources.list"
    private=(-o "Dir::Etc::SourceList=$PWD/$sources/apt/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$PWD/$sources/apt/lists")
    apt-get "${private[@]}" update -qq
    (cd "$sources/apt" && apt-get "${private[@]}" source -qq --download-only pugixml yaml-cpp)
    tar -C "$sources/pugixml" --strip-components 1 -xf "$sources"/apt/pugixml_*.orig.tar.*
    tar -C "$sources/yaml-cpp" --strip-components 1 -xf "$sources"/apt/yaml-cpp_*.orig.tar.*
    ln -s /usr/include/nlohmann "$sources/json/nlohmann"
    rm -rf "$sources/apt"
    touch "$sources/complete"
fi

export NODE_PATH=/usr/share/nodejs CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=$PWD
! command -v ccache > /dev/null || export EM_COMPILER_WRAPPER=ccache
toolchain=$(find /usr/share/emscripten -name Emscripten.cmake | head -1)
echo "== build/view/engine: configure"
cmake -S . -B build/view/engine -G Ninja --log-level=WARNING -D CMAKE_TOOLCHAIN_FILE="$toolchain" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_UNITY_BUILD=ON -D Eigen3_DIR=/usr/share/eigen3/cmake -D GRBDA_VIEW_SOURCES="$PWD/$sources" -D GRBDA_VIEW_LINK=$link \
    -Wno-dev > /dev/null
echo "== build/view/engine: build"
started=$SECONDS
cmake --build build/view/engine --parallel "$(nproc)" --target grbda_engine
echo "== build/view/engine: built in $((SECONDS - started)) s"

echo "== build/view/template.html"
mkdir -p build/view/npm
cp view/package.json view/package-lock.json build/view/npm
(cd build/view/npm && npm ci --silent --no-audit --no-fund)
node view/build.mjs build/view
if [[ ${#robot[@]} -gt 0 ]]; then
    name=$(basename "${robot[0]%.*}")
    node view/fill.mjs build/view/template.html "build/view/$name.html" "${robot[@]}"
    echo "== build/view/$name.html"
fi
! $gallery || node view/gallery.mjs
if $test; then
    scripts/view_test.sh
fi
