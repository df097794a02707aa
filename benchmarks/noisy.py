#!/usr/bin/env python3
"""Prints a filter for the benchmarks of a group whose times spread too much, for run.sh; nothing if none does."""

import re
import sys

from plots.results import Results, noise

MOST = 0.03  # of the median


def main():
    folder, group, compiler = sys.argv[1:]
    samples = Results(folder).samples(compiler)
    names = [name for name in samples if name.startswith(group + "/") and noise(samples[name]["time"]) > MOST]
    if names:
        # "\\-", as re.escape() has it, is no regular expression of Google Benchmark
        literal = [re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", name) for name in sorted(names)]
        print("^(" + "|".join(literal) + ")(/|$)")


if __name__ == "__main__":
    main()
