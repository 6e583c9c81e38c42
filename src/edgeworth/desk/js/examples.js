// Tables that are one click away. Rows are predicted unless an example says otherwise.

import { informedMixture } from "./table.js";
import { plainNumber } from "./format.js";

const SIGNS = ["+", "−"];
const ACTUAL = ["0.7", "0.3"];
const GUESS = ["0.8", "0.2"];

/** One of the paper's four models: what is typed into its spreadsheet, and the table that follows. */
function model(id, name, informed, note) {
  const cells = informedMixture(ACTUAL.map(Number), GUESS.map(Number), informed, 100);
  return {
    id,
    name,
    note,
    labels: SIGNS,
    rows: "predicted",
    cells,
    mixture: { actual: ACTUAL, guess: GUESS, informed, cases: "100" },
  };
}

const TWELVE = [
  [11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [7, 1, 0, 0, 2, 0, 1, 18, 7, 1, 0, 0],
  [0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0],
  [2, 0, 0, 1, 1, 0, 0, 8, 3, 0, 0, 0],
  [2, 0, 0, 1, 2, 0, 1, 6, 3, 0, 0, 0],
  [2, 0, 0, 1, 1, 1, 0, 3, 1, 1, 0, 0],
  [0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0],
  [0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0],
  [2, 0, 0, 0, 1, 0, 0, 6, 2, 1, 0, 0],
  [4, 0, 0, 0, 1, 0, 0, 12, 4, 0, 3, 0],
  [1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1],
];

const DIGITS = [
  [84, 0, 0, 0, 0, 2, 0, 0, 1, 1],
  [0, 67, 2, 0, 0, 0, 0, 2, 13, 7],
  [0, 8, 72, 0, 0, 1, 2, 0, 3, 0],
  [0, 2, 2, 72, 0, 2, 0, 2, 9, 2],
  [1, 0, 0, 0, 67, 0, 0, 22, 1, 1],
  [0, 2, 0, 4, 0, 74, 1, 3, 2, 5],
  [0, 1, 0, 0, 0, 0, 90, 0, 0, 0],
  [0, 0, 2, 0, 0, 12, 0, 72, 2, 1],
  [0, 2, 5, 0, 0, 9, 0, 4, 67, 1],
  [1, 1, 0, 6, 0, 5, 1, 6, 11, 61],
];

export const EXAMPLES = [
  model("model1", "Model 1", 0, "Figure 1, model 1: pure guessing. Precision is 70% and recall is 80%, yet nothing is won."),
  model("model2", "Model 2", 1, "Figure 1, model 2: always right."),
  model("model3", "Model 3", 0.15, "Figure 1, model 3: informed 15% of the time, guessing otherwise."),
  model("model4", "Model 4", -0.15, "Figure 1, model 4: informed 15% of the time, and then wrong on purpose."),
  {
    id: "poster",
    name: "Poster",
    labels: SIGNS,
    rows: "predicted",
    cells: [
      [12, 28],
      [18, 42],
    ],
    note: "The poster's guesser at odds of 7:3: $210 won and $210 lost.",
  },
  {
    id: "noun",
    name: "Always noun",
    labels: ["noun", "verb"],
    rows: "predicted",
    cells: [
      [90, 10],
      [0, 0],
    ],
    note: "A tagger that calls every word a noun: 90% accuracy, no information.",
  },
  {
    id: "twelve",
    name: "12 classes",
    labels: [..."ABEGHIKMNOPZ"],
    rows: "predicted",
    cells: TWELVE,
    isPartial: true,
    note: "The paper's twelve word senses, rebuilt from its percentages: one of the tables with these totals and this diagonal. Cells off the diagonal are not determined, so numbers that need them are not shown.",
  },
  {
    id: "digits",
    name: "10 digits",
    labels: [..."0123456789"],
    rows: "actual",
    cells: DIGITS,
    note: "scikit-learn's handwritten digits, Gaussian naive Bayes, first half for training and second half for testing. Rows are actual, as scikit-learn prints them.",
  },
];

export const findExample = (id) => EXAMPLES.find((each) => each.id === id) ?? null;

/** The cells of an example as they are typed. */
export const typedCells = (example) => example.cells.map((row) => row.map(plainNumber));
