// The page that evaluates two files: it fills the element #gainful-browser.

import { Kernel, question } from "./kernel.js";

const address = (name) => new URL(name, import.meta.url);
const own = document.getElementById("gainful-browser");
const files = {};
// A browser takes seconds for a table of all queries of a large collection.
const SHOWN = 1000;
let kernel, conventions, chosen = null, asked = 0;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function labelled(text, field) {
  return element("label", {}, `${text} `, field);
}

const number = (value) => (value === null ? "" : value.toFixed(4));

const status = element("p", { role: "status" });
const summary = element("div");
const account = element("div", { ariaLive: "polite" });
const convention = element("select");
const measure = element("select");
const cutoff = element("input", { type: "number", min: 1, max: 1e9, value: 10, placeholder: "all ranks" });
cutoff.style.width = "6em";

// By role: the field, and the file that was chosen last.
const inputs = {};
const latest = {};

function picker(role, text) {
  const input = element("input", { type: "file" });
  inputs[role] = input;
  input.addEventListener("change", () => input.files.length && choose({ [role]: input.files[0] }));
  const place = element("div", { className: "drop" }, labelled(text, input));
  place.dataset.role = role;
  return place;
}

// Reads the chosen files, by role, and evaluates; the answer says whether that succeeded.
async function choose(chosen) {
  for (const [role, file] of Object.entries(chosen)) {
    const shown = new DataTransfer();
    shown.items.add(file);
    inputs[role].files = shown.files;
    latest[role] = file;
    delete files[role];
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      // Another file was chosen meanwhile.
      if (latest[role] !== file) return false;
      files[role] = { name: file.name, bytes };
    } catch {
      clear(`${file.name} cannot be read: it is a folder, or too large for this page.`);
      return false;
    }
  }
  return evaluate();
}

// Files may be dropped anywhere: one on its field, or both at once.
async function drop(event) {
  event.preventDefault();
  const dropped = [...event.dataTransfer.files];
  const role = event.target.closest?.(".drop")?.dataset.role;
  if (dropped.length === 2) {
    const [first, second] = dropped;
    if (await choose({ qrels: first, run: second })) return;
    const message = status.textContent;
    if (await choose({ qrels: second, run: first })) return;
    // Neither order is right, or both files are wrong.
    clear(message);
  } else if (dropped.length === 1 && role) {
    await choose({ [role]: dropped[0] });
  } else if (dropped.length) {
    clear("Drop a file on its field, or the judgments and the run together.");
  }
}

function clear(message) {
  status.textContent = message;
  summary.replaceChildren();
  account.replaceChildren();
}

// A table with a caption; each row is a list of cells.
function table(caption, headings, rows) {
  const cell = (name, content) => element(name, {}, content ?? "");
  const head = element("tr", {}, ...headings.map((text) => cell("th", text)));
  const body = rows.map((row) => element("tr", {}, ...row.map((content) => cell("td", content))));
  return element(
    "table",
    { className: "docutils" },
    element("caption", {}, caption),
    element("thead", {}, head),
    element("tbody", {}, ...body),
  );
}

function fillMeasures() {
  const before = measure.value;
  const names = Object.keys(conventions[convention.value].measures);
  measure.replaceChildren(...names.map((name) => new Option(name, name)));
  if (names.includes(before)) measure.value = before;
}

async function evaluate() {
  if (!kernel) return false;
  if (!files.qrels || !files.run) {
    clear("Choose the judgments and the run.");
    return false;
  }
  if (!cutoff.checkValidity()) {
    clear("The cutoff is a whole number of 1 or more, or empty for all ranks.");
    return false;
  }
  const number = ++asked;
  status.textContent = "Evaluating";
  // Let the browser show it first.
  await new Promise((resolve) => setTimeout(resolve));
  if (number !== asked) return false;
  const at = cutoff.value === "" ? null : Number(cutoff.value);
  try {
    const about = question(conventions[convention.value], measure.value, at, chosen);
    const answer = await kernel.ask(about, files.qrels, files.run);
    if (number !== asked) return false;
    status.textContent = "";
    show(answer, about.measure.name);
    return true;
  } catch (error) {
    if (number === asked) clear(error.message);
    return false;
  }
}

