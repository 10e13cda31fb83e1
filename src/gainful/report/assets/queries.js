// The list of queries with search, filters and sorting.
const PAGE = 50;
const list = { found: [], listed: PAGE, opened: new Set(), documents: null };

const FILTERS = {
  all: () => true,
  better: (query, scores) => scores[state.pair[0]][query] > scores[state.pair[1]][query],
  worse: (query, scores) => scores[state.pair[0]][query] < scores[state.pair[1]][query],
  tied: (query, scores) => scores[state.pair[0]][query] === scores[state.pair[1]][query],
  zero: (query, scores) => scores.every((own) => !(own[query] > 0)),
  no_relevant: (query, scores, queries) => queries.relevant[query] === 0,
  unjudged: (query, scores, queries) => queries.unjudged?.[query] > 0,
  noted: (query, scores, queries) => Object.hasOwn(notes, queries.ids[query]),
};

function sorterOf(name, scores, means) {
  const difference = (query) => scores[state.pair[0]][query] - scores[state.pair[1]][query];
  const spread = (query) => {
    const own = shown().map((system) => scores[system][query]).filter((value) => value === value);
    return own.length ? Math.max(...own) - Math.min(...own) : 0;
  };
  const key = {
    difficulty: (query) => means[query], easy: (query) => -means[query],
    losses: difference, wins: (query) => -difference(query), spread: (query) => -spread(query),
    id: (query) => query,
  }[name];
  const rank = (value) => (value === value ? value : Infinity);
  return (a, b) => rank(key(a)) - rank(key(b)) || a - b;
}

