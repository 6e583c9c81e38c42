// The Race tab: one forecaster bets at the other's prices, case by case.

import { expectedPath, guessColumns, outcomeValues, parseColumns, readRace, settle } from "./wealth.js";
import { Random } from "./special.js";
import { count, fixed, isBeyondWords, percent, pValue, wealth } from "./format.js";
import { announce, card, exampleChips, h, legend, show } from "./dom.js";
import { help, numberPair } from "./help.js";
import { actions, copy, csv, download, shellWord, svgText } from "./export.js";
import { pathChart, returnsChart, scatterChart, wealthChart } from "./race_charts.js";

const LARGEST_FILE = 60e6;
/** Leave-one-out forecasts are not made before the other outcomes are known. */
const LEFT_OUT = "In this example each forecast used the other births' outcomes, so take the e-value and p as an illustration.";
const SAMPLE = { id: "births", name: "189 births" };

/** The rows in a random order. */
function shuffled(rows, seed) {
  const places = new Random(seed).shuffle(Uint32Array.from(rows.outcomes, (_, t) => t));
  const pick = (values) => Array.from(places, (t) => values[t]);
  return { ...rows, outcomes: pick(rows.outcomes), model: pick(rows.model), rival: pick(rows.rival) };
}

/** Say who wins, in words. */
function verdict({ final, growth }, { model, rival }) {
  if (final === -Infinity) return `${model} gave no chance to something that happened: all capital is lost.`;
  if (final === Infinity) return `${rival} gave no chance to something that happened, so ${model}'s wealth has no limit.`;
  if (isBeyondWords(final))
    return `${model}'s wealth ${final > 0 ? "grows" : "shrinks"} by ${percent(Math.abs(Math.expm1(growth)))} per case at ${rival}'s prices.`;
  if (final > 0) return `${model} turns $1 into $${wealth(final)} at ${rival}'s prices.`;
  return `${model} loses at ${rival}'s prices: $1 becomes $${wealth(final)}.`;
}

/** Final wealth in large type, and the numbers behind it. */
function wealthBlock({ settled, expected, names }, isSample) {
  const { final, path, growth, logScores, brierScores, drawdown } = settled;
  const mean = expected.mean[path.length - 1];
  const deviation = Math.sqrt(expected.variance[path.length - 1]);
  const both = (scores) => scores.map((score) => fixed(score, 4)).join(" · ");
  return [
    h(
      "div.headline",
      h(
        `output.huge.${final > 0 ? "good" : "bad"}#final-wealth`,
        isBeyondWords(final) ? `${fixed(growth, 3)} nats` : wealth(final),
      ),
      h(
        "span.beside",
        isBeyondWords(final) ? `per case; log wealth ${count(final)}` : `log wealth ${fixed(final, 4)}`,
        h("small", `${count(path.length)} cases`),
      ),
    ),
    h("p.meaning", verdict(settled, names)),
    h(
      "dl.pairs",
      numberPair("E-value against the rival", "e_value", wealth(final), { id: "e-value" }),
      numberPair("p at most", "e_value", pValue(Math.min(1, Math.exp(-final))), { id: "race-p" }),
      numberPair("Growth per case", "growth", `${fixed(growth, 5)} nats`, { id: "race-growth" }),
      numberPair("Expected log wealth if the model is right", "expected_path", `${fixed(mean, 3)}, sd ${fixed(deviation, 3)}`),
      numberPair("Log score, model and rival", "log_score", both(logScores), { id: "log-scores" }),
      numberPair("Brier score, model and rival", "brier", both(brierScores), { id: "brier-scores" }),
      numberPair("Largest fall of log wealth", "drawdown", fixed(drawdown, 3)),
    ),
    h("p.soft", "The e-value is valid for the final result, if the forecasts were made before the outcomes were known."),
    isSample && h("p.soft", LEFT_OUT),
  ];
}

