"""operations/ROBOT/METHOD and operations/peak/KIND: operations per second, compared with the peak of the core."""

from . import style, tables
from .results import ENGINE, parts, unique
from .style import plt

COUNTS = ("additions", "multiplications", "divisions", "roots", "sincos", "instructions", "chain")


def robots(results):
    names = unique(parts(name)[0][1] for name in results.names("operations"))
    names = [name for name in names if all(rate(results, f"{name}/{method}") for method in ENGINE)]
    return sorted(names, key=lambda name: results.counter(f"operations/{name}/aba", "flops"))


def rate(results, name):
    return results.rate(f"operations/{name}", "flops_per_second")


def figures(results):
    names = robots(results)
    if not names:
        return {}
    figure, axes = plt.subplots(figsize=(9.4, 1.5 + 0.3 * len(names)))
    for method in ENGINE:
        rates = [rate(results, f"{name}/{method}") / 1e9 for name in names]
        style.line(axes, method, rates, range(len(names)), linestyle="none", markersize=6.5)
    peak = rate(results, "peak/scalar")
    if peak:
        axes.axvline(peak / 1e9, color="#52606d", linestyle="--", label="peak, one number in each instruction")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlim(0, 1.05 * axes.get_xlim()[1])
    axes.set_xlabel("10⁹ floating-point operations per second, one core")
    height = figure.get_figheight()
    style.legend_above(figure, [axes], columns=5, top=1 - 0.04 / height)
    figure.subplots_adjust(left=0.19, right=0.97, top=1 - 0.42 / height, bottom=0.85 / height)
    return {"operations": figure}


def make_tables(results):
    peak = rate(results, "peak/scalar")
    rows = []
    for name in robots(results):
        rates = [rate(results, f"{name}/{method}") for method in ENGINE]
        flops = [results.counter(f"operations/{name}/{method}", "flops") for method in ENGINE]
        rows.append([name, *(f"{number:.0f}" for number in flops), *(f"{each / 1e9:.1f}" for each in rates),
                     *(f"{100 * each / peak:.0f} %" if peak else "–" for each in rates)])
    if not rows:
        return {}
    header = ["robot", *(f"{what}, `{method}`" for what in ("operations", "10⁹/s", "of the scalar peak")
                         for method in ENGINE)]
    return {"operations": tables.markdown(header, rows), "floor": floor_table(results), "peak": peak_table(results)}


def floor_table(results):
    """Two lower bounds of the time of `aba`: its instructions at the scalar peak, which does two operations in each,
    and its chain at the latency of a multiply-add."""
    issue, latency = (rate(results, f"peak/{kind}") for kind in ("scalar", "chain"))
    rows = []
    for name in robots(results):
        run = f"operations/{name}/aba"
        time, counts = results.time(run), {key: results.counter(run, key) for key in COUNTS}
        floors = [2e9 * counts["instructions"] / issue if issue else None,
                  2e9 * counts["chain"] / latency if latency else None]
        ratio = tables.ratio(time / floors[0]) if issue else "–"
        rows.append([name, *(f"{count:.0f}" for count in counts.values()), *map(tables.nanoseconds, floors),
                     tables.nanoseconds(time), ratio])
    return tables.markdown(["robot", *COUNTS, "floor, ns", "waiting, ns", "time, ns", "time / floor"], rows)


def peak_table(results):
    kinds = {"chain": "each waits for the one before", "scalar": "one number in each instruction",
             "simd": "a whole vector in each instruction"}
    rates = {text: rate(results, f"peak/{kind}") for kind, text in kinds.items()}
    rows = [[text, f"{each / 1e9:.1f}"] for text, each in rates.items() if each]
    return tables.markdown(["peak of one core, multiply-adds", "10⁹ per second"], rows)
