// Guessing with the same margins: is the table significantly different from luck?

import { drawnInterval, hypergeometricTails, normalQuantile, reachOf, sum } from "./special.js";
import { informedness, informednessInterval, viewTable } from "./table.js";

/** What a right answer for each label adds to informedness when both margins are fixed. */
export const informednessSlopes = (view) =>
  view.labels.map((v) => (v.actual > 0 && v.notActual > 0 ? v.predicted / (v.actual * v.notActual) : 0));

/** The exact variance of informedness under guessing. */
export function guessingVariance(view) {
  const n = view.total;
  if (n < 2) return 0;
  const slopes = informednessSlopes(view);
  const products = view.labels.map((v) => v.predicted * v.actual);
  const own = sum(view.labels.map((v, l) => slopes[l] ** 2 * products[l] * (v.notPredicted * v.notActual - products[l])));
  return (own + sum(slopes.map((slope, l) => slope * products[l])) ** 2) / (n * n * (n - 1));
}

/** Round to whole cases, halves to even, as Python does. */
export function wholeCases(counts) {
  return counts.map((row) =>
    row.map((count) => {
      const floor = Math.floor(count);
      if (count - floor === 0.5) return floor % 2 === 0 ? floor : floor + 1;
      return Math.round(count);
    }),
  );
}

/** Whether all cells are whole cases. */
export const isCounted = (counts) => counts.every((row) => row.every(Number.isInteger));

/**
 * P(guessing is as far from 0) and P(guessing does as well) for two labels, exactly.
 * Null when more than two labels occur.
 */
export function exactTails(view) {
  const seen = view.labels.filter((v) => v.actual > 0 || v.predicted > 0);
  if (seen.length !== 2) return null;
  const { hits, predicted: p, actual: r, total: n } = seen[0];
  const mean = (p * r) / n;
  const tolerance = 1e-9 * Math.max(1, mean);
  const distance = Math.abs(hits - mean);
  const greater = hypergeometricTails(n, r, p, hits)[1];
  if (distance <= tolerance) return { greater, twoSided: 1 };
  const upper = hypergeometricTails(n, r, p, Math.ceil(mean + distance - tolerance))[1];
  const lower = hypergeometricTails(n, r, p, Math.floor(mean - distance + tolerance))[0];
  return { greater, twoSided: Math.min(1, upper + lower) };
}

/** A bound below this says more than draws could. */
const SURE_BOUND = 1e-6;
/** The smallest float above 0: a probability is never shown as 0. */
export const SMALLEST = 5e-324;

/** Chatterjee's bound 2 exp(−t²/(4E + 2t)) on P(guessing does as well), for sums over a random permutation. */
export function certifiedBound(view) {
  const slopes = informednessSlopes(view);
  const largest = Math.max(...slopes);
  const centre = sum(slopes.map((slope, l) => (slope * view.predicted[l] * view.actual[l]) / view.total));
  const value = sum(slopes.map((slope, l) => slope * view.hits[l])) - centre;
  if (largest === 0) return 1;
  const mean = centre / largest;
  const distance = Math.abs(value) / largest;
  return Math.max(SMALLEST, Math.min(1, 2 * Math.exp((-distance * distance) / (4 * mean + 2 * distance))));
}

/** Draw the diagonal of one table with these margins. */
function drawHits(predicted, actual, random) {
  const left = predicted.slice();
  let rest = sum(left);
  return actual.map((cases, k) => {
    let room = rest;
    let needed = cases;
    let hit = 0;
    for (let l = 0; l < left.length && needed > 0; l += 1) {
      const drawn = random.hypergeometric(room, left[l], needed);
      room -= left[l];
      left[l] -= drawn;
      needed -= drawn;
      if (l === k) hit = drawn;
    }
    rest -= cases;
    return hit;
  });
}

/** Estimate both tails from tables drawn with the same margins. */
export function sampledTails(counts, random, draws) {
  const view = viewTable(counts);
  const slopes = informednessSlopes(view);
  const centre = sum(slopes.map((slope, l) => (slope * view.predicted[l] * view.actual[l]) / view.total));
  const value = sum(slopes.map((slope, l) => slope * view.hits[l])) - centre;
  const slack = 1e-9 * Math.max(...slopes);
  let greater = 0;
  let twoSided = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    const hits = drawHits(view.predicted, view.actual, random);
    let drawn = -centre;
    for (let l = 0; l < hits.length; l += 1) drawn += slopes[l] * hits[l];
    if (drawn >= value - slack) greater += 1;
    if (Math.abs(drawn) >= Math.abs(value) - slack) twoSided += 1;
  }
  const tail = (count) => {
    const [low, high] = drawnInterval(count, draws);
    return { p: (1 + count) / (1 + draws), low, high };
  };
  return { greater: tail(greater), twoSided: tail(twoSided), draws };
}

