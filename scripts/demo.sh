#!/usr/bin/env bash
# Installs missing packages, builds, shows the MIT humanoid, and compares the engine with the baselines on it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_dependencies.sh
scripts/build.sh release --preset release -- grbda_demo

robot=robots/mit_humanoid/mit_humanoid.urdf
echo
echo "\$ grbda_demo $robot"
build/release/examples/grbda_demo "$robot"
