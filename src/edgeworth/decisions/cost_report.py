"""The section of a report about your own costs of errors."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np

from edgeworth.common.arrays import Floats, Values, finite_or_none
from edgeworth.core.estimates import Estimate, estimate
from edgeworth.core.formatting import format_level, format_number
from edgeworth.core.measures import Measure
from edgeworth.core.multiple_testing import holm
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.decisions.information import cell_total
from edgeworth.decisions.matrices import has_actual_rows, parse_matrix
from edgeworth.decisions.payoffs_and_costs import Costs, check_cost_matrix, cost_measure, costs, expected_cost
from edgeworth.decisions.report import MAX_LABELS_WITH_COUNTS
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError
from edgeworth.report.estimates import estimate_row
from edgeworth.report.report import Column, Grid, Report, Section, make_columns
from edgeworth.report.verdict import Claim, Strength, Verdict, claims_of, estimate_numbers
from edgeworth.report.wording import describe_estimate, format_like


def read_costs(costs_option: object, table: ContingencyTable) -> Floats:
    """Read costs from a matrix, from text such as "0 1; 10 0", or from a CSV file.

    The result has predictions in its rows.

    The first cell of a file says what its rows are, predicted or actual; the rest of its first row and of its
    first column are labels.
    """
    if not isinstance(costs_option, (str, Path)):
        return check_cost_matrix(table, costs_option, "predicted")
    if ";" in str(costs_option):
        return check_cost_matrix(table, parse_matrix(str(costs_option), "the costs"), "predicted")
    try:
        with Path(costs_option).open(encoding="utf-8-sig", newline="") as file:
            head, *lines = [[cell.strip() for cell in line] for line in csv.reader(file) if any(line)]
    except (OSError, ValueError) as error:
        raise InputError(f'costs are a matrix such as "0 1; 10 0" or a CSV file: {error}') from None
    if has_actual_rows(head[0]):
        head, *lines = [list(line) for line in zip(head, *lines, strict=False)]
    cells = {(line[0], real): cell for line in lines for real, cell in zip(head[1:], line[1:], strict=False)}
    names = [str(label) for label in table.labels]
    try:
        matrix = [[float(cells[label, real]) for real in names] for label in names]
    except KeyError as error:
        predicted, real = error.args[0]
        raise InputError(
            f"{costs_option} has no cost for predicting {predicted!r} when {real!r} is actual"
        ) from None
    except ValueError as error:
        raise InputError(f"an entry of {costs_option} is not a number: {error}") from None
    return check_cost_matrix(table, matrix, "predicted")


def saving_measure(matrix: Floats) -> Measure:
    """Make a measure of the cost that is saved per case, compared with guessing at the same shares."""

    def shares(counts: Values) -> tuple[Values, Values]:
        total = cell_total(counts)[..., None]
        return counts.sum(axis=-1) / total, counts.sum(axis=-2) / total

    def compute(counts: Values) -> Values:
        predicted, real = shares(counts)
        cost = (counts * matrix).sum(axis=(-2, -1)) / cell_total(counts)
        return np.asarray(((predicted @ matrix) * real).sum(axis=-1) - cost)

    def gradient(counts: Values) -> Values:
        predicted, real = shares(counts)
        return ((matrix @ real)[:, None] + predicted @ matrix - matrix) / cell_total(counts)

    return cost_measure(
        "saved",
        "Σ_lk (p_l r_k − j_lk) cost_lk",
        compute,
        gradient=gradient,
        low=-np.inf,
        high=np.inf,
        chance="0",
        direction="higher",
    )


def with_costs(
    report: Report, table: ContingencyTable, costs_option: object, *, level: float, seed: int
) -> Report:
    """Add the costs of errors to a report, compared with guessing and with the best constant answer."""
    total_costs = costs(table, read_costs(costs_option, table), rows="predicted")
    best = table.index(total_costs.best_constant)
    measures = {
        "cost per case": expected_cost(table, total_costs.matrix, rows="predicted"),
        "saved against guessing": saving_measure(total_costs.matrix),
        f"saved against always {total_costs.best_constant}": expected_cost(
            table, total_costs.matrix[best] - total_costs.matrix, rows="predicted"
        ),
    }
    estimates = [estimate(table, measure, rng=seed) for measure in measures.values()]
    cost, saved, saved_against_constant = estimates
    interval = f"{format_level(level)} CI/interval"
    values = tuple(
        (name, *estimate_row(cost_estimate, level)[1:3])
        for name, cost_estimate in zip(measures, estimates, strict=True)
    )
    note = (
        f"Guessing with the same shares costs {format_number(total_costs.at_guessing)} per case. Always "
        f"predicting {total_costs.best_constant}, the cheapest constant on these data, costs "
        f"{format_number(total_costs.at_best_constant)}"
    )
    grids = [Grid("", make_columns("what/text", "value", interval), values, note)]
    if len(table.labels) <= MAX_LABELS_WITH_COUNTS:
        names = (Column("predicted ↓  actual →"), *(Column(str(label), "number") for label in table.labels))
        rows = tuple(
            (str(label), *row) for label, row in zip(table.labels, total_costs.matrix.tolist(), strict=True)
        )
        grids.append(Grid("Cost of each case", names, rows))
    text = ("Cases without a decision cost nothing and are excluded.",) if table.abstained.any() else ()
    section = Section("Costs of errors", text, tuple(grids), is_main=True)
    test = saved.test_against_chance("two-sided")
    numbers = {
        "per_case": cost.to_dict(level),
        "saved": saved.to_dict(level),
        "saved_against_best_constant": saved_against_constant.to_dict(level),
        "at_guessing": total_costs.at_guessing,
        "best_constant": str(total_costs.best_constant),
        "at_best_constant": total_costs.at_best_constant,
        "total": total_costs.total,
        "p_value": None if test is None else test.p_value,
    }
    p_value = constant_p_value(table, total_costs, seed=seed)
    numbers["best_constant_p_value"] = finite_or_none(p_value)
    claim = _claim(cost, saved_against_constant, total_costs, p_value, level)
    return replace(
        report,
        verdict=Verdict([claim, *claims_of(report.verdict)]),
        sections=(*report.sections[:2], section, *report.sections[2:]),
        numbers={**report.numbers, "costs": numbers},
    )


def constant_p_value(table: ContingencyTable, total_costs: Costs, *, seed: int = 0) -> float:
    """Test whether the best constant answer costs as much as the predictions, by Holm over all constants.

    The cheapest of many constants is partly cheap by luck, so every constant counts as one test.
    """
    matrix = total_costs.matrix
    p_values = [
        estimate(table, expected_cost(table, row - matrix, rows="predicted"), rng=seed).p_value(0.0)
        for row in matrix
    ]
    return float(holm(p_values)[table.index(total_costs.best_constant)])


def _claim(
    cost: Estimate, saved_against_constant: Estimate, total_costs: Costs, p_value: float, level: float
) -> Claim:
    """Write what the predictions cost, or first the best constant answer if it costs significantly less.

    That it costs less takes the p-value adjusted for all constants. That it costs more holds for all of them,
    because it is the cheapest.
    """
    low, high = -np.inf, np.inf
    if saved_against_constant.law is not None:
        low, high = saved_against_constant.interval(level)
    is_worth_it = low > 0
    is_constant_cheaper = bool(high < 0 and is_significant(p_value, level))
    own = describe_estimate(cost, level)
    value, _, interval = own.partition(" ")
    constant, guessing = format_like(cost, level, total_costs.at_best_constant, total_costs.at_guessing)
    best = total_costs.best_constant
    if is_constant_cheaper:
        text = f"Always predicting {best} costs least: {constant} per case, significantly less than the "
        text += f"predictions: {own}."
    else:
        how = "significantly less than" if is_worth_it else "with no significant difference from"
        text = (
            f"The predictions cost {value} per case {interval}, {how} always predicting {best} ({constant})."
        )
    text += f" Guessing with the same shares costs {guessing}."
    strength: Strength = "shown" if is_worth_it or is_constant_cheaper else "not shown"
    return Claim("costs", text, strength, estimate_numbers(cost, level), str(saved_against_constant.method))
