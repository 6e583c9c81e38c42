// The Ranking tab: a ranked list beside random selection.

import { averagePrecision, hitsAt, hitsByChance, hitsTail, parseHits, parseRanks, precisionMoments, ranksOf } from "./ranking.js";
import { count, fixed, parseNumber, percent, plainNumber, pValue } from "./format.js";
import { card, exampleChips, field, h, legend, pause, s, segmented, show, slider } from "./dom.js";
import { help, numberPair } from "./help.js";
import { band, frame, line, thin } from "./svg.js";
import { actions, copy, csv, download, enableActions, svgText } from "./export.js";

const LONGEST = 1_000_000;
/** Longer lists are not written as a hit string, neither in the field nor in a command. */
const LONGEST_STRING = 2000;
const TWO_ALGORITHMS = "Su & Zhang's example: two algorithms rank the same 8 items, of which 3 are targets.";
const EXAMPLES = [
  { id: "first", name: "Algorithm 1", note: TWO_ALGORITHMS, values: { mode: "string", hits: "11010000", depth: 4 } },
  { id: "second", name: "Algorithm 2", note: TWO_ALGORITHMS, values: { mode: "string", hits: "01001100", depth: 4 } },
  {
    id: "large",
    name: "3,000 items, 245 targets",
    note: "A long list of which only totals are known: 20 hits among the first 100 items, and an AP of 0.10.",
    values: { mode: "counts", items: "3000", targets: "245", found: "20", depth: 100, precision: "0.10" },
  },
];

function wholeNumber(text, name, low, high) {
  const value = parseNumber(text);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  throw new Error(`${name} is a whole number from ${count(low)} to ${count(high)}.`);
}

/** Read n, m, hits at a depth, and perhaps average precision. */
function readCounts(ranking, items) {
  const targets = wholeNumber(ranking.targets, "The number of targets", 1, items);
  const depth = Math.min(Math.max(1, ranking.depth), items);
  const least = Math.max(0, depth + targets - items);
  const found = wholeNumber(ranking.found, `The number of hits within ${count(depth)}`, least, Math.min(depth, targets));
  const typed = ranking.precision.trim();
  const value = typed === "" ? NaN : parseNumber(typed);
  if (typed !== "" && !(value >= 0 && value <= 1)) throw new Error("Average precision lies between 0 and 1.");
  // A decimal number was rounded: everything that rounds to it counts. A fraction is exact.
  const decimals = /^\d*\.(\d+)$/.exec(typed)?.[1].length ?? 0;
  const threshold = decimals ? Math.max(0, value - 0.5 / 10 ** decimals) : value;
  return { items, targets, found, value, threshold, ranks: null };
}

/** Read what was typed: n, m, and the ranks of the hits when they are known. */
export function readRanking(ranking) {
  if (ranking.mode === "string") {
    const hits = parseHits(ranking.hits);
    if (!hits.some(Boolean)) throw new Error("Type at least one hit: 1 for a hit, 0 for a miss.");
    return withRanks(hits.length, ranksOf(hits));
  }
  const items = wholeNumber(ranking.items, "The number of items", 1, LONGEST);
  if (ranking.mode === "counts") return readCounts(ranking, items);
  const ranks = parseRanks(ranking.ranks, items);
  if (!ranks.length) throw new Error("Type the rank of at least one hit.");
  return withRanks(items, ranks);
}

function withRanks(items, ranks) {
  const value = averagePrecision(ranks);
  return { items, targets: ranks.length, ranks, value, threshold: value };
}

/** Write ranks as a string of 0 and 1. */
function hitString(items, ranks) {
  const marks = Array.from({ length: items }, () => "0");
  for (const rank of ranks) marks[rank - 1] = "1";
  return marks.join("");
}

/** Take what one way of typing says over to another. */
function switchMode(ranking, mode) {
  let read;
  try {
    read = readRanking(ranking);
  } catch {
    return { ...ranking, mode };
  }
  const { items, ranks, value } = read;
  if (!ranks) return { ...ranking, mode };
  return {
    ...ranking,
    mode,
    ranks: ranks.join(", "),
    items: String(items),
    targets: String(ranks.length),
    found: String(hitsAt(ranks, ranking.depth)),
    precision: plainNumber(Number(value.toPrecision(6))),
    hits: items <= LONGEST_STRING ? hitString(items, ranks) : ranking.hits,
  };
}

/** The hit curve with the band of random selection. */
function hitChart({ items, targets, ranks }, depth, hits) {
  const picture = frame({
    x: [0, items],
    y: [0, targets],
    height: 320,
    width: 660,
    xTitle: "depth t",
    yTitle: "hits h(t)",
    label: `Hits by depth for ${count(items)} items with ${count(targets)} targets, with the 95% band of random selection`,
  });
  const chance = thin(items + 1, 160).map((t) => ({ t, ...hitsByChance(items, targets, t) }));
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
    const steps = thin(ranks.length, 1500).flatMap((i) => [
      [ranks[i], i],
      [ranks[i], i + 1],
    ]);
    picture.marks.append(line([[0, 0], ...steps, [items, ranks.length]], "model", picture));
  }
  const x = picture.toX(depth);
  picture.marks.append(
    s("line.cursor", { x1: x, x2: x, y1: picture.toY(0), y2: picture.toY(targets) }),
    s("circle.point", { cx: x, cy: picture.toY(hits), r: 5 }),
  );
  return picture.picture;
}

