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

_COUNT_NAMES = {*COUNTS, "NumQ", "NumRet", "NumRel", "NumRelRet"}
"""Their names in trec_eval and in ir_measures."""

_AT_DEPTH = {
    "P": "precision",
    "recall": "recall",
    "ndcg_cut": "ndcg",
    "map_cut": "average_precision",
    "success": "success",
}
"""Families of trec_eval that are written with a depth: ``P.10`` or ``P_10``."""

_FAMILY = re.compile(rf"({'|'.join(_AT_DEPTH)}|iprec_at_recall)(?:[._]([0-9.]+(?:,[0-9.]+)*))?")
"""A family of trec_eval, with its depths or levels of recall if some are named: ``P.5,10``, ``P``."""

_DEPTH = re.compile(rf"({'|'.join(_AT_DEPTH)})[._]([0-9]+)")
_RECALL_LEVEL = re.compile(r"(?:iprec_at_recall[._]|IPrec(?:\(rel=([0-9]+)\))?@)([01](?:\.[0-9]+)?)", re.I)
_DCG = re.compile(r"dcg\s*=\s*['\"]?(exp-log2|log2)['\"]?")
_GAINS = {"exp-log2": "gain=exponential", "log2": "gain=linear"}

_REFUSED = {
    "gm_map": "it is a geometric mean over queries, and reports have arithmetic means; use map, or write the "
    "values per query with --per-query and average their logarithms",
    "gm_bpref": "it is a geometric mean over queries, and reports have arithmetic means; use bpref",
    "infap": "it needs judgements that mark the documents which were pooled but not judged; use map or bpref",
    "compat": "compatibility is not available; use rbp or ndcg",
    "alpha_ndcg": "it needs judgements per subtopic; use ndcg",
    "inst": "it is not available; use rbp or err",
    "utility": "write value@10(gain=1, cost=1), the gain of hits less the cost of looking",
    "relstring": "it is a text, not a number; --per-query writes the values of each query",
}
"""Measures of other tools that Edgeworth does not have, and what to do instead."""

_NO_DEPTH = "it has no depth, so it depends on how long the runs are"

_REFUSED_FOR_RUNS = {
    "set_P": f"{_NO_DEPTH}; use precision at a depth, such as P.10",
    "set_recall": f"{_NO_DEPTH}; use recall at a depth, such as recall.1000",
    "set_F": f"{_NO_DEPTH}; use f@10",
    "set_map": f"{_NO_DEPTH}; use map",
    "set_relative_P": f"{_NO_DEPTH}; use Rprec",
    "relative_P": "use precision or recall at the same depth",
    "Rprec_mult": "use Rprec, or precision at a depth",
    "Rndcg": "use ndcg",
    "ndcg_rel": "use ndcg",
    "binG": "use map or ndcg",
    "G": "use ndcg",
    "num_nonrel_judged_ret": "use Judged@10, the share of the first documents that were judged",
    "runid": "it is a text; the report names each run",
    "official": "name the measures, such as --measure map --measure P.10",
    "all_trec": "leave --measure out for all measures that Edgeworth has",
    "SetP": f"{_NO_DEPTH}; use P@10",
    "SetR": f"{_NO_DEPTH}; use R@1000",
    "SetF": f"{_NO_DEPTH}; use f@10",
    "SetAP": f"{_NO_DEPTH}; use AP",
    "SetRelP": f"{_NO_DEPTH}; use Rprec",
    "NERR8": "use ERR@20",
    "NERR9": "use ERR@20",
    "NERR10": "use ERR@20",
    "NERR11": "use ERR@20",
    "BPM": "use RBP",
    "SDCG": "use nDCG@10",
    "NRBP": "it needs judgements per subtopic; use RBP",
    "INSQ": "use RBP or ERR@20",
    "ERR_IA": "it needs judgements per subtopic; use ERR@20",
    "nERR_IA": "it needs judgements per subtopic; use ERR@20",
    "AP_IA": "it needs judgements per subtopic; use AP",
    "P_IA": "it needs judgements per subtopic; use P@10",
    "MAP_IA": "it needs judgements per subtopic; use MAP",
    "StRecall": "it needs judgements per subtopic; use R@1000",
    "STREC": "it needs judgements per subtopic; use R@1000",
    "nNRBP": "it needs judgements per subtopic; use RBP",
    "alpha_DCG": "it needs judgements per subtopic; use nDCG@10",
    "α_DCG": "it needs judgements per subtopic; use nDCG@10",
    "α_nDCG": "it needs judgements per subtopic; use nDCG@10",
    "Accuracy": "it is the chance that a relevant document ranks above another one; use bpref",
}
"""More of them, whose names mean something else outside of search runs, such as G, or nothing."""

_LONGEST_FIRST = "|".join(sorted(_REFUSED_FOR_RUNS, key=len, reverse=True))
_REFUSED_NAME = re.compile(rf"(?!G@)({_LONGEST_FIRST})(?:[._(@].*)?")
"""One of them, with a depth or options. ``G@10`` is a measure of the decisions at a depth, and stays one."""


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
        grade = f", relevant_from={level[1]}" if level[1] else ""
        return f"interpolated_precision(recall={float(level[2]):g}{grade})"
    name = re.split(r"[@(.]", text, maxsplit=1)[0].lower().replace("-", "_")
    if name in _REFUSED:
        raise OptionError(f"{text} is not supported: {_REFUSED[name]}")
    return _DCG.sub(lambda match: _GAINS[match[1]], text)


def read_run_measures(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Translate the measures of runs, each once; counts are left out, because every report shows them.

    >>> read_run_measures(("map", "num_ret", "P.5,10", "P_5"))
    ('average_precision', 'precision@5', 'precision@10')
    """
    names = [name for text in texts if text not in _COUNT_NAMES for name in _expand_family(text)]
    for name in names:
        refused = _REFUSED_NAME.fullmatch(name)
        if refused:
            raise OptionError(f"{name} is not supported: {_REFUSED_FOR_RUNS[refused[1]]}")
    measures = tuple(dict.fromkeys(map(translate_measure, names)))
    if texts and not measures:
        raise OptionError(
            f"{', '.join(texts)} {'is a count' if len(texts) == 1 else 'are counts'}, which every report "
            "shows: name a measure too, such as --measure map"
        )
    return measures


def _expand_family(text: str) -> list[str]:
    """List the members of a family: those with the depths that are named, or trec_eval's own depths."""
    family = _FAMILY.fullmatch(text)
    if not family:
        return [text]
    if family[2]:
        return [f"{family[1]}_{depth}" for depth in family[2].split(",")]
    return [name for name in TREC_NAMES if name.rpartition("_")[0] == family[1]]
