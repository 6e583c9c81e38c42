// What takes longer than a moment, for the worker: sampled tests, posteriors, long enumerations.

import { Random } from "./special.js";
import { posteriorInterval } from "./table.js";
import { enumerateCases, sampledTails } from "./guessing.js";
import { exactTail, isShort, sampledTail } from "./ranking.js";

const WORK = 2e7;

/** As many draws as fit into about a second, between 200 and 50,000. */
const affordable = (cost) => Math.round(Math.min(50_000, Math.max(200, WORK / cost)));

const JOBS = {
  guessing({ counts, seed }) {
    const size = counts.length;
    const cases = counts.flat().reduce((a, b) => a + b, 0);
    const draws = affordable(size * size * (8 + Math.sqrt(cases) / size));
    return sampledTails(counts, new Random(seed), draws);
  },
  posterior({ counts, prior, seed }) {
    return posteriorInterval(counts, prior, new Random(seed), counts.length > 8 ? 4000 : 10_000);
  },
  plan: ({ counts }) => enumerateCases(counts),
  precision({ items, targets, value, seed }) {
    if (isShort(items, targets)) return { p: exactTail(items, targets, value), isExact: true };
    const draws = affordable(targets * (4 + Math.log2(targets + 1)));
    return { ...sampledTail(items, targets, value, new Random(seed), draws), isExact: false };
  },
};

/** Do one job, named by its kind. */
export const answer = ({ kind, ...inputs }) => JOBS[kind](inputs);

/** Listen for jobs inside a worker. */
export function listen(scope) {
  scope.onmessage = ({ data }) => scope.postMessage({ id: data.id, result: answer(data.job) });
}
