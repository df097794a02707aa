#!/usr/bin/env bash
# Installs the packages of build/package, by apt and with all dependencies, into a separate system that contains only
# this machine's release. Then builds programs against them and runs the tool there
# (tests/package/inside.sh). Takes a few minutes and needs the network and root.
# Usage: package_test.sh [FOLDER OF PACKAGES]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(realpath "${1:-build/package}")
compgen -G "$folder/*.deb" > /dev/null || { echo "no packages in $folder: scripts/package.sh builds them" >&2; exit 1; }
for program in mmdebstrap dpkg-scanpackages; do
    command -v "$program" > /dev/null ||
        { echo "$program is missing: apt-get install mmdebstrap dpkg-dev" >&2; exit 1; }
done
[[ $(id -u) == 0 ]] || { echo "a system of its own needs root to be set up: sudo $0" >&2; exit 1; }
release=$(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release)
sources=/etc/apt/sources.list
[[ -s $sources ]] || sources=$(grep -lE "^Suites:.*\b$release\b" /etc/apt/sources.list.d/*.sources | head -n 1)

place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT

echo "== a source for apt"
mkdir "$place/packages"
cp "$folder"/*.deb "$place/packages"
(cd "$place/packages" && dpkg-scanpackages --multiversion . > Packages 2> /dev/null)
chmod -R a+rX "$place"
packages=(libgrbda-dev grbda-tools)
! compgen -G "$folder/python3-grbda_*.deb" > /dev/null || packages+=(python3-grbda)

echo "== $release with ${packages[*]}"
tools=g++,cmake,make,pkg-config,binutils
mmdebstrap --quiet --variant=apt --include="$tools,$(IFS=,; echo "${packages[*]}")" "$release" "$place/root" \
    "$sources" "deb [trusted=yes] copy:$place/packages ./"

echo "== inside"
mkdir "$place/root/try"
cp -r examples/consumer tests/package tests/install/components "$place/root/try"
mount -t proc proc "$place/root/proc"  # for the compiler and programs that read the processor's properties
trap 'umount "$place/root/proc"; rm -rf --one-file-system "$place"' EXIT
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    chroot "$place/root" /bin/bash /try/package/inside.sh
