// The Bet tab: Kelly's stakes for one game and for a race.

import { contourProbability, kellyGame, kellyRace } from "./kelly.js";
import { sum } from "./special.js";
import { dollars, fixed, parseNumber, percent, plainNumber } from "./format.js";
import { card, field, h, s, segmented, show, slider } from "./dom.js";
import { help } from "./help.js";
import { frame, line, path } from "./svg.js";
import { actions, copy, csv, download, svgText } from "./export.js";

const MOST_RUNNERS = 24;
const ODDS = [1.3, 4];
const STAKES = [-2, -1, -0.5, -0.2, 0, 0.2, 0.4, 0.6, 0.8];

/** Read odds as decimal: 3.5, 5/2 and 5:2 are the same price. */
export function parseOdds(text) {
  const parts = /^\s*(\d*\.?\d+)\s*[:/]\s*(\d*\.?\d+)\s*$/.exec(text);
  return parts ? 1 + Number(parts[1]) / Number(parts[2]) : parseNumber(text);
}

const checked = (value, isGood, message) => {
  if (!isGood(value)) throw new Error(message);
  return value;
};

/** Read what was typed as numbers. */
export function readBet(bet) {
  const commission = checked(
    parseNumber(bet.commission),
    (x) => x >= 0 && x < 1,
    "Commission is a share of winnings from 0 to below 1, such as 0.05 or 5%.",
  );
  const bankroll = checked(parseNumber(bet.bankroll), (x) => x > 0, "The bankroll is an amount above 0.");
  const options = { commission, fraction: bet.fraction };
  if (bet.mode === "game") {
    const p = checked(parseNumber(bet.p), (x) => x >= 0 && x <= 1, "The probability lies between 0 and 1.");
    const odds = checked(
      parseOdds(bet.odds),
      (x) => x > 1 && Number.isFinite(x),
      "Decimal odds are above 1. Fractional odds such as 7:3 are fine too.",
    );
    return { p, odds, bankroll, options: { ...options, backOnly: bet.backOnly } };
  }
  const p = bet.runners.map(([name, value]) =>
    checked(parseNumber(value), (x) => x >= 0 && x <= 1, `The probability of ${name} lies between 0 and 1.`),
  );
  const odds = bet.runners.map(([name, , value]) =>
    checked(parseOdds(value), (x) => x > 1 && Number.isFinite(x), `The odds on ${name} are decimal and above 1.`),
  );
  checked(sum(p), (x) => x > 0, "At least one probability is above 0.");
  return { p, odds, bankroll, options };
}

/** The colour of a stake: green backs, red lays. */
function stakeTile(stake, toX, toY, x, y, dx, dy) {
  const strength = Math.min(1, Math.sqrt(Math.abs(stake) / (stake > 0 ? 1 : 3)));
  return s("rect", {
    class: `tile ${stake >= 0 ? "good" : "bad"}`,
    "fill-opacity": (stake === 0 ? 0 : 0.06 + 0.8 * strength).toFixed(3),
    x: toX(x).toFixed(1),
    y: toY(y + dy).toFixed(1),
    width: (toX(x + dx) - toX(x)).toFixed(1),
    height: (toY(y) - toY(y + dy)).toFixed(1),
  });
}

