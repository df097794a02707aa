#!/usr/bin/env bash
# Makes build/python-venv, an environment of Debian's Python with the packages of requirements/python.txt. The presets that build
# the Python package use its interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ -x build/python-venv/bin/python ]] || /usr/bin/python3 -m venv build/python-venv
build/python-venv/bin/python -m pip install --quiet --requirement requirements/python.txt
