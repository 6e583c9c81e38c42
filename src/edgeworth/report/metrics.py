"""Write results as a flat dictionary of numbers, with names that experiment trackers accept."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping

from edgeworth.common.json_types import JsonValue
from edgeworth.report.frames import Row

MAX_NAME_LENGTH = 250
"""The longest name of a metric that MLflow stores."""

PARTS_OF_A_CHOICE = ("estimates", "cross_fitted", "constant_costs")
"""The groups of estimates at a chosen threshold: on these data, on new data, and of constant answers."""


class Metrics(dict[str, float]):
    """Numbers by name; undefined and infinite ones are skipped, and repeated names get a number."""

    def add(self, name: str, value: JsonValue) -> None:
        """Add a number under a clean name, unless it is undefined or infinite."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return
        clean = unique = clean_name(name)
        number = 1
        while unique in self:
            number += 1
            unique = f"{clean}_{number}"
        self[unique] = float(value)

    def add_estimate(self, name: str, row: Row) -> None:
        """Add a value, the ends of its interval, and the p-value against chance or of a difference."""
        self.add(name, row.get("value"))
        for end in ("low", "high", "p"):
            self.add(f"{name}_{end}", row.get(end))

    def add_all(self, prefix: str, values: Mapping[str, JsonValue]) -> None:
        """Add the numbers and the estimates of a mapping, each under the prefix and its own name."""
        for name, value in values.items():
            if isinstance(value, Mapping) and "value" in value:
                self.add_estimate(f"{prefix}{name}", value)
            else:
                self.add(f"{prefix}{name}", value)


def clean_name(name: str) -> str:
    """Write a name with only letters, digits, ``_`` and ``/``, which starts with a letter or ``_``.

    W&B cannot sort or filter by other names. Accents are removed, and other letters are replaced by their
    code.

    >>> clean_name("recall[0]"), clean_name("f[très sûr](alpha=0.3)"), clean_name("ndcg@10"), clean_name("中")
    ('recall_0', 'f_tres_sur_alpha_0_3', 'ndcg_at_10', 'u4e2d')
    >>> clean_name("2-fold/accuracy")
    '_2_fold/accuracy'
    """
    signs = (_clean_character(sign) for sign in unicodedata.normalize("NFKD", name.replace("@", "_at_")))
    parts = (re.sub("__+", "_", part).strip("_") for part in "".join(signs).split("/"))
    clean = "/".join(part or "_" for part in parts)
    start = "_" if clean[0].isdigit() else ""
    return (start + clean)[: MAX_NAME_LENGTH - len("_999")]


def _clean_character(sign: str) -> str:
    if unicodedata.combining(sign):
        return ""
    if sign.isascii():
        return sign if sign.isalnum() or sign == "/" else "_"
    return f"u{ord(sign):x}" if sign.isalnum() else "_"


def _within_a_name(text: str) -> str:
    """Replace slashes, so that a label or a system is one part of a name."""
    return text.replace("/", "_")


def report_metrics(rows: Iterable[Row], numbers: Mapping[str, JsonValue]) -> dict[str, float]:
    """Collect the estimates of a report by name, with its threshold, costs and calibration."""
    metrics, rows = Metrics(), list(rows)
    for name, part in numbers.get("reports", {}).items():
        inner = report_metrics((), part)
        metrics.add_all(f"{_within_a_name(name)}/", inner)
    whole = [row for row in rows if row.get("by") is None]
    metrics.add("cases", whole[0].get("cases") if whole else numbers.get("cases"))
    metrics.add("level", numbers.get("level"))
    systems = {row.get("system") for row in rows}
    for row in rows:
        parts = [str(row.get("system"))] if len(systems) > 1 else []
        if row.get("by") is not None:
            parts += [str(row["by"]), str(row["slice"])]
        name = "/".join(map(_within_a_name, (*parts, str(row["measure"]))))
        if "gap" not in row:
            metrics.add_estimate(name, row)
            continue
        # The p-value of a slice is about its gap to the rest.
        metrics.add_estimate(name, {**row, "p": None})
        # A gap that is too uncertain for a claim has no adjusted p-value, and no p-value in the report.
        adjusted = row.get("p_adjusted")
        p_value = None if adjusted is None or math.isnan(adjusted) else row.get("p")
        gap = {"value": row["gap"], "low": row.get("gap_low"), "high": row.get("gap_high"), "p": p_value}
        metrics.add_estimate(f"{name}_gap", gap)
    estimates = numbers.get("estimates") or {}
    named = {str(row["measure"]) for row in whole}
    metrics.add_all("", {name: value for name, value in estimates.items() if name not in named})
    _add_forecasts(metrics, numbers)
    _add_threshold(metrics, numbers.get("best_cut") or {})
    metrics.add_all("cost_", numbers.get("costs") or {})
    _add_cross_validation(metrics, numbers)
    return metrics


