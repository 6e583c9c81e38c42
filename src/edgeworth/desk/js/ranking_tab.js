// The Ranking tab: a ranked list beside random selection.

import {
  averagePrecision,
  hitsAt,
  hitsByChance,
  hitsTail,
  parseHits,
  parseRanks,
  precisionMoments,
  ranksOf,
} from "./ranking.js";
import { count, fixed, parseNumber, percent, plainNumber, pValue } from "./format.js";
import { card, field, h, pause, s, segmented, show, slider } from "./dom.js";
import { help } from "./help.js";
import { band, frame, line, thin } from "./svg.js";
import { actions, copy, csv, download, svgText } from "./export.js";

const LONGEST = 1_000_000;
const EXAMPLES = [
  ["Algorithm 1", { mode: "string", hits: "11010000" }, "Su & Zhang's example: 8 items, 3 targets."],
  ["Algorithm 2", { mode: "string", hits: "01001100" }, "Su & Zhang's example: the same 8 items in another order."],
  [
    "3,000 items, 245 targets",
    { mode: "counts", items: "3000", targets: "245", found: "20", depth: 100, precision: "0.10" },
    "The size of Su & Zhang's simulation, with 20 hits within the first 100.",
  ],
];

/** Read what was typed: n, m, and the ranks of the hits when they are known. */
export function readRanking(ranking) {
  const whole = (text, name, low, high) => {
    const value = parseNumber(text);
    if (!(Number.isInteger(value) && value >= low && value <= high))
      throw new Error(`${name} is a whole number from ${count(low)} to ${count(high)}.`);
    return value;
  };
  if (ranking.mode === "string") {
    const hits = parseHits(ranking.hits);
    if (!hits.some(Boolean)) throw new Error("Type at least one hit: 1 for a hit, 0 for a miss.");
    return { items: hits.length, ranks: ranksOf(hits) };
  }
  const items = whole(ranking.items, "The number of items", 1, LONGEST);
  if (ranking.mode === "ranks") {
    const ranks = parseRanks(ranking.ranks, items);
    if (!ranks.length) throw new Error("Type the rank of at least one hit.");
    return { items, ranks };
  }
  const targets = whole(ranking.targets, "The number of targets", 1, items);
  const depth = Math.min(Math.max(1, ranking.depth), items);
  const found = whole(
    ranking.found,
    `The number of hits within ${count(depth)}`,
    Math.max(0, depth + targets - items),
    Math.min(depth, targets),
  );
  const precision = ranking.precision.trim() === "" ? NaN : parseNumber(ranking.precision);
  // A decimal number was rounded: everything that rounds to it counts. A fraction is exact.
  const decimals = /^\s*\d*\.(\d+)\s*$/.exec(ranking.precision)?.[1].length ?? 0;
  const least = decimals ? Math.max(0, precision - 0.5 / 10 ** decimals) : precision;
  if (ranking.precision.trim() !== "" && !(precision >= 0 && precision <= 1))
    throw new Error("Average precision lies between 0 and 1.");
  return { items, targets, found, precision, least, ranks: null };
}

/** The hit curve with the band of random selection. */
function hitChart(read, depth, targets) {
  const { items, ranks } = read;
  const picture = frame({
    x: [0, items],
    y: [0, targets],
    height: 320,
    width: 660,
    xTitle: "depth t",
    yTitle: "hits h(t)",
    label: `Hits by depth for ${count(items)} items with ${count(targets)} targets, with the 95% band of random selection`,
  });
  const depths = thin(items + 1, 160);
  const chance = depths.map((t) => ({ t, ...hitsByChance(items, targets, t) }));
  picture.marks.append(
    band(
      chance.map(({ t, low, high }) => [t, low, high]),
      "chance",
      picture,
    ),
    line(
      chance.map(({ t, mean }) => [t, mean]),
      "chance",
      picture,
    ),
  );
  if (ranks) {
    const steps = [[0, 0]];
    const kept = new Set(thin(ranks.length, 1500));
    ranks.forEach((rank, i) => {
      if (kept.has(i)) steps.push([rank, i], [rank, i + 1]);
    });
    steps.push([items, ranks.length]);
    picture.marks.append(line(steps, "model", picture));
  }
  const hits = ranks ? hitsAt(ranks, depth) : read.found;
  picture.marks.append(
    s("line.cursor", { x1: picture.toX(depth), x2: picture.toX(depth), y1: picture.toY(0), y2: picture.toY(targets) }),
    s("circle.point", { cx: picture.toX(depth), cy: picture.toY(hits), r: 5 }),
  );
  return picture.picture;
}

