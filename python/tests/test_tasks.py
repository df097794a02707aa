"""The ten tasks of docs/from-elsewhere-tasks.md: the page shows them as they are, and each obeys an independent law."""

from __future__ import annotations

import re
import sys
from typing import Any, Callable

import grbda
import numpy as np
import pytest
from conftest import SOURCE, files_of
from numpy.testing import assert_allclose

sys.path.append(str(SOURCE / "examples/tasks"))
import tasks  # noqa: E402

DIFFERENCED = 1e-5  # relative; central differences of step 1e-5 in double precision
TINY = 1e-5
PAGE = (SOURCE / "docs/from-elsewhere-tasks.md").read_text()


class State:
    """A robot at a random state."""

    def __init__(self, name: str) -> None:
        files = files_of(name)
        self.model = tasks.load_floating(files[0]) if name == "four_bar" else grbda.load(files)
        self.data = grbda.Data(self.model)
        self.random = np.random.default_rng(1)
        self.q = grbda.random_configuration(self.model, 1)
        self.yd, self.ydd, self.tau = self.random.uniform(-1, 1, (3, self.model.nv)) * [[1], [1], [10]]

    def rate(self, function: Callable[[Any, Any], Any]) -> Any:
        """Time derivative of a function of q and ẏ along the motion with ÿ."""
        after, before = (
            function(tasks.moved(self.model, self.data, self.q, self.yd + 0.5 * t * self.ydd, t), self.yd + t * self.ydd)
            for t in (TINY, -TINY)
        )
        return (after - before) / (2 * TINY)


@pytest.fixture(params=["mini_cheetah", "tello", "four_bar"])  # rotors behind gears, differentials of rods, a floating loop
def state(request: pytest.FixtureRequest) -> State:
    return State(request.param)


def close(a: Any, b: Any, relative: float = 1e-9) -> None:
    """Compares norms: single entries may be zero."""
    assert np.linalg.norm(np.subtract(a, b)) <= relative * np.linalg.norm(b)


def test_the_page_shows_every_task() -> None:
    source = (SOURCE / "examples/tasks/tasks.py").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert [block for block in blocks if block not in source] == []
    assert [name for name in re.findall(r"^def (\w+)", source, re.MULTILINE) if not any(f"def {name}(" in block for block in blocks)] == []


def test_loading_and_configurations(state: State) -> None:
    file = files_of("four_bar")[0]
    assert tasks.load_floating(file).nv == grbda.load(file).nv + 6
    q = tasks.moved(state.model, state.data, state.q, state.yd, 0.1)
    close(grbda.difference(state.model, state.data, state.q, q), 0.1 * state.yd)


def test_dynamics(state: State) -> None:
    model, data, q, yd = state.model, state.data, state.q, state.yd
    tau = tasks.inverse_dynamics(model, data, q, yd, state.ydd)

    def energy(at: Any, rate: Any) -> float:
        now = grbda.mechanical_state(model, data, at, rate)
        return now.kinetic + now.potential

    assert_allclose(tau @ yd, state.rate(energy), rtol=DIFFERENCED)
    body, force = len(model.bodies) // 2, np.array([3.0, -4, 12])
    free = tasks.pushed(model, data, q, yd, tau, body, 0 * force)
    close(free, state.ydd)
    more = tasks.pushed(model, data, q, yd, tau, body, force) - free
    M = tasks.mass_matrix(model, data, q)
    frame = tasks.frame_motion(model, data, q, yd, model.bodies[body].name)
    close(M @ more, frame.J[:3].T @ force)
    assert_allclose(yd @ M @ yd / 2, grbda.mechanical_state(model, data, q, yd).kinetic, rtol=1e-9)


def test_a_frame(state: State) -> None:
    last = state.model.bodies[-1].name

    def at(q: Any, yd: Any) -> tasks.FrameMotion:
        return tasks.frame_motion(state.model, state.data, q, yd, last)

    frame = at(state.q, state.yd)
    skew = state.rate(lambda q, yd: at(q, yd).orientation) @ frame.orientation.T
    expected = np.append(state.rate(lambda q, yd: at(q, yd).position), [skew[2, 1], skew[0, 2], skew[1, 0]])
    close(frame.velocity, expected, DIFFERENCED)
    close(frame.J @ state.yd, frame.velocity)


def test_loops() -> None:
    model = grbda.load(files_of("four_bar"))
    data = grbda.Data(model)
    loops = tasks.close_loops(model, data, "joint1", 0.5)
    assert loops.q[model.joint("joint1").q] == 0.5
    assert np.linalg.norm(loops.K @ loops.G) <= 1e-9 * np.linalg.norm(loops.K)
    y = np.full(model.nv, TINY)
    way = tasks.moved(model, data, loops.q, y, 1) - tasks.moved(model, data, loops.q, -y, 1)
    close(way / 2, loops.G @ y, DIFFERENCED)


def test_derivatives(state: State) -> None:
    model, data, q, yd, tau = state.model, state.data, state.q, state.yd, state.tau
    exact = tasks.forward_derivatives(model, data, q, yd, tau)
    d = state.random.uniform(-1, 1, model.nv)
    by_y = [grbda.aba(model, data, tasks.moved(model, data, q, sign * d, TINY), yd, tau) for sign in (1, -1)]
    close(exact.by_y @ d, (by_y[0] - by_y[1]) / (2 * TINY), DIFFERENCED)
    by_yd = [grbda.aba(model, data, q, yd + sign * TINY * d, tau) for sign in (1, -1)]
    close(exact.by_yd @ d, (by_yd[0] - by_yd[1]) / (2 * TINY), DIFFERENCED)
    close(tasks.mass_matrix(model, data, q) @ exact.by_tau, np.eye(model.nv))


def test_a_landing() -> None:
    model = grbda.load(files_of("mini_cheetah"))
    q = grbda.neutral_configuration(model)
    q[2] = 0.45
    seconds = 0.3
    end = tasks.drop(model, q, seconds)
    data = grbda.Data(model)
    state = grbda.mechanical_state(model, data, end.q, grbda.independent_part(model, data, end.qd))
    weight = state.mass * 9.81 * seconds
    assert abs(state.linear_momentum[2] + weight - end.impulse) < 1e-6 * weight  # while the feet stick
    assert end.impulse > 0.1 * weight


def test_many_states(state: State) -> None:
    model, data = state.model, state.data
    q = np.array([grbda.random_configuration(model, seed) for seed in range(5)])
    yd, tau = state.random.uniform(-1, 1, (2, 5, model.nv))
    close(tasks.many_accelerations(model, 2, q, yd, tau), [grbda.aba(model, data, *each) for each in zip(q, yd, tau)])
