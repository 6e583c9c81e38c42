// A ranked list: hits, recall, precision, average precision, and what random selection does to them.

import { drawnInterval, hypergeometricInterval, hypergeometricTails, logChoose } from "./special.js";

/** Read a string such as 11010000 (blanks, commas and line breaks are ignored). */
export function parseHits(text) {
  const marks = text.replace(/[\s,;|]+/g, "");
  if (!/^[01+\-xXoO.]*$/.test(marks)) throw new Error("Use 1 for a hit and 0 for a miss, for example 11010000.");
  return [...marks].map((mark) => (/[1+xX]/.test(mark) ? 1 : 0));
}

/** Read the ranks of the hits, such as 1 2 4. */
export function parseRanks(text, items) {
  const ranks = (text.match(/\d+/g) ?? []).map(Number).sort((a, b) => a - b);
  if (/[^\d\s,;]/.test(text)) throw new Error("Ranks are whole numbers: 1, 2, 4.");
  if (ranks.some((rank, i) => rank < 1 || rank > items || rank === ranks[i - 1])) {
    throw new Error(`Each rank lies between 1 and ${items} and occurs once.`);
  }
  return ranks;
}

export const ranksOf = (hits) => hits.flatMap((hit, place) => (hit ? [place + 1] : []));

/** AP = (1/m) Σ i/T_i, T_i the rank of the i-th hit. */
export const averagePrecision = (ranks) => ranks.reduce((total, rank, i) => total + (i + 1) / rank, 0) / ranks.length;

/** Hits among the first `depth` items. */
export function hitsAt(ranks, depth) {
  let low = 0;
  let high = ranks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranks[middle] <= depth) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** P(at least this many hits within the depth) under random selection. */
export const hitsTail = (items, targets, depth, hits) => hypergeometricTails(items, targets, depth, hits)[1];

/** The hits that random selection gives within a depth: mean and central interval. */
export function hitsByChance(items, targets, depth, level = 0.95) {
  const [low, high] = depth === 0 ? [0, 0] : hypergeometricInterval(items, targets, depth, level);
  return { mean: (depth * targets) / items, low, high };
}

// -- moments of average precision under random selection ----------------------------------------------------

/** Add fractions of big integers, each times a whole number, and return a float. */
function combine(terms) {
  let [above, below] = [0n, 1n];
  for (const [times, numerator, denominator] of terms) {
    above = above * denominator + BigInt(times) * numerator * below;
    below *= denominator;
  }
  return above === 0n ? 0 : scaled(above, below);
}

/** Divide big integers as floats, however large they are. */
function scaled(above, below) {
  const excess = Math.max(0, above.toString(2).length - 900, below.toString(2).length - 900);
  return Number(above >> BigInt(excess)) / Number(below >> BigInt(excess));
}

/** Mean and variance of AP in closed form (harmonic sums and four falling products). */
export function precisionMoments(items, targets) {
  const [n, m] = [BigInt(items), BigInt(targets)];
  const q = (i) => {
    let [above, below] = [1n, 1n];
    for (let k = 0n; k < BigInt(i); k += 1n) {
      above *= m - k;
      below *= n - k;
    }
    return below === 0n ? [0n, 1n] : [above, below];
  };
  const [q1, q2, q3, q4] = [1, 2, 3, 4].map(q);
  const product = (a, b) => [a[0] * b[0], a[1] * b[1]];
  const of = (...terms) => combine(terms.map(([times, [above, below]]) => [times, above, below]));
  let h = 0;
  let h2 = 0;
  for (let k = items; k >= 1; k -= 1) {
    h += 1 / k;
    h2 += 1 / (k * k);
  }
  const [q11, q12, q22] = [product(q1, q1), product(q1, q2), product(q2, q2)];
  // E[W²] − E[W]², gathered by powers of n and H so that large terms cancel before they are rounded.
  const variance =
    of([1, q4], [-1, q22]) * items * items +
    of([2, q3], [-2, q4], [-2, q12], [2, q22]) * items * h +
    of([5, q3], [-5, q4]) * items +
    of([2, q2], [-5, q3], [3, q4], [-1, q11], [2, q12], [-1, q22]) * h * h +
    of([3, q2], [-9, q3], [6, q4]) * h +
    of([1, q1], [-5, q2], [7, q3], [-3, q4]) * h2;
  const mean = of([1, q1]) * h + of([1, q2]) * (items - h);
  return { mean: mean / targets, variance: Math.max(0, variance) / (targets * targets) };
}

// -- the tail of average precision ---------------------------------------------------------------------------

/** Orders that are counted one by one; longer lists are sampled. */
const MOST_ORDERS = 400_000;
const NEAREST = 1e-12;

/** Longer lists would need too many calls inside each other. */
const MOST_RANKS = 1000;

/** Whether all orders can be counted; one target, or nothing but targets, needs no counting. */
export const isShort = (items, targets) =>
  targets === 1 || targets === items || (items <= MOST_RANKS && logChoose(items, targets) <= Math.log(MOST_ORDERS));

/** P(AP ≥ value) exactly, over all orders. */
export function exactTail(items, targets, value) {
  const least = value - NEAREST;
  if (least <= 0) return 1;
  if (least > 1) return 0;
  if (targets === items) return 1;
  // The AP of one target is 1 over its rank.
  if (targets === 1) return Math.min(items, Math.floor(1 / least)) / items;
  const threshold = least * targets;
  // best[misses][i]: what can still be added if hits i + 1, i + 2, … follow at once.
  const best = Array.from({ length: items - targets + 1 }, (_, misses) => {
    const sums = new Array(targets + 1).fill(0);
    for (let i = targets; i >= 1; i -= 1) sums[i - 1] = sums[i] + i / (i + misses);
    return sums;
  });
  const ways = Array.from({ length: items + 1 }, () => new Array(targets + 1).fill(0));
  for (let n = 0; n <= items; n += 1) {
    ways[n][0] = 1;
    for (let k = 1; k <= Math.min(n, targets); k += 1) ways[n][k] = ways[n - 1][k - 1] + ways[n - 1][k];
  }
  const count = (rank, found, total) => {
    if (total >= threshold) return ways[items - rank][targets - found];
    if (found === targets || total + best[rank - found][found] < threshold) return 0;
    const withHit = count(rank + 1, found + 1, total + (found + 1) / (rank + 1));
    return items - rank > targets - found ? withHit + count(rank + 1, found, total) : withHit;
  };
  return count(0, 0, 0) / ways[items][targets];
}

/** Draw the ranks of the targets in a random order (Floyd's method), ascending. */
function drawRanks(items, targets, random) {
  const chosen = new Set();
  for (let last = items - targets + 1; last <= items; last += 1) {
    const rank = 1 + random.below(last);
    chosen.add(chosen.has(rank) ? last : rank);
  }
  return Float64Array.from(chosen).sort();
}

/** Estimate P(AP ≥ value) from random orders. */
export function sampledTail(items, targets, value, random, draws) {
  const threshold = (value - 1e-9) * targets;
  let count = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    const ranks = drawRanks(items, targets, random);
    let total = 0;
    for (let i = 0; i < targets; i += 1) total += (i + 1) / ranks[i];
    if (total >= threshold) count += 1;
  }
  const [low, high] = drawnInterval(count, draws);
  return { p: (1 + count) / (1 + draws), low, high, draws };
}