/** Selects for the columns of the file. */
function columnPickers(table, chosen, onchange) {
  const pick = (label, options, value, use) => {
    const select = h(
      "select",
      { "aria-label": label, onchange: () => use(select.value) },
      options.map(([key, text]) => h("option", { value: key }, text)),
    );
    select.value = value;
    return h("label.labelled", h("span", label), select);
  };
  const columns = table.names.map((name, k) => [k, name]);
  const column = (label, key) => pick(label, columns, chosen[key], (value) => onchange({ [key]: Number(value) }));
  const values = outcomeValues(table.columns[chosen.outcome]) ?? [];
  const positive = pick(
    "Came true",
    values.map((value) => [value, value]),
    chosen.positive,
    (value) => onchange({ positive: value }),
  );
  return [column("Outcome", "outcome"), positive, column("Model (bets)", "model"), column("Rival (sets prices)", "rival")];
}

/** Build the tab. `births` is the sample's text. */
export function createRace(store, births, version) {
  /** The file as columns, the columns in use, and the seed of the order (null: as in the file). */
  let table = null;
  let chosen = null;
  let seed = null;
  let name = "";
  let isSample = true;
  let data = null;
  const chips = exampleChips([SAMPLE], () => take(births, SAMPLE.name, "births"));
  const note = h("p.note");
  const file = h("input.offscreen#race-file", {
    type: "file",
    accept: ".csv,.tsv,.txt,text/csv",
    "aria-label": "Choose a CSV file",
    onchange: () => file.files[0] && readFile(file.files[0]),
  });
  const drop = h(
    "label.drop",
    { for: "race-file" },
    h("strong", "Drop a CSV file here"),
    h("span", "or choose one. It needs an outcome and two columns of probabilities. It stays in your browser."),
  );
  const pasted = h("textarea.mono", {
    rows: 4,
    spellcheck: "false",
    "aria-label": "Paste rows",
    placeholder: "outcome,model,rival\n1,0.6,0.5\n0,0.3,0.5",
  });
  const usePasted = () => take(pasted.value, "pasted rows", "file");
  const pasteBox = h(
    "details.paste",
    h("summary", "Paste rows"),
    pasted,
    h("button.primary", { type: "button", onclick: usePasted }, "Use these rows"),
  );
  const pickers = h("div.controls");
  const problem = h("p.problem", { role: "alert" });
  const reorder = (next) => {
    seed = next;
    compute();
    announce(seed === null ? "Rows in the order of the file" : "Rows shuffled");
  };
  const shuffle = h("button.primary", { type: "button", onclick: () => reorder((seed ?? 0) + 1) }, "Shuffle the rows");
  const unshuffle = h("button.quiet", { type: "button", disabled: true, onclick: () => reorder(null) }, "File order");
  const answer = h("div");
  const charts = Object.fromEntries(["path", "wealth", "returns", "scatter"].map((each) => [each, h("div.picture")]));
  const bar = actions([
    ["Copy as command", () => copy(commandLine(), "Command")],
    ["Copy for a paper", () => copy(sentence(), "Sentence")],
    ["Download CSV", () => download("edgeworth-race.csv", "text/csv", csv(csvRows(data)))],
    ["Download SVG", () => download("edgeworth-wealth.svg", "image/svg+xml", svgText(charts.path.querySelector("svg")))],
  ]);
  const element = h(
    "div.tab-body",
    h("div.examples", chips.wrapper, note),
    h(
      "div.top",
      h(
        "div.left",
        card(
          "Two forecasters, one file",
          { class: "sheet" },
          file,
          drop,
          pasteBox,
          pickers,
          problem,
          h("div.controls", shuffle, unshuffle),
        ),
        card(
          "Log wealth",
          { class: "chart-card", help: help("expected_path") },
          charts.path,
          legend(["model", "log wealth"], ["expected-band", "expected if the model is right, 95% band"]),
        ),
        card("Wealth W(t)", { class: "chart-card", help: help("wealth") }, charts.wealth),
      ),
      h(
        "div.answer",
        card("Wealth", { class: "main-answer", help: help("wealth") }, answer),
        card(
          "Both forecasts",
          { class: "chart-card" },
          charts.scatter,
          legend(["true", "came true"], ["false", "did not"]),
          h("p.soft", "A better model has filled points above the diagonal and empty points below it."),
        ),
        card("Single returns S(t)", { class: "chart-card", help: help("returns") }, charts.returns),
      ),
    ),
    bar,
  );

  const isOver = (over) => (event) => {
    event.preventDefault();
    drop.classList.toggle("over", over);
  };
  element.addEventListener("dragover", isOver(true));
  element.addEventListener("dragleave", isOver(false));
  element.addEventListener("drop", (event) => {
    isOver(false)(event);
    if (event.dataTransfer.files[0]) readFile(event.dataTransfer.files[0]);
  });

  async function readFile(picked) {
    if (picked.size > LARGEST_FILE)
      problem.textContent = "The file is larger than 60 MB. Use the edgeworth command for large files.";
    else take(await picked.text(), picked.name, "file");
  }

  /** The outcome that counts as true if none is chosen. */
  function usualPositive(columns, outcome) {
    const values = outcomeValues(columns[outcome]);
    if (!values) throw new Error("An outcome column has exactly two values.");
    return values[values.length - 1];
  }

  function take(text, from, source) {
    try {
      const found = parseColumns(text);
      const columns = guessColumns(found);
      chosen = { ...columns, positive: usualPositive(found.columns, columns.outcome) };
      [table, seed, name] = [found, null, from];
      isSample = source === "births";
      compute();
      if (store.state.race.source !== source) store.change("race", { source });
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  function choose(values) {
    try {
      const next = { ...chosen, ...values };
      if (values.outcome !== undefined) next.positive = usualPositive(table.columns, values.outcome);
      chosen = next;
      compute();
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  function compute() {
    const read = readRace(table, chosen, chosen.positive);
    if (!read.outcomes.length) {
      problem.textContent = "No row has an outcome and two probabilities between 0 and 1 in these columns.";
      return;
    }
    const rows = seed === null ? read : shuffled(read, seed);
    const [model, rival, outcome] = [chosen.model, chosen.rival, chosen.outcome].map((k) => table.names[k]);
    data = {
      rows,
      names: { model, rival, outcome },
      settled: settle(rows.outcomes, rows.model, rows.rival),
      expected: expectedPath(rows.model, rows.rival, "model"),
    };
    problem.textContent = "";
    draw();
  }

  function draw() {
    chips.set(isSample ? SAMPLE.id : null);
    unshuffle.disabled = seed === null;
    const made = isSample
      ? ", each forecast by models that were fitted to the other 188"
      : `: ${count(data.rows.outcomes.length)} rows`;
    const { skipped } = data.rows;
    const left = skipped ? `, ${count(skipped)} without all three values left out` : "";
    const order = seed === null ? "" : " Shuffled: the final wealth is the same in every order, the path is not.";
    note.textContent = `${name}${made}${left}.${order}`;
    show(pickers, columnPickers(table, chosen, choose));
    show(answer, wealthBlock(data, isSample));
    show(charts.path, pathChart(data));
    show(charts.wealth, wealthChart(data));
    show(charts.returns, returnsChart(data));
    show(charts.scatter, scatterChart(data));
  }

  function commandLine() {
    const { outcome, model, rival } = data.names;
    const from = isSample ? "births.csv" : name;
    const options = { truth: outcome, positive: chosen.positive, probability: model, against: rival };
    const words = Object.entries(options).map(([key, value]) => `--${key} ${shellWord(String(value))}`);
    return `edgeworth evaluate ${shellWord(from)} ${words.join(" ")} --bets`;
  }

  function sentence() {
    const { settled, names } = data;
    const cases = `on ${count(settled.path.length)} cases`;
    const value = `log wealth of ${fixed(settled.final, 3)} (e-value ${wealth(settled.final)}; ${fixed(settled.growth, 4)} nats per case)`;
    return `Betting ${names.model} against ${names.rival} ${cases} gives a ${value}; Edgeworth ${version}.`;
  }

  function update() {
    if (data) draw();
    else take(births, SAMPLE.name, "births");
  }

  return { element, update };
}

function csvRows({ rows, settled }) {
  const lines = Array.from(settled.path, (total, t) => [
    t + 1,
    rows.outcomes[t],
    rows.model[t],
    rows.rival[t],
    settled.factors[t],
    total,
  ]);
  return [["case", "outcome", "model", "rival", "log factor", "log wealth"], ...lines];
}
