// Data come as columns, those of texts as the texts and their places; the library wants rows.
const rows = (columns) => (columns.length ? columns[0].at(-1) : []).map((_, place) => Object.fromEntries(
  columns.map(([name, values, places]) => [name, values[places ? places[place] : place]])));
const read = (id) => {
  const spec = JSON.parse(document.getElementById(id).textContent);
  for (const name of Object.keys(spec.datasets)) spec.datasets[name] = rows(spec.datasets[name]);
  return spec;
};
const options = { ast: true, actions: false, renderer: "svg", defaultStyle: false,
  tooltip: { disableDefaultStyle: true } };

// Where a picture would be made smaller, letters and all, its plot is made narrower instead. What is square
// stays square, and so do plots side by side; plots one below the other become narrower together.
// Axes around 0 label every tick, so a narrower one has fewer. A title that is wider than its axis grows to the left.
const sparser = (part) => {
  for (const value of Object.values(part ?? {})) if (value && typeof value === "object") sparser(value);
  const axis = part?.x?.axis;
  if (axis?.labelOverlap === false && axis.tickCount > 2) Object.assign(axis, { tickCount: 2, titleAnchor: "end" });
};

const fitted = (spec, still, room) => {
  const over = still.width.baseVal.value - room;
  const stacked = spec.vconcat?.map((plot) => plot.width) ?? [];
  if (over > 0 && stacked.length && stacked.every((width) => typeof width === "number" && width - over > 100))
    return { ...spec, vconcat: spec.vconcat.map((plot) => ({ ...plot, width: plot.width - over })) };
  const isPlot = typeof spec.width === "number" && spec.width !== spec.height;
  if (!isPlot || over <= 0) return spec;
  for (const part of [spec.encoding, ...(spec.layer ?? [])]) sparser(part);
  return { ...spec, width: room, autosize: { type: "fit-x", contains: "padding" } };
};

for (const figure of document.querySelectorAll("figure[data-spec]")) {
  const picture = figure.querySelector(".picture");
  const holder = document.createElement("div");
  const still = picture.querySelector("svg");
  vegaEmbed(holder, fitted(read(figure.dataset.spec), still, picture.clientWidth), options).then(
    () => { still.replaceWith(holder); figure.dataset.drawn = "yes"; },
    (problem) => { figure.dataset.drawn = "no"; console.error(problem); });
}

// Paper has nothing to click on: what is folded is unfolded for it.
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not([open])")];
  for (const each of unfolded) each.open = true;
});
addEventListener("afterprint", () => { for (const each of unfolded) each.open = false; });
