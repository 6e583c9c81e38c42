// The contingency table: margins, fair odds, dollars, measures and their intervals.
// counts[l][k] is the number of cases predicted as label l whose actual class is k.

import { difference, ratio, reachOf, sum } from "./special.js";

/** Exchange rows and columns. */
export const transpose = (rows) => rows[0].map((_, k) => rows.map((row) => row[k]));

/** One label against the rest: every count that a measure of one label needs. */
function labelCounts(hits, predicted, actual, total) {
  const notActual = difference(total, actual, total);
  const falseAlarms = difference(predicted, hits, predicted);
  const misses = difference(actual, hits, actual);
  const rejections = difference(notActual, predicted - hits, total);
  return {
    hits,
    predicted,
    actual,
    total,
    falseAlarms,
    misses,
    rejections,
    notActual,
    notPredicted: difference(total, predicted, total),
    determinant: hits * rejections - falseAlarms * misses,
  };
}

/** Margins, diagonal and the view of each label. */
export function viewTable(counts) {
  const predicted = counts.map(sum);
  const actual = transpose(counts).map(sum);
  const hits = counts.map((row, l) => row[l]);
  const total = sum(actual);
  const labels = hits.map((_, l) => labelCounts(hits[l], predicted[l], actual[l], total));
  return { counts, size: counts.length, hits, predicted, actual, total, labels };
}

// -- measures of one label ---------------------------------------------------------------------------------

const edge = (v) => ratio(v.hits, v.actual) - ratio(v.falseAlarms, v.notActual);
const fMeasure = (hits, predicted, actual, alpha) => ratio(hits, alpha * actual + (1 - alpha) * predicted);
const gMeasure = (hits, predicted, actual) => ratio(hits, Math.sqrt(predicted * actual));

/** Compute every measure of one label that the desk shows. */
export function measureLabel(v, alpha = 0.5) {
  return {
    recall: ratio(v.hits, v.actual),
    inverse_recall: ratio(v.rejections, v.notActual),
    precision: ratio(v.hits, v.predicted),
    inverse_precision: ratio(v.rejections, v.notPredicted),
    fallout: ratio(v.falseAlarms, v.notActual),
    f: fMeasure(v.hits, v.predicted, v.actual, alpha),
    inverse_f: fMeasure(v.rejections, v.notPredicted, v.notActual, alpha),
    g: gMeasure(v.hits, v.predicted, v.actual),
    inverse_g: gMeasure(v.rejections, v.notPredicted, v.notActual),
    jaccard: ratio(v.hits, v.predicted + v.actual - v.hits),
    informedness: edge(v),
    prevalence: ratio(v.actual, v.total),
    predicted_share: ratio(v.predicted, v.total),
  };
}

// -- measures of the whole table ---------------------------------------------------------------------------

const hasOdds = (v) => v.actual > 0 && v.notActual > 0;

/** Powers' informedness: the sum over labels of predicted share times recall minus fallout. */
export function informedness(view) {
  if (!view.labels.some((v) => hasOdds(v) && v.predicted > 0)) return NaN;
  const terms = view.labels.map((v) => (hasOdds(v) ? v.predicted * edge(v) : 0));
  return ratio(sum(terms), view.total);
}

/** Average the labels' F harmonically by predicted share; 0 if a predicted label has no hits. */
function averageF(view, alpha) {
  const used = view.labels.filter((v) => v.predicted > 0);
  if (used.some((v) => v.hits === 0)) return 0;
  const terms = used.map((v) => v.predicted / fMeasure(v.hits, v.predicted, v.actual, alpha));
  return ratio(view.total, sum(terms));
}

/** Average the labels' G geometrically by predicted share; 0 if a predicted label has no hits. */
function averageG(view) {
  const used = view.labels.filter((v) => v.predicted > 0);
  if (used.some((v) => v.hits === 0)) return 0;
  const terms = used.map((v) => v.predicted * Math.log(gMeasure(v.hits, v.predicted, v.actual)));
  return Math.exp(ratio(sum(terms), view.total));
}

/** Entropy in bits of counts that add up to total. */
function entropy(counts, total) {
  const terms = counts.map((count) => {
    const share = ratio(count, total);
    if (!(share > 0)) return 0;
    // A share near 1 has lost the digits that it lacks of 1; the counts still have them.
    return 2 * count > total ? share * Math.log1p(-(total - count) / total) : share * Math.log(share);
  });
  return total > 0 ? -sum(terms) / Math.LN2 : NaN;
}

/** H(actual | predicted): the bits still needed to know the class once the prediction is known. */
function conditionalEntropy(view) {
  const joint = entropy(view.counts.flat(), view.total);
  return difference(joint, entropy(view.predicted, view.total), joint);
}

