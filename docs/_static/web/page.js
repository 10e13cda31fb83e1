// The page that evaluates, compares and explains runs: it fills the element #gainful-browser.

import { Kernel, question } from "./kernel.js";

const address = (name) => new URL(name, import.meta.url);
const own = document.getElementById("gainful-browser");
const files = {};
// The texts of the sample by id; nothing for other files.
let texts = {};
// A browser takes seconds for a table of all queries of a large collection.
const SHOWN = 1000;
const LEVEL = 0.05;
let kernel, conventions, chosen = null, asked = 0;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function labelled(text, field) {
  return element("label", {}, `${text} `, field);
}

const number = (value) => (value === null ? "" : value.toFixed(4));
const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${number(Math.abs(value))}`;
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

const status = element("p", { role: "status" });
const summary = element("div");
const account = element("div", { ariaLive: "polite" });
const convention = element("select");
const measure = element("select");
const cutoff = element("input", { type: "number", min: 1, max: 1e9, value: 10, placeholder: "all ranks" });
const without = element("button", { type: "button", textContent: "Remove the second run", hidden: true });

// By role: the field, and the file that was chosen last.
const inputs = {};
const latest = {};

function picker(role, text, example, words) {
  const input = element("input", { type: "file" });
  inputs[role] = input;
  input.addEventListener("change", () => {
    texts = {};
    if (input.files.length) choose({ [role]: input.files[0] });
  });
  const place = element(
    "div",
    { className: "drop" },
    labelled(text, input),
    element("p", { className: "gainful-hint" }, element("code", {}, example), element("br"), words),
  );
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

// Loads the files of the sample, and the texts of its queries and documents.
async function loadSample() {
  const names = { qrels: "qrels.txt", run: "bm25.run", other: "dense.run" };
  try {
    const read = async (name) => {
      const response = await fetch(address(`sample/${name}`));
      if (!response.ok) throw new Error();
      return response;
    };
    const loaded = await Promise.all(
      Object.entries(names).map(async ([role, name]) => [role, new File([await (await read(name)).blob()], name)]),
    );
    texts = await (await read("texts.json")).json();
    await choose(Object.fromEntries(loaded));
  } catch {
    clear("The sample cannot be loaded.");
  }
}

function remove() {
  delete files.other;
  delete latest.other;
  inputs.other.value = "";
  return evaluate();
}

// Files may be dropped anywhere: one on its field, or both at once.
async function drop(event) {
  event.preventDefault();
  const dropped = [...event.dataTransfer.files];
  const role = event.target.closest?.(".drop")?.dataset.role;
  if (dropped.length) texts = {};
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

// A table with a caption; each row is a list of cells, of which the first names the row.
function table(caption, headings, rows) {
  const isNumber = (content) => typeof content === "number" || /^[+−]?[\d.]+$/.test(content ?? "");
  const cell = (content) => element("td", { className: isNumber(content) ? "number" : "" }, content ?? "");
  const heading = (text, at) =>
    element("th", { scope: "col", className: rows.some((row) => isNumber(row[at])) ? "number" : "" }, text);
  const head = element("tr", {}, ...headings.map(heading));
  const body = rows.map((row) => element("tr", {}, ...row.map(cell)));
  return element(
    "div",
    { className: "gainful-wide", tabIndex: 0, role: "region", ariaLabel: caption },
    element(
      "table",
      { className: "docutils" },
      element("caption", {}, caption),
      element("thead", {}, head),
      element("tbody", {}, ...body),
    ),
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
  without.hidden = !files.other;
  if (!files.qrels || !files.run) {
    clear("Choose the judgments and the run.");
    return false;
  }
  const valid = cutoff.checkValidity();
  cutoff.ariaInvalid = String(!valid);
  if (!valid) {
    clear("The cutoff is a whole number of 1 or more, or empty for all ranks.");
    return false;
  }
  const turn = ++asked;
  status.textContent = "Evaluating";
  // Let the browser show it first.
  await new Promise((resolve) => setTimeout(resolve));
  if (turn !== asked) return false;
  const at = cutoff.value === "" ? null : Number(cutoff.value);
  try {
    const about = question(conventions[convention.value], measure.value, at, chosen);
    const runs = [files.run, files.other].filter(Boolean);
    const answers = [];
    for (const run of runs) answers.push(await kernel.ask(about, files.qrels, run));
    if (turn !== asked) return false;
    status.textContent = "";
    show(answers, runs.map((run) => run.name), about.measure.name);
    return true;
  } catch (error) {
    if (turn === asked) clear(error.message);
    return false;
  }
}

// A button that explains a query, with its text where it is known.
function explainer(id) {
  const button = element("button", { type: "button", textContent: id });
  button.addEventListener("click", () => {
    chosen = id;
    evaluate().then(() => account.scrollIntoView({ block: "nearest" }));
  });
  return texts[id] ? element("span", {}, button, ` ${texts[id]}`) : button;
}

const captionOf = (rows, what) =>
  rows.length > SHOWN ? `The ${SHOWN} of ${rows.length} queries with the ${what}` : `Queries, ${what} first`;

function show(answers, systems, name) {
  const compared = answers.length === 2;
  summary.replaceChildren(
    ...answers.flatMap((answer, at) => describe(answer, compared ? `${systems[at]}: ` : "", name)),
    ...(compared ? compare(answers, systems, name) : list(answers[0], name)),
  );
  account.replaceChildren(
    ...answers.flatMap(({ account: found }, at) => (found ? explain(found, compared ? systems[at] : "", name) : [])),
  );
}

function describe(answer, system, name) {
  const { counts } = answer;
  const mean = answer.n === 0 ? "not defined" : number(answer.mean);
  const checks = [
    [counts.missing, "judged queries missing from the run"],
    [counts.extra, "queries of the run without judgments"],
    [answer.no_relevant, "queries with no relevant documents"],
  ];
  const found = checks.filter(([count]) => count > 0).map(([count, text]) => `${text}: ${count}`);
  return [
    element(
      "p",
      { className: "gainful-mean" },
      system,
      element("strong", {}, `${name} = ${mean}`),
      ` over ${plural(answer.n, "query", "queries")}`,
      found.length ? element("span", { className: "gainful-hint" }, ` (${found.join(", ")})`) : null,
    ),
  ];
}

function list(answer, name) {
  const evaluated = answer.queries.filter((query) => !query.skipped);
  evaluated.sort((first, second) => first.value - second.value);
  const rows = evaluated.slice(0, SHOWN).map((query) => [explainer(query.id), number(query.value)]);
  return [table(`${captionOf(evaluated, evaluated.length > SHOWN ? "lowest values" : "lowest value")}: select one to explain it`, ["query", name], rows)];
}

function compare([first, second], systems, name) {
  const values = new Map(second.queries.filter((query) => !query.skipped).map((query) => [query.id, query.value]));
  const pairs = first.queries
    .filter((query) => !query.skipped && values.has(query.id))
    .map((query) => ({ id: query.id, one: query.value, other: values.get(query.id), difference: values.get(query.id) - query.value }));
  if (!pairs.length) return [element("p", {}, "The runs have no evaluated query in common.")];
  const differences = pairs.map((pair) => pair.difference);
  const { p, exact } = kernel.test(differences);
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / pairs.length;
  const count = (matches) => differences.filter(matches).length;
  const tile = (label, value) => element("div", {}, element("dt", {}, label), element("dd", {}, value));
  const significant = p < LEVEL ? "statistically significant" : "not statistically significant";
  const evaluated = pairs.toSorted((one, other) => one.difference - other.difference);
  const rows = evaluated
    .slice(0, SHOWN)
    .map((pair) => [explainer(pair.id), number(pair.one), number(pair.other), signed(pair.difference)]);
  return [
    element(
      "dl",
      { className: "gainful-tiles simple" },
      tile(`difference, ${systems[1]} − ${systems[0]}`, signed(mean)),
      tile("p (randomization test)", p < 0.0001 ? "< 0.0001" : number(p)),
      tile("wins / ties / losses", `${count((each) => each > 0)} / ${count((each) => each === 0)} / ${count((each) => each < 0)}`),
    ),
    element(
      "p",
      {},
      `The difference is ${significant} at the 5% level`,
      exact ? " (all choices of signs)" : " (100,000 random choices of signs)",
      ". The command gainful compare adds confidence intervals, a correction for skewed differences, and the smallest difference that these queries can detect.",
    ),
    table(`${captionOf(evaluated, evaluated.length > SHOWN ? "largest losses" : "largest loss")}: select one to explain it`, ["query", systems[0], systems[1], "difference"], rows),
  ];
}

// A table of objects, without the columns that are empty for a measure.
function listing(caption, columns, rows) {
  const filled = Object.entries(columns).filter(([, of]) =>
    rows.some((row, index) => (of(row, index) ?? "") !== ""),
  );
  const cells = rows.map((row, index) => filled.map(([, of]) => of(row, index)));
  return table(caption, filled.map(([heading]) => heading), cells);
}

function explain(found, system, name) {
  const of = system ? ` of ${system}` : "";
  const sums = found.parts ? ` = ${number(found.parts[0])} / ${number(found.parts[1])}` : "";
  const shared = {
    rank: (each, index) => index + 1,
    document: (each) => each.document,
    text: (each) => texts[each.document],
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
    element("h2", {}, `${system ? `${system}, ` : ""}Query ${chosen}: ${name} = ${number(found.value)}${sums}`),
    texts[chosen] ? element("p", {}, texts[chosen]) : null,
    listing(`The ranking${of}`, shared, found.ranks),
    element("p", { className: "gainful-hint" }, "A document without a grade has no judgment. The value is the sum of the contributions of all ranks", found.parts ? ", divided by that of the ideal ranking." : "."),
  ].filter(Boolean);
  if (found.ideal.length) parts.push(listing(`The ideal ranking${of && ` for ${system}`}`, shared, found.ideal));
  if (found.left_out.length) {
    const rows = found.left_out.map((each) => [each.document, each.reason]);
    parts.push(table(`Removed from the ranking${of}`, ["document", "reason"], rows));
  }
  return parts;
}

async function begin() {
  const sample = element("button", { type: "button", className: "gainful-first", textContent: "Try it with sample files" });
  sample.addEventListener("click", loadSample);
  without.addEventListener("click", remove);
  own.classList.add("gainful-page");
  own.append(
    element("p", { className: "gainful-start" }, sample, " or choose or drop files of your own:"),
    element(
      "div",
      { className: "gainful-files" },
      picker("qrels", "Judgments (qrels)", "q1 0 doc7 2", "query id, 0, document id, grade: how relevant the document is for the query"),
      picker("run", "Run", "q1 Q0 doc7 1 12.5 bm25", "query id, Q0, document id, rank, score, system: what a system returned"),
      picker("other", "Second run, to compare (optional)", "q1 Q0 doc3 1 0.82 dense", "the same queries, answered by another system"),
    ),
    element("p", { className: "gainful-hint" }, "Ids are names that you choose. A query has the same id in all files, and so has a document."),
    element(
      "p",
      { className: "gainful-choices" },
      labelled("Convention", convention),
      labelled(" Measure", measure),
      labelled(" Cutoff", cutoff),
      without,
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
