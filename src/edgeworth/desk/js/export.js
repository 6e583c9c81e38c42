// What leaves the page: links, commands, sentences, CSV and SVG.

import { announce, h } from "./dom.js";

/** Quote one word for a POSIX shell. */
export const shellWord = (word) => (/^[\w.,:/+@%-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

/** Copy text, also where the clipboard is not available to scripts. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea.offscreen", { value: text, "aria-hidden": "true" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  announce(`${what} copied`);
}

/** Save text as a file. */
export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  announce(`${name} saved`);
}

/** One cell of a CSV file; a spreadsheet must not take a name for a formula. */
function csvCell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]./.test(value) ? `'${value}` : String(value ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export const csv = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];

/** Write a chart with its colours as a file that stands alone. */
export function svgText(svg) {
  const copied = svg.cloneNode(true);
  const [from, to] = [svg.querySelectorAll("*"), copied.querySelectorAll("*")];
  from.forEach((element, place) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) to[place].setAttribute(name, style.getPropertyValue(name));
    to[place].removeAttribute("class");
  });
  const { width, height } = svg.viewBox.baseVal;
  copied.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copied.setAttribute("width", width);
  copied.setAttribute("height", height);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [
    ["width", width],
    ["height", height],
    ["fill", getComputedStyle(document.body).backgroundColor],
  ])
    paper.setAttribute(name, value);
  copied.prepend(paper);
  return new XMLSerializer().serializeToString(copied);
}

/** Disable the buttons while the input is invalid, so that an outdated answer cannot be copied. */
export function enableActions(bar, isEnabled) {
  for (const button of bar.children) button.disabled = !isEnabled;
}

/** Buttons under a tab: copy and download. */
export function actions(entries) {
  return h(
    "div.actions",
    { role: "group", "aria-label": "Copy and download" },
    entries.map(([label, run]) => h("button.quiet", { type: "button", onclick: run }, label)),
  );
}
