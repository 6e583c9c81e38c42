// The Bet tab: Kelly's stakes for one game and for a race.

import { backAfter, kellyGame, kellyRace, layAfter } from "./kelly.js";
import { sum } from "./special.js";
import { dollars, fixed, NOTHING, parseNumber, percent, plainNumber } from "./format.js";
import { card, columnHead, field, h, legend, numberTable, segmented, show, slider } from "./dom.js";
import { help, numberPair } from "./help.js";
import { actions, copy, csv, download, enableActions, svgText } from "./export.js";
import { growthChart, surface } from "./bet_charts.js";

const MOST_RUNNERS = 24;
const RUNNER_FIELDS = [
  ["Name", "class-name", "text"],
  ["Probability", "cell", "decimal"],
  ["Odds", "cell", "decimal"],
];

/** Read odds as decimal: 3.5, 5/2 and 5:2 are the same price. */
export function parseOdds(text) {
  const parts = /^\s*(\d*\.?\d+)\s*[:/]\s*(\d*\.?\d+)\s*$/.exec(text);
  return parts ? 1 + Number(parts[1]) / Number(parts[2]) : parseNumber(text);
}

function checked(value, isGood, message) {
  if (!isGood(value)) throw new Error(message);
  return value;
}

const isShare = (x) => x >= 0 && x <= 1;
const isPrice = (x) => x > 1 && Number.isFinite(x);

/** Read what was typed as numbers. */
export function readBet(bet) {
  const taken = "Commission is a share of winnings from 0 to below 1, such as 0.05 or 5%.";
  const commission = checked(parseNumber(bet.commission), (x) => x >= 0 && x < 1, taken);
  const bankroll = checked(parseNumber(bet.bankroll), (x) => x > 0, "The bankroll is an amount above 0.");
  const options = { commission, fraction: bet.fraction };
  if (bet.mode === "game") {
    const p = checked(parseNumber(bet.p), isShare, "The probability lies between 0 and 1.");
    const odds = checked(parseOdds(bet.odds), isPrice, "Decimal odds are above 1. Fractional odds such as 7:3 are fine too.");
    return { p, odds, bankroll, options: { ...options, backOnly: bet.backOnly } };
  }
  const p = bet.runners.map(([name, text]) =>
    checked(parseNumber(text), isShare, `The probability of ${name} lies between 0 and 1.`),
  );
  const odds = bet.runners.map(([name, , text]) =>
    checked(parseOdds(text), isPrice, `The odds on ${name} are decimal and above 1.`),
  );
  checked(sum(p), (x) => x > 0, "At least one probability is above 0.");
  return { p, odds, bankroll, options };
}

const growthPairs = (growth) => [
  numberPair("Growth per bet", "growth", `${fixed(growth, 5)} nats`, {
    id: "growth",
    beside: `wealth × ${fixed(Math.exp(growth), 4)} per bet`,
  }),
  numberPair("Bets to double", "double", growth > 0 ? fixed(Math.log(2) / growth, 0) : "never"),
];

/** What to do in one game, in words. */
function advice({ stake, price }, bankroll) {
  const size = Math.abs(stake) * bankroll;
  if (stake > 0) return ["Back it", `Stake ${dollars(size)} of ${dollars(bankroll)}.`];
  if (stake === 0) return ["Do not bet", "At these odds no bet makes wealth grow."];
  return ["Lay it", `Accept a backer's stake of ${dollars(size)}. You lose ${dollars(size * (price - 1))} if it comes true.`];
}

function gameBlock({ p, bankroll }, found) {
  const { stake, price, ifTrue, ifFalse, growth } = found;
  const [action, words] = advice(found, bankroll);
  const profit = stake === 0 ? NOTHING : dollars((p * price - 1) * Math.sign(stake));
  const tone = stake > 0 ? ".good" : stake < 0 ? ".bad" : "";
  return [
    h("div.headline", h(`output.huge${tone}#stake`, percent(stake, 2)), h("span.beside", action, h("small", words))),
    h(
      "dl.pairs",
      growthPairs(growth),
      numberPair("If true, wealth ×", "factor", fixed(ifTrue, 4), { id: "if-true" }),
      numberPair("If false, wealth ×", "factor", fixed(ifFalse, 4), { id: "if-false" }),
      numberPair("Fair odds at your probability", "fair", fixed(p > 0 ? 1 / p : Infinity, 3)),
      numberPair("Expected profit per $1 staked", "profit", profit),
    ),
  ];
}

/** What is wrong with a race's numbers, if something is. */
function raceNote(read, found) {
  const total = sum(read.p);
  if (found.isArbitrage) {
    return "Backing every runner is a sure profit (an arbitrage). Check the odds: this says nothing about your probabilities.";
  }
  return Math.abs(total - 1) > 1e-6 ? `Your probabilities add up to ${fixed(total, 4)}. They were divided by that sum.` : "";
}