// -- how many cases would show it --------------------------------------------------------------------------

const MOST_PLANNED = 60;

/**
 * Number of cases like these with which the test against guessing has 80% power at the 5% level.
 * Null when only an enumeration of small tables gives it: `enumerateCases` does that.
 */
export function casesNeeded(view, interval, level = 0.95, power = 0.8) {
  const value = informedness(view);
  if (Number.isNaN(value) || Number.isNaN(interval.low)) return NaN;
  if (Math.abs(value) < 1e-12) return Infinity;
  const z = reachOf(level);
  const zPower = normalQuantile(power);
  const error = Math.max(interval.error, (interval.high - interval.low) / (2 * z));
  const rough = Math.ceil(view.total * (((z + zPower) * error) / Math.abs(value)) ** 2);
  if (!isCounted(view.counts)) return rough;
  if (view.size > 2) {
    const reach = z * Math.sqrt(guessingVariance(view)) + zPower * interval.error;
    return Math.max(rough, Math.ceil(view.total * (reach / value) ** 2));
  }
  if (rough <= MOST_PLANNED) return null;
  const [first, second] = view.actual.map((r) => r / view.total);
  const distance = Math.abs(view.counts[0][0] / view.actual[0] - view.counts[0][1] / view.actual[1]);
  return Math.ceil((rough / 4) * (1 + Math.sqrt(1 + 2 / (rough * first * second * distance))) ** 2);
}

/** The least number of cases with which the exact test for two labels has the power, by enumeration. */
export function enumerateCases(counts, level = 0.95, power = 0.8) {
  for (let cases = 4; cases < 4 * MOST_PLANNED; cases += 1) {
    if (exactPower(counts, cases, 1 - level) >= power) return cases;
  }
  return NaN;
}

/** P-values of all possible numbers of hits, from the farthest from the mean to the nearest. */
function twoSidedValues(low, high, mean, chances) {
  const values = new Array(high - low + 1);
  let [down, up, below] = [low, high, 0];
  while (down <= up) {
    const far = Math.max(mean - down, up - mean) - 1e-9;
    const reached = [];
    while (down <= up && mean - down >= far) reached.push(down++);
    while (down <= up && up - mean >= far) reached.push(up--);
    for (const h of reached) below += chances[h - low];
    for (const h of reached) values[h - low] = below;
  }
  return values;
}

/** Power of the exact two-sided test for two labels, over all tables with this many cases. */
export function exactPower(counts, cases, alpha) {
  const whole = sum(counts.flat());
  const shares = [0, 1].map((k) => sum(counts.map((row) => row[k])) / whole);
  const recalls = [0, 1].map((k) => counts[0][k] / whole / shares[k]);
  const logFactorial = [0];
  for (let n = 1; n <= cases; n += 1) logFactorial.push(logFactorial[n - 1] + Math.log(n));
  const choose = (n, k) => logFactorial[n] - logFactorial[k] - logFactorial[n - k];
  const times = (number, share) => (number === 0 ? 0 : number * Math.log(share));
  const binomial = (n, k, share) => choose(n, k) + times(k, share) + times(n - k, 1 - share);
  let total = 0;
  for (let actual = 0; actual <= cases; actual += 1) {
    const logActual = binomial(cases, actual, shares[0]);
    if (!(logActual > -40)) continue;
    for (let predicted = 0; predicted <= cases; predicted += 1) {
      const low = Math.max(0, predicted + actual - cases);
      const high = Math.min(predicted, actual);
      const chances = [];
      for (let h = low; h <= high; h += 1) {
        chances.push(Math.exp(choose(actual, h) + choose(cases - actual, predicted - h) - choose(cases, predicted)));
      }
      const values = twoSidedValues(low, high, (predicted * actual) / cases, chances);
      for (let h = low; h <= high; h += 1) {
        if (values[h - low] > alpha + 1e-12) continue;
        const logTable = binomial(actual, h, recalls[0]) + binomial(cases - actual, predicted - h, recalls[1]);
        total += Math.exp(logActual + logTable);
      }
    }
  }
  return total;
}

/** All that the desk says about luck without drawing: exact tails for two labels, a bound, the planned cases. */
export function examineLuck(counts) {
  const view = viewTable(counts);
  const interval = informednessInterval(view);
  const whole = isCounted(counts) ? view : viewTable(wholeCases(counts));
  const isDefined = whole.total > 0 && !Number.isNaN(informedness(whole));
  const tails = isDefined ? exactTails(whole) : null;
  const bound = isDefined ? certifiedBound(whole) : NaN;
  return {
    interval,
    tails,
    bound: isDefined && tails === null && bound < SURE_BOUND ? bound : null,
    isApproximate: !isCounted(counts),
    needed: casesNeeded(view, interval),
  };
}
