"""Every error that input or options can cause."""

from collections.abc import Mapping
from numbers import Integral

from edgeworth.common.escaping import visible


class EdgeworthError(ValueError):
    """An error that input or options cause; the base class of the others.

    A message states what was found, what was needed and what to do. Control characters in names are shown as
    visible symbols, because a traceback writes the message to a terminal.

    Examples
    --------
    >>> import edgeworth as ew
    >>> try:
    ...     ew.evaluate(truth=[1, 0], prediction=[1])
    ... except ew.EdgeworthError as error:
    ...     print(error)
    columns must have the same number of rows: truth has 2, prediction has 1
    """

    def __str__(self) -> str:
        return visible(super().__str__())


class InputError(EdgeworthError):
    """An error in the data: they cannot be read, or do not fit together.

    Examples
    --------
    >>> from edgeworth import ContingencyTable
    >>> try:
    ...     ContingencyTable.from_matrix([[3, -1], [0, 4]], rows="predicted")
    ... except InputError as error:
    ...     print(error)
    counts must be finite and at least 0; saw -1
    """


class UnmatchedError(InputError):
    """An error when rows of joined tables have no partner.

    :meta private:
    """

    def __init__(self, message: str, unmatched: Mapping[str, tuple[int, str]]) -> None:
        super().__init__(message)
        self.unmatched = unmatched
        """How many rows of each system have no partner, and the ids of the first ones."""


class OptionError(EdgeworthError):
    """An error in a measure's spelling, a method or an option: it does not exist or does not apply.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[3, 1], [0, 4]], rows="predicted")
    >>> try:
    ...     ew.measure(table, "recal")
    ... except OptionError as error:
    ...     print(str(error)[:48])
    there is no measure 'recal'; did you mean recall
    """


class MergeError(EdgeworthError):
    """An error when two tallies cannot be added.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_labels([1, 0], [1, 1])
    >>> try:
    ...     ew.TallyRecord.merge([table, ew.Ranking.from_hits([1, 0])])
    ... except MergeError as error:
    ...     print(error)
    Python holds labels, Python holds a ranking: they do not merge
    """


def check_whole(value: object, what: str, least: int, kind: type[int] | type[Integral] = int) -> None:
    """Raise an error unless a value is a whole number of at least ``least``.

    :meta private:
    """
    if isinstance(value, bool) or not isinstance(value, kind) or int(value) < least:
        raise OptionError(f"{what} is a whole number of at least {least}; saw {value!r}")


class MissingExtraError(EdgeworthError):
    """An error when a part of Edgeworth needs libraries that are not installed.

    Parameters
    ----------
    purpose : str
        What needs the libraries.
    extra : str
        The extra to install.

    Examples
    --------
    >>> print(MissingExtraError("Spark", "spark"))
    Spark needs libraries that are not installed: pip install 'edgeworth[spark]'
    """

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs libraries that are not installed: pip install 'edgeworth[{extra}]'"
        )
        self._arguments = purpose, extra

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the arguments, because a worker process sends its errors to another process."""
        return type(self), self._arguments
