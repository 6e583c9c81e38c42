"""The second question: which one is better? The verb ``compare``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from edgeworth.comparisons.comparison import Comparison
from edgeworth.core.kinds import kind_of
from edgeworth.core.options import CompareOptions, Options
from edgeworth.errors import InputError, OptionError
from edgeworth.pipeline.call_options import change, with_signature_of
from edgeworth.pipeline.compare_data import (
    compare_columns,
    compare_joined,
    compare_tallies,
    comparison_options,
)
from edgeworth.pipeline.tally_file import is_tally_file, read_tally
from edgeworth.pipeline.tally_record import TallyRecord, holds_tallies
from edgeworth.pipeline.tally_rows import with_named_columns
from edgeworth.sources.alignment import aligned
from edgeworth.sources.integer_names import name_as_text
from edgeworth.sources.joining import name_systems
from edgeworth.sources.opening import open_source


@with_signature_of(CompareOptions)
@aligned
def compare(
    data: object = None, *, truth: object = None, systems: object = None, **given: Unpack[CompareOptions]
) -> Comparison:
    """Compare the labels, scores, probabilities or grades of two or more systems for the same cases.

    Parameters
    ----------
    data : path, dataframe, run logs or tallies, optional
        A file or dataframe that has the columns; several files with ``join``; run logs, or a mapping of names
        to them. What was counted earlier is compared as it is, without ``systems``: a ``Paired``, a
        ``PairedScores``, or a mapping of names to ``RankedLists`` or ``Grades``. A mapping of names to
        ``ContingencyTable`` compares systems judged on different cases. Without ``data``, ``truth`` and
        ``systems`` are arrays.
    truth : array, or name of a column of ``data``
        The actual classes. If left out, the column of ``data`` whose name is unambiguous. Grades need none.
    systems : mapping of names to arrays, or to names of columns of ``data``
        What each system predicted; a list of columns names systems by their columns. With ``join`` or
        ``system``, one column (or the list of each class's columns) that all systems have, or a mapping of
        names to such.

    Returns
    -------
    Comparison
        ``comparison["A", "B"]["informedness"]`` is the difference, first less second: ``.difference``,
        ``.interval(level)``, ``.p_value()``, ``.probability_better``.

    Examples
    --------
    >>> truth = [1] * 50 + [0] * 50
    >>> careful, careless = [1] * 45 + [0] * 55, [1] * 30 + [0] * 45 + [1] * 25
    >>> comparison = compare(truth=truth, systems={"careful": careful, "careless": careless})
    >>> round(comparison["careful", "careless"]["informedness"].difference, 3)
    0.8
    """
    options = with_named_columns(data, change(comparison_options(given), data=data, truth=truth))
    systems = name_as_text(data, {"systems": systems})["systems"]
    if systems is not None:
        is_joined = options["join"] is not None or options["system"] is not None
        return compare_joined(systems, options) if is_joined else compare_columns(systems, options)
    if data is None:
        raise OptionError(
            'give truth and systems, compare(truth=…, systems={"A": …, "B": …}), run logs, or a tally'
        )
    if holds_tallies(data):
        return compare_tallies(data, change(options, data=None))
    return _compare_files(data, options)


def _compare_files(data: object, options: Options) -> Comparison:
    """Compare the systems of run logs, or of tally files."""
    from edgeworth.pipeline.run_items import find_systems
    from edgeworth.pipeline.run_logs import compare_runs

    if tallies := _read_tallies(data):
        single = next(iter(tallies.values())) if len(tallies) == 1 else None
        if single is not None and not kind_of(single.tally).holds_systems:
            raise OptionError("a comparison needs two tallies, or one tally of several systems")
        return compare_tallies(tallies if single is None else single, change(options, data=None))
    systems = find_systems(data, options)
    if not systems:
        data = list(data.values()) if isinstance(data, Mapping) else data
        for table in data if isinstance(data, (list, tuple)) else [data]:
            open_source(table)  # report first what cannot be read
        flags = "--prediction, --score, --probability, --probabilities, --correct, --grade"
        often = ", at least twice" if options["join"] is None and options["system"] is None else ""
        raise OptionError(f"no run log is given: name what to compare (systems=) by one of {flags}{often}")
    return compare_runs(systems, options)


def _read_tallies(data: object) -> dict[str, TallyRecord]:
    """Read tally files by the names of their systems; nothing if some of the data are no tally files."""
    files = data if isinstance(data, (list, tuple, Mapping)) else [data]
    named = dict(files) if isinstance(files, Mapping) else dict(zip(name_systems(files), files, strict=True))
    others = [file for file in named.values() if not is_tally_file(file)]
    if len(others) == len(named):
        return {}
    if others:
        raise InputError(f"{others[0]} is not a tally file, but others are: tally it too (edgeworth tally)")
    return {str(name): read_tally(file) for name, file in named.items()}
