"""The first half of an evaluation: from data to a tally that knows how it was counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from edgeworth.core.labels import canonical
from edgeworth.core.policies import Missing, PredictionsMade
from edgeworth.decisions.reading import decisions_reducer, tally_decisions
from edgeworth.errors import OptionError
from edgeworth.forecasts.reading import ForecastTerms
from edgeworth.rankings.reading import lists_reducer, scores_reducer, tally_lists, tally_ranking
from edgeworth.rankings.scores.sorted_scores import Bins
from edgeworth.sources.batches import Reducer, Source
from edgeworth.sources.columns import Label
from edgeworth.sources.digests import combine_digests, file_digests
from edgeworth.sources.numbers import WeightKind
from edgeworth.sources.opening import open_source
from edgeworth.sources.roles import FORMS, find_source, guess_roles, weights_are_whole
from edgeworth.tallied import Origin, Part, Tallied, dropped_rows, marked

if TYPE_CHECKING:
    from edgeworth.bet.bookmakers import Bookmaker


Kind: TypeAlias = Literal["labels", "several", "scores", "lists", "probabilities"]

TERMS = {
    "labels": ("missing", "positive", "labels", "abstain", "weight_kind"),
    "several": ("missing", "positive", "abstain", "weight_kind"),
    "scores": ("missing", "positive", "weight_kind", "cells"),
    "lists": ("missing", "positive", "relevant_from"),
    "probabilities": (
        "labels",
        "positive",
        "normalise",
        "ordinal",
        "ordered",
        "stake",
        "predictions_made",
        "bookmaker",
    ),
}
"""The terms of what is counted, but for its columns."""

ONE_FORM = "give one of prediction (labels), score (a ranking) or probabilities (forecasts)"


@dataclass(frozen=True)
class CountingTerms:
    """The words of ``evaluate`` and ``tally`` that say what is counted."""

    truth: Any = None
    prediction: Any = None
    score: Any = None
    probabilities: Any = None
    against: Any = None
    odds: Any = None
    bookmaker: Bookmaker | None = None
    time: Any = None
    ordered: bool = False
    predictions_made: PredictionsMade | None = None
    stake: float | None = None
    normalise: bool = False
    ordinal: bool = False
    group: Any = None
    id: Any = None
    weight: Any = None
    weight_kind: WeightKind | None = None
    labels: Sequence[Label] | None = None
    positive: Label | None = None
    abstain: Label | None = None
    missing: Missing = "error"
    cells: Bins = None
    relevant_from: int | None = None

    @property
    def kind(self) -> Kind:
        """What kind of prediction it is; options that mean nothing with it are refused."""
        given = [self.prediction is not None, self.score is not None, self.probabilities is not None]
        if sum(given) != 1:
            raise OptionError(ONE_FORM)
        if self.probabilities is not None:
            self._check_probabilities()
            return "probabilities"
        self._refuse("without probabilities", "against", "odds", "bookmaker", "time", "stake")
        self._refuse("without probabilities", "predictions_made", "ordered", "normalise", "ordinal")
        if self.prediction is not None:
            self._refuse("with a prediction", "id", "cells", "relevant_from")
            return "several" if isinstance(self.prediction, Mapping) else "labels"
        return self._checked_scores()

    @property
    def threshold(self) -> int:
        """The smallest grade that makes a target."""
        return 1 if self.relevant_from is None else self.relevant_from

    def forecast_terms(self, *, level: float = 0.95, seed: int = 0) -> ForecastTerms:
        """What is said about probabilities, with what is left out filled in."""
        return ForecastTerms(
            labels=self.labels,
            positive=self.positive,
            normalise=self.normalise,
            ordered=self.ordered or self.time is not None,
            predictions_made=self.predictions_made or "before",
            fraction=1.0 if self.stake is None else self.stake,
            ordinal=self.ordinal,
            level=level,
            seed=seed,
        )

    def _check_probabilities(self) -> None:
        when = "with probabilities"
        self._refuse(when, "group", "id", "weight", "weight_kind", "cells", "abstain", "relevant_from")
        if self.missing != "error":
            raise OptionError("missing values among probabilities are errors: drop such rows beforehand")
        if sum(x is not None for x in (self.against, self.odds, self.bookmaker)) > 1:
            raise OptionError("bet against one of them: against (probabilities), odds or bookmaker")

    def _checked_scores(self) -> Kind:
        self._refuse("with a score", "labels", "abstain")
        if self.missing == "abstain":
            raise OptionError(
                'missing is "error" or "drop" with scores: a score is no decision to abstain from'
            )
        if self.group is None:
            self._refuse("without groups", "id", "relevant_from")
            return "scores"
        self._refuse("with groups", "weight", "weight_kind", "cells")
        if self.missing != "error":
            raise OptionError("missing values in ranked lists are errors: drop such rows beforehand")
        return "lists"

    def _refuse(self, when: str, *names: str) -> None:
        refuse(when, **{name: getattr(self, name) for name in names})


def refuse(when: str, **options: Any) -> None:
    """Options that would be ignored are refused: who gives them believes in them."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise OptionError(f"{name}{option_of(name)} has no meaning {when}")


