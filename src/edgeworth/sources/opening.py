"""From what the caller calls data to a source."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from edgeworth.errors import InputError
from edgeworth.sources.batches import Source

NOT_TEXT = {".parquet", ".json", ".jsonl", ".arrow", ".feather", ".xlsx", ".xls"}
"""Endings that promise something other than delimited text; any other file is tried as text."""


def open_source(data: Any) -> Source:
    """A path, or a dataframe of any kind."""
    if isinstance(data, (str, os.PathLike)):
        path = Path(data)
        if path.suffix.lower() in NOT_TEXT:
            raise InputError(
                f"{path} is not delimited text: read it into a dataframe and pass that, or save it as CSV"
            )
        from edgeworth.sources.delimited import DelimitedSource

        return DelimitedSource(path)
    from edgeworth.sources.frames import FrameSource

    return FrameSource(data)
