// The answers of the Table tab: informedness, luck, the house, dollars, measures.

import { guessingTable, measureLabel, measureTable, payoffs, viewTable, wilson } from "./table.js";
import { SMALLEST } from "./guessing.js";
import { sum } from "./special.js";
import { count, dollars, fixed, NOTHING, oddsAgainst, percent, pValue } from "./format.js";
import { columnHead, h, numberTable } from "./dom.js";
import { help, numberPair } from "./help.js";
import { intervalBar } from "./svg.js";

const LEVEL = 0.05;
const NEARLY_0 = 0.0005;
const NOT_DETERMINED = "not determined by the margins";

/** Describe informedness in a sentence. */
export function meaning(value, size) {
  if (Number.isNaN(value)) {
    return "Informedness is undefined. It needs cases of two actual classes, and predictions of at least one of them.";
  }
  const decimals = Math.abs(value) > 0.995 ? 2 : Math.abs(value) < 0.095 ? 1 : 0;
  const share = percent(Math.abs(value), decimals);
  if (Math.abs(value) < NEARLY_0) return "No better and no worse than guessing with the same shares.";
  if (value >= 1 - 1e-12) return "Always right: as good as knowing every answer.";
  if (value > 0) return `As good as knowing the answer ${share} of the time and guessing the rest.`;
  if (value <= -1 + 1e-12 && size === 2) return "Always wrong: the opposite answer would always be right.";
  if (size > 2) return "Worse than guessing with the same shares.";
  return `As bad as knowing the answer ${share} of the time, giving the opposite, and guessing the rest.`;
}

/** Decide what the test and the interval together allow to be said. */
export function conclusion(p, low, high) {
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
    accuracy: wilson(sum(view.hits), view.total),
  };
}

const toneOf = (value) => (value > NEARLY_0 ? ".good" : value < -NEARLY_0 ? ".bad" : "");

