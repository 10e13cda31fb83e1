// Which systems are shown, and which measure.
const MOST_SHOWN = facts.palette.length;
const FIRST_SHOWN = 5;
const state = {
  measure: 0,
  // A system has a slot, and with it a colour, as long as it is shown.
  slots: new Array(MOST_SHOWN).fill(null),
  pair: [0, 0],
};
const listeners = [];

const shown = () => state.slots.filter((system) => system !== null);
const slotOf = (system) => state.slots.indexOf(system);

/** Call this when what is shown changes, and now. */
function whenChanged(listener) {
  listeners.push(listener);
}

function changed(what) {
  for (const listener of listeners) listener(what);
}

function toggleSystem(system, on) {
  const slot = slotOf(system);
  if (on && slot < 0) {
    const free = state.slots.indexOf(null);
    if (free >= 0) state.slots[free] = system;
  } else if (!on && slot >= 0 && shown().length > 1) {
    state.slots[slot] = null;
  }
  changed("systems");
}

function showLegends() {
  for (const box of document.querySelectorAll("[data-shows]")) {
    const system = Number(box.dataset.shows);
    box.checked = slotOf(system) >= 0;
    box.disabled = !box.checked && shown().length >= MOST_SHOWN;
    box.parentNode.querySelector(".swatch").replaceWith(swatch(slotOf(system)));
  }
  const order = facts.orders[state.measure];
  const few = facts.systems.length <= MOST_SHOWN;
  for (const legend of document.querySelectorAll("[data-legend]")) {
    const held = document.activeElement && legend.contains(document.activeElement)
      ? document.activeElement.dataset.system : null;
    const chips = order.filter((system) => few || slotOf(system) >= 0).map((system) =>
      make("button", {
        type: "button", "data-system": system, "aria-pressed": String(slotOf(system) >= 0),
        onclick: () => toggleSystem(system, slotOf(system) < 0),
      }, swatch(slotOf(system)), facts.systems[system]));
    const rest = order.filter((system) => slotOf(system) < 0);
    const adder = few || shown().length >= MOST_SHOWN ? null
      : make("label", {}, "also ", make("select", { onchange: (event) => toggleSystem(Number(event.target.value), true) },
        make("option", { value: "" }, "choose…"),
        ...rest.map((system) => make("option", { value: system }, facts.systems[system]))));
    legend.replaceChildren(...chips, adder || "");
    if (held !== null) legend.querySelector(`[data-system="${held}"]`)?.focus();
  }
}

function showMeasure() {
  for (const part of document.querySelectorAll("[data-measure]")) {
    part.hidden = Number(part.dataset.measure) !== state.measure;
  }
  for (const name of document.querySelectorAll("[data-named]")) name.textContent = facts.measures[state.measure];
}

function startSystems() {
  const order = facts.orders[0];
  order.slice(0, FIRST_SHOWN)
    .forEach((system, slot) => { state.slots[slot] = system; });
  const baseline = facts.baselines && facts.baselines.length
    ? facts.systems.indexOf(facts.baselines[0]) : order[0];
  if (slotOf(baseline) < 0) state.slots[state.slots.indexOf(null)] = baseline;
  const other = order.find((system) => system !== baseline) ?? baseline;
  // The better one is told beside the other, unless a baseline was named.
  state.pair = facts.baselines && facts.baselines.length ? [other, baseline] : [baseline, other];
  for (const box of document.querySelectorAll("[data-shows]")) {
    box.addEventListener("change", () => toggleSystem(Number(box.dataset.shows), box.checked));
  }
  byId("measure")?.addEventListener("change", (event) => {
    state.measure = Number(event.target.value);
    changed("measure");
  });
  whenChanged(showLegends);
  whenChanged((what) => { if (what !== "systems") showMeasure(); });
}

/** What a row of a chart says of its system. */
const marks = (system) => ({
  system: facts.systems[system],
  colour: facts.palette[slotOf(system)],
  shape: facts.shapes[slotOf(system)],
});
