#!/usr/bin/env bash
# Installs the missing packages that building and testing need (Debian, Ubuntu).
# Usage: install_dependencies.sh [--clang] [--lint] [--readers] [--python] [--docs] [--packages] [--view]
#        [--solvers] [--peers] [--torch]
# --view: for scripts/view.sh, which also needs npm
# --solvers: Ipopt, with which a test solves a problem by generated code
# --readers: MuJoCo and urdfdom, with which two tests read written files
# --torch: PyTorch, with which the tests of grbda.torch run
# --peers: libraries that the benchmarks measure beside this one
set -euo pipefail

packages=(g++ cmake ninja-build ccache pkg-config libeigen3-dev libpugixml-dev libqhull-dev libtbb-dev libyaml-cpp-dev catch2
          libcli11-dev nlohmann-json3-dev libcpp-httplib-dev libbenchmark-dev)
for option in "$@"; do
    case $option in
        --clang) packages+=(clang libclang-rt-14-dev) ;;
        --lint) packages+=(clang clang-format clang-tidy shellcheck) ;;
        --readers) packages+=(libmujoco-dev liburdfdom-dev) ;;
        --python) packages+=(python3-dev python3-pip python3-venv) ;;  # and by pip requirements/python.txt
        --peers) packages+=(libbullet-dev libdart-dev libmujoco-dev liborocos-kdl-dev libsimbody-dev) ;;
        --torch) packages+=(python3-torch python3-numpy python3-pytest) ;;
        --solvers) packages+=(coinor-libipopt-dev libblas-dev liblapack-dev) ;;  # its pkg-config file names BLAS and LAPACK
        --docs) packages+=(doxygen python3)
            command -v npm > /dev/null || packages+=(npm) ;;
        --view) packages+=(emscripten chromium)
            command -v npm > /dev/null || packages+=(npm) ;;
        --packages) packages+=(dpkg-dev mmdebstrap) ;;
        *) echo "no option $option" >&2; exit 1 ;;
    esac
done

if ! command -v dpkg-query > /dev/null; then
    echo "Not a Debian system; it needs what these packages hold: ${packages[*]}"
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2> /dev/null || true)
    [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

echo "Installing ${missing[*]}"
as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo)
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
