#!/usr/bin/env bash
# Tests a wheel in new environments: the package, the tool and the page where no compiler is found, and a C++ program that finds
# the libraries in it. Usage: wheel_test.sh PYTHON WHEEL
set -euo pipefail
python=$1
wheel=$(realpath "$2")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CMAKE_PREFIX_PATH CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH PYTHONPATH

echo "== The package, without a compiler"
"$python" -m venv user
user/bin/pip install --quiet --disable-pip-version-check "$wheel"
alone() { env -i HOME="$work" PATH="$work/user/bin" "$@"; }
for program in cc c++ g++ gcc clang cmake; do
    ! alone /bin/sh -c 'command -v "$1"' sh "$program" || { echo "there is a compiler: $program"; exit 1; }
done
robots=$(alone python -m grbda --robots)
cat > try.py << 'PYTHON'
import sys
import time

import numpy as np

start = time.perf_counter()
import grbda

print(f"import grbda, after numpy: {1000 * (time.perf_counter() - start):.0f} ms")
model = grbda.load(f"{sys.argv[1]}/digit_leg/digit_leg.urdf", f"{sys.argv[1]}/digit_leg/digit_leg.yaml")
data = grbda.Data(model)
q, yd, tau = grbda.neutral_configuration(model), np.zeros(model.nv), np.ones(model.nv)
ydd = grbda.aba(model, data, q, yd, tau)
assert np.allclose(grbda.rnea(model, data, q, yd, ydd), tau)
grbda.view(model, output="leg.html", open=False)
assert len(open("leg.html").read()) > 100000
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libgrbda_core" in line}
print("loaded:", *libraries)
PYTHON
alone python try.py "$robots"
package=$(alone python -m grbda --prefix)
[[ -s $package/_grbda.pyi ]] || { echo "the wheel has no _grbda.pyi"; exit 1; }
if [[ -d $package/lib/glibc-hwcaps ]]; then  # again as on a machine that has no more than x86-64
    [[ $(objdump -d "$package/lib/libgrbda_core.so" | grep -c '%[yz]mm') == 0 ]] || { echo "the baseline has AVX"; exit 1; }
    mv "$package/lib/glibc-hwcaps" hwcaps
    alone python try.py "$robots"
    mv hwcaps "$package/lib/glibc-hwcaps"
fi
alone grbda --version
alone grbda info "$robots/four_bar/four_bar.urdf" > info.txt
grep -q "1 degree of freedom" info.txt || { cat info.txt; exit 1; }
alone grbda view "$robots/four_bar/four_bar.urdf" -o four_bar.html

echo "== A C++ program"
"$python" -m venv cpp
cpp/bin/pip install --quiet --disable-pip-version-check "${wheel}[cpp]"
prefix=$(cpp/bin/python -m grbda --prefix)
cmake -S "$source/examples/consumer" -B consumer -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH="$prefix" \
    -D CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF > cmake.txt || { cat cmake.txt; exit 1; }
cmake --build consumer --parallel 2 > build.txt || { cat build.txt; exit 1; }
./consumer/consumer
eigen=$(sed -n 's/^Eigen3_DIR:PATH=//p' consumer/CMakeCache.txt)
[[ $eigen == *cmeel.prefix* ]] || { echo "Eigen of the system: $eigen"; exit 1; }
PKG_CONFIG_PATH=$(cpp/bin/python -m grbda --pkg-config-dir)
export PKG_CONFIG_PATH
read -ra flags <<< "$(pkg-config --cflags --libs grbda-urdf)"
c++ -std=c++20 "$source/tests/install/urdf/main.cpp" -o by_hand "${flags[@]}" -Wl,-rpath,"$prefix/lib"
./by_hand "$robots/four_bar/four_bar.urdf"
echo "== $(basename "$wheel"): passed"
