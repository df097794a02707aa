"""Solves the swing-up of docs/mpc.md with acados itself, by the module and the code that `grbda generate --abi acados` writes.

Runs in a folder whose name has a space, which is neither that of the generated files nor that of acados, and twice, since files
of the first run lie there in the second. Needs the packages of requirements/acados.txt.
Usage: acados_swing_up.py TOOL MODEL FOLDER
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

COST = 159.074927  # by docs/mpc.md's own method, and by Crocoddyl's FDDP
NODES, STEP, LIMIT = 60, 0.02, 0.6


def pointer(numbers: np.ndarray) -> Any:
    return numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def main() -> None:
    tool, model, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    wheel = Path(str(importlib.util.find_spec("acados").submodule_search_locations[0]))  # type: ignore[union-attr, index]
    if os.environ.get("LD_LIBRARY_PATH") != str(wheel / "install/lib"):  # which the loader reads at the start of a process
        root = folder / "acados"  # the layout of its source tree, which the wheel does not keep
        (root / "interfaces/acados_template").mkdir(parents=True, exist_ok=True)
        for link, target in (("interfaces/acados_template/acados_template", "acados_template"), ("include", "install/include"),
                             ("lib", "install/lib")):  # fmt: skip
            if not (root / link).is_symlink():
                (root / link).symlink_to(wheel / target)
        os.environ |= {"ACADOS_SOURCE_DIR": str(root), "TERA_PATH": str(wheel / "install/bin/t_renderer"),
                       "LD_LIBRARY_PATH": str(wheel / "install/lib")}  # fmt: skip
        os.execv(sys.executable, [sys.executable, *sys.argv])
    code, work = folder / "generated code", folder / "working folder"
    work.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    subprocess.run([tool, "generate", "-q", model, "-o", "generated code/arm", "--step", "euler", "--joint-forces", "--gravity", "0,-9.81,0",
                    "--hessian", "--abi", "acados"], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    for library in ("libblasfeo.so", "libhpipm.so", "libacados.so"):
        if (wheel / "install/lib" / library).exists():
            ctypes.CDLL(str(wheel / "install/lib" / library), mode=ctypes.RTLD_GLOBAL)
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", code / "arm.c", "-o", code / "libarm.so", f"-I{wheel}/install/include",
                    f"-I{wheel}/install/include/blasfeo/include", f"-I{wheel}/install/include/hpipm/include", "-lm"], check=True)  # fmt: skip
    os.chdir(work)
    sys.path[:0] = [str(wheel), str(code)]
    status, iterations, cost = solve(ctypes.CDLL(str(code / "libarm.so")))
    print(f"status {status}, {iterations} iterations, cost {cost:.6f}")
    assert status == 0 and abs(cost - COST) < 1e-5


def solve(library: Any) -> tuple[int, int, float]:
    import arm_acados
    from acados_template import AcadosOcp, AcadosOcpSolver

    def configuration(x: np.ndarray, reference: np.ndarray) -> np.ndarray:
        q = np.zeros(arm_acados.NQ)
        assert library.arm_configuration(pointer(x), pointer(reference), pointer(q)) == 0
        return q

    def step(x: np.ndarray, u: np.ndarray, reference: np.ndarray) -> np.ndarray:
        after = np.zeros(arm_acados.NX)
        assert library.arm_step(pointer(x), pointer(u), pointer(reference), pointer(reference), ctypes.c_double(STEP), pointer(after)) == 0
        return after

    start, goal, home = np.array([-np.pi / 2, 0]), np.array([np.pi / 2, 0]), np.zeros(arm_acados.NQ)
    at_goal = configuration(goal, home)
    pull, push = (step(goal, np.array([u]), at_goal)[1] for u in (0.0, 1.0))
    holding = np.array([-pull / (push - pull)])  # the torque under which the goal is an equilibrium

    ocp = AcadosOcp()
    ocp.model = arm_acados.model()
    ocp.dims.N = NODES
    ocp.parameter_values = np.zeros(arm_acados.NP)
    ocp.cost.cost_type = ocp.cost.cost_type_e = "LINEAR_LS"
    ocp.cost.W, ocp.cost.W_e = np.diag([1, 0.01, 0.1]), np.diag([100.0, 1.0])
    ocp.cost.Vx, ocp.cost.Vx_e = np.eye(3, 2), np.eye(2)
    ocp.cost.Vu = np.array([[0.0], [0.0], [1.0]])
    ocp.cost.yref, ocp.cost.yref_e = np.concatenate([goal, holding]), goal
    ocp.constraints.lbu, ocp.constraints.ubu, ocp.constraints.idxbu = np.array([-LIMIT]), np.array([LIMIT]), np.array([0])
    ocp.constraints.x0 = start
    options = ocp.solver_options
    options.tf, options.integrator_type, options.qp_solver = float(NODES), "DISCRETE", "PARTIAL_CONDENSING_HPIPM"
    options.nlp_solver_type, options.nlp_solver_max_iter, options.tol = "SQP", 200, 1e-6
    options.globalization, options.hessian_approx = "MERIT_BACKTRACKING", "GAUSS_NEWTON"
    solver = AcadosOcpSolver(ocp, json_file="arm.json")

    states, references, u = [start], [configuration(start, home)], holding.clip(-LIMIT, LIMIT)
    for _ in range(NODES):
        states.append(step(states[-1], u, references[-1]))
        references.append(configuration(states[-1], references[-1]))
    for k, x in enumerate(states):
        solver.set(k, "x", x)
        if k < NODES:
            solver.set(k, "u", u)
    arm_acados.set_references(solver, references, STEP)
    status = int(solver.solve())
    return status, int(np.ravel(solver.get_stats("sqp_iter"))[0]), float(np.ravel(solver.get_cost())[0])


if __name__ == "__main__":
    main()
