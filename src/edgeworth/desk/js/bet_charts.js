// Pictures of the Bet tab: the stake over probability and odds, and growth by stake.

import { contourProbability, kellyGame } from "./kelly.js";
import { fixed, percent } from "./format.js";
import { s } from "./dom.js";
import { frame, line, path } from "./svg.js";

export const ODDS = [1.3, 4];
const STAKES = [-2, -1, -0.5, -0.2, 0, 0.2, 0.4, 0.6, 0.8];
const [COLUMNS, ROWS] = [50, 36];

/** The colour of a stake: green backs, red lays. */
function stakeTile(stake, { toX, toY }, x, y, dx, dy) {
  const strength = Math.min(1, Math.sqrt(Math.abs(stake) / (stake > 0 ? 1 : 3)));
  // Neighbours share rounded ends, so that no seam shows between them.
  const [left, right, top, bottom] = [toX(x), toX(x + dx), toY(y + dy), toY(y)].map((end) => Math.round(end * 10) / 10);
  return s(`rect.tile.${stake >= 0 ? "good" : "bad"}`, {
    "fill-opacity": (stake === 0 ? 0 : 0.06 + 0.8 * strength).toFixed(3),
    x: left.toFixed(1),
    y: top.toFixed(1),
    width: (right - left).toFixed(1),
    height: (bottom - top).toFixed(1),
  });
}

function contour(stake, picture) {
  const [low, high] = ODDS;
  const points = Array.from({ length: 61 }, (_, step) => low + ((high - low) * step) / 60)
    .map((odds) => [contourProbability(odds, stake), odds])
    .filter(([p]) => p >= 0 && p <= 1);
  if (points.length < 2) return [];
  // Neighbouring labels are at different heights, so that they stay apart on a phone.
  const height = STAKES.indexOf(stake) % 2 ? 0.52 : 0.72;
  const [p, odds] = points[Math.floor(points.length * height)];
  const place = { x: picture.toX(p), y: picture.toY(odds) - 3, "text-anchor": "middle" };
  return [
    s(`path.contour${stake === 0 ? ".no-bet" : ""}`, { d: path(points, picture.toX, picture.toY) }),
    s("text.contour-text", place, stake === 0 ? "no bet" : percent(stake, 0)),
  ];
}

/** The stake as a heat map with contours (Kalia's Figures 2 and 3); `onpick` gets the point that was clicked. */
export function surface({ p, odds, options }, stake, onpick) {
  const [low, high] = ODDS;
  const picture = frame({
    x: [0, 1],
    y: [low, high],
    width: 620,
    height: 400,
    xTitle: "probability p",
    yTitle: "decimal odds O",
    yTicks: [1.3, 2, 2.5, 3, 3.5, 4],
    xText: (value) => percent(value, 0),
    yText: (value) => value.toFixed(1),
    label: `Kelly stake by probability and odds; here ${percent(stake)} at p = ${fixed(p, 2)} and odds ${fixed(odds, 2)}`,
  });
  const [dx, dy] = [1 / COLUMNS, (high - low) / ROWS];
  for (let i = 0; i < COLUMNS; i += 1) {
    for (let j = 0; j < ROWS; j += 1) {
      const [x, y] = [i * dx, low + j * dy];
      const found = kellyGame(x + dx / 2, y + dy / 2, { ...options, fraction: 1 });
      picture.marks.append(stakeTile(found.stake, picture, x, y, dx, dy));
    }
  }
  // With commission the two sides have different prices, and the closed form of the contours does not hold.
  const drawn = options.commission > 0 ? [] : STAKES.filter((each) => each >= 0 || !options.backOnly);
  const x = picture.toX(p);
  const y = picture.toY(Math.min(high, Math.max(low, odds)));
  picture.marks.append(
    ...drawn.flatMap((each) => contour(each, picture)),
    s("line.cursor", { x1: x, x2: x, y1: picture.toY(low), y2: picture.toY(high) }),
    s("line.cursor", { x1: picture.toX(0), x2: picture.toX(1), y1: y, y2: y }),
    s("circle.point", { cx: x, cy: y, r: 7 }),
  );
  picture.picture.classList.add("pickable");
  picture.picture.addEventListener("click", (event) => {
    const [chosen, price] = pickedPoint(event, picture);
    if (chosen >= 0 && chosen <= 1 && price >= low && price <= high) onpick(chosen, price);
  });
  return picture.picture;
}

/** Probability and odds under the pointer. */
function pickedPoint(event, { picture, width, height, space }) {
  const box = picture.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * width;
  const y = ((event.clientY - box.top) / box.height) * height;
  const across = (x - space.left) / (width - space.left - space.right);
  const up = 1 - (y - space.top) / (height - space.top - space.bottom);
  return [across, ODDS[0] + up * (ODDS[1] - ODDS[0])];
}

/** Growth by stake at the price that is bet at: Kelly's stake is the top of the curve. */
export function growthChart({ p, odds, options }, found) {
  const price = Number.isNaN(found.price) ? odds : found.price;
  const weigh = (chance, factor) => (chance > 0 ? chance * Math.log(factor) : 0);
  const growth = (f) => weigh(p, 1 + f * (price - 1)) + weigh(1 - p, 1 - f);
  const full = kellyGame(p, odds, { ...options, fraction: 1 }).stake;
  const lowest = full < 0 ? Math.max(2.4 * full, -0.999 / (price - 1)) : -0.1;
  const highest = full > 0 ? Math.min(2.4 * full + 0.05, 0.999) : 0.1;
  const top = Math.max(growth(full), 0.002);
  const points = Array.from({ length: 121 }, (_, k) => lowest + ((highest - lowest) * k) / 120)
    .map((f) => [f, growth(f)])
    .filter(([, y]) => Number.isFinite(y) && y > -1.5 * top);
  const picture = frame({
    x: [lowest, highest],
    y: [-1.5 * top, 1.25 * top],
    width: 440,
    height: 280,
    margin: { left: 66 },
    xTitle: "stake, share of the bankroll",
    yTitle: "growth per bet, nats",
    xText: (value) => percent(value, 0),
    label: `Growth by stake, highest at ${percent(full, 1)}`,
  });
  const zero = picture.toY(0);
  picture.marks.append(
    s("line.zero", { x1: picture.toX(lowest), x2: picture.toX(highest), y1: zero, y2: zero }),
    line(points, "model", picture),
    s("circle.point", { cx: picture.toX(found.stake), cy: picture.toY(growth(found.stake)), r: 6 }),
  );
  return picture.picture;
}
