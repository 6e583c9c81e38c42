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

const isAttributes = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Node);

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
export function field(label, { value = "", width = "s", onchange, describe = "", ...more }) {
  const input = h("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    class: `field field-${width}`,
    value,
    oninput: () => onchange(input.value),
    ...more,
  });
  const wrapper = h("label.labelled", h("span", label), input, describe && h("small", {}, describe));
  return { wrapper, input };
}

/** A slider with its value beside it. */
export function slider(label, { min, max, step, value, onchange, shown }) {
  const output = h("output", {}, shown(value));
  const input = h("input", {
    type: "range",
    min,
    max,
    step,
    value,
    "aria-label": label,
    oninput: () => {
      output.textContent = shown(Number(input.value));
      input.setAttribute("aria-valuetext", shown(Number(input.value)));
      onchange(Number(input.value));
    },
  });
  input.setAttribute("aria-valuetext", shown(Number(value)));
  const set = (next) => {
    input.value = next;
    output.textContent = shown(Number(next));
    input.setAttribute("aria-valuetext", shown(Number(next)));
  };
  return {
    wrapper: h("div", { class: "slider" }, h("span", { class: "slider-name" }, label), input, output),
    input,
    set,
  };
}

/** A row of buttons of which one is pressed. */
export function segmented(label, choices, onchange) {
  const buttons = choices.map(([value, text]) =>
    h("button", { type: "button", "data-value": value, "aria-pressed": "false", onclick: () => onchange(value) }, text),
  );
  const wrapper = h("div", { class: "segmented", role: "group", "aria-label": label }, h("span", {}, label), buttons);
  const set = (value) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === value));
  };
  return { wrapper, set };
}

/** A card with a heading. */
export const card = (title, attributes, ...children) =>
  h(
    "section",
    { class: `card ${attributes.class ?? ""}`, "aria-label": attributes.name ?? title },
    title && h("h2", {}, title, attributes.help),
    ...children,
  );

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