function raceBlock(read, found, names) {
  const staked = sum(found.stakes);
  const head = h(
    "tr",
    columnHead("runner"),
    columnHead("stake", help("race_stakes")),
    columnHead("dollars"),
    columnHead("wealth ×", help("factor")),
  );
  const rows = names.map((name, k) =>
    h(
      "tr",
      h("th.name", { scope: "row" }, name),
      h("td", percent(found.stakes[k], 2)),
      h("td", dollars(found.stakes[k] * read.bankroll)),
      h("td", fixed(found.factors[k], 3)),
    ),
  );
  const kept = `${dollars(staked * read.bankroll)} of ${dollars(read.bankroll)}; keep ${percent(1 - staked, 2)}`;
  return [
    h("div.headline", h("output.huge.good#stake", percent(staked, 2)), h("span.beside", "staked in all", h("small", kept))),
    h("p.problem", raceNote(read, found)),
    numberTable("Stakes", head, rows),
    h("dl.pairs", growthPairs(found.growth), numberPair("Over-round", "book", percent(found.book - 1))),
  ];
}

/** The runners as a table to type into. */
function createRunners(change) {
  const holder = h("div.scroll.runners");
  const add = (bet) => ({ ...bet, runners: [...bet.runners, [`Runner ${bet.runners.length + 1}`, "0.1", "10"]] });
  const addButton = h("button.quiet", { type: "button", onclick: () => change(add) }, "Add a runner");
  const element = h("div", holder, h("div.controls", addButton));
  const set = (k, place, text) => (bet) => ({ ...bet, runners: bet.runners.with(k, bet.runners[k].with(place, text)) });
  const remove = (k) => (bet) => ({ ...bet, runners: bet.runners.filter((_, row) => row !== k) });

  const makeCell =
    (k) =>
    ([name, kind, inputmode], place) =>
      h(
        "td",
        h(`input.${kind}`, {
          type: "text",
          autocomplete: "off",
          inputmode,
          "aria-label": `${name} of runner ${k + 1}`,
          oninput: (event) => change(set(k, place, event.target.value), `runner ${k} ${place}`),
        }),
      );
  const makeRemover = (k, disabled) =>
    h(
      "button.remove",
      { type: "button", disabled, "aria-label": `Remove runner ${k + 1}`, onclick: () => change(remove(k)) },
      "×",
    );

  function update({ runners }) {
    const size = runners.length;
    if (holder.dataset.size !== String(size)) {
      holder.dataset.size = size;
      const head = h(
        "tr",
        ["runner", "probability", "odds", ""].map((title) => columnHead(title)),
      );
      const rows = runners.map((_, k) => h("tr", RUNNER_FIELDS.map(makeCell(k)), h("td", makeRemover(k, size <= 2))));
      show(holder, h("table.sheet-table", h("thead", head), h("tbody", rows)));
    }
    holder.querySelectorAll("input").forEach((input, place) => {
      const text = runners[Math.floor(place / 3)][place % 3];
      if (document.activeElement !== input && input.value !== text) input.value = text;
    });
    addButton.disabled = size >= MOST_RUNNERS;
  }

  return { element, update };
}

