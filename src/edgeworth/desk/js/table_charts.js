// The mosaic plot of a table: what is known above what is guessed, at a glance.

import { dollars, percent } from "./format.js";
import { s } from "./dom.js";
import { pictureWidth } from "./svg.js";

const SPACE = { top: 8, right: 8, bottom: 42, left: 60 };
const LETTER = 7.6;
/** With more classes than this the parts of a column are too many to be labelled. */
const MOST_LABELLED = 6;
/** With more classes than this the picture is in the wide column. */
const MOST_NARROW = 5;

const short = (label, most) => (label.length > most ? `${label.slice(0, Math.max(0, most - 1))}…` : label);

/** The text of a part of a column, as long as it fits; nothing when not even the share does. */
function partText(share, label, wide) {
  const number = percent(share, 0);
  const room = Math.floor((wide - 8) / LETTER);
  if (label === null || room < number.length + 6) return room >= number.length ? number : "";
  // Without "as" a label such as − would be read as the sign of the number.
  return `${number} as ${short(label, room - number.length - 4)}`;
}

/** One part of a column: the cases of an actual class that were predicted as one label. */
function part({ share, below, isRight, money, text, title }, { left, wide, toY, high, largest, chance }) {
  const strength = Number.isFinite(money) ? 0.28 + 0.72 * Math.sqrt(Math.abs(money) / largest) : 0.2;
  const tall = share * high;
  const tile = {
    "fill-opacity": strength.toFixed(3),
    x: left.toFixed(1),
    width: Math.max(wide, 0.5).toFixed(1),
    y: toY(below + share).toFixed(1),
    height: Math.max(tall - (tall > 3 ? 1 : 0), 0.3).toFixed(1),
  };
  const middle = toY(below + share / 2);
  // The text keeps off the dotted line.
  const isCrossed = Math.abs(middle - toY(chance)) < 9 && tall > 44;
  const y = isCrossed ? toY(chance) + (middle > toY(chance) ? 13 : -13) : middle;
  const place = { x: (left + wide / 2).toFixed(1), y: (y + 4).toFixed(1), "text-anchor": "middle" };
  const shown = text !== "" && tall > 18 ? s(`text.tile-text${strength > 0.7 ? ".on-strong" : ""}`, place, text) : null;
  return [s(`rect.tile.${isRight ? "good" : "bad"}`, tile, s("title", title)), shown];
}

/** Draw actual classes as columns; the right predictions are at the bottom of each. */
export function mosaic(view, played, labels) {
  // As wide as on the page, so that text keeps its size: the picture has more room with many classes.
  const [width, height] = view.size > MOST_NARROW ? [pictureWidth(760), 440] : [pictureWidth(460), 340];
  const gap = view.size > MOST_LABELLED ? 2 : 4;
  const classes = [...view.actual.keys()].filter((k) => view.actual[k] > 0);
  const room = width - SPACE.left - SPACE.right - gap * (classes.length - 1);
  const high = height - SPACE.top - SPACE.bottom;
  const toY = (share) => height - SPACE.bottom - share * high;
  const largest = Math.max(...played.cells.flat().filter(Number.isFinite).map(Math.abs), 1e-9);
  const marks = [];
  let left = SPACE.left;
  for (const k of classes) {
    const wide = (view.actual[k] / view.total) * room;
    const chance = view.predicted[k] / view.total;
    const box = { left, wide, toY, high, largest, chance };
    let below = 0;
    for (const l of [k, ...view.actual.keys()].filter((each, place) => place === 0 || each !== k)) {
      const share = view.counts[l][k] / view.actual[k];
      if (!(share > 0)) continue;
      const money = played.cells[l][k];
      const title = `predicted ${labels[l]}, actual ${labels[k]}: ${percent(share)} of ${labels[k]}, ${dollars(money)}`;
      const text = view.size > MOST_LABELLED ? "" : partText(share, l === k ? null : labels[l], wide);
      marks.push(part({ share, below, isRight: l === k, money, text, title }, box));
      below += share;
    }
    const level = { x1: left.toFixed(1), x2: (left + wide).toFixed(1), y1: toY(chance).toFixed(1), y2: toY(chance).toFixed(1) };
    const name = { x: (left + wide / 2).toFixed(1), y: height - SPACE.bottom + 17, "text-anchor": "middle" };
    marks.push(s("line.chance-line", level, s("title", `recall of ${labels[k]} by guessing: ${percent(chance)}`)));
    if (wide > 11) marks.push(s("text.tick.strong", name, short(labels[k], Math.max(1, Math.floor(wide / 9)))));
    left += wide + gap;
  }
  const axis = [0, 0.5, 1].map((share) =>
    s("text.tick", { x: SPACE.left - 8, y: toY(share) + 4, "text-anchor": "end" }, percent(share, 0)),
  );
  const middle = { x: (SPACE.left + width - SPACE.right) / 2, y: height - 5, "text-anchor": "middle" };
  const beside = { x: 12, y: toY(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${toY(0.5)})` };
  const recalls = classes.map((k) => `${labels[k]} ${percent(view.hits[k] / view.actual[k], 0)}`).join(", ");
  const titles = [
    s("text.axis", middle, "actual class, as wide as its share"),
    s("text.axis", beside, "share of the class"),
  ];
  const described = {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `Mosaic of actual classes. Recall: ${recalls}`,
  };
  return s("svg.chart.mosaic", described, axis, marks, titles);
}
