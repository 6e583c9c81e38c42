// What was typed, its history, and its place in the link.

export const MOST_CLASSES = 12;
const MOST_STEPS = 200;
const LONGEST_TEXT = 20_000;

export const DEFAULTS = {
  tab: "table",
  table: {
    labels: ["+", "−"],
    cells: [
      ["58.1", "20.4"],
      ["11.9", "9.6"],
    ],
    rows: "predicted",
    unit: "counts",
    cases: "100",
    alpha: "0.5",
    example: "model3",
    shift: { chosen: 0, share: null, times: 1 },
    mixture: { actual: ["0.7", "0.3"], guess: ["0.8", "0.2"], informed: 0.15, cases: "100" },
  },
  ranking: { mode: "string", hits: "11010000", ranks: "1, 2, 4", items: "8", targets: "3", depth: 4, found: "2", precision: "" },
  bet: {
    mode: "game",
    p: "0.6",
    odds: "2",
    commission: "0",
    fraction: 1,
    bankroll: "1000",
    backOnly: false,
    runners: [
      ["Runner 1", "0.2", "5.5"],
      ["Runner 2", "0.4", "2.625"],
      ["Runner 3", "0.3", "3.25"],
      ["Runner 4", "0.08", "6"],
      ["Runner 5", "0.02", "21"],
    ],
  },
  race: { source: "births" },
};

// -- the link ------------------------------------------------------------------------------------------------

// Half a character has no place in a link.
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const atom = (value) => encodeURIComponent(String(value).replace(LONE_SURROGATE, "\uFFFD")).replace(/%20/g, "+");
const list = (values) => values.map(atom).join(",");
const grid = (rows) => rows.map(list).join(";");
const text = (value) => decodeURIComponent(value.replace(/\+/g, "%20")).slice(0, LONGEST_TEXT);
const texts = (value) => value.split(",").map(text);
const rowsOf = (value) => value.split(";").map(texts);
const isOneOf = (value, choices, otherwise) => (choices.includes(value) ? value : otherwise);
const within = (value, low, high, otherwise) => {
  const number = Number(value);
  return Number.isFinite(number) && number >= low && number <= high ? number : otherwise;
};

