// Charts drawn by hand: axes, lines, bands and points.

import { s } from "./dom.js";

/** Round steps between two ends, about `number` of them. */
export function ticks(low, high, number = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / number;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step)
    found.push(Math.abs(value) < step / 1e6 ? 0 : value);
  return found;
}

const shortNumber = (value) => {
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(0).replace("e+", "e").replace("-", "−");
  return String(Number(value.toPrecision(4)))
    .replace("-", "−")
    .replace(/\B(?=(\d{3})+(?!\d)(?<!\.\d*))/g, ",");
};

/** The width of a picture: narrower on a phone, so that its text stays readable. */
export const pictureWidth = (widest) => Math.min(widest, Math.max(300, pageWidth() - 62));

// Reading the width makes the browser lay the page out, so it is read once and after a change of size.
let knownWidth = 0;
const pageWidth = () => (knownWidth ||= document.documentElement.clientWidth);
window.addEventListener("resize", () => (knownWidth = 0));

/** A frame with axes. Returns the picture, its group for marks, and both scales. */
export function frame({ width: widest = 640, height = 300, x, y, label, xTitle, yTitle, xTicks, yTicks, xText, yText, margin }) {
  const width = pictureWidth(widest);
  const space = { top: 14, right: 18, bottom: 44, left: 58, ...margin };
  const toX = (value) => space.left + ((value - x[0]) / (x[1] - x[0] || 1)) * (width - space.left - space.right);
  const toY = (value) => height - space.bottom - ((value - y[0]) / (y[1] - y[0] || 1)) * (height - space.top - space.bottom);
  const marks = s("g");
  const horizontal = (yTicks ?? ticks(y[0], y[1], 5)).map((value) => [
    s("line.grid", { x1: space.left, x2: width - space.right, y1: toY(value), y2: toY(value) }),
    s("text.tick", { x: space.left - 8, y: toY(value) + 4, "text-anchor": "end" }, (yText ?? shortNumber)(value)),
  ]);
  const vertical = (xTicks ?? ticks(x[0], x[1], width > 480 ? 8 : 5)).map((value) =>
    s("text.tick", { x: toX(value), y: height - space.bottom + 18, "text-anchor": "middle" }, (xText ?? shortNumber)(value)),
  );
  const titles = [
    xTitle && s("text.axis", { x: (space.left + width - space.right) / 2, y: height - 6, "text-anchor": "middle" }, xTitle),
    yTitle &&
      s(
        "text",
        {
          class: "axis",
          x: 14,
          y: (space.top + height - space.bottom) / 2,
          "text-anchor": "middle",
          transform: `rotate(-90 14 ${(space.top + height - space.bottom) / 2})`,
        },
        yTitle,
      ),
  ];
  const picture = s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "chart" },
    horizontal,
    vertical,
    titles,
    marks,
  );
  return { picture, marks, toX, toY, width, height, space };
}

/** A path through points; gaps where a value is not finite. */
export function path(points, toX, toY) {
  let text = "";
  let isDrawing = false;
  for (const [x, y] of points) {
    if (Number.isFinite(y)) {
      text += `${isDrawing ? "L" : "M"}${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`;
      isDrawing = true;
    } else {
      isDrawing = false;
    }
  }
  return text;
}

export const line = (points, name, { toX, toY }) => s("path", { class: `line ${name}`, d: path(points, toX, toY) });

/** The area between two curves over the same places. */
export function band(points, name, { toX, toY }) {
  const upper = points.map(([x, , high]) => `${toX(x).toFixed(1)} ${toY(high).toFixed(1)}`);
  const lower = points.map(([x, low]) => `${toX(x).toFixed(1)} ${toY(low).toFixed(1)}`).reverse();
  return s("path", { class: `band ${name}`, d: `M${[...upper, ...lower].join("L")}Z` });
}

/** At most `most` places out of `length`, always with the first and the last. */
export function thin(length, most) {
  if (length <= most) return Array.from({ length }, (_, place) => place);
  const places = new Set(Array.from({ length: most }, (_, k) => Math.round((k * (length - 1)) / (most - 1))));
  return [...places];
}

/** A small bar from low to high with a point at the value, on an axis with a mark at zero. */
export function intervalBar({ low, high, value, from = -1, to = 1, width = 160, height = 18, label }) {
  const toX = (x) => 6 + ((Math.min(Math.max(x, from), to) - from) / (to - from)) * (width - 12);
  const middle = height / 2;
  const name = value > 0 ? "good" : value < 0 ? "bad" : "";
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "interval", role: "img", "aria-label": label, preserveAspectRatio: "none" },
    s("line.interval-axis", { x1: 6, x2: width - 6, y1: middle, y2: middle }),
    from < 0 && s("line.interval-zero", { x1: toX(0), x2: toX(0), y1: 2, y2: height - 2 }),
    Number.isFinite(low) &&
      s("rect", {
        class: `interval-bar ${name}`,
        x: toX(low),
        width: Math.max(1, toX(high) - toX(low)),
        y: middle - 4,
        height: 8,
        rx: 4,
      }),
    Number.isFinite(value) && s("circle.interval-point", { cx: toX(value), cy: middle, r: 4 }),
  );
}
