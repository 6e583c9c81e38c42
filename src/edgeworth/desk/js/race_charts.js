// Pictures of the Race tab: wealth, its logarithm, single returns, both forecasts.

import { fixed, wealth } from "./format.js";
import { s } from "./dom.js";
import { band, frame, line, thin } from "./svg.js";

const MOST_POINTS = 1200;
const MOST_DOTS = 1500;

/** The ends of the finite values, with a little room. */
function ends(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const room = (high - low || 1) * 0.05;
  return [low - room, high + room];
}

const level = ({ toX, toY }, x, y) => s("line.zero", { x1: toX(0), x2: toX(x), y1: toY(y), y2: toY(y) });

/** Log wealth, and its expected path with the band. */
export function pathChart({ settled, expected }) {
  const { path, final } = settled;
  const places = thin(path.length, MOST_POINTS);
  const reach = (t) => 1.96 * Math.sqrt(expected.variance[t]);
  const around = [[0, 0, 0], ...places.map((t) => [t + 1, expected.mean[t] - reach(t), expected.mean[t] + reach(t)])];
  const actual = [[0, 0], ...places.map((t) => [t + 1, path[t]])];
  const values = [...actual.map(([, y]) => y), ...around.flatMap(([, low, high]) => [low, high])];
  const label = `Log wealth after each case; at the end ${fixed(final, 3)}`;
  const picture = frame({ x: [0, path.length], y: ends(values), height: 300, xTitle: "cases", yTitle: "log wealth", label });
  if (around.every(([, low, high]) => Number.isFinite(low) && Number.isFinite(high))) {
    const middle = [[0, 0], ...places.map((t) => [t + 1, expected.mean[t]])];
    picture.marks.append(band(around, "expected", picture), line(middle, "expected", picture));
  }
  picture.marks.append(level(picture, path.length, 0), line(actual, "model", picture));
  return picture.picture;
}

/** Wealth itself. */
export function wealthChart({ settled }) {
  const { path, final } = settled;
  const points = [[0, 1], ...thin(path.length, MOST_POINTS).map((t) => [t + 1, Math.exp(Math.min(700, path[t]))])];
  const [, high] = ends([1.1, ...points.map(([, y]) => y)]);
  const label = `Wealth after each case; at the end ${wealth(final)}`;
  const picture = frame({ x: [0, path.length], y: [0, high], height: 240, xTitle: "cases", yTitle: "wealth", label });
  picture.marks.append(level(picture, path.length, 1), line(points, "model", picture));
  return picture.picture;
}

/** What single cases multiply wealth by. */
export function returnsChart({ settled }) {
  const { factors } = settled;
  const points = thin(factors.length, MOST_DOTS).map((t) => [t + 1, Math.exp(factors[t])]);
  const [, high] = ends([1.2, ...points.map(([, y]) => y)]);
  const label = "Return of each case; above 1 the model gained";
  const picture = frame({
    x: [0, factors.length],
    y: [0, high],
    width: 460,
    height: 240,
    xTitle: "cases",
    yTitle: "return S(t)",
    label,
  });
  const dots = points
    .filter(([, y]) => Number.isFinite(y))
    .map(([x, y]) =>
      s(`circle.dot.${y >= 1 ? "good" : "bad"}`, { cx: picture.toX(x).toFixed(1), cy: picture.toY(y).toFixed(1), r: 2 }),
    );
  picture.marks.append(level(picture, factors.length, 1), ...dots);
  return picture.picture;
}

/** Both forecasters' probabilities, one against the other. */
export function scatterChart({ rows, names }) {
  const { outcomes, model, rival } = rows;
  const picture = frame({
    x: [0, 1],
    y: [0, 1],
    width: 440,
    height: 340,
    xTitle: `${names.rival} (rival)`,
    yTitle: `${names.model} (model)`,
    label: "Probabilities of both forecasters; filled points came true",
  });
  const { toX, toY } = picture;
  const dots = thin(outcomes.length, MOST_DOTS).map((t) =>
    s(`circle.dot.${outcomes[t] ? "came-true" : "came-false"}`, {
      cx: toX(rival[t]).toFixed(1),
      cy: toY(model[t]).toFixed(1),
      r: 3,
    }),
  );
  picture.marks.append(s("line.zero", { x1: toX(0), x2: toX(1), y1: toY(0), y2: toY(1) }), ...dots);
  return picture.picture;
}
