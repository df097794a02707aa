"""Tells where the parts for C++ are: `python -m grbda --prefix`.

    cmake -D CMAKE_PREFIX_PATH=$(python -m grbda --prefix) …    # find_package(grbda)
    export PKG_CONFIG_PATH=$(python -m grbda --pkg-config-dir)  # pkg-config --cflags --libs grbda
"""

import argparse
from pathlib import Path

from . import __version__

prefix = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m grbda", description="Tells where the parts of the package for C++ are.", epilog="Eigen for C++: pip install grbda[cpp]"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    for option, folder, text in (
        ("--prefix", ".", "prints the folder for CMAKE_PREFIX_PATH"),
        ("--cmake-dir", "lib/cmake/grbda", "prints the folder for grbda_DIR"),
        ("--pkg-config-dir", "lib/pkgconfig", "prints the folders for PKG_CONFIG_PATH"),
        ("--robots", "share/grbda/robots", "prints the folder of the robots"),
    ):
        which.add_argument(option, action="store_const", dest="folder", const=folder, help=text)
    which.add_argument("--version", action="version", version=__version__)
    option = parser.parse_args().folder
    folder = prefix / option
    if not (folder / ("lib/cmake/grbda" if folder == prefix else ".")).is_dir():
        raise SystemExit(f"{folder}: this copy of the package has no C++ part; one that pip has installed has it")
    eigen = prefix.parent / "cmeel.prefix/share/pkgconfig"  # of the extra cpp
    print(f"{folder}:{eigen}" if option == "lib/pkgconfig" and eigen.is_dir() else folder)


if __name__ == "__main__":
    main()
