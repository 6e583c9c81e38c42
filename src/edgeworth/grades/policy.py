"""Policy for grades: the limits that decide what a report shows and which method is used."""

from __future__ import annotations

MAX_ITEMS_PLANNED_EXACTLY = 500
"""Up to this many items, a sample size is planned by the exact test itself, which takes one sum per size."""

MIN_ITEMS_FOR_GAP_WITHOUT_RANGE = 150
"""With fewer items and no known range, rare large grades make a gap between means unreliable."""

PASS_AT_K_DEPTHS = (2, 3, 5, 10, 20, 50, 100)
"""The numbers of tries for which pass@k is shown, as far as every item has them."""

MAX_ITEMS_IN_JSON = 20_000
"""With more items, a JSON report leaves out their grades: it would have more than a megabyte."""
