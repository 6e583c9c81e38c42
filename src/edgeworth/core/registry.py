"""All measures by name: the catalogues of all kinds, and registered measures."""

from __future__ import annotations

import copyreg
import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from itertools import accumulate, chain
from typing import TypeAlias

from edgeworth.core.kinds import AnyKind, every_kind, kind_of
from edgeworth.core.measures import Measure, Spelling
from edgeworth.errors import OptionError

_REGISTERED: list[Measure] = []


def measure(tally: object, spelling: str | Measure) -> float:
    """Compute the value of a measure of a tally.

    Parameters
    ----------
    tally : ContingencyTable, Ranking, RankedLists, ForecastScores, Calibration, Wealth or Grades
        What was counted. For many ranked lists, the value is the mean over the lists where it is defined.
    spelling : str or Measure
        ``name[label]@depth(option=value)``, as ``ew.catalogue()`` lists them.

    Returns
    -------
    float
        The value; nan if it is undefined. ``ew.estimate`` gives the reason.

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
    return float(kind_of(tally).measure(tally, spelling))


def register(measure: Measure) -> Measure:
    """Add a measure of your own. You can then name, estimate and report it like any other measure.

    Parameters
    ----------
    measure : Measure
        The measure. Its ``scope`` decides what it is computed from. Its name must be new within that scope.

    Returns
    -------
    Measure
        The same measure.

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
        _names_by_letters.cache_clear()
    return measure


def catalogue(*, kind: str | None = None, words: str | None = None) -> tuple[Measure, ...]:
    """List every measure with its name, formula, range, chance level, direction and source.

    Parameters
    ----------
    kind : {"decisions", "rankings", "probabilities", "grades"}, optional
        Keep the measures of one kind. A ranking cut at a depth also has the measures of decisions.
    words : str, optional
        Keep the measures whose name, title, formula or synonyms hold these words, whole words first.

    Returns
    -------
    tuple of Measure
        The measures. They print as a table by kind.

    Examples
    --------
    >>> [m.chance for m in catalogue(kind="decisions") if m.name == "accuracy"]
    ['Σ_l p_l r_l']
    >>> [m.name for m in catalogue(words="Youden")]
    ['informedness', 'informedness', 'best_informedness']
    """
    # Several kinds may share one catalogue, such as a ranking and ranked lists.
    catalogues = {id(entry.measures()): entry.measures() for entry in every_kind()}
    measures = (*chain.from_iterable(catalogues.values()), *_REGISTERED)
    kinds = dict.fromkeys(m.kind for m in measures)
    if kind is not None and kind not in kinds:
        raise OptionError(f"kind is {', '.join(map(repr, kinds))}; saw {kind!r}")
    own = [m for m in measures if kind in (None, m.kind)]
    if not words:  # rating takes 10 ms, and a report looks up a measure for every slice
        return Catalogue(own)
    rated = [(match_words(words, *_texts(m)), m) for m in own]
    return Catalogue(m for rate, m in sorted(rated, key=lambda pair: -pair[0]) if rate)


def measure_of_catalogue(kind: str, scope: str, name: str) -> Measure:
    """Find a measure of the catalogue by its kind, scope and name."""
    matches = [m for m in catalogue(kind=kind) if (m.scope, m.name) == (scope, name)]
    if not matches:
        raise OptionError(
            f"there is no measure {name!r} of scope {scope!r}: if it is one of your own, register it first"
        )
    return matches[0]


MeasureReduction: TypeAlias = str | tuple[Callable[[str, str, str], Measure], tuple[str, str, str]]


def _reduce_measure(measure: Measure) -> MeasureReduction:
    """Pickle a measure of the catalogue by its name, since its functions cannot be pickled."""
    if any(measure is entry for entry in catalogue()):
        return measure_of_catalogue, (measure.kind, measure.scope, measure.name)
    reduced: MeasureReduction = measure.__reduce_ex__(4)
    return reduced


copyreg.pickle(Measure, _reduce_measure)


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
def measures_by_name(kind: AnyKind, *scopes: str) -> dict[str, Measure]:
    """Index the measures of one kind, and registered ones, that have one of these scopes."""
    return {m.name: m for m in (*kind.measures(), *_REGISTERED) if m.scope in scopes}


OPTIONS = {"p": "persistence", "rel": "relevant_from"}
"""Options as others call them."""


