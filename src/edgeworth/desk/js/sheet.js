// The grid that is typed into, like a spreadsheet: arrows, Enter, Tab, paste, names and totals.

import { transpose } from "./table.js";
import { sum } from "./special.js";
import { count, parseNumber } from "./format.js";
import { h, markInvalid, show } from "./dom.js";

const times = (size, make) => Array.from({ length: size }, (_, k) => make(k));

/** Whether pasted text is a table and not one number. */
const isMatrix = (text) => /[\t\n;]|\d[ ,]+\d+[ ,]/.test(text.trim());

/** Build the grid. The four functions are called with what a person does. */
export function createSheet({ onCell, onPaste, onName, onRemove }) {
  const element = h("div.scroll.sheet-scroll");
  // As in a spreadsheet, arrows move between cells, and inside a cell after F2 or a second click.
  let editing = null;
  let shownNames = "";
  let parts = { inputs: [] };

  function move(l, k) {
    const target = parts.inputs[l]?.[k];
    target?.focus();
    target?.select();
    return target !== undefined;
  }

  function onKey(event, l, k) {
    const { target, key } = event;
    if (key === "F2") editing = target;
    const isInside = editing === target;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [event.shiftKey ? -1 : 1, 0] };
    if (!isInside || target.selectionStart === 0) steps.ArrowLeft = [0, -1];
    if (!isInside || target.selectionEnd === target.value.length) steps.ArrowRight = [0, 1];
    if (steps[key] && move(l + steps[key][0], k + steps[key][1])) event.preventDefault();
  }

  function takePasted(event) {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!isMatrix(text)) return;
    event.preventDefault();
    onPaste(text);
  }

  const makeCell = (l, k) =>
    h(`input.cell${l === k ? ".diagonal" : ""}`, {
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      oninput: (event) => onCell(l, k, event.target.value),
      onpaste: takePasted,
      onkeydown: (event) => onKey(event, l, k),
      onfocus: (event) => event.target.select(),
      onblur: () => (editing = null),
      onmousedown: (event) => {
        if (document.activeElement === event.target) editing = event.target;
      },
    });

  const makeName = (k) =>
    h("input.class-name", {
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: 80,
      "aria-label": `Name of class ${k + 1}`,
      oninput: (event) => onName(k, event.target.value),
    });

  const makeRemover = (k, disabled) =>
    h("button.remove", { type: "button", disabled, "aria-label": `Remove class ${k + 1}`, onclick: () => onRemove(k) }, "×");

  function build(size) {
    parts = {
      inputs: times(size, (l) => times(size, (k) => makeCell(l, k))),
      names: times(size, makeName),
      columnNames: times(size, () => h("th.name", { scope: "col" })),
      rowTotals: times(size, () => h("td.total")),
      columnTotals: times(size, () => h("td.total")),
      total: h("td.total"),
      corner: h("th.corner", { scope: "col" }),
    };
    shownNames = "";
    const { inputs, names, columnNames, rowTotals, columnTotals, total, corner } = parts;
    const rowHead = (l) => h("th", { scope: "row" }, h("div.row-name", names[l], makeRemover(l, size <= 2)));
    const rows = inputs.map((row, l) =>
      h(
        "tr",
        rowHead(l),
        row.map((input) => h("td", input)),
        rowTotals[l],
      ),
    );
    const head = h("tr", corner, columnNames, h("th.total", { scope: "col" }, "total"));
    const foot = h("tr", h("th.total", { scope: "row" }, "total"), columnTotals, total);
    show(
      element,
      h(
        `table.sheet-table.size-${size > 6 ? "many" : "few"}`,
        h("caption.offscreen", "Editable contingency table"),
        h("thead", head),
        h("tbody", rows),
        h("tfoot", foot),
      ),
    );
  }

  function showNames(table) {
    const key = JSON.stringify([table.labels, table.rows]);
    if (key === shownNames) return;
    shownNames = key;
    const across = table.rows === "predicted" ? "actual" : "predicted";
    parts.corner.textContent = `${table.rows} ↓  ${across} →`;
    table.labels.forEach((label, k) => {
      parts.columnNames[k].textContent = label;
      parts.columnNames[k].title = `${across} ${label}`;
      if (document.activeElement !== parts.names[k]) parts.names[k].value = label;
      parts.inputs.forEach((row, l) => row[k].setAttribute("aria-label", `${table.rows} ${table.labels[l]}, ${across} ${label}`));
    });
  }

  /** Show cells as text with the totals of what they hold. */
  function update(table, cells) {
    if (parts.inputs.length !== cells.length) build(cells.length);
    showNames(table);
    const numbers = cells.map((row) => row.map((cell) => parseNumber(cell.replace("%", "") || "0")));
    cells.forEach((row, l) =>
      row.forEach((cell, k) => {
        const input = parts.inputs[l][k];
        if (input.value !== cell) input.value = cell;
        markInvalid(input, !(numbers[l][k] >= 0));
      }),
    );
    const text = (values) => count(sum(values)) + (table.unit === "percent" ? "%" : "");
    numbers.forEach((row, l) => (parts.rowTotals[l].textContent = text(row)));
    transpose(numbers).forEach((column, k) => (parts.columnTotals[k].textContent = text(column)));
    parts.total.textContent = text(numbers.flat());
  }

  return { element, update };
}
