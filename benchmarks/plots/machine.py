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
            ["pinned to one core", "all but `batch`" if machine["pinned"] else "no"]]
    found = {"machine": tables.markdown(["", "this run"], rows, left=2)}
    loads = [(name.split("/")[1], results.time(name)) for name in results.names("load")]
    if loads:
        rows = [[f"`{name}`", f"{time / 1e6:.2f}"] for name, time in loads if time]
        found["load"] = tables.markdown(["file", "ms"], rows)
    return found
