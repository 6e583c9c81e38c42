// The Table tab: an editable contingency table and everything that follows from it.

import { informedMixture, informednessInterval, newcombe, transpose, withPrevalence } from "./table.js";
import { casesNeeded, examineLuck, isCounted, wholeCases } from "./guessing.js";
import { sum } from "./special.js";
import { count, fixed, parseNumber, plainNumber, pValue } from "./format.js";
import { announce, card, field, h, pause, segmented, show, slider } from "./dom.js";
import { help } from "./help.js";
import { evenMixture, MOST_CLASSES } from "./state.js";
import { EXAMPLES, findExample, typedCells } from "./examples.js";
import { parseMatrix } from "./paste.js";
import { actions, copy, csv, download, shellWord, svgText } from "./export.js";
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

const NO_SHIFT = { chosen: 0, share: null, times: 1 };
const isShifted = (shift) => shift.share !== null || shift.times !== 1;
const SEED = 0;

// -- from what was typed to counts -----------------------------------------------------------------------------

/** Read the cells. Returns counts with predictions in rows, or the first thing that is no count. */
export function readTable(table) {
  const numbers = table.cells.map((row) =>
    row.map((cell) => (cell.trim() === "" ? 0 : parseNumber(cell.replace("%", "")))),
  );
  for (const [l, row] of numbers.entries()) {
    for (const [k, value] of row.entries()) {
      if (!(value >= 0 && value <= 1e15))
        return {
          error: `“${table.cells[l][k].slice(0, 30)}” in row ${l + 1}, column ${k + 1} is not a count. Type a number of at least 0.`,
        };
    }
  }
  const cases = parseNumber(table.cases);
  const isPercent = table.unit === "percent";
  if (isPercent && !(cases > 0)) return { error: "Percentages need the number of cases, above 0." };
  const scaled = isPercent ? numbers.map((row) => row.map((value) => (value * cases) / 100)) : numbers;
  let counts = table.rows === "actual" ? transpose(scaled) : scaled;
  const { chosen, share, times } = table.shift;
  if (share !== null) counts = withPrevalence(counts, chosen, share);
  if (times !== 1) counts = counts.map((row) => row.map((value) => value * times));
  if (!(sum(counts.flat()) > 0))
    return { error: "There are no cases yet. Type counts, paste a table, or choose an example." };
  const typed = sum(numbers.flat());
  const note =
    isPercent && Math.abs(typed - 100) > 0.05 ? `The percentages add up to ${fixed(typed, 2)}%, not 100%.` : "";
  return { counts: counts.map((row) => row.map(tidy)), note };
}

/** A product of counts and factors that is whole but for its last digit is whole. */
const tidy = (value) => (Math.abs(value - Math.round(value)) <= 1e-12 * value ? Math.round(value) : value);

/** The cells as shown: as typed, or after a what-if. */
function shownCells(table) {
  const { counts } = readTable(table);
  if (!isShifted(table.shift) || !counts) return table.cells;
  const displayed = table.rows === "actual" ? transpose(counts) : counts;
  const scale = table.unit === "percent" ? 100 / sum(counts.flat()) : 1;
  return displayed.map((row) => row.map((value) => plainNumber(Math.round(value * scale * 100) / 100)));
}

const resized = (shares, size) => (shares.length === size ? shares : evenMixture(size).actual);

/** Load a matrix: cells as text, names when there are some. */
function withCells(table, cells, labels, more = {}) {
  const size = cells.length;
  return {
    ...table,
    cells,
    shift: NO_SHIFT,
    example: null,
    labels: labels ?? cells.map((_, k) => table.labels[k] ?? `class ${k + 1}`),
    mixture: {
      ...table.mixture,
      actual: resized(table.mixture.actual, size),
      guess: resized(table.mixture.guess, size),
    },
    ...more,
  };
}

function loadExample(table, id) {
  const example = findExample(id);
  const size = example.labels.length;
  return {
    ...table,
    cells: typedCells(example),
    labels: example.labels.slice(),
    rows: example.rows,
    unit: "counts",
    example: id,
    shift: NO_SHIFT,
    mixture: example.mixture ?? evenMixture(size),
  };
}

// -- the tab ---------------------------------------------------------------------------------------------------

