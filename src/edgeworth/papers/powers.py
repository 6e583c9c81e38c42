"""Recompute the numbers in Powers 2003, "Recall & Precision versus The Bookmaker" (poster and paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

import edgeworth as ew
from edgeworth.common.arrays import Floats
from edgeworth.common.json_types import JsonObject
from edgeworth.decisions.overall import average_f, average_g, informedness
from edgeworth.decisions.per_label import edge, f_measure, g_measure
from edgeworth.decisions.views import Marginals
from edgeworth.papers.printed import Ours
from edgeworth.report.report import Grid, Section, make_columns

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
"""Edgeworth's measures by the paper's names."""
SENSES = {
    "A": 127, "B": 2, "C": 2, "D": 1, "E": 16, "F": 1, "G": 4, "H": 9, "I": 5, "J": 2, "K": 11, "L": 1,
    "M": 229, "N": 75, "O": 8, "P": 5, "Q": 2, "Z": 1,
}  # fmt: skip
"""Table 1: occurrences of each sense; Z is the index document, added to the 500."""
OCCURRENCES, CLASSIFIED = 500, 170


@dataclass(frozen=True)
class Rebuilt:
    """The counts of one of the twelve classes: right predictions, all predictions, actual cases."""

    right: int
    predicted: int
    actual: int


REBUILT = {
    "B": Rebuilt(1, 37, 1),
    "E": Rebuilt(1, 3, 1),
    "G": Rebuilt(1, 15, 3),
    "H": Rebuilt(2, 15, 8),
    "I": Rebuilt(1, 10, 1),
    "K": Rebuilt(1, 3, 4),
    "O": Rebuilt(1, 12, 4),
    "P": Rebuilt(3, 24, 3),
    "Z": Rebuilt(1, 5, 1),
}
"""The only counts among 170 cases that give the five printed percentages of these nine classes."""
SPLITS = tuple(
    dict(zip("AMN", (Rebuilt(right, right, actual) for right, actual in split), strict=True))
    for split in (
        ((11, 31), (28, 84), (7, 29)),
        ((17, 48), (21, 63), (8, 33)),
        ((22, 62), (15, 45), (9, 37)),
        ((28, 79), (8, 24), (10, 41)),
        ((33, 93), (2, 6), (11, 45)),
        ((34, 96), (1, 3), (11, 45)),
    )
)
"""The six splits of the remaining cases among A, M and N that give the printed percentages."""


def compute(_seed: int = 0) -> Ours:
    """Compute every number, by section."""
    figure = {f"Figure 1, {name}": _spreadsheet(informed) for name, informed in FIGURE_1.items()}
    return {**_poster(), **figure, **_text(), **_twelve_classes()}


def _table(counts: ArrayLike) -> ew.ContingencyTable:
    """Make a table with predictions in rows, as in the source."""
    return ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=SIGNS)


def _measured(table: ew.ContingencyTable, *words: str) -> dict[str, float]:
    return {word: ew.measure(table, MEASURES[word]) for word in words}


def _poster() -> Ours:
    """Compute the guesser at odds of 7:3, the perfect player, and half of each."""
    table = _table([[12, 28], [18, 42]])
    played = ew.payoffs(table, pool=POOL)
    dollars_per_case = played.track / table.counts
    won, lost = dollars_per_case[0]
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
        halves |= {
            f"{name} half, {cell}": n / 2
            for cell, n in zip(CELLS, mixed[g].counts.ravel().tolist(), strict=True)
        }
    halves |= {f"share predicted {sign}": float(mixed[0.5].counts[k].sum()) for k, sign in enumerate(SIGNS)}
    return {"Poster: the guesser": guesser, "Poster: guessing, perfection and half of each": halves}


def _spreadsheet(informed: float) -> dict[str, float]:
    """Compute every cell of a block of Figure 1 from its inputs: cases, both distributions and G%."""
    table = ew.decisions.informed_mixture((0.7, 0.3), (0.8, 0.2), informed, cases=100, labels=SIGNS)
    played, counts = ew.payoffs(table, pool=POOL), table.counts
    values = {"N": float(counts.sum()), "G%": ew.measure(table, "informedness[+]")}
    values |= _measured(table, *(word for word in MEASURES if word != "fallout"))
    values |= dict(zip(CELLS, counts.ravel().tolist(), strict=True))
    values |= {
        f"dollars {cell}": value for cell, value in zip(CELLS, played.cells.ravel().tolist(), strict=True)
    }
    values |= {"Weighted, total": played.total, "corner total": float(played.weighted.sum())}
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
    return values | {f"{name} {sign}": x[k] for name, x in by_sign.items() for k, sign in enumerate(SIGNS)}


def _text() -> Ours:
    """Compute the numbers in the running text."""
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


# -- the twelve classes of dogs and trains ------------------------------------------------------------------


@dataclass(frozen=True)
class TwelveClasses:
    """The rebuilt diagonal and margins for one split of A, M and N; other cells are not determined."""

    classes: Mapping[str, Rebuilt]

    @classmethod
    def of(cls, split: Mapping[str, Rebuilt]) -> TwelveClasses:
        """Combine the classes of a split with the nine others, in the order of the paper."""
        return cls(dict(sorted({**REBUILT, **split}.items())))

    @cached_property
    def view(self) -> Marginals:
        """The margins and the diagonal, for measures."""
        counts = np.array([(x.right, x.predicted, x.actual) for x in self.classes.values()], dtype=np.float64)
        right, predicted, actual = counts.T
        return Marginals(right, predicted, actual, np.zeros(len(counts)))

    def per_class(self, values: Floats) -> dict[str, float]:
        """Name the values by class."""
        return dict(zip(self.classes, np.asarray(values).tolist(), strict=True))

    @property
    def edges(self) -> Floats:
        """G(l), recall minus fallout."""
        return np.asarray(edge(self.view.by_label()))

    @property
    def printed_edges(self) -> Floats:
        """The paper's B row, which takes the odds on a label from its share of the predictions."""
        label = self.view.by_label()
        return np.asarray(label.hits / label.predicted - label.false_alarms / label.not_predicted)

    def printed_averages(self) -> dict[str, float]:
        """Return the last column as printed: B weighted by actual share, F and G without weights."""
        view, label = self.view, self.view.by_label()
        return {
            "r": float(view.hits.sum() / view.total),
            "B": float(view.real @ self.printed_edges / view.total),
            "F": float(1 / np.mean(1 / f_measure(label, 0.5))),
            "G": float(np.exp(np.mean(np.log(g_measure(label))))),
        }

    def averages(self) -> dict[str, float]:
        """Return the last column as the text defines it: weighted by the share of predictions."""
        view = self.view
        return {
            "r": float(view.hits.sum() / view.total),
            "B": float(informedness(view)),
            "F": float(average_f(view, 0.5)),
            "G": float(average_g(view)),
        }

    @property
    def overall(self) -> float:
        """Informedness over all occurrences; unclassified ones count as 0."""
        return self.averages()["B"] * CLASSIFIED / OCCURRENCES


