// The answers of the Table tab: informedness, luck, the house, dollars, measures.

import { guessingTable, measureLabel, measureTable, payoffs, viewTable, wilson } from "./table.js";
import { SMALLEST } from "./guessing.js";
import { sum } from "./special.js";
import { count, dollars, fixed, NOTHING, oddsAgainst, percent, pValue } from "./format.js";
import { h } from "./dom.js";
import { help } from "./help.js";
import { intervalBar } from "./svg.js";

const LEVEL = 0.05;
const NOT_DETERMINED = "not determined by the margins";

/** Describe informedness in a sentence. */
export function meaning(value, size) {
  if (Number.isNaN(value))
    return "Informedness is undefined: there have to be two actual classes, and predictions of one of them.";
  const share = percent(Math.abs(value), Math.abs(value) < 0.095 ? 1 : 0);
  if (Math.abs(value) < 0.0005) return "No better and no worse than guessing with the same shares.";
  if (value >= 1 - 1e-12) return "Always right: as good as knowing every answer.";
  if (value > 0) return `As good as knowing the answer ${share} of the time and guessing the rest.`;
  if (size === 2)
    return `As bad as knowing the answer ${share} of the time, giving the opposite, and guessing the rest.`;
  return "Worse than guessing with the same shares.";
}

/** Decide what test and interval together allow to be said. */
export function conclusion(p, low, high) {
  if (p === null || Number.isNaN(p)) return "";
  const isTested = p <= LEVEL;
  const isApart = Number.isFinite(low) ? low > 0 || high < 0 : isTested;
  if (isTested && isApart) return "Significant: this is hard to explain by luck.";
  if (isTested !== isApart) return "No clear answer: the test and the interval disagree.";
  return "Not significant: luck alone can explain it.";
}

/** Everything about a table that needs no drawing of random numbers. */
export function compute(counts, alpha) {
  const view = viewTable(counts);
  return {
    view,
    overall: measureTable(view, alpha),
    labels: view.labels.map((v) => measureLabel(v, alpha)),
    chance: measureTable(viewTable(guessingTable(view)), alpha),
    played: payoffs(view),
    accuracy: view.total > 0 ? wilson(sum(view.hits), view.total) : [NaN, NaN],
  };
}

/** Informedness in large type, with its interval. */
export function informednessBlock(result, interval, isPartial) {
  const value = result.overall.informedness;
  const [low, high] = isPartial ? [NaN, NaN] : [interval.low, interval.high];
  const range = Number.isFinite(low)
    ? `95% CI ${fixed(low)} to ${fixed(high)}`
    : isPartial
      ? `interval ${NOT_DETERMINED}`
      : "no interval";
  return [
    h(
      "div.headline",
      h(
        "output",
        { class: `huge ${value > 0.0005 ? "good" : value < -0.0005 ? "bad" : ""}`, id: "informedness" },
        fixed(value),
      ),
      h("span.beside", range, help("interval"), h("small", isPartial ? "" : (interval.label ?? interval.method))),
    ),
    intervalBar({ low, high, value, label: `informedness ${fixed(value)}, ${range}`, width: 420, height: 22 }),
    h(
      "div.scale",
      { "aria-hidden": "true" },
      h("span", "−1 always wrong"),
      h("span", "0 guessing"),
      h("span", "1 always right"),
    ),
    h("p.meaning", meaning(value, result.view.size)),
  ];
}

/** Write a p-value with the sign that it deserves. */
export function pText({ p, isBound }) {
  if (p <= SMALLEST) return "p < 10⁻³⁰⁰";
  return `p ${isBound ? "<" : "="} ${pValue(p)}`;
}

/** How many cases would show it, in words. */
function planned({ needed }, total) {
  if (needed === null) return "computing …";
  if (Number.isNaN(needed)) return NOTHING;
  if (!Number.isFinite(needed)) return "no number of cases shows 0";
  return needed <= total ? `${count(total)} are enough` : count(needed);
}

