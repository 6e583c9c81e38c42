const read = (id) => JSON.parse(document.getElementById(id).textContent);
const options = { ast: true, actions: false, renderer: "svg", defaultStyle: false,
  tooltip: { disableDefaultStyle: true } };
for (const figure of document.querySelectorAll("figure[data-spec]")) {
  const picture = figure.querySelector(".picture");
  const holder = document.createElement("div");
  const still = picture.querySelector("svg");
  vegaEmbed(holder, read(figure.dataset.spec), options).then(
    () => { still.replaceWith(holder); figure.dataset.drawn = "yes"; },
    (problem) => { figure.dataset.drawn = "no"; console.error(problem); });
}