def _twelve_classes() -> Ours:
    """Compute the five rows for the first split, the last column for all six, and both corrected."""
    tables = [TwelveClasses.of(split) for split in SPLITS]
    first, label = tables[0], tables[0].view.by_label()
    measured = {
        "r": label.hits / label.predicted,
        "p": label.hits / label.real,
        "B": first.printed_edges,
        "F": f_measure(label, 0.5),
        "G": g_measure(label),
    }
    corrected = {
        "recall": label.hits / label.real,
        "precision": label.hits / label.predicted,
        "B": first.edges,
    }

    def by_class(rows: Mapping[str, Floats]) -> dict[str, float]:
        return {
            f"{row} of {name}": value
            for row, values in rows.items()
            for name, value in first.per_class(values).items()
        }

    return {
        "Table 1": {"occurrences, by the 17 senses": float(sum(SENSES.values()) - SENSES["Z"])},
        "The twelve classes, as printed": by_class(measured),
        "The twelve classes, averages in each of the six splits": {
            f"{row}, weighted average, split {number}": value
            for number, table in enumerate(tables, start=1)
            for row, value in table.printed_averages().items()
        },
        "The twelve classes, corrected": by_class(corrected)
        | {f"{row}, weighted average": value for row, value in first.averages().items()}
        | {
            "classified, 170 of 500": CLASSIFIED / OCCURRENCES,
            "overall informedness, 0.86 × 0.34": first.overall,
        },
    }