function breakEvenCommission(view) {
  const wrong = difference(view.total, sum(view.hits), view.total);
  const winnings = sum(view.labels.map((v) => (v.actual > 0 ? (v.hits * v.notActual) / v.actual : 0)));
  return 1 - ratio(wrong, winnings);
}

/** Compute every measure of the whole table that the desk shows. */
export function measureTable(view, alpha = 0.5) {
  const { labels, total } = view;
  const determinant = sum(labels.map((v) => v.determinant));
  const spreadPredicted = sum(labels.map((v) => v.predicted * v.notPredicted));
  const spreadActual = sum(labels.map((v) => v.actual * v.notActual));
  const recalls = labels.filter((v) => v.actual > 0).map((v) => v.hits / v.actual);
  return {
    informedness: informedness(view),
    accuracy: ratio(sum(view.hits), total),
    balanced_accuracy: ratio(sum(recalls), recalls.length),
    average_f: averageF(view, alpha),
    average_g: averageG(view),
    mcc: ratio(determinant, Math.sqrt(spreadPredicted * spreadActual)),
    kappa: ratio(determinant, sum(labels.map((v) => v.predicted * v.notActual))),
    conditional_entropy: conditionalEntropy(view),
    break_even_margin: total > 0 ? sum(recalls) - 1 : NaN,
    break_even_commission: breakEvenCommission(view),
  };
}

/** The mean table of guessing with the same margins, whose measures are the chance levels. */
export const guessingTable = (view) =>
  view.predicted.map((p) => view.actual.map((r) => (view.total > 0 ? (p * r) / view.total : 0)));

// -- odds and dollars --------------------------------------------------------------------------------------

/** The bookmaker's table: each prediction is a bet on its label at fair odds. */
export function payoffs(view, pool = 10) {
  const { total } = view;
  const odds = view.labels.map((v) => (hasOdds(v) ? 1 / (v.actual / total) : NaN));
  const win = view.labels.map((v) => (hasOdds(v) ? (pool * v.notActual) / total : NaN));
  const lose = view.labels.map((v) => (hasOdds(v) ? (-pool * v.actual) / total : NaN));
  const worth = (l, k) => (l === k ? win[l] : lose[l]);
  const spread = view.labels.map((v) => (v.actual / total) * (v.notActual / total));
  const cells = view.counts.map((row, l) => row.map((count, k) => ((count / total) * worth(l, k)) / spread[l]));
  const track = view.counts.map((row, l) => row.map((count, k) => count * worth(l, k)));
  const won = cells.map(sum);
  const share = view.predicted.map((p) => p / total);
  const weighted = won.map((dollars, l) => share[l] * dollars);
  const isBet = odds.some((price, l) => !Number.isNaN(price) && share[l] > 0);
  const add = (values) => (isBet ? sum(values.filter((x) => !Number.isNaN(x))) : NaN);
  return {
    odds,
    cells,
    track,
    rows: won,
    weighted,
    share,
    columns: transpose(cells).map(add),
    total: add(weighted),
    won: add(track.flat().filter((x) => x > 0)),
    lost: add(
      track
        .flat()
        .filter((x) => x < 0)
        .map((x) => -x),
    ),
  };
}

// -- intervals ---------------------------------------------------------------------------------------------

/** Wilson's score interval for a proportion. */
export function wilson(successes, trials, level = 0.95) {
  const z = reachOf(level);
  const share = Math.min(1, Math.max(0, successes / trials));
  const square = z * z;
  const middle = (share + square / (2 * trials)) / (1 + square / trials);
  const reach = (z * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials * trials))) / (1 + square / trials);
  return [share === 0 ? 0 : middle - reach, share === 1 ? 1 : middle + reach];
}

/** Newcombe's square-and-add interval for recall minus fallout, with its standard error. */
export function newcombe(v, level = 0.95) {
  const parts = [
    [v.hits, v.actual],
    [v.falseAlarms, v.notActual],
  ];
  // Sums of fractions can put a share a rounding error outside its range.
  const [recall, fallout] = parts.map(([x, n]) => Math.min(1, Math.max(0, x / n)));
  const [[low1, high1], [low2, high2]] = parts.map(([x, n]) => wilson(x, n, level));
  const value = recall - fallout;
  return {
    low: value - Math.hypot(recall - low1, high2 - fallout),
    high: value + Math.hypot(high1 - recall, fallout - low2),
    error: Math.sqrt((recall * (1 - recall)) / v.actual + (fallout * (1 - fallout)) / v.notActual),
  };
}

