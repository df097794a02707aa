#!/usr/bin/env bash
# Builds Debian packages for any machine of this architecture, in build/package: libgrbda0.2, libgrbda-dev, grbda-tools,
# and python3-grbda with GRBDA_BUILD_PYTHON. scripts/package_test.sh tests them.
# Usage: package.sh [cmake options], such as -D GRBDA_BUILD_PYTHON=ON -D Python_EXECUTABLE=$PWD/build/python-venv/bin/python
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_dependencies.sh
command -v dpkg-shlibdeps > /dev/null || { echo "packages need dpkg-shlibdeps: apt-get install dpkg-dev" >&2; exit 1; }
scripts/build.sh package --preset package "$@"

echo "== build/package: packages"
rm -f build/package/*.deb
cpack -G DEB --config build/package/CPackConfig.cmake -B build/package > build/package/cpack.log ||
    { cat build/package/cpack.log >&2; exit 1; }
for package in build/package/*.deb; do
    echo "$package"
    dpkg-deb --field "$package" Package Version Depends Installed-Size
done