def details() -> tuple[tuple[Section, ...], JsonObject]:
    """Return the rebuilt counts of the twelve classes, as tables for a report and as numbers."""
    tables = [TwelveClasses.of(split) for split in SPLITS]
    first = tables[0]
    edges, printed_edges = first.per_class(first.edges), first.per_class(first.printed_edges)
    classes = {
        name: {
            "occurrences": SENSES[name],
            "right": counts.right,
            "predicted": counts.predicted,
            "actual": counts.actual,
            "printed_edge": printed_edges[name],
            "edge": edges[name],
            "is_determined": name in REBUILT,
        }
        for name, counts in first.classes.items()
    }
    splits = [
        {
            "counts": {name: asdict(table.classes[name]) for name in "AMN"},
            "printed_averages": table.printed_averages(),
            "averages": table.averages(),
            "overall_informedness": table.overall,
        }
        for table in tables
    ]
    too_many = [name for name, x in first.classes.items() if x.predicted > SENSES[name]]
    lowest, highest = (f"{pick(table.averages()['B'] for table in tables):.2%}" for pick in (min, max))
    text = (
        "The paper does not print its 12 × 12 table, but its percentages determine the diagonal and the "
        "margins. For nine classes exactly one set of counts among 170 cases gives all five percentages. Six "
        "splits of the other cases among A, M and N give the rest, and each gives the four printed averages.",
        "The printed r is precision and the printed p is recall. The denominators of r exceed Table 1's "
        f"counts in {len(too_many)} classes ({', '.join(too_many)}), so they count predictions. The printed "
        "B takes the odds on a class from its share of the predictions. Fair odds come from its share of the "
        "cases.",
        f"The corrected informedness is {lowest} to {highest} over the six splits. It is {first.overall:.0%} "
        "for all 500 occurrences. The paper prints 86% and 29%. Every class has a positive informedness, so "
        "no label is superstitious. Cells off the diagonal are not determined, so measures that need them "
        "are not shown.",
    )
    shown = ("occurrences", "right", "predicted", "actual", "printed_edge", "edge")
    heads = ("right/count", "predicted/count", "actual/count", "B as printed", "B corrected")
    class_grid = Grid(
        "Rebuilt counts",
        make_columns("class/text", "Table 1/count", *heads, default="percent"),
        tuple((name, *(row[key] for key in shown)) for name, row in classes.items()),
        "The counts of A, M and N are from the first split.",
    )
    averages = ("r", "B", "F", "G", "B corrected", "B for all 500")
    split_grid = Grid(
        "The six splits of A, M and N (right/predicted/actual) with the printed and the corrected averages",
        make_columns("A/text", "M/text", "N/text", *averages, default="percent"),
        tuple(
            (
                *(f"{x.right}/{x.predicted}/{x.actual}" for x in (table.classes[name] for name in "AMN")),
                *table.printed_averages().values(),
                table.averages()["B"],
                table.overall,
            )
            for table in tables
        ),
    )
    section = Section("The twelve classes, rebuilt", text, (class_grid, split_grid))
    numbers = {"cases": CLASSIFIED, "occurrences": OCCURRENCES, "classes": classes, "splits": splits}
    return (section,), {"twelve_classes": numbers}
