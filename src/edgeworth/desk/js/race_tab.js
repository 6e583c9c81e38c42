// The Race tab: one forecaster bets at the other's prices, case by case.

import { expectedPath, guessColumns, outcomeValues, parseColumns, readRace, settle } from "./wealth.js";
import { Random } from "./special.js";
import { count, fixed, pValue, wealth } from "./format.js";
import { announce, card, h, s, show } from "./dom.js";
import { help } from "./help.js";
import { band, frame, line, thin } from "./svg.js";
import { actions, copy, csv, download, shellWord, svgText } from "./export.js";

const MOST_POINTS = 1200;
const MOST_DOTS = 1500;

const finite = (values) => values.filter(Number.isFinite);

function ends(values, ...more) {
  const all = finite([...values, ...more]);
  const low = all.reduce((a, b) => Math.min(a, b), Infinity);
  const high = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const room = (high - low || 1) * 0.05;
  return [low - room, high + room];
}

/** Log wealth, its expected path with the band, and zero. */
function pathChart(data, places) {
  const { path } = data.settled;
  const { mean, variance } = data.expected;
  const expected = places.map((t) => [
    t + 1,
    mean[t] - 1.96 * Math.sqrt(variance[t]),
    mean[t] + 1.96 * Math.sqrt(variance[t]),
  ]);
  const actual = [[0, 0], ...places.map((t) => [t + 1, path[t]])];
  const picture = frame({
    x: [0, path.length],
    y: ends(
      actual.map(([, y]) => y),
      ...expected.flatMap(([, low, high]) => [low, high]),
    ),
    height: 300,
    xTitle: "cases",
    yTitle: "log wealth",
    label: `Log wealth after each case; at the end ${fixed(data.settled.final, 3)}`,
  });
  if (expected.every(([, low, high]) => Number.isFinite(low) && Number.isFinite(high))) {
    picture.marks.append(
      band([[0, 0, 0], ...expected], "expected", picture),
      line([[0, 0], ...places.map((t) => [t + 1, mean[t]])], "expected", picture),
    );
  }
  picture.marks.append(
    s("line.zero", { x1: picture.toX(0), x2: picture.toX(path.length), y1: picture.toY(0), y2: picture.toY(0) }),
    line(actual, "model", picture),
  );
  return picture.picture;
}

/** Wealth itself. */
function wealthChart(data, places) {
  const points = [[0, 1], ...places.map((t) => [t + 1, Math.exp(Math.min(700, data.settled.path[t]))])];
  const picture = frame({
    x: [0, data.settled.path.length],
    y: [0, Math.max(1.1, ...finite(points.map(([, y]) => y))) * 1.05],
    height: 240,
    xTitle: "cases",
    yTitle: "wealth",
    label: `Wealth after each case; at the end ${wealth(data.settled.final)}`,
  });
  picture.marks.append(
    s("line.zero", {
      x1: picture.toX(0),
      x2: picture.toX(data.settled.path.length),
      y1: picture.toY(1),
      y2: picture.toY(1),
    }),
    line(points, "model", picture),
  );
  return picture.picture;
}

/** What single cases multiply wealth by. */
function returnsChart(data) {
  const { factors } = data.settled;
  const places = thin(factors.length, MOST_DOTS);
  const values = places.map((t) => Math.exp(factors[t]));
  const picture = frame({
    x: [0, factors.length],
    y: [0, ends(values, 1.2)[1]],
    height: 240,
    xTitle: "cases",
    yTitle: "return S(t)",
    label: "Return of each case; above 1 the model gained",
  });
  picture.marks.append(
    s("line.zero", { x1: picture.toX(0), x2: picture.toX(factors.length), y1: picture.toY(1), y2: picture.toY(1) }),
    places
      .map((t, k) =>
        Number.isFinite(values[k])
          ? s("circle", {
              class: `dot ${values[k] >= 1 ? "good" : "bad"}`,
              cx: picture.toX(t + 1).toFixed(1),
              cy: picture.toY(values[k]).toFixed(1),
              r: 2,
            })
          : null,
      )
      .filter(Boolean)
      .reduce((group, dot) => {
        group.append(dot);
        return group;
      }, s("g")),
  );
  return picture.picture;
}

