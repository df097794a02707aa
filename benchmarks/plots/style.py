"""Common style of all figures: colours that colour-blind readers can distinguish, and the origin of the numbers."""

import pathlib
import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  the backend comes first
from matplotlib.ticker import LogLocator, NullLocator  # noqa: E402

# after Okabe and Ito, "Color Universal Design"
COLOURS = {"aba": "#0072b2", "rnea": "#009e73", "crba": "#e69f00", "kinematics": "#56b4e9",
           "dense_kkt": "#d55e00", "range_space": "#cc79a7", "constrained_aba": "#5d3fd3",
           "projection": "#000000", "proximal": "#8c6d1f",
           "baseline": "#8a8f98"}
MARKERS = {"aba": "o", "rnea": "s", "crba": "D", "kinematics": "^", "dense_kkt": "X", "range_space": "P", "constrained_aba": "d",
           "projection": "v", "proximal": "*"}
LABELS = {"aba": "ABA (engine)", "rnea": "RNEA (engine)", "crba": "CRBA (engine)", "dense_kkt": "dense KKT",
          "range_space": "range space", "constrained_aba": "constrained ABA"}
GRID = "#e4e8ec"
TEXT = "#1f2933"

plt.rcParams.update({
    "svg.hashsalt": "grbda", "svg.fonttype": "none", "font.family": "sans-serif",
    "font.sans-serif": ["Arial", "Liberation Sans", "DejaVu Sans"], "font.size": 9.5,
    "text.color": TEXT, "axes.labelcolor": TEXT, "axes.edgecolor": "#9aa5b1", "axes.titlesize": 10.5,
    "xtick.color": TEXT, "ytick.color": TEXT, "axes.grid": True, "grid.color": GRID, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "white",
    "savefig.facecolor": "white", "legend.frameon": False, "lines.markersize": 4.5, "lines.linewidth": 1.4})


def label(method):
    return LABELS.get(method, method)


def line(axes, method, x, y, **options):
    options = {"color": COLOURS[method], "marker": MARKERS[method], "label": label(method)} | options
    if method == "aba":
        options = {"linewidth": 2.4, "zorder": 5} | options
    return axes.plot(x, y, **options)


def logarithmic(axis):
    """A logarithmic axis with plain numbers, as many as fit its span."""
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    low, high = axis.get_view_interval()
    subs = (1, 2, 5) if high / low < 30 else (1, 3) if high / low < 1000 else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())


def legend_above(figure, axes, columns=6, top=0.93):
    """One legend for all panels, above them."""
    handles = {}
    for each in axes:
        for handle, text in zip(*each.get_legend_handles_labels()):
            handles.setdefault(text, handle)
    figure.legend(handles.values(), handles.keys(), loc="upper center", ncol=columns,
                  bbox_to_anchor=(0.5, top), columnspacing=1.4, handletextpad=0.5)


def provenance(machine, compilers):
    """Two lines of small print."""
    versions = ", ".join(machine["compilers"][name]["version"] for name in compilers)
    which = "the better of " + versions if len(compilers) > 1 else versions
    return (f"{machine['cpu']}, {machine['cores']} cores, {machine['os']}; medians; {which}\n"
            f"{machine['flags']}; commit {machine['commit']}, {machine['date']}")


def save(figure, path, results, compilers=None):
    """Writes an SVG that depends only on the numbers."""
    figure.text(0.01, 0.006, provenance(results.machine, compilers or results.compilers), fontsize=7,
                color="#52606d", va="bottom", ha="left", linespacing=1.3)
    path = pathlib.Path(path)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    path.write_text(compact(path.read_text()))


# A picture follows the dark mode of the system, with the same hues.
DARK = "<style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.9) hue-rotate(180deg); } }</style>"


def compact(svg):
    """Shorter numbers, no comments, no indentation; and colours for dark mode."""
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"(\d+\.\d{2})\d+", r"\1", svg)
    svg = re.sub(r"(<svg\b[^>]*>)", rf"\1\n{DARK}", svg, count=1)
    lines = (text.strip() for text in svg.splitlines())
    return "\n".join(text for text in lines if text) + "\n"