/** Build the tab. */
export function createRanking(store, helper, version) {
  const change = (values, key) => store.change("ranking", values, key);
  let last = null;
  const chips = EXAMPLES.map(([name, values, note]) =>
    h(
      "button",
      { type: "button", class: "chip", title: note, onclick: () => change((old) => ({ ...old, depth: 4, ...values })) },
      name,
    ),
  );
  const mode = segmented(
    "Type",
    [
      ["string", "a hit string"],
      ["ranks", "ranks of hits"],
      ["counts", "n, m and hits"],
    ],
    (value) => change((old) => switchMode(old, value)),
  );
  const hits = h("textarea", {
    rows: 3,
    spellcheck: "false",
    class: "mono",
    "aria-label": "Hit string: 1 for a hit, 0 for a miss",
    oninput: () => change({ hits: hits.value }, "hits"),
  });
  const ranks = field("Ranks of the hits", {
    width: "l",
    onchange: (value) => change({ ranks: value }, "ranks"),
    inputmode: "text",
  });
  const items = field("Items n", { onchange: (value) => change({ items: value }, "items") });
  const targets = field("Targets m", { onchange: (value) => change({ targets: value }, "targets") });
  const found = field("Hits within the depth", { onchange: (value) => change({ found: value }, "found") });
  const precision = field("Average precision, if known", {
    onchange: (value) => change({ precision: value }, "precision"),
  });
  const stringBox = h("div.labelled", h("span", "Best first: 1 is a hit, 0 is a miss"), hits);
  const problem = h("p.problem", { role: "alert" });
  const depth = slider("Depth t", {
    min: 1,
    max: 8,
    step: 1,
    value: 4,
    shown: (value) => count(value),
    onchange: (value) => change({ depth: value }, "depth"),
  });
  const ap = h("div");
  const atDepth = h("div");
  const chart = h("div.picture");
  const bar = actions([
    ["Copy as command", () => last && copy(commandLine(last), "Command")],
    ["Copy for a paper", () => last && copy(sentence(last, version), "Sentence")],
    ["Download CSV", () => last && download("edgeworth-ranking.csv", "text/csv", csv(csvRows(last)))],
    [
      "Download SVG",
      () => last && download("edgeworth-ranking.svg", "image/svg+xml", svgText(chart.querySelector("svg"))),
    ],
  ]);
  const element = h(
    "div.tab-body",
    h(
      "div.examples",
      h("div.chips", { role: "group", "aria-label": "Examples" }, h("span.chips-name", "Examples"), chips),
    ),
    h(
      "div.top",
      h(
        "div.left",
        card(
          "A ranked list",
          { class: "sheet" },
          h("div.controls", mode.wrapper),
          stringBox,
          h("div.controls", items.wrapper, targets.wrapper, ranks.wrapper, found.wrapper, precision.wrapper),
          problem,
        ),
        card(
          "Hits by depth",
          { class: "chart-card", help: help("hits") },
          depth.wrapper,
          chart,
          h(
            "p.legend",
            h("span.key.model", "this ranking"),
            h("span.key.chance-band", "random selection, mean and 95% band"),
          ),
        ),
      ),
      h(
        "div.answer",
        card("Average precision", { class: "main-answer", help: help("ap") }, ap),
        card("At this depth", { class: "luck" }, atDepth),
      ),
    ),
    bar,
  );

  function switchMode(old, value) {
    try {
      const read = readRanking(old);
      if (!read.ranks) return { ...old, mode: value };
      const known = {
        ranks: read.ranks.join(", "),
        items: String(read.items),
        targets: String(read.ranks.length),
        found: String(hitsAt(read.ranks, old.depth)),
      };
      if (read.items > 5000) return { ...old, mode: value, ...known };
      const marks = Array.from({ length: read.items }, () => "0");
      for (const rank of read.ranks) marks[rank - 1] = "1";
      const average = plainNumber(Number(averagePrecision(read.ranks).toPrecision(6)));
      return { ...old, mode: value, ...known, hits: marks.join(""), precision: average };
    } catch {
      return { ...old, mode: value };
    }
  }

  const askTail = pause(120, (key, n, m, value) => {
    helper.ask("precision", { kind: "precision", items: n, targets: m, value, seed: 0 }).then((tail) => {
      if (last?.key !== key) return;
      last.tail = tail;
      showAp();
    });
  });

  function showAp() {
    const { value, moments, tail, n, m } = last;
    const deviation = Math.sqrt(moments.variance);
    const how =
      tail === null
        ? "counting …"
        : tail.isExact
          ? "exact, all orders"
          : `sampled, ± ${pValue((tail.high - tail.low) / 2)}; ${count(tail.draws)} orders`;
    show(
      ap,
      h(
        "div.headline",
        h("output.huge#ap", fixed(value, 4)),
        h(
          "span.beside",
          Number.isNaN(value)
            ? "Type the average precision to test it."
            : `by random selection ${fixed(moments.mean, 4)}`,
        ),
      ),
      h(
        "dl.pairs",
        h("div", h("dt", "E(AP), random order", help("expected_ap")), h("dd#expected-ap", fixed(moments.mean, 5))),
        h("div", h("dt", "sd(AP), random order", help("expected_ap")), h("dd#sd-ap", fixed(deviation, 5))),
        h("div", h("dt", "Share of targets m/n", help("target_share")), h("dd", fixed(m / n, 5))),
      ),
      !Number.isNaN(value) &&
        h(
          "p.figure",
          h("output#ap-tail", tail ? `P(AP ≥ ${fixed(value, 4)}) = ${pValue(tail.p)}` : "…"),
          h("small", how),
          help("ap_tail"),
        ),
    );
  }

  function showDepth() {
    const { n, m, t, h: hitsFound } = last;
    const chance = hitsByChance(n, m, t);
    const tail = hitsTail(n, m, t, hitsFound);
    const pair = (name, key, value, id, beside) =>
      h("div", h("dt", name, help(key)), h("dd", { id }, value), beside && h("dd.chance", beside));
    show(
      atDepth,
      h(
        "dl.tiles",
        pair(
          "Hits h(t)",
          "hits",
          count(hitsFound),
          "hits-at",
          `by chance ${fixed(chance.mean, 2)} (${chance.low} to ${chance.high})`,
        ),
        pair("Recall r(t)", "recall_at", percent(hitsFound / m), "recall-at", `by chance ${percent(t / n)}`),
        pair("Precision p(t)", "precision_at", percent(hitsFound / t), "precision-at", `by chance ${percent(m / n)}`),
        pair("P(h or more)", "hits_tail", pValue(tail), "hits-tail", "exact, hypergeometric"),
      ),
    );
  }

  function update(state) {
    const { ranking } = state;
    mode.set(ranking.mode);
    stringBox.hidden = ranking.mode !== "string";
    items.wrapper.hidden = ranking.mode === "string";
    ranks.wrapper.hidden = ranking.mode !== "ranks";
    for (const each of [targets, found, precision]) each.wrapper.hidden = ranking.mode !== "counts";
    for (const [input, value] of [
      [hits, ranking.hits],
      [ranks.input, ranking.ranks],
      [items.input, ranking.items],
      [targets.input, ranking.targets],
      [found.input, ranking.found],
      [precision.input, ranking.precision],
    ]) {
      if (document.activeElement !== input && input.value !== value) input.value = value;
    }
    let read;
    try {
      read = readRanking(ranking);
      problem.textContent = "";
    } catch (error) {
      problem.textContent = error.message;
      element.classList.add("stale");
      return;
    }
    element.classList.remove("stale");
    const m = read.ranks ? read.ranks.length : read.targets;
    const t = Math.min(Math.max(1, ranking.depth), read.items);
    depth.input.max = read.items;
    depth.set(t);
    const value = read.ranks ? averagePrecision(read.ranks) : read.precision;
    const least = read.ranks ? value : read.least;
    const key = `${read.items} ${m} ${least}`;
    const before = last?.key === key ? last : null;
    last = {
      key,
      read,
      n: read.items,
      m,
      t,
      value,
      typed: ranking.precision,
      h: read.ranks ? hitsAt(read.ranks, t) : read.found,
      moments: before?.moments ?? precisionMoments(read.items, m),
      tail: before?.tail ?? null,
    };
    if (!last.tail && !Number.isNaN(value)) askTail(key, read.items, m, least);
    showAp();
    showDepth();
    show(chart, hitChart(read, t, m));
  }

  return { element, update };
}