/** Build the tab. */
export function createBet(store, helper, version) {
  const change = (values, key) => store.change("bet", values, key);
  const textField = (label, name, more = {}) => field(label, { onchange: (text) => change({ [name]: text }, name), ...more });
  let last = null;
  const mode = segmented(
    "Bet on",
    [
      ["game", "one game"],
      ["race", "a race"],
    ],
    (value) => change({ mode: value }),
  );
  const p = textField("Your probability", "p");
  const odds = textField("Odds offered", "odds", { describe: "decimal, 7:3 or 5/2" });
  const commission = textField("Commission on winnings", "commission", { describe: "0.05 or 5%" });
  const bankroll = textField("Bankroll $", "bankroll");
  const fraction = slider("Fraction of the Kelly stake", {
    min: 0,
    max: 1,
    step: 0.05,
    shown: (value) => percent(value, 0),
    onchange: (value) => change({ fraction: value }, "fraction"),
  });
  const backOnly = h("input", { type: "checkbox", onchange: () => change({ backOnly: backOnly.checked }) });
  const backBox = h("label.check", backOnly, "Backing only, never laying (Kalia's Figure 3 instead of Figure 2)");
  const layNote = h("p.soft", "To back is to bet that it happens. To lay is to accept such a bet, as a bookmaker does.");
  const problem = h("p.problem", { role: "alert" });
  const runners = createRunners(change);
  const gameBox = h("div.controls", p.wrapper, odds.wrapper);
  const answer = h("div");
  const chart = h("div.picture");
  const growth = h("div.picture");
  const chartCard = card(
    "The stake by probability and odds",
    { class: "chart-card", help: help("stake") },
    chart,
    legend(["good", "back"], ["bad", "lay"]),
    h("p.soft", "Click the map to choose a point."),
  );
  const growthCard = card(
    "Growth by stake",
    { class: "chart-card", help: help("growth") },
    growth,
    h("p.soft", "Staking more than the top of the curve earns less and risks more."),
  );
  const bar = actions([
    ["Copy as command", () => copy(commandLine(store.state.bet), "Command")],
    ["Copy for a paper", () => copy(sentence(last, version), "Sentence")],
    ["Download CSV", () => download("edgeworth-bet.csv", "text/csv", csv(last.rows))],
    ["Download SVG", () => download("edgeworth-stakes.svg", "image/svg+xml", svgText(chart.querySelector("svg")))],
  ]);
  const form = card(
    "Your bet",
    { class: "sheet" },
    h("div.controls", mode.wrapper),
    gameBox,
    runners.element,
    h("div.controls", commission.wrapper, bankroll.wrapper),
    fraction.wrapper,
    backBox,
    layNote,
    problem,
  );
  const main = card("Kelly stake", { class: "main-answer", help: help("stake") }, answer);
  const element = h("div.tab-body", h("div.top", h("div.left", form, chartCard), h("div.answer", main, growthCard)), bar);

  function showGame(read) {
    const found = kellyGame(read.p, read.odds, read.options);
    show(answer, gameBlock(read, found));
    show(
      chart,
      surface(read, found.stake, (chosen, price) => change({ p: chosen.toFixed(3), odds: price.toFixed(2) })),
    );
    show(growth, growthChart(read, found));
    const { stake, ifTrue, ifFalse } = found;
    const values = [read.p, read.odds, stake, stake * read.bankroll, ifTrue, ifFalse, found.growth];
    last = { read, found, rows: [["p", "odds", "stake", "dollars", "if true", "if false", "growth"], values] };
  }

  function showRace(read, names) {
    const found = kellyRace(read.p, read.odds, read.options);
    show(answer, raceBlock(read, found, names));
    const rows = names.map((name, k) => [
      name,
      read.p[k],
      read.odds[k],
      found.stakes[k],
      found.stakes[k] * read.bankroll,
      found.factors[k],
    ]);
    last = { read, found, rows: [["runner", "p", "odds", "stake", "dollars", "wealth factor"], ...rows] };
  }

  function showInputs(bet) {
    const isGame = bet.mode === "game";
    mode.set(bet.mode);
    for (const each of [gameBox, backBox, layNote, chartCard, growthCard]) each.hidden = !isGame;
    runners.element.hidden = isGame;
    runners.update(bet);
    backOnly.checked = bet.backOnly;
    fraction.set(bet.fraction);
    for (const [name, each] of Object.entries({ p, odds, commission, bankroll })) each.set(bet[name]);
  }

  function update({ bet }) {
    showInputs(bet);
    try {
      const read = readBet(bet);
      if (bet.mode === "game") showGame(read);
      else
        showRace(
          read,
          bet.runners.map(([name]) => name),
        );
      problem.textContent = "";
    } catch (error) {
      problem.textContent = error.message;
    }
    element.classList.toggle("stale", problem.textContent !== "");
    enableActions(bar, problem.textContent === "");
    // A race has no picture.
    bar.lastChild.hidden = bet.mode !== "game";
  }

  return { element, update };
}

const shortest = (value) => plainNumber(Number(value.toPrecision(12)));

/** The command that reports the same bet; commission is already in the odds. */
export function commandLine(bet) {
  const { p, odds, options } = readBet(bet);
  const { commission, fraction, backOnly } = options;
  const net = (price) => shortest(backAfter(price, commission));
  const part = fraction === 1 ? "" : ` --fraction ${fraction}`;
  if (bet.mode === "race") {
    const scale = Math.abs(sum(p) - 1) > 1e-6 ? " --normalise" : "";
    return `edgeworth kelly --probabilities ${p.map(plainNumber).join(",")} --odds ${odds.map(net).join(",")}${part}${scale}`;
  }
  const lay = backOnly ? " --lay inf" : commission > 0 ? ` --lay ${shortest(layAfter(odds, commission))}` : "";
  return `edgeworth kelly --probabilities ${plainNumber(p)} --odds ${net(odds)}${lay}${part}`;
}

/** The sentence for a paper. */
function sentence({ read, found }, version) {
  const several = found.stakes && `Kelly stakes ${found.stakes.map((stake) => percent(stake, 2)).join(", ")}`;
  const stakes =
    several ?? `Kelly stake ${percent(found.stake, 2)} at p = ${plainNumber(read.p)} and odds ${plainNumber(read.odds)}`;
  return `${stakes} of the bankroll; expected growth ${fixed(found.growth, 5)} nats per bet; Edgeworth ${version}.`;
}
