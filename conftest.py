"""What every test and example shares."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

# Commands write a line after ten seconds, so what a test reads would depend on how busy the machine is.
os.environ["EDGEWORTH_PROGRESS"] = "off"


@pytest.fixture(autouse=True)
def registrations_end_with_the_test() -> Iterator[None]:
    """Remove the measures and run log readers that a test or an example registered."""
    from edgeworth.core import registry
    from edgeworth.sources.runs.reading import READERS

    measures, readers = list(registry._REGISTERED), list(READERS)
    yield
    READERS[:] = readers
    if measures != registry._REGISTERED:
        registry._REGISTERED[:] = measures
        registry.measures_by_name.cache_clear()
        registry._names_by_letters.cache_clear()
