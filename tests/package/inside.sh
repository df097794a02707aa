#!/usr/bin/env bash
# Run by scripts/package_test.sh in a system that has nothing of grbda but its packages; /try holds the sources.
set -euo pipefail
cd /try

version=$(dpkg-query -W -f '${Version}' libgrbda-dev)
robots=/usr/share/grbda/robots

fail() {
    echo "FAILED: $1" >&2
    exit 1
}

echo "-- files: copyright, names of shared libraries, no instructions that not every machine of the architecture has"
for package in $(dpkg-query -W -f '${Package}\n' | grep grbda); do
    grep -q '^License: Expat$' "/usr/share/doc/$package/copyright" || fail "no copyright of $package"
    [[ $(dpkg-query -W -f '${Version}' "$package") == "$version" ]] || fail "$package is of another version"
done
for library in core constraints collision design derivatives urdf solids mjcf sdf side_files write io batch dense_baselines baselines generate simulation viewer c; do
    file=$(ldconfig -p | sed -n "s/^\tlibgrbda_$library\.so\.${version%.*} .* => //p")
    [[ -f $file ]] || fail "the linker does not know libgrbda_$library.so.${version%.*}"
    objdump -p "$file" | grep -q "SONAME *libgrbda_$library\.so\.${version%.*}$" || fail "$file has another SONAME"
    [[ $library == batch || $(objdump -d "$file" | grep -c '%[yz]mm') == 0 ]] || fail "$file has AVX"
done

echo "-- the tool"
[[ $(grbda --version | head -n 1) == "grbda $version" ]] || fail "--version: $(grbda --version)"
grbda --version
for set in avx2 avx512; do  # engines are taken by what the machine has
    flag=$set
    [[ $set != avx512 ]] || flag=avx512vl
    [[ $(grep -cwm 1 "$flag" /proc/cpuinfo) == $(grbda --version | grep -cw "^batch engines.* $set") ]] || fail "engine $set"
done
grbda info -q "$robots/four_bar/four_bar.urdf" | grep -q '^four_bar$' || fail "grbda info"
echo '{"states": [{"q": {"crank_joint": 0.5}, "yd": {"crank_joint": 2}}]}' > states.json
grbda compute -q "$robots/slider_crank/slider_crank.urdf" --states states.json | grep -q '"status": "ok"' || fail "grbda compute"

echo "-- completion"
bash -n /usr/share/bash-completion/completions/grbda
bash -c '. /usr/share/bash-completion/completions/grbda
    COMP_WORDS=(grbda con) COMP_CWORD=1
    _grbda
    [[ ${COMPREPLY[*]} == convert ]]' || fail "con does not become convert in bash"

echo "-- find_package"
for program in consumer components; do
    cmake -S "$program" -B "build/$program" -D CMAKE_BUILD_TYPE=Debug > /dev/null
    cmake --build "build/$program" > /dev/null
    "build/$program/$program"
done

echo "-- pkg-config"
read -ra flags < <(pkg-config --cflags --libs grbda)
g++ -std=c++20 components/main.cpp -DROBOT="\"$(pkg-config --variable=robotsdir grbda)/slider_crank/slider_crank.urdf\"" \
    "${flags[@]}" -o by_hand
./by_hand

if dpkg-query -W python3-grbda > /dev/null 2>&1; then
    echo "-- Python"
    python3 -c 'import grbda, sys; model = grbda.load(sys.argv[1]); print(model.nv)' "$robots/four_bar/four_bar.urdf"
fi
echo "the packages of grbda $version work"
