"""Logarithms of placements, and their derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def cross(w: Array) -> Array:
    """Matrix [3, 3] of w ×."""
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rotation_vector(R: Array) -> Array:
    """Rotation vector [3], rad, of a rotation matrix; for half a turn one of the two."""
    w = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])  # sin θ times the axis
    sine, cosine = np.linalg.norm(w), 0.5 * (np.trace(R) - 1)
    angle = np.arctan2(sine, cosine)
    if cosine > -0.9:
        return np.asarray(w * (1 + angle**2 / 6 if angle < 1e-4 else angle / sine))
    # near half a turn: the axis from R + Rᵀ = 2 cos θ + 2 (1 − cos θ) n nᵀ
    N = 0.5 * (R + R.T) - cosine * np.eye(3)
    k = int(np.argmax(N.diagonal()))
    axis = N[k] / np.linalg.norm(N[k])
    return np.asarray(angle * axis * (1 if axis @ w >= 0 else -1))


def logarithm(R: Array, p: Array) -> Array:
    """Twist [6], linear first, that leads from the identity to (R, p) in one unit of time."""
    w = rotation_vector(R)
    angle = np.linalg.norm(w)
    beta = 1 / 12 + angle**2 / 720 if angle < 1e-2 else (1 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2
    W = cross(w)
    wp = W @ p
    return np.concatenate([p - 0.5 * wp + beta * (W @ wp), w])


def jacobian_of_logarithm(twist: Array) -> Array:
    """Derivative [6, 6] of logarithm() by a displacement of (R, p) in its own axes.

    With A the matrix of the cross product of twists and g(θ) = θ/2 cot θ/2 − 1, it is 1 + A/2 + a A² + b A⁴, where
    a and b interpolate g and its derivative at θ, since A (A² + θ²)² = 0.
    """
    v, w = twist[:3], twist[3:]
    A = np.zeros((6, 6))
    A[:3, :3] = A[3:, 3:] = cross(w)
    A[:3, 3:] = cross(v)
    angle = float(np.linalg.norm(w))
    if angle < 0.05:
        a, b = 1 / 12 - angle**4 / 30240, -1 / 720 - angle**2 / 15120
    else:
        half, square = 0.5 * angle, angle**2
        g = half / np.tan(half) - 1
        slope = -(0.5 / np.tan(half) - 0.5 * half / np.sin(half) ** 2) / (2 * angle)  # by −θ²
        b = -(g + square * slope) / square**2
        a = slope + 2 * b * square
    A2 = A @ A
    return np.asarray(np.eye(6) + 0.5 * A + a * A2 + b * (A2 @ A2))
