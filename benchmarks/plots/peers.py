"""PEER/ROBOT/METHOD and …/grbda, …/grbda_tree: other libraries beside the engine in the same program."""

from . import tables
from .results import ENGINE, parts, unique

PEERS = {"dart": "DART", "bullet": "Bullet", "simbody": "Simbody", "kdl": "KDL"}


def figures(results):
    del results
    return {}


def engine(results, peer, robot, method):
    return results.time(f"{peer}/{robot}/{method}/grbda")


def tree_ratio(results, robot, method):
    """The engine on the tree, in the first program that has it; without loops the same as on the robot."""
    for peer in PEERS:
        own, tree = engine(results, peer, robot, method), results.time(f"{peer}/{robot}/{method}/grbda_tree")
        if own and tree:
            return tree / own
    return None


def peer_ratio(results, peer, robot, method, compared_with=None):
    time, own = results.time(f"{peer}/{robot}/{method}"), engine(results, peer, robot, compared_with or method)
    return time and own and time / own


def make_columns(results):
    """(title, ratio of a robot) for each method and each library that was run with it."""
    columns = []
    for method in ENGINE:
        columns.append((f"`{method}`: own tree", lambda robot, method=method: tree_ratio(results, robot, method)))
        for peer, title in PEERS.items():
            if any(parts(name)[0][2:] == [method] for name in results.names(peer)):
                columns.append((f"`{method}`: {title}", lambda robot, peer=peer, method=method:
                                peer_ratio(results, peer, robot, method)))
        if method == "aba" and results.names("simbody"):
            columns.append(("Simbody, loops", lambda robot:
                            peer_ratio(results, "simbody", robot, "constrained", "aba")))
    return columns


def make_tables(results):
    names = sorted(unique(parts(name)[0][1] for peer in PEERS for name in results.names(peer)))
    columns = make_columns(results)
    rows = [[name, *(tables.ratio(ratio(name)) for _, ratio in columns)] for name in names]
    if not rows:
        return {}
    return {"peers": tables.markdown(["robot", *(title for title, _ in columns)], rows)}