/** The stake over probability and odds as a heat map with contours (Figures 2 and 3). */
function surface(current, options) {
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
    label: `Kelly stake by probability and odds; here ${percent(current.stake)} at p = ${fixed(current.p, 2)} and odds ${fixed(current.odds, 2)}`,
  });
  const [columns, rows] = [50, 36];
  const [dx, dy] = [1 / columns, (high - low) / rows];
  for (let i = 0; i < columns; i += 1) {
    for (let j = 0; j < rows; j += 1) {
      const [x, y] = [i * dx, low + j * dy];
      const { stake } = kellyGame(x + dx / 2, y + dy / 2, { ...options, fraction: 1 });
      picture.marks.append(stakeTile(stake, picture.toX, picture.toY, x, y, dx, dy));
    }
  }
  for (const stake of STAKES.filter((each) => !(options.backOnly && each < 0) && !(options.commission > 0))) {
    const points = [];
    for (let step = 0; step <= 60; step += 1) {
      const odds = low + ((high - low) * step) / 60;
      const p = contourProbability(odds, stake);
      if (p >= 0 && p <= 1) points.push([p, odds]);
    }
    if (points.length < 2) continue;
    const d = path(points, picture.toX, picture.toY);
    const at = points[Math.floor(points.length * 0.62)];
    picture.marks.append(
      s("path", { class: `contour ${stake === 0 ? "no-bet" : ""}`, d }),
      s(
        "text.contour-text",
        { x: picture.toX(at[0]), y: picture.toY(at[1]) - 3, "text-anchor": "middle" },
        stake === 0 ? "no bet" : percent(stake, 0),
      ),
    );
  }
  const [x, y] = [picture.toX(current.p), picture.toY(Math.min(high, Math.max(low, current.odds)))];
  picture.marks.append(
    s("line.cursor", { x1: x, x2: x, y1: picture.toY(low), y2: picture.toY(high) }),
    s("line.cursor", { x1: picture.toX(0), x2: picture.toX(1), y1: y, y2: y }),
    s("circle.point", { cx: x, cy: y, r: 7 }),
  );
  return picture;
}

/** Growth by stake at the price that is bet at: Kelly's stake is the top of the curve. */
function growthChart(read, found) {
  const price = Number.isNaN(found.price) ? read.odds : found.price;
  const growth = (f) => {
    const [up, down] = [1 + f * (price - 1), 1 - f];
    return (read.p > 0 ? read.p * Math.log(up) : 0) + (read.p < 1 ? (1 - read.p) * Math.log(down) : 0);
  };
  const full =
    read.options.fraction > 0
      ? found.stake / read.options.fraction
      : kellyGame(read.p, read.odds, { ...read.options, fraction: 1 }).stake;
  const lowest = full < 0 ? Math.max(2.4 * full, -0.999 / (price - 1)) : -0.1;
  const highest = full > 0 ? Math.min(2.4 * full + 0.05, 0.999) : 0.1;
  const points = Array.from({ length: 121 }, (_, k) => lowest + ((highest - lowest) * k) / 120).map((f) => [
    f,
    growth(f),
  ]);
  const top = Math.max(growth(full), 0.002);
  const shown = points.filter(([, y]) => Number.isFinite(y) && y > -1.5 * top);
  const picture = frame({
    x: [lowest, highest],
    y: [-1.5 * top, 1.25 * top],
    width: 480,
    height: 280,
    xTitle: "stake, share of the bankroll",
    yTitle: "growth per bet, nats",
    xText: (value) => percent(value, 0),
    label: `Growth by stake, highest at ${percent(full, 1)}`,
    margin: { left: 66 },
  });
  picture.marks.append(
    s("line.zero", { x1: picture.toX(lowest), x2: picture.toX(highest), y1: picture.toY(0), y2: picture.toY(0) }),
    line(shown, "model", picture),
    s("circle.point", { cx: picture.toX(found.stake), cy: picture.toY(growth(found.stake)), r: 6 }),
  );
  return picture.picture;
}