def option_of(name: str) -> str:
    """The option of the command that says the same as a word of Python, where it is spelt otherwise.

    >>> option_of("predictions_made"), option_of("measures"), option_of("time")
    (' (--predictions-made)', ' (--measure)', '')
    """
    option = {"measures": "measure"}.get(name, name).replace("_", "-")
    return f" (--{option})" if option != name else ""


# What one kind of prediction needs is imported when there is such a one, as in what comes after.

OTHER_ROLES = ("truth", "group", "id", "weight", "against", "odds", "time")
"""Columns that are taken, beside those of predictions."""

TOLD_COLUMNS = 12


def tally(
    data: Any = None,
    *,
    truth: Any = None,
    prediction: Any = None,
    score: Any = None,
    probabilities: Any = None,
    against: Any = None,
    odds: Any = None,
    bookmaker: Bookmaker | None = None,
    time: Any = None,
    ordered: bool = False,
    predictions_made: PredictionsMade | None = None,
    stake: float | None = None,
    normalise: bool = False,
    ordinal: bool = False,
    group: Any = None,
    id: Any = None,  # the word of the command and of the column
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
    cells: Bins = None,
    relevant_from: int | None = None,
    rows_before: int | None = None,
    engine: str | None = None,
    master: str | None = None,
) -> Tallied:
    """Count one part of the data, to be merged with others and reported on later; words as in ``evaluate``.

    What is merged tells the same as what was counted in one piece: ``ew.merge_tallies`` adds parts up,
    ``ew.evaluate_tally`` reports, ``ew.write_tally`` and ``ew.read_tally`` make it a file. ``prediction`` may
    be a mapping of names to columns: several predictors, to be compared. ``rows_before`` says how many rows
    of a path in time come before these; left out, merged tallies follow each other as they are given.
    Probabilities without a rival (``against``, ``odds``, ``bookmaker``) are reported on, but do not merge.

    >>> tally(truth=["a", "b", "b"], prediction=["a", "b", "a"])
    <Tallied: labels, 3 rows>
    """
    counting = CountingTerms(
        truth=truth,
        prediction=prediction,
        score=score,
        probabilities=probabilities,
        against=against,
        odds=odds,
        bookmaker=bookmaker,
        time=time,
        ordered=ordered,
        predictions_made=predictions_made,
        stake=stake,
        normalise=normalise,
        ordinal=ordinal,
        group=group,
        id=id,
        weight=weight,
        weight_kind=weight_kind,
        labels=labels,
        positive=positive,
        abstain=abstain,
        missing=missing,
        cells=cells,
        relevant_from=relevant_from,
    )
    if rows_before is not None:
        is_whole = isinstance(rows_before, (int, np.integer)) and not isinstance(rows_before, bool)
        if not is_whole or rows_before < 0:
            raise OptionError(f"rows_before is a whole number of at least 0; saw {rows_before!r}")
    return _travelling(Opened.of(data, counting, engine, master), rows_before)


