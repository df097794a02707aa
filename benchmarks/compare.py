#!/usr/bin/env python3
"""Compares two runs of benchmarks/run.sh: prints the ratio of times, new / old, of each benchmark in both, with its
spread, and exits 1 if something got slower by more than its spread."""

import argparse
import math
import statistics
import sys

from plots.results import Results, noise

LEAST_NOISE = 0.02  # where code lies in memory alone changes times by this much


class Change:
    def __init__(self, name, compiler, old, new):
        self.name, self.compiler = name, compiler
        self.old, self.new = statistics.median(old), statistics.median(new)
        self.ratio = self.new / self.old
        self.spread = max(LEAST_NOISE, math.hypot(noise(old), noise(new)))

    def is_slower(self):
        return self.ratio > 1 + self.spread

    def is_faster(self):
        return self.ratio < 1 / (1 + self.spread)

    def line(self):
        verdict = "slower" if self.is_slower() else "faster" if self.is_faster() else ""
        spread = "  ?  " if math.isinf(self.spread) else f"{100 * self.spread:4.1f}%"
        return (f"{self.name:48} {self.compiler:6} {self.old:12.1f} {self.new:12.1f} {self.ratio:7.3f} ± {spread} "
                f"{verdict}").rstrip()


def changes(old, new):
    for compiler in old.compilers:
        if compiler not in new.compilers:
            continue
        for name in sorted(old.samples(compiler).keys() & new.samples(compiler).keys()):
            yield Change(name, compiler, old.samples(compiler)[name]["time"], new.samples(compiler)[name]["time"])


def describe(which, results):
    machine = results.machine
    return f"{which}: commit {machine['commit']}, {machine['date']}, {machine['cpu']}, load before {machine['load_before']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", help="folder that run.sh filled")
    parser.add_argument("new", help="another one")
    parser.add_argument("--filter", default="", help="only benchmarks whose name contains this")
    parser.add_argument("--all", action="store_true", help="print unchanged benchmarks too")
    arguments = parser.parse_args()
    old, new = Results(arguments.old), Results(arguments.new)
    print(describe("old", old), describe("new", new), sep="\n")
    if old.machine["cpu"] != new.machine["cpu"]:
        print("The processors differ: ratios say nothing about the code.")
    found = [change for change in changes(old, new) if arguments.filter in change.name]
    if not found:
        sys.exit("No benchmark is in both runs.")
    print(f"{'benchmark':48} {'':6} {'old, ns':>12} {'new, ns':>12}   ratio, spread")
    for change in sorted(found, key=lambda one: -one.ratio):
        if arguments.all or change.is_slower() or change.is_faster():
            print(change.line())
    slower = sum(change.is_slower() for change in found)
    mean = math.exp(statistics.fmean(math.log(change.ratio) for change in found))
    print(f"{len(found)} benchmarks: {slower} slower, {sum(change.is_faster() for change in found)} faster, "
          f"geometric mean of ratios {mean:.3f}")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
