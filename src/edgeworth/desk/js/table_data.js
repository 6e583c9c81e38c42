// What was typed into the Table tab: read as counts, loaded, resized, shifted, written as a command.

import { informedMixture, transpose, withPrevalence } from "./table.js";
import { sum } from "./special.js";
import { fixed, parseNumber, plainNumber } from "./format.js";
import { evenMixture } from "./state.js";
import { EXAMPLES, findExample, typedCells } from "./examples.js";
import { shellWord } from "./export.js";

/** The exact test of more cases than this would hold the page up. */
const MOST_CASES = 1e10;
export const NO_SHIFT = { chosen: 0, share: null, times: 1 };
export const isShifted = (shift) => shift.share !== null || shift.times !== 1;

/** A product of counts and factors that is whole but for its last digit is whole. */
const tidy = (value) => (Math.abs(value - Math.round(value)) <= 1e-12 * value ? Math.round(value) : value);
const mapCells = (rows, change) => rows.map((row) => row.map(change));
const asTyped = (counts, rows) => mapCells(rows === "actual" ? transpose(counts) : counts, plainNumber);

/** Read the cells. Returns counts with predictions in rows and a note, or the first thing that is no count. */
export function readTable(table) {
  const numbers = mapCells(table.cells, (cell) => (cell.trim() === "" ? 0 : parseNumber(cell.replace("%", ""))));
  for (const [l, row] of numbers.entries()) {
    const k = row.findIndex((value) => !(value >= 0));
    if (k >= 0) {
      const cell = table.cells[l][k].slice(0, 30);
      return { error: `“${cell}” in row ${l + 1}, column ${k + 1} is not a count. Type a number of at least 0.` };
    }
  }
  const cases = parseNumber(table.cases);
  const isPercent = table.unit === "percent";
  if (isPercent && !(cases > 0)) return { error: "Percentages need the number of cases, above 0." };
  const scaled = isPercent ? mapCells(numbers, (value) => (value * cases) / 100) : numbers;
  let counts = table.rows === "actual" ? transpose(scaled) : scaled;
  const { chosen, share, times } = table.shift;
  if (share !== null) counts = withPrevalence(counts, chosen, share);
  if (times !== 1) counts = mapCells(counts, (value) => value * times);
  if (!(sum(counts.flat()) > 0)) {
    return { error: "There are no cases yet. Type counts, paste a table, or choose an example." };
  }
  if (!(sum(counts.flat()) <= MOST_CASES))
    return {
      error:
        "The desk takes up to 10,000,000,000 cases. If you divide all counts by one number, informedness stays and p grows.",
    };
  const typed = sum(numbers.flat());
  const isOff = isPercent && Math.abs(typed - 100) > 0.05;
  return { counts: mapCells(counts, tidy), note: isOff ? `The percentages add up to ${fixed(typed, 2)}%, not 100%.` : "" };
}

/** The cells as shown: as typed, or after a what-if. */
export function shownCells(table) {
  const { counts } = readTable(table);
  if (!isShifted(table.shift) || !counts) return table.cells;
  const scale = table.unit === "percent" ? 100 / sum(counts.flat()) : 1;
  const rounded = mapCells(counts, (value) => Math.round(value * scale * 100) / 100);
  return asTyped(rounded, table.rows);
}

const resized = (shares, size) => (shares.length === size ? shares : evenMixture(size).actual);

/** Load a matrix: cells as text, with names when there are some. */
export function withCells(table, cells, labels, more = {}) {
  const size = cells.length;
  const { mixture } = table;
  return {
    ...table,
    cells,
    shift: NO_SHIFT,
    example: null,
    labels: labels ?? cells.map((_, k) => (table.labels.length === size ? table.labels[k] : `class ${k + 1}`)),
    mixture: { ...mixture, actual: resized(mixture.actual, size), guess: resized(mixture.guess, size) },
    ...more,
  };
}

/** Change one cell. */
export function withCell(table, l, k, text) {
  const cells = shownCells(table).map((row) => row.slice());
  cells[l][k] = text;
  return withCells(table, cells, table.labels);
}

/** Add a class without cases. */
export function withNewClass(table) {
  const { cells, labels } = table;
  const wider = [...cells.map((row) => [...row, "0"]), Array.from({ length: cells.length + 1 }, () => "0")];
  return withCells(table, wider, [...labels, `class ${cells.length + 1}`]);
}

/** Remove a class. */
export function withoutClass(table, index) {
  const without = (list) => list.filter((_, k) => k !== index);
  return withCells(table, without(table.cells).map(without), without(table.labels));
}

/** Load an example. */
export function withExample(table, id) {
  const { labels, rows, mixture, ...example } = findExample(id);
  const loaded = { cells: typedCells(example), labels: labels.slice(), rows, unit: "counts", example: id };
  return { ...table, ...loaded, shift: NO_SHIFT, mixture: mixture ?? evenMixture(labels.length) };
}

/** Show counts as percentages of all cases, or the reverse. */
export function withUnit(table, unit) {
  const { counts } = readTable(table);
  if (unit === table.unit || !counts) return { ...table, unit };
  const total = sum(counts.flat());
  const factor = unit === "percent" ? 100 / total : 1;
  const scaled = mapCells(counts, (value) => Number((value * factor).toPrecision(12)));
  return { ...table, unit, cells: asTyped(scaled, table.rows), cases: plainNumber(total), shift: NO_SHIFT };
}

/** Change the mixture and regenerate the table from it, if its numbers make one. */
export function withMixture(table, values) {
  const mixture = { ...table.mixture, ...values };
  const [actual, guess] = [mixture.actual, mixture.guess].map((shares) => shares.map(parseNumber));
  const cases = parseNumber(mixture.cases);
  const isGood = [...actual, ...guess].every((share) => share >= 0) && sum(actual) > 0 && sum(guess) > 0 && cases > 0;
  if (!isGood) return { ...table, mixture };
  const cells = asTyped(informedMixture(actual, guess, mixture.informed, cases), table.rows);
  const isSame = (each) => each.rows === table.rows && JSON.stringify(each.mixture) === JSON.stringify(mixture);
  const example = EXAMPLES.find((each) => each.mixture && isSame(each))?.id ?? null;
  return { ...withCells(table, cells, table.labels, { unit: "counts" }), mixture, example };
}

/** The mixture of pure guessing that has the totals of the table. */
export function sharesOf(table) {
  const { counts } = readTable(table);
  if (!counts) return null;
  const total = sum(counts.flat());
  const shares = (rows) => rows.map((row) => plainNumber(Number((sum(row) / total).toPrecision(6))));
  return { actual: shares(transpose(counts)), guess: shares(counts), cases: plainNumber(total), informed: 0 };
}

/** The command that reports the same table. */
export function commandLine(table) {
  const { counts } = readTable(table);
  if (!counts) return "edgeworth table";
  const cells = asTyped(counts, table.rows)
    .map((row) => row.join(" "))
    .join("; ");
  const isPlain = table.labels.every((label) => label.trim() !== "" && !label.includes(","));
  const isNamed = isPlain && new Set(table.labels).size === table.labels.length;
  const labels = isNamed ? ` --labels=${shellWord(table.labels.join(","))}` : "";
  return `edgeworth table "${cells}" --rows ${table.rows}${labels} --bets`;
}
