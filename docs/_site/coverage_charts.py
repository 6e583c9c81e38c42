"""Charts and tables of measured coverage, width, size and power, made by ``script/coverage --write``.

A page says where they belong by a line such as ``<!-- measured: slices-clusters slices-scores -->``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import altair as alt
from markdown import plain, table, write_page

Record = dict[str, Any]
NOMINAL = 0.95
SHARES = {
    "proportions": "true accuracy {:g}",
    "clustered": "true accuracy {:g}",
    "weighted": "true accuracy {:g}",
    "paired-accuracy": "{:.3g}% disagreements",
    "brier-score": "{:.3g}% events",
}
"""What the share of a record is a share of, by grid; other shares are of targets."""
UNITS = dict.fromkeys(("roc-area", "average-precision", "paired-areas", "graded-answers"), "items")
"""What the cases of a grid are called, if not cases."""
COLOURS = ["#1f77b4", "#e07b00", "#7a7a7a", "#2a9d5c"]


def draw_setting(records: list[Record]) -> alt.VConcatChart | alt.HConcatChart:
    """Draw coverage, width and cost against the number of cases, one column per class share."""
    rows = [
        {
            **row,
            "case": _describe_share(row),
            "cost": _relative_cost(row, records),
        }
        for row in records
    ]
    by_size = sorted(rows, key=lambda row: row["share"] or 0.0)
    shares = list(dict.fromkeys(row["case"] for row in by_size))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    colour = alt.Color(
        "method:N", title=None, sort=methods, scale=alt.Scale(domain=methods, range=COLOURS[: len(methods)])
    )
    x = alt.X(
        "n:Q",
        title=UNITS.get(records[0]["grid"], "cases"),
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(values=sorted({r["n"] for r in rows}), format=",d"),
    )
    lowest = min(0.8, *(row["coverage"] for row in rows))
    panels = {
        "coverage": ("coverage", alt.Scale(domain=[lowest, 1.0], zero=False)),
        "width": ("mean width", alt.Scale(zero=True)),
        "cost": ("cost (bootstrap: 1)", alt.Scale(type="log", nice=False)),
    }
    if not all(row["cost"] for row in rows):
        del panels["cost"]
    # Settings with one share have their panels side by side, and others one row per panel.
    is_single = len(shares) == 1
    width = 180 if is_single else min(300, 640 // len(shares))
    grid = []
    for value, (title, scale) in panels.items():
        columns = []
        for share in shares:
            own = alt.Chart(alt.InlineData(values=[row for row in rows if row["case"] == share]))
            y = alt.Y(f"{value}:Q", title=title if share == shares[0] else None, scale=scale)
            lines = own.mark_line(point=True).encode(x=x, y=y, color=colour)
            if value == "coverage":
                rule = (
                    alt.Chart(alt.InlineData(values=[{"y": NOMINAL}]))
                    .mark_rule(strokeDash=[4, 4])
                    .encode(y=alt.Y("y:Q", scale=scale))
                )
                lines = rule + lines
            heading = share if value == "coverage" and not is_single else ""
            columns.append(lines.properties(width=width, height=130, title=heading))
        grid.append(columns)
    if is_single:
        whole = alt.hconcat(*(columns[0] for columns in grid))
    else:
        whole = alt.vconcat(*(alt.hconcat(*columns) for columns in grid))
    # Browsers may have a wider font than the one that the labels were measured with.
    return whole.configure_legend(orient="top", labelLimit=300, columnPadding=30).configure_view(
        stroke="#ddd"
    )


def _describe_share(row: Record) -> str:
    """Name the share that sets the columns of a chart apart: of targets, or what the grid varies."""
    share = row["share"]
    if share is None:
        return "all"
    words = SHARES.get(row["grid"], "{:.3g}% targets")
    return words.format(100 * share if "%" in words else share)


def _relative_cost(row: Record, records: list[Record]) -> float | None:
    """Compare the time that an interval took with that of the bootstrap, measured in turns on one machine."""
    for other in records:
        is_same = (other["n"], other["share"]) == (row["n"], row["share"])
        if is_same and "bootstrap" in other["method"] and other["seconds"] and row["seconds"]:
            return float(row["seconds"] / other["seconds"])
    return None


def write_coverage_page(source: Path) -> None:
    """Write the page of measured intervals, with a chart for each setting."""
    folder = source / "methods" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    records = json.loads((source / "methods" / "data" / "intervals.json").read_text(encoding="utf-8"))
    parts = [
        "# Measured coverage of intervals",
        "An interval at 95% should contain the true value in 95% of samples. These charts show how often, in "
        "simulated samples, intervals contained the true value (coverage), how wide they were, and what they "
        "cost to compute. Edgeworth's intervals are shown beside the usual alternatives: Wald's interval "
        "(estimate ± 1.96 standard errors) and the percentile bootstrap (400 resamples). The dashed line is "
        "95%. A method below it covers too little.",
        "The cost is the time per interval as a multiple of the bootstrap's time, rounded to one digit. For "
        "Edgeworth it is the time of the whole call, with its checks; for the alternatives it is the time of "
        "the bare formula.",
        "Above a chart, 10% targets means that a case is a target with a probability of 10%, and 10% events "
        "that the event happens with this probability. Samples from real data are drawn from the whole data "
        "set, so the true value is known.",
        "The records are in [intervals.json](data/intervals.json). `script/coverage --write` measures them "
        "again with the same seeds. A coverage with a standard error of 0 was computed "
        "exactly.",
    ]
    for setting, own in _by_setting(records).items():
        draw_setting(own).save(str(folder / f"{_file_name(setting)}.svg"))
        parts += [f"## {plain(setting[:1].upper() + setting[1:])}", *_describe_setting(setting, own)]
    write_page(source / "methods" / "measured-coverage.md", *parts)


def _by_setting(records: list[Record]) -> dict[str, list[Record]]:
    """Group the records whose coverage was measured by their setting."""
    groups: dict[str, list[Record]] = {}
    for row in records:
        if row["coverage"] is not None:
            groups.setdefault(row["setting"], []).append(row)
    return groups


def _file_name(setting: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", setting.lower()).strip("-")


def _describe_setting(setting: str, records: list[Record]) -> list[str]:
    """Show the chart of a setting, and list the lowest coverage of each method."""
    worst: dict[str, Record] = {}
    for row in records:
        if row["coverage"] < worst.get(row["method"], {"coverage": 2})["coverage"]:
            worst[row["method"]] = row
    lines = [
        f"- {method}: lowest coverage {row['coverage']:.1%}, with {row['n']:,} "
        f"{UNITS.get(row['grid'], 'cases')}" + ("" if row["share"] is None else f", {_describe_share(row)}")
        for method, row in worst.items()
    ]
    chart = f"![Coverage, width and cost: {setting}](figures/{_file_name(setting)}.svg)"
    return [chart, "\n".join(lines), *_describe_error(records)]


def _describe_error(records: list[Record]) -> list[str]:
    """State how many samples the coverage comes from, and how far it may be off; nothing if it is exact."""
    samples = max(map(_count_samples, records))
    if not samples:
        return []
    error = 100 * max(row["se"] or 0.0 for row in records)
    return [f"Up to {samples:,} samples per setting; standard errors are at most {error:.1f} points."]


def _count_samples(row: Record) -> int:
    """Return the number of samples behind a coverage, from its standard error if it was not kept."""
    if row.get("samples") or not row["se"]:
        return int(row.get("samples") or 0)
    return round(row["coverage"] * (1 - row["coverage"]) / row["se"] ** 2)


MARKER = re.compile(r"^<!-- measured: ([a-z -]+) -->$", re.MULTILINE)
NAMED = {
    "slices": "names a slice",
    "winners": "names a winner",
    "clusters": "is called cheaper",
    "several-systems": "names a difference",
}
"""What a rejection means, by the file of the records."""
TRUE_DIFFERENCES = {"slices-gaps", "winners-real", "winners-plans", "calibration"}
"""Grids in which rejections are not all errors."""
LONGEST_LABEL = 430
"""The width of the names of settings, in pixels."""


def write_measured_parts(source: Path) -> None:
    """Replace the markers on the pages of methods by charts and tables of the records."""
    folder = source / "methods"
    records = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("data/*.json")}
    for page in folder.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        if MARKER.search(text):
            page.write_text(MARKER.sub(lambda match: _measured(folder, match[1], records), text), "utf-8")


def _measured(folder: Path, names: str, records: dict[str, list[Record]]) -> str:
    """Draw and tabulate the records of some grids of one file."""
    grids = names.split()
    file = next(name for name, rows in records.items() if any(row.get("grid") == grids[0] for row in rows))
    rows = [row for row in records[file] if row["grid"] in grids]
    if file == "intervals":
        return _interval_parts(rows)
    is_error = not TRUE_DIFFERENCES & {*grids}
    words = {"rejected": NAMED.get(file, "rejects"), "coverage": "covers"}
    parts = []
    for value, limit in (("rejected", 0.05 if is_error else None), ("coverage", NOMINAL)):
        own = [row for row in rows if row[value] is not None]
        if own:
            name = f"{grids[0]}-{value}.svg"
            (folder / "figures").mkdir(exist_ok=True)
            draw_rates(own, value, f"share of samples: {words[value]}", limit).save(
                str(folder / "figures" / name)
            )
            parts.append(f"![Share of samples in which a method {words[value]}](figures/{name})")
    has_width = [row for row in rows if row["width"] is not None]
    # Methods of one row estimate the same quantity, except where calibration measures are side by side.
    if has_width and file == "clusters":
        name = f"{grids[0]}-width.svg"
        draw_rates(has_width, "width", "mean width of the interval", None).save(
            str(folder / "figures" / name)
        )
        parts.append(f"![Mean width of the interval of each method](figures/{name})")
    error = max(row["se"] for row in rows)
    samples = sorted({row["samples"] for row in rows if row.get("samples")})
    number = " to ".join(f"{n:,}" for n in dict.fromkeys((samples[0], samples[-1]))) if samples else ""
    largest = samples[-1] if samples else 500
    has_intervals = any(row["coverage"] is not None for row in rows)
    nominal = " The nominal level of the intervals is 95%." if has_intervals else ""
    # A page has several of these tables, and the charts above them show the same numbers.
    parts += ["<details>\n<summary>The numbers</summary>", _rates_table(rows, words), "</details>"]
    parts.append(
        f"In per cent{f' of {number} samples' if number else ''}; standard errors are at most "
        f"{100 * error:.1f}.{nominal} Made by `script/coverage {names} -n {largest} --write`; the records "
        f"are in [{file}.json](data/{file}.json)."
    )
    return "\n\n".join(parts)


def _interval_parts(records: list[Record]) -> str:
    """Show the charts of some intervals, which the page of all intervals has drawn."""
    parts = [
        part
        for setting, own in _by_setting(records).items()
        for part in (f"**{plain(setting[:1].upper() + setting[1:])}**", *_describe_setting(setting, own))
    ]
    return "\n\n".join(
        [*parts, "[Measured coverage](measured-coverage.md) explains the charts and has more."]
    )


def _label(row: Record, records: list[Record]) -> str:
    """Name a setting, with its size if there are several sizes of it."""
    sizes = {(each["n"], each["clusters"]) for each in records if each["setting"] == row["setting"]}
    if len(sizes) == 1:
        return str(row["setting"])
    return f"{row['setting']}, " + (f"{row['clusters']} clusters" if row["clusters"] else f"n = {row['n']:,}")


def draw_rates(
    records: list[Record], value: str, title: str, limit: float | None
) -> alt.LayerChart | alt.FacetChart:
    """Draw one line per setting with a dot per method; bars of shares reach two standard errors."""
    is_share = value != "width"
    rows = [
        {"setting": _label(row, records), "method": row["method"], "rate": row[value]}
        | (_bar(row, value) if is_share else {})
        for row in records
    ]
    methods = sorted(
        dict.fromkeys(row["method"] for row in rows), key=lambda x: not x.startswith("Edgeworth")
    )
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    colour = alt.Color(
        "method:N", title=None, sort=methods, scale=alt.Scale(domain=methods, range=COLOURS[: len(methods)])
    )
    y = alt.Y(
        "setting:N", title=None, sort=settings, axis=alt.Axis(labelLimit=LONGEST_LABEL, labelFontSize=10)
    )
    lowest = min(row["low"] for row in rows) if value == "coverage" else 0.0
    scale = (
        alt.Scale(domain=[max(0.0, min(0.85, lowest) - 0.01), 1.0], zero=False) if is_share else alt.Scale()
    )
    x = alt.X("rate:Q", title=title, scale=scale, axis=alt.Axis(format="%" if is_share else "~g"))
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=y, color=colour)
    layers = [base.mark_point(filled=True, size=45, opacity=0.9).encode(x=x)]
    if is_share:
        layers.insert(0, base.mark_rule().encode(x=alt.X("low:Q", scale=scale), x2="high:Q"))
    if limit is not None:
        line = alt.Chart(alt.InlineData(values=[{"x": limit}])).mark_rule(strokeDash=[4, 4], color="#444")
        layers.insert(0, line.encode(x="x:Q"))
    # Browsers may have a wider font than the one that the labels were measured with.
    chart = alt.layer(*layers).properties(
        width=330, height=alt.Step(18), padding={"left": 50, "right": 60, "top": 8, "bottom": 5}
    )
    return chart.configure_legend(orient="top", labelLimit=300, columnPadding=30).configure_view(
        stroke="#ddd"
    )


def _bar(row: Record, value: str) -> dict[str, float]:
    """Reach two standard errors to both sides of a share; exact shares have none."""
    share, samples = row[value], row.get("samples")
    error = (share * (1 - share) / samples) ** 0.5 if samples else float(row["se"] or 0.0)
    return {"low": max(0.0, share - 2 * error), "high": min(1.0, share + 2 * error)}


def _rates_table(records: list[Record], words: dict[str, str]) -> str:
    """Tabulate the shares, one row per setting and one column per method."""
    methods = list(dict.fromkeys(row["method"] for row in records))
    columns = [
        (method, value)
        for value in ("rejected", "coverage")
        for method in methods
        if any(row["method"] == method and row[value] is not None for row in records)
    ]
    ours = next((method for method in methods if method.startswith("Edgeworth")), "")
    if any(row.get("caveats") and row.get("covers_or_caveat") is not None for row in records):
        columns.append((ours, "covers_or_caveat"))
    heads = {**words, "covers_or_caveat": "covers or has a caveat"}
    head = [
        "setting",
        "n",
        *(f"{method} {heads[value]}" for method, value in columns),
    ]
    by_setting: dict[tuple[str, str], dict[str, Record]] = {}
    for row in records:
        n = f"{row['n']:,}" + ("" if row["clusters"] is None else f" ({row['clusters']} clusters)")
        by_setting.setdefault((row["setting"], n), {})[row["method"]] = row
    lines = []
    for (setting, n), found in by_setting.items():
        shares = [found[method].get(value) if method in found else None for method, value in columns]
        lines.append([plain(setting), n, *("" if x is None else f"{100 * x:.1f}" for x in shares)])
    return table(head, lines)
