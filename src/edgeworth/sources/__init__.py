"""The only input: arrays, dataframes and files, as batches of named columns."""

from typing import TYPE_CHECKING

from edgeworth.lazy_names import lazy_names

if TYPE_CHECKING:
    from edgeworth.sources.arrays import ArraySource
    from edgeworth.sources.batches import Batch, Counting, Folding, Source, added, fold
    from edgeworth.sources.columns import BLOCK_ROWS, Coded, Column, Label
    from edgeworth.sources.opening import open_source
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "arrays": ("ArraySource",),
            "batches": ("Batch", "Counting", "Folding", "Source", "added", "fold"),
            "columns": ("BLOCK_ROWS", "Coded", "Column", "Label"),
            "opening": ("open_source",),
        },
    )

__all__ = [
    "BLOCK_ROWS",
    "ArraySource",
    "Batch",
    "Coded",
    "Column",
    "Counting",
    "Folding",
    "Label",
    "Source",
    "added",
    "fold",
    "open_source",
]
