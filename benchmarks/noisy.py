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
        print("^(" + "|".join(re.escape(name) for name in sorted(names)) + ")(/|$)")


if __name__ == "__main__":
    main()
