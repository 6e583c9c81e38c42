// The Table tab: an editable contingency table and everything that follows from it.

import { informednessInterval, newcombe } from "./table.js";
import { casesNeeded, examineLuck, isCounted, wholeCases } from "./guessing.js";
import { count, fixed, parseNumber, pValue } from "./format.js";
import { announce, card, exampleChips, field, h, legend, markInvalid, pause, segmented, show } from "./dom.js";
import { help } from "./help.js";
import { MOST_CLASSES } from "./state.js";
import { EXAMPLES, findExample } from "./examples.js";
import { parseMatrix } from "./paste.js";
import { actions, copy, csv, download, enableActions, svgText } from "./export.js";
import {
  commandLine,
  readTable,
  shownCells,
  withCell,
  withCells,
  withExample,
  withNewClass,
  withoutClass,
  withUnit,
} from "./table_data.js";
import { createSheet } from "./sheet.js";
import { createWhatIf } from "./what_if.js";
import {
  citation,
  compute,
  csvRows,
  dollarTable,
  houseBlock,
  informednessBlock,
  labelTable,
  luckBlock,
  overallList,
  pText,
} from "./table_results.js";
import { mosaic } from "./table_charts.js";

const SEED = 0;
const MOST_BESIDE = 5;

/** Everything typed, above the answers. */
function createInputs(store) {
  const change = (values, key) => store.change("table", values, key);
  const rows = segmented(
    "Rows are",
    [
      ["predicted", "predicted"],
      ["actual", "actual"],
    ],
    (value) => change({ rows: value, example: null }),
  );
  const unit = segmented(
    "Cells are",
    [
      ["counts", "counts"],
      ["percent", "% of N"],
    ],
    (value) => change((table) => withUnit(table, value)),
  );
  const cases = field("N, number of cases", {
    onchange: (text) => change({ cases: text }, "cases"),
    describe: "the interval and p depend on N",
    "aria-label": "Number of cases N",
  });
  const problem = h("p.problem", { role: "alert" });
  const add = h("button.quiet", { type: "button", onclick: () => change(withNewClass) }, "Add a class");

  function take(text, complain) {
    try {
      const { cells, labels, unit: found, blanks } = parseMatrix(text);
      change((table) => withCells(table, cells, labels, { unit: found }));
      announce(`${cells.length} × ${cells.length} table pasted${blanks ? ", blank cells are 0" : ""}`);
      complain.textContent = "";
      return true;
    } catch (error) {
      complain.textContent = error.message;
      return false;
    }
  }

  const sheet = createSheet({
    onCell: (l, k, text) => change((table) => withCell(table, l, k, text), `cell ${l} ${k}`),
    onPaste: (text) => take(text, problem),
    onName: (k, name) => change((table) => ({ ...table, labels: table.labels.with(k, name) }), `name ${k}`),
    onRemove: (k) => change((table) => withoutClass(table, k)),
  });
  const pasted = h("textarea", { rows: 4, "aria-label": "Paste a table", placeholder: "12 28\n18 42", spellcheck: "false" });
  const pasteProblem = h("p.problem", { role: "alert" });
  const usePasted = () => {
    if (take(pasted.value, pasteProblem)) pasted.value = "";
  };
  const pasteBox = h(
    "details.paste",
    h("summary", "Paste a table"),
    h(
      "p.soft",
      "From a spreadsheet, a paper or a program: tabs, commas or blanks, with or without names and totals. Percentages need N.",
    ),
    pasted,
    h("button.primary", { type: "button", onclick: usePasted }, "Use this table"),
    pasteProblem,
  );
  const element = card(
    "Contingency table",
    { class: "sheet" },
    h("div.controls", rows.wrapper, unit.wrapper, cases.wrapper),
    sheet.element,
    problem,
    h("div.controls", add),
    pasteBox,
  );

  function update(table, read) {
    sheet.update(table, shownCells(table));
    rows.set(table.rows);
    unit.set(table.unit);
    cases.set(table.cases);
    cases.wrapper.hidden = table.unit !== "percent";
    add.disabled = table.cells.length >= MOST_CLASSES;
    problem.textContent = read.error ?? read.note;
  }

  return { element, update };
}

/** What is known about luck before anything is drawn. */
function firstLuck(counts, isDefined) {
  const { tails, bound, isApproximate, needed } = examineLuck(counts);
  if (bound !== null) return { p: bound, isBound: true, how: "proven upper bound (Chatterjee 2007)", needed };
  if (tails) return { p: tails.twoSided, how: `exact, two-sided${isApproximate ? ", counts rounded" : ""}`, needed };
  return { p: isDefined ? null : NaN, how: "", needed };
}

/** The interval after a posterior was drawn. */
function joinPosterior(interval, value, [low, high]) {
  if (interval.alone) return { ...interval, low: Math.min(low, value), high: Math.max(high, value), label: "sampled posterior" };
  const label = "delta method and sampled posterior, outer bounds";
  return { ...interval, low: Math.min(low, interval.low), high: Math.max(high, interval.high), label };
}

