// A race of two forecasters: one bets Kelly's stakes at the other's fair prices.

import { sum } from "./special.js";

/** log(p/q) of what happened; ruin is −∞, what only the rival ruled out is +∞, and both ruled out is NaN. */
export function logFactors(outcomes, model, rival) {
  const factors = new Float64Array(outcomes.length);
  for (let t = 0; t < factors.length; t += 1) {
    const [p, q] = outcomes[t] ? [model[t], rival[t]] : [1 - model[t], 1 - rival[t]];
    factors[t] = Math.log(p) - Math.log(q);
  }
  return factors;
}

/** Running sum of log factors, in which ruin absorbs. */
export function logWealth(factors) {
  const path = new Float64Array(factors.length);
  let total = 0;
  for (let t = 0; t < factors.length; t += 1) {
    total = total === -Infinity || factors[t] === -Infinity ? -Infinity : total + factors[t];
    path[t] = total;
  }
  return path;
}

/** Mean and variance of one log factor if the outcome is true with this chance. */
function moments(chance, ifTrue, ifFalse) {
  const up = chance > 0 ? chance * ifTrue : 0;
  const down = chance < 1 ? (1 - chance) * ifFalse : 0;
  const mean = up + down;
  if (!Number.isFinite(mean)) return [Number.isNaN(mean) ? -Infinity : mean, Infinity];
  const both = chance > 0 && chance < 1;
  return [mean, both ? chance * (1 - chance) * (ifTrue - ifFalse) ** 2 : 0];
}

/** Expected log wealth and its variance up to each case, if the model is right or if the rival is. */
export function expectedPath(model, rival, truth) {
  const mean = new Float64Array(model.length);
  const variance = new Float64Array(model.length);
  let [m, v] = [0, 0];
  for (let t = 0; t < model.length; t += 1) {
    const [p, q] = [model[t], rival[t]];
    const [each, spread] = moments(truth === "model" ? p : q, Math.log(p) - Math.log(q), Math.log(1 - p) - Math.log(1 - q));
    m += each;
    v += spread;
    mean[t] = m;
    variance[t] = v;
  }
  return { mean, variance };
}

/** Everything that the race shows as numbers. */
export function settle(outcomes, model, rival) {
  const factors = logFactors(outcomes, model, rival);
  const path = logWealth(factors);
  const final = path.length ? path[path.length - 1] : 0;
  const score = (forecast) => -sum(Array.from(outcomes, (y, t) => Math.log(y ? forecast[t] : 1 - forecast[t]))) / path.length;
  const brier = (forecast) => sum(Array.from(outcomes, (y, t) => (forecast[t] - y) ** 2)) / path.length;
  let [top, fall] = [0, 0];
  for (const value of path) {
    top = Math.max(top, value);
    if (top - value > fall) fall = top - value;
  }
  return {
    factors,
    path,
    final,
    top,
    drawdown: fall,
    growth: final / path.length,
    logScores: [score(model), score(rival)],
    brierScores: [brier(model), brier(rival)],
  };
}

// -- reading a file ------------------------------------------------------------------------------------------

const DELIMITERS = ["\t", ";", ",", "|", " "];

/** Split one line at the delimiter, with quotes as in a spreadsheet's CSV. */
function splitLine(line, delimiter) {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const cells = [""];
  let isQuoted = false;
  for (let place = 0; place < line.length; place += 1) {
    const letter = line[place];
    if (letter === '"' && isQuoted && line[place + 1] === '"') {
      cells[cells.length - 1] += '"';
      place += 1;
    } else if (letter === '"') {
      isQuoted = !isQuoted;
    } else if (letter === delimiter && !isQuoted) {
      cells.push("");
    } else {
      cells[cells.length - 1] += letter;
    }
  }
  return cells.map((cell) => cell.trim());
}

/** Read a table with a header from text, whatever separates its columns. */
export function parseColumns(text) {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== "");
  if (lines.length < 2) throw new Error("The file needs a header and at least one row.");
  const delimiter = DELIMITERS.find((mark) => splitLine(lines[0], mark).length > 1);
  if (delimiter === undefined) throw new Error("The first line needs at least three column names, separated by commas or tabs.");
  const first = splitLine(lines[0], delimiter);
  const hasHeader = first.some((cell) => cell !== "" && Number.isNaN(Number(cell)));
  const names = first.map((name, k) => (hasHeader && name !== "" ? name : `column ${k + 1}`));
  const columns = names.map(() => []);
  for (let row = hasHeader ? 1 : 0; row < lines.length; row += 1) {
    const cells = splitLine(lines[row], delimiter);
    for (let k = 0; k < names.length; k += 1) columns[k].push(cells[k] ?? "");
  }
  return { names, columns };
}

const TRUE_WORDS = ["1", "true", "yes", "y", "t", "win", "won", "positive", "pos", "+", "1.0"];

/** Find the values of an outcome column, the true one last; null when there are not exactly two. */
export function outcomeValues(column) {
  const values = new Set();
  for (const cell of column) {
    if (cell !== "") values.add(cell);
    if (values.size > 2) return null;
  }
  if (values.size === 0) return null;
  const sorted = [...values].sort();
  return sorted.sort((a, b) => TRUE_WORDS.includes(a.toLowerCase()) - TRUE_WORDS.includes(b.toLowerCase()));
}

const isProbability = (cell) => cell === "" || (cell !== "" && Number(cell) >= 0 && Number(cell) <= 1);

const isRivalName = (name) => /rival|baseline|market|bookmaker/i.test(name);

/** Guess which column is the outcome and which two are probabilities. The first of the two is the rival unless names say otherwise. */
export function guessColumns({ names, columns }) {
  const sample = columns.map((column) => column.slice(0, 2000));
  const probable = names.map((_, k) => k).filter((k) => sample[k].every(isProbability));
  const fractional = probable.filter((k) => sample[k].some((cell) => cell !== "" && !Number.isInteger(Number(cell))));
  const outcome = names.findIndex((_, k) => !fractional.includes(k) && outcomeValues(sample[k])?.length === 2);
  const [first, second] = fractional.length > 1 ? fractional : probable.filter((k) => k !== outcome);
  if (outcome < 0 || second === undefined) {
    throw new Error("The desk needs an outcome column with exactly two values and two columns of probabilities from 0 to 1.");
  }
  if (isRivalName(names[second]) && !isRivalName(names[first])) return { outcome, model: first, rival: second };
  return { outcome, model: second, rival: first };
}

/** Take the three columns as numbers, without the rows that lack one of them. */
export function readRace({ columns }, chosen, positive) {
  const [truth, model, rival] = [chosen.outcome, chosen.model, chosen.rival].map((k) => columns[k]);
  const kept = { outcomes: [], model: [], rival: [], skipped: 0 };
  for (let row = 0; row < truth.length; row += 1) {
    const [p, q] = [model[row], rival[row]];
    const isGood = truth[row] !== "" && p !== "" && q !== "" && isProbability(p) && isProbability(q);
    if (isGood) {
      kept.outcomes.push(truth[row] === positive ? 1 : 0);
      kept.model.push(Number(p));
      kept.rival.push(Number(q));
    } else {
      kept.skipped += 1;
    }
  }
  return kept;
}
