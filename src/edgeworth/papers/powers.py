"""Powers 2003, "Recall & Precision versus The Bookmaker": what the poster and the paper compute."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

import edgeworth as ew
from edgeworth.papers.printed import Ours

SIGNS = ("+", "-")
CELLS = ("+P+R", "+P-R", "-P+R", "-P-R")
POOL = 10
FIGURE_1 = {
    "model 1: guessing": 0.0,
    "model 2: perfection": 1.0,
    "model 3: informed 15% of the time": 0.15,
    "model 4: informed wrongly 15% of the time": -0.15,
}
MEASURES = {
    "Precision": "precision[+]",
    "IPrecision": "inverse_precision[+]",
    "Recall": "recall[+]",
    "IRecall": "inverse_recall[+]",
    "fallout": "fallout[+]",
    "Accuracy": "accuracy",
    "F(0.5)": "f[+]",
    "IF(0.5)": "inverse_f[+]",
    "AvF(0.5)": "average_f",
    "G(0.5)": "g[+]",
    "IG(0.5)": "inverse_g[+]",
    "AvG(0.5)": "average_g",
    "Bookmaker": "informedness",
}
"""The paper's words, and ours."""
CLASSES = "ABEGHIKMNOPZ"
RECALLS = (100, 3, 33, 7, 13, 10, 33, 100, 100, 8, 13, 20)
PRECISIONS = (35, 100, 100, 33, 25, 100, 25, 33, 24, 25, 100, 100)
"""In per cent; F and G are rebuilt from them."""
SENSES = (127, 2, 2, 1, 16, 1, 4, 9, 5, 2, 11, 1, 229, 75, 8, 5, 2)


def compute(_seed: int = 0) -> Ours:
    """Everything, by place."""
    figure = {f"Figure 1, {name}": _spreadsheet(informed) for name, informed in FIGURE_1.items()}
    return {**_poster(), **figure, **_text(), "Table 1 and the twelve classes": _dogs_and_trains()}


def _table(counts: ArrayLike) -> ew.ContingencyTable:
    """Predictions are in rows, as the source has it."""
    return ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=SIGNS)


def _measured(table: ew.ContingencyTable, *words: str) -> dict[str, float]:
    return {word: ew.measure(table, MEASURES[word]) for word in words}


def _poster() -> Ours:
    """The guesser at odds of 7:3, the perfect player, and half of each."""
    table = _table([[12, 28], [18, 42]])
    played = ew.payoffs(table, pool=POOL)
    each = played.track / table.counts
    won, lost = each[0]
    words = ("Accuracy", "Recall", "IRecall", "fallout", "Precision", "IPrecision", "Bookmaker")
    guesser = _measured(table, *words) | {
        "cases predicted +P": float(table.counts[0].sum()),
        "cases predicted -P": float(table.counts[1].sum()),
        "odds of a horse that won 30 of 100": float(ew.bet.fair_odds([0.3])[0] - 1),
        "won by a right bet on the horse": won,
        "lost by a wrong bet on the horse": -lost,
        "30% of $7 less 70% of $3": 0.3 * won + 0.7 * lost,
        "won, 12 × $7 + 42 × $3": played.won,
        "lost, 18 × $7 + 28 × $3": played.lost,
        "normalisation, N p(1 - p)": float((played.track / played.cells).mean()),
    }
    mixed = {
        g: ew.decisions.informed_mixture([0.3, 0.7], [0.4, 0.6], g, labels=SIGNS) for g in (0.0, 0.5, 1.0)
    }
    halves = {f"B if informed {g:.0%} of the time": ew.measure(x, "informedness") for g, x in mixed.items()}
    for g, name in ((0.0, "guessing"), (1.0, "perfect")):
        halves |= {f"{name} half, {cell}": n / 2 for cell, n in zip(CELLS, mixed[g].counts.flat, strict=True)}
    halves |= {f"share predicted {sign}": float(mixed[0.5].counts[k].sum()) for k, sign in enumerate(SIGNS)}
    return {"Poster: the guesser": guesser, "Poster: guessing, perfection and half of each": halves}


