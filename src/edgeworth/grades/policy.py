"""Policy for grades: the limits that decide what a report shows and which method is used."""

from __future__ import annotations

MAX_ITEMS_PLANNED_EXACTLY = 500
"""Up to this many items, a sample size is planned by the exact test itself, which takes one sum per size."""

PASS_AT_K_DEPTHS = (2, 3, 5, 10, 20, 50, 100)
"""The numbers of tries for which pass@k is shown, as far as every item has them."""
