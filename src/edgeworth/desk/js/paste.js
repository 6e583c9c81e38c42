// Read a square matrix from a spreadsheet or a paper.

import { parseNumber, plainNumber } from "./format.js";

const MOST = 12;

/** Split a line into cells at tabs, otherwise at semicolons, bars, commas or blanks. */
function splitRow(line, delimiter) {
  const trimmed = line.replace(/^\s*[[(|]+|[\])|]+\s*$/g, "");
  if (delimiter === " ") return trimmed.trim().split(/\s+/);
  return trimmed.split(delimiter).map((cell) => cell.trim());
}

const isNumber = (cell) => !Number.isNaN(parseNumber(cell));
const isName = (cell) => cell !== "" && !isNumber(cell);
const several = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Drop a last column that is blank in every row, as spreadsheets copy it. */
function withoutBlankEnd(grid) {
  let rows = grid;
  while (rows.every((row) => row.length > 1 && row.at(-1) === "")) rows = rows.map((row) => row.slice(0, -1));
  return rows;
}

/** Whether the cells are shares of all cases, written without a percent sign. */
function areShares(numbers) {
  const total = numbers.reduce((a, b) => a + b, 0);
  return numbers.every((value) => value <= 1) && !numbers.every(Number.isInteger) && Math.abs(total - 1) <= 0.02;
}

/** Find the delimiter that gives every row the same number of cells, more than one. */
function findDelimiter(lines) {
  for (const delimiter of ["\t", "&", "|", ";", ",", " "]) {
    const lengths = lines.map((line) => splitRow(line, delimiter).length);
    const most = Math.max(...lengths);
    if (most > 1 && lengths.slice(1).every((length) => length === most) && lengths[0] >= most - 1) return delimiter;
  }
  return null;
}

/**
 * Read a matrix with or without class names in its first row and column, and with or without totals.
 * Returns { cells, labels, unit, blanks } with cells as text. Blank cells are 0, and `blanks` is their number.
 */
export function parseMatrix(input) {
  // "12 (30%)" is the count 12. Tabs at the end of a row are blank cells.
  const plain = input.replace(/(\d)\s*\(\s*[\d.,]+\s*%\s*\)/g, "$1");
  const text = plain.replace(/\\\\/g, "\n").replace(/\r\n?/g, "\n").trimStart().replace(/[ \n]+$/, "");
  const isOneLine = !text.includes("\n");
  // "12 28; 18 42" and "[[12, 28], [18, 42]]" are matrices on one line.
  const rows = isOneLine ? text.split(/;|\]\s*,\s*\[/) : text.split("\n");
  const lines = rows.map((row) => row.replace(/[[\]]/g, "").replace(/,\s*$/, "")).filter((row) => row.trim() !== "");
  if (lines.length < 2) throw new Error("A table needs at least two rows of numbers.");
  const delimiter = findDelimiter(lines);
  if (delimiter === null) throw new Error("The rows do not have the same number of columns.");
  let grid = withoutBlankEnd(lines.map((line) => splitRow(line, delimiter)));
  const width = Math.max(...grid.map((row) => row.length));
  let labels = null;
  if (!grid[0].some(isNumber) || (grid[0].length < width && grid.length > width - 1)) {
    labels = grid[0].length === width ? grid[0].slice(1) : grid[0];
    if (grid[0].length === width && grid.slice(1).every((row) => row.every(isNumber))) labels = grid[0];
    grid = grid.slice(1);
  }
  if (grid.some((row) => isName(row[0]))) {
    labels ??= grid.map((row) => row[0]);
    grid = grid.map((row) => row.slice(1));
  }
  const blanks = grid.flat().filter((cell) => cell === "").length;
  grid = withoutTotals(grid.map((row) => row.map((cell) => cell || "0")));
  const size = grid.length;
  if (size < 2 || grid.some((row) => row.length !== size)) {
    const shape = `${several(size, "row")} and ${several(grid[0]?.length ?? 0, "column")} of numbers`;
    throw new Error(`The pasted text has ${shape}. A table needs one row and one column per class, and at least two classes.`);
  }
  if (size > MOST) throw new Error(`The pasted table has ${size} classes. The desk takes up to ${MOST}.`);
  const wrong = grid.flat().find((cell) => !(parseNumber(cell) >= 0));
  if (wrong !== undefined) throw new Error(`“${wrong.slice(0, 30)}” is not a count. Counts are numbers of at least 0.`);
  const isPercent = grid.flat().some((cell) => cell.includes("%"));
  if (!isPercent && areShares(grid.flat().map(parseNumber))) {
    grid = grid.map((row) => row.map((cell) => `${plainNumber(100 * parseNumber(cell))}%`));
    return { ...readGrid(grid, labels, true), blanks };
  }
  return { ...readGrid(grid, labels, isPercent), blanks };
}

/** The cells as they are typed, without percent signs and thousands separators. */
function readGrid(grid, labels, isPercent) {
  const size = grid.length;
  return {
    cells: grid.map((row) =>
      row.map((cell) =>
        cell
          .replace("%", "")
          .replace(/[,$](?=\d{3}(\D|$))/g, "")
          .trim(),
      ),
    ),
    labels: labels && labels.length >= size ? labels.slice(0, size) : null,
    unit: isPercent ? "percent" : "counts",
  };
}

/** Drop a last row and a last column that are the totals of the others. */
function withoutTotals(grid) {
  const size = grid.length;
  if (size < 3 || grid.some((row) => row.length !== size || !row.every(isNumber))) return grid;
  const numbers = grid.map((row) => row.map(parseNumber));
  const isTotal = (values) => {
    const total = values.slice(0, -1).reduce((a, b) => a + b, 0);
    return total > 0 && Math.abs(values[size - 1] - total) <= 1e-6 * total;
  };
  const columns = numbers[0].map((_, k) => numbers.map((row) => row[k]));
  return numbers.every(isTotal) && columns.every(isTotal) ? grid.slice(0, -1).map((row) => row.slice(0, -1)) : grid;
}
