"""Every measure by name. To add one: write its entry in the file of its subject, and list it here."""

from __future__ import annotations

import re
from functools import cache

from edgeworth.core.definition import Kind, Measure
from edgeworth.decisions.averages import AVERAGES
from edgeworth.decisions.house import HOUSE_MEASURES
from edgeworth.decisions.information import CELL_MEASURES
from edgeworth.decisions.overall import OVERALL_MEASURES
from edgeworth.decisions.per_label import LABEL_MEASURES
from edgeworth.errors import OptionError

OF_DECISIONS: tuple[Measure, ...] = (
    *OVERALL_MEASURES,
    *AVERAGES,
    *HOUSE_MEASURES,
    *CELL_MEASURES,
    *LABEL_MEASURES,
)

_OF_A_LABEL = {measure.name: measure for measure in OF_DECISIONS if measure.scope == "label"}
_OF_A_TABLE = {measure.name: measure for measure in OF_DECISIONS if measure.scope in ("overall", "cells")}


@cache
def _of_rankings() -> dict[str, Measure]:
    # Loaded when there is a ranking, as are those of probabilities when there are some.
    from edgeworth.rankings.measures import RANKING_MEASURES

    return {measure.name: measure for measure in RANKING_MEASURES}


@cache
def _of_probabilities() -> dict[str, Measure]:
    from edgeworth.forecasts.forecasts_measures import FORECAST_MEASURES

    return {measure.name: measure for measure in FORECAST_MEASURES}


def catalogue(*, kind: Kind | None = None) -> tuple[Measure, ...]:
    """Every measure with its name, formula, range, chance level, direction and source.

    ``kind`` keeps the measures of "decisions", of "rankings" or of "probabilities". A ranking cut at a depth
    has those of decisions too.

    >>> [m.chance for m in catalogue() if m.name == "accuracy"]
    ['Σ_l p_l r_l']
    """
    if kind not in (None, "decisions", "rankings", "probabilities"):
        raise OptionError(f'kind is "decisions", "rankings" or "probabilities"; saw {kind!r}')
    measures = (*OF_DECISIONS, *_of_rankings().values(), *_of_probabilities().values())
    return tuple(measure for measure in measures if kind in (None, measure.kind))


def search(words: str) -> tuple[Measure, ...]:
    """Measures whose name, words, formula or synonyms hold these words.

    >>> [m.name for m in search("Youden")]
    ['informedness', 'informedness', 'best_informedness']
    """
    wanted = _letters(words)
    return tuple(measure for measure in catalogue() if any(wanted in _letters(x) for x in _searched(measure)))


def _searched(measure: Measure) -> tuple[str, ...]:
    return (measure.name, measure.words, measure.formula, *measure.synonyms)


def lookup(name: str, *, of_a_label: bool) -> Measure | None:
    """The measure of one label, or of the whole table, under this name."""
    return (_OF_A_LABEL if of_a_label else _OF_A_TABLE).get(name)


def ranking_measure(name: str) -> Measure | None:
    """The measure of a ranking under this name."""
    return _of_rankings().get(name)


def forecast_measure(name: str) -> Measure | None:
    """The measure of probabilities under this name."""
    return _of_probabilities().get(name)


def _letters(text: str) -> str:
    """A name without the marks that people write in many ways: youdens_j, Youden's J, youden-j."""
    return re.sub(r"[\s_'’-]", "", text.lower())


def unknown(name: str) -> OptionError:
    """The error for a name that no measure of this kind has, with the nearest ones."""
    import difflib

    measures = catalogue()
    other = next((m for m in measures if m.name == name), None)
    if other is not None:
        return OptionError(f"{name} is a measure of {other.kind}, and this tally is of something else")
    meant = [m for m in measures if _letters(name) in map(_letters, m.synonyms)]
    known = list(dict.fromkeys(m.name for m in measures))
    near = list(dict.fromkeys(m.name for m in meant)) or difflib.get_close_matches(
        name, known, n=3, cutoff=0.5
    )
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return OptionError(f"there is no measure {name!r}{hint} (edgeworth measures lists all)")
