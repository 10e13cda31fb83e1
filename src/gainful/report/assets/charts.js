// Draw charts with Vega: the page has their specifications, and these functions add the data.

// For each chart, a promise of its Vega view.
const views = new Map();
const ERRORS_ONLY = 1;
const LOOK = {
  font: getComputedStyle(document.body).fontFamily,
  axis: { labelFontSize: 11.5, titleFontSize: 11.5, titleFontWeight: 400, titlePadding: 8, tickSize: 4 },
  view: { stroke: null },
};
const tables = new Map();

/**
 * Draw rows in a chart, or update it. `table` returns headers and rows of the data table, and is
 * called when the table is opened. `open` is called with the clicked row.
 */
function draw(name, rows, { table, open } = {}) {
  const place = byId(`chart-${name}`);
  if (!place) return;
  tables.set(name, table);
  fillTable(name);
  if (!views.has(name)) {
    views.set(name, embedChart(name, place, rows, open));
    return;
  }
  // Updates run in the order of the calls.
  views.set(name, views.get(name).then((view) => {
    view.data("rows", rows);
    return view.runAsync();
  }));
}

const whenIdle = () => new Promise((resolve) => {
  if (window.requestIdleCallback) requestIdleCallback(resolve, { timeout: 500 });
  else setTimeout(resolve, 20);
});

let library = null;

/** Run the chart library once, after the tables are shown: it is most of the page's code. */
function loadLibrary() {
  library ??= whenIdle().then(() => bytesOf("library")).then((bytes) => {
    document.head.append(make("script", {}, textIn(bytes)));
  });
  return library;
}

async function embedChart(name, place, rows, open) {
  await loadLibrary();
  await whenIdle();
  const spec = { ...facts.charts[name], datasets: { rows } };
  const { view } = await vegaEmbed(place, spec, {
    mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, tooltip: showTip,
    hover: false, logLevel: ERRORS_ONLY, config: LOOK,
  });
  if (open) {
    view.addEventListener("click", (event, item) => {
      if (item && item.datum && item.datum.at !== undefined) open(item.datum);
    });
  }
  return view;
}

function fillTable(name) {
  const details = document.querySelector(`[data-table="${name}"]`);
  const table = tables.get(name);
  if (!details || !table) return;
  const holder = details.querySelector(".wide");
  holder.replaceChildren();
  if (details.open) holder.append(numbersTable(...table()));
}

const tip = make("div", { class: "tip", hidden: true, "aria-hidden": "true" });

function showTip(handler, event, item, value) {
  if (!value) {
    tip.hidden = true;
    return;
  }
  const lines = typeof value === "object" ? Object.entries(value) : [["", String(value)]];
  tip.replaceChildren(...lines
    .filter(([, text]) => text !== "" && text !== "null" && text !== "undefined")
    .map(([name, text]) => make("div", {}, make("span", {}, name), String(text))));
  tip.hidden = false;
  const width = tip.offsetWidth;
  const left = event.clientX + 14 + width > innerWidth ? event.clientX - width - 14 : event.clientX + 14;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 4)}px`;
}

function startCharts() {
  document.body.append(tip);
  for (const details of document.querySelectorAll("[data-table]")) {
    details.addEventListener("toggle", () => fillTable(details.dataset.table));
  }
}
