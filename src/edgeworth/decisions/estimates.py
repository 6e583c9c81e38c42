"""Estimates of measures of decisions: the methods, the choice between them, and the estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial, singledispatch

import numpy as np

from edgeworth.core.estimates import Estimate, Method, law_or_reason, undefined_estimate
from edgeworth.core.formatting import format_count, plural
from edgeworth.core.measures import Measure
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.core.sampling_distributions import (
    BootstrapLaw,
    CautiousLaw,
    ClopperPearsonLaw,
    ClusterLaw,
    NewcombeLaw,
    PosteriorLaw,
    SamplingLaw,
    WiderLaw,
    natural_scale,
)
from edgeworth.decisions.effective_sizes import (
    combination_of,
    combine,
    effective_cases,
    reduce_trials,
    size_caveat,
    smallest_margin,
    weights_caveat,
)
from edgeworth.decisions.guessing import cases_for_power, guessing_tail
from edgeworth.decisions.policy import (
    MAX_CLASSES_FOR_DEFAULT_POSTERIOR,
    MAX_CLASSES_FOR_POSTERIOR,
    MIN_CASES_FOR_DELTA_DESPITE_RARE_CLASS,
    MIN_CLASS_CASES_FOR_COVERAGE,
    MIN_CLASS_CASES_FOR_DELTA,
    MIN_MARGIN_CASES_FOR_DELTA,
    MIN_RIGHT_FOR_DELTA,
    MIN_WEIGHTED_CASES_FOR_DELTA,
)
from edgeworth.decisions.resampling import (
    MAX_CLUSTER_SUMS,
    MIN_VARIANCE,
    bootstrap_values,
    cluster_bootstrap_values,
    cluster_spread,
    defined_draws,
    posterior_values,
    variance,
)
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Resolved, at_guessing, marginals, resolve
from edgeworth.errors import OptionError, check_whole


@dataclass(frozen=True)
class Delta:
    """The delta method on the multinomial, for every smooth measure, with weights and clusters.

    The interval is computed on a scale that keeps it inside the range of the measure: the logit for a bounded
    measure, and the logarithm for one that is bounded below.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
    >>> print(ew.estimate(table, "mcc", method=ew.methods.Delta()))
    mcc 0.61 (95% CI 0.44 to 0.74, delta method); chance level 0, p < 1e-6
    """

    def law(self, tally: ContingencyTable, resolved: Resolved) -> SamplingLaw:
        """Return a normal distribution; with clusters, Student's t by CR2 and Satterthwaite.

        :meta private:
        """
        value = float(resolved.values(tally.cells))
        clusters = tally.clusters
        if clusters is not None and clusters.number < 2:
            raise OptionError("all cases are in one cluster, so the variance cannot be estimated")
        scale = natural_scale(*resolved.measure.range, value)
        if clusters is not None:
            spread = cluster_spread(tally, clusters, resolved)
            if not spread.variance > MIN_VARIANCE:
                raise OptionError("every cluster gives the same value, so the variance cannot be estimated")
            return ClusterLaw(value, math.sqrt(spread.variance), scale, spread.freedom, spread.caveat)
        error = math.sqrt(max(0.0, variance(tally, resolved)))
        return CautiousLaw(value, error, scale, caveat=weights_caveat(tally) or few_right_caveat(tally))

    def __str__(self) -> str:
        return "delta method"


def few_right_caveat(tally: ContingencyTable) -> str | None:
    """Return a caveat if predictions of many classes are hardly ever right, or None."""
    right = float(tally.counts.diagonal().sum())
    if len(tally.labels) <= MAX_CLASSES_FOR_DEFAULT_POSTERIOR or right >= MIN_RIGHT_FOR_DELTA:
        return None
    predictions = plural(right, "prediction is", "predictions are")
    return (
        f"only {format_count(right)} {predictions} right in {len(tally.labels):,} classes, so the interval "
        "is too narrow"
    )


@dataclass(frozen=True)
class Wilson:
    """Wilson's score interval, for measures that are proportions. Weights and clusters reduce the trials.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
    >>> print(ew.estimate(table, "accuracy", method=ew.methods.Wilson()))
    accuracy 0.80 (95% CI 0.71 to 0.87, Wilson); chance level 0.500, p < 1e-6
    """

    def law(self, tally: ContingencyTable, resolved: Resolved) -> SamplingLaw:
        """Return the distribution of the score test.

        :meta private:
        """
        if resolved.measure.proportion is None:
            raise OptionError(f"{self} is for proportions, which {resolved.spelling} is not: use Delta()")
        return NewcombeLaw(reduce_trials(tally, resolved, combine(resolved, marginals(tally.cells))))

    def __str__(self) -> str:
        return "Wilson"


@dataclass(frozen=True)
class ClopperPearson:
    """The exact binomial interval, for measures that are proportions of whole cases.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
    >>> print(ew.estimate(table, "accuracy", method=ew.methods.ClopperPearson()))
    accuracy 0.80 (95% CI 0.71 to 0.87, Clopper–Pearson); chance level 0.500, p < 1e-6
    """

    def law(self, tally: ContingencyTable, resolved: Resolved) -> SamplingLaw:
        """Return the exact binomial tails.

        :meta private:
        """
        if resolved.measure.proportion is None:
            raise OptionError(f"{self} is for proportions, which {resolved.spelling} is not: use Delta()")
        if tally.clusters is not None or not tally.is_counted:
            raise OptionError("Clopper–Pearson is exact for whole cases that are independent: use Wilson()")
        successes, trials = resolved.measure.proportion(resolved.view(tally.cells))
        return ClopperPearsonLaw(round(float(successes)), round(float(trials)))

    def __str__(self) -> str:
        return "Clopper–Pearson"


@dataclass(frozen=True)
class Newcombe:
    """Newcombe's interval: the squared distances of Wilson's bounds, added over independent proportions.

    It suits informedness of two classes or of one label, markedness of a label, balanced accuracy and the
    break-even margin. For one proportion it is Wilson's. Weights and clusters reduce the trials of each.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
    >>> print(ew.estimate(table, "informedness", method=ew.methods.Newcombe()))
    informedness 0.60 (95% CI 0.42 to 0.72, Newcombe); chance level 0, p < 1e-6
    """

    def law(self, tally: ContingencyTable, resolved: Resolved) -> SamplingLaw:
        """Return the distribution of the combination.

        :meta private:
        """
        combination = combination_of(tally, resolved)
        if combination is None:
            raise OptionError(
                f"{resolved.spelling} is not a fixed combination of independent proportions here: use Delta()"
            )
        return NewcombeLaw(reduce_trials(tally, resolved, combination))

    def __str__(self) -> str:
        return "Newcombe"


@dataclass(frozen=True)
class Dirichlet:
    """The posterior of the whole table under a Dirichlet prior, for any measure.

    Parameters
    ----------
    prior : float, optional
        The weight added to each cell. The default is 1/K, so that the prior of each class weighs as much as
        one case. For two classes that is Jeffreys' ½.
    draws : int
        The number of tables drawn from the posterior.
    rng : int, numpy Generator or None
        The seed, or the source, of random numbers.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
    >>> method = ew.methods.Dirichlet(draws=2000, rng=1)
    >>> print(ew.estimate(table, "informedness", method=method))
    informedness 0.60 (95% CI 0.43 to 0.73, posterior, 2,000 draws); chance level 0, p < 1e-6
    >>> method.seed
    1
    """

    prior: float | None = None
    draws: int = 10_000
    rng: Rng = 0

    def __post_init__(self) -> None:
        if self.prior is not None and not (math.isfinite(self.prior) and self.prior > 0):
            raise OptionError(f"the prior must be a weight above 0; saw {self.prior!r}")
        check_whole(self.draws, "draws", 1)
        object.__setattr__(self, "rng", make_seed(self.rng))

    @property
    def seed(self) -> int:
        """The seed of the draws, which replaces ``rng`` in reports."""
        return make_seed(self.rng)

    def law(self, tally: ContingencyTable, resolved: Resolved) -> SamplingLaw:
        """Return posterior draws of the measure.

        :meta private:
        """
        if len(tally.labels) > MAX_CLASSES_FOR_POSTERIOR:
            raise OptionError(
                f"{self} draws tables of at most {MAX_CLASSES_FOR_POSTERIOR} classes: use Delta()"
            )
        sizes = None if tally.is_plain else effective_cases(tally)
        values = posterior_values(tally, resolved, self.prior, self.draws, self.seed, sizes)
        value = float(resolved.values(tally.cells))
        caveat = weights_caveat(tally)
        if tally.clusters is not None and tally.clusters.number > 1:
            caveat = size_caveat(tally, tally.clusters)
        return PosteriorLaw(value, *defined_draws(values, resolved.spelling), caveat)

    def __str__(self) -> str:
        return f"posterior, {self.draws:,} draws"


@dataclass(frozen=True)
class DeltaAndPosterior:
    """The outer bounds of the delta method and of a posterior, for tables with rare classes.

    The delta method takes a rare class without errors as certain, and a posterior pulls many small classes to
    its prior. Half a case per class is the prior with the best coverage (bench/coverage.py measures it).
    """

    rng: Rng = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", make_seed(self.rng))

    def law(self, tally: ContingencyTable, resolved: Resolved) -> SamplingLaw:
        """Make both laws, or only the posterior if the delta method finds no error."""
        posterior = Dirichlet(prior=0.5 / len(tally.labels), rng=self.rng).law(tally, resolved)
        try:
            delta = Delta().law(tally, resolved)
        except OptionError:
            return posterior
        return WiderLaw(delta, posterior, rare_class_caveat(tally, resolved))

    def __str__(self) -> str:
        return "delta method and posterior, outer bounds"


def rare_class_caveat(tally: ContingencyTable, resolved: Resolved) -> str | None:
    """Return the caveat of a measure that a class with few cases moves as much as a common one, or None."""
    real = tally.cells.sum(axis=0)
    rare = np.flatnonzero((real > 0) & (real < MIN_CLASS_CASES_FOR_COVERAGE))
    if not resolved.measure.weighs_classes_equally or not len(rare):
        return None
    position = min(rare.tolist(), key=lambda index: float(real[index]))
    number = float(real[position])
    cases = f"{format_count(number)} {plural(number, 'case')}"
    return f"class {tally.labels[position]} has {cases}, so the interval may be too narrow"


@dataclass(frozen=True)
class Bootstrap:
    """The bootstrap: cases are resampled, or whole clusters.

    In a ranking, targets and background are resampled separately. With many lists, whole lists are resampled.

    Parameters
    ----------
    draws : int
        The number of resamples.
    rng : int, numpy Generator or None
        The seed, or the source, of random numbers.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
    >>> method = ew.methods.Bootstrap(draws=1000, rng=7)
    >>> print(ew.estimate(table, "informedness", method=method))
    informedness 0.60 (95% CI 0.45 to 0.75, bootstrap, 1,000 draws); chance level 0, p < 1e-6
    >>> method.seed
    7
    """

    draws: int = 2000
    rng: Rng = 0

    def __post_init__(self) -> None:
        check_whole(self.draws, "draws", 1)
        object.__setattr__(self, "rng", make_seed(self.rng))

    @property
    def seed(self) -> int:
        """The seed of the draws, which replaces ``rng`` in reports."""
        return make_seed(self.rng)

    def law(self, tally: object, resolved: object) -> SamplingLaw:
        """Return the resampled values of the measure.

        :meta private:
        """
        return bootstrap_law(tally, resolved, self)

    def __str__(self) -> str:
        return f"bootstrap, {self.draws:,} draws"


@singledispatch
def bootstrap_law(tally: object, resolved: object, bootstrap: Bootstrap) -> SamplingLaw:  # noqa: ARG001  # one signature for all
    """Resample a tally; other packages register their own tallies."""
    raise OptionError(f"{bootstrap} does not apply to a {type(tally).__name__}")


@bootstrap_law.register
def _(tally: ContingencyTable, resolved: Resolved, bootstrap: Bootstrap) -> SamplingLaw:
    if tally.clusters is not None:
        values = cluster_bootstrap_values(tally, tally.clusters, resolved, bootstrap.draws, bootstrap.seed)
    else:
        if not tally.counts_alike:
            raise OptionError(f"{bootstrap} needs cases that count alike; with sampling weights use Delta()")
        values = bootstrap_values(tally, resolved, bootstrap.draws, bootstrap.seed)
    value = float(resolved.values(tally.cells))
    return BootstrapLaw(value, *defined_draws(values, resolved.spelling))


def default_method(tally: ContingencyTable, resolved: Resolved, seed: int = 0) -> Method:
    """Choose the method that suits a measure: Wilson, Newcombe, the delta method, or else a bootstrap.

    If a class has few cases, or weights are very unequal, the delta method is joined by a posterior. With two
    classes and fewer than ten cases in a row or column, the posterior replaces it. Resampling a table without
    errors gives tables without errors, so a posterior is used for such tables instead of a bootstrap, and
    instead of the delta method if that has no variance (``has_zero_variance``).
    """
    is_plain = tally.is_plain
    if resolved.measure.proportion is not None:
        return Wilson()
    combination = combination_of(tally, resolved)
    clusters = 1 if tally.clusters is None else tally.clusters.number
    if combination is not None and len(combination.trials) * clusters <= MAX_CLUSTER_SUMS:
        return Newcombe()
    if resolved.measure.scope == "cells" and resolved.measure.gradient is None:
        is_all_right = tally.counts.diagonal().sum() == tally.total
        return Dirichlet(rng=seed) if is_plain and is_all_right else Bootstrap(rng=seed)
    if len(tally.labels) == 2 and smallest_margin(tally) < MIN_MARGIN_CASES_FOR_DELTA:
        return Dirichlet(rng=seed)
    is_small = len(tally.labels) <= MAX_CLASSES_FOR_DEFAULT_POSTERIOR
    if is_small and tally.has_unequal_weights and tally.effective_size < MIN_WEIGHTED_CASES_FOR_DELTA:
        return DeltaAndPosterior(rng=seed)
    real = tally.cells.sum(axis=0)
    is_rare = (
        is_small and len(tally.labels) > 2 and bool(((real > 0) & (real < MIN_CLASS_CASES_FOR_DELTA)).any())
    )
    if is_rare and not (
        resolved.measure.weighs_classes_by_cases and real.sum() >= MIN_CASES_FOR_DELTA_DESPITE_RARE_CLASS
    ):
        return DeltaAndPosterior(rng=seed)
    return Delta()


def has_zero_variance(tally: ContingencyTable, resolved: Resolved, law: SamplingLaw | None) -> bool:
    """Return whether the delta method finds a variance of 0, given its law.

    This happens at the end of a measure's range (all right, all wrong), for all cases or the decided ones.
    """
    spreads = [variance(tally, resolved) if law is None else law.standard_error**2]
    if resolved.arguments.get("abstentions") == "discount":
        decided = replace(resolved, arguments={"abstentions": "drop"})
        spreads.append(variance(tally, decided))
    return any(not spread > MIN_VARIANCE for spread in spreads)


def estimate_table(
    tally: ContingencyTable, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """Estimate a measure of decisions with its uncertainty."""
    resolved = resolve(tally, measure)
    table, focus = _one_vs_rest(tally, resolved)
    undefined = focus.undefined(table)
    if undefined is not None:
        return undefined_estimate(tally, resolved.spelling, undefined, tally.effective_size)
    chosen = default_method(table, focus, seed) if method is None else method
    law, no_interval = law_or_reason(chosen, table, focus, required=method is not None)
    if method is None and isinstance(chosen, Delta) and has_zero_variance(table, focus, law):
        # A standard error of 0 comes from the method, not from the data.
        chosen = Dirichlet(rng=seed)
        law, no_interval = law_or_reason(chosen, table, focus, required=False)
    return Estimate(
        measure=resolved.spelling,
        value=float(focus.values(table.cells)),
        chance=at_guessing(focus, table),
        method=None if law is None else chosen,
        undefined=None,
        no_interval=no_interval,
        tally=tally,
        law=law,
        chance_test=partial(guessing_tail, tally, resolved, seed=seed),
        planner=partial(cases_for_power, tally, resolved),
        size=tally.effective_size,
    )


def _one_vs_rest(table: ContingencyTable, resolved: Resolved) -> tuple[ContingencyTable, Resolved]:
    """Reduce the table to the four cells that a measure of one label needs."""
    if resolved.position is None or len(table.labels) <= 2:
        return table, resolved
    return table.one_against_rest(resolved.label), replace(resolved, position=0)
