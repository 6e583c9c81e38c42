"""The measures of rankings, with everything the product says about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeworth.arrays import Values
from edgeworth.core.measures import Measure, Option, Requirement
from edgeworth.rankings.formulas import formulas as ranked
from edgeworth.rankings.formulas.tie_groups import TieGroups

SU_ZHANG = "Su & Zhang, Statistical Inference for Recall, Precision and Average Precision"
TREC = "Buckley & Voorhees, trec_eval"
EVERY_POLICY = ("expected", "threshold", "trec", "input", "best", "worst")
ORDER_POLICIES = ("expected", "trec", "input")


def _background(groups: TieGroups) -> Values:
    return np.asarray(groups.ranked - groups.summed(groups.hits) > 0)


TARGETS = Requirement(lambda groups: groups.targets > 0, "there are no targets")
BACKGROUND = Requirement(_background, "every ranked item is a target")
ITEMS = Requirement(lambda groups: groups.items > 0, "how many items there are is not known")
JUDGED = Requirement(
    lambda groups: np.full(groups.number, groups.judgements is not None),
    "it needs judged lists in a strict order: RankedLists, with ties=trec or ties=input",
)


def _ties(*choices: str) -> Option:
    return Option(choices[0], choices=choices)


def _adapted(compute: Any, depth: str) -> Any:
    """A formula that is the same under every policy for ties: the tie groups make the difference."""

    def computed(groups: TieGroups, at: Values | None, _ties: str, **options: Any) -> Values:
        return np.asarray(compute(groups, **options) if depth == "none" else compute(groups, at, **options))

    return computed


def _entry(name: str, formula: str, compute: Any, *, chance: str, source: str = TREC, **more: Any) -> Measure:
    return Measure(
        name=name,
        scope="ranking",
        kind="rankings",
        formula=formula,
        low=more.pop("low", 0.0),
        high=more.pop("high", 1.0),
        chance=chance,
        direction=more.pop("direction", "higher"),
        source=source,
        compute=compute
        if compute is ranked.average_precision
        else _adapted(compute, more.get("depth", "none")),
        needs=more.pop("needs", (TARGETS,)),
        **more,
    )


GAIN = {"gain": Option(1.0), "cost": Option(0.1, 0.0)}

MEASURES = (
    _entry(
        "average_precision",
        "(1/m) Σ_i i/T_i, T_i the rank of the i-th of m targets",
        ranked.average_precision,
        chance="m/n + (n − m)(H_n − 1)/(n(n − 1)), H_n = Σ 1/k",
        source=SU_ZHANG,
        synonyms=("ap", "map", "mean average precision", "map_cut", "auprc"),
        options={"ties": _ties(*EVERY_POLICY), "over": Option("targets", choices=("targets", "reachable"))},
        depth="optional",
        allows_weights=True,
    ),
    _entry(
        "roc_auc",
        "P(a target's score > a background score) + ½ P(they are equal)",
        ranked.roc_area,
        chance="½",
        source="Hanley & McNeil 1982; DeLong et al. 1988",
        synonyms=("roc area", "area under the curve", "auc", "auroc", "c statistic", "concordance"),
        needs=(TARGETS, BACKGROUND),
        options={"ties": _ties(*ORDER_POLICIES)},
        allows_weights=True,
    ),
    _entry(
        "pr_auc",
        "∫ precision d recall, hits and false alarms growing in proportion between cuts",
        ranked.pr_area,
        chance="about m/n",
        source="Davis & Goadrich 2006",
        synonyms=("pr area", "precision-recall area"),
        options={"ties": _ties(*ORDER_POLICIES)},
        allows_weights=True,
        has_mean_chance=False,
    ),
    _entry(
        "hits",
        "h(t), the targets among the first t items",
        ranked.hits,
        chance="t m/n",
        source=SU_ZHANG,
        high=np.inf,
        synonyms=("hit curve", "true positives at k"),
        options={"ties": _ties(*ORDER_POLICIES)},
        depth="required",
        allows_weights=True,
        needs=(),
    ),
    _entry(
        "r_precision",
        "h(m)/m",
        ranked.r_precision,
        chance="m/n",
        synonyms=("rprec", "r precision"),
        options={"ties": _ties(*ORDER_POLICIES)},
        allows_weights=True,
    ),
    _entry(
        "interpolated_precision",
        "the largest precision at any cut with at least the recall",
        ranked.interpolated_precision,
        chance="above m/n",
        synonyms=("iprec_at_recall",),
        options={"recall": Option(0.5, 0.0, 1.0), "ties": _ties("threshold", "trec", "input")},
        allows_weights=True,
        has_mean_chance=False,
    ),
    _entry(
        "eleven_point_precision",
        "mean of interpolated precision at recall 0, 0.1, …, 1",
        ranked.eleven_point_precision,
        chance="above m/n",
        synonyms=("11pt_avg", "11-point average"),
        options={"ties": _ties("threshold", "trec", "input")},
        allows_weights=True,
        has_mean_chance=False,
    ),
    _entry(
        "reciprocal_rank",
        "1/T_1, or 0 when no target is found",
        ranked.reciprocal_rank,
        chance="E[1/T_1] of a random order",
        synonyms=("rr", "mrr", "recip_rank"),
        options={"ties": _ties(*ORDER_POLICIES)},
        depth="optional",
    ),
    _entry(
        "success",
        "1 when a target is among the first t items, else 0",
        ranked.success,
        chance="1 − C(n − t, m)/C(n, m)",
        synonyms=("hit rate at k", "success at k"),
        options={"ties": _ties(*ORDER_POLICIES)},
        depth="required",
    ),
    _entry(
        "ndcg",
        "Σ gain/log₂(rank + 1), over the same of the best order",
        ranked.ndcg,
        chance="mean gain times Σ 1/log₂(rank + 1), over that of the best order",
        source="Järvelin & Kekäläinen 2002; Burges et al. 2005 (exponential gain)",
        synonyms=("normalized discounted cumulative gain", "ndcg_cut", "dcg"),
        options={
            "gain": Option("linear", choices=("linear", "exponential")),
            "ties": _ties(*ORDER_POLICIES),
        },
        depth="optional",
        uses_grades=True,
    ),
    _entry(
        "bpref",
        "(1/m) Σ over hits of 1 − min(judged background above, m)/min(m, judged background)",
        ranked.bpref,
        chance="depends on what was judged",
        source="Buckley & Voorhees 2004",
        synonyms=("binary preference",),
        options={"ties": _ties("trec", "input")},
        needs=(TARGETS, JUDGED),
        has_mean_chance=False,
    ),
    _entry(
        "rbp",
        "(1 − p) Σ over hits of p^(rank − 1)",
        ranked.rbp,
        chance="m/n (1 − p^n)",
        source="Moffat & Zobel 2008",
        synonyms=("rank-biased precision",),
        options={"persistence": Option(0.8, 1e-6, 1 - 1e-9), "ties": _ties(*ORDER_POLICIES)},
        depth="optional",
    ),
    _entry(
        "enrichment_factor",
        "precision in the first ⌈fraction · n⌉ items, over m/n",
        ranked.enrichment_factor,
        chance="1",
        source="Truchon & Bayly 2007",
        high=np.inf,
        synonyms=("ef", "early enrichment"),
        options={"fraction": Option(0.01, 1e-9, 1.0), "ties": _ties(*ORDER_POLICIES)},
        needs=(TARGETS, ITEMS),
    ),
    _entry(
        "value",
        "gain · h(t) − cost · t",
        ranked.value,
        chance="t (gain · m/n − cost)",
        source=SU_ZHANG,
        low=-np.inf,
        high=np.inf,
        synonyms=("value at depth", "profit"),
        options=GAIN | {"ties": _ties(*ORDER_POLICIES)},
        depth="required",
        allows_weights=True,
        needs=(),
    ),
    _entry(
        "best_value",
        "the largest gain · h(t) − cost · t over all t, at least 0",
        ranked.best_value,
        chance="above the value of a random order at any one depth",
        source=SU_ZHANG,
        high=np.inf,
        options=GAIN | {"ties": _ties(*ORDER_POLICIES)},
        allows_weights=True,
        has_mean_chance=False,
        needs=(),
    ),
    _entry(
        "best_depth",
        "the smallest t with the best value; 0 when looking never pays",
        ranked.best_depth,
        chance="depends on gain and cost",
        source=SU_ZHANG,
        high=np.inf,
        direction="neither",
        options=GAIN | {"ties": _ties(*ORDER_POLICIES)},
        allows_weights=True,
        has_mean_chance=False,
        needs=(),
    ),
    _entry(
        "best_informedness",
        "max over cuts of recall − fallout",
        ranked.best_informedness,
        chance="above 0: the best of many cuts is partly luck",
        source="Youden 1950; Kolmogorov & Smirnov",
        synonyms=("kolmogorov-smirnov", "ks statistic", "maximal youden index"),
        needs=(TARGETS, BACKGROUND),
        options={"ties": _ties("expected", "trec", "input")},
        allows_weights=True,
        has_mean_chance=False,
    ),
)


def _at(name: str, trec_name: str, depths: tuple[int, ...]) -> dict[str, str]:
    return {f"{trec_name}_{depth}": f"{name}@{depth}" for depth in depths}


DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

TREC_NAMES = {
    "map": "average_precision",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "recip_rank": "reciprocal_rank",
    "11pt_avg": "eleven_point_precision",
    "ndcg": "ndcg",
    **_at("precision", "P", DEPTHS),
    **_at("recall", "recall", DEPTHS),
    **_at("ndcg", "ndcg_cut", DEPTHS),
    **_at("average_precision", "map_cut", DEPTHS),
    **_at("success", "success", (1, 5, 10)),
    **{
        f"iprec_at_recall_{level / 10:.2f}": f"interpolated_precision(recall={level / 10:g})"
        for level in range(11)
    },
}
"""trec_eval's names, and ours."""
