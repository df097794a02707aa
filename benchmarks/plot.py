#!/usr/bin/env python3
"""Turns the results of run.sh into figures and tables.

Usage: plot.py RESULTS_DIR OUT_DIR [--page PAGE]...

Draws OUT_DIR/*.svg, writes RESULTS_DIR/tables.md and puts figures and tables in their places in each PAGE
(three pages of docs, README.md). Places of groups that were not run are unchanged.
"""

import argparse
import os
import pathlib
import sys

sys.dont_write_bytecode = True  # only results appear in the source tree
from plots import (accuracy, batch, derivatives, families, kinds, machine, mujoco, open_chains, operations,  # noqa: E402
                   overview, peers, robots, scaling, simulate, style, tables, versions)
from plots.results import Results  # noqa: E402

MODULES = (machine, overview, robots, families, open_chains, scaling, batch, accuracy, derivatives, mujoco, peers,
           simulate, operations, kinds, versions)
ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [*sorted((ROOT / "docs").glob("benchmarks*.md")), ROOT / "README.md"]
DESCRIPTIONS = {
    "headline": "Times of the engine and of the best other exact method for six robots",
    "robots": "Times of all methods on all robots",
    "chains": "Time of forward dynamics over the size of one loop in a pair of chains",
    "trees": "Time of forward dynamics over the number of branches",
    "scaling": "Time per cluster over the length of a chain",
    "batch": "States per second over width and threads",
    "accuracy": "Error of forward dynamics over conditioning",
    "mujoco": "Times of the engine and of MuJoCo",
    "operations": "Floating-point operations per second",
    "overview": "Forward dynamics, its derivatives and a step for each kind of robot, here and in other libraries",
}


def draw(results, out):
    """Writes the figures and returns their names."""
    out.mkdir(parents=True, exist_ok=True)
    names = []
    for module in MODULES:
        for name, figure in module.figures(results).items():
            style.save(figure, out / f"{name}.svg", results)
            names.append(name)
    return names


def make_tables(results):
    found = {}
    for module in MODULES:
        found.update(module.make_tables(results))
    return found


def image(name, out, page):
    path = pathlib.Path(os.path.relpath(out / f"{name}.svg", page.parent)).as_posix()
    return f'<p align="center"><img src="{path}" width="860" alt="{DESCRIPTIONS[name]}"></p>\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, action="append")
    arguments = parser.parse_args()

    results = Results(arguments.results)
    found = make_tables(results)
    (arguments.results / "tables.md").write_text("\n".join(f"## {name}\n\n{text}" for name, text in found.items()))
    drawn = draw(results, arguments.out)
    pages = arguments.page or PAGES
    tables.check_places([page.read_text() for page in pages],
                        [*(f"table:{name}" for name in found), *(f"figure:{name}" for name in drawn)])
    for page in pages:
        contents = {f"table:{name}": text for name, text in found.items()}
        contents |= {f"figure:{name}": image(name, arguments.out, page) for name in drawn}
        page.write_text(tables.splice(page.read_text(), contents))


if __name__ == "__main__":
    main()
