// What if it knew more, a class were more common, or there were more cases?

import { sum } from "./special.js";
import { card, field, h, show, slider } from "./dom.js";
import { help } from "./help.js";
import { isShifted, NO_SHIFT, sharesOf, withMixture } from "./table_data.js";

const FACTORS = [1, 2, 5, 10, 20, 50, 100, 1000];

/** Build the card. Its sliders change the table. */
export function createWhatIf(store) {
  const change = (values, key) => store.change("table", values, key);
  const regenerate = (values, key) => change((table) => withMixture(table, values), key);
  const shift = (values, key) => change((table) => ({ ...table, example: null, shift: { ...table.shift, ...values } }), key);

  const informed = slider("Informed share", {
    min: -100,
    max: 100,
    step: 1,
    shown: (value) => `${value}%`.replace("-", "−"),
    onchange: (value) => regenerate({ informed: value / 100 }, "informed"),
  });
  const cases = field("Cases", {
    onchange: (text) => regenerate({ cases: text }, "mixture cases"),
    "aria-label": "Cases of the mixture",
  });
  const takeShares = () => {
    const mixture = sharesOf(store.state.table);
    if (mixture) regenerate(mixture);
  };
  const fromTable = h("button.quiet", { type: "button", onclick: takeShares }, "Take the shares from the table");
  const sharesHolder = h("div.scroll");

  const chosen = h("select", {
    "aria-label": "Class whose prevalence changes",
    onchange: () => change((table) => ({ ...table, shift: { ...table.shift, chosen: Number(chosen.value), share: null } })),
  });
  const prevalence = slider("Prevalence", {
    min: 1,
    max: 99,
    step: 1,
    shown: (value) => `${Math.round(value)}%`,
    onchange: (value) => shift({ share: value / 100 }, "prevalence"),
  });
  const times = slider("Multiply by", {
    min: 0,
    max: FACTORS.length - 1,
    step: 1,
    shown: (value) => `× ${FACTORS[value]}`,
    onchange: (value) => shift({ times: FACTORS[value] }, "times"),
  });
  const reset = h("button.quiet", { type: "button", onclick: () => change({ shift: NO_SHIFT }) }, "Back to the typed table");

  const shares = h(
    "details",
    h("summary", "Class shares and guessing shares"),
    h("div.controls", cases.wrapper, fromTable),
    sharesHolder,
  );
  const replaces = h("p.soft", "This slider replaces the table. Undo brings it back.");
  const element = card(
    "What if …",
    { class: "what-if", name: "What if" },
    h("div.what", h("h3", "it knew some answers and guessed the rest?", help("informed")), informed.wrapper, replaces, shares),
    h(
      "div.what",
      h("h3", "a class were more common?", help("prevalence")),
      h("label.labelled.inline", h("span", "Class"), chosen),
      prevalence.wrapper,
    ),
    h("div.what", h("h3", "there were more cases?", help("times")), times.wrapper, reset),
  );

  function shareInput(name, title, table, value, k) {
    const set = (event) => {
      const typed = store.state.table.mixture[name].map((each, place) => (place === k ? event.target.value : each));
      regenerate({ [name]: typed }, `${name} ${k}`);
    };
    return h("input.cell", {
      type: "text",
      inputmode: "decimal",
      value,
      "aria-label": `${title} of ${table.labels[k]}`,
      oninput: set,
    });
  }

  let shownShares = "";
  function showShares(table) {
    const { actual, guess } = table.mixture;
    const isTyping = sharesHolder.contains(document.activeElement) && sharesHolder.dataset.size === String(actual.length);
    const key = JSON.stringify([table.labels, actual, guess]);
    if (isTyping || key === shownShares) return;
    shownShares = key;
    sharesHolder.dataset.size = actual.length;
    const row = (name, title) =>
      h(
        "tr",
        h("th", { scope: "row" }, title),
        table.mixture[name].map((value, k) => h("td", shareInput(name, title, table, value, k))),
      );
    const head = h(
      "tr",
      h("td"),
      table.labels.map((label) => h("th.name", { scope: "col" }, label)),
    );
    const body = h("tbody", row("actual", "actual share"), row("guess", "guessing share"));
    show(sharesHolder, h("table.sheet-table.shares", h("thead", head), body));
    show(
      chosen,
      table.labels.map((label, k) => h("option", { value: k }, label)),
    );
  }

  function update(table, counts) {
    informed.input.min = table.cells.length === 2 ? -100 : 0;
    informed.set(Math.round(table.mixture.informed * 100));
    cases.set(table.mixture.cases);
    showShares(table);
    chosen.value = table.shift.chosen;
    if (counts) {
      const share = sum(counts.map((row) => row[table.shift.chosen])) / sum(counts.flat());
      prevalence.set(Math.round(100 * share));
    }
    times.set(Math.max(0, FACTORS.indexOf(table.shift.times)));
    reset.disabled = !isShifted(table.shift);
  }

  return { element, update };
}
