// Format numbers and make elements.

/** Format a value with four digits and no zero before the point. */
function digits(value, places = 4) {
  if (value === null || value === undefined || value !== value) return "–";
  const text = value.toFixed(places);
  if (text.startsWith("0.")) return text.slice(1);
  if (text.startsWith("-0.")) return "−" + text.slice(2);
  return text.replace("-", "−");
}

/** Format a difference with its sign. */
function signed(value, places = 4) {
  const text = digits(value, places);
  return text.startsWith("−") || text === "–" || value === 0 ? text : "+" + text;
}

/** Format a p-value, never as 0. */
const probability = (p) => (p === null ? "–" : p < 0.0001 ? "< .0001" : digits(p));

const whole = (count) => count.toLocaleString("en");

/** Format a score of the selected measure; sums of counts are whole numbers. */
const score = (value) => (facts.sums[state.measure] ? digits(value, 0) : digits(value));

/** Make an element. Text is never parsed as HTML. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Make the short name of a system, with its full name as the tooltip. */
function nameOf(system) {
  const [short, full] = [facts.names[system], facts.systems[system]];
  return make("span", { title: short === full ? null : full }, short);
}

const byId = (id) => document.getElementById(id);

/** Make a bar for a share from 0 to 1. */
function bar(share, color) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", "100%");
  svg.setAttribute("height", "4");
  svg.setAttribute("aria-hidden", "true");
  for (const [width, fill] of [[1, "var(--line)"], [Math.max(0, Math.min(1, share)), color]]) {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    rect.setAttribute("width", `${100 * width}%`);
    rect.setAttribute("height", "4");
    rect.setAttribute("fill", fill);
    svg.append(rect);
  }
  return svg;
}

const SHAPES = {
  circle: "M8 1a7 7 0 1 0 .01 0z",
  square: "M2 2h12v12H2z",
  "triangle-up": "M8 1l7.5 13H.5z",
  diamond: "M8 0l7 8-7 8-7-8z",
  cross: "M5.5 1h5v4.5H15v5h-4.5V15h-5v-4.5H1v-5h4.5z",
  "triangle-down": "M8 15L.5 2h15z",
  "triangle-right": "M15 8L2 .5v15z",
  "triangle-left": "M1 8l13-7.5v15z",
};

/** Make the mark of a plotted system, with its color and shape. */
function swatch(system) {
  const slot = slotOf(system);
  const holder = make("span", { class: "swatch", "aria-hidden": "true" });
  if (slot < 0) return holder;
  holder.innerHTML =
    `<svg viewBox="0 0 16 16"><path d="${SHAPES[facts.shapes[slot]]}" fill="${colorOf(system)}"/></svg>`;
  return holder;
}

/** Make the data table of a chart. */
function numbersTable(headers, rows) {
  const head = make("tr", {}, ...headers.map((text) => make("th", { scope: "col" }, text)));
  const lines = rows.map((row) =>
    make("tr", {}, ...row.map((cell, at) =>
      make(at ? "td" : "th", at ? { class: typeof cell === "string" ? null : "number" } : { scope: "row" },
        typeof cell === "number" ? (Number.isInteger(cell) ? whole(cell) : digits(cell)) : String(cell)))));
  return make("table", { class: "plain" }, make("thead", {}, head), make("tbody", {}, ...lines));
}
