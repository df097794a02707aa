"""Results of benchmarks/run.sh: machine.json and Google Benchmark's JSON, one or more files for each compiler."""

import json
import math
import pathlib
import statistics

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
ENGINE = ("aba", "rnea", "crba")
BASELINES = ("dense_kkt", "range_space", "constrained_aba", "projection", "proximal")


class Results:
    """Medians over all repetitions in all files. If no compiler is named, those of the faster one."""

    def __init__(self, folder):
        self.folder = folder = pathlib.Path(folder)
        self.machine = json.loads((folder / "machine.json").read_text())
        self.compilers = [name for name in self.machine["compilers"] if sorted(folder.glob(f"{name}_*.json"))]
        self._samples = {name: {} for name in self.compilers}
        for compiler in self.compilers:
            for path in sorted(folder.glob(f"{compiler}_*.json")):
                self._read(compiler, json.loads(path.read_text()))

    def _read(self, compiler, document):
        for entry in document["benchmarks"]:
            if entry.get("error_occurred") or entry.get("run_type") == "aggregate":
                continue
            samples = self._samples[compiler].setdefault(plain_name(entry["name"]), {})
            unit = NANOSECONDS[entry["time_unit"]]
            clock = "real_time" if "/real_time" in entry["name"] else "cpu_time"
            samples.setdefault("time", []).append(entry[clock] * unit)
            for key, value in entry.items():
                if key not in COMMON_KEYS and isinstance(value, (int, float)):
                    samples.setdefault(key, []).append(value)

    def names(self, prefix):
        """All benchmarks with a prefix, sorted, because repetitions of different ones are interleaved in the files."""
        found = {name for samples in self._samples.values() for name in samples if name.startswith(prefix + "/")}
        return sorted(found)

    def samples(self, compiler):
        """{name: {"time": nanoseconds of each repetition, counter: values}}"""
        return self._samples[compiler]

    def median(self, compiler, name, key="time"):
        values = self._samples[compiler].get(name, {}).get(key)
        return statistics.median(values) if values else None

    def time(self, name, compiler=None):
        """Nanoseconds, or None if the benchmark was not run or is not defined."""
        return self._best(name, "time", compiler, min)

    def counter(self, name, key, compiler=None):
        """The counter of the compiler with the smaller time."""
        if compiler:
            return self.median(compiler, name, key)
        times = [(self.median(each, name), each) for each in self.compilers if self.median(each, name)]
        return self.median(min(times)[1], name, key) if times else None

    def rate(self, name, key, compiler=None):
        """A counter for which larger is better."""
        return self._best(name, key, compiler, max)

    def best_baseline(self, prefix, compiler=None):
        """(nanoseconds, method) of the fastest baseline below prefix, or None."""
        times = [(self.time(f"{prefix}/{method}", compiler), method) for method in BASELINES]
        return min((pair for pair in times if pair[0] is not None), default=None)

    def _best(self, name, key, compiler, better):
        values = [self.median(each, name, key) for each in ([compiler] if compiler else self.compilers)]
        return better((value for value in values if value is not None), default=None)


COMMON_KEYS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
               "iterations", "real_time", "cpu_time", "error_occurred"}


def noise(samples):
    """Relative half width of the interval that holds the median with 95 % probability (order statistics)."""
    values, n = sorted(samples), len(samples)
    if n < 3:
        return math.inf
    off = 0.98 * math.sqrt(n)
    low, high = values[max(0, math.floor(n / 2 - off))], values[min(n - 1, math.ceil(n / 2 + off) - 1)]
    return (high - low) / 2 / statistics.median(values)


def plain_name(name):
    """The name without the suffixes of Google Benchmark."""
    parts = name.split("/")
    return "/".join(part for part in parts if part != "real_time" and not part.startswith(("min_time:", "repeats:")))


def parts(name):
    """The parts of a name: a list of parts without a value, a dictionary of parts with a value."""
    plain, valued = [], {}
    for part in name.split("/"):
        key, colon, value = part.partition(":")
        if colon:
            valued[key] = value
        else:
            plain.append(part)
    return plain, valued


def unique(values):
    return list(dict.fromkeys(values))
