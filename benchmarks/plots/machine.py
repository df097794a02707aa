"""machine.json and load/NAME: only tables."""

from . import tables


def figures(_):
    return {}


def make_tables(results):
    machine = results.machine
    compilers = ", ".join(machine["compilers"][name]["version"] for name in results.compilers)
    rows = [["processor", f"{machine['cpu']}, {machine['cores']} cores"], ["system", machine["os"]],
            ["compilers", compilers], ["flags", f"`{machine['flags']}`"], ["commit", machine["commit"]],
            ["date", machine["date"]], ["load before the run", machine["load_before"]],
            ["code of the core library", f"{machine['core_bytes'] / 1e6:.1f} MB"],
            ["pinned to one core", "all but `batch`" if machine["pinned"] else "no"]]
    found = {"machine": tables.markdown(["", "this run"], rows, left=2)}
    loads = [(name.split("/")[1], results.time(name)) for name in results.names("load")]
    if loads:
        def kilobytes(name, key):
            value = results.counter(f"load/{name}", key)
            return "–" if value is None else tables.three_figures(value / 1e3)

        rows = [[f"`{name}`", results.counter(f"load/{name}", "bodies"), f"{time / 1e6:.2f}",
                 kilobytes(name, "model_bytes"), kilobytes(name, "data_bytes")]
                for name, time in sorted(loads, key=lambda pair: pair[1] or 0) if time]
        found["load"] = tables.markdown(["robot", "bodies", "load, ms", "`Model`, kB", "`Data`, kB"], rows)
    return found
