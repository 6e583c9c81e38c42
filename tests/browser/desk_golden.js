// Runs the desk's modules on the cases that the golden test sends.

import { kellyGame, kellyRace } from "/js/kelly.js";
import * as guessing from "/js/guessing.js";
import * as ranking from "/js/ranking.js";
import { Random } from "/js/special.js";
import * as tables from "/js/table.js";
import * as wealth from "/js/wealth.js";

const run = {
  table({ counts, alpha }) {
    const view = tables.viewTable(counts);
    const chance = tables.viewTable(tables.guessingTable(view));
    const luck = guessing.examineLuck(counts);
    const interval = tables.informednessInterval(view);
    const isPriced = (v) => v.actual > 0 && v.notActual > 0;
    return {
      labels: view.labels.map((v) => tables.measureLabel(v, alpha)),
      chance: chance.labels.map((v) => tables.measureLabel(v, alpha)),
      overall: tables.measureTable(view, alpha),
      payoffs: tables.payoffs(view),
      edges: view.labels.map((v) => (isPriced(v) ? tables.newcombe(v) : null)),
      accuracy: tables.wilson(
        view.hits.reduce((a, b) => a + b),
        view.total,
      ),
      interval,
      delta: tables.deltaInterval(view),
      deltaNeeded: guessing.casesNeeded(view, tables.deltaInterval(view)),
      luck,
    };
  },
  plan: ({ counts }) => guessing.enumerateCases(counts),
  power: ({ counts, cases }) => guessing.exactPower(counts, cases, 1 - 0.95),
  guessing: ({ counts, draws, seed }) => guessing.sampledTails(counts, new Random(seed), draws),
  posterior: ({ counts, prior, draws, seed }) => tables.posteriorInterval(counts, prior, new Random(seed), draws),
  mixture: ({ actual, guess, informed, cases }) => tables.informedMixture(actual, guess, informed, cases),
  prevalence: ({ counts, chosen, share }) => tables.withPrevalence(counts, chosen, share),
  ranking({ hits, depth }) {
    const ranks = ranking.ranksOf(ranking.parseHits(hits));
    const [n, m] = [hits.length, ranks.length];
    const h = ranking.hitsAt(ranks, depth);
    return {
      ap: ranking.averagePrecision(ranks),
      hits: h,
      moments: ranking.precisionMoments(n, m),
      chance: ranking.hitsByChance(n, m, depth),
      tail: ranking.hitsTail(n, m, depth, h),
      exact: ranking.isShort(n, m) ? ranking.exactTail(n, m, ranking.averagePrecision(ranks)) : null,
    };
  },
  precision: ({ items, targets, value }) => (ranking.isShort(items, targets) ? ranking.exactTail(items, targets, value) : null),
  moments: ({ items, targets }) => ranking.precisionMoments(items, targets),
  orders: ({ items, targets, value, draws, seed }) => ranking.sampledTail(items, targets, value, new Random(seed), draws),
  game: ({ p, odds, options }) => kellyGame(p, odds, options),
  race: ({ p, odds, options }) => kellyRace(p, odds, options),
  wealth({ outcomes, model, rival }) {
    const { path, factors, final, drawdown, logScores, brierScores, top } = wealth.settle(outcomes, model, rival);
    const plain = ({ mean, variance }) => ({ mean: [...mean], variance: [...variance] });
    return {
      path: [...path],
      factors: [...factors],
      final,
      drawdown,
      logScores,
      brierScores,
      top,
      ifModel: plain(wealth.expectedPath(model, rival, "model")),
      ifRival: plain(wealth.expectedPath(model, rival, "rival")),
    };
  },
};

window.golden = (cases) => cases.map(({ kind, ...inputs }) => run[kind](inputs));
