// Kelly's stakes for one game, backed or laid, and for a race with several runners.

import { sum } from "./special.js";

/** Odds at which the same bets pay the same after commission on winnings. */
export const backAfter = (odds, commission) => 1 + (odds - 1) * (1 - commission);
export const layAfter = (odds, commission) => 1 + (odds - 1) / (1 - commission);

const weigh = (chance, factor) => (chance > 0 ? chance * Math.log(factor) : 0);

/** The stake on one game as a share of wealth: (O p − 1)/(O − 1), below zero to lay. */
export function kellyGame(p, odds, { commission = 0, fraction = 1, backOnly = false } = {}) {
  const back = backAfter(odds, commission);
  const lay = layAfter(odds, commission);
  const isLaid = !backOnly && p < 1 / lay;
  const price = p > 1 / back ? back : isLaid ? lay : NaN;
  const full = Number.isNaN(price) ? 0 : (price * p - 1) / (price - 1);
  const stake = fraction * full;
  // 1 − c + c p/q, which does not lose digits as 1 + f(O − 1) does.
  const factor = (share) => 1 - fraction + fraction * share;
  const [ifTrue, ifFalse] = Number.isNaN(price) ? [1, 1] : [factor(p * price), factor((1 - p) * (price / (price - 1)))];
  return { stake, price, ifTrue, ifFalse, growth: weigh(p, ifTrue) + weigh(1 - p, ifFalse) };
}

const NEARLY_FAIR = 1e-12;
const TIE = 1e-12;

/** Stakes on the runners of a race that can only be backed, and the wealth after each outcome. */
export function kellyRace(probabilities, odds, { commission = 0, fraction = 1 } = {}) {
  const total = sum(probabilities);
  const p = probabilities.map((each) => each / total);
  const prices = odds.map((each) => backAfter(each, commission));
  const book = sum(prices.map((price) => 1 / price));
  let cash = 0;
  if (book >= 1 - NEARLY_FAIR) {
    cash = 1;
    const order = p.map((_, k) => k).sort((a, b) => p[b] * prices[b] - p[a] * prices[a]);
    let [staked, cost] = [0, 0];
    for (const k of order) {
      if (!(p[k] * prices[k] > cash * (1 + TIE)) || cost + 1 / prices[k] >= 1 - NEARLY_FAIR) break;
      staked += p[k];
      cost += 1 / prices[k];
      cash = Math.max(0, 1 - staked) / (1 - cost);
    }
  }
  const full = p.map((chance, k) => Math.max(0, chance - cash / prices[k]));
  const factors = p.map((chance, k) => 1 - fraction + fraction * (full[k] > 0 ? chance * prices[k] : cash));
  return {
    stakes: full.map((stake) => fraction * stake),
    factors,
    cash: 1 - fraction + fraction * cash,
    growth: sum(p.map((chance, k) => weigh(chance, factors[k]))),
    book,
    isArbitrage: book < 1 - 1e-9,
  };
}

/** The probability at which the stake at these odds is f: the contour of the surface in closed form. */
export const contourProbability = (odds, stake) => (1 + stake * (odds - 1)) / odds;
