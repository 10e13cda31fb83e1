// For owners: decide documents with different grades, without seeing whose they are.
import { announce, byId, el, plural, shareOf } from "./dom.js";
import { kbd, keys, openKeys } from "./keys.js";
import { documentBody, queryText } from "./document.js";
import { get, post } from "./server.js";

export class DecisionView {
  constructor(app) {
    this.app = app;
    this.documents = [];
    this.count = 0;
    this.at = 0;
    // Whether to show what is decided already.
    this.decided = false;
  }

  async show() {
    try {
      this.receive(await get("disagreements", this.decided ? { decided: "1" } : {}));
    } catch (error) {
      this.app.fail(error);
    }
  }

  receive({ documents, count }) {
    this.documents = documents;
    this.count = count;
    this.at = Math.min(this.at, Math.max(0, documents.length - 1));
    this.render();
  }

  async decide(event, words) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const id = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const item = this.documents[this.at];
    const place = event.kind === "undo-decision" ? {} : { query_id: item.query_id, doc_id: item.doc_id };
    try {
      const found = await post("adjudicate", { ...event, ...place, client_id: id, decided: this.decided });
      // The latest decision is the first of them.
      if (this.decided) this.at = 0;
      this.receive(found);
      announce(words);
      document.querySelector(".document-title")?.focus();
    } catch (error) {
      this.app.fail(error);
    }
  }

  next() {
    this.at = this.documents.length ? (this.at + 1) % this.documents.length : 0;
    this.render();
    document.querySelector(".document-title")?.focus();
  }

  /** Show what is decided, or go back to what is open. */
  toggle() {
    this.decided = !this.decided;
    this.at = 0;
    return this.show().then(() => {
      announce(this.decided ? "Decided documents" : "Open disagreements");
      document.querySelector(".document-title")?.focus();
    });
  }

  render() {
    if (this.app.view !== this) return;
    const item = this.documents[this.at];
    const toggle = this.decided ? "Open" : "Decided";
    byId("actions").hidden = !item;
    if (!item) {
      byId("main").replaceChildren(el("section", { class: "card end" },
        el("h1", {}, this.decided ? "No decisions" : "No disagreements"),
        el("p", {}, this.decided ? "Nobody has decided about a document yet." : "All documents with several labels have the same grade, or a decision."),
        el("div", { class: "row" },
          el("button", { type: "button", onclick: () => this.decide({ kind: "undo-decision" }, "Undone") }, "Undo", kbd("U")),
          el("button", { type: "button", onclick: () => this.toggle() }, toggle, kbd("D")))));
      return;
    }
    const { scale } = this.app;
    byId("main").replaceChildren(el("div", { class: "judge" },
      el("section", { class: "card query", "aria-labelledby": "query-text" },
        el("p", { class: "kicker" }, `${this.decided ? "Decision" : "Disagreement"} ${this.at + 1} of ${this.count}`),
        ...queryText(item),
        this.decided ? el("p", { class: "hint" }, "Decided: ", el("b", {}, this.app.nameOf(item.decision))) : null,
        el("p", { class: "hint" }, "Grades of the judges:"),
        el("ul", { class: "votes" }, item.grades.map((grade) => el("li", { class: "vote", style: { "--share": shareOf(scale, grade) } }, this.app.nameOf(grade)))),
        item.notes.length ? el("div", {}, el("p", { class: "hint" }, "Their notes:"), item.notes.map((note) => el("blockquote", { dir: "auto" }, note))) : null),
      el("article", { class: "card document" }, el("p", { class: "kicker" }, "Document"), ...documentBody(item))));
    const other = (text, key, action) => el("button", { type: "button", class: "other", "aria-keyshortcuts": keys.label(key).toLowerCase(), onclick: action }, el("span", {}, text), kbd(key));
    byId("actions").replaceChildren(
      el("div", { class: "grades", role: "group", "aria-label": "Final grade" }, scale.map(({ grade, name }, at) => el("button", {
        type: "button", class: "grade", style: { "--share": shareOf(scale, grade) }, onclick: () => this.grade(at),
      }, el("kbd", {}, this.app.keyOf(at)), el("span", {}, name)))),
      el("div", { class: "others" },
        other("Ask one more judge", "A", () => this.another()),
        other("Next", "F", () => this.next()),
        other("Undo", "U", () => this.decide({ kind: "undo-decision" }, "Undone")),
        other(toggle, "D", () => this.toggle()),
        other("Keys", "?", () => this.help())));
  }

  grade(at) {
    const { grade, name } = this.app.scale[at];
    this.decide({ kind: "adjudicate", grade }, `Decided: ${name}`);
  }

  another() {
    this.decide({ kind: "reopen" }, "One more judge is asked").then(() => this.next());
  }

  help() {
    const rows = [...this.app.scale.map(({ name }, at) => [this.app.defaultKeyOf(at), `Decide: ${name}`]),
      ["A", "Ask one more judge"], ["F", "Next document"], ["U", "Undo your last decision"], ["D", "Show what is decided, to change it, or what is open"]];
    openKeys(rows, () => this.render());
  }

  press(event) {
    const at = this.app.gradeAt(event.key);
    if (at >= 0 && this.documents.length) {
      this.grade(at);
      return true;
    }
    const actions = { u: () => this.decide({ kind: "undo-decision" }, "Undone"), f: () => this.next(), d: () => this.toggle(), "?": () => this.help(), a: () => this.documents.length && this.another() };
    const action = actions[keys.meaning(event.key)];
    action?.();
    return Boolean(action);
  }
}
