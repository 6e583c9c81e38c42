// What each number means, its formula and its source.

import { h } from "./dom.js";

const POWERS = "Powers 2003, Recall & Precision versus The Bookmaker";
const SU = "Su & Zhang, Statistical Inference for Recall, Precision and Average Precision";
const KALIA = "Kalia 2011, Assessing classification performance by gambling strategies";
const KELLY = "Kelly 1956, A new interpretation of information rate";

export const HELP = {
  informedness: [
    "Informedness",
    "How much better than guessing the predictions are: 0 is guessing with the same shares, 1 is always right. If the predictor knows the answer in some cases and guesses in the others, it is the share of cases in which it knows.",
    "B = Σ p(l) · (recall(l) − fallout(l)), p(l) = predicted share",
    POWERS,
  ],
  interval: [
    "95% interval",
    "The range of values that fits these data. A narrow range means many cases; it says nothing about how good the predictor is. Two classes: square-and-add. More: delta method, joined by a sampled posterior when a class has fewer than 20 cases.",
    "√-combined Wilson bounds of recall and fallout; or B ± 1.96 · standard error on the logit scale",
    "Newcombe 1998, Statistics in Medicine 17",
  ],
  significance: [
    "Could this be luck?",
    "The chance that pure guessing with the same row and column totals is at least as far from 0 as this table. It shrinks with the number of cases; informedness does not. Programs that add up tables by their probability, as Fisher's test does, can report a slightly different two-sided p.",
    "P(|B| ≥ |observed|), both margins fixed; hypergeometric for two classes, sampled tables for more",
    "Fisher 1935; Powers 2003 on chance levels",
  ],
  needed: [
    "Cases needed",
    "The number of cases like these with which the test would be significant at 5% in 80% of samples.",
    "n · ((z(0.975) + z(0.8)) · standard error / B)², corrected for the exact test",
    "Casagrande, Pike & Smith 1978",
  ],
  odds: [
    "Fair odds",
    "The price at which a bet on the class neither wins nor loses on average. 7:3 means that a stake of 3 wins 7. The decimal price includes the stake.",
    "(1 − r) : r against; decimal 1/r, r = actual share",
    POWERS,
  ],
  dollars: [
    "Dollars",
    "Each prediction is a bet on its label at fair odds, scaled so that perfect play earns $10 on each label. Green cells win and red cells lose.",
    "$10 · share of the cell · (+1/r if right, −1/(1 − r) if wrong)",
    `${POWERS}, Figure 1`,
  ],
  won: [
    "Won",
    "What all bets on this label earn. Divided by 10 it is the label's own informedness.",
    "Σ dollars of the row = $10 · (recall − fallout)",
    `${POWERS}, Figure 1`,
  ],
  weighted: [
    "Weighted",
    "What the label earns times how often it is bet on. The sum over labels is $10 times informedness.",
    "p(l) · Won(l)",
    `${POWERS}, Figure 1`,
  ],
  track: [
    "At the track",
    "The same bets in dollars that change hands: a right bet wins $10 · (1 − r), a wrong one loses $10 · r, for each case.",
    "Σ cases · $10 · (1 − r) and Σ cases · $10 · r",
    `${POWERS}, poster`,
  ],
  recall: [
    "Recall",
    "The share of the class's cases that were predicted as it. By guessing it would be the label's share of predictions.",
    "hits / actual",
    "also called sensitivity, true positive rate",
  ],
  inverse_recall: [
    "Inverse recall",
    "The share of the other cases that were not predicted as this label.",
    "rejections / (N − actual)",
    "also called specificity",
  ],
  precision: [
    "Precision",
    "The share of the label's predictions that are right. By guessing it would be the class's share of the cases.",
    "hits / predicted",
    "also called positive predictive value",
  ],
  inverse_precision: [
    "Inverse precision",
    "The share of the other predictions that are not this class.",
    "rejections / (N − predicted)",
    "also called negative predictive value",
  ],
  fallout: [
    "Fallout",
    "The share of the other cases that were wrongly predicted as this label.",
    "false alarms / (N − actual)",
    "also called false positive rate",
  ],
  accuracy: [
    "Accuracy",
    "The share of all predictions that are right. It is high by guessing when one class is common. Its interval is Wilson's.",
    "Σ hits / N; by guessing Σ p(l) r(l)",
    "Powers calls it Rand accuracy",
  ],
  f: [
    "F",
    "A mean of recall and precision. α is the weight of recall; 0.5 gives F1.",
    "1 / (α/recall + (1 − α)/precision)",
    "van Rijsbergen 1979; Powers 2003",
  ],
  inverse_f: [
    "Inverse F (IF)",
    "F of everything that is not the label.",
    "1 / (α/inverse recall + (1 − α)/inverse precision)",
    POWERS,
  ],
  average_f: ["Average F (AvF)", "The labels' F averaged by predicted share.", "1 / Σ p(l)/F(l)", POWERS],
  g: ["G", "The geometric mean of precision and recall.", "√(precision · recall)", POWERS],
  inverse_g: ["Inverse G (IG)", "G of everything that is not the label.", "√(inverse precision · inverse recall)", POWERS],
  average_g: ["Average G (AvG)", "The labels' G averaged by predicted share.", "Π G(l)^p(l)", POWERS],
  jaccard: [
    "Jaccard",
    "The share of right predictions among all cases that are the class or are predicted as it.",
    "hits / (predicted + actual − hits)",
    "Jaccard 1901; Tanimoto 1958",
  ],
  balanced_accuracy: [
    "Mean recall",
    "The mean of the recalls, also called balanced accuracy. It does not change with prevalence.",
    "Σ recall(l) / K",
    "Brodersen et al. 2010",
  ],
  mcc: [
    "MCC",
    "The correlation between predicted and actual classes.",
    "(N Σ hits − Σ P R) / √((N² − Σ P²)(N² − Σ R²))",
    "Matthews 1975; Gorodkin 2004",
  ],
  kappa: [
    "Kappa",
    "Accuracy above guessing, relative to the most it could be above.",
    "(accuracy − Σ p r) / (1 − Σ p r)",
    "Cohen 1960",
  ],
  conditional_entropy: [
    "Conditional entropy",
    "The bits still needed to know the class once the prediction is known. 0 means that the prediction settles it.",
    "H(actual | predicted) = H(both) − H(predicted)",
    "Shannon 1948",
  ],
  break_even_margin: [
    "Break-even margin",
    "The highest overround of a bookmaker at which unit bets on the predictions still do not lose.",
    "v* = Σ recall(l) − 1",
    "unit stakes at odds 1/(r (1 + v))",
  ],
  break_even_commission: [
    "Break-even commission",
    "The highest commission on winnings at which unit bets on the predictions still do not lose.",
    "κ* = 1 − (1 − accuracy)/(Σ recall(l) − accuracy)",
    "unit stakes at fair odds",
  ],
  edge: [
    "Informedness of a label",
    "What a bet on this label earns at fair odds: recall minus fallout. The bar is its 95% interval, for this label alone.",
    "G(l) = recall − fallout",
    POWERS,
  ],
  mosaic: [
    "Mosaic",
    "Each column is an actual class and as wide as its share. The green part at the bottom is its recall. The dotted line is the recall by guessing. Green above the line is knowledge. A deeper colour wins or loses more dollars.",
    "width r(k), height of a part P(predicted | actual)",
    "after Hartigan & Kleiner 1981",
  ],
  informed: [
    "Informed share",
    "The share of cases in which the predictor knows the answer. In the others it guesses with the given shares. Informedness recovers this share exactly.",
    "(1 − |g|) · guess × actual + |g| · right answers; below 0 (two classes) the wrong answers",
    `${POWERS}, models 1 to 4`,
  ],
  prevalence: [
    "Prevalence",
    "How common the class is. Recalls stay as they are. Precision, F and accuracy move. For two classes informedness stays; for more the mean recall stays.",
    "columns rescaled to the new shares",
    POWERS,
  ],
  times: [
    "Multiply by",
    "The same shares with more cases. Informedness stays. The p-value and the interval shrink.",
    "counts · factor",
    POWERS,
  ],
  ap: [
    "Average precision",
    "The mean of the precision at each hit. 1 means that all targets come first.",
    "AP = (1/m) Σ i/T(i), T(i) = rank of the i-th hit",
    SU,
  ],
  expected_ap: [
    "E(AP) and sd(AP)",
    "Mean and standard deviation of AP when the order is random, exactly. The mean exceeds m/n.",
    "E[W] = q₁H + q₂(n − H), W = m · AP, H = Σ 1/k",
    `${SU}; closed form in O(n)`,
  ],
  ap_tail: [
    "Chance of this AP",
    "The probability that a random order has an AP at least this high. All orders are counted for short lists; random orders are drawn for long ones.",
    "P(AP ≥ observed)",
    SU,
  ],
  hits: [
    "Hits at a depth",
    "Targets among the first t items. Under random selection the number is hypergeometric.",
    "h(t); mean t·m/n, variance t π(1 − π)(n − t)/(n − 1)",
    SU,
  ],
  recall_at: ["Recall at depth", "The share of all targets that are among the first t items.", "r(t) = h(t)/m", SU],
  precision_at: ["Precision at depth", "The share of the first t items that are targets.", "p(t) = h(t)/t", SU],
  hits_tail: [
    "Chance of these hits",
    "The probability that random selection finds at least as many targets within this depth.",
    "P(hypergeometric ≥ h)",
    SU,
  ],
  stake: [
    "Kelly stake",
    "The share of the bankroll that makes wealth grow fastest in the long run. A negative stake is a lay: you act as the bookmaker.",
    "f = (O p − 1)/(O − 1)",
    `${KELLY}; ${KALIA}`,
  ],
  growth: [
    "Growth per bet",
    "The expected growth of log wealth if your probabilities are right.",
    "Σ p(k) log W(k), in nats; exp of it is the growth factor",
    KELLY,
  ],
  double: [
    "Bets to double",
    "After this many bets log wealth has grown by log 2 on average, so that typical wealth has doubled, if your probabilities are right.",
    "log 2 / growth per bet",
    KELLY,
  ],
  factor: [
    "Wealth factor",
    "What the bankroll is multiplied by after this outcome.",
    "true: 1 + f (O − 1) = p/q; false: 1 − f = (1 − p)/(1 − q), q = 1/O",
    KALIA,
  ],
  fair: [
    "Fair odds at your probability",
    "The odds at which a bet would neither win nor lose on average if your probability is right.",
    "1/p",
    KELLY,
  ],
  profit: [
    "Expected profit",
    "What each dollar staked earns on average, if your probability is right.",
    "O p − 1; for a lay 1 − O p",
    KALIA,
  ],
  drawdown: [
    "Largest fall",
    "The largest fall of log wealth from a height that was reached before.",
    "max over t of (highest so far − log W(t))",
    "also called drawdown",
  ],
  target_share: ["Share of targets", "The precision that random selection has on average at every depth.", "π = m/n", SU],
  race_stakes: [
    "Stakes in a race",
    "Back the runners with the highest p · O until the next one would not add to growth. The rest of the bankroll is kept.",
    "f(k) = p(k) − R/O(k), R = (1 − Σ p)/(1 − Σ 1/O) over the backed runners",
    KELLY,
  ],
  book: [
    "Over-round",
    "The sum of the prices 1/O minus 1: what the bookmaker keeps. Below 0 backing every runner is a sure profit.",
    "Σ 1/O(k) − 1",
    "also called vigorish",
  ],
  wealth: [
    "Wealth",
    "What a bankroll of 1 becomes when one model bets Kelly's stakes at the other model's fair prices.",
    "W(t) = Π p(y)/q(y)",
    KALIA,
  ],
  e_value: [
    "E-value",
    "The final wealth as evidence against the rival's probabilities. If they were right, wealth would reach 20 with a chance of at most 1 in 20. A large e-value is evidence against the rival. It does not show that the model is right.",
    "P(W ≥ 1/α) ≤ α if the rival's probabilities are true",
    "Ville 1939; Shafer 2021",
  ],
  returns: ["Single returns", "What each case multiplies wealth by.", "S(t) = p(y)/q(y)", KALIA],
  expected_path: [
    "Expected path",
    "The mean log wealth if the model's probabilities are right. The number beside it is the standard deviation (sd), and the band is 1.96 sd wide on each side.",
    "Σ p log(p/q) + (1 − p) log((1 − p)/(1 − q)); variance Σ p(1 − p)(logit p − logit q)²",
    KALIA,
  ],
  log_score: [
    "Log score",
    "The mean of −log of the probability given to what happened. Lower is better. Their difference is growth per case.",
    "−(1/n) Σ log p(y)",
    "Good 1952",
  ],
  brier: [
    "Brier score",
    "The mean squared distance between probability and outcome. Lower is better.",
    "(1/n) Σ (p − y)²",
    "Brier 1950",
  ],
};