/** Hit strings longer than this are too long for a command. */
const LONGEST_COMMAND = 2000;

/** The command that reports the same ranking. */
function commandLine({ n, m, t, h: found, value, read, typed }) {
  if (read.ranks && n <= LONGEST_COMMAND && m < n) {
    const marks = Array.from({ length: n }, () => "0");
    for (const rank of read.ranks) marks[rank - 1] = "1";
    return `edgeworth ranking ${marks.join("")} --depth ${t}`;
  }
  if (Number.isNaN(value)) return `edgeworth chance --items ${n} --targets ${m} --depth ${t} --hits ${found}`;
  return `edgeworth chance --items ${n} --targets ${m} --average-precision ${read.ranks ? plainNumber(Number(value.toPrecision(12))) : typed.trim()}`;
}

function sentence({ n, m, value, moments, tail }, version) {
  const tested = tail
    ? `; P(AP at least this high by random selection) = ${pValue(tail.p)} (${tail.isExact ? "exact" : `sampled, ${count(tail.draws)} orders`})`
    : "";
  return `Average precision ${fixed(value, 4)} for ${count(m)} targets among ${count(n)} items (random selection: mean ${fixed(moments.mean, 4)}, sd ${fixed(Math.sqrt(moments.variance), 4)}${tested}); Edgeworth ${version}.`;
}

function csvRows({ n, m, read }) {
  const rows = [["depth", "hits", "recall", "precision", "chance mean", "chance low", "chance high"]];
  for (const t of thin(n, 1000).map((place) => place + 1)) {
    const chance = hitsByChance(n, m, t);
    const found = read.ranks ? hitsAt(read.ranks, t) : "";
    rows.push([
      t,
      found,
      read.ranks ? found / m : "",
      read.ranks ? found / t : "",
      chance.mean,
      chance.low,
      chance.high,
    ]);
  }
  return rows;
}
