"""Names of measures in trec_eval and ir_measures, and what Edgeworth calls the same measure."""

from __future__ import annotations

import re

from edgeworth.errors import OptionError
from edgeworth.rankings.measures import TREC_NAMES

COUNTS = {
    "num_q": "queries",
    "num_ret": "documents retrieved",
    "num_rel": "relevant documents",
    "num_rel_ret": "relevant documents retrieved",
}
"""Counts that trec_eval prints among its measures. Every report on runs shows them."""

_AT_DEPTH = {
    "P": "precision",
    "recall": "recall",
    "ndcg_cut": "ndcg",
    "map_cut": "average_precision",
    "success": "success",
}
"""Families of trec_eval that are written with a depth: ``P.10`` or ``P_10``."""

_DEPTH = re.compile(rf"({'|'.join(_AT_DEPTH)})[._]([0-9]+)")
_RECALL_LEVEL = re.compile(r"(?:iprec_at_recall[._]|IPrec@)([01](?:\.[0-9]+)?)", re.IGNORECASE)
_DCG = re.compile(r"dcg\s*=\s*['\"]?(exp-log2|log2)['\"]?")
_GAINS = {"exp-log2": "gain=exponential", "log2": "gain=linear"}

_REFUSED = {
    "gm_map": "it is a geometric mean over queries, and reports have arithmetic means; use map, or write the "
    "values per query with --per-query and average their logarithms",
    "gm_bpref": "it is a geometric mean over queries, and reports have arithmetic means; use bpref",
    "infap": "it needs the sampling rates of the judgements, which qrels in this format do not have; use map "
    "or bpref",
    "compat": "compatibility is not available; use rbp or ndcg",
    "alpha_ndcg": "it needs judgements per subtopic; use ndcg",
    "inst": "it is not available; use rbp or err",
    "utility": "write value@10(gain=1, cost=1), the gain of hits less the cost of looking",
    "relstring": "it is a text, not a number; --per-query writes the values of each query",
}
"""Measures of other tools that Edgeworth does not have, and what to do instead."""


def translate_measure(text: str) -> str:
    """Return our spelling of a measure that is written as trec_eval or ir_measures do.

    Other spellings are returned unchanged.

    >>> translate_measure("ndcg_cut.10"), translate_measure("P_7"), translate_measure("IPrec@0.1")
    ('ndcg@10', 'precision@7', 'interpolated_precision(recall=0.1)')
    >>> translate_measure("nDCG(dcg='exp-log2')@10"), translate_measure("informedness@5")
    ('nDCG(gain=exponential)@10', 'informedness@5')
    """
    measure = TREC_NAMES.get(text)
    if measure is not None:
        return measure
    at_depth = _DEPTH.fullmatch(text)
    if at_depth:
        return f"{_AT_DEPTH[at_depth[1]]}@{at_depth[2]}"
    level = _RECALL_LEVEL.fullmatch(text)
    if level:
        return f"interpolated_precision(recall={float(level[1]):g})"
    name = re.split(r"[@(.]", text, maxsplit=1)[0].lower().replace("-", "_")
    if name in _REFUSED:
        raise OptionError(f"{text} is not supported: {_REFUSED[name]}")
    return _DCG.sub(lambda match: _GAINS[match[1]], text)


def split_counts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out the counts among the requested measures, because every report shows them."""
    measures = tuple(translate_measure(text) for text in texts if text not in COUNTS)
    if texts and not measures:
        raise OptionError(
            f"{', '.join(texts)} {'is a count' if len(texts) == 1 else 'are counts'}, which every report "
            "shows: name a measure too, such as --measure map"
        )
    return measures