let open = null;

function close() {
  if (!open) return;
  open.button.setAttribute("aria-expanded", "false");
  open.box.remove();
  open = null;
}

/** Put the box below its button, inside the window. */
function place(box, button) {
  const at = button.getBoundingClientRect();
  const width = Math.min(340, document.documentElement.clientWidth - 24);
  box.style.width = `${width}px`;
  const left = Math.min(Math.max(12, at.left - 20), document.documentElement.clientWidth - width - 12);
  box.style.left = `${left + window.scrollX}px`;
  box.style.top = `${at.bottom + 8 + window.scrollY}px`;
}

/** A small button that explains a number. */
export function help(name) {
  const [title, meaning, formula, source] = HELP[name];
  const button = h(
    "button",
    {
      type: "button",
      class: "help",
      "aria-label": `What is ${title}?`,
      "aria-expanded": "false",
      onclick: (event) => {
        event.stopPropagation();
        const wasOpen = open?.button === button;
        close();
        if (wasOpen) return;
        const box = h(
          "div.help-box",
          { role: "note" },
          h("strong", title),
          h("p", meaning),
          h("code", formula),
          h("small", source),
        );
        document.body.append(box);
        place(box, button);
        button.setAttribute("aria-expanded", "true");
        open = { button, box };
      },
    },
    "?",
  );
  return button;
}

/** Close the help with Escape or a click elsewhere. */
export function listenForClosing() {
  document.addEventListener("click", (event) => {
    if (open && !open.box.contains(event.target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !open) return;
    open.button.focus();
    close();
  });
  window.addEventListener("resize", close);
}

/** A number with its name, its help, and perhaps what it is compared with. */
export const numberPair = (title, name, value, { id, beside } = {}) =>
  h("div", h("dt", title, help(name)), h(id ? `dd#${id}` : "dd", value), beside ? h("dd.chance", beside) : null);
