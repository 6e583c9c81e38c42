"""What every test and example shares."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def own_measures_end_with_the_test() -> Iterator[None]:
    """Measures that a test or an example registers are gone afterwards."""
    from edgeworth.core import registry

    before = list(registry._REGISTERED)
    yield
    if before != registry._REGISTERED:
        registry._REGISTERED[:] = before
        registry.measures_by_name.cache_clear()
