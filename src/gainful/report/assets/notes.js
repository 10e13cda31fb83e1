// Keep the notes and verdicts of a reader in the browser, by query.
const VERDICTS_OF_READERS = ["", "real win", "real loss", "no difference", "labels are wrong"];
const NOTES = `gainful-notes-${facts.key}`;
let notes = {};

// A page opened from a file may have no storage: then notes last until it is closed.
function readNotes() {
  try { notes = JSON.parse(localStorage.getItem(NOTES)) || {}; } catch { notes = {}; }
}

const noteOf = (id) => (Object.hasOwn(notes, id) ? notes[id] : { verdict: "", note: "" });

function keepNote(id, change) {
  const kept = { ...noteOf(id), ...change };
  if (kept.verdict || kept.note) notes[id] = kept;
  else delete notes[id];
  try { localStorage.setItem(NOTES, JSON.stringify(notes)); } catch { /* Exporting still works. */ }
  showNoteCount();
}

function showNoteCount() {
  const count = Object.keys(notes).length;
  byId("query-notes").hidden = !count;
  byId("query-notes").textContent = `Export ${count} ${count === 1 ? "note" : "notes"}`;
}

/** Make the controls of a query's verdict and note, and the button that copies its link. */
function noteView(id) {
  const kept = noteOf(id);
  const link = `${location.href.split("#")[0]}#query=${encodeURIComponent(id)}`;
  return make("div", { class: "noted" },
    make("label", {}, "Your verdict ", make("select", { onchange: ({ target }) => keepNote(id, { verdict: target.value }) },
      ...VERDICTS_OF_READERS.map((name) => make("option", { value: name, selected: name === kept.verdict }, name || "–")))),
    make("label", { class: "note" }, "Note ", make("input", { type: "text", value: kept.note, oninput: ({ target }) => keepNote(id, { note: target.value }) })),
    make("button", { type: "button", class: "screen", onclick: ({ target }) => copy(target, link) }, "Copy link"));
}

async function exportNotes() {
  const { ids, texts } = await block("queries");
  const rows = ids.map((id, at) => [id, texts?.[at] ?? "", noteOf(id).verdict, noteOf(id).note])
    .filter(([, , verdict, note]) => verdict || note);
  download("notes.csv", csv([["query_id", "query", "verdict", "note"], ...rows]));
}

function startNotes() {
  readNotes();
  showNoteCount();
  byId("query-notes").addEventListener("click", exportNotes);
}
