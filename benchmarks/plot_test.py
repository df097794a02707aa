#!/usr/bin/env python3
"""Tests plot.py and compare.py on known results: medians, the faster compiler, undefined methods, other libraries, the
page, reproducible SVG; slower and unchanged times."""

import json
import pathlib
import subprocess
import sys
import tempfile

PLOT = pathlib.Path(__file__).resolve().parent / "plot.py"
COMPARE = PLOT.with_name("compare.py")
MACHINE = {"cpu": "some processor", "cores": 2, "os": "some system", "flags": "-O3", "commit": "abc",
           "date": "2000-01-01", "load_before": 0, "core_bytes": 1.2e6, "pinned": True,
           "compilers": {"gcc": {"version": "GCC 1"}, "clang": {"version": "Clang 2"}}}
PAGE = """before
<!-- table:machine -->
<!-- end -->
<!-- table:robots -->
an old table
<!-- end -->
<!-- table:compilers -->
<!-- end -->
<!-- figure:overview -->
<!-- end -->
<!-- figure:headline -->
<!-- end -->
<!-- figure:robots -->
<!-- end -->
<!-- table:peers -->
<!-- end -->
<!-- table:kind_planar -->
<!-- end -->
<!-- table:mujoco -->
kept
<!-- end -->
after
"""


def entry(name, time, **more):
    return {"name": name, "run_type": "iteration", "time_unit": "ns", "cpu_time": time, "real_time": 9 * time, **more}


def write(folder, compiler, times):
    entries = [entry(f"robots/four_bar/{method}", time) for method, values in times.items() for time in values]
    entries.append({"name": "robots/four_bar/proximal", "run_type": "iteration", "error_occurred": True})
    (folder / f"{compiler}_robots_1.json").write_text(json.dumps({"benchmarks": entries}))


def write_peer(folder, times):
    entries = [entry(f"dart/four_bar/{name}", time) for name, time in times.items()]
    (folder / "gcc_dart_1.json").write_text(json.dumps({"benchmarks": entries}))


def run(folder):
    (folder / "page.md").write_text(PAGE)
    subprocess.run([sys.executable, PLOT, folder, folder / "images", "--page", folder / "page.md"], check=True)
    return (folder / "page.md").read_text(), (folder / "images" / "headline.svg").read_text()


def check_comparison(folder):
    """compare.py: a time twice as long is slower, one within its spread is not, and it says so by its status."""
    times = {"old": {"aba": [100, 101, 102, 99, 98], "rnea": [50, 60, 55, 45, 58]},
             "same": {"aba": [101, 100, 102, 99, 100], "rnea": [52, 61, 56, 46, 57]},
             "slow": {"aba": [200, 201, 202, 199, 198], "rnea": [52, 61, 56, 46, 57]}}
    for name, values in times.items():
        (folder / name).mkdir()
        (folder / name / "machine.json").write_text(json.dumps(MACHINE))
        write(folder / name, "gcc", values)

    def compare(new):
        return subprocess.run([sys.executable, COMPARE, folder / "old", folder / new, "--all"], text=True,
                              capture_output=True)

    same, slow = compare("same"), compare("slow")
    assert same.returncode == 0 and "2 benchmarks: 0 slower, 0 faster" in same.stdout, same.stdout + same.stderr
    assert slow.returncode == 1 and "2 benchmarks: 1 slower, 0 faster" in slow.stdout, slow.stdout + slow.stderr
    line = next(line for line in slow.stdout.splitlines() if "four_bar/aba" in line)
    assert "2.000" in line and line.endswith("slower"), line


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "machine.json").write_text(json.dumps(MACHINE))
        write(folder, "gcc", {"aba": [400, 1000, 401], "dense_kkt": [900] * 3, "range_space": [802] * 3})
        write(folder, "clang", {"aba": [500, 501, 502], "dense_kkt": [1200] * 3, "range_space": [1100] * 3})
        write_peer(folder, {"aba": 3000, "aba/grbda": 500, "aba/grbda_tree": 250, "rnea": 700, "rnea/grbda": 350})
        page, svg = run(folder)
        again, same = run(folder)

        check_comparison(folder)

    row = next(line for line in page.splitlines() if line.startswith("| four_bar"))
    assert row.startswith("| four_bar | 401 | – | – |"), row
    assert row.endswith("| 900 | 802 | – | – | – | – | 2.00 × |"), row
    assert "| four_bar | 401 | 501 | 1.25 |" in page, page
    assert "| four_bar | 0.50 × | 6.00 × | – | 2.00 × | – |" in page, page
    assert "| four_bar | 0.40 | – | – | – | – | 2.00 × `range_space` | 7.48 × DART | – | – | – |" in page, page
    assert "an old table" not in page and "kept" in page and page.startswith("before") and page.endswith("after\n")
    assert 'src="images/headline.svg"' in page
    assert (page, svg) == (again, same), "the second run differs"
    assert "the better of GCC 1, Clang 2" in svg and "commit abc" in svg


if __name__ == "__main__":
    main()
