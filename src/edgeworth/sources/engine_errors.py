"""Failures of the libraries that hold the rows, told in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edgeworth.errors import InputError

ENGINES = {
    "dask",
    "distributed",
    "duckdb",
    "_duckdb",
    "ibis",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "sqlframe",
}
"""Libraries whose errors are about the data or the query, and not about us."""


@contextmanager
def engine_errors(name: str) -> Iterator[None]:
    """What an engine, or the disk below it, says in its first line; anything else is raised as it is.

    >>> with engine_errors("frame"):
    ...     raise OSError("the disk is gone")
    Traceback (most recent call last):
    ...
    edgeworth.errors.InputError: frame cannot be computed: the disk is gone
    """
    try:
        yield
    except Exception as error:
        if not isinstance(error, OSError) and type(error).__module__.split(".")[0] not in ENGINES:
            raise
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(f"{name} cannot be computed: {said}") from None