/** Write the state as the fragment of a link. */
export function encode(state) {
  const { table, ranking, bet, race } = state;
  const parts = { tab: state.tab };
  if (state.tab === "table") {
    Object.assign(parts, {
      cells: grid(table.cells),
      labels: list(table.labels),
      rows: table.rows,
      unit: table.unit,
      n: atom(table.cases),
      alpha: atom(table.alpha),
      mix: [list(table.mixture.actual), list(table.mixture.guess), table.mixture.informed, atom(table.mixture.cases)].join(";"),
    });
    if (table.example) parts.example = atom(table.example);
    if (table.shift.share !== null || table.shift.times !== 1) {
      parts.shift = [table.shift.chosen, table.shift.share ?? "", table.shift.times].join(",");
    }
  } else if (state.tab === "ranking") {
    Object.assign(parts, {
      mode: ranking.mode,
      hits: atom(ranking.hits),
      ranks: atom(ranking.ranks),
      items: atom(ranking.items),
      targets: atom(ranking.targets),
      depth: ranking.depth,
      found: atom(ranking.found),
      ap: atom(ranking.precision),
    });
  } else if (state.tab === "bet") {
    Object.assign(parts, {
      mode: bet.mode,
      p: atom(bet.p),
      odds: atom(bet.odds),
      commission: atom(bet.commission),
      fraction: bet.fraction,
      bankroll: atom(bet.bankroll),
      back: bet.backOnly ? 1 : 0,
      runners: grid(bet.runners),
    });
  } else {
    parts.source = race.source === "births" ? "births" : "file";
  }
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function decodeTable(found, otherwise) {
  if (!found.cells) return otherwise;
  const cells = rowsOf(found.cells);
  const size = cells.length;
  const isSquare = size >= 2 && size <= MOST_CLASSES && cells.every((row) => row.length === size);
  if (!isSquare) return otherwise;
  const labels = found.labels ? texts(found.labels) : [];
  const [actual, guess, informed, cases] = (found.mix ?? "").split(";");
  const mixture = {
    actual: actual ? texts(actual) : [],
    guess: guess ? texts(guess) : [],
    informed: within(informed, -1, 1, 0),
    cases: cases ? text(cases) : "100",
  };
  const [chosen, share, times] = (found.shift ?? "").split(",");
  const isFull = mixture.actual.length === size && mixture.guess.length === size;
  return {
    cells: cells.map((row) => row.map((cell) => cell.slice(0, 40))),
    labels: cells.map((_, k) => (labels[k] ?? `class ${k + 1}`).slice(0, 80)),
    rows: isOneOf(found.rows, ["predicted", "actual"], "predicted"),
    unit: isOneOf(found.unit, ["counts", "percent"], "counts"),
    cases: found.n ? text(found.n).slice(0, 40) : "100",
    alpha: found.alpha ? text(found.alpha).slice(0, 40) : "0.5",
    example: found.example ? text(found.example) : null,
    shift: {
      chosen: within(chosen || 0, 0, size - 1, 0) | 0,
      share: share ? within(share, 0, 1, null) : null,
      times: within(times || 1, 0.001, 1e6, 1),
    },
    mixture: isFull ? mixture : evenMixture(size),
  };
}

/** Equal shares for as many classes. */
export function evenMixture(size) {
  const shares = Array.from({ length: size }, () => String(Number((1 / size).toPrecision(4))));
  return { actual: shares, guess: shares.slice(), informed: 0, cases: "100" };
}

/** Read the state from the fragment of a link; whatever it holds, the result is a valid state. */
export function decode(fragment) {
  const state = structuredClone(DEFAULTS);
  try {
    const found = Object.fromEntries(
      fragment.split("&").map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
    );
    state.tab = isOneOf(found.tab, ["table", "ranking", "bet", "race"], "table");
    if (state.tab === "table") state.table = decodeTable(found, state.table);
    if (state.tab === "ranking") {
      const { ranking } = state;
      ranking.mode = isOneOf(found.mode, ["string", "ranks", "counts"], ranking.mode);
      for (const [name, key] of [
        ["hits", "hits"],
        ["ranks", "ranks"],
        ["items", "items"],
        ["targets", "targets"],
        ["found", "found"],
        ["precision", "ap"],
      ]) {
        if (found[key] !== undefined) ranking[name] = text(found[key]);
      }
      ranking.depth = within(found.depth, 1, 1e9, ranking.depth) | 0;
    }
    if (state.tab === "bet") {
      const { bet } = state;
      bet.mode = isOneOf(found.mode, ["game", "race"], bet.mode);
      for (const name of ["p", "odds", "commission", "bankroll"])
        if (found[name] !== undefined) bet[name] = text(found[name]).slice(0, 40);
      bet.fraction = within(found.fraction, 0, 1, 1);
      bet.backOnly = found.back === "1";
      const runners = found.runners ? rowsOf(found.runners) : [];
      if (runners.length >= 2 && runners.length <= 24 && runners.every((row) => row.length === 3)) bet.runners = runners;
    }
  } catch {
    return structuredClone(DEFAULTS);
  }
  return state;
}

// -- history -------------------------------------------------------------------------------------------------

/** Hold the state, tell who listens, and remember earlier states. */
export class Store {
  constructor(state) {
    this.state = state;
    this.past = [];
    this.future = [];
    this.lastKey = null;
    this.listeners = [];
  }

  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** Change one part of the state. Changes with the same key in a row are undone together. */
  change(part, values, key = null) {
    const next = typeof values === "function" ? values(this.state[part]) : { ...this.state[part], ...values };
    this.replace({ ...this.state, [part]: next }, key);
  }

  replace(state, key = null) {
    if (key === null || key !== this.lastKey) {
      this.past.push(this.state);
      if (this.past.length > MOST_STEPS) this.past.shift();
    }
    this.lastKey = key;
    this.future = [];
    this.state = state;
    this.tell();
  }

  /** Open a tab; this is no change that can be undone. */
  open(tab) {
    this.state = { ...this.state, tab };
    this.lastKey = null;
    this.tell();
  }

  undo() {
    if (!this.past.length) return false;
    this.future.push(this.state);
    this.state = this.past.pop();
    this.lastKey = null;
    this.tell();
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.state);
    this.state = this.future.pop();
    this.lastKey = null;
    this.tell();
    return true;
  }

  tell() {
    for (const listener of this.listeners) listener(this.state);
  }
}