@dataclass(frozen=True)
class Opened:
    """Data that can be read, with a column for every role that is needed."""

    source: Source | None
    """None of arrays, which are in ``counting`` itself."""
    counting: CountingTerms
    notices: tuple[str, ...] = ()
    with_digest: bool = True

    @classmethod
    def of(
        cls,
        data: Any,
        counting: CountingTerms,
        engine: str | None = None,
        master: str | None = None,
        *,
        with_digest: bool = True,
    ) -> Self:
        """Open data, and take columns whose names leave no doubt where nobody named them."""
        if data is None:
            if engine is not None or master is not None:
                raise OptionError("an engine reads files; these are arrays")
            return cls(None, counting)
        source = open_source(data, engine=engine, master=master)
        counting, notices = with_guesses(column_names(source, data), counting, source.name)
        return cls(source, counting, notices, with_digest)

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The SHA-256 of each file that is read, if wanted; none of what is no file, or too large."""
        return file_digests(getattr(self.source, "paths", ())) if self.with_digest else ()

    def roles(self) -> tuple[Source, dict[str, str]]:
        """The source, and which of its columns plays which role."""
        counting = self.counting
        if counting.kind == "several":
            from edgeworth.comparing.reading import roles_of_pairs

            given = counting.prediction
            roles = roles_of_pairs(counting.truth, given, groups=counting.group, weights=counting.weight)
            return find_source(self.source, ("truth",), **roles)
        judged = "prediction" if counting.kind == "labels" else "score"
        names = ("truth", judged, "group", "id", "weight")
        return find_source(
            self.source, ("truth", judged), **{name: getattr(counting, name) for name in names}
        )

    def tallied(self, found: Any, name: str, columns: Mapping[str, Any], **known: Any) -> Tallied:
        """What was counted, with where it came from."""
        rows = known.pop("rows", None)
        part = Part(name, combine_digests(self.digests), rows, dropped_rows(found))
        origin = Origin((part,), rows=rows)
        return Tallied(found, terms_of(self.counting, columns), origin, notices=self.notices, **known)


def _travelling(opened: Opened, rows_before: int | None) -> Tallied:
    """Count what can be merged: labels of text stay text, no class is the target yet, rows are counted."""
    counting = opened.counting
    if counting.kind == "probabilities":
        if counting.time is not None:
            raise OptionError(
                "time puts all rows in order at once: count files that are in time order, with ordered "
                "(--ordered)"
            )
        found = tally_probabilities(opened, int(rows_before or 0))
        rows = found.tally.cases
        parts = tuple(replace(part, rows=rows) for part in found.origin.parts)
        origin = replace(found.origin, parts=parts, rows=rows)
        return marked(replace(found, origin=origin, has_start_row=rows_before is not None), opened.digests)
    if rows_before is not None:
        word = f"rows_before{option_of('rows_before')}"
        raise OptionError(f"{word} has no meaning without probabilities: nothing else has an order")
    source, columns = opened.roles()
    weight_kind, whole = counting.weight_kind, None
    if "weight" in columns and weight_kind is None:
        whole, weight_kind = weights_are_whole(source, columns["weight"]), "sampling"
    counted = _reducer(counting, columns, source.is_text, weight_kind).with_rows().fold(source)
    known = {"rows": counted.rows, "is_text": source.is_text, "has_whole_weights": whole}
    return marked(opened.tallied(counted.tally, source.name, columns, **known), opened.digests)


def whole_tally(opened: Opened) -> Tallied:
    """Count what is there and nothing else will come: the shortest way to what a report needs."""
    counting = opened.counting
    if counting.kind == "probabilities":
        return tally_probabilities(opened)
    source, columns = opened.roles()
    options: dict[str, Any] = {"missing": counting.missing, "weight_kind": counting.weight_kind}
    found: Any
    if counting.kind == "labels":
        found = tally_decisions(source, columns, abstain=counting.abstain, **options)
    elif counting.kind == "scores":
        options |= {"positive": counting.positive, "bins": counting.cells}
        found = tally_ranking(source, columns, **options)
    elif counting.kind == "lists":
        found = tally_lists(source, columns, positive=counting.positive, relevant_from=counting.threshold)
    else:
        raise OptionError("several predictions are compared: ew.compare (edgeworth compare)")
    return opened.tallied(found, source.name, columns)


def tally_probabilities(opened: Opened, rows_before: int = 0) -> Tallied:
    """Let the model bet and score both: what of it can be added up is all that a report needs."""
    from edgeworth.forecasts.reading import read_forecasts

    counting, source = opened.counting, opened.source
    terms, time = counting.forecast_terms(), counting.time
    if source is None and isinstance(time, str):
        raise OptionError(f"time={time!r} names a column, but there is no data to find it in")
    found = read_forecasts(
        source,
        counting.truth,
        counting.probabilities,
        counting.against,
        counting.odds,
        counting.bookmaker,
        time,
        terms,
        first=rows_before,
    )
    columns = {"time": time if isinstance(time, str) or time is None else "an array"}
    if source is not None:
        roles = {"truth": counting.truth, "probabilities": counting.probabilities}
        roles |= {"rival": counting.against, "odds": counting.odds}
        columns |= {role: columns_said(names) for role, names in roles.items() if names is not None}
    named = {role: name for role, name in columns.items() if name is not None}
    return opened.tallied(found, "arrays" if source is None else source.name, named)


def columns_said(columns: Any) -> str:
    """One column, or several, in one text."""
    return columns if isinstance(columns, str) else ", ".join(map(str, columns))


def column_names(source: Source, data: Any) -> list[str]:
    """What the columns are called, as far as is known without reading."""
    names = getattr(source, "names", None)
    if names is None:
        names = getattr(data, "column_names", None) or getattr(data, "columns", None)
    return [] if names is None or callable(names) else [name for name in names if isinstance(name, str)]


def with_guesses(
    names: Sequence[str], counting: CountingTerms, source: str = "the data"
) -> tuple[CountingTerms, tuple[str, ...]]:
    """Columns for the roles that nobody gave, and what to say about it; where there is doubt, an error.

    >>> with_guesses(["y_true", "y_pred"], CountingTerms())[1]
    ("Took 'y_true' as truth and 'y_pred' as prediction.",)
    """
    given = {role: getattr(counting, role) for role in (*FORMS, *OTHER_ROLES)}
    if given["truth"] is not None and any(given[form] is not None for form in FORMS):
        return counting, ()
    guessed = guess_roles(names, given)
    roles: dict[str, Any] = dict(guessed.roles)
    counting = replace(counting, **roles)
    said, doubts = guessed.sentences[: bool(roles)], guessed.sentences[bool(roles) :]
    if doubts:
        raise OptionError(" ".join(doubts))
    seen = f"{source} has the columns {_some(names)}: " if names else ""
    if counting.truth is None:
        raise OptionError(f"{seen}truth is needed, the name of the column of real classes (--truth COLUMN)")
    if all(getattr(counting, form) is None for form in FORMS):
        raise OptionError(f"{seen}{ONE_FORM}, as --prediction COLUMN, --score COLUMN or --probability COLUMN")
    return counting, said


def _some(names: Sequence[str]) -> str:
    """Names of columns for a sentence, not more than can be read."""
    more = len(names) - TOLD_COLUMNS
    return ", ".join(names[:TOLD_COLUMNS]) + (f" and {more:,} more" if more > 0 else "")


def terms_of(counting: CountingTerms, columns: Mapping[str, Any]) -> dict[str, Any]:
    """What must be the same in tallies that are merged, and what a report of them says.

    However the caller wrote it, the same terms are the same value, in memory and from a file.

    >>> terms_of(CountingTerms(prediction=[1], labels=np.array([0, 1])), {})["labels"]
    [0, 1]
    """
    kind = counting.kind
    terms = {name: getattr(counting, name) for name in TERMS[kind]} | {"columns": dict(columns)}
    if kind == "lists":
        terms |= {"relevant_from": int(counting.threshold)}
    if kind == "probabilities":
        forecast = counting.forecast_terms()
        bookmaker = None if counting.bookmaker is None else repr(counting.bookmaker)
        terms |= {"stake": float(forecast.fraction), "bookmaker": bookmaker}
        terms |= {name: bool(getattr(forecast, name)) for name in ("normalise", "ordinal", "ordered")}
    return {name: _canonical_term(name, value) for name, value in terms.items() if value is not None}


def _canonical_term(name: str, value: Any) -> Any:
    """Labels and cells in one form, whatever they were written as."""
    if name in ("positive", "abstain"):
        return canonical(value)
    if name == "labels":
        return [canonical(label) for label in value]
    return np.asarray(value).tolist() if name == "cells" else value


def _reducer(
    counting: CountingTerms, columns: dict[str, str], is_text: bool, weight_kind: WeightKind | None
) -> Reducer[Any]:
    options: dict[str, Any] = {"weight_kind": weight_kind, "missing": counting.missing}
    if counting.kind == "labels":
        return decisions_reducer(columns, is_text=is_text, abstain=counting.abstain, **options)
    if counting.kind == "several":
        from edgeworth.comparing.reading import pairs_reducer

        systems = tuple(counting.prediction)
        return pairs_reducer(columns, systems, is_text=is_text, abstain=counting.abstain, **options)
    if counting.kind == "scores":
        return scores_reducer(columns, bins=counting.cells, **options)
    if counting.kind == "lists":
        return lists_reducer(columns, positive=counting.positive, relevant_from=counting.threshold)
    raise OptionError("tallies of probabilities are not counted here")
