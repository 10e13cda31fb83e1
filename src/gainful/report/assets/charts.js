// Charts: Vega draws what Altair described, from the rows that it is given here.
// The view of each chart, as it will be.
const views = new Map();
const ERRORS_ALONE = 1;
const LOOK = {
  font: getComputedStyle(document.body).fontFamily,
  axis: { labelFontSize: 11.5, titleFontSize: 11.5, titleFontWeight: 400, titlePadding: 8, tickSize: 4 },
  view: { stroke: null },
};
const behind = new Map();

/**
 * Draw rows. `table` gives headers and rows of the table behind the chart, made when it is opened;
 * `open` is called with the row that was clicked.
 */
function draw(name, rows, { table, open } = {}) {
  const place = byId(`chart-${name}`);
  if (!place) return;
  behind.set(name, table);
  fillTable(name);
  if (!views.has(name)) {
    views.set(name, embedded(name, place, rows, open));
    return;
  }
  // Several calls in a row are answered in their order.
  views.set(name, views.get(name).then((view) => {
    view.data("rows", rows);
    return view.runAsync();
  }));
}

async function embedded(name, place, rows, open) {
  const spec = { ...facts.charts[name], datasets: { rows } };
  const { view } = await vegaEmbed(place, spec, {
    mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, tooltip: showTip,
    hover: false, logLevel: ERRORS_ALONE, config: LOOK,
  });
  if (open) {
    view.addEventListener("click", (event, item) => {
      if (item && item.datum && item.datum.at !== undefined) open(item.datum);
    });
  }
  return view;
}

function fillTable(name) {
  const details = document.querySelector(`[data-behind="${name}"]`);
  const table = behind.get(name);
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
  const wide = tip.offsetWidth;
  const left = event.clientX + 14 + wide > innerWidth ? event.clientX - wide - 14 : event.clientX + 14;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 4)}px`;
}

function startCharts() {
  document.body.append(tip);
  for (const details of document.querySelectorAll("[data-behind]")) {
    details.addEventListener("toggle", () => fillTable(details.dataset.behind));
  }
}
