// Grade one document after the other.
import { Clock } from "./clock.js";
import { announce, byId, duration, el, plural, shareOf } from "./dom.js";
import { kbd, keys, openKeys } from "./keys.js";
import { documentBody, queryCard } from "./document.js";
import { get, post } from "./server.js";

export class JudgeView {
  constructor(app) {
    this.app = app;
    this.upcoming = [];
    this.current = null;
    // What this tab answered, for undo and back without a connection.
    this.answered = [];
    this.clock = new Clock();
  }

  async show() {
    if (!this.current) await this.refresh();
    this.render();
  }

  async refresh() {
    try {
      this.receive(await get("next"));
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** Take over what the server says is next, except what waits to be sent. */
  receive(answer) {
    this.app.progress = answer.progress;
    const waiting = new Set(this.app.queue.keys().map((key) => this.app.queue.read(key))
      .filter((event) => event && ["grade", "cannot-judge", "skip"].includes(event.kind))
      .map((event) => this.key(event)));
    this.upcoming = answer.next.filter((item) => !waiting.has(this.key(item)));
    if (this.current && !this.revising) {
      this.upcoming = this.upcoming.filter((item) => this.key(item) !== this.key(this.current));
    }
    if (!this.current) {
      this.current = this.upcoming.shift() ?? null;
      this.clock.restart();
      if (this.app.view === this) this.render();
    }
    this.app.showStanding();
  }

  key(item) {
    return JSON.stringify([item.query_id, item.doc_id]);
  }

  // --- answers ----------------------------------------------------------------------------------

  answer(kind, grade = null) {
    if (!this.current) return;
    const item = this.current;
    this.saveNote();
    const event = { kind, query_id: item.query_id, doc_id: item.doc_id, seconds: this.clock.seconds() };
    if (grade !== null) event.grade = grade;
    this.app.queue.add(event);
    this.answered = this.answered.filter((each) => this.key(each) !== this.key(item));
    this.answered.push({ ...item, kind, grade, note: this.noteOf(item) });
    const words = grade === null ? { "cannot-judge": "Cannot judge", skip: "Later" }[kind] : this.app.nameOf(grade);
    this.advance(words);
    this.app.queue.send();
    this.app.tellOthers();
  }

  advance(words) {
    this.revising = false;
    this.current = this.upcoming.shift() ?? null;
    this.clock.restart();
    this.render();
    const title = this.current?.document?.title || this.current?.doc_id;
    announce(`${words}. ${title ? `Next document: ${title}` : ""}`);
    this.focus();
  }

  unclear() {
    if (!this.current) return;
    const query = this.current.query_id;
    this.app.queue.add({ kind: "query-unclear", query_id: query });
    this.upcoming = this.upcoming.filter((item) => item.query_id !== query);
    this.advance("Query unclear");
    this.app.queue.send();
  }

  noteOf(item) {
    const field = byId("note");
    return field && this.current === item ? field.value : item.note;
  }

  saveNote() {
    const field = byId("note");
    if (!field || !this.current || field.value === this.current.note) return;
    this.current.note = field.value;
    this.app.queue.add({ kind: "note", query_id: this.current.query_id, doc_id: this.current.doc_id, text: field.value });
  }

  expect(text) {
    const query = this.current.query_id;
    for (const item of [this.current, ...this.upcoming]) if (item.query_id === query) item.expectation = text;
    this.app.queue.add({ kind: "note", query_id: query, text });
    this.app.queue.send();
  }

  async undo() {
    const id = this.app.queue.add({ kind: "undo" });
    const last = this.answered.pop();
    if (this.current) this.upcoming.unshift(this.current);
    this.revising = false;
    this.current = null;
    const answer = await this.app.queue.send();
    const own = answer?.events.find((event) => event.client_id === id);
    if (answer === null && last) {
      // Without a connection: what was answered last in this tab.
      this.current = { ...last, kind: null, grade: null };
      this.upcoming = this.upcoming.filter((item) => this.key(item) !== this.key(last));
    } else if (!this.current) {
      this.current = this.upcoming.shift() ?? null;
    }
    this.clock.restart();
    this.render();
    announce(own?.error ? "Nothing to undo" : "Undone");
    this.focus();
    this.app.tellOthers();
  }

  /** Show the document before the one on display. */
  async back() {
    const shown = this.revising ? this.current : null;
    await this.app.queue.send();
    let found = null;
    try {
      const place = shown ? { query: shown.query_id, document: shown.doc_id } : {};
      found = (await get("back", place)).document;
    } catch {
      const at = shown ? this.answered.findIndex((each) => this.key(each) === this.key(shown)) : this.answered.length;
      found = this.answered[at - 1] ?? null;
    }
    if (!found) {
      announce("This is the first document");
      return;
    }
    this.open(found);
  }

  /** Show a document that was judged before; afterwards the current one returns. */
  open(item) {
    if (this.current && !this.revising) this.upcoming.unshift(this.current);
    this.current = item;
    this.revising = true;
    this.clock.restart();
    this.render();
    announce(`Back to ${item.document?.title || item.doc_id}`);
    this.focus();
  }

  // --- display ----------------------------------------------------------------------------------

  focus() {
    const heading = document.querySelector(".document-title");
    if (!heading) return;
    heading.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }

  render() {
    if (this.app.view !== this) return;
    const item = this.current;
    byId("actions").hidden = !item;
    if (!item) {
      this.renderEnd();
      return;
    }
    const note = el("textarea", { id: "note", rows: "2", maxlength: "20000", dir: "auto", placeholder: "Why this grade? Optional." });
    note.value = item.note;
    byId("main").replaceChildren(el("div", { class: "judge" },
      queryCard(item, { onExpect: (text) => this.expect(text), onUnclear: () => this.unclear() }),
      el("article", { class: "card document" },
        this.revising ? el("p", { class: "kicker" }, "Judged before: ", el("b", {}, this.answerOf(item)), item.suggestion === null || item.suggestion === undefined ? null : ` · the model suggested ${this.app.nameOf(item.suggestion)}`) : el("p", { class: "kicker" }, "Document"),
        ...documentBody(item),
        el("div", { class: "noting" }, el("label", { for: "note" }, "Note", kbd("N")), note))));
    this.renderActions(item);
  }

  answerOf(item) {
    if (item.kind === "grade") return this.app.nameOf(item.grade);
    return { "cannot-judge": "cannot judge", skip: "later" }[item.kind] ?? "";
  }

  renderEnd() {
    const waiting = this.app.queue.keys().length;
    const own = this.app.progress?.own;
    byId("main").replaceChildren(el("section", { class: "card end" },
      el("h1", {}, waiting ? "Waiting for the server" : "Nothing left to judge"),
      el("p", {}, waiting
        ? `${plural(waiting, "answer")} not stored yet. Further documents load when the server has stored what you answered.`
        : `Thank you. ${own ? `You judged ${plural(own.labels, "document")}.` : ""} Documents can come back to you if others put them off.`),
      el("div", { class: "row start" },
        el("button", { type: "button", onclick: () => this.undo() }, "Undo the last answer", kbd("U")),
        el("button", { type: "button", onclick: () => this.back() }, "Back", kbd("B")),
        el("button", { type: "button", onclick: () => this.refresh() }, "Look for more"),
        own?.later ? el("button", { type: "button", onclick: () => this.reset("skip") }, `Judge ${own.later} again: later`) : null,
        own?.cannot_judge ? el("button", { type: "button", onclick: () => this.reset("cannot-judge") }, `Judge ${own.cannot_judge} again: cannot judge`) : null)));
  }

  /** Judge again what was put off, or could not be judged. */
  async reset(kind) {
    try {
      const { count } = await post("reset", { kind });
      this.current = null;
      await this.refresh();
      this.render();
      this.app.say(`${plural(count, "document")} open again.`);
      this.app.tellOthers();
    } catch (error) {
      this.app.fail(error);
    }
  }

  renderActions(item) {
    const { scale } = this.app;
    const grades = scale.map(({ grade, name }, at) => el("button", {
      type: "button",
      class: "grade",
      style: { "--share": shareOf(scale, grade) },
      "aria-pressed": item.kind === "grade" && item.grade === grade ? "true" : "false",
      "aria-keyshortcuts": this.app.keyOf(at),
      onclick: () => this.answer("grade", grade),
    }, el("kbd", {}, this.app.keyOf(at)), el("span", {}, name)));
    const other = (text, key, action, pressed = null) => el("button", {
      type: "button", class: "other", "aria-keyshortcuts": keys.label(key).toLowerCase(), "aria-pressed": pressed, onclick: action,
    }, el("span", {}, text), kbd(key));
    byId("actions").replaceChildren(
      el("div", { class: "grades", role: "group", "aria-label": "Grades" }, grades),
      el("div", { class: "others" },
        other("Cannot judge", "X", () => this.answer("cannot-judge"), String(item.kind === "cannot-judge")),
        other("Later", "L", () => this.answer("skip")),
        other("Back", "B", () => this.back()),
        this.revising ? other("Forward", "F", () => this.forward()) : null,
        other("Undo", "U", () => this.undo()),
        other("Keys", "?", () => this.help())));
  }

  forward() {
    if (this.revising) {
      this.saveNote();
      this.app.queue.send();
      this.advance("Forward");
    }
  }

  help() {
    const rows = [
      ...this.app.scale.map(({ name }, at) => [this.app.defaultKeyOf(at), name]),
      ["X", "Cannot judge"], ["L", "Later: the document comes again at the end"], ["Q", "The query is unclear: no further documents of it"],
      ["N", "Write a note"], ["E", "Write what a good answer would be"], ["Esc", "Leave a text field", true],
      ["U", "Undo the last answer"], ["B", "Back to the document before"], ["F", "Forward"], ["G", "Guidelines"],
    ];
    openKeys(rows, () => this.render());
  }

  press(event) {
    const at = this.app.gradeAt(event.key);
    if (at >= 0 && this.current) {
      this.answer("grade", this.app.scale[at].grade);
      return true;
    }
    const actions = {
      x: () => this.answer("cannot-judge"), l: () => this.answer("skip"), s: () => this.answer("skip"), q: () => this.unclear(),
      u: () => this.undo(), b: () => this.back(), f: () => this.forward(), "?": () => this.help(),
      n: () => byId("note")?.focus(), e: () => { byId("expectation")?.closest("details").setAttribute("open", ""); byId("expectation")?.focus(); },
    };
    const action = actions[keys.meaning(event.key)];
    if (!action) return false;
    action();
    return true;
  }
}

export function standingOf(progress) {
  const done = progress.requested - progress.needed;
  const { own } = progress;
  const parts = [`${done.toLocaleString("en")} of ${plural(progress.requested, "label")}`];
  if (own.pace !== null) parts.push(`${duration(own.pace)} each`);
  if (own.pace !== null && own.left) parts.push(`about ${duration(own.pace * own.left)} left`);
  return { share: progress.requested ? done / progress.requested : 1, text: parts.join(" · ") };
}
