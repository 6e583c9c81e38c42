
// A cut that is moved: its numbers are looked up, and only costs are added up here.
const amount = (value) => (Number.isInteger(value) || value >= 100
  ? value.toLocaleString("en", { maximumFractionDigits: 1 }) : value.toFixed(3));
for (const [place, box] of [...document.querySelectorAll(".cut")].entries()) {
  const { keys, texts, spoken, alarms, misses, cases, start } = JSON.parse(box.querySelector("script").textContent);
  const name = place ? `cut${place + 1}` : "cut";
  const range = box.querySelector("[type=range]");
  const [alarm, miss] = box.querySelectorAll("[type=number]");
  const called = box.querySelector("label").textContent.toLowerCase();
  const line = box.querySelector("line");
  const move = box.querySelector("button");
  const usual = [alarm.value, miss.value];
  const cost = (at) => alarm.valueAsNumber * alarms[at] + miss.valueAsNumber * misses[at];
  const write = (cell, text) => { for (const each of box.querySelectorAll(`[data-cell="${cell}"]`)) each.textContent = text; };
  let best = 0;
  let waiting = 0;

  const show = () => {
    const at = range.valueAsNumber;
    line.setAttribute("x1", (100 * at) / (keys.length - 1));
    line.setAttribute("x2", (100 * at) / (keys.length - 1));
    for (const cell of Object.keys(texts)) write(cell, texts[cell][at]);
    range.setAttribute("aria-valuetext", [texts.at[at], ...spoken.map((each) => `${each} ${texts[each][at]}`)].join(", "));
    const priced = alarm.value !== "" && miss.value !== "" && alarm.validity.valid && miss.validity.valid;
    best = keys.reduce((least, _, each) => {
      const less = cost(each) - cost(least);
      return less < 0 || (less === 0 && alarms[each] < alarms[least]) ? each : least;
    }, 0);
    write("cost", priced ? amount(cost(at)) : "–");
    write("each", priced ? `${amount(cost(at) / cases)} per case` : "costs are numbers of at least 0");
    write("least", priced ? `${amount(cost(best))} at ${called} ${texts.at[best]}` : "–");
    move.disabled = !priced || best === at;
  };
  // A link says the cut, and the costs where they were changed.
  const link = () => {
    const said = [`${name}=${keys[range.valueAsNumber]}`];
    if (alarm.value !== usual[0] || miss.value !== usual[1]) said.push(`alarm=${alarm.value}`, `miss=${miss.value}`);
    history.replaceState(null, "", `#${said.join("&")}`);
  };
  const changed = () => { show(); clearTimeout(waiting); waiting = setTimeout(link, 200); };
  const follow = () => {
    const said = new URLSearchParams(location.hash.slice(1));
    if (!said.has(name)) return;
    const wanted = said.get(name);
    const gap = (each) => Math.abs(Number(keys[each]) - Number(wanted));
    const found = keys.indexOf(wanted);
    range.value = found >= 0 ? found : keys.reduce((near, _, each) => (gap(each) < gap(near) || Number.isNaN(gap(near)) ? each : near), start);
    if (said.has("alarm")) alarm.value = said.get("alarm");
    if (said.has("miss")) miss.value = said.get("miss");
    show();
    box.scrollIntoView({ block: "center" });
  };
  for (const each of [range, alarm, miss]) each.addEventListener("input", changed);
  move.addEventListener("click", () => { range.value = best; changed(); range.focus(); });
  addEventListener("hashchange", follow);
  box.classList.add("live");
  show();
  follow();
}