/** Both models' probabilities, one against the other. */
function scatterChart(data) {
  const { outcomes, model, rival } = data.rows;
  const places = thin(outcomes.length, MOST_DOTS);
  const picture = frame({
    x: [0, 1],
    y: [0, 1],
    width: 440,
    height: 340,
    xTitle: `${data.names.rival} (rival)`,
    yTitle: `${data.names.model} (model)`,
    label: "Probabilities of both forecasters; filled points came true",
  });
  picture.marks.append(
    s("line.zero", { x1: picture.toX(0), x2: picture.toX(1), y1: picture.toY(0), y2: picture.toY(1) }),
  );
  const group = s("g");
  for (const t of places) {
    group.append(
      s("circle", {
        class: `dot ${outcomes[t] ? "came-true" : "came-false"}`,
        cx: picture.toX(rival[t]).toFixed(1),
        cy: picture.toY(model[t]).toFixed(1),
        r: 3,
      }),
    );
  }
  picture.marks.append(group);
  return picture.picture;
}

/** Build the tab. `births` is the sample's text. */
export function createRace(store, births, version) {
  let table = null;
  let chosen = null;
  let order = null;
  let name = "";
  let data = null;
  const file = h("input", {
    type: "file",
    accept: ".csv,.tsv,.txt,text/csv",
    id: "race-file",
    class: "offscreen",
    onchange: () => file.files[0] && readFile(file.files[0]),
  });
  const drop = h(
    "label",
    {
      class: "drop",
      for: "race-file",
      tabindex: "0",
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          file.click();
        }
      },
    },
    h("strong", "Drop a CSV file here"),
    h("span", "or choose one. It needs an outcome and two columns of probabilities. It stays in your browser."),
  );
  const pasted = h("textarea.mono", {
    rows: 4,
    spellcheck: "false",
    "aria-label": "Paste rows",
    placeholder: "outcome, model, rival\n1, 0.6, 0.5\n0, 0.3, 0.5",
  });
  const pasteBox = h(
    "details.paste",
    h("summary", "Paste rows"),
    pasted,
    h(
      "button",
      { type: "button", class: "primary", onclick: () => take(pasted.value, "pasted rows", "file") },
      "Use these rows",
    ),
  );
  const sample = h(
    "button",
    { type: "button", class: "chip", onclick: () => take(births, "189 births", "births") },
    "189 births",
  );
  const pickers = h("div.controls");
  const problem = h("p.problem", { role: "alert" });
  const note = h("p.note");
  const shuffle = h(
    "button",
    {
      type: "button",
      class: "primary",
      onclick: () => {
        order = (order ?? 0) + 1;
        compute();
        announce("Rows shuffled");
      },
    },
    "Shuffle the rows",
  );
  const unshuffle = h(
    "button",
    {
      type: "button",
      class: "quiet",
      disabled: true,
      onclick: () => {
        order = null;
        compute();
      },
    },
    "File order",
  );
  const answerHolder = h("div");
  const charts = {
    path: h("div.picture"),
    wealth: h("div.picture"),
    returns: h("div.picture"),
    scatter: h("div.picture"),
  };
  const bar = actions([
    ["Copy as command", () => data && copy(commandLine(), "Command")],
    ["Copy for a paper", () => data && copy(sentence(), "Sentence")],
    [
      "Download CSV",
      () =>
        data &&
        download(
          "edgeworth-race.csv",
          "text/csv",
          csv([
            ["case", "outcome", "model", "rival", "log factor", "log wealth"],
            ...Array.from(data.settled.path, (w, t) => [
              t + 1,
              data.rows.outcomes[t],
              data.rows.model[t],
              data.rows.rival[t],
              data.settled.factors[t],
              w,
            ]),
          ]),
        ),
    ],
    [
      "Download SVG",
      () => data && download("edgeworth-wealth.svg", "image/svg+xml", svgText(charts.path.querySelector("svg"))),
    ],
  ]);
  const element = h(
    "div.tab-body",
    h(
      "div.examples",
      h("div.chips", { role: "group", "aria-label": "Examples" }, h("span.chips-name", "Examples"), sample),
      note,
    ),
    h(
      "div.top",
      h(
        "div.left",
        card(
          "Two forecasters, one file",
          { class: "sheet" },
          drop,
          file,
          pasteBox,
          pickers,
          problem,
          h("div.controls", shuffle, unshuffle),
        ),
        card(
          "Log wealth",
          { class: "chart-card", help: help("expected_path") },
          charts.path,
          h(
            "p.legend",
            h("span.key.model", "log wealth"),
            h("span.key.expected-band", "expected if the model is right, 95% band"),
          ),
        ),
      ),
      h(
        "div.answer",
        card("Wealth", { class: "main-answer", help: help("wealth") }, answerHolder),
        card(
          "Both forecasts",
          { class: "chart-card" },
          charts.scatter,
          h("p.legend", h("span.key.true", "came true"), h("span.key.false", "did not")),
        ),
      ),
    ),
    h(
      "div.results.race-results",
      card("Wealth W(t)", { class: "chart-card" }, charts.wealth),
      card("Single returns S(t)", { class: "chart-card", help: help("returns") }, charts.returns),
    ),
    bar,
  );

  for (const kind of ["dragover", "dragenter"])
    element.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  element.addEventListener("dragleave", () => drop.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) readFile(event.dataTransfer.files[0]);
  });

  async function readFile(chosenFile) {
    if (chosenFile.size > 60e6) {
      problem.textContent = "The file is larger than 60 MB. Use the edgeworth command for large files.";
      return;
    }
    take(await chosenFile.text(), chosenFile.name, "file");
  }

  function take(text, from, source) {
    try {
      table = parseColumns(text);
      chosen = { ...guessColumns(table) };
      const values = outcomeValues(table.columns[chosen.outcome]);
      chosen.positive = values[values.length - 1];
      [order, name] = [null, from];
      problem.textContent = "";
      compute();
      if (store.state.race.source !== source) store.change("race", { source });
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
    problem.textContent = "";
    const rows = order === null ? read : shuffled(read, order);
    const settled = settle(rows.outcomes, rows.model, rows.rival);
    data = {
      rows,
      settled,
      expected: expectedPath(rows.model, rows.rival, "model"),
      names: {
        model: table.names[chosen.model],
        rival: table.names[chosen.rival],
        outcome: table.names[chosen.outcome],
      },
    };
    unshuffle.disabled = order === null;
    note.textContent = `${name}${store.state.race.source === "births" ? ", each forecast by models that were fitted to the other 188" : ""}: ${count(rows.outcomes.length)} rows${read.skipped ? `, ${count(read.skipped)} without all three values left out` : ""}.${order === null ? "" : " Shuffled: the final wealth is the same in every order, the path is not."}`;
    showPickers();
    showAnswer();
    const places = thin(settled.path.length, MOST_POINTS);
    show(charts.path, pathChart(data, places));
    show(charts.wealth, wealthChart(data, places));
    show(charts.returns, returnsChart(data));
    show(charts.scatter, scatterChart(data));
  }

  function shuffled(read, seed) {
    const places = new Random(seed).shuffle(Uint32Array.from({ length: read.outcomes.length }, (_, t) => t));
    const pick = (values) => Array.from(places, (t) => values[t]);
    return { ...read, outcomes: pick(read.outcomes), model: pick(read.model), rival: pick(read.rival) };
  }

  function showPickers() {
    const picker = (label, key) => {
      const select = h(
        "select",
        {
          "aria-label": label,
          onchange: () => {
            chosen = { ...chosen, [key]: Number(select.value) };
            if (key === "outcome") {
              const values = outcomeValues(table.columns[chosen.outcome]);
              if (!values) {
                problem.textContent = "An outcome column has exactly two values.";
                return;
              }
              chosen.positive = values[values.length - 1];
            }
            compute();
          },
        },
        table.names.map((column, k) => h("option", { value: k }, column)),
      );
      select.value = chosen[key];
      return h("label.labelled", h("span", label), select);
    };
    const values = outcomeValues(table.columns[chosen.outcome]) ?? [];
    const positive = h(
      "select",
      {
        "aria-label": "Came true",
        onchange: () => {
          chosen = { ...chosen, positive: positive.value };
          compute();
        },
      },
      values.map((value) => h("option", { value }, value)),
    );
    positive.value = chosen.positive;
    show(
      pickers,
      picker("Outcome", "outcome"),
      h("label.labelled", h("span", "Came true"), positive),
      picker("Model (bets)", "model"),
      picker("Rival (sets prices)", "rival"),
    );
  }

  function showAnswer() {
    const { settled, names } = data;
    const { final } = settled;
    const verdict =
      final === -Infinity
        ? `${names.model} gave no chance to something that happened: all capital is lost.`
        : final > 0
          ? `${names.model} turns $1 into $${wealth(final)} at ${names.rival}'s prices.`
          : `${names.model} loses at ${names.rival}'s prices: $1 becomes $${wealth(final)}.`;
    const p = Math.min(1, Math.exp(-final));
    const pair = (title, key, value, id) => h("div", h("dt", title, help(key)), h("dd", { id }, value));
    show(
      answerHolder,
      h(
        "div.headline",
        h("output", { class: `huge ${final > 0 ? "good" : "bad"}`, id: "final-wealth" }, wealth(final)),
        h("span.beside", `log wealth ${fixed(final, 4)}`, h("small", `${count(settled.path.length)} cases`)),
      ),
      h("p.meaning", verdict),
      h(
        "dl.pairs",
        pair("E-value against the rival", "e_value", wealth(final), "e-value"),
        pair("p at most", "e_value", pValue(p), "race-p"),
        pair("Growth per case", "growth", `${fixed(settled.growth, 5)} nats`, "race-growth"),
        pair(
          "Expected log wealth if the model is right",
          "expected_path",
          `${fixed(data.expected.mean[data.expected.mean.length - 1], 3)} ± ${fixed(Math.sqrt(data.expected.variance[data.expected.variance.length - 1]), 3)}`,
        ),
        pair(
          "Log score, model and rival",
          "log_score",
          settled.logScores.map((x) => fixed(x, 4)).join(" · "),
          "log-scores",
        ),
        pair(
          "Brier score, model and rival",
          "brier",
          settled.brierScores.map((x) => fixed(x, 4)).join(" · "),
          "brier-scores",
        ),
        pair("Largest fall of log wealth", "drawdown", fixed(settled.drawdown, 3)),
      ),
      h(
        "p.soft",
        "The e-value is valid for the final result, if the forecasts were made before the outcomes were known.",
      ),
    );
  }

  function commandLine() {
    const { names } = data;
    const from = store.state.race.source === "births" ? "births.csv" : name;
    return `edgeworth evaluate ${shellWord(from)} --truth ${shellWord(names.outcome)} --positive ${shellWord(String(chosen.positive))} --probability ${shellWord(names.model)} --against ${shellWord(names.rival)}`;
  }

  function sentence() {
    const { settled, names } = data;
    return `Betting ${names.model} against ${names.rival} on ${count(settled.path.length)} cases gives a log wealth of ${fixed(settled.final, 3)} (e-value ${wealth(settled.final)}; ${fixed(settled.growth, 4)} nats per case); Edgeworth ${version}.`;
  }

  function update() {
    if (!table) take(births, "189 births", "births");
  }

  return { element, update };
}
