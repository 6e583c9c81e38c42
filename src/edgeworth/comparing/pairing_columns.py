"""Scores, lists and forecasts of several systems, from arrays or from columns of a file read whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from edgeworth.comparing.paired_scores import PairedScores
from edgeworth.comparing.pairing import read_whole
from edgeworth.core.policies import WeightKind
from edgeworth.errors import OptionError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.forecasts_gathering import columns_of
from edgeworth.forecasts.named_columns import forecasts_of_columns, rival_of_columns
from edgeworth.rankings.lists import RankedLists
from edgeworth.sources.columns import Label


def read_scores(
    data: Any,
    columns: dict[str, Any],
    systems: Mapping[str, Any],
    positive: Label | None,
    weight_kind: WeightKind | None,
    missing: Any,
) -> tuple[PairedScores, str]:
    found = _found(data, columns, systems)
    scored = PairedScores.from_scores(
        found["truth"],
        found["systems"],
        positive=positive,
        groups=found["groups"],
        weights=found["weights"],
        weight_kind=weight_kind,
        missing=missing,
    )
    return scored, found["name"]


def read_lists(
    data: Any, columns: dict[str, Any], systems: Mapping[str, Any], **options: Any
) -> tuple[dict[str, RankedLists], str]:
    found = _found(data, columns, systems)
    lists = {
        name: RankedLists.from_scores(
            found["truth"], scores, groups=found["groups"], ids=found["ids"], **options
        )
        for name, scores in found["systems"].items()
    }
    return lists, found["name"]


def _found(data: Any, columns: dict[str, Any], systems: Mapping[str, Any]) -> dict[str, Any]:
    """Columns by role, whether they came as arrays or as names of a file's columns."""
    if data is None:
        return columns | {"systems": dict(systems), "name": "arrays"}
    words = {role: columns_of(name, role)[0] for role, name in columns.items() if name is not None}
    if "truth" not in words:
        raise OptionError("truth is needed: the name of a column")
    scores = {name: columns_of(column, f"the score of {name}")[0] for name, column in systems.items()}
    text = [words[role] for role in ("truth", "groups", "ids") if role in words]
    numbers = [*scores.values(), *([words["weights"]] if "weights" in words else [])]
    read = read_whole(data, list(dict.fromkeys(text)), list(dict.fromkeys(numbers)))
    found: dict[str, Any] = dict.fromkeys(columns)
    found |= {role: read.labels[words[role]] for role in ("truth", "groups", "ids") if role in words}
    if "weights" in words:
        found["weights"] = read.numbers[words["weights"]]
    found["systems"] = {name: read.numbers[column] for name, column in scores.items()}
    return found | {"name": read.name}


def read_forecasts(
    data: Any, truth: Any, systems: Mapping[str, Any], groups: Any, terms: dict[str, Any]
) -> tuple[dict[str, Forecasts], Any, str]:
    """Columns of every system in the order of the first one's classes; names say which column is which."""
    names = {name: f"the probabilities of {name}" for name in systems}
    found: dict[str, Forecasts] = {}
    first: Forecasts | None = None
    if data is None:
        for name, values in systems.items():
            if first is None:
                first = found[name] = Forecasts.of(truth, values, name=names[name], **terms)
            else:
                found[name] = Forecasts.beside(first, truth, values, name=names[name], **terms)
        return found, groups, "arrays"
    wanted = {name: columns_of(columns, names[name]) for name, columns in systems.items()}
    text = [columns_of(truth, "truth")[0], *([] if groups is None else columns_of(groups, "groups"))]
    numbers = list(dict.fromkeys(column for columns in wanted.values() for column in columns))
    read = read_whole(data, list(dict.fromkeys(text)), numbers)
    coded = read.labels[text[0]]
    for name, columns in wanted.items():
        table = np.stack([read.numbers[column] for column in columns], axis=1)
        if first is None:
            first = found[name] = forecasts_of_columns(coded, table, columns, terms, names[name])
        else:
            found[name] = rival_of_columns(first, table, columns, terms, names[name])
    return found, None if groups is None else read.labels[text[1]], read.name