/** Build the tab. Returns its element and a function that shows a state. */
export function createTable(store, helper, version) {
  const change = (values, key) => store.change("table", values, key);
  const setCells = (cells, labels, more) => change((table) => withCells(table, cells, labels, more));
  let last = null;

  // Examples.
  const chips = EXAMPLES.map((example) =>
    h(
      "button",
      {
        type: "button",
        class: "chip",
        "data-example": example.id,
        "aria-pressed": "false",
        onclick: () => change((table) => loadExample(table, example.id)),
      },
      example.name,
    ),
  );
  const note = h("p.note#example-note");
  const examples = h(
    "div.examples",
    h("div.chips", { role: "group", "aria-label": "Examples" }, h("span.chips-name", "Examples"), chips),
    note,
  );

  // The sheet.
  const rowsSwitch = segmented(
    "Rows are",
    [
      ["predicted", "predicted"],
      ["actual", "actual"],
    ],
    (rows) => change({ rows, example: null }),
  );
  const unitSwitch = segmented(
    "Cells are",
    [
      ["counts", "counts"],
      ["percent", "% of N"],
    ],
    (unit) => change((table) => switchUnit(table, unit)),
  );
  const casesField = field("N", { onchange: (cases) => change({ cases }, "cases"), "aria-label": "Number of cases N" });
  const sheetHolder = h("div.scroll.sheet-scroll");
  const problem = h("p.problem", { role: "alert" });
  const pasted = h("textarea", {
    rows: 4,
    "aria-label": "Paste a table",
    placeholder: "12 28\n18 42",
    spellcheck: "false",
  });
  const pasteProblem = h("p.problem", { role: "alert" });
  const usePasted = () => {
    try {
      takeMatrix(pasted.value);
      pasted.value = "";
      pasteProblem.textContent = "";
    } catch (error) {
      pasteProblem.textContent = error.message;
    }
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
  const addButton = h("button", { type: "button", class: "quiet", onclick: () => resize(1) }, "Add a class");
  const sheet = card(
    "Contingency table",
    { class: "sheet" },
    h("div.controls", rowsSwitch.wrapper, unitSwitch.wrapper, casesField.wrapper),
    sheetHolder,
    problem,
    h("div.controls", addButton),
    pasteBox,
  );

  function takeMatrix(text) {
    const { cells, labels, unit } = parseMatrix(text);
    setCells(
      cells,
      labels ??
        cells.map((_, k) =>
          cells.length === store.state.table.labels.length ? store.state.table.labels[k] : `class ${k + 1}`,
        ),
      { unit },
    );
    announce(`${cells.length} × ${cells.length} table pasted`);
  }

  function resize(step) {
    const { cells, labels } = store.state.table;
    if (cells.length + step > MOST_CLASSES) return;
    const wider = [...cells.map((row) => [...row, "0"]), Array.from({ length: cells.length + 1 }, () => "0")];
    setCells(wider, [...labels, `class ${cells.length + 1}`]);
  }

  function removeClass(index) {
    const { cells, labels } = store.state.table;
    const without = (list) => list.filter((_, k) => k !== index);
    setCells(without(cells).map(without), without(labels));
  }

  function switchUnit(table, unit) {
    if (unit === table.unit) return table;
    const read = readTable(table);
    if (!read.counts) return { ...table, unit };
    const total = sum(read.counts.flat());
    const displayed = table.rows === "actual" ? transpose(read.counts) : read.counts;
    const factor = unit === "percent" ? 100 / total : 1;
    const cells = displayed.map((row) => row.map((value) => plainNumber(Number((value * factor).toPrecision(12)))));
    return { ...table, unit, cells, cases: plainNumber(total), shift: NO_SHIFT };
  }

  // The grid of inputs is rebuilt only when the number of classes changes.
  let inputs = [];
  let names = [];
  let columnNames = [];
  let rowTotals = [];
  let columnTotals = [];
  let corner = null;
  let cornerNames = null;

  function moveTo(l, k) {
    const target = inputs[l]?.[k];
    target?.focus();
    target?.select();
    return target !== undefined;
  }

  // As in a spreadsheet, arrows move between cells, and inside a cell after F2 or a second click.
  let editing = null;

  function onKey(event, l, k) {
    const { target, key } = event;
    if (key === "F2") editing = target;
    const isInside = editing === target;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [event.shiftKey ? -1 : 1, 0] };
    if (!isInside || target.selectionStart === 0) steps.ArrowLeft = [0, -1];
    if (!isInside || target.selectionEnd === target.value.length) steps.ArrowRight = [0, 1];
    if (steps[key] && moveTo(l + steps[key][0], k + steps[key][1])) event.preventDefault();
  }

  function onPaste(event) {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!/[\t\n;]|\d[ ,]+\d+[ ,]/.test(text.trim())) return;
    event.preventDefault();
    try {
      takeMatrix(text);
      problem.textContent = "";
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  function buildSheet(size) {
    const typed = (l, k) => (event) =>
      change((table) => {
        const cells = shownCells(table).map((row) => row.slice());
        cells[l][k] = event.target.value;
        return { ...withCells(table, cells, table.labels), rows: table.rows };
      }, `cell ${l} ${k}`);
    inputs = Array.from({ length: size }, (_, l) =>
      Array.from({ length: size }, (__, k) =>
        h("input", {
          type: "text",
          inputmode: "decimal",
          autocomplete: "off",
          class: "cell",
          oninput: typed(l, k),
          onpaste: onPaste,
          onkeydown: (event) => onKey(event, l, k),
          onfocus: (event) => event.target.select(),
          onblur: () => {
            editing = null;
          },
          onmousedown: (event) => {
            if (document.activeElement === event.target) editing = event.target;
          },
        }),
      ),
    );
    names = Array.from({ length: size }, (_, k) =>
      h("input", {
        type: "text",
        class: "class-name",
        autocomplete: "off",
        spellcheck: "false",
        maxlength: 80,
        "aria-label": `Name of class ${k + 1}`,
        oninput: (event) =>
          change(
            (table) => ({
              ...table,
              labels: table.labels.map((label, place) => (place === k ? event.target.value : label)),
            }),
            `name ${k}`,
          ),
      }),
    );
    columnNames = Array.from({ length: size }, () => h("th.name", { scope: "col" }));
    rowTotals = Array.from({ length: size }, () => h("td.total"));
    columnTotals = Array.from({ length: size }, () => h("td.total"));
    corner = h("td.total");
    cornerNames = h("th.corner", { scope: "col" });
    const removers = names.map((_, k) =>
      h(
        "button",
        {
          type: "button",
          class: "remove",
          onclick: () => removeClass(k),
          "aria-label": `Remove class ${k + 1}`,
          disabled: size <= 2,
        },
        "×",
      ),
    );
    show(
      sheetHolder,
      h(
        "table",
        { class: `sheet-table size-${size > 6 ? "many" : "few"}` },
        h("caption.offscreen", "Editable contingency table"),
        h("thead", h("tr", cornerNames, columnNames, h("th.total", { scope: "col" }, "total"))),
        h(
          "tbody",
          inputs.map((row, l) =>
            h(
              "tr",
              h("th", { scope: "row" }, h("div.row-name", names[l], removers[l])),
              row.map((input) => h("td", input)),
              rowTotals[l],
            ),
          ),
        ),
        h("tfoot", h("tr", h("th.total", { scope: "row" }, "total"), columnTotals, corner)),
      ),
    );
    addButton.disabled = size >= MOST_CLASSES;
  }

  // What if.
  const informedSlider = slider("Informed share", {
    min: -100,
    max: 100,
    step: 1,
    value: 15,
    shown: (value) => `${value}%`.replace("-", "−"),
    onchange: (value) => regenerate({ informed: value / 100 }, "informed"),
  });
  const mixtureCases = field("Cases", {
    onchange: (cases) => regenerate({ cases }, "mixture cases"),
    "aria-label": "Cases of the mixture",
  });
  const sharesHolder = h("div.scroll");
  const fromTable = h("button.quiet", { type: "button", onclick: takeShares }, "Take the shares from the table");
  const prevalenceClass = h("select", {
    "aria-label": "Class whose prevalence changes",
    onchange: () =>
      change((table) => ({ ...table, shift: { ...table.shift, chosen: Number(prevalenceClass.value), share: null } })),
  });
  const prevalenceSlider = slider("Prevalence", {
    min: 1,
    max: 99,
    step: 1,
    value: 50,
    shown: (value) => `${Math.round(value)}%`,
    onchange: (value) =>
      change((table) => ({ ...table, example: null, shift: { ...table.shift, share: value / 100 } }), "prevalence"),
  });
  const factors = [1, 2, 5, 10, 20, 50, 100, 1000];
  const timesSlider = slider("Multiply by", {
    min: 0,
    max: factors.length - 1,
    step: 1,
    value: 0,
    shown: (value) => `× ${factors[value]}`,
    onchange: (value) =>
      change((table) => ({ ...table, example: null, shift: { ...table.shift, times: factors[value] } }), "times"),
  });
  const reset = h(
    "button",
    { type: "button", class: "quiet", onclick: () => change({ shift: NO_SHIFT }) },
    "Back to the typed table",
  );
  const whatIf = card(
    "What if …",
    { class: "what-if", name: "What if" },
    h(
      "div.what",
      h("h3", "it knew some answers and guessed the rest?", help("informed")),
      informedSlider.wrapper,
      h(
        "details",
        h("summary", "Class shares and guessing shares"),
        h("div.controls", mixtureCases.wrapper, fromTable),
        sharesHolder,
      ),
    ),
    h(
      "div.what",
      h("h3", "a class were more common?", help("prevalence")),
      h("label.labelled.inline", h("span", "Class"), prevalenceClass),
      prevalenceSlider.wrapper,
    ),
    h("div.what", h("h3", "there were more cases?", help("times")), timesSlider.wrapper, reset),
  );

  function regenerate(values, key) {
    change((table) => {
      const mixture = { ...table.mixture, ...values };
      const [actual, guess] = [mixture.actual, mixture.guess].map((shares) => shares.map(parseNumber));
      const cases = parseNumber(mixture.cases);
      const isGood =
        [...actual, ...guess].every((share) => share >= 0) && sum(actual) > 0 && sum(guess) > 0 && cases > 0;
      if (!isGood) return { ...table, mixture };
      const made = informedMixture(actual, guess, mixture.informed, cases);
      const cells = (table.rows === "actual" ? transpose(made) : made).map((row) => row.map(plainNumber));
      const next = { ...withCells(table, cells, table.labels, { unit: "counts" }), mixture };
      const same = EXAMPLES.find(
        (each) => each.mixture && JSON.stringify(each.mixture) === JSON.stringify(mixture) && table.rows === each.rows,
      );
      return { ...next, example: same?.id ?? null };
    }, key);
  }

  function takeShares() {
    const { counts } = readTable(store.state.table);
    if (!counts) return;
    const total = sum(counts.flat());
    const share = (value) => plainNumber(Number((value / total).toPrecision(6)));
    regenerate({
      actual: transpose(counts).map((column) => share(sum(column))),
      guess: counts.map((row) => share(sum(row))),
      cases: plainNumber(total),
      informed: 0,
    });
  }

  function showShares(table) {
    const line = (name, title) =>
      h(
        "tr",
        h("th", { scope: "row" }, title),
        table.mixture[name].map((value, k) =>
          h(
            "td",
            h("input", {
              type: "text",
              class: "cell",
              inputmode: "decimal",
              value,
              "aria-label": `${title} of ${table.labels[k]}`,
              oninput: (event) =>
                regenerate(
                  {
                    [name]: store.state.table.mixture[name].map((each, place) =>
                      place === k ? event.target.value : each,
                    ),
                  },
                  `${name} ${k}`,
                ),
            }),
          ),
        ),
      );
    if (sharesHolder.contains(document.activeElement) && sharesHolder.dataset.size === String(table.labels.length))
      return;
    sharesHolder.dataset.size = table.labels.length;
    show(
      sharesHolder,
      h(
        "table.sheet-table.shares",
        h(
          "thead",
          h(
            "tr",
            h("td"),
            table.labels.map((label) => h("th.name", { scope: "col" }, label)),
          ),
        ),
        h("tbody", line("actual", "actual share"), line("guess", "guessing share")),
      ),
    );
  }

  // Answers.
  const informednessHolder = h("div");
  const luckHolder = h("div");
  const houseHolder = h("div");
  const dollarHolder = h("div");
  const mosaicHolder = h("div.picture");
  const labelHolder = h("div");
  const overallHolder = h("div");
  const live = h("p.offscreen#spoken", { "aria-live": "polite" });
  const alphaField = field("α, weight of recall in F", { onchange: (alpha) => change({ alpha }, "alpha") });
  const answer = h(
    "div.answer",
    card("Informedness", { class: "main-answer", help: help("informedness") }, informednessHolder),
    card("Could this be luck?", { class: "luck", help: help("significance") }, luckHolder),
    card(
      "Known above guessed",
      { class: "mosaic-card", help: help("mosaic") },
      mosaicHolder,
      h(
        "p.legend",
        h("span.key.good", "right"),
        h("span.key.bad", "wrong"),
        h("span.key.chance", "recall by guessing"),
      ),
    ),
    card("What could a bookmaker take?", { class: "house" }, houseHolder),
  );
  const dollarCard = card("Dollars at fair odds", { class: "dollars", help: help("dollars") }, dollarHolder);
  const top = h("div.top", h("div.left", sheet, dollarCard, whatIf), answer);
  const results = h(
    "div.results",
    card("The whole table", { class: "overall" }, overallHolder),
    card("Label by label", { class: "labels" }, h("div.controls", alphaField.wrapper), labelHolder),
  );

  const speak = pause(700, (text) => {
    live.textContent = text;
  });

  const bar = actions([
    ["Copy as command", () => copy(commandLine(store.state.table), "Command")],
    ["Copy for a paper", () => last && copy(citation(last, version), "Sentence")],
    [
      "Download CSV",
      () =>
        last &&
        download("edgeworth-table.csv", "text/csv", csv(csvRows(last.result, last.labels, last.luck, last.interval))),
    ],
    [
      "Download SVG",
      () => last && download("edgeworth-mosaic.svg", "image/svg+xml", svgText(mosaicHolder.querySelector("svg"))),
    ],
  ]);

  const element = h("div.tab-body", examples, top, results, bar, live);

  // What is drawn at random arrives later, for the counts it was asked for.
  const askLater = pause(120, (key, counts, posterior) => {
    const whole = isCounted(counts) ? counts : wholeCases(counts);
    if (last?.key !== key) return;
    if (last.luck.p === null) {
      helper.ask("guessing", { kind: "guessing", counts: whole, seed: SEED }).then((found) => {
        if (last?.key !== key) return;
        const error = (found.twoSided.high - found.twoSided.low) / 2;
        last.luck = {
          ...last.luck,
          p: found.twoSided.p,
          isBound: found.twoSided.low === 0,
          how: `sampled, ± ${pValue(error)}; ${count(found.draws)} tables${isCounted(counts) ? "" : ", counts rounded"}`,
        };
        showAnswers();
      });
    }
    if (posterior !== null) {
      helper.ask("posterior", { kind: "posterior", counts, prior: posterior, seed: SEED }).then(([low, high]) => {
        if (last?.key !== key) return;
        const before = last.interval;
        const value = last.result.overall.informedness;
        const bounds = before.alone
          ? [Math.min(low, value), Math.max(high, value)]
          : [Math.min(low, before.low), Math.max(high, before.high)];
        last.interval = {
          ...before,
          low: bounds[0],
          high: bounds[1],
          label: before.alone ? "sampled posterior" : "delta method and sampled posterior, outer bounds",
        };
        const needed = casesNeeded(last.result.view, last.interval);
        if (needed !== null) last.luck = { ...last.luck, needed };
        showAnswers();
      });
    }
    if (last.luck.needed === null) {
      helper.ask("plan", { kind: "plan", counts }).then((needed) => {
        if (last?.key !== key) return;
        last.luck = { ...last.luck, needed };
        showAnswers();
      });
    }
  });

  function showAnswers() {
    const { result, interval, luck, isPartial } = last;
    show(informednessHolder, informednessBlock(result, interval, isPartial));
    show(luckHolder, luckBlock(luck, interval, result.view, isPartial));
    const p = luck.p === null || Number.isNaN(luck.p) ? "" : `, ${pText(luck)}`;
    speak(`Informedness ${fixed(result.overall.informedness)}${p}`);
  }

  function showSheet(table) {
    const size = table.cells.length;
    if (inputs.length !== size) buildSheet(size);
    top.classList.toggle("many", size > 5);
    const cells = shownCells(table);
    const across = table.rows === "predicted" ? "actual" : "predicted";
    const numbers = cells.map((row) => row.map((cell) => parseNumber(cell || "0")));
    cornerNames.textContent = `${table.rows} ↓  ${across} →`;
    table.labels.forEach((label, k) => {
      columnNames[k].textContent = label;
      columnNames[k].title = `${across} ${label}`;
      if (document.activeElement !== names[k]) names[k].value = label;
    });
    cells.forEach((row, l) =>
      row.forEach((cell, k) => {
        const input = inputs[l][k];
        if (input.value !== cell) input.value = cell;
        const isWrong = !(numbers[l][k] >= 0);
        input.setAttribute("aria-invalid", String(isWrong));
        input.setAttribute("aria-label", `${table.rows} ${table.labels[l]}, ${across} ${table.labels[k]}`);
        input.classList.toggle("diagonal", l === k);
      }),
    );
    const unit = table.unit === "percent" ? "%" : "";
    numbers.forEach((row, l) => {
      rowTotals[l].textContent = count(sum(row)) + unit;
    });
    transpose(numbers).forEach((column, k) => {
      columnTotals[k].textContent = count(sum(column)) + unit;
    });
    corner.textContent = count(sum(numbers.flat())) + unit;
  }

  function showControls(table, counts) {
    const example = table.example ? findExample(table.example) : null;
    for (const chip of chips) chip.setAttribute("aria-pressed", String(chip.dataset.example === table.example));
    note.textContent = example ? example.note : "";
    rowsSwitch.set(table.rows);
    unitSwitch.set(table.unit);
    casesField.wrapper.hidden = table.unit !== "percent";
    for (const [control, value] of [
      [casesField, table.cases],
      [alphaField, table.alpha],
      [mixtureCases, table.mixture.cases],
    ]) {
      if (document.activeElement !== control.input) control.input.value = value;
    }
    informedSlider.input.min = table.cells.length === 2 ? -100 : 0;
    informedSlider.set(Math.round(table.mixture.informed * 100));
    showShares(table);
    show(
      prevalenceClass,
      table.labels.map((label, k) => h("option", { value: k }, label)),
    );
    prevalenceClass.value = table.shift.chosen;
    if (counts) {
      const total = sum(counts.flat());
      prevalenceSlider.set(Math.round((100 * sum(counts.map((row) => row[table.shift.chosen]))) / total));
    }
    timesSlider.set(Math.max(0, factors.indexOf(table.shift.times)));
    reset.disabled = !isShifted(table.shift);
  }

  /** Show a state: every number follows from it. */
  function update(state) {
    const { table } = state;
    const read = readTable(table);
    showSheet(table);
    showControls(table, read.counts);
    problem.textContent = read.error ?? read.note ?? "";
    element.classList.toggle("stale", read.error !== undefined);
    if (!read.counts) return;
    const typedAlpha = parseNumber(table.alpha);
    const alpha = typedAlpha >= 0 && typedAlpha <= 1 ? typedAlpha : 0.5;
    alphaField.input.setAttribute("aria-invalid", String(!(typedAlpha >= 0 && typedAlpha <= 1)));
    const { counts } = read;
    const result = compute(counts, alpha);
    const examined = examineLuck(counts);
    const isDefined = !Number.isNaN(result.overall.informedness);
    const how = `exact, two-sided${examined.isApproximate ? ", counts rounded" : ""}`;
    const luck =
      examined.bound === null
        ? {
            p: examined.tails ? examined.tails.twoSided : isDefined ? null : NaN,
            how: examined.tails ? how : "",
            needed: examined.needed,
          }
        : { p: examined.bound, isBound: true, how: "certified bound (Chatterjee 2007)", needed: examined.needed };
    const key = JSON.stringify(counts);
    const isPartial = Boolean(table.example && findExample(table.example)?.isPartial);
    // The same counts keep what was drawn for them.
    if (last?.key === key) last = { ...last, result, labels: table.labels, isPartial };
    else {
      last = { key, result, labels: table.labels, isPartial, interval: informednessInterval(result.view), luck };
      askLater(key, counts, last.interval.posterior);
    }
    showAnswers();
    const edges = result.view.labels.map((v) => (v.actual > 0 && v.notActual > 0 ? newcombe(v) : null));
    show(houseHolder, houseBlock(result));
    show(dollarHolder, dollarTable(result, table.labels));
    show(mosaicHolder, mosaic(result.view, result.played, table.labels));
    show(labelHolder, labelTable(result, table.labels, edges));
    show(overallHolder, overallList(result, isPartial));
  }

  return { element, update };
}

/** The command that reports the same table. */
export function commandLine(table) {
  const { counts } = readTable(table);
  if (!counts) return "edgeworth table";
  const displayed = table.rows === "actual" ? transpose(counts) : counts;
  const cells = displayed.map((row) => row.map(plainNumber).join(" ")).join("; ");
  const isNamed =
    table.labels.every((label) => label.trim() !== "" && !label.includes(",")) &&
    new Set(table.labels).size === table.labels.length;
  const labels = isNamed ? ` --labels=${shellWord(table.labels.join(","))}` : "";
  return `edgeworth table "${cells}" --rows ${table.rows}${labels} --bets`;
}
