// Elements of the page. Text is always text: nothing that a person typed becomes markup.

const SVG = "http://www.w3.org/2000/svg";

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden"]);

const isShown = (child) => child !== null && child !== undefined && child !== false;

/** Split "p.note#why" into the tag, its classes and its id. */
function readTag(text) {
  const [, tag, rest] = /^(\w+)(.*)$/.exec(text);
  const names = [...rest.matchAll(/([.#])([\w-]+)/g)];
  const classes = names.filter(([, mark]) => mark === ".").map(([, , name]) => name);
  const id = names.find(([, mark]) => mark === "#")?.[2];
  return { tag, classes, id };
}

const isAttributes = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Node);

function make(create, text, inside) {
  const { tag, classes, id } = readTag(text);
  const element = create(tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  if (id) element.id = id;
  const [attributes, children] = isAttributes(inside[0]) ? [inside[0], inside.slice(1)] : [{}, inside];
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else if (value === true) element.setAttribute(name, "");
    else if (isShown(value)) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter(isShown));
  return element;
}

/** Make an HTML element: h("p.note#why", { title: "…" }, "text", child, …). */
export const h = (text, ...inside) => make((tag) => document.createElement(tag), text, inside);

/** Make an SVG element in the same way. */
export const s = (text, ...inside) => make((tag) => document.createElementNS(SVG, tag), text, inside);

/** Replace what is inside an element. */
export function show(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isShown));
  return element;
}

/** A labelled text field. `onchange` receives the text at every keystroke. */
export function field(label, { width = "s", onchange, describe, ...more }) {
  const usual = { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" };
  const input = h(`input.field.field-${width}`, { ...usual, oninput: () => onchange(input.value), ...more });
  const wrapper = h("label.labelled", h("span", label), input, describe ? h("small", describe) : null);
  const set = (value) => {
    if (document.activeElement !== input && input.value !== value) input.value = value;
  };
  return { wrapper, input, set };
}

/** Tell screen readers and the style whether what was typed can be used. */
export const markInvalid = (input, isInvalid) => input.setAttribute("aria-invalid", String(isInvalid));

/** A slider with its value beside it. */
export function slider(label, { min, max, step, onchange, shown }) {
  const output = h("output");
  const input = h("input", { type: "range", min, max, step, "aria-label": label });
  const tell = () => {
    output.textContent = shown(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => {
    tell();
    onchange(Number(input.value));
  });
  const set = (value) => {
    input.value = value;
    tell();
  };
  return { wrapper: h("div.slider", h("span.slider-name", label), input, output), input, set };
}

/** A row of buttons of which one is pressed. */
function choiceButtons(choices, kind, onchange) {
  const buttons = choices.map(([value, text]) =>
    h(`button${kind}`, { type: "button", "data-value": value, onclick: () => onchange(value) }, text),
  );
  const set = (value) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === value));
  };
  set(null);
  return { buttons, set };
}

/** A switch between a few values. */
export function segmented(label, choices, onchange) {
  const { buttons, set } = choiceButtons(choices, "", onchange);
  return { wrapper: h("div.segmented", { role: "group", "aria-label": label }, h("span", label), buttons), set };
}

/** Examples that are one click away. */
export function exampleChips(examples, onchange) {
  const { buttons, set } = choiceButtons(
    examples.map(({ id, name }) => [id, name]),
    ".chip",
    onchange,
  );
  return { wrapper: h("div.chips", { role: "group", "aria-label": "Examples" }, h("span.chips-name", "Examples"), buttons), set };
}

/** A card with a heading. */
export const card = (title, options, ...children) =>
  h(`section.card.${options.class}`, { "aria-label": options.name ?? title }, h("h2", title, options.help), ...children);

/** What the colours and lines of a picture mean. */
export const legend = (...entries) =>
  h(
    "p.legend",
    entries.map(([name, text]) => h(`span.key.${name}`, text)),
  );

/** A table of numbers that scrolls inside its card. */
export const numberTable = (name, head, rows, foot) =>
  h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": name },
    h("table.numbers", h("caption.offscreen", name), h("thead", head), h("tbody", rows), foot ? h("tfoot", foot) : null),
  );

/** A cell of the head of a table. */
export const columnHead = (text, ...more) => h("th", { scope: "col" }, text, ...more);

/** Run a function when typing has paused. */
export function pause(milliseconds, run) {
  let timer = 0;
  return (...inputs) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...inputs), milliseconds);
  };
}

let announcer = null;

/** Tell a message on the page and to screen readers. */
export function announce(message) {
  announcer ??= document.getElementById("toast");
  announcer.textContent = message;
  announcer.classList.add("shown");
  clearTimeout(announcer.timer);
  announcer.timer = setTimeout(() => announcer.classList.remove("shown"), 2500);
}
