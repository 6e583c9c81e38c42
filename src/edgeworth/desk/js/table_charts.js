// The mosaic plot of a table: what is known above what is guessed, at a glance.

import { dollars, percent } from "./format.js";
import { s } from "./dom.js";
import { pictureWidth } from "./svg.js";

const short = (label, most) => (label.length > most ? `${label.slice(0, most - 1)}…` : label);

/** Draw actual classes as columns; the right predictions are at the bottom of each. */
export function mosaic(view, played, labels, widest = 560, height = 340) {
  const width = pictureWidth(widest);
  const space = { top: 8, right: 8, bottom: 42, left: 44 };
  const gap = view.size > 6 ? 2 : 4;
  const seen = view.actual.filter((r) => r > 0).length;
  const room = width - space.left - space.right - gap * Math.max(0, seen - 1);
  const high = height - space.top - space.bottom;
  const toY = (share) => height - space.bottom - share * high;
  const largest = Math.max(...played.cells.flat().filter(Number.isFinite).map(Math.abs), 1e-9);
  const columns = [];
  let left = space.left;
  view.actual.forEach((r, k) => {
    if (!(r > 0)) return;
    const wide = (r / view.total) * room;
    const order = [k, ...view.actual.keys()].filter((l, place) => place === 0 || l !== k);
    let below = 0;
    for (const l of order) {
      const share = view.counts[l][k] / r;
      if (!(share > 0)) continue;
      const money = played.cells[l][k];
      const strength = Number.isFinite(money) ? 0.28 + 0.72 * Math.sqrt(Math.abs(money) / largest) : 0.2;
      const text = `predicted ${labels[l]}, actual ${labels[k]}: ${percent(share)} of ${labels[k]}, ${dollars(money)}`;
      columns.push(
        s(
          "rect",
          {
            class: `tile ${l === k ? "good" : "bad"}`,
            "fill-opacity": strength.toFixed(3),
            x: left.toFixed(1),
            width: Math.max(wide, 0.5).toFixed(1),
            y: toY(below + share).toFixed(1),
            height: Math.max(share * high - (share * high > 3 ? 1 : 0), 0.3).toFixed(1),
          },
          s("title", text),
        ),
      );
      const isRoomy = wide > 38 && share * high > 18 && view.size <= 6;
      if (isRoomy) {
        columns.push(
          s(
            "text",
            {
              class: `tile-text ${strength > 0.7 ? "on-strong" : ""}`,
              x: (left + wide / 2).toFixed(1),
              y: (toY(below + share / 2) + 4).toFixed(1),
              "text-anchor": "middle",
            },
            l === k ? percent(share, 0) : `${short(labels[l], Math.max(2, Math.floor(wide / 14)))} ${percent(share, 0)}`,
          ),
        );
      }
      below += share;
    }
    const chance = view.predicted[k] / view.total;
    columns.push(
      s(
        "line.chance-line",
        { x1: left.toFixed(1), x2: (left + wide).toFixed(1), y1: toY(chance).toFixed(1), y2: toY(chance).toFixed(1) },
        s("title", `recall of ${labels[k]} by guessing: ${percent(chance)}`),
      ),
    );
    if (wide > 11) {
      columns.push(
        s(
          "text.tick.strong",
          { x: (left + wide / 2).toFixed(1), y: height - space.bottom + 17, "text-anchor": "middle" },
          short(labels[k], Math.max(1, Math.floor(wide / 9))),
        ),
      );
    }
    left += wide + gap;
  });
  const axis = [0, 0.5, 1].map((share) => [
    s("text.tick", { x: space.left - 8, y: toY(share) + 4, "text-anchor": "end" }, percent(share, 0)),
  ]);
  const recalls = labels
    .map((label, k) => (view.actual[k] > 0 ? `${label} ${percent(view.hits[k] / view.actual[k], 0)}` : null))
    .filter(Boolean);
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      class: "chart mosaic",
      "aria-label": `Mosaic of actual classes. Recall: ${recalls.join(", ")}`,
    },
    axis,
    columns,
    s(
      "text.axis",
      { x: (space.left + width - space.right) / 2, y: height - 5, "text-anchor": "middle" },
      "actual class, as wide as its share",
    ),
  );
}