/** Build the tab. */
export function createRanking(store, helper, version) {
  const change = (values, key) => store.change("ranking", values, key);
  const textField = (label, name, more = {}) => field(label, { onchange: (text) => change({ [name]: text }, name), ...more });
  let last = null;
  const chips = exampleChips(EXAMPLES, (id) => change(EXAMPLES.find((each) => each.id === id).values));
  const note = h("p.note");
  const mode = segmented(
    "Type",
    [
      ["string", "a hit string"],
      ["ranks", "ranks of hits"],
      ["counts", "n, m and hits"],
    ],
    (value) => change((ranking) => switchMode(ranking, value)),
  );
  const hits = h("textarea.mono", {
    rows: 3,
    spellcheck: "false",
    "aria-label": "Hit string: 1 for a hit, 0 for a miss",
    oninput: () => change({ hits: hits.value }, "hits"),
  });
  const stringBox = h("div.labelled", h("span", "Best first: 1 is a hit, 0 is a miss"), hits);
  const items = textField("Items n", "items");
  const targets = textField("Targets m", "targets");
  const ranks = textField("Ranks of the hits", "ranks", { width: "l", inputmode: "text" });
  const found = textField("Hits within the depth", "found");
  const precision = textField("Average precision, if known", "precision");
  const problem = h("p.problem", { role: "alert" });
  const depth = slider("Depth t", {
    min: 1,
    max: 8,
    step: 1,
    shown: count,
    onchange: (value) => change({ depth: value }, "depth"),
  });
  const ap = h("div");
  const atDepth = h("div");
  const chart = h("div.picture");
  const bar = actions([
    ["Copy as command", () => copy(commandLine(last), "Command")],
    ["Copy for a paper", () => copy(sentence(last, version), "Sentence")],
    ["Download CSV", () => download("edgeworth-ranking.csv", "text/csv", csv(csvRows(last.read)))],
    ["Download SVG", () => download("edgeworth-ranking.svg", "image/svg+xml", svgText(chart.querySelector("svg")))],
  ]);
  const fields = h(
    "div.controls",
    [items, targets, ranks, found, precision].map((each) => each.wrapper),
  );
  const element = h(
    "div.tab-body",
    h("div.examples", chips.wrapper, note),
    h(
      "div.top",
      h(
        "div.left",
        card("A ranked list", { class: "sheet" }, h("div.controls", mode.wrapper), stringBox, fields, problem),
        card(
          "Hits by depth",
          { class: "chart-card", help: help("hits") },
          depth.wrapper,
          chart,
          legend(["model", "this ranking"], ["chance-band", "random selection, mean and 95% band"]),
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

  const askTail = pause(120, ({ read, key }) => {
    const job = { kind: "precision", items: read.items, targets: read.targets, value: read.threshold, seed: 0 };
    helper.ask("precision", job).then((tail) => {
      if (last.key !== key) return;
      last.tail = tail;
      showPrecision();
    });
  });

  function showPrecision() {
    const { read, moments, tail, typed } = last;
    const { value } = read;
    const isKnown = !Number.isNaN(value);
    const how = tail === null ? "counting …" : tailMethod(tail);
    const text = tail ? tailText(read, tail) : "…";
    show(
      ap,
      h(
        "div.headline",
        h("output.huge#ap", fixed(value, 4)),
        h("span.beside", isKnown ? `by random selection ${fixed(moments.mean, 4)}` : "Type the average precision to test it."),
      ),
      h(
        "dl.pairs",
        numberPair("E(AP), random order", "expected_ap", fixed(moments.mean, 5), { id: "expected-ap" }),
        numberPair("sd(AP), random order", "expected_ap", fixed(Math.sqrt(moments.variance), 5), { id: "sd-ap" }),
        numberPair("Share of targets m/n", "target_share", fixed(read.targets / read.items, 5)),
      ),
      isKnown && h("p.figure", h("output#ap-tail", text), h("small", how), help("ap_tail")),
      read.threshold < value &&
        h("p.soft", `You typed a rounded number: every AP from ${thresholdText(read)} rounds to ${typed} or more.`),
    );
  }

  function showDepth() {
    const { read, depth: t, hits: seen } = last;
    const { items: n, targets: m } = read;
    const chance = hitsByChance(n, m, t);
    const byChance = `by chance ${fixed(chance.mean, 2)} (${chance.low} to ${chance.high})`;
    show(
      atDepth,
      h(
        "dl.tiles",
        numberPair("Hits h(t)", "hits", count(seen), { id: "hits-at", beside: byChance }),
        numberPair("Recall r(t)", "recall_at", percent(seen / m), { id: "recall-at", beside: `by chance ${percent(t / n)}` }),
        numberPair("Precision p(t)", "precision_at", percent(seen / t), {
          id: "precision-at",
          beside: `by chance ${percent(m / n)}`,
        }),
        numberPair("P(h or more)", "hits_tail", pValue(hitsTail(n, m, t, seen)), {
          id: "hits-tail",
          beside: "exact, hypergeometric",
        }),
      ),
    );
  }

  function showInputs(ranking) {
    mode.set(ranking.mode);
    const same = EXAMPLES.find(({ values }) => Object.entries(values).every(([name, value]) => ranking[name] === value));
    chips.set(same?.id ?? null);
    note.textContent = same?.note ?? "";
    stringBox.hidden = ranking.mode !== "string";
    items.wrapper.hidden = ranking.mode === "string";
    ranks.wrapper.hidden = ranking.mode !== "ranks";
    for (const each of [targets, found, precision]) each.wrapper.hidden = ranking.mode !== "counts";
    if (document.activeElement !== hits) hits.value = ranking.hits;
    for (const [name, each] of Object.entries({ items, targets, ranks, found, precision })) each.set(ranking[name]);
  }

  function update({ ranking }) {
    showInputs(ranking);
    let read;
    try {
      read = readRanking(ranking);
      problem.textContent = "";
    } catch (error) {
      problem.textContent = error.message;
    }
    element.classList.toggle("stale", read === undefined);
    enableActions(bar, read !== undefined);
    if (!read) return;
    const t = Math.min(Math.max(1, ranking.depth), read.items);
    depth.input.max = read.items;
    depth.set(t);
    const key = `${read.items} ${read.targets} ${read.threshold}`;
    const isSame = last?.key === key;
    const moments = isSame ? last.moments : precisionMoments(read.items, read.targets);
    const seen = read.ranks ? hitsAt(read.ranks, t) : read.found;
    last = { key, read, typed: ranking.precision.trim(), depth: t, hits: seen, moments, tail: isSame ? last.tail : null };
    if (!last.tail && !Number.isNaN(read.value)) askTail(last);
    showPrecision();
    showDepth();
    show(chart, hitChart(read, t, seen));
  }

  return { element, update };
}

/** The least AP that counts as this high: a typed decimal number may have been rounded up. */
const thresholdText = ({ value, threshold }) => (threshold < value ? plainNumber(threshold) : fixed(value, 4));

/** When no drawn order has an AP this high, only the upper end of the Monte Carlo interval is known. */
const isNeverReached = (tail) => !tail.isExact && tail.low === 0;

/** The chance of an AP this high, or its upper bound. */
function tailText(read, tail) {
  const chance = isNeverReached(tail) ? `< ${pValue(tail.high)}` : `= ${pValue(tail.p)}`;
  return `P(AP ≥ ${thresholdText(read)}) ${chance}`;
}

function tailMethod(tail) {
  if (tail.isExact) return "exact, all orders";
  if (isNeverReached(tail)) return `sampled, none of ${count(tail.draws)} orders is this high`;
  return `sampled, ± ${pValue((tail.high - tail.low) / 2)}; ${count(tail.draws)} orders`;
}

/** The command that reports the same ranking. */
function commandLine({ read, depth, hits, typed }) {
  const { items, targets, ranks, value } = read;
  if (ranks && items <= LONGEST_STRING && targets < items) {
    return `edgeworth ranking ${hitString(items, ranks)} --depth ${depth}`;
  }
  const asked = `edgeworth chance --items ${items} --targets ${targets}`;
  if (Number.isNaN(value)) return `${asked} --depth ${depth} --hits ${hits}`;
  return `${asked} --average-precision ${ranks ? plainNumber(Number(value.toPrecision(12))) : typed}`;
}

/** The sentence for a paper. */
function sentence({ read, moments, tail }, version) {
  const tested = tail ? `; ${tailText(read, tail)} (${tailMethod(tail)})` : "";
  const chance = `random selection: mean ${fixed(moments.mean, 4)}, sd ${fixed(Math.sqrt(moments.variance), 4)}${tested}`;
  const size = `${count(read.targets)} targets among ${count(read.items)} items`;
  return `Average precision ${fixed(read.value, 4)} for ${size} (${chance}); Edgeworth ${version}.`;
}

function csvRows({ items, targets, ranks }) {
  const rows = thin(items, 1000).map((place) => {
    const t = place + 1;
    const { mean, low, high } = hitsByChance(items, targets, t);
    const seen = ranks ? hitsAt(ranks, t) : NaN;
    return [t, ...(ranks ? [seen, seen / targets, seen / t] : ["", "", ""]), mean, low, high];
  });
  return [["depth", "hits", "recall", "precision", "chance mean", "chance low", "chance high"], ...rows];
}
