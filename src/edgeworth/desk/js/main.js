// The page: tabs, link, undo, keyboard.

import { decode, encode, Store } from "./state.js";
import { announce, h, pause } from "./dom.js";
import { listenForClosing } from "./help.js";
import { copy } from "./export.js";
import { Helper } from "./worker.js";
import { createTable } from "./table_tab.js";
import { createRanking } from "./ranking_tab.js";
import { createBet } from "./bet_tab.js";
import { createRace } from "./race_tab.js";

const TABS = [
  ["table", "Table", "Labels: a contingency table"],
  ["ranking", "Ranking", "Scores: a ranked list"],
  ["bet", "Bet", "Odds: one bet"],
  ["race", "Race", "Probabilities: two forecasters"],
];

/** Start the page; `library` is the function that holds the modules without a user interface. */
export function start(library) {
  const { births, version } = JSON.parse(document.getElementById("data").textContent);
  const store = new Store(decode(location.hash.slice(1)));
  const helper = new Helper(library);
  const makers = {
    table: () => createTable(store, helper, version),
    ranking: () => createRanking(store, helper, version),
    bet: () => createBet(store, helper, version),
    race: () => createRace(store, births, version),
  };
  const made = {};
  const buttons = TABS.map(([id, name, title]) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${id}`,
        "aria-controls": `panel-${id}`,
        title,
        onclick: () => openTab(id),
        onkeydown: (event) => moveTab(event, id),
      },
      name,
    ),
  );
  document.getElementById("tabs").append(...buttons);
  const panels = document.getElementById("panels");
  for (const [id] of TABS)
    panels.append(h("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, hidden: true }));
  document.getElementById("version").textContent = version;
  const undo = document.getElementById("undo");
  const redo = document.getElementById("redo");
  undo.addEventListener("click", () => store.undo());
  redo.addEventListener("click", () => store.redo());
  document.getElementById("link").addEventListener("click", () => {
    save();
    copy(location.href, "Link");
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    // The fragment holds the state, so the link must not change it.
    event.preventDefault();
    panels.focus();
  });
  listenForClosing();

  // Browsers allow some hundred changes of the address per half minute, so it follows when typing pauses.
  function save() {
    const fragment = encode(store.state);
    if (location.hash.slice(1) !== fragment) history.replaceState(null, "", `#${fragment}`);
  }
  const saveLater = pause(250, save);
  window.addEventListener("pagehide", save);

  function openTab(id) {
    if (store.state.tab !== id) store.open(id);
  }

  function moveTab(event, id) {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const place = TABS.findIndex(([name]) => name === id);
    const next = Math.abs(step) === 1 ? (place + step + TABS.length) % TABS.length : step < 0 ? 0 : TABS.length - 1;
    openTab(TABS[next][0]);
    buttons[next].focus();
  }

  function render(state) {
    TABS.forEach(([id], place) => {
      const isOpen = id === state.tab;
      buttons[place].setAttribute("aria-selected", String(isOpen));
      buttons[place].tabIndex = isOpen ? 0 : -1;
      document.getElementById(`panel-${id}`).hidden = !isOpen;
    });
    if (!made[state.tab]) {
      made[state.tab] = makers[state.tab]();
      document.getElementById(`panel-${state.tab}`).append(made[state.tab].element);
    }
    made[state.tab].update(state);
    undo.disabled = !store.past.length;
    redo.disabled = !store.future.length;
    saveLater();
  }

  store.subscribe(render);
  window.addEventListener(
    "resize",
    pause(150, () => render(store.state)),
  );
  window.addEventListener("hashchange", () => {
    const fragment = location.hash.slice(1);
    if (fragment !== encode(store.state)) store.replace({ ...store.state, ...only(decode(fragment)) });
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const isRedo = key === "y" || (key === "z" && event.shiftKey);
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    document.activeElement?.blur?.();
    if (isRedo ? store.redo() : store.undo()) announce(isRedo ? "Redone" : "Undone");
  });
  render(store.state);
}

/** The tab of a link and what it holds; the other tabs stay as they are. */
const only = (state) => ({ tab: state.tab, [state.tab]: state[state.tab] });
