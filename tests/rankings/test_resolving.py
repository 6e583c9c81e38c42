"""How a measure of a ranking is asked for: depths, ties, weights, labels, and what the catalogue promises."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.core.measures import Measure, Spelling
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.measure_lookup import Ranked, resolve_ranking, tie_groups_of
from edgeworth.rankings.tie_groups import TieGroups
from edgeworth.rankings.trec.files import Qrels, TrecRun
from edgeworth.rankings.trec.identifiers import as_identifiers
from edgeworth.sources.columns import Coded

MEASURES = ew.catalogue(kind="rankings")
RANKING = ew.Ranking.from_scores([1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.3, 0.1])
LISTS = ew.RankedLists.from_scores(
    [1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.3, 0.1], groups=[1, 1, 1, 1, 1], ids=list("abcde")
)
BOTH: dict[str, Ranked] = {"ranking": RANKING, "lists": LISTS}
both = pytest.mark.parametrize("tally", BOTH.values(), ids=BOTH)


def flag_name(measure: Measure, **options: Any) -> str:
    depth = 3 if measure.depth == "required" else None
    return str(Spelling(measure.name, None, depth, options))


# -- what is refused, with a sentence ------------------------------------------------------------------

REFUSED = {
    "precision": r"precision is a measure of decisions: add a depth, as in precision@100",
    "recall(ties=expected)": r"add a depth, as in recall@100",
    "no_such_measure": r"there is no measure 'no_such_measure'",
    "averge_precision": r"did you mean average_precision",
    "mrrr": r"did you mean reciprocal_rank",
    "accurracy@5": r"did you mean accuracy",
    "P@5x": r"did you mean P@5",
    "no_such_measure@5": r"there is no measure",
    "precision@0": r"a depth is at least 1; saw precision@0",
    "average_precision@0": r"a depth is at least 1; saw average_precision@0",
    "hits": r"hits needs a depth: write hits@100",
    "success": r"success needs a depth",
    "value": r"value needs a depth",
    "roc_auc@10": r"roc_auc has no depth; write it without @10",
    "r_precision@3": r"has no depth",
    "average_precision@3(ties=threshold)": r"ties=threshold ranks whole tie groups, which a depth may split",
    "average_precision@3(ties=best)": r"ties=best ranks whole tie groups",
    "average_precision@3(ties=worst)": r"ties=worst ranks whole tie groups",
    "average_precision(ties=alphabetical)": r"ties of average_precision is one of expected, threshold",
    "roc_auc(ties=threshold)": r"ties of roc_auc is one of expected, trec, input; saw 'threshold'",
    "precision@3(ties=best)": r"ties of precision is one of expected, trec, input; saw 'best'",
    "average_precision[1]": r"average_precision is a measure of a whole ranking; write it without a label",
    "average_precision(depth=3)": r"average_precision has no option 'depth'",
    "average_precision(over=everything)": r"over of average_precision is one of targets, reachable",
    "rbp(persistence=1)": r"persistence of rbp lies between",
    "rbp(persistence=0)": r"persistence of rbp lies between",
    "rbp(persistence=often)": r"persistence of rbp is a number; saw 'often'",
    "enrichment_factor(fraction=0)": r"fraction of enrichment_factor lies between",
    "enrichment_factor(fraction=1.01)": r"fraction of enrichment_factor lies between",
    "interpolated_precision(recall=1.5)": r"recall of interpolated_precision lies between 0 and 1; saw 1.5",
    "best_value(cost=-1)": r"cost of best_value lies between",
    "best_value(gain=nan)": r"gain of best_value lies between",
    "ndcg(gain=cubic)": r"gain of ndcg is one of linear, exponential; saw 'cubic'",
    "precision@3(alpha=1)": r"precision has no option 'alpha'",
    "precision@-3": r"is not a measure; write name",
    "precision@2.5": r"is not a measure",
    "precision@": r"is not a measure",
    "": r"is not a measure",
}


@both
@pytest.mark.parametrize("spelling", REFUSED)
def test_refused_with_a_sentence(tally: Ranked, spelling: str) -> None:
    with pytest.raises(OptionError, match=REFUSED[spelling]):
        ew.measure(tally, spelling)


@pytest.mark.parametrize(
    "spelling",
    ["average_precision(ties=trec)", "roc_auc(ties=input)", "precision@2(ties=trec)", "bpref(ties=trec)"],
)
def test_a_ranking_has_no_order_inside_its_ties(spelling: str) -> None:
    with pytest.raises(OptionError, match="needs document ids or an order, which RankedLists have"):
        ew.measure(RANKING, spelling)


@both
@pytest.mark.parametrize("spelling", [None, 3, ["average_precision"]])
def test_a_measure_is_text(tally: Ranked, spelling: Any) -> None:
    with pytest.raises(OptionError, match="a measure is written as text"):
        ew.measure(tally, spelling)


@both
def test_a_measure_of_the_catalogue_can_be_given_itself(tally: Ranked) -> None:
    (measure,) = (m for m in MEASURES if m.name == "roc_auc")
    assert ew.measure(tally, measure) == ew.measure(tally, "roc_auc")


def test_ties_by_id_need_ids() -> None:
    without = ew.RankedLists.from_scores([1, 0], [1, 2], groups=[1, 1])
    with pytest.raises(OptionError, match="these lists have no ids"):
        ew.measure(without, "average_precision(ties=trec)")
    assert ew.measure(without, "average_precision(ties=input)") == 0.5


def test_spellings_are_forgiving_about_blanks_and_case() -> None:
    assert ew.measure(RANKING, " Average_Precision@3( over = reachable , ties=expected ) ") == ew.measure(
        RANKING, "average_precision@3(over=reachable)"
    )


# -- depths --------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("depth", [5, 6, 1000, 10**15])
def test_a_depth_beyond_the_list_finds_all_of_it(tally: Ranked, depth: int) -> None:
    assert ew.measure(tally, f"recall@{depth}") == 1
    assert ew.measure(tally, f"hits@{depth}") == 2
    assert ew.measure(tally, f"success@{depth}") == 1
    for name in ("average_precision", "reciprocal_rank"):
        assert ew.measure(tally, f"{name}@{depth}") == pytest.approx(ew.measure(tally, name), rel=1e-15)
    assert ew.measure(tally, f"ndcg@{min(depth, 10**6)}") == pytest.approx(
        ew.measure(tally, "ndcg"), rel=1e-15
    )
    assert ew.measure(tally, f"value@{depth}(cost=0.25)") == 2 - 5 * 0.25


def test_precision_beyond_the_end_depends_on_the_tally() -> None:
    """One ranking ends where it ends; a list of a search engine is charged for the places it left empty."""
    assert ew.measure(RANKING, "precision@10") == 0.4
    assert ew.measure(LISTS, "precision@10") == 0.2


ONE_OF_A_LABEL = [m for m in ew.catalogue(kind="decisions") if m.scope == "label"]


@pytest.mark.parametrize("measure", ONE_OF_A_LABEL, ids=lambda m: m.name)
def test_decisions_at_a_depth_of_a_list_stay_in_their_range(measure: Measure) -> None:
    """Places that a list does not fill make no more background than there can be."""
    for depth in (3, 5, 6, 20):
        value = ew.measure(LISTS, f"{measure.name}@{depth}")
        assert math.isnan(value) or measure.low <= value <= measure.high, f"{value} at {depth}"


DECISIONS = sorted({measure.name for measure in ew.catalogue(kind="decisions")})


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions_at_a_depth_are_the_same_for_a_ranking_and_a_list(name: str) -> None:
    """Whichever of one label or the whole table a name means, it means the same on both."""
    for depth in (1, 3, 4, 5):
        wanted = ew.measure(RANKING.at_depth(depth), name)
        assert ew.measure(RANKING, f"{name}@{depth}") == pytest.approx(wanted, rel=1e-12, nan_ok=True)
        assert ew.measure(LISTS, f"{name}@{depth}") == pytest.approx(
            wanted, rel=1e-12, abs=1e-12, nan_ok=True
        )


def test_a_label_at_a_depth() -> None:
    """A ranking has a name for what is not a target; lists have none, and take no label for the target."""
    assert ew.measure(RANKING, "precision[1]@1") == ew.measure(RANKING, "precision@1") == 1
    assert ew.measure(RANKING, "precision[0]@1") == 0.75
    with pytest.raises(InputError, match="there is no label 'nonsense'"):
        ew.measure(RANKING, "precision[nonsense]@1")
    for label in ("nonsense", "0"):
        with pytest.raises(ew.EdgeworthError, match="label"):
            ew.measure(LISTS, f"precision[{label}]@1")


# -- sampling weights ----------------------------------------------------------------------------------

TRUTH, SCORES = [1, 0, 1, 0, 0, 1, 0], [9, 8, 8, 6, 5, 4, 4]


def weighted(weights: Any, **options: Any) -> ew.Ranking:
    return ew.Ranking.from_scores(TRUTH, SCORES, weights=weights, **options)


ALLOWED = [measure for measure in MEASURES if measure.allows_weights]
OF_LISTS = ("bpref", "err", "judged")
RANKS = [measure for measure in MEASURES if not measure.allows_weights and measure.name not in OF_LISTS]


@pytest.mark.parametrize("measure", RANKS, ids=lambda m: m.name)
def test_measures_of_ranks_are_undefined_with_sampling_weights(measure: Measure) -> None:
    ranking = weighted([0.5] * 7)
    assert math.isnan(ew.measure(ranking, flag_name(measure)))
    assert ew.estimate(ranking, flag_name(measure)).undefined == "it needs ranks, and weighted rows have none"
    assert not math.isnan(ew.measure(weighted([2] * 7), flag_name(measure)))


@pytest.mark.parametrize("factor", [1.0, 0.1, 1e-9, 3.0, 1e9])
@pytest.mark.parametrize(
    "spelling",
    [
        "average_precision(ties=threshold)",
        "average_precision",
        "roc_auc",
        "pr_auc",
        "best_informedness",
        "interpolated_precision",
        "interpolated_precision(recall=0)",
        "interpolated_precision(recall=0.2)",
        "interpolated_precision(recall=1)",
        "eleven_point_precision",
    ],
)
def test_the_scale_of_sampling_weights_does_not_matter(spelling: str, factor: float) -> None:
    weights = np.array([1, 2, 1, 3, 1, 2, 1])
    counted = weighted(weights)
    name = "average_precision(ties=threshold)" if spelling == "average_precision" else spelling
    wanted = ew.measure(counted, name)
    assert 0 < wanted <= 1
    assert ew.measure(weighted(weights * factor), spelling) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    "spelling",
    [f"average_precision(ties={ties})" for ties in ("expected", "best", "worst")] + ["average_precision@2"],
)
def test_an_order_inside_ties_needs_whole_cases(spelling: str) -> None:
    """With weights of one half there are no ranks to put in order, best or random."""
    ranking = weighted([0.5] * 7)
    assert math.isnan(ew.measure(ranking, spelling))
    assert "whole cases" in (ew.estimate(ranking, spelling).undefined or "")


def test_average_precision_of_weights_says_which_ties_it_took() -> None:
    assert (
        resolve_ranking(weighted([0.5] * 7), "average_precision").spelling
        == "average_precision(ties=threshold)"
    )
    assert resolve_ranking(weighted([2] * 7), "average_precision").spelling == "average_precision"
    assert (
        ew.estimate(weighted([0.5] * 7), "average_precision").measure == "average_precision(ties=threshold)"
    )


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_frequencies_equal_repeated_rows(measure: Measure) -> None:
    often = [2, 1, 0, 3, 1, 2, 4]
    repeated = ew.Ranking.from_scores(np.repeat(TRUTH, often), np.repeat(SCORES, often))
    wanted = ew.measure(repeated, flag_name(measure))
    assert math.isnan(wanted) == (measure.name in OF_LISTS)
    assert ew.measure(weighted(often), flag_name(measure)) == pytest.approx(wanted, rel=1e-13, nan_ok=True)


# -- what the catalogue promises -----------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_every_entry_is_complete(measure: Measure) -> None:
    assert measure.kind == "rankings"
    assert measure.formula.strip()
    assert measure.chance.strip()
    assert measure.source.strip()
    assert measure.low < measure.high
    assert measure.direction in ("higher", "lower", "neither")
    assert {"expected", "threshold", "trec"} & set(measure.options["ties"].choices)
    assert measure.options["ties"].default == measure.options["ties"].choices[0]
    assert Spelling.parse(measure.name).name == measure.name
    assert all(need.otherwise.strip() for need in measure.needs)
    assert measure in ew.catalogue(words=measure.name)
    assert all(measure in ew.catalogue(words=word) for word in measure.synonyms)


def test_names_are_not_those_of_decisions() -> None:
    names = [measure.name for measure in MEASURES]
    assert len(set(names)) == len(names)
    assert not set(names) & {measure.name for measure in ew.catalogue(kind="decisions")}


rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(0, 3), st.sampled_from([0.1, 1.0, 2.5])),
    min_size=1,
    max_size=12,
)


def within(measure: Measure, answer: float) -> bool:
    return math.isnan(answer) or measure.low - 1e-12 <= answer <= measure.high + 1e-12


@settings(max_examples=40)
@given(rows=rows, unranked=st.integers(0, 2))
def test_values_stay_in_their_range(rows: list[tuple[int, int, int, float]], unranked: int) -> None:
    truth, scores, often, weight = (list(column) for column in zip(*rows, strict=True))
    plain = ew.Ranking.from_scores(truth, scores, positive=None, unranked=unranked)
    tallies = [
        plain,
        ew.Ranking.from_scores(truth, scores, weights=often, unranked=unranked),
        ew.Ranking.from_scores(truth, scores, weights=weight, unranked=unranked),
    ]
    for measure in MEASURES:
        for ties in set(measure.options["ties"].choices) - {"trec", "input"}:
            for tally in tallies:
                value = ew.measure(tally, flag_name(measure, ties=ties))
                assert within(measure, value), f"{measure.name} {ties}: {value}"


def lists_by(truth: list[int], scores: list[float], **options: Any) -> ew.RankedLists:
    return ew.RankedLists.from_scores(truth, scores, groups=[0] * len(truth), **options)


SHAPES: dict[str, tuple[list[int], int]] = {
    "targets and background": ([1, 0, 1, 0], 0),
    "no targets": ([0, 0, 0], 0),
    "only targets": ([1, 1], 0),
    "one target": ([1], 0),
    "one other": ([0], 0),
    "targets never ranked, and others": ([0, 0], 2),
    "some targets ranked": ([1, 0], 1),
}


def holds(need: Any, groups: TieGroups, arguments: dict[str, Any]) -> bool:
    return bool(np.all(need.holds(groups, **arguments) if need.with_options else need.holds(groups)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_undefined_exactly_where_its_needs_say_so(measure: Measure, shape: str) -> None:
    truth, unranked = SHAPES[shape]
    scores = [float(index) for index in range(len(truth))]
    tallies: list[Ranked] = [ew.Ranking.from_scores(truth, scores, unranked=unranked)]
    if not unranked:
        tallies.append(lists_by(truth, scores, ids=[f"d{position}" for position in range(len(truth))]))
    for tally in tallies:
        resolved = resolve_ranking(tally, flag_name(measure))
        groups = tie_groups_of(tally, resolved)
        needed = all(holds(need, groups, resolved.arguments) for need in measure.needs)
        result = float(resolved.values(groups)[0])
        assert math.isnan(result) == (not needed), f"{measure.name} is {result}"
        (reason,) = resolved.undefined(groups)
        assert (reason is None) == needed
        assert not (reason or "").startswith("its formula")


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_an_estimate_says_why_there_is_no_value(measure: Measure) -> None:
    ranking = ew.Ranking.from_scores([0, 0, 0], [1, 2, 3])
    estimate = ew.estimate(ranking, flag_name(measure))
    if math.isnan(ew.measure(ranking, flag_name(measure))):
        assert estimate.undefined == (
            "it needs RankedLists" if measure.name == "judged" else "there are no targets"
        )
    else:
        assert estimate.undefined is None
        assert estimate.value == ew.measure(ranking, flag_name(measure))


def judged_run() -> ew.RankedLists:
    documents = as_identifiers([b"a", b"b", b"c", b"d"])
    query = Coded(np.zeros(4, dtype=np.intp), ("q",))
    qrels = Qrels("qrels", query, documents, np.array([1, 0, 2, 0]))
    run = TrecRun(
        "run", "tag", Coded(query.codes[:3], query.labels), documents[:3], np.array([3.0, 2.0, 1.0])
    )
    return ew.RankedLists.from_qrels(qrels, run)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_a_run_has_no_chance_level_because_its_collection_is_not_known(measure: Measure) -> None:
    """Random selection among an unknown number of documents has no mean; nought is not it."""
    lists = judged_run()
    resolved = resolve_ranking(lists, flag_name(measure))
    groups = tie_groups_of(lists, resolved)
    assert np.isnan(resolved.at_random(groups)).all()
    assert math.isnan(ew.estimate(lists, flag_name(measure)).chance)


@pytest.mark.parametrize("spelling", ["informedness@2", "fallout@2", "accuracy@2", "enrichment_factor"])
def test_what_needs_the_size_of_the_collection_says_so(spelling: str) -> None:
    lists = judged_run()
    assert math.isnan(ew.measure(lists, spelling))
    assert "the number of items is unknown" in (ew.estimate(lists, spelling).undefined or "")


def test_the_mean_over_lists_leaves_out_undefined_ones() -> None:
    """roc_auc is undefined where all items are targets, though there are targets."""
    lists = ew.RankedLists.from_scores([1, 1, 1, 0], [1, 2, 1, 2], groups=["all", "all", "some", "some"])
    assert ew.measure_each(lists, "roc_auc") == pytest.approx({"all": math.nan, "some": 0.0}, nan_ok=True)
    assert ew.measure(lists, "roc_auc") == 0
    nothing = ew.RankedLists.from_scores([0], [1], groups=[1])
    assert math.isnan(ew.measure(nothing, "roc_auc"))
    assert ew.estimate(nothing, "average_precision").undefined == "no list has a value: there are no targets"
    assert math.isnan(ew.measure(ew.RankedLists.empty(), "average_precision"))
    assert ew.measure_each(ew.RankedLists.empty(), "average_precision") == {}


def test_very_high_grades_do_not_overflow() -> None:
    """2^grade − 1 of a grade in the thousands is no float."""
    lists = lists_by([2000, 0], [1.0, 2.0])
    assert ew.measure(lists, "ndcg") == pytest.approx(1 / math.log2(3), rel=1e-12)
    with pytest.raises(OptionError, match="gain=linear"):
        ew.measure(lists, "ndcg(gain=exponential)")