/** Informedness in large type, with its interval. */
export function informednessBlock(result, interval, isPartial) {
  const value = result.overall.informedness;
  const [low, high] = isPartial ? [NaN, NaN] : [interval.low, interval.high];
  const known = `95% CI ${fixed(low)} to ${fixed(high)}`;
  const range = Number.isFinite(low) ? known : isPartial ? `interval ${NOT_DETERMINED}` : "no interval";
  const method = isPartial || Number.isNaN(value) ? "" : (interval.label ?? interval.method);
  const ends = ["−1 always wrong", "0 guessing", "1 always right"];
  return [
    h(
      "div.headline",
      h(`output.huge${toneOf(value)}#informedness`, fixed(value)),
      h("span.beside", range, help("interval"), h("small", method)),
    ),
    intervalBar({ low, high, value, label: `informedness ${fixed(value)}, ${range}`, width: 420, height: 22 }),
    h(
      "div.scale",
      { "aria-hidden": "true" },
      ends.map((text) => h("span", text)),
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
  if (!Number.isFinite(needed)) return "no number is enough, because informedness is 0";
  return needed <= total ? `${count(Math.round(total))} are enough` : count(needed);
}

/** Significance, apart from informedness. */
export function luckBlock(luck, interval, view, isPartial) {
  const { p, how } = luck;
  const isWaiting = p === null;
  const isUndefined = Number.isNaN(p);
  const decided = isUndefined ? "There is nothing to test." : conclusion(p, isPartial ? NaN : interval.low, interval.high);
  const value = isWaiting ? "…" : isUndefined ? NOTHING : pText(luck);
  const cases = isPartial ? NOT_DETERMINED : planned(luck, view.total);
  return [
    h("p.figure", h("output#p-value", value), h("small", how)),
    h("p#luck-words", isWaiting ? "Drawing random tables with the same totals …" : decided),
    h("p.soft", "Cases needed to show it (80% power): ", h("output#needed", cases), help("needed")),
  ];
}

/** What a bookmaker could take. */
export function houseBlock({ overall, played }) {
  return h(
    "dl.pairs",
    numberPair("Break-even margin", "break_even_margin", percent(overall.break_even_margin)),
    numberPair("Break-even commission", "break_even_commission", percent(overall.break_even_commission)),
    numberPair("At the track", "track", `${dollars(played.won)} won, ${dollars(played.lost)} lost`),
  );
}

/** A cell with dollars, coloured by how much it wins or loses. */
function moneyCell(value, largest, kind = "") {
  const cell = h(`td${kind}`, dollars(value));
  if (Math.abs(value) < 0.005) {
    cell.classList.add("nothing");
  } else if (Number.isFinite(value)) {
    cell.classList.add(value > 0 ? "won" : "lost");
    const strength = 8 + 42 * Math.sqrt(Math.min(1, Math.abs(value) / largest));
    cell.style.setProperty("--strength", `${Math.round(strength)}%`);
  }
  return cell;
}

/** The bookmaker's table as in Figure 1: odds, dollars, Won and Weighted. */
export function dollarTable({ view, played }, labels) {
  const largest = Math.max(...played.cells.flat().filter(Number.isFinite).map(Math.abs), 0.01);
  const names = labels.map((label) => h("th.name", { scope: "col" }, label));
  const won = h("th.sum", { scope: "col" }, "Won", help("won"));
  const head = h(
    "tr",
    columnHead("bet on"),
    columnHead("odds", help("odds")),
    columnHead("price"),
    names,
    won,
    columnHead("Weighted", help("weighted")),
  );
  const rows = labels.map((label, l) =>
    h(
      "tr",
      h("th.name", { scope: "row" }, label),
      h("td.odds", oddsAgainst(view.actual[l] / view.total)),
      h("td", fixed(played.odds[l], 2)),
      played.cells[l].map((value) => moneyCell(value, largest)),
      moneyCell(played.rows[l], largest, ".sum"),
      h("td", dollars(played.weighted[l])),
    ),
  );
  const foot = h(
    "tr",
    h("th", { scope: "row", colspan: 3 }, "total"),
    played.columns.map((value) => h("td", dollars(value))),
    h("td.sum"),
    h("td#weighted-total", dollars(played.total)),
  );
  return numberTable("Dollars by bet and actual class", head, rows, foot);
}

const LABEL_COLUMNS = [
  ["recall", "recall"],
  ["inverse recall", "inverse_recall"],
  ["precision", "precision"],
  ["inverse precision", "inverse_precision"],
  ["F", "f"],
  ["IF", "inverse_f"],
  ["G", "g"],
  ["IG", "inverse_g"],
  ["Jaccard", "jaccard"],
];
/** By guessing, recall is the label's share of predictions and precision is the class's share of cases. */
const CHANCE_LEVELS = { recall: "predicted_share", precision: "prevalence" };

/** Why a measure of a label has no value. */
function labelReason(label, v) {
  if (!(v.actual > 0)) return `no case is actually ${label}`;
  if (!(v.notActual > 0)) return `every case is actually ${label}`;
  return v.predicted > 0 ? `every case was predicted as ${label}` : `no case was predicted as ${label}`;
}

/** A number, or a dash that says why there is none. */
const numberOr = (value, reason) =>
  Number.isNaN(value)
    ? h("span.undefined", { title: reason, role: "img", "aria-label": `undefined: ${reason}` }, NOTHING)
    : fixed(value);

function labelRow(label, found, edge, v) {
  const reason = labelReason(label, v);
  const cells = LABEL_COLUMNS.map(([, name]) => {
    const level = CHANCE_LEVELS[name];
    return h("td", numberOr(found[name], reason), level && h("small.chance", `chance ${fixed(found[level])}`));
  });
  const value = found.informedness;
  const name = edge && `${label}: ${fixed(value)}, ${fixed(edge.low)} to ${fixed(edge.high)}`;
  const bar = edge && [
    intervalBar({ ...edge, value, label: name, width: 150 }),
    h("small", `${fixed(edge.low, 2)} to ${fixed(edge.high, 2)}`),
  ];
  return h(
    "tr",
    h("th.name", { scope: "row" }, label),
    cells,
    h("td.wide", h("div.edge", h("span", numberOr(value, reason)), bar)),
  );
}

/** Measures of each label, with chance levels beside recall and precision. */
export function labelTable(result, labels, edges) {
  const titles = LABEL_COLUMNS.map(([title, name]) => columnHead(title, help(name)));
  const head = h("tr", columnHead("label"), titles, h("th.wide", { scope: "col" }, "informedness, 95% CI", help("edge")));
  const rows = labels.map((label, l) => labelRow(label, result.labels[l], edges[l], result.view.labels[l]));
  return numberTable("Measures of each label", head, rows);
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

/** Why a measure of the whole table has no value. */
function tableReason(view) {
  const isSingle = (margin) => margin.filter((number) => number > 0).length < 2;
  return isSingle(view.actual) ? "only one class occurs" : "only one label was ever predicted";
}

/** Measures of the whole table, each beside its value by guessing. */
export function overallList({ view, overall, chance, accuracy }, isPartial) {
  return h(
    "dl.tiles",
    OVERALL.map(([title, name]) => {
      const isEntropy = name === "conditional_entropy";
      const isHidden = isPartial && isEntropy;
      const value = isHidden ? NOTHING : `${fixed(overall[name])}${isEntropy ? " bits" : ""}`;
      const level = Math.abs(chance[name]) < 1e-12 ? 0 : chance[name];
      const guessing = Number.isNaN(level) ? tableReason(view) : `by guessing ${fixed(level)}`;
      const range = name === "accuracy" && h("dd.chance", `95% CI ${fixed(accuracy[0])} to ${fixed(accuracy[1])}`);
      return h(
        "div",
        h("dt", title, help(name)),
        h("dd", { "data-measure": name }, value),
        range,
        h("dd.chance", isHidden ? NOT_DETERMINED : guessing),
      );
    }),
  );
}

/** All numbers of the tab as rows for a CSV file. */
export function csvRows({ result, labels, luck, interval }) {
  const { view, played, overall, chance } = result;
  const columns = labels.map((label) => `actual ${label}`);
  return [
    ["counts", ...columns, "total"],
    ...labels.map((label, l) => [`predicted ${label}`, ...view.counts[l], view.predicted[l]]),
    ["total", ...view.actual, view.total],
    [],
    ["dollars", ...columns, "Won", "Weighted"],
    ...labels.map((label, l) => [`bet on ${label}`, ...played.cells[l], played.rows[l], played.weighted[l]]),
    [],
    ["measure", "value", "by guessing"],
    ...Object.entries(overall).map(([name, value]) => [name, value, chance[name]]),
    ["informedness, lower end", interval.low],
    ["informedness, upper end", interval.high],
    [luck.isBound ? "p-value, upper bound" : "p-value", luck.p],
    [],
    ["label", ...Object.keys(result.labels[0])],
    ...labels.map((label, l) => [label, ...Object.values(result.labels[l])]),
  ];
}

/** The sentence for a paper. */
export function citation({ result, luck, interval, isPartial }, version) {
  const { view, overall } = result;
  const method = interval.label ?? interval.method;
  const range = isPartial ? "" : ` (95% CI ${fixed(interval.low)} to ${fixed(interval.high)}; ${method})`;
  const isTested = luck.p !== null && !Number.isNaN(luck.p);
  const tested = isTested ? `; two-sided ${pText(luck)} against guessing with the same margins (${luck.how})` : "";
  const size = `n = ${count(view.total)}, ${view.size} classes`;
  return `Informedness ${fixed(overall.informedness)}${range}${tested}; ${size}; Edgeworth ${version}.`;
}