def canonical_spelling(text: str, *kinds: AnyKind) -> Spelling:
    """Read a measure under any name that the catalogues have for it, and write it as they do.

    Names are looked for in the catalogues given, then in all of them. What none has stays as it is.

    >>> [str(canonical_spelling(text)) for text in ("F1[spam]", "P@5", "ndcg_cut_10", "precision_at_10")]
    ['f[spam]', 'precision@5', 'ndcg@10', 'precision@10']
    >>> str(canonical_spelling("AP(rel=2)@10"))
    'average_precision@10(relevant_from=2)'
    """
    written = Spelling.parse(text)
    written = replace(written, options={OPTIONS.get(name, name): x for name, x in written.options.items()})
    cut = None if written.depth is not None else re.fullmatch(r"(.+?)(?:_at)?_([0-9]+)", written.name)
    for known in dict.fromkeys([kinds, ()]):
        names = _names_by_letters(*known)
        letters = _letters(written.name)
        # P@5 is precision, and p alone may be anything.
        at_depth = f"{letters}atk" if written.depth is not None else letters
        matches = [
            names[alias] for alias in (at_depth, letters, letters.removesuffix("score")) if alias in names
        ]
        if written.name in names.values() or matches:
            return written if written.name in names.values() else replace(written, name=matches[0])
        if cut is not None and {_letters(cut[1]), f"{_letters(cut[1])}atk"} & {*names}:
            return canonical_spelling(str(replace(written, name=cut[1], depth=int(cut[2]))), *known)
    return written


def canonical_spellings(measures: Iterable[str] | None) -> list[str] | None:
    """Write measures as the catalogues do; one text where a list is needed is refused."""
    if isinstance(measures, str):
        raise OptionError(f"measures are a list of spellings, such as [{measures!r}]; saw a text")
    return None if measures is None else [str(canonical_spelling(text)) for text in measures]


@cache
def _names_by_letters(*kinds: AnyKind) -> dict[str, str]:
    """Index the names of measures by their synonyms, without synonyms that several measures share."""
    measures = [m for kind in kinds for m in kind.measures()] + _REGISTERED if kinds else catalogue()
    names_by_letters: dict[str, set[str]] = {}
    for entry in measures:
        for text in (entry.name, *entry.synonyms):
            for letters in (_letters(text), _letters(text.replace("'s", ""))):
                names_by_letters.setdefault(letters, set()).add(entry.name)
    return {letters: names.pop() for letters, names in names_by_letters.items() if len(names) == 1}


def _texts(measure: Measure) -> tuple[str, ...]:
    return (measure.name, measure.words, measure.formula, *measure.synonyms)


def measure_title(name: str) -> str:
    """Write a measure's name as readers know it.

    >>> measure_title("balanced_accuracy"), measure_title("mcc"), measure_title("brier")
    ('balanced accuracy', 'MCC', 'Brier score')
    """
    measure = find_by_name(name)
    return name.replace("_", " ") if measure is None else measure.words


def find_by_name(name: str) -> Measure | None:
    """Find the first measure with a name among those of all kinds; your own come first."""
    catalogues = (kind.measures() for kind in every_kind())
    return next(
        (x for measures in chain([_REGISTERED], catalogues) for x in measures if x.name == name), None
    )


def find_in_kind(kind: AnyKind, measure: str) -> Measure | None:
    """Find the entry of a measure as it is spelt, first among those of a kind, then among all of them."""
    name = canonical_spelling(measure, kind).name
    return next((entry for entry in kind.measures() if entry.name == name), None) or find_by_name(name)


def _split(text: str) -> list[str]:
    return re.findall(r"[^\W_]+|[^\w\s'’(),.;:/·=+−–-]", text.lower())


def _letters(text: str) -> str:
    """Strip the marks that people write in many ways: youdens_j, Youden's J, youden-j."""
    return re.sub(r"[\s_'’]|-(?=\w)", "", text.lower())


def unknown_measure(name: str) -> OptionError:
    """Make the error for a name that no measure of this kind has, with the nearest ones."""
    measures = catalogue()
    other = next((m for m in measures if m.name == name), None)
    if other is not None:
        flags = {"decisions": "prediction", "rankings": "score", "grades": "grade"}
        message = f"{name} is a measure of {other.kind}"
        return OptionError(f"{message}: it needs --{flags.get(other.kind, 'probability')}")
    called = {_letters(text): m.name for m in measures for text in (*m.synonyms, m.name)}
    close = difflib.get_close_matches(_letters(name), called, n=3, cutoff=0.6)
    near = list(dict.fromkeys(called[letters] for letters in close))
    # ndcg10 is how people write ndcg@10 where @ is not allowed.
    with_depth = re.fullmatch(r"([a-z_]+?)_?([1-9][0-9]*)", name.lower())
    if with_depth and any(m.name == with_depth[1] and m.depth != "none" for m in measures):
        near = [f"{with_depth[1]}@{with_depth[2]}"]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return OptionError(f"there is no measure {name!r}{hint} (edgeworth measures lists all)")