/** Significance, apart from informedness. */
export function luckBlock(luck, interval, view, isPartial) {
  const { p, how } = luck;
  const words = Number.isNaN(p)
    ? "There is nothing to test."
    : conclusion(p, isPartial ? NaN : interval.low, interval.high);
  return [
    h("p.figure", h("output#p-value", p === null ? "…" : Number.isNaN(p) ? NOTHING : pText(luck)), h("small", how)),
    h("p#luck-words", p === null ? "Drawing random tables with the same totals …" : words),
    h(
      "p.soft",
      "Cases needed to show it (80% power): ",
      h("output#needed", isPartial ? NOT_DETERMINED : planned(luck, view.total)),
      help("needed"),
    ),
  ];
}

/** What a bookmaker could take. */
export function houseBlock(result) {
  const { overall, played } = result;
  const pair = (name, value) => h("div", h("dt", name[0], help(name[1])), h("dd", value));
  return h(
    "dl.pairs",
    pair(["Break-even margin", "break_even_margin"], percent(overall.break_even_margin)),
    pair(["Break-even commission", "break_even_commission"], percent(overall.break_even_commission)),
    pair(["At the track", "track"], `${dollars(played.won)} won, ${dollars(played.lost)} lost`),
  );
}

/** The colour of a dollar cell: how strong, as a share of the largest. */
function tint(cell, value, largest) {
  if (!Number.isFinite(value)) return;
  if (Math.abs(value) < 0.005) {
    cell.classList.add("nothing");
    return;
  }
  cell.classList.add(value > 0 ? "won" : "lost");
  cell.style.setProperty("--strength", `${Math.round(8 + 42 * Math.sqrt(Math.min(1, Math.abs(value) / largest)))}%`);
}

/** The bookmaker's table as in Figure 1: odds, dollars, Won and Weighted. */
export function dollarTable(result, labels) {
  const { view, played } = result;
  const largest = Math.max(...played.cells.flat().filter(Number.isFinite).map(Math.abs), 0.01);
  const money = (value, attributes = {}) => {
    const cell = h("td", attributes, dollars(value));
    tint(cell, value, largest);
    return cell;
  };
  const head = h(
    "tr",
    h("th", { scope: "col" }, "bet on"),
    h("th", { scope: "col" }, "odds", help("odds")),
    h("th", { scope: "col" }, "price"),
    labels.map((label) => h("th.name", { scope: "col" }, label)),
    h("th.sum", { scope: "col" }, "Won", help("won")),
    h("th", { scope: "col" }, "Weighted", help("weighted")),
  );
  const rows = labels.map((label, l) =>
    h(
      "tr",
      h("th.name", { scope: "row" }, label),
      h("td.odds", oddsAgainst(view.actual[l] / view.total)),
      h("td", fixed(played.odds[l], 2)),
      played.cells[l].map((value) => money(value)),
      money(played.rows[l], { class: "sum" }),
      h("td", dollars(played.weighted[l])),
    ),
  );
  const foot = h(
    "tr",
    h("th", { scope: "row", colspan: 3 }, "total"),
    played.columns.map((value) => h("td", dollars(value))),
    h("td.sum", ""),
    h("td#weighted-total", dollars(played.total)),
  );
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": "Dollar table" },
    h(
      "table.numbers",
      h("caption.offscreen", "Dollars by bet and actual class"),
      h("thead", head),
      h("tbody", rows),
      h("tfoot", foot),
    ),
  );
}

const LABEL_COLUMNS = [
  ["recall", "recall", true],
  ["inverse recall", "inverse_recall"],
  ["precision", "precision", true],
  ["inverse precision", "inverse_precision"],
  ["F", "f"],
  ["IF", "inverse_f"],
  ["G", "g"],
  ["IG", "inverse_g"],
  ["Jaccard", "jaccard"],
];