/** Build the tab. */
export function createBet(store, helper, version) {
  const change = (values, key) => store.change("bet", values, key);
  let last = null;
  const mode = segmented(
    "Bet on",
    [
      ["game", "one game"],
      ["race", "a race"],
    ],
    (value) => change({ mode: value }),
  );
  const p = field("Your probability", { onchange: (value) => change({ p: value }, "p") });
  const odds = field("Odds offered", {
    onchange: (value) => change({ odds: value }, "odds"),
    describe: "decimal, 7:3 or 5/2",
  });
  const commission = field("Commission on winnings", {
    onchange: (value) => change({ commission: value }, "commission"),
  });
  const bankroll = field("Bankroll $", { onchange: (value) => change({ bankroll: value }, "bankroll") });
  const fraction = slider("Fraction of the Kelly stake", {
    min: 0,
    max: 1,
    step: 0.05,
    value: 1,
    shown: (value) => percent(Number(value), 0),
    onchange: (value) => change({ fraction: value }, "fraction"),
  });
  const backOnly = h("input", { type: "checkbox", onchange: () => change({ backOnly: backOnly.checked }) });
  const backBox = h(
    "label.check",
    backOnly,
    "Backing only (Figure 3); otherwise lay when the odds are too low (Figure 2)",
  );
  const problem = h("p.problem", { role: "alert" });
  const runnersHolder = h("div.scroll");
  const addRunner = h(
    "button",
    {
      type: "button",
      class: "quiet",
      onclick: () =>
        change((bet) => ({ ...bet, runners: [...bet.runners, [`Runner ${bet.runners.length + 1}`, "0.1", "10"]] })),
    },
    "Add a runner",
  );
  const gameBox = h("div.controls", p.wrapper, odds.wrapper);
  const raceBox = h("div", runnersHolder, h("div.controls", addRunner));
  const answerHolder = h("div");
  const chart = h("div.picture");
  const chartCard = card(
    "The stake by probability and odds",
    { class: "chart-card", help: help("stake") },
    chart,
    h(
      "p.legend",
      h("span.key.good", "back"),
      h("span.key.bad", "lay"),
      h("span.soft", "Click the map to choose a point."),
    ),
  );
  const growthPicture = h("div.picture");
  const growthCard = card(
    "Growth by stake",
    { class: "chart-card", help: help("growth") },
    growthPicture,
    h("p.soft", "Staking more than the top of the curve earns less and risks more."),
  );
  const bar = actions([
    ["Copy as command", () => last && copy(commandLine(store.state.bet), "Command")],
    ["Copy for a paper", () => last && copy(sentence(last, version), "Sentence")],
    ["Download CSV", () => last && download("edgeworth-bet.csv", "text/csv", csv(last.rows))],
    [
      "Download SVG",
      () =>
        last &&
        chart.querySelector("svg") &&
        download("edgeworth-stakes.svg", "image/svg+xml", svgText(chart.querySelector("svg"))),
    ],
  ]);
  const element = h(
    "div.tab-body",
    h(
      "div.top",
      h(
        "div.left",
        card(
          "Your bet",
          { class: "sheet" },
          h("div.controls", mode.wrapper),
          gameBox,
          raceBox,
          h("div.controls", commission.wrapper, bankroll.wrapper),
          fraction.wrapper,
          backBox,
          problem,
        ),
        chartCard,
      ),
      h("div.answer", card("Kelly stake", { class: "main-answer", help: help("stake") }, answerHolder), growthCard),
    ),
    bar,
  );

  function buildRunners(bet) {
    const size = bet.runners.length;
    if (runnersHolder.dataset.size !== String(size)) {
      runnersHolder.dataset.size = size;
      const set = (k, place) => (event) =>
        change(
          (old) => ({
            ...old,
            runners: old.runners.map((runner, row) =>
              row === k ? runner.map((each, column) => (column === place ? event.target.value : each)) : runner,
            ),
          }),
          `runner ${k} ${place}`,
        );
      const cell = (k, place, name, style) =>
        h(
          "td",
          h("input", {
            type: "text",
            class: style,
            autocomplete: "off",
            inputmode: place ? "decimal" : "text",
            "aria-label": `${name} of runner ${k + 1}`,
            oninput: set(k, place),
          }),
        );
      show(
        runnersHolder,
        h(
          "table.sheet-table",
          h(
            "thead",
            h(
              "tr",
              ["runner", "probability", "odds", ""].map((title) => h("th", { scope: "col" }, title)),
            ),
          ),
          h(
            "tbody",
            bet.runners.map((_, k) =>
              h(
                "tr",
                cell(k, 0, "Name", "class-name"),
                cell(k, 1, "Probability", "cell"),
                cell(k, 2, "Odds", "cell"),
                h(
                  "td",
                  h(
                    "button",
                    {
                      type: "button",
                      class: "remove",
                      disabled: size <= 2,
                      "aria-label": `Remove runner ${k + 1}`,
                      onclick: () => change((old) => ({ ...old, runners: old.runners.filter((__, row) => row !== k) })),
                    },
                    "×",
                  ),
                ),
              ),
            ),
          ),
        ),
      );
    }
    runnersHolder.querySelectorAll("input").forEach((input, place) => {
      const value = bet.runners[Math.floor(place / 3)][place % 3];
      if (document.activeElement !== input && input.value !== value) input.value = value;
    });
    addRunner.disabled = size >= MOST_RUNNERS;
  }

  const growthPairs = (growth) => [
    h(
      "div",
      h("dt", "Growth per bet", help("growth")),
      h("dd#growth", `${fixed(growth, 5)} nats`),
      h("dd.chance", `wealth × ${fixed(Math.exp(growth), 4)} per bet`),
    ),
    h("div", h("dt", "Bets to double", help("double")), h("dd", growth > 0 ? fixed(Math.log(2) / growth, 0) : "never")),
  ];

  function showGame(read) {
    const found = kellyGame(read.p, read.odds, read.options);
    const action = found.stake > 0 ? "Back it" : found.stake < 0 ? "Lay it" : "Do not bet";
    const size = Math.abs(found.stake) * read.bankroll;
    const words =
      found.stake < 0
        ? `Accept a backer's stake of ${dollars(size)}. You lose ${dollars(size * (found.price - 1))} if it comes true.`
        : found.stake > 0
          ? `Stake ${dollars(size)} of ${dollars(read.bankroll)}.`
          : "At these odds no bet makes wealth grow.";
    show(
      answerHolder,
      h(
        "div.headline",
        h(
          "output",
          { class: `huge ${found.stake > 0 ? "good" : found.stake < 0 ? "bad" : ""}`, id: "stake" },
          percent(found.stake, 2),
        ),
        h("span.beside", action, h("small", words)),
      ),
      h(
        "dl.pairs",
        growthPairs(found.growth),
        h("div", h("dt", "If true, wealth ×", help("factor")), h("dd#if-true", fixed(found.ifTrue, 4))),
        h("div", h("dt", "If false, wealth ×", help("factor")), h("dd#if-false", fixed(found.ifFalse, 4))),
        h(
          "div",
          h("dt", "Fair odds at your probability", help("fair")),
          h("dd", read.p > 0 ? fixed(1 / read.p, 3) : "∞"),
        ),
        h(
          "div",
          h("dt", "Expected profit per $1 staked", help("profit")),
          h("dd", found.stake === 0 ? "–" : dollars((read.p * found.price - 1) * Math.sign(found.stake))),
        ),
      ),
    );
    const drawn = surface({ ...read, stake: found.stake }, read.options);
    drawn.picture.classList.add("pickable");
    drawn.picture.addEventListener("click", (event) => {
      const box = drawn.picture.getBoundingClientRect();
      const [px, py] = [
        ((event.clientX - box.left) / box.width) * drawn.width,
        ((event.clientY - box.top) / box.height) * drawn.height,
      ];
      const chosen = (px - drawn.space.left) / (drawn.width - drawn.space.left - drawn.space.right);
      const price =
        ODDS[0] +
        (1 - (py - drawn.space.top) / (drawn.height - drawn.space.top - drawn.space.bottom)) * (ODDS[1] - ODDS[0]);
      if (chosen >= 0 && chosen <= 1 && price >= ODDS[0] && price <= ODDS[1])
        change({ p: chosen.toFixed(3), odds: price.toFixed(2) });
    });
    show(chart, drawn.picture);
    show(growthPicture, growthChart(read, found));
    last = {
      read,
      found,
      rows: [
        ["p", "odds", "stake", "dollars", "if true", "if false", "growth"],
        [read.p, read.odds, found.stake, found.stake * read.bankroll, found.ifTrue, found.ifFalse, found.growth],
      ],
    };
  }

  function showRace(read, names) {
    const found = kellyRace(read.p, read.odds, read.options);
    const total = sum(read.p);
    const note = found.isArbitrage
      ? "Backing every runner is a sure profit (an arbitrage). Check the odds: this says nothing about your probabilities."
      : Math.abs(total - 1) > 1e-6
        ? `Your probabilities add up to ${fixed(total, 4)}. They were divided by that sum.`
        : "";
    const rows = names.map((name, k) =>
      h(
        "tr",
        h("th.name", { scope: "row" }, name),
        h("td", percent(found.stakes[k], 2)),
        h("td", dollars(found.stakes[k] * read.bankroll)),
        h("td", fixed(found.factors[k], 3)),
      ),
    );
    show(
      answerHolder,
      h(
        "div.headline",
        h("output.huge.good#stake", percent(sum(found.stakes), 2)),
        h(
          "span.beside",
          "staked in all",
          h(
            "small",
            `${dollars(sum(found.stakes) * read.bankroll)} of ${dollars(read.bankroll)}; keep ${percent(1 - sum(found.stakes), 2)}`,
          ),
        ),
      ),
      note && h("p.problem", note),
      h(
        "div.scroll",
        { tabindex: "0", role: "region", "aria-label": "Stakes" },
        h(
          "table.numbers",
          h(
            "thead",
            h(
              "tr",
              h("th", { scope: "col" }, "runner"),
              h("th", { scope: "col" }, "stake", help("race_stakes")),
              h("th", { scope: "col" }, "dollars"),
              h("th", { scope: "col" }, "wealth × if it wins"),
            ),
          ),
          h("tbody", rows),
        ),
      ),
      h(
        "dl.pairs",
        growthPairs(found.growth),
        h("div", h("dt", "Over-round", help("book")), h("dd", percent(found.book - 1))),
      ),
    );
    last = {
      read,
      found,
      rows: [
        ["runner", "p", "odds", "stake", "dollars", "wealth factor"],
        ...names.map((name, k) => [
          name,
          read.p[k],
          read.odds[k],
          found.stakes[k],
          found.stakes[k] * read.bankroll,
          found.factors[k],
        ]),
      ],
    };
  }

  function update(state) {
    const { bet } = state;
    mode.set(bet.mode);
    const isGame = bet.mode === "game";
    gameBox.hidden = !isGame;
    backBox.hidden = !isGame;
    chartCard.hidden = !isGame;
    growthCard.hidden = !isGame;
    raceBox.hidden = isGame;
    buildRunners(bet);
    backOnly.checked = bet.backOnly;
    fraction.set(bet.fraction);
    for (const [control, value] of [
      [p, bet.p],
      [odds, bet.odds],
      [commission, bet.commission],
      [bankroll, bet.bankroll],
    ]) {
      if (document.activeElement !== control.input) control.input.value = value;
    }
    try {
      const read = readBet(bet);
      problem.textContent = "";
      element.classList.remove("stale");
      if (isGame) showGame(read);
      else
        showRace(
          read,
          bet.runners.map(([name]) => name),
        );
    } catch (error) {
      problem.textContent = error.message;
      element.classList.add("stale");
    }
  }

  return { element, update };
}

