// Special functions, random numbers and the arithmetic that all other modules share.

/** Relative error of summed fractions that counts as none (the same limit as in Python). */
const ROUNDING = 1e-14;
const EXACT_INTEGERS = 2 ** 53;

export const sum = (values) => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** Divide, or return NaN when there is nothing to divide by. */
export const ratio = (numerator, denominator) => (denominator === 0 ? NaN : numerator / denominator);

/** Subtract; the result is exactly 0 when only the rounding of summed fractions keeps the two apart. */
export function difference(left, right, scale) {
  const result = left - right;
  const isRounding = Math.abs(result) <= ROUNDING * scale;
  const isWhole = Number.isInteger(left) && Number.isInteger(right) && scale < EXACT_INTEGERS;
  return isRounding && !isWhole ? 0 : result;
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Logarithm of the gamma function for x > 0 (Lanczos below 20, Stirling's series above). */
export function logGamma(x) {
  if (x >= 20) {
    const square = 1 / (x * x);
    const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / x;
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
  }
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const shifted = x - 1;
  let series = LANCZOS[0];
  for (let k = 1; k < 9; k += 1) series += LANCZOS[k] / (shifted + k);
  const base = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(series);
}

const polynomial = (coefficients, x) => coefficients.reduceRight((value, each) => value * x + each, 0);

const CENTRE = [
  [
    3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
    67265.770927008700853, 33430.575583588128105, 2509.0809287301226727,
  ],
  [
    1.0, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867, 39307.89580009271061,
    28729.085735721942674, 5226.495278852854561,
  ],
];
const MIDDLE = [
  [
    1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504, 1.27045825245236838258,
    0.24178072517745061177, 0.0227238449892691845833, 0.00077454501427834140764,
  ],
  [
    1.0, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459, 0.0151986665636164571966,
    0.0005475938084995344946, 1.05075007164441684324e-9,
  ],
];
const FAR = [
  [
    6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123, 0.026532189526576123093,
    0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
  ],
  [
    1.0, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 0.0007868691311456132591,
    1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15,
  ],
];

/** Quantile of the standard normal law (Wichura 1988, AS 241). */
export function normalQuantile(probability) {
  const centred = probability - 0.5;
  if (Math.abs(centred) <= 0.425) {
    const r = 0.180625 - centred * centred;
    return (centred * polynomial(CENTRE[0], r)) / polynomial(CENTRE[1], r);
  }
  const root = Math.sqrt(-Math.log(centred <= 0 ? probability : 1 - probability));
  const [above, below] = root <= 5 ? MIDDLE : FAR;
  const r = root <= 5 ? root - 1.6 : root - 5;
  const size = polynomial(above, r) / polynomial(below, r);
  return centred < 0 ? -size : size;
}

/** How many standard deviations a two-sided interval of this level reaches. */
export const reachOf = (level) => -normalQuantile((1 - level) / 2);

/** Continued fraction of the incomplete beta function (Lentz). */
function betaFraction(a, b, x) {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / Math.max(Math.abs(1 - ((a + b) * x) / (a + 1)), tiny);
  let value = d;
  for (let m = 1; m < 3000; m += 1) {
    for (const step of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / (1 + step * d || tiny);
      c = 1 + step / c || tiny;
      value *= d * c;
    }
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return value;
}

/** Regularised incomplete beta function I_x(a, b). */
export function betaCdf(a, b, x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  if (x < (a + 1) / (a + b + 2)) return (Math.exp(logFront) * betaFraction(a, b, x)) / a;
  return 1 - (Math.exp(logFront) * betaFraction(b, a, 1 - x)) / b;
}

/** Quantile of the beta law, by bisection. */
export function betaQuantile(a, b, probability) {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 100; step += 1) {
    const middle = (low + high) / 2;
    if (betaCdf(a, b, middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The 99% interval of a probability of which `count` of `draws` were seen (Clopper & Pearson). */
export function drawnInterval(count, draws) {
  const low = count ? betaQuantile(count, draws - count + 1, 0.005) : 0;
  const high = count < draws ? betaQuantile(count + 1, draws - count, 0.995) : 1;
  return [low, high];
}

export const logChoose = (n, k) => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);

/** P(c + 1)/P(c) of the hypergeometric law. */
export const stepUp = (total, marked, drawn, c) => ((marked - c) * (drawn - c)) / ((c + 1) * (total - marked - drawn + c + 1));

/** Sum P(c)/P(count) from count to an end of the range, relative to the largest term: [sum, log of scale]. */
function sumOfRatios(total, marked, drawn, count, end, direction) {
  let scale = 0;
  let added = 1;
  let logTerm = 0;
  for (let c = count; c !== end; c += direction) {
    const factor = direction > 0 ? stepUp(total, marked, drawn, c) : 1 / stepUp(total, marked, drawn, c - 1);
    logTerm += Math.log(factor);
    if (logTerm > scale) {
      added = added * Math.exp(scale - logTerm) + 1;
      scale = logTerm;
    } else {
      added += Math.exp(logTerm - scale);
    }
    if (factor < 0.999 && logTerm < scale - 60) break;
    // The term at count is then too small for a float, so nothing more can change the answer.
    if (logTerm > 800) break;
  }
  return scale + Math.log(added);
}

/** P(at most count) and P(at least count) of marked items drawn without replacement. */
export function hypergeometricTails(total, marked, drawn, count) {
  const low = Math.max(0, drawn + marked - total);
  const high = Math.min(marked, drawn);
  if (count < low) return [0, 1];
  if (count > high) return [1, 0];
  const down = sumOfRatios(total, marked, drawn, count, low, -1);
  const up = sumOfRatios(total, marked, drawn, count, high, 1);
  // Both sums hold the term at count, which is 1.
  const larger = Math.max(down, up);
  const every = larger + Math.log(Math.exp(down - larger) + Math.exp(up - larger) - Math.exp(-larger));
  return [Math.exp(down - every), Math.exp(up - every)];
}

/** The counts that are left when at most (1 − level)/2 is cut off on either side. */
export function hypergeometricInterval(total, marked, drawn, level) {
  const beyond = ((1 - level) / 2) * (1 + 1e-9);
  const mean = (drawn * marked) / total;
  const spread = total > 1 ? Math.sqrt((mean * (1 - marked / total) * (total - drawn)) / (total - 1)) : 0;
  // What lies further out is far below any level.
  const reach = 12 * spread + 12;
  const low = Math.max(0, drawn + marked - total, Math.floor(mean - reach));
  const high = Math.min(marked, drawn, Math.ceil(mean + reach));
  const logs = [0];
  for (let c = low; c < high; c += 1) logs.push(logs[c - low] + Math.log(stepUp(total, marked, drawn, c)));
  const top = logs.reduce((a, b) => Math.max(a, b));
  const chances = logs.map((each) => Math.exp(each - top));
  const whole = sum(chances);
  let first = low;
  for (let below = chances[0] / whole; below <= beyond && first < high; ) below += chances[(first += 1) - low] / whole;
  let last = high;
  for (let above = chances[high - low] / whole; above <= beyond && last > low; ) above += chances[(last -= 1) - low] / whole;
  return [first, last];
}

/** Random numbers from a seed (xoshiro128**), so that a result can be repeated. */
export class Random {
  constructor(seed) {
    let state = (seed + 0x9e3779b9) >>> 0;
    const next = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
      return (z ^ (z >>> 16)) >>> 0;
    };
    this.state = Uint32Array.from([next(), next(), next(), next()]);
    this.spare = NaN;
  }

  bits() {
    const s = this.state;
    const product = Math.imul(s[1], 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return result;
  }

  /** Draw a number between 0 and 1, 53 bits of it. */
  uniform() {
    return ((this.bits() >>> 5) * 67108864 + (this.bits() >>> 6)) / 9007199254740992;
  }

  /** Draw a whole number from 0 to below n. */
  below(n) {
    return Math.floor(this.uniform() * n);
  }

  /** Draw from the standard normal law (polar method). */
  normal() {
    if (!Number.isNaN(this.spare)) {
      const kept = this.spare;
      this.spare = NaN;
      return kept;
    }
    for (;;) {
      const u = 2 * this.uniform() - 1;
      const v = 2 * this.uniform() - 1;
      const square = u * u + v * v;
      if (square > 0 && square < 1) {
        const factor = Math.sqrt((-2 * Math.log(square)) / square);
        this.spare = v * factor;
        return u * factor;
      }
    }
  }

  /** Draw from the gamma law with this shape and scale 1 (Marsaglia & Tsang 2000). */
  gamma(shape) {
    if (shape < 1) return this.gamma(shape + 1) * (1 - this.uniform()) ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - this.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  /** Draw from the hypergeometric law, by inversion outwards from the mode. */
  hypergeometric(total, marked, drawn) {
    const low = Math.max(0, drawn + marked - total);
    const high = Math.min(marked, drawn);
    if (low === high) return low;
    const mode = Math.min(high, Math.max(low, Math.floor(((drawn + 1) * (marked + 1)) / (total + 2))));
    const logMode = logChoose(marked, mode) + logChoose(total - marked, drawn - mode) - logChoose(total, drawn);
    let left = this.uniform();
    let above = Math.exp(logMode);
    left -= above;
    if (left < 0) return mode;
    let below = above;
    for (let up = mode, down = mode; up < high || down > low; ) {
      if (up < high) {
        above *= stepUp(total, marked, drawn, up);
        up += 1;
        left -= above;
        if (left < 0) return up;
      }
      if (down > low) {
        below /= stepUp(total, marked, drawn, down - 1);
        down -= 1;
        left -= below;
        if (left < 0) return down;
      }
    }
    return mode;
  }

  /** Put an array in random order, in place. */
  shuffle(values) {
    for (let last = values.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      [values[last], values[other]] = [values[other], values[last]];
    }
    return values;
  }
}
