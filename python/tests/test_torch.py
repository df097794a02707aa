"""Functions of PyTorch against those of the package, and their derivatives against differences."""

from __future__ import annotations

from typing import Any

import grbda
import numpy as np
import pytest
from conftest import files_of

torch = pytest.importorskip("torch")
grbda_torch = pytest.importorskip("grbda.torch")

PLAIN = ["six_bar", "planar_leg_linkage", "digit_leg"]
FLOATING = ["mini_cheetah", "tello"]


def draw(name: str, states: int = 3) -> tuple[Any, ...]:
    model = grbda.load(files_of(name))
    robot = grbda_torch.Robot(model, grbda.random_configuration(model, 1), threads=2)
    random = np.random.default_rng(1)
    n = robot.model.nv
    d = torch.from_numpy(0.02 * random.standard_normal((states, n))).requires_grad_()
    yd, tau = (torch.from_numpy(random.standard_normal((states, n))).requires_grad_() for _ in range(2))
    return robot, d, yd, tau


@pytest.mark.parametrize("name", PLAIN + FLOATING)
def test_values_are_those_of_the_package(name: str) -> None:
    robot, d, yd, tau = draw(name)
    model, data = robot.model, grbda.Data(robot.model)
    q = grbda_torch.close(robot, d).detach().numpy()
    ydd = grbda_torch.forward_dynamics(robot, d, yd, tau).detach().numpy()
    moved, rate = (x.detach().numpy() for x in grbda_torch.step(robot, d, yd, tau, 0.002))
    for i in range(len(q)):
        at = grbda.integrate(model, data, robot.reference, d[i].detach().numpy())
        np.testing.assert_allclose(q[i], at, atol=1e-12)
        expected = grbda.aba(model, data, at, yd[i].detach().numpy(), tau[i].detach().numpy())
        np.testing.assert_allclose(ydd[i], expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(rate[i], yd[i].detach().numpy() + 0.002 * expected, rtol=1e-9, atol=1e-9)
        end = grbda.integrate(model, data, at, 0.002 * rate[i])
        np.testing.assert_allclose(grbda.integrate(model, data, robot.reference, moved[i]), end, atol=1e-9)


@pytest.mark.parametrize("name", PLAIN + FLOATING)
def test_first_derivatives_are_those_of_differences(name: str) -> None:
    robot, d, yd, tau = draw(name, 2)
    options = {"atol": 1e-4, "rtol": 1e-4}
    assert torch.autograd.gradcheck(lambda *x: grbda_torch.forward_dynamics(robot, *x), (d, yd, tau), **options)
    assert torch.autograd.gradcheck(lambda *x: grbda_torch.step(robot, *x, 0.002), (d, yd, tau), **options)
    assert torch.autograd.gradcheck(lambda x: grbda_torch.close(robot, x), (d,), **options)


@pytest.mark.parametrize("name", PLAIN[:2])
def test_second_derivatives_are_those_of_differences(name: str) -> None:
    robot, d, yd, tau = draw(name, 2)
    options = {"atol": 1e-3, "rtol": 1e-3}
    assert torch.autograd.gradgradcheck(lambda *x: grbda_torch.forward_dynamics(robot, *x), (d, yd, tau), **options)
    assert torch.autograd.gradgradcheck(lambda *x: grbda_torch.step(robot, *x, 0.002), (d, yd, tau), **options)


def test_single_precision_comes_back_and_failures_are_errors() -> None:
    robot, d, yd, tau = draw("six_bar")
    ydd = grbda_torch.forward_dynamics(robot, d.float(), yd.float(), tau.float())
    assert ydd.dtype == torch.float32
    exact = grbda_torch.forward_dynamics(robot, d.float().double(), yd.float().double(), tau.float().double())
    assert torch.equal(ydd, exact.float())
    with pytest.raises(grbda.StatusError):
        grbda_torch.forward_dynamics(robot, d * float("nan"), yd, tau)


def test_a_gradient_through_many_steps_is_that_of_differences() -> None:
    robot, d, yd, tau = draw("planar_leg_linkage", 2)
    forces = torch.zeros(10, *tau.shape, dtype=torch.float64, requires_grad=True)

    def cost(given: Any) -> Any:
        at, rate = d.detach(), yd.detach()
        for force in given:
            at, rate = grbda_torch.step(robot, at, rate, force, 0.005)
        return (at**2).sum() + (rate**2).sum()

    (gradient,) = torch.autograd.grad(cost(forces), forces)
    nudge = torch.zeros_like(forces)
    nudge[3, 1, 0] = 1e-5
    difference = (cost(forces + nudge) - cost(forces - nudge)) / 2e-5
    assert float(gradient[3, 1, 0]) == pytest.approx(float(difference), rel=1e-6)
