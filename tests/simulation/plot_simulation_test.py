#!/usr/bin/env python3
"""scripts/plot_simulation.py on records of known numbers: its panels, which joints it draws, what it refuses."""

import pathlib
import subprocess
import sys
import tempfile

PLOT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "plot_simulation.py"
HEADER = "time,q:base[0],q:hip,q:rotor,q:still,qd:hip,energy,contacts,normal_impulse,overlap,residual"


def record(rows=20):
    lines = [HEADER]
    for k in range(rows):
        hip = 0.1 * k * k
        lines.append(f"{0.01 * k:g},{k},{hip!r},{6 * hip!r},1,0,{-k},{k % 3},0.1,{0.001 * k},0")
    return "\n".join(lines) + "\n"


def run(folder, text, *options):
    (folder / "record.csv").write_text(text)
    return subprocess.run([sys.executable, PLOT, folder / "record.csv", *options], capture_output=True, text=True)


def drawn(folder, text, *options):
    result = run(folder, text, *options)
    assert result.returncode == 0 and not result.stderr, result.stderr
    return (folder / "record.svg").read_text()


def refused(folder, text, words, *options):
    result = run(folder, text, *options)
    assert result.returncode == 1 and not result.stdout, result
    assert words in result.stderr and "Traceback" not in result.stderr, result.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        svg = drawn(folder, record())
        for text in ("energy, J", "contacts that bear", "deepest overlap, mm", ">hip<", "time, s"):
            assert text in svg, text
        for text in ("residual", "normal impulse", ">rotor<", ">still<", "base[0]"):  # nothing happens, or nothing new
            assert text not in svg, text
        assert svg == drawn(folder, record()), "the second run differs"
        svg = drawn(folder, record(), "--joints", "base[0],rotor")
        assert ">rotor<" in svg and ">base[0]<" in svg and ">hip<" not in svg
        assert run(folder, record(), "-o", folder / "figure.png").returncode == 0
        assert (folder / "figure.png").read_bytes()[1:4] == b"PNG"
        two = "simulation,time,q:hip\n0,0,0\n0,1,1\n1,0,0\n1,1,-1\n"
        assert drawn(folder, two) != drawn(folder, two, "--simulation", "1")
        refused(folder, two, "expected a simulation from 0 to 1, found 2", "--simulation", "2")

        refused(folder, "", "record.csv:1: expected a header with the column 'time'")
        refused(folder, "a,b\n1,2\n", "record.csv:1: expected a header with the column 'time'")
        refused(folder, "time,a,a\n1,2,3\n", "record.csv:1: expected each column once")
        refused(folder, "time,a\n1,2\n2\n", "record.csv:3: expected 2 cells, found 1")
        refused(folder, "time,a\n1,2\n2,x\n", "record.csv:3: column 'a': expected a finite number, found 'x'")
        refused(folder, "time,a\n1,2\n2,nan\n", "column 'a': expected a finite number, found 'nan'")
        refused(folder, "time,a\n1,2\n", "expected two rows at least, found 1")
        refused(folder, "time,a\n1,2\n1,2\n", "record.csv:3: expected a time after 1, found 1")
        refused(folder, record(), "no joint 'hop' in the record; there are hip", "--joints", "hop")
        refused(folder, record(), "expected a name that ends in .svg or .png", "-o", "figure.pdf")
        refused(folder, record(), "nowhere", "-o", folder / "nowhere" / "figure.svg")
        missing = subprocess.run([sys.executable, PLOT, folder / "none.csv"], capture_output=True, text=True)
        assert missing.returncode == 1 and "none.csv: expected a record in CSV" in missing.stderr, missing


if __name__ == "__main__":
    main()
