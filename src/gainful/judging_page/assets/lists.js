// All documents of a query: as a list, or side by side.
import { Clock } from "./clock.js";
import { announce, byId, el, openKeys, plural, shareOf } from "./dom.js";
import { documentBody } from "./document.js";
import { get } from "./server.js";
import { highlight, wordPattern } from "./text.js";

const OTHERS = [["x", "Cannot judge", "cannot-judge"], ["l", "Later", "skip"]];

export class ListView {
  constructor(app, sideBySide) {
    this.app = app;
    this.sideBySide = sideBySide;
    this.query = null;
    this.documents = [];
    // The document that keys grade.
    this.selected = null;
    this.clock = new Clock();
  }

  async show() {
    try {
      await this.app.queue.send();
      if (!this.app.judging.current) await this.app.judging.refresh();
      const { labels } = await get("labels");
      this.queries = new Map();
      for (const label of labels) this.queries.set(label.query_id, label.query.text);
      const { current } = this.app.judging;
      if (current) this.queries.set(current.query_id, current.query.text);
      this.query = current && !this.queries.has(this.query) ? current.query_id : this.query ?? current?.query_id ?? [...this.queries.keys()].at(-1) ?? null;
      this.documents = this.query === null ? [] : (await get("listing", { query: this.query })).documents;
      this.selected = this.order().find((item) => item.kind === null) ?? this.order()[0];
      this.clock.restart();
      this.render();
    } catch (error) {
      this.app.fail(error);
    }
  }

  choose(query) {
    this.query = query;
    this.show();
  }

  /** Show the query of the next document. */
  async next() {
    const open = this.documents.filter((item) => item.kind === null).length;
    if (open) {
      this.app.say(`${plural(open, "document")} of this query not judged. “Later” puts one off.`);
      return;
    }
    await this.app.queue.send();
    await this.app.judging.refresh();
    const { current } = this.app.judging;
    if (current) this.choose(current.query_id);
    else this.app.say("Nothing left to judge.");
  }

  async undo() {
    this.app.queue.add({ kind: "undo" });
    this.app.judging.current = null;
    await this.show();
    announce("Undone");
    this.app.tellOthers();
  }

  grade(item, kind, grade = null) {
    const event = { kind, query_id: item.query_id, doc_id: item.doc_id, seconds: this.clock.seconds() };
    if (grade !== null) event.grade = grade;
    this.app.queue.add(event);
    this.clock.restart();
    const order = this.order();
    const at = order.indexOf(item);
    Object.assign(item, { kind, grade });
    this.selected = [...order.slice(at), ...order.slice(0, at)].find((other) => other.kind === null) ?? item;
    this.app.judging.current = null;
    this.app.queue.send();
    this.app.tellOthers();
    announce(`${item.document?.title || item.doc_id}: ${grade === null ? OTHERS.find(([, , other]) => other === kind)[1] : this.app.nameOf(grade)}`);
    const focused = document.activeElement?.id;
    this.render();
    if (focused) byId(focused)?.focus();
  }

  /** By grade, so that neighbors can be compared; what is open comes first, in random order. */
  order() {
    return this.sideBySide ? this.documents.toSorted((one, other) => (other.grade ?? 99) - (one.grade ?? 99)) : this.documents;
  }

  move(steps) {
    const order = this.order();
    this.selected = order[order.indexOf(this.selected) + steps] ?? this.selected;
    this.render();
  }

  render() {
    if (this.app.view !== this) return;
    byId("actions").hidden = true;
    if (this.query === null) {
      byId("main").replaceChildren(el("section", { class: "card end" }, el("h1", {}, "Nothing left to judge"), el("p", {}, "Documents that you judge are listed here.")));
      return;
    }
    const select = el("select", { id: "query-choice", onchange: () => this.choose(select.value) },
      [...this.queries].map(([id, text]) => el("option", { value: id, selected: id === this.query }, text)));
    const done = this.documents.filter((item) => item.kind === "grade" || item.kind === "cannot-judge").length;
    const order = this.order();
    const other = (text, key, action) => el("button", { type: "button", "aria-keyshortcuts": key.toLowerCase(), onclick: action }, text, el("kbd", {}, key));
    byId("main").replaceChildren(
      el("div", { class: "head" },
        el("h1", { dir: "auto" }, this.queries.get(this.query)),
        el("div", { class: "row start" },
          el("label", { for: "query-choice" }, "Query"), select,
          el("span", { class: "hint" }, `${done} of ${plural(this.documents.length, "document")} judged`),
          other("Next query", "F", () => this.next()),
          other("Undo", "U", () => this.undo()),
          other("Keys", "?", () => this.help()))),
      this.sideBySide
        ? el("div", { class: "columns", tabindex: "0", role: "region", "aria-label": "Documents side by side" }, order.map((item, at) => this.column(item, at)))
        : el("ol", { class: "listing" }, order.map((item, at) => this.row(item, at))));
    document.querySelector("main [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
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
      OTHERS.map(([key, name, kind]) => button(key, name, kind, null)));
  }

  row(item, at) {
    const pattern = wordPattern(item.query.text);
    const text = item.document?.text ?? "";
    const short = text.length > 320 ? `${text.slice(0, 320)}…` : text;
    return el("li", { class: "card", "aria-current": item === this.selected ? "true" : null },
      el("div", {},
        el("h2", { dir: "auto" }, highlight(item.document?.title || item.doc_id, pattern)),
        el("p", { class: "snippet", dir: "auto" }, highlight(short, pattern)),
        item.suggestion === null ? null : el("p", { class: "hint" }, `The model suggested ${this.app.nameOf(item.suggestion)}`),
        item.note ? el("p", { class: "hint" }, `Note: ${item.note}`) : null,
        el("button", { type: "button", class: "quiet", onclick: () => this.app.revise(item), "aria-label": `Open ${item.document?.title || item.doc_id}` }, "Open")),
      this.buttons(item, at));
  }

  column(item, at) {
    return el("article", { class: "card document", "aria-current": item === this.selected ? "true" : null },
      this.buttons(item, at),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": item.document?.title || item.doc_id }, ...documentBody(item)));
  }

  help() {
    const rows = [
      ...this.app.scale.map(({ name }, at) => [this.app.keyOf(at), name]), ["X", "Cannot judge"], ["L", "Later"],
      ["J", "The next document"], ["K", "The document before"], ["O", "Open the document"], ["F", "The next query"],
      ["U", "Undo the last answer"], ["G", "Guidelines"],
    ];
    openKeys(rows);
  }

  press(event) {
    const item = this.selected;
    const at = this.app.scale.findIndex((_, index) => this.app.keyOf(index) === event.key);
    const kind = OTHERS.find(([key]) => key === event.key.toLowerCase())?.[2];
    if (item && at >= 0) this.grade(item, "grade", this.app.scale[at].grade);
    else if (item && kind) this.grade(item, kind);
    else {
      const action = {
        j: () => this.move(1), k: () => this.move(-1), o: () => item && this.app.revise(item), f: () => this.next(), u: () => this.undo(), "?": () => this.help(),
      }[event.key.toLowerCase()];
      action?.();
      return Boolean(action);
    }
    return true;
  }
}
