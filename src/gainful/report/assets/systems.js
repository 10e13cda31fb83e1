// Select systems and a measure.
const MOST_SHOWN = facts.palette.length;
const FIRST_SHOWN = 5;
const state = {
  measure: 0,
  // The system in each slot. A slot has a color and a shape.
  slots: new Array(MOST_SHOWN).fill(null),
  pair: [0, 0],
};
const listeners = [];

const shown = () => state.slots.filter((system) => system !== null);
const slotOf = (system) => state.slots.indexOf(system);
const colorOf = (system) => facts.colors[system] ?? facts.palette[slotOf(system)];

/** Add a listener, which is called when the selection changes. */
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
  for (const box of document.querySelectorAll("[data-toggles]")) {
    const system = Number(box.dataset.toggles);
    box.checked = slotOf(system) >= 0;
    box.disabled = !box.checked && shown().length >= MOST_SHOWN;
    box.parentNode.querySelector(".swatch").replaceWith(swatch(system));
  }
  const order = facts.orders[state.measure];
  const few = facts.systems.length <= MOST_SHOWN;
  for (const legend of document.querySelectorAll("[data-legend]")) {
    const focused = document.activeElement && legend.contains(document.activeElement)
      ? document.activeElement.dataset.system : null;
    const chips = order.filter((system) => few || slotOf(system) >= 0).map((system) =>
      make("button", {
        type: "button", "data-system": system, "aria-pressed": String(slotOf(system) >= 0),
        onclick: () => toggleSystem(system, slotOf(system) < 0),
      }, swatch(system), nameOf(system)));
    const rest = order.filter((system) => slotOf(system) < 0);
    const adder = few || shown().length >= MOST_SHOWN ? null
      : make("label", {}, "add ", make("select", { onchange: (event) => toggleSystem(Number(event.target.value), true) },
        make("option", { value: "" }, "system…"),
        ...rest.map((system) => make("option", { value: system }, facts.systems[system]))));
    legend.replaceChildren(...chips, adder || "");
    if (focused !== null) legend.querySelector(`[data-system="${focused}"]`)?.focus();
  }
}

function showMeasure() {
  for (const part of document.querySelectorAll("[data-measure]")) {
    part.hidden = Number(part.dataset.measure) !== state.measure;
  }
  for (const name of document.querySelectorAll("[data-measure-name]")) name.textContent = facts.measures[state.measure];
}

function startSystems() {
  const order = facts.orders[0];
  order.slice(0, FIRST_SHOWN)
    .forEach((system, slot) => { state.slots[slot] = system; });
  const baseline = facts.baselines && facts.baselines.length
    ? facts.systems.indexOf(facts.baselines[0]) : order[0];
  if (slotOf(baseline) < 0) state.slots[state.slots.indexOf(null)] = baseline;
  const other = order.find((system) => system !== baseline) ?? baseline;
  // Without a baseline, compare the best system with the next.
  state.pair = facts.baselines && facts.baselines.length ? [other, baseline] : [baseline, other];
  for (const box of document.querySelectorAll("[data-toggles]")) {
    box.addEventListener("change", () => toggleSystem(Number(box.dataset.toggles), box.checked));
  }
  byId("measure")?.addEventListener("change", (event) => {
    state.measure = Number(event.target.value);
    changed("measure");
  });
  whenChanged(showLegends);
  whenChanged((what) => { if (what !== "systems") showMeasure(); });
}

/** Return the fields of a chart row that identify its system. */
const marks = (system) => ({
  system: facts.systems[system],
  color: colorOf(system),
  shape: facts.shapes[slotOf(system)],
});
