"""From data, or from a tally, to a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Unpack

from edgeworth.core.kinds import kind_of
from edgeworth.core.options import (
    EvaluateOptions,
    ManyOptions,
    Options,
    ReportOptions,
    options_of,
    select_options,
)
from edgeworth.core.tallies import Tally
from edgeworth.errors import OptionError
from edgeworth.pipeline.call_options import (
    fill_in,
    flag_name,
    refuse_all_but,
    with_signature_of,
)
from edgeworth.pipeline.evaluate_data import evaluate_rows, report_tally
from edgeworth.pipeline.tally_record import TallyRecord, is_tally
from edgeworth.pipeline.tally_rows import canonical_terms, with_named_columns
from edgeworth.report.report import Report
from edgeworth.sources.alignment import aligned

AFTER_COUNTING = (*options_of(ReportOptions), *options_of(ManyOptions), "labels", "positive", "with_digest")
"""Options that mean something with a tally."""


@with_signature_of(EvaluateOptions)
@aligned
def evaluate(data: object = None, **given: Unpack[EvaluateOptions]) -> Report:
    """Evaluate labels, scores, probabilities or grades, with intervals and tests against chance.

    Parameters
    ----------
    data : path, dataframe or tally, optional
        A file (CSV, TSV, Parquet, JSON lines, Arrow; a list of them, a folder, a pattern), a dataframe of any
        library, or what was counted already: a ``ContingencyTable``, a ``Ranking``, what ``ew.tally`` made.
        Also run logs, or a mapping of names to them.
        The options name its columns; without ``data`` they are arrays.

    Returns
    -------
    Report
        ``print(report)``, ``report.verdict``, ``report.to_html(path)``, ``report.to_json(path)``.

    Notes
    -----
    Give one of ``prediction`` (labels), ``score`` (a ranking), ``probabilities`` (forecasts), ``correct``
    (right or wrong) or ``grade`` (points); a run log needs none of them.

    Examples
    --------
    >>> report = evaluate(truth=["a", "b", "b", "a"] * 10, prediction=["a", "b", "a", "a"] * 10)
    >>> report.numbers["estimates"]["informedness"]["value"]
    0.5
    >>> from edgeworth import ContingencyTable
    >>> table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    >>> evaluate(table).numbers["estimates"]["informedness"]["value"]
    0.0
    """
    options = with_named_columns(data, fill_in("evaluate", EvaluateOptions, given))
    if is_tally(data):
        return report_tally(_restated(data, options), options)
    if data is not None and options["truth"] is None:
        from edgeworth.pipeline.run_items import find_systems

        if systems := find_systems(data, options):
            from edgeworth.pipeline.run_logs import evaluate_runs

            return evaluate_runs(systems, options)
    if isinstance(data, Mapping) and data and all(isinstance(x, (str, PathLike)) for x in data.values()):
        raise OptionError("a name (NAME=FILE) is for run logs and for compare: give a table without one")
    return evaluate_rows(data, options)


def _restated(tally: Tally | TallyRecord, options: Options) -> TallyRecord:
    """Declare other labels of a tally, or another one positive, if that needs no new count."""
    tallied = tally if isinstance(tally, TallyRecord) else TallyRecord(tally)
    refuse_all_but(options, AFTER_COUNTING)
    declared = select_options(options, ("labels", "positive"))
    given = {name: value for name, value in declared.items() if value is not None}
    for name in given:
        if name not in kind_of(tallied.tally).redeclared:
            raise OptionError(f"{flag_name(name)} was decided when this was counted: count it anew")
    return replace(tallied, terms={**tallied.terms, **canonical_terms(given)})
