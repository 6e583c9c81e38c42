"""The cluster of each row as a small whole number, and how tallies write it."""

from __future__ import annotations

import numpy as np

from edgeworth.core.labels import canonical_label, canonical_order, label_positions
from edgeworth.core.serialization import COUNTS, LABELS, Field, dump_fields, load_fields
from edgeworth.sources.columns import MISSING, Coded, as_column, encode


def encode_clusters(clusters: object) -> Coded:
    """Encode clusters, their names in canonical order."""
    column = as_column(clusters, "clusters")
    coded = encode(column, "clusters")
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return coded  # in order by now
    return drop_unused_clusters(Coded(coded.codes, tuple(canonical_label(label) for label in coded.labels)))


def drop_unused_clusters(clusters: Coded) -> Coded:
    """Keep the clusters that have a row, in canonical order; missing ones stay missing."""
    used = np.unique(clusters.codes[clusters.codes != MISSING])
    labels = [clusters.labels[code] for code in used]
    ordered = canonical_order(labels)
    new_codes = np.full(len(clusters.labels) + 1, MISSING, dtype=np.intp)
    new_codes[used] = label_positions(labels, ordered)
    return Coded(new_codes[clusters.codes], ordered)


def join_clusters(first: Coded, second: Coded) -> Coded:
    """Concatenate two columns; a cluster that is in both is one cluster."""
    codes = np.concatenate([first.codes, second.codes + len(first.labels)])
    return drop_unused_clusters(Coded(codes, first.labels + second.labels))


_FIELDS = {"codes": COUNTS, "labels": LABELS}

CLUSTERS = Field(
    "an object (codes, labels)",
    lambda clusters: Coded(**load_fields(_FIELDS, clusters, "the clusters of a tally")),
    lambda clusters: dump_fields(_FIELDS, clusters),
)
"""The field of a tally that holds the clusters of its cases."""
