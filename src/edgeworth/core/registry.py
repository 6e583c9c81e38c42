"""Every measure by name: the catalogues of all kinds, and measures that a user registers."""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate, chain
from typing import Any

from edgeworth.core.kinds import every_kind, kind_of, load
from edgeworth.core.measures import Measure
from edgeworth.errors import OptionError

_REGISTERED: list[Measure] = []


def measure(tally: Any, spelling: str | Measure) -> float:
    """Compute the value of a measure of a tally; nan when it is undefined (``ew.estimate`` says why).

    Parameters
    ----------
    tally : ContingencyTable, Ranking, RankedLists, ForecastScores, Calibration or Wealth
        What was counted. Of many ranked lists the value is the mean over those where it is defined.
    spelling : str or Measure
        ``name[label]@depth(option=value)``, as ``ew.catalogue()`` lists them.

    Examples
    --------
    >>> from edgeworth import ContingencyTable, ForecastScores, Ranking
    >>> table = ContingencyTable.from_matrix([[58, 20], [12, 10]], rows="predicted", labels=["noun", "verb"])
    >>> round(measure(table, "informedness"), 4), round(measure(table, "recall[noun]"), 4)
    (0.1619, 0.8286)
    >>> ranking = Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0])
    >>> round(measure(ranking, "average_precision"), 4), measure(ranking, "precision@2")
    (0.9167, 1.0)
    >>> scores = ForecastScores.from_probabilities([1, 0, 1], {"A": [0.8, 0.3, 0.5], "B": [0.5, 0.5, 0.5]})
    >>> round(measure(scores, "brier[A]"), 6), round(measure(scores, "log[B]"), 6)
    (0.126667, 0.693147)
    """
    return float(kind_of(tally).call("measure", tally, spelling))


def register(measure: Measure) -> Measure:
    """Add a measure of your own: it can then be spelt, estimated and reported like any other.

    Parameters
    ----------
    measure : Measure
        Its ``scope`` says what it is computed from, its ``name`` must be new within that scope.

    Examples
    --------
    >>> import edgeworth as ew
    >>> hits = register(ew.Measure(
    ...     name="share_of_hits", scope="overall", formula="Σ c_ll / N", low=0, high=1, chance="Σ p_l r_l",
    ...     direction="higher", source="", compute=lambda view: view.hits.sum(axis=-1) / view.total))
    >>> ew.measure(ew.ContingencyTable.from_matrix([[3, 1], [0, 4]], rows="predicted"), "share_of_hits")
    0.875
    """
    if not isinstance(measure, Measure):
        raise OptionError(f"register takes a Measure; saw {type(measure).__name__}")
    same = [m for m in catalogue() if m.name == measure.name and m.scope == measure.scope]
    if same and measure not in _REGISTERED:
        raise OptionError(f"there is a measure {measure.name!r} of scope {measure.scope!r} already")
    if not same:
        _REGISTERED.append(measure)
        measures_by_name.cache_clear()
    return measure


def catalogue(*, kind: str | None = None, words: str | None = None) -> tuple[Measure, ...]:
    """List every measure with its name, formula, range, chance level, direction and source.

    Parameters
    ----------
    kind : {"decisions", "rankings", "probabilities"}, optional
        Keep the measures of one kind. A ranking cut at a depth has those of decisions too.
    words : str, optional
        Keep the measures whose name, title, formula or synonyms hold these words, whole words first.

    Examples
    --------
    >>> [m.chance for m in catalogue() if m.name == "accuracy"]
    ['Σ_l p_l r_l']
    >>> [m.name for m in catalogue(words="Youden")]
    ['informedness', 'informedness', 'best_informedness']
    """
    references = dict.fromkeys(each.measures for each in every_kind() if each.measures is not None)
    measures = (*(m for reference in references for m in load(reference)), *_REGISTERED)
    kinds = dict.fromkeys(m.kind for m in measures)
    if kind is not None and kind not in kinds:
        raise OptionError(f"kind is {', '.join(repr(each) for each in kinds)}; saw {kind!r}")
    rated = [(match_words(words or "", *_texts(m)), m) for m in measures if kind in (None, m.kind)]
    return Catalogue(m for rate, m in sorted(rated, key=lambda each: -each[0]) if rate)


class Catalogue(tuple[Measure, ...]):
    """Measures, which print as a table by kind."""

    __slots__ = ()

    def __repr__(self) -> str:
        parts = []
        for kind in dict.fromkeys(m.kind for m in self):
            rows = [(m.spelling, m.formula, m.chance) for m in self if m.kind == kind]
            width = max(len(spelling) for spelling, _, _ in rows)
            lines = (
                f"  {spelling:<{width}}  {formula}; by chance {chance}" for spelling, formula, chance in rows
            )
            parts.append("\n".join((kind, *lines)))
        return "\n".join(parts)


def match_words(words: str, *texts: str) -> int:
    """Rate how texts hold words: 3 as all of one, 2 as whole words, 1 as the beginning of some, 0 not.

    >>> match_words("fpr", "fpr"), match_words("rate", "hit rate"), match_words("fpr", "of precision")
    (3, 2, 0)
    >>> match_words("youdens j", "Youden's J"), match_words("youd", "Youden's J")
    (3, 1)
    """
    sought, best = "".join(_split(words)), 0
    for parts in map(_split, texts):
        for start in range(len(parts)):
            if "".join(parts[start:]).startswith(sought):
                ends = list(accumulate(map(len, parts[start:])))
                is_all = start == 0 and len(sought) == ends[-1]
                best = max(best, 3 if is_all else 2 if len(sought) in ends else 1)
    return best


@cache
def measures_by_name(reference: str, *scopes: str) -> dict[str, Measure]:
    """Index the measures of one catalogue, and registered ones, that have one of these scopes."""
    found = (*load(reference), *_REGISTERED)
    return {m.name: m for m in found if m.scope in scopes}


def _texts(measure: Measure) -> tuple[str, ...]:
    return (measure.name, measure.words, measure.formula, *measure.synonyms)


def words_of(name: str) -> str:
    """Write a measure's name as readers know it.

    >>> words_of("balanced_accuracy"), words_of("mcc"), words_of("brier")
    ('balanced accuracy', 'MCC', 'Brier score')
    """
    catalogues = (load(kind.measures) for kind in every_kind() if kind.measures is not None)
    found = (each for measures in chain([_REGISTERED], catalogues) for each in measures if each.name == name)
    return next((str(each.words) for each in found), name.replace("_", " "))


def _split(text: str) -> list[str]:
    return re.findall(r"[^\W_]+|[^\w\s'’(),.;:/·=+−–-]", text.lower())


def _letters(text: str) -> str:
    """Strip the marks that people write in many ways: youdens_j, Youden's J, youden-j."""
    return re.sub(r"[\s_'’-]", "", text.lower())


def unknown(name: str) -> OptionError:
    """Make the error for a name that no measure of this kind has, with the nearest ones."""
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
