"""Rare targets: which of four rankers finds the active compounds soonest, and could it be luck?

A simulated screen, as in drug discovery. Of 6,000 compounds 2% are active. Each compound has six correlated
descriptors. The inactive ones are one wide cloud; the active ones sit inside it in five small families, some
tight and some loose. Half of the compounds train four rankers, whose settings are chosen by cross-validation;
the other half is ranked, and Edgeworth says how good the rankings are: average precision (AP) with its
interval, the area under the ROC curve, the active ones among the first 100, and the probability that a random
order of the compounds has as high an average precision, P(luck).

    pip install 'edgeworth[sklearn]'
    python examples/rare_targets.py
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import edgeworth as ew
from edgeworth.sklearn import Lago

SEED = 2006
COMPOUNDS, ACTIVE, DESCRIPTORS = 6000, 120, 6
FAMILY_WIDTHS = [0.15, 0.25, 0.35, 0.5, 0.7]
LOOKS = 100

# Each ranker with the settings to choose from.
RANKERS: dict[str, tuple[Any, dict[str, list[Any]]]] = {
    "logistic regression": (LogisticRegression(), {"C": [0.01, 1, 100]}),
    "nearest neighbours": (KNeighborsClassifier(weights="distance"), {"n_neighbors": [5, 15, 50]}),
    "support vector machine": (SVC(class_weight="balanced"), {"C": [0.1, 1, 10], "gamma": [0.1, 0.3, 1]}),
    "LAGO": (Lago(), {"n_neighbors": [5, 15], "alpha": [0.5, 1, 2, 4]}),
}


def screen(rng: np.random.Generator) -> tuple[Any, Any]:
    """Descriptors of all compounds, and 1 for each active one."""
    mixing = rng.normal(size=(DESCRIPTORS, DESCRIPTORS)) / np.sqrt(
        DESCRIPTORS
    )  # makes descriptors correlated
    inactive = rng.normal(size=(COMPOUNDS - ACTIVE, DESCRIPTORS))
    centres = rng.normal(size=(len(FAMILY_WIDTHS), DESCRIPTORS))
    size = ACTIVE // len(FAMILY_WIDTHS)
    families = [
        rng.normal(centre, width, (size, DESCRIPTORS))
        for centre, width in zip(centres, FAMILY_WIDTHS, strict=True)
    ]
    descriptors = np.concatenate([inactive, *families]) @ mixing
    return descriptors, np.repeat([0, 1], [COMPOUNDS - ACTIVE, ACTIVE])


def scores_of(ranker: Any, descriptors: Any) -> Any:
    """What the ranker orders by: the higher, the likelier active."""
    if hasattr(ranker, "decision_function"):
        return ranker.decision_function(descriptors)
    return ranker.predict_proba(descriptors)[:, 1]


def row(name: str, truth: Any, scores: Any) -> tuple[float, str]:
    """Find a ranking's average precision, and its line of the table."""
    ranking = ew.Ranking.from_scores(truth, scores)
    precision = ew.estimate(ranking, "average_precision")
    area = ew.estimate(ranking, "roc_auc")
    hits = ew.measure(ranking, f"hits@{LOOKS}")  # where scores tie, the mean over their possible orders
    law = ew.chance.average_precision(len(truth), int(truth.sum()))
    luck = law.tail(precision.value).p_value
    within = precision.interval()
    line = (
        f"{name:<23}{precision.value:>6.3f}  {within.low:.3f} to {within.high:.3f}"
        f"{area.value:>10.3f}{hits:>10.1f}{luck:>12.1e}"
    )
    return precision.value, line


def main() -> None:
    """Train, rank, evaluate, and print one table."""
    descriptors, active = screen(np.random.default_rng(SEED))
    known, new, known_active, new_active = train_test_split(
        descriptors, active, test_size=0.5, stratify=active, random_state=SEED
    )
    print(
        f"{'ranker':<23}{'AP':>6}  {'95% interval':<14}{'ROC area':>10}{f'hits@{LOOKS}':>10}{'P(luck)':>12}"
    )
    found, scores = {}, {}
    for name, (model, settings) in RANKERS.items():
        grid = {f"{type(model).__name__.lower()}__{setting}": values for setting, values in settings.items()}
        pipeline = make_pipeline(StandardScaler(), model)
        ranker = GridSearchCV(pipeline, grid, scoring="average_precision", cv=3).fit(known, known_active)
        scores[name] = scores_of(ranker, new)
        found[name], line = row(name, new_active, scores[name])
        print(line)
    best, next_best = sorted(found, key=lambda name: -found[name])[:2]
    number = int(new_active.sum())
    by_chance = ew.chance.average_precision(len(new), number).mean
    both = ew.compare(
        truth=new_active, systems={name: scores[name] for name in (best, next_best)}, kind="scores"
    )
    sentence = (
        f"Random selection of {number} active among {len(new):,} has an average precision of {by_chance:.3f} "
        f"on average. The best two on the same compounds: {both.verdict}"
    )
    print(f"\n{textwrap.fill(sentence, 80)}")


if __name__ == "__main__":
    main()