/** Measures of each label, with chance levels beside recall and precision. */
export function labelTable(result, labels, edges) {
  const chanceOf = { recall: "predicted_share", precision: "prevalence" };
  const head = h(
    "tr",
    h("th", { scope: "col" }, "label"),
    LABEL_COLUMNS.map(([title, name]) => h("th", { scope: "col" }, title, help(name))),
    h("th.wide", { scope: "col" }, "informedness, 95% CI", help("edge")),
  );
  const rows = labels.map((label, l) => {
    const found = result.labels[l];
    const edge = edges[l];
    const value = found.informedness;
    const text = Number.isNaN(value) ? NOTHING : fixed(value);
    return h(
      "tr",
      h("th.name", { scope: "row" }, label),
      LABEL_COLUMNS.map(([, name, hasChance]) =>
        h(
          "td",
          fixed(found[name]),
          hasChance && h("small.chance", { title: "by guessing" }, `chance ${fixed(found[chanceOf[name]])}`),
        ),
      ),
      h(
        "td.wide",
        h(
          "div.edge",
          h("span", text),
          edge &&
            intervalBar({
              ...edge,
              value,
              label: `${label}: ${text}, ${fixed(edge.low)} to ${fixed(edge.high)}`,
              width: 150,
            }),
          edge && h("small", `${fixed(edge.low, 2)} to ${fixed(edge.high, 2)}`),
        ),
      ),
    );
  });
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": "Measures of each label" },
    h("table.numbers", h("caption.offscreen", "Measures of each label"), h("thead", head), h("tbody", rows)),
  );
}

const OVERALL = [
  ["Accuracy", "accuracy"],
  ["Mean recall", "balanced_accuracy"],
  ["AvF", "average_f"],
  ["AvG", "average_g"],
  ["MCC", "mcc"],
  ["Kappa", "kappa"],
  ["Entropy H(R|P)", "conditional_entropy"],
];

/** Measures of the whole table, each beside its value by guessing. */
export function overallList(result, isPartial) {
  return h(
    "dl.tiles",
    OVERALL.map(([title, name]) => {
      const isHidden = isPartial && name === "conditional_entropy";
      const unit = name === "conditional_entropy" ? " bits" : "";
      const level = result.chance[name];
      const value = isHidden ? NOTHING : `${fixed(result.overall[name])}${unit}`;
      return h(
        "div",
        h("dt", title, help(name)),
        h("dd", { "data-measure": name }, value),
        name === "accuracy" && h("dd.chance", `95% CI ${fixed(result.accuracy[0])} to ${fixed(result.accuracy[1])}`),
        h(
          "dd.chance",
          isHidden
            ? NOT_DETERMINED
            : Number.isNaN(level)
              ? ""
              : `by guessing ${fixed(Math.abs(level) < 1e-12 ? 0 : level)}`,
        ),
      );
    }),
  );
}

/** All numbers of the tab as rows for a CSV file. */
export function csvRows(result, labels, luck, interval) {
  const { view, played } = result;
  const table = labels.map((label, l) => [`predicted ${label}`, ...view.counts[l], view.predicted[l]]);
  return [
    ["counts", ...labels.map((label) => `actual ${label}`), "total"],
    ...table,
    ["total", ...view.actual, view.total],
    [],
    ["dollars", ...labels.map((label) => `actual ${label}`), "Won", "Weighted"],
    ...labels.map((label, l) => [`bet on ${label}`, ...played.cells[l], played.rows[l], played.weighted[l]]),
    [],
    ["measure", "value", "by guessing"],
    ...Object.entries(result.overall).map(([name, value]) => [name, value, result.chance[name]]),
    ["informedness, lower end", interval.low],
    ["informedness, upper end", interval.high],
    ["p-value", luck.p],
    [],
    ["label", ...Object.keys(result.labels[0])],
    ...labels.map((label, l) => [label, ...Object.values(result.labels[l])]),
  ];
}

/** The sentence for a paper. */
export function citation({ result, luck, interval, isPartial }, version) {
  const { view, overall } = result;
  const range = isPartial
    ? ""
    : ` (95% CI ${fixed(interval.low)} to ${fixed(interval.high)}; ${interval.label ?? interval.method})`;
  const isTested = luck.p !== null && !Number.isNaN(luck.p);
  const tested = isTested ? `; two-sided ${pText(luck)} against guessing with the same margins (${luck.how})` : "";
  return `Informedness ${fixed(overall.informedness)}${range}${tested}; n = ${count(view.total)}, ${view.size} classes; Edgeworth ${version}.`;
}
