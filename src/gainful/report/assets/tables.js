// Sort, filter and download tables, and copy texts.

function sortTable(button) {
  const heading = button.closest("th");
  const table = button.closest("table");
  const at = [...heading.parentNode.children].indexOf(heading);
  const rising = heading.getAttribute("aria-sort") === "descending" ||
    (!heading.hasAttribute("aria-sort") && button.dataset.sort === "text") ||
    (!heading.hasAttribute("aria-sort") && heading.classList.contains("place"));
  for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const key = (row) => row.children[at].dataset.value;
  const compare = button.dataset.sort === "text"
    ? (a, b) => key(a).localeCompare(key(b))
    : (a, b) => Number(key(a)) - Number(key(b));
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => (rising ? compare(a, b) : compare(b, a))));
}

/** Offer a text as a file. */
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Write rows as CSV (RFC 4180), with a mark that tells spreadsheets the encoding. */
const csv = (rows) => "\ufeff" + rows.map((row) => row.map((cell) =>
  (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join() + "\r\n").join("");

/** Return the text of a cell, and the text of its small print: an interval or an id. */
function partsOf(cell) {
  const small = cell.querySelector("small");
  const rest = cell.cloneNode(true);
  for (const part of rest.querySelectorAll("small, svg, [aria-hidden=true]")) part.remove();
  const { value } = cell.dataset;
  const text = value && cell.tagName === "TD" && isFinite(value) && !cell.matches(".place, .wins")
    ? value : cell.querySelector("[title]")?.title || rest.textContent.trim();
  return [text, small && small.checkVisibility?.() !== false ? small.textContent.trim() : ""];
}

/** Return the rows of a table as texts; a column with small print becomes two. */
function rowsOf(table) {
  const rows = [...table.rows].filter((row) => !row.classList.contains("opened"))
    .map((row) => [...row.cells].map(partsOf));
  const used = rows[0].map((_, at) => [0, 1].map((part) => rows.some((row) => row[at]?.[part])));
  return rows.map((row) => row.flatMap((cell, at) => cell.filter((_, part) => used[at][part])));
}

/** Add a button below a table that downloads it. `prepare` is awaited first. */
function offerDownload(holder, name, prepare = () => null) {
  holder.after(make("p", { class: "download screen" }, make("button", {
    type: "button", "aria-label": `Download ${holder.getAttribute("aria-label")} as CSV`,
    onclick: async () => {
      await prepare();
      download(`${name}.csv`, csv(rowsOf(holder.querySelector("table"))));
    },
  }, "CSV")));
  const button = holder.nextElementSibling;
  if (holder.dataset.measure) button.dataset.measure = holder.dataset.measure;
  button.hidden = holder.hidden;
}

// The number of systems that a long leaderboard shows at first.
const FIRST_ROWS = 10;

/** Show the systems that match the search; a long leaderboard without one is cut. */
function filterSystems() {
  const words = byId("system-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const ticked = byId("system-ticked").checked;
  const all = byId("system-all");
  const whole = all.getAttribute("aria-expanded") === "true" || words.length || ticked;
  for (const board of document.querySelectorAll(".board")) {
    [...board.tBodies[0].rows].forEach((row, at) => {
      const name = row.querySelector(".system").dataset.value.toLowerCase();
      const box = row.querySelector("input");
      row.hidden = !words.every((word) => name.includes(word)) || (ticked && !box?.checked) ||
        !(whole || at < FIRST_ROWS || row.classList.contains("reference"));
    });
  }
  all.hidden = Boolean(words.length || ticked);
  all.textContent = whole ? `Show the first ${FIRST_ROWS}` : `Show all ${facts.systems.length}`;
}

function startFilter() {
  if (!byId("system-search")) return;
  byId("system-search").addEventListener("input", filterSystems);
  byId("system-ticked").addEventListener("change", filterSystems);
  byId("system-all").addEventListener("click", ({ target }) => {
    target.setAttribute("aria-expanded", String(target.getAttribute("aria-expanded") !== "true"));
    filterSystems();
  });
  whenChanged(filterSystems);
}

function startTables() {
  for (const button of document.querySelectorAll(".sortable [data-sort]")) {
    button.addEventListener("click", () => {
      sortTable(button);
      if (byId("system-search")) filterSystems();
    });
  }
  for (const holder of document.querySelectorAll(".card .wide")) {
    const section = holder.closest(".card").id;
    const figure = holder.closest("[data-table]");
    if (!figure && section !== "queries") offerDownload(holder, section);
    else if (figure) offerDownload(holder, figure.dataset.table);
  }
  for (const button of document.querySelectorAll("[data-copies]")) {
    button.addEventListener("click", () => copy(button, byId(button.dataset.copies).textContent, byId(button.dataset.copies)));
  }
}

/** Copy a text; without access to the clipboard, select the element that shows it. */
async function copy(button, text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    if (!shown) return;
    getSelection().selectAllChildren(shown);
    button.textContent = "Selected";
  }
}
