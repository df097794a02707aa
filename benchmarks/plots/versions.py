"""version_NAME_ROUND.json of versions.sh: times of earlier versions beside this tree, from one run."""

import collections
import json
import statistics

from . import tables

METHODS = ("aba", "rnea", "crba", "aba_derivatives")


def figures(_):
    return {}


def read(folder):
    """{version: {(robot, method): nanoseconds}}, oldest first."""
    samples = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(folder.glob("version_*_*.json")):
        version = path.stem.split("_")[1]
        for entry in json.loads(path.read_text())["benchmarks"]:
            if entry.get("error_occurred") or entry.get("run_type") == "aggregate":
                continue
            parts = entry["name"].split("/")
            robot, method = parts[1:3] if parts[0] == "robots" else (parts[1], parts[0])  # METHOD/ROBOT in 0.1.0
            samples[version][robot, method].append(entry["cpu_time"])
    return {version: {key: statistics.median(values) for key, values in samples[version].items()}
            for version in sorted(samples, key=lambda name: (name == "now", name))}


def make_tables(results):
    times = read(results.folder)
    if "now" not in times:
        return {}
    earlier = [version for version in times if version != "now"]
    rows = []
    for robot in sorted({robot for version in earlier for robot, _ in times[version]}):
        cells = []
        for method in METHODS:
            now = times["now"].get((robot, method))
            for version in earlier:
                before = times[version].get((robot, method))
                cells.append(tables.ratio(before / now if before and now else None))
            cells.append(tables.nanoseconds(now))
        rows.append([robot, *cells])
    header = [f"{method} {text}" for method in METHODS for text in (*earlier, "now, ns")]
    return {"versions": tables.markdown(["robot", *header], rows)}
