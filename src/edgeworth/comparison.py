"""The second question: which one is better? From data, arrays or tallies to a comparison."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from edgeworth.comparing.difference import Difference
from edgeworth.comparing.findings import Adjust, ComparisonFindings
from edgeworth.comparing.paired import Paired
from edgeworth.comparing.reading import named_systems, pair_labels, read_forecasts, read_lists, read_scores
from edgeworth.comparing.report import comparison_report, difference_grid
from edgeworth.core.policies import Missing, PredictionsMade
from edgeworth.core.spelling import Spelling
from edgeworth.errors import OptionError
from edgeworth.evaluation import about_run
from edgeworth.report.formats import grid_to_csv, grid_to_latex, grid_to_markdown, write_file
from edgeworth.report.report import Report
from edgeworth.sources.batches import Source
from edgeworth.sources.columns import Label
from edgeworth.sources.digests import file_digest
from edgeworth.sources.numbers import WeightKind
from edgeworth.sources.opening import open_source
from edgeworth.sources.roles import guess_roles
from edgeworth.tallying import column_names

Kind: TypeAlias = Literal["labels", "scores", "probabilities"]


_ALWAYS = ("data", "kind", "groups", "positive")
OF_LABELS = (*_ALWAYS, "weights", "weight_kind", "abstain", "missing", "method")
OF_SCORES = (
    *_ALWAYS,
    "ids",
    "pooled",
    "weights",
    "weight_kind",
    "missing",
    "relevant_from",
    "queries",
    "method",
)
OF_QUERIES = (*_ALWAYS, "ids", "relevant_from", "queries")
OF_PROBABILITIES = (*_ALWAYS, "labels", "normalise", "ordered", "predictions_made", "horizon")
"""Options that mean something with each kind."""


@dataclass(frozen=True)
class Comparison:
    """Systems compared pair by pair: ``comparison["A", "B"]["informedness"].difference`` is A less B."""

    findings: ComparisonFindings
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)
    notices: tuple[str, ...] = field(default=(), repr=False)
    """What was taken without being said, for the reader to know first."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, as they were given."""
        return self.findings.names

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that were compared, the one to go by among them."""
        return self.findings.measures

    @property
    def letters(self) -> dict[str, str]:
        """Letters of each system, the best first: those who share one cannot be told apart."""
        return self.findings.letters

    def __getitem__(self, pair: tuple[str, str]) -> Differences:
        """The differences of two systems, first less second."""
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise OptionError(f'ask for a pair of systems, comparison["A", "B"]; saw {pair!r}')
        for name in pair:
            if name not in self.names:
                raise OptionError(f"there is no system {name!r}; there are {', '.join(self.names)}")
        if pair[0] == pair[1]:
            raise OptionError(f"a pair is two different systems; saw {pair[0]!r} twice")
        return Differences(self.findings.difference(*pair))

    @cached_property
    def report(self) -> Report:
        """The comparison as a report."""
        report = comparison_report(self.findings, self.provenance)
        return replace(report, warnings=(*self.notices, *report.warnings))

    @property
    def verdict(self) -> str:
        """Who is better, how surely, and what it would take to know."""
        return self.report.verdict

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return self.report.to_dict()

    def to_json(self, path: str | Path | None = None) -> str:
        """The report as JSON; also written to ``path`` when given."""
        return self.report.to_json(path)

    def to_html(self, path: str | Path | None = None, **options: Any) -> str:
        """The report as a page that needs no network, as of ``Report.to_html``."""
        return self.report.to_html(path, **options)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Every pair and measure in a line, with all digits."""
        return _written(grid_to_csv(difference_grid(self.findings)), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """The same table for a paper, with the rules of booktabs."""
        return _written(grid_to_latex(difference_grid(self.findings)), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The same table for a web page."""
        return _written(grid_to_markdown(difference_grid(self.findings)), path)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.report._repr_html_()

    def __str__(self) -> str:
        return str(self.report)


class Differences(Mapping[str, Difference]):
    """Differences by measure; ``f`` means ``f[spam]`` where only one such measure was compared."""

    def __init__(self, found: Mapping[str, Difference]) -> None:
        self._found = dict(found)

    def __getitem__(self, measure: str) -> Difference:
        if measure in self._found:
            return self._found[measure]
        same = [name for name in self._found if _is_meant(measure, name)]
        if len(same) != 1:
            known = ", ".join(same or self._found)
            raise OptionError(f"{measure!r} was not compared, or could be several; there are {known}")
        return self._found[same[0]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def compare(
    truth: Any,
    systems: Any = None,
    *,
    data: Any = None,
    kind: Kind | None = None,
    groups: Any = None,
    ids: Any = None,
    pooled: bool = False,
    measures: Sequence[str] | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    weights: Any = None,
    weight_kind: WeightKind | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
    relevant_from: int = 1,
    queries: Literal["intersection", "error"] = "intersection",
    ordered: bool = False,
    predictions_made: PredictionsMade = "before",
    normalise: bool = False,
    horizon: int = 1,
    method: Any = None,
    adjust: Adjust = "holm",
    power: float = 0.8,
    level: float = 0.95,
    seed: int = 0,
    with_digest: bool = True,
) -> Comparison:
    """Which one is better? Labels, scores or probabilities of two or more systems for the same cases.

    ``systems`` maps names to columns: arrays, or with ``data`` (a file or dataframe) names of its columns.
    ``groups`` are the units that are independent: patients, documents; with scores they are queries, each
    with a ranking of its own, unless ``pooled``. Where ``truth`` is None it is the column of ``data`` whose
    name leaves no doubt. Tallies made earlier are compared as they are: a ``Paired``,
    a ``PairedScores`` or a mapping of names to ``RankedLists`` in place of ``truth``. ``with_digest`` as in
    ``evaluate``.

    >>> truth = [1] * 50 + [0] * 50
    >>> careful, careless = [1] * 45 + [0] * 55, [1] * 30 + [0] * 45 + [1] * 25
    >>> comparison = compare(truth, {"careful": careful, "careless": careless})
    >>> round(comparison["careful", "careless"]["informedness"].difference, 3)
    0.8
    """
    if isinstance(measures, str):
        raise OptionError(f"measures are a list of spellings, such as [{measures!r}]; saw a text")
    common: dict[str, Any] = {"measures": measures, "level": level, "adjust": adjust, "power": power}
    common["seed"] = seed
    about = {"measures": None if measures is None else ", ".join(measures), "level": level, "adjust": adjust}
    given = {
        "data": data,
        "kind": kind,
        "groups": groups,
        "ids": ids,
        "pooled": pooled or None,
        "labels": labels,
        "positive": positive,
        "weights": weights,
        "weight_kind": weight_kind,
        "abstain": abstain,
        "missing": None if missing == "error" else missing,
        "relevant_from": None if relevant_from == 1 else relevant_from,
        "queries": None if queries == "intersection" else queries,
        "ordered": ordered or None,
        "predictions_made": None if predictions_made == "before" else predictions_made,
        "normalise": normalise or None,
        "horizon": None if horizon == 1 else horizon,
        "method": method,
    }
    if systems is None:
        _refuse_but(given, ("method", "queries"), "with a tally that was made earlier")
        return _of_tallies(truth, common | {"queries": queries}, method, about)
    named = named_systems(systems)
    meant = _kind(kind, named, data)
    source, truth, notices = _opened(data, truth, [*named.values(), groups, ids, weights])
    if meant == "labels":
        _refuse_but(given, OF_LABELS, "with labels")
        from edgeworth.comparing.labels.findings import compare_labels

        paired, name = pair_labels(
            source,
            truth,
            named,
            groups=groups,
            weights=weights,
            weight_kind=weight_kind,
            abstain=abstain,
            missing=missing,
        )
        if positive is not None:
            paired = paired.declare(positive=positive)
        findings = compare_labels(paired, method=method, **common)
    elif meant == "scores":
        _refuse_but(given, OF_SCORES, "with scores")
        columns = {"truth": truth, "groups": groups, "ids": ids, "weights": weights}
        if groups is not None and not pooled:
            _refuse_but(given, OF_QUERIES, "with queries")
            from edgeworth.comparing.queries.findings import compare_queries

            lists, name = read_lists(source, columns, named, positive=positive, relevant_from=relevant_from)
            findings = compare_queries(lists, queries=queries, **common)
        else:
            from edgeworth.comparing.scores.findings import compare_scores

            scored, name = read_scores(source, columns, named, positive, weight_kind, missing)
            findings = compare_scores(scored, method=method, **common)
    else:
        _refuse_but(given, OF_PROBABILITIES, "with probabilities")
        from edgeworth.comparing.forecasts.findings import compare_forecasts

        terms = {"labels": labels, "positive": positive, "normalise": normalise}
        forecasts, units, name = read_forecasts(source, truth, named, groups, terms)
        findings = compare_forecasts(
            forecasts,
            groups=units,
            horizon=horizon,
            ordered=ordered,
            predictions_made=predictions_made,
            **common,
        )
    about |= {"source": name, "kind": meant, "cases": _whole(findings.cases), "seed": seed, "power": power}
    about |= {"truth": truth, "groups": groups, "weights": weights} if data is not None else {}
    about |= {"systems": _told(named, data), "missing": missing, "dropped": findings.dropped}
    is_file = isinstance(data, (str, os.PathLike)) and data != "-"
    about |= {"digest": file_digest(data)} if is_file and with_digest else {}
    return Comparison(findings, about_run(**about), notices)


def _opened(data: Any, truth: Any, others: Sequence[Any]) -> tuple[Source | None, Any, tuple[str, ...]]:
    """Data that can be read, the column of its truth, and what to say where nobody named that one."""
    source = None if data is None else open_source(data)
    if truth is not None:
        return source, truth, ()
    if source is None:
        raise OptionError("truth is needed: the column of real classes")
    wide = [each if isinstance(each, (list, tuple)) else [each] for each in others]
    taken = [name for each in wide for name in each]
    guessed = guess_roles(column_names(source, data), {"prediction": taken})
    if "truth" not in guessed.roles:
        said = " ".join(guessed.sentences) or "truth is needed: the name of the column of real classes"
        raise OptionError(f"{said.rstrip('.')} (--truth)")
    return source, guessed.roles["truth"], guessed.sentences


def _of_tallies(tally: Any, common: dict[str, Any], method: Any, about: dict[str, Any]) -> Comparison:
    """Compare what was tallied earlier."""
    from edgeworth.comparing.forecasts.findings import compare_forecasts
    from edgeworth.comparing.labels.findings import compare_labels
    from edgeworth.comparing.paired_scores import PairedScores
    from edgeworth.comparing.queries.findings import compare_queries
    from edgeworth.comparing.scores.findings import compare_scores
    from edgeworth.forecasts.forecasts import Forecasts
    from edgeworth.rankings.lists import RankedLists

    queries = common.pop("queries")
    if isinstance(tally, Paired):
        findings = compare_labels(tally, method=method, **common)
    elif isinstance(tally, PairedScores):
        findings = compare_scores(tally, method=method, **common)
    elif isinstance(tally, Mapping) and tally and all(isinstance(x, RankedLists) for x in tally.values()):
        findings = compare_queries(tally, queries=queries, **common)
    elif isinstance(tally, Mapping) and tally and all(isinstance(x, Forecasts) for x in tally.values()):
        findings = compare_forecasts(tally, **common)
    else:
        raise OptionError(
            'give truth and systems, compare(truth, {"A": …, "B": …}), or one tally of them all; '
            f"saw {type(tally).__name__}"
        )
    return Comparison(findings, about_run(source="a tally", kind=findings.kind, **about))


def _kind(kind: Kind | None, systems: Mapping[str, Any], data: Any) -> Kind:
    """The kind that was said, or the only one it can be."""
    if kind is not None:
        if kind not in get_args(Kind):
            raise OptionError(f"kind is one of {', '.join(get_args(Kind))}; saw {kind!r}")
        return kind
    if data is not None:
        wide = [not isinstance(columns, str) for columns in systems.values()]
    else:
        wide = [getattr(x, "ndim", 1) == 2 or _has_rows(x) for x in systems.values()]
    if all(wide):
        return "probabilities"
    if any(wide):
        raise OptionError("some systems have one column and some several: are these all of one kind?")
    if any(_is_fractional(_values(x, data)) for x in systems.values()):
        raise OptionError('the systems gave fractions: say kind="scores" or kind="probabilities"')
    return "labels"


def _values(column: Any, data: Any) -> Any:
    """A column of arrays or of a dataframe; what a file holds is not looked at twice."""
    if data is None:
        return column
    try:
        return data[column]
    except (TypeError, KeyError, IndexError, ValueError):
        return ()


def _has_rows(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and bool(values) and isinstance(values[0], (list, tuple))


def _is_fractional(values: Any) -> bool:
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths: said elsewhere
        return False
    return array.dtype.kind == "f" and bool((array[np.isfinite(array)] % 1 != 0).any())


def _is_meant(asked: str, name: str) -> bool:
    """Whether a measure without a label, depth or options means this one."""
    wanted, known = Spelling.parse(asked), Spelling.parse(name)
    return (
        wanted.name == known.name
        and all(getattr(wanted, part) in (None, getattr(known, part)) for part in ("label", "depth"))
        and (not wanted.options or wanted.options == known.options)
    )


def _told(systems: Mapping[str, Any], data: Any) -> str:
    """The systems, with their columns where these are called otherwise."""
    if data is None:
        return ", ".join(systems)
    parts = []
    for name, columns in systems.items():
        said = columns if isinstance(columns, str) else ", ".join(columns)
        parts.append(name if said == name else f"{name} ({said})")
    return "; ".join(parts)


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def _refuse_but(given: Mapping[str, Any], meant: tuple[str, ...], when: str) -> None:
    """Options that would be ignored are refused: who gives them believes in them."""
    for name, value in given.items():
        if value is not None and name not in meant:
            raise OptionError(f"{name}{_option(name)} has no meaning {when}")


def _option(name: str) -> str:
    """The option of the command that says the same, where it is called otherwise."""
    option = {"groups": "group", "ids": "id", "weights": "weight"}.get(name, name).replace("_", "-")
    return f" (--{option})" if option != name else ""


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        write_file(Path(path), text)
    return text