/** Return the queries whose rankings contain a document with all words in its id or text. */
async function queriesWithDocument(words) {
  const found = new Set();
  if (!facts.listing) return found;
  const queries = await block("queries");
  for (let number = 0; number * facts.listing.block < queries.ids.length; number++) {
    const { texts, queries: some } = await rankingsIn(number);
    const hasWords = (id) => {
      const text = `${id} ${(textOf(texts, id) || []).join(" ")}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    some.forEach((one, at) => { if (one.d.some(hasWords)) found.add(number * facts.listing.block + at); });
  }
  return found;
}

async function findQueries() {
  const measure = state.measure;
  const words = byId("query-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const [scores, queries] = await Promise.all([scoresOf(measure), block("queries")]);
  let inDocuments = new Set();
  if (words.length && byId("query-documents")?.checked) inDocuments = await queriesWithDocument(words);
  const filter = FILTERS[byId("query-filter").value];
  const means = meansOf(scores, queries.ids.length);
  const matches = (query) => {
    if (!words.length || inDocuments.has(query)) return true;
    const text = `${queries.ids[query]} ${queries.texts?.[query] ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  list.found = [...queries.ids.keys()]
    .filter((query) => matches(query) && filter(query, scores, queries))
    .sort(sorterOf(byId("query-sort").value, scores, means));
  await showQueries();
}

function scoreCell(system, value) {
  const limit = facts.sums[state.measure] ? 0 : 1;
  return make("td", { class: "cell", "data-label": facts.names[system] }, score(value),
    limit && value === value ? bar(value, colorOf(system)) : null);
}

async function showQueries() {
  const [scores, queries] = await Promise.all([scoresOf(state.measure), block("queries")]);
  const systems = shown();
  const [one, two] = state.pair;
  const several = facts.systems.length > 1;
  const headers = [
    make("th", { scope: "col" }, "query"), make("th", { scope: "col", class: "number count" }, "relevant"),
    ...systems.map((system) => make("th", { scope: "col", class: "number" }, nameOf(system))),
  ];
  const names = `${facts.systems[one]} − ${facts.systems[two]}`;
  if (several) headers.push(make("th", { scope: "col", class: "number", title: names }, names.length > 2 * LONG_NAME ? "difference" : names));
  const rows = [];
  for (const query of list.found.slice(0, list.listed)) {
    const open = list.opened.has(query);
    const cells = systems.map((system) => scoreCell(system, scores[system][query]));
    if (several) {
      const difference = scores[one][query] - scores[two][query];
      cells.push(make("td", { class: `cell ${difference > 0 ? "up" : difference < 0 ? "down" : ""}`, "data-label": "difference" }, signed(difference)));
    }
    const opener = make("button", { type: "button", class: "opener", "aria-expanded": String(open), "data-query": query, onclick: () => toggleQuery(query) },
      make("b", {}, queries.texts?.[query] || queries.ids[query]), queries.texts?.[query] ? make("small", {}, queries.ids[query]) : null);
    rows.push(make("tr", {}, make("th", { scope: "row" }, opener), make("td", { class: "number count" }, whole(queries.relevant[query])), ...cells));
    if (open) {
      const cell = make("td", { colspan: headers.length });
      rows.push(make("tr", { class: "opened", "data-opened": query }, cell));
      Promise.all([referencesView(query), rankingsView(query)])
        .then((views) => cell.replaceChildren(...views.flat()));
    }
  }
  const focused = document.activeElement?.dataset?.query;
  byId("query-table").replaceChildren(
    make("caption", { class: "hidden" }, "Scores of the selected systems by query"),
    make("thead", {}, make("tr", {}, ...headers)), make("tbody", {}, ...rows));
  if (focused !== undefined) byId("query-table").querySelector(`[data-query="${focused}"]`)?.focus();
  const listed = Math.min(list.listed, list.found.length);
  byId("query-count").textContent = list.found.length
    ? `${whole(list.found.length)} of ${whole(queries.ids.length)} queries${listed < list.found.length ? `, first ${whole(listed)} shown` : ""}`
    : "No matching queries.";
  byId("query-more").hidden = listed >= list.found.length;
}

async function toggleQuery(query) {
  const opens = !list.opened.delete(query);
  if (opens) list.opened.add(query);
  const last = opens ? query : [...list.opened].at(-1);
  showAddress(last === undefined ? "" : `#query=${encodeURIComponent((await block("queries")).ids[last])}`);
  return showQueries();
}

/** Set the end of the page's address, without a step in the history. */
function showAddress(end) {
  // A page in a frame of a notebook has no address of its own.
  try { history.replaceState(null, "", end || location.pathname + location.search); } catch { /* Nothing to link to. */ }
}

/** Open a query from a chart or a link, and clear a filter that hides it. */
async function openQuery(query) {
  unfold(byId("queries"));
  list.opened.delete(query);
  await toggleQuery(query);
  if (!list.found.includes(query)) {
    byId("query-search").value = "";
    byId("query-filter").value = "all";
    await findQueries();
  }
  const at = list.found.indexOf(query);
  if (at >= list.listed) list.listed = at + 1;
  await showQueries();
  const opener = byId("query-table").querySelector(`[data-query="${query}"]`);
  opener.scrollIntoView({ block: "center" });
  opener.focus({ preventScroll: true });
}

/** Move between queries with the arrow keys. */
function moveFocus(event) {
  if (!event.target.matches?.(".opener") || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
  const openers = [...byId("query-table").querySelectorAll(".opener")];
  const next = openers[openers.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
  if (next) {
    next.focus();
    event.preventDefault();
  }
}

function startQueries() {
  let waiting = 0;
  const restart = () => {
    list.listed = PAGE;
    clearTimeout(waiting);
    waiting = setTimeout(findQueries, 120);
  };
  byId("query-search").addEventListener("input", restart);
  for (const id of ["query-filter", "query-sort", "query-documents"]) byId(id)?.addEventListener("change", restart);
  byId("query-more").addEventListener("click", () => {
    list.listed += PAGE;
    showQueries();
  });
  byId("query-table").addEventListener("keydown", moveFocus);
  offerDownload(byId("query-table").parentNode, "queries", () => {
    list.listed = Infinity;
    return showQueries();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select, textarea")) return;
    unfold(byId("queries"));
    byId("query-search").focus();
    event.preventDefault();
  });
  whenChanged((what) => (what === "systems" ? showQueries() : findQueries()));
}