/** Build the tab. Returns its element and a function that shows a state. */
export function createTable(store, helper, version) {
  const change = (values, key) => store.change("table", values, key);
  const chips = exampleChips(EXAMPLES, (id) => change((table) => withExample(table, id)));
  const note = h("p.note#example-note");
  const inputs = createInputs(store);
  const whatIf = createWhatIf(store);
  const alpha = field("α, weight of recall in F", { onchange: (text) => change({ alpha: text }, "alpha") });
  const holders = Object.fromEntries(
    ["informedness", "luck", "house", "dollars", "labels", "overall"].map((name) => [name, h("div")]),
  );
  const mosaicHolder = h("div.picture");
  const live = h("p.offscreen#spoken", { "aria-live": "polite" });
  let last = null;

  const answer = h(
    "div.answer",
    card("Informedness", { class: "main-answer", help: help("informedness") }, holders.informedness),
    card("Could this be luck?", { class: "luck", help: help("significance") }, holders.luck),
    card(
      "Known above guessed",
      { class: "mosaic-card", help: help("mosaic") },
      mosaicHolder,
      legend(["good", "right"], ["bad", "wrong"], ["chance", "recall by guessing"]),
    ),
    card("What could a bookmaker take?", { class: "house" }, holders.house),
  );
  const dollars = card("Dollars at fair odds", { class: "dollars", help: help("dollars") }, holders.dollars);
  const top = h("div.top", h("div.left", inputs.element, dollars, whatIf.element), answer);
  const results = h(
    "div.results",
    card("The whole table", { class: "overall" }, holders.overall),
    card("Label by label", { class: "labels" }, h("div.controls", alpha.wrapper), holders.labels),
  );
  const bar = actions([
    ["Copy as command", () => copy(commandLine(store.state.table), "Command")],
    ["Copy for a paper", () => copy(citation(last, version), "Sentence")],
    ["Download CSV", () => download("edgeworth-table.csv", "text/csv", csv(csvRows(last)))],
    ["Download SVG", () => download("edgeworth-mosaic.svg", "image/svg+xml", svgText(mosaicHolder.querySelector("svg")))],
  ]);
  const element = h("div.tab-body", h("div.examples", chips.wrapper, note), top, results, bar, live);

  const speak = pause(700, (text) => (live.textContent = text));

  function showAnswers() {
    const { result, interval, luck, isPartial } = last;
    show(holders.informedness, informednessBlock(result, interval, isPartial));
    show(holders.luck, luckBlock(luck, interval, result.view, isPartial));
    const p = luck.p === null || Number.isNaN(luck.p) ? "" : `, ${pText(luck)}`;
    speak(`Informedness ${fixed(result.overall.informedness)}${p}`);
  }

  /** Do a job aside and show what it found, if the counts are still the same. */
  function ask(job, use) {
    const { key } = last;
    helper.ask(job.kind, job).then((found) => {
      if (last.key !== key) return;
      use(found);
      showAnswers();
    });
  }

  const askLater = pause(120, (key, counts) => {
    if (last.key !== key) return;
    const isWhole = isCounted(counts);
    const { interval, luck } = last;
    if (luck.p === null) {
      ask({ kind: "guessing", counts: isWhole ? counts : wholeCases(counts), seed: SEED }, ({ twoSided, draws }) => {
        // When no drawn table is as far from 0, only the upper end of the Monte Carlo interval is known.
        const isBound = twoSided.low === 0;
        const error = `± ${pValue((twoSided.high - twoSided.low) / 2)}; ${count(draws)} tables`;
        const drawn = isBound ? `none of ${count(draws)} tables is as far from 0` : error;
        const how = `sampled, ${drawn}${isWhole ? "" : ", counts rounded"}`;
        last.luck = { ...last.luck, p: isBound ? twoSided.high : twoSided.p, isBound, how };
      });
    }
    if (interval.posterior !== null) {
      ask({ kind: "posterior", counts, prior: interval.posterior, seed: SEED }, (bounds) => {
        last.interval = joinPosterior(interval, last.result.overall.informedness, bounds);
        last.luck = { ...last.luck, needed: casesNeeded(last.result.view, last.interval) ?? last.luck.needed };
      });
    }
    if (luck.needed === null) {
      ask({ kind: "plan", counts }, (needed) => (last.luck = { ...last.luck, needed }));
    }
  });

  /** Show a state: every number follows from it. */
  function update({ table }) {
    const read = readTable(table);
    const example = table.example ? findExample(table.example) : null;
    inputs.update(table, read);
    whatIf.update(table, read.counts);
    chips.set(table.example);
    note.textContent = example?.note ?? "";
    top.classList.toggle("many", table.cells.length > MOST_BESIDE);
    alpha.set(table.alpha);
    const weight = parseNumber(table.alpha);
    const isWeight = weight >= 0 && weight <= 1;
    markInvalid(alpha.input, !isWeight);
    element.classList.toggle("stale", read.error !== undefined);
    enableActions(bar, read.error === undefined);
    if (!read.counts) return;
    const { counts } = read;
    const result = compute(counts, isWeight ? weight : 0.5);
    const key = JSON.stringify(counts);
    const shown = { key, result, labels: table.labels, isPartial: Boolean(example?.isPartial) };
    if (last?.key === key) {
      // The same counts keep what was drawn for them.
      last = { ...last, ...shown };
    } else {
      const isDefined = !Number.isNaN(result.overall.informedness);
      last = { ...shown, interval: informednessInterval(result.view), luck: firstLuck(counts, isDefined) };
      askLater(key, counts);
    }
    showAnswers();
    const edges = result.view.labels.map((v) => (v.actual > 0 && v.notActual > 0 ? newcombe(v) : null));
    show(holders.house, houseBlock(result));
    show(holders.dollars, dollarTable(result, table.labels));
    show(holders.labels, labelTable(result, table.labels, edges));
    show(holders.overall, overallList(result, shown.isPartial));
    show(mosaicHolder, mosaic(result.view, result.played, table.labels));
  }

  return { element, update };
}
