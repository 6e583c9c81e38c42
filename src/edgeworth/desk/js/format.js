// Numbers as text.

const MINUS = "−";
export const NOTHING = "–";

const signed = (text) => text.replace("-", MINUS);
const grouped = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** A number with a fixed number of decimals; undefined is a dash. */
export function fixed(value, decimals = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  const text = value.toFixed(decimals);
  // No negative zero.
  return signed(Number(text) === 0 ? text.replace("-", "") : text);
}

export const percent = (value, decimals = 1) =>
  value === null || Number.isNaN(value) ? NOTHING : `${fixed(100 * value, decimals)}%`;

/** A count: whole numbers with commas, fractions with up to two decimals. */
export function count(value) {
  if (value === null || Number.isNaN(value)) return NOTHING;
  if (!Number.isFinite(value)) return "∞";
  const rounded = Math.round(value * 100) / 100;
  const [whole, part] = String(Math.abs(rounded)).split(".");
  if (whole.includes("e")) return value.toPrecision(4);
  return `${rounded < 0 ? MINUS : ""}${grouped(whole)}${part ? `.${part}` : ""}`;
}

/** Dollars as in Figure 1: $8.30 and −$6.80. */
export function dollars(value) {
  if (Number.isNaN(value)) return NOTHING;
  const text = Math.abs(value).toFixed(2);
  const [whole, cents] = text.split(".");
  return `${value < 0 && Number(text) !== 0 ? MINUS : ""}$${grouped(whole)}.${cents}`;
}

/** A p-value with two significant digits. */
export function pValue(p) {
  if (p === null || Number.isNaN(p)) return NOTHING;
  if (p <= 5e-324) return "< 10⁻³⁰⁰";
  if (p >= 0.9995) return "1";
  if (p >= 0.1) return p.toFixed(3);
  if (p >= 0.0001) return String(Number(p.toPrecision(2)));
  const [digits, exponent] = p.toExponential(1).split("e");
  return `${digits} × 10${superscript(Number(exponent))}`;
}

const superscript = (number) => [...String(number)].map((each) => (each === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(each)])).join("");

/** Odds against as a bookmaker writes them: 7:3 for a share of 0.3. */
export function oddsAgainst(share) {
  if (!(share > 0 && share < 1)) return NOTHING;
  const against = (1 - share) / share;
  for (let below = 1; below <= 20; below += 1) {
    const above = Math.round(against * below);
    if (above > 0 && above <= 99 && Math.abs(against - above / below) <= 1e-9 * against) return `${above}:${below}`;
  }
  return against >= 1 ? `${Number(against.toPrecision(3))}:1` : `1:${Number((1 / against).toPrecision(3))}`;
}

/** Beyond this factor the growth per case says more than wealth. */
const MOST_WEALTH = 9 * Math.LN10;
export const isBeyondWords = (log) => Number.isFinite(log) && Math.abs(log) > MOST_WEALTH;

/** Format wealth from its logarithm; very large amounts are reported as growth. */
export function wealth(log) {
  if (log === -Infinity) return "0 (ruin)";
  if (log === Infinity) return "∞";
  if (isBeyondWords(log)) return log > 0 ? "more than 10⁹" : "less than 10⁻⁹";
  const value = Math.exp(log);
  return value >= 100 ? grouped(value.toFixed(0)) : String(Number(value.toPrecision(3)));
}

/** Read a number as people type it: 1,234 or 12.5% or 3/4; NaN when it is none. */
export function parseNumber(text) {
  const plain = String(text).trim().replace(/−/g, "-").replace(/\s/g, "");
  if (plain === "") return NaN;
  const fraction = /^(\d*\.?\d+)\/(\d*\.?\d+)$/.exec(plain);
  if (fraction) return Number(fraction[1]) / Number(fraction[2]);
  const isShare = plain.endsWith("%");
  const digits = plain
    .replace(/%$/, "")
    .replace(/^\$/, "")
    .replace(/,(?=\d{3}(\D|$))/g, "")
    .replace(",", ".");
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits) ? Number(digits) : NaN;
  return isShare ? value / 100 : value;
}

/** Shorten a number that is typed back into a field. */
export const plainNumber = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(12))));
