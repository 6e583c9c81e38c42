"""McNemar's test: of the cases on which only one of two systems is right, how many are the first's?"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from edgeworth.comparing.randomisation.fair_coins import FEW, log_probabilities, lower_tail
from edgeworth.core.tails import SMALLEST, Tail
from edgeworth.errors import InputError


def mcnemar(only_first_right: int, only_second_right: int, *, mid_p: bool = False) -> Tail:
    """Exact and two-sided: ``min(1, 2 P(X ≤ fewer))`` for X heads among as many fair coins.

    ``mid_p`` counts the observed split half: ``P(farther from even) + ½ P(as far)``, which holds its level
    on average rather than always. With no such cases there is nothing to tell the systems apart: 1.

    McNemar 1947; Fagerland, Lydersen & Laake 2013, whose children with stem cell transplants these are:

    >>> mcnemar(1, 7).p_value, mcnemar(1, 7, mid_p=True).p_value
    (0.0703125, 0.0390625)
    """
    for count in (only_first_right, only_second_right):
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise InputError(f"McNemar's test takes whole numbers of cases of at least 0; saw {count!r}")
    coins = int(only_first_right) + int(only_second_right)
    fewer = min(int(only_first_right), int(only_second_right))
    said = f"binomial, {coins:,} cases on which one is right"
    tail = lower_tail(coins, fewer, said)
    return _halved(tail, coins, fewer) if mid_p and coins else tail


def _halved(tail: Tail, coins: int, fewer: int) -> Tail:
    """Less half the probability of a split as uneven as the observed one (of both sides, unless even)."""
    sides = 1 if 2 * fewer == coins else 2
    method = tail.method.replace("exact, binomial", "mid-p, binomial")
    if coins <= FEW and tail.exact is not None:
        exact = tail.exact - Fraction(sides * math.comb(coins, fewer), 2 << coins)
        return replace(Tail.counted(exact, ""), method=method)
    if tail.kind == "bound":
        return replace(tail, method=method)
    point = math.exp(float(log_probabilities(coins, np.array([fewer]))[0]))
    value = max(tail.p_value - sides * point / 2, SMALLEST)
    return Tail(value, value, value, method)
