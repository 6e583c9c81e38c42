"""Types of columns that belong together: what two files have to agree on."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from edgeworth.sources.columns import Coded, Column

KINDS = {"i": "numbers", "u": "numbers", "f": "numbers", "b": "booleans", "M": "times", "m": "durations"}
OF_VALUES = {str: "text", bool: "booleans", int: "numbers", float: "numbers", Decimal: "numbers"}


def family_of_type(kind: Any) -> str | None:
    """What a type of Arrow holds; None of a column that holds nothing, which goes with any other.

    >>> import pyarrow as pa
    >>> family_of_type(pa.int8()), family_of_type(pa.dictionary(pa.int8(), pa.string()))
    ('numbers', 'text')
    """
    import pyarrow.types as kinds

    from edgeworth.sources.arrow_columns import is_text

    if kinds.is_dictionary(kind) or kinds.is_run_end_encoded(kind):
        return family_of_type(kind.value_type)
    if kinds.is_null(kind):
        return None
    if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind):
        return "numbers"
    if kinds.is_boolean(kind):
        return "booleans"
    if is_text(kind):
        return "text"
    if kinds.is_date(kind) or kinds.is_timestamp(kind):
        return "times"
    return str(kind)


def family(column: Column) -> str | None:
    """What a column holds; None where it holds nothing, or things of several kinds.

    >>> import numpy as np
    >>> family(np.arange(3)), family(Coded(np.array([-1]), ()))
    ('numbers', None)
    """
    if not isinstance(column, Coded) and column.dtype.kind != "O":
        return KINDS.get(column.dtype.kind)
    values = column.labels if isinstance(column, Coded) else column.tolist()
    found = {OF_VALUES.get(type(value)) for value in values if value is not None}
    return found.pop() if len(found) == 1 else None