def _add_forecasts(metrics: Metrics, numbers: Mapping[str, JsonValue]) -> None:
    """Add the skill, the ROC areas and the calibration of probabilities."""
    if "skill" not in numbers:  # of probabilities alone
        return
    for score, skill in numbers["skill"].get("model", {}).items():
        metrics.add(f"{score}_skill", skill)
    for label, area in (numbers.get("roc_area") or {}).items():
        low, high = (numbers.get("roc_area_interval") or {}).get(label) or (None, None)
        row = {"value": area, "low": low, "high": high}
        metrics.add_estimate(f"roc_auc_{_within_a_name(label)}", row)
    for label, estimates in (numbers.get("calibration") or {}).items():
        for name, value in estimates.items():
            if isinstance(value, Mapping) and "value" in value:
                metrics.add_estimate(f"{name}_{_within_a_name(label)}", value)


def _add_cross_validation(metrics: Metrics, numbers: Mapping[str, JsonValue]) -> None:
    """Add the mean and the spread of the folds, and what they show about the next training set."""
    folds = numbers.get("cross_validation") or {}
    metrics.add("folds", folds.get("folds"))
    systems, measure = folds.get("systems", {}), folds.get("measure")
    for system, values in systems.items():
        prefix = f"{_within_a_name(system)}/" if len(systems) > 1 else ""
        metrics.add(f"{prefix}{measure}_fold_mean", values["mean"])
        metrics.add(f"{prefix}{measure}_fold_deviation", values["deviation"])
    for row in folds.get("next_training_set", ()):
        pair = f"{row['what'].replace(' − ', '_minus_')}/" if len(systems) > 1 else ""
        result = {"value": row["mean"], "low": row["low"], "high": row["high"], "p": row["p_value"]}
        name = f"{_within_a_name(pair.removesuffix('/'))}/{measure}" if pair else str(measure)
        # One pipeline has no rival, so its p-value would be against 0.
        metrics.add_estimate(f"{name}_next_training_set", result if pair else {**result, "p": None})


def _add_threshold(metrics: Metrics, choice: Mapping[str, JsonValue]) -> None:
    """Add a chosen threshold, and what it does on these data and on new ones."""
    metrics.add("threshold", choice.get("threshold"))
    metrics.add("threshold_depth", choice.get("depth"))
    for group in PARTS_OF_A_CHOICE:
        prefix = "threshold_" if group == "estimates" else f"threshold_{group.removesuffix('s')}_"
        metrics.add_all(prefix, choice.get(group) or {})


def comparison_metrics(
    values: Mapping[str, Mapping[str, float]],
    rows: Iterable[Row],
    cases: float,
    numbers: Mapping[str, JsonValue],
) -> dict[str, float]:
    """Collect the values of systems, the differences of pairs and what folds show, by name."""
    metrics = Metrics()
    metrics.add("cases", cases)
    for system, measured in values.items():
        metrics.add_all(f"{_within_a_name(system)}/", dict(measured))
    for row in rows:
        parts = [f"{row['first']}_minus_{row['second']}"]
        if row.get("by") is not None:
            parts += [str(row["by"]), str(row["slice"])]
        name = "/".join(map(_within_a_name, (*parts, str(row["measure"]))))
        metrics.add_estimate(name, row)
        metrics.add(f"{name}_p_adjusted", row.get("p_adjusted"))
    _add_cross_validation(metrics, numbers)
    return metrics
