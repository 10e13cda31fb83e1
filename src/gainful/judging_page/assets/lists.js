// All documents of a query: as a list, or side by side.
import { announce, byId, el, plural, shareOf } from "./dom.js";
import { documentBody } from "./document.js";
import { get } from "./server.js";
import { highlight, wordPattern } from "./text.js";

export class ListView {
  constructor(app, sideBySide) {
    this.app = app;
    this.sideBySide = sideBySide;
    this.query = null;
    this.documents = [];
  }

  async show() {
    try {
      await this.app.queue.send();
      const { labels } = await get("labels");
      this.queries = new Map();
      for (const label of labels) this.queries.set(label.query_id, label.query.text);
      const { current } = this.app.judging;
      if (current) this.queries.set(current.query_id, current.query.text);
      this.query = current && !this.queries.has(this.query) ? current.query_id : this.query ?? current?.query_id ?? [...this.queries.keys()].at(-1) ?? null;
      this.documents = this.query === null ? [] : (await get("listing", { query: this.query })).documents;
      this.render();
    } catch (error) {
      this.app.fail(error);
    }
  }

  choose(query) {
    this.query = query;
    this.show();
  }

  grade(item, kind, grade) {
    const event = { kind, query_id: item.query_id, doc_id: item.doc_id };
    if (grade !== null) event.grade = grade;
    this.app.queue.add(event);
    Object.assign(item, { kind, grade });
    this.app.judging.current = null;
    this.app.queue.send();
    this.app.tellOthers();
    announce(`${item.document?.title || item.doc_id}: ${grade === null ? "cannot judge" : this.app.nameOf(grade)}`);
    const focused = document.activeElement?.id;
    this.render();
    if (focused) byId(focused)?.focus();
  }

  render() {
    if (this.app.view !== this) return;
    byId("actions").hidden = true;
    if (this.query === null) {
      byId("main").replaceChildren(el("section", { class: "card end" }, el("h1", {}, "No documents yet"), el("p", {}, "Documents that you judged are listed here.")));
      return;
    }
    const select = el("select", { id: "query-choice", onchange: () => this.choose(select.value) },
      [...this.queries].map(([id, text]) => el("option", { value: id, selected: id === this.query }, text)));
    const done = this.documents.filter((item) => item.kind === "grade" || item.kind === "cannot-judge").length;
    // By grade, so that neighbors can be compared; what is open comes first, in random order.
    const order = this.sideBySide ? this.documents.toSorted((one, other) => (other.grade ?? 99) - (one.grade ?? 99)) : this.documents;
    byId("main").replaceChildren(
      el("div", { class: "head" },
        el("h1", { dir: "auto" }, this.queries.get(this.query)),
        el("div", { class: "row start" },
          el("label", { for: "query-choice" }, "Query"), select,
          el("span", { class: "hint" }, `${done} of ${plural(this.documents.length, "document")} judged`))),
      this.sideBySide
        ? el("div", { class: "columns", tabindex: "0", role: "region", "aria-label": "Documents side by side" }, order.map((item, at) => this.column(item, at)))
        : el("ol", { class: "listing" }, order.map((item, at) => this.row(item, at))));
  }

  buttons(item, at) {
    const { scale } = this.app;
    const title = item.document?.title || item.doc_id;
    const button = (key, name, kind, grade) => el("button", {
      type: "button",
      id: `answer-${at}-${key}`,
      class: kind === "grade" ? "grade small" : "small",
      style: kind === "grade" ? { "--share": shareOf(scale, grade) } : {},
      "aria-pressed": String(item.kind === kind && item.grade === grade),
      "aria-label": `${name}: ${title}`,
      onclick: () => this.grade(item, kind, grade),
    }, name);
    return el("div", { class: "grades small", role: "group", "aria-label": `Grade of ${title}` },
      scale.map(({ grade, name }, index) => button(index, name, "grade", grade)),
      button("x", "Cannot judge", "cannot-judge", null));
  }

  row(item, at) {
    const pattern = wordPattern(item.query.text);
    const text = item.document?.text ?? "";
    const short = text.length > 320 ? `${text.slice(0, 320)}…` : text;
    return el("li", { class: "card" },
      el("div", {},
        el("h2", { dir: "auto" }, highlight(item.document?.title || item.doc_id, pattern)),
        el("p", { class: "snippet", dir: "auto" }, highlight(short, pattern)),
        item.suggestion === null ? null : el("p", { class: "hint" }, `The model suggested ${this.app.nameOf(item.suggestion)}`),
        item.note ? el("p", { class: "hint" }, `Note: ${item.note}`) : null,
        el("button", { type: "button", class: "quiet", onclick: () => this.app.revise(item), "aria-label": `Open ${item.document?.title || item.doc_id}` }, "Open")),
      this.buttons(item, at));
  }

  column(item, at) {
    return el("article", { class: "card document" },
      this.buttons(item, at),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": item.document?.title || item.doc_id }, ...documentBody(item)));
  }

  press() {
    return false;
  }
}