function show(answer, name) {
  const { counts } = answer;
  const mean = answer.n === 0 ? "not defined" : number(answer.mean);
  const checks = [
    [counts.missing, "judged queries missing from the run"],
    [counts.extra, "queries of the run without judgments"],
    [answer.no_relevant, "queries with no relevant documents"],
  ];
  const found = checks.filter(([count]) => count > 0).map(([count, text]) => `${text}: ${count}`);
  const evaluated = answer.queries.filter((query) => !query.skipped);
  evaluated.sort((first, second) => first.value - second.value);
  const caption =
    evaluated.length > SHOWN ? `The ${SHOWN} of ${evaluated.length} queries with the lowest values` : "Queries, lowest value first";
  const rows = evaluated
    .slice(0, SHOWN)
    .map((query) => {
      const button = element("button", { type: "button", textContent: query.id });
      button.addEventListener("click", () => {
        chosen = query.id;
        evaluate();
      });
      return [button, number(query.value)];
    });
  summary.replaceChildren(
    element("p", {}, element("strong", {}, `${name} = ${mean}`), ` over ${answer.n} ${answer.n === 1 ? "query" : "queries"}`),
    element("p", {}, found.join(", ")),
    table(`${caption}: select one to explain it`, ["query", name], rows),
  );
  account.replaceChildren(...(answer.account ? explain(answer.account, name) : []));
}

// A table of objects, without the columns that are empty for a measure.
function listing(caption, columns, rows) {
  const filled = Object.entries(columns).filter(([, of]) =>
    rows.some((row, index) => (of(row, index) ?? "") !== ""),
  );
  const cells = rows.map((row, index) => filled.map(([, of]) => of(row, index)));
  return table(caption, filled.map(([heading]) => heading), cells);
}

function explain(found, name) {
  const sums = found.parts ? ` = ${number(found.parts[0])} / ${number(found.parts[1])}` : "";
  const shared = {
    rank: (each, index) => index + 1,
    document: (each) => each.document,
    score: (each) => each.score,
    grade: (each) => each.grade,
    relevant: (each) => (each.relevant ? "yes" : null),
    precision: (each) => number(each.precision ?? null),
    gain: (each) => number(each.gain),
    weight: (each) => number(each.weight ?? null),
    contribution: (each) => number(each.contribution),
    sum: (each) => number(each.running),
  };
  const parts = [
    element("h3", {}, `Query ${chosen}: ${name} = ${number(found.value)}${sums}`),
    listing("The ranking", shared, found.ranks),
  ];
  if (found.ideal.length) parts.push(listing("The ideal ranking", shared, found.ideal));
  if (found.left_out.length) {
    const rows = found.left_out.map((each) => [each.document, each.reason]);
    parts.push(table("Removed from the ranking", ["document", "reason"], rows));
  }
  return parts;
}

async function begin() {
  own.append(
    picker("qrels", "Judgments (qrels)"),
    picker("run", "Run"),
    element(
      "p",
      {},
      labelled("Convention", convention),
      labelled(" Measure", measure),
      labelled(" Cutoff", cutoff),
    ),
    status,
    summary,
    account,
  );
  // A file that misses its field must not replace the page.
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", drop);
  try {
    const wanted = ["conventions.json", "gainful.wasm"].map((name) => fetch(address(name)));
    const [table, wasm] = await Promise.all(wanted);
    if (!table.ok || !wasm.ok) throw new Error("a file is missing");
    conventions = await table.json();
    kernel = await Kernel.load(wasm.arrayBuffer());
  } catch (error) {
    status.textContent = `The page cannot load the kernel: ${error.message}.`;
    return;
  }
  const names = Object.keys(conventions);
  convention.append(...names.map((name) => new Option(name, name)));
  fillMeasures();
  convention.addEventListener("change", fillMeasures);
  for (const field of [convention, measure, cutoff]) field.addEventListener("change", evaluate);
  await evaluate();
}

begin();