/** Standard error of informedness by the delta method on the multinomial. */
export function deltaError(view) {
  const { counts, total, labels } = view;
  // Informedness is S/N with S = Σ P (h/R − (P − h)/(N − R)); its derivatives by h, P, R and N of each label.
  const value = informedness(view);
  const slopes = labels.map((v) => {
    if (!hasOdds(v)) return { hit: 0, row: 0, column: 0, total: 0 };
    const { hits: h, predicted: p, actual: r, notActual: q, falseAlarms: a } = v;
    return {
      hit: p * (1 / r + 1 / q),
      row: h / r - a / q - p / q,
      column: p * (-h / (r * r) - a / (q * q)),
      total: (p * a) / (q * q),
    };
  });
  const common = sum(slopes.map((each) => each.total)) - value;
  const influence = counts.map((row, l) =>
    row.map((_, k) => (slopes[l].row + slopes[k].column + (l === k ? slopes[l].hit : 0) + common) / total),
  );
  const centre = sum(counts.map((row, l) => sum(row.map((c, k) => c * influence[l][k])))) / total;
  const squares = counts.map((row, l) => sum(row.map((c, k) => c * (influence[l][k] - centre) ** 2)));
  return Math.sqrt(Math.max(0, sum(squares)));
}

/** The delta method's interval on the logit scale between −1 and 1. */
export function deltaInterval(view, level = 0.95) {
  const value = informedness(view);
  const error = deltaError(view);
  if (!(value > -1 && value < 1)) return { low: value, high: value, error };
  const reach = (reachOf(level) * error * 2) / ((value + 1) * (1 - value));
  const middle = Math.log(value + 1) - Math.log(1 - value);
  const back = (x) => -1 + 2 / (1 + Math.exp(-x));
  return { low: back(middle - reach), high: back(middle + reach), error };
}

/** A class with fewer cases than this makes the delta method too narrow, so a posterior joins it. */
export const FEW_CASES = 20;
const NO_ERROR = 1e-24;

/**
 * The interval for informedness: Newcombe when two labels occur, otherwise the delta method.
 * `posterior` is the prior weight per cell when a sampled posterior has to join or replace it, otherwise null.
 */
export function informednessInterval(view, level = 0.95) {
  const seen = view.labels.filter((v) => v.actual > 0 || v.predicted > 0);
  if (Number.isNaN(informedness(view))) return { low: NaN, high: NaN, error: NaN, method: "undefined", posterior: null };
  if (seen.length === 2 && seen.every(hasOdds)) return { ...newcombe(seen[0], level), method: "Newcombe", posterior: null };
  const found = { ...deltaInterval(view, level), method: "delta method", posterior: null, alone: false };
  const isRare = view.size > 2 && view.actual.some((r) => r > 0 && r < FEW_CASES);
  if (isRare) return { ...found, posterior: 0.5 / view.size };
  if (!(found.error ** 2 > NO_ERROR)) return { ...found, posterior: 1 / view.size, alone: true };
  return found;
}

/** Draw informedness from the Dirichlet posterior of the table and return the ends of its interval. */
export function posteriorInterval(counts, prior, random, draws = 4000, level = 0.95) {
  const values = [];
  for (let draw = 0; draw < draws; draw += 1) {
    const drawn = counts.map((row) => row.map((count) => random.gamma(count + prior)));
    values.push(informedness(viewTable(drawn)));
  }
  values.sort((a, b) => a - b);
  return [(1 - level) / 2, (1 + level) / 2].map((share) => {
    const place = share * (draws - 1);
    const below = Math.floor(place);
    return values[below] + (place - below) * (values[Math.min(below + 1, draws - 1)] - values[below]);
  });
}

// -- other tables ------------------------------------------------------------------------------------------

/** The expected table of a predictor that knows the answer a share of the time and guesses otherwise. */
export function informedMixture(actual, guess, informed, cases = 1) {
  const size = actual.length;
  const shares = [actual, guess].map((each) => each.map((x) => x / sum(each)));
  const known = (l, k) => (informed >= 0 ? l === k : l === size - 1 - k);
  return shares[1].map((s, l) =>
    shares[0].map((r, k) => {
      const value = cases * ((1 - Math.abs(informed)) * s * r + (known(l, k) ? Math.abs(informed) * shares[0][k] : 0));
      const whole = Math.round(value);
      return Math.abs(value - whole) <= 1e-12 * Math.abs(whole) ? whole : value;
    }),
  );
}

/** The same recalls with another prevalence of one class; the other classes keep their proportions. */
export function withPrevalence(counts, chosen, share) {
  const view = viewTable(counts);
  const rest = view.total - view.actual[chosen];
  const factor = (k) => {
    if (k === chosen) return ratio(share * view.total, view.actual[k]);
    return ratio((1 - share) * view.total, rest);
  };
  return counts.map((row) => row.map((count, k) => (count === 0 ? 0 : count * factor(k))));
}