/** The command that reports the same bet; commission is already in the odds. */
export function commandLine(bet) {
  const read = readBet(bet);
  const net = (price) => plainNumber(Number((1 + (price - 1) * (1 - read.options.commission)).toPrecision(12)));
  const part = read.options.fraction === 1 ? "" : ` --fraction ${read.options.fraction}`;
  if (bet.mode === "game") {
    const lay = 1 + (read.odds - 1) / (1 - read.options.commission);
    const laid = read.options.backOnly
      ? " --lay inf"
      : read.options.commission > 0
        ? ` --lay ${plainNumber(Number(lay.toPrecision(12)))}`
        : "";
    return `edgeworth kelly --probabilities ${plainNumber(read.p)} --odds ${net(read.odds)}${laid}${part}`;
  }
  const scale = Math.abs(sum(read.p) - 1) > 1e-6 ? " --normalise" : "";
  return `edgeworth kelly --probabilities ${read.p.map(plainNumber).join(",")} --odds ${read.odds.map(net).join(",")}${part}${scale}`;
}

function sentence({ read, found }, version) {
  const stake = found.stakes
    ? `Kelly stakes ${found.stakes.map((each) => percent(each, 2)).join(", ")}`
    : `Kelly stake ${percent(found.stake, 2)} at p = ${plainNumber(read.p)} and odds ${plainNumber(read.odds)}`;
  return `${stake} of the bankroll; expected growth ${fixed(found.growth, 5)} nats per bet; Edgeworth ${version}.`;
}