def _spreadsheet(informed: float) -> dict[str, float]:
    """Every cell of a block of Figure 1, from what is typed into it: cases, both distributions and G%."""
    table = ew.decisions.informed_mixture((0.7, 0.3), (0.8, 0.2), informed, cases=100, labels=SIGNS)
    played, counts = ew.payoffs(table, pool=POOL), table.counts
    found = {"N": float(counts.sum()), "G%": ew.measure(table, "informedness[+]")}
    found |= _measured(table, *(word for word in MEASURES if word != "fallout"))
    found |= dict(zip(CELLS, counts.flat, strict=True))
    found |= {f"dollars {cell}": value for cell, value in zip(CELLS, played.cells.flat, strict=True)}
    found |= {"Weighted, total": played.total, "corner total": float(played.weighted.sum())}
    by_sign = {
        "probability of": counts.sum(axis=0) / counts.sum(),
        "decision probability of": counts.sum(axis=1) / counts.sum(),
        "predicted": counts.sum(axis=1),
        "actual": counts.sum(axis=0),
        "odds,": POOL / played.odds,
        "Won": played.rows,
        "column total": played.columns,
        "Weighted": played.weighted,
    }
    return found | {f"{name} {sign}": x[k] for name, x in by_sign.items() for k, sign in enumerate(SIGNS)}


def _text() -> Ours:
    """Numbers in the running text."""
    first = _table([[42, 18], [28, 12]]).counts
    margins = (*first.sum(axis=1), *first.sum(axis=0), first.sum())
    accuracy = {f"first table, {x}": n for x, n in zip(("+P", "-P", "+R", "-R", "N"), margins, strict=True)}
    errors = _table([[80, 5], [20, 95]])
    accuracy["type 2 error 20%: recall"] = ew.measure(errors, "recall[+]")
    accuracy["type 1 error 5%: precision"] = ew.measure(errors, "precision[+]")
    shares = np.outer([0.7, 0.3], [0.7, 0.3])
    played = ew.payoffs(_table(shares), pool=POOL)
    outputs = (played.cells / shares / POOL**2).flat
    training = ("output +, right", "output +, wrong", "output -, wrong", "output -, right")
    decimal = {odds: float(ew.bet.decimal_odds(odds, form="fractional")) for odds in ("2/1", "1/2")}
    return {
        "Recall, Precision and Accuracy": accuracy,
        "Label Bias: always a noun": _measured(
            _table([[90, 10], [0, 0]]), "Recall", "Precision", "Bookmaker"
        ),
        "Label Bias: standardised training, 7:3": dict(zip(training, outputs, strict=True)),
        "Analysis of the Binary Case": {f"won on a bet of 1 at {x}": o - 1 for x, o in decimal.items()},
    }


def _dogs_and_trains() -> dict[str, float | tuple[float, float]]:
    """F and G from the rounded r and p, so to one in the last digit; B where there is no fallout."""
    found: dict[str, float | tuple[float, float]] = {"occurrences, by the 17 senses": float(sum(SENSES))}
    for label, r, p in zip(CLASSES, RECALLS, PRECISIONS, strict=True):
        # Any table with this recall and precision has these F and G.
        table = _table([[r * p, 100 * r - r * p], [100 * p - r * p, 1]])
        found |= {f"{word} of {label}": (ew.measure(table, f"{word.lower()}[+]"), 0.01) for word in "FG"}
        if p == 100:
            found[f"B of {label}"] = (ew.measure(table, "informedness[+]"), 0.005)
    # Ten times as many cases, with the printed B = 0.86 of those kept, and a catch-all class that is ignored.
    kept = ew.ContingencyTable.from_matrix(
        [[790, 59, 0], [60, 791, 0], [1000, 2300, 0]], rows="predicted", labels=["dog", "train", "rest"]
    ).map_predictions({"rest": None})
    found["classified, 170 of 500"] = ew.measure(kept, "coverage")
    found["overall informedness, 0.86 × 0.34"] = ew.measure(kept, "informedness")
    return found
