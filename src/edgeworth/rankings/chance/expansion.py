"""Edgeworth's expansion of a tail, and the plain normal: approximations without a certificate."""

from __future__ import annotations

import math

import scipy

TRUSTED = 0.25
"""Edgeworth's correction relative to the normal tail beyond which it is not chosen by itself."""


def normal_tail(z: float) -> float:
    """P(Z ≥ z)."""
    return float(scipy.special.ndtr(-z))


def edgeworth_tail(z: float, skewness: float) -> tuple[float, float]:
    """P(standardised sum ≥ z) ≈ 1 − Φ(z) + φ(z) γ (z² − 1)/6, and the size of the terms left out.

    Those are φ(z)(κ₄(z³ − 3z)/24 + γ²(z⁵ − 10z³ + 15z)/72); κ₄ is put at 3γ²/2, as for a Gamma law.

    >>> value, error = edgeworth_tail(2.0, 0.1)
    >>> round(value, 6), round(error, 6)
    (0.02545, 0.000229)
    """
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    value = normal_tail(z) + density * skewness * (z * z - 1) / 6
    peak, tail = 1.5 * abs(z**3 - 3 * z) / 24, abs(z**5 - 10 * z**3 + 15 * z) / 72
    return min(max(value, 0.0), 1.0), density * skewness**2 * (peak + tail + 0.05)


def trusted(z: float, skewness: float) -> bool:
    """Whether the correction is small against what it corrects, also in the tail: |γ z³|/6."""
    return abs(skewness) * (abs(z) ** 3 + 1) / 6 <= TRUSTED
