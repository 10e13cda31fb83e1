// All documents of a query: as a list, or side by side.
import { Clock } from "./clock.js";
import { announce, byId, el, plural, shareOf } from "./dom.js";
import { kbd, keys, openKeys } from "./keys.js";
import { documentBody } from "./document.js";
import { get, post } from "./server.js";
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
    // The documents that are graded together.
    this.checked = new Set();
    // How many events the last step added, which one undo takes back.
    this.steps = 1;
    // How many answers were given here.
    this.answers = 0;
    this.words = "";
    this.filter = "all";
    this.clock = new Clock();
  }

  async show() {
    try {
      const { answers } = this;
      await this.app.queue.send();
      if (!this.app.judging.current) await this.app.judging.refresh();
      const { labels } = await get("labels");
      this.queries = new Map();
      for (const label of labels) this.queries.set(label.query_id, label.query.text);
      const { current } = this.app.judging;
      if (current) this.queries.set(current.query_id, current.query.text);
      this.query = current && !this.queries.has(this.query) ? current.query_id : this.query ?? current?.query_id ?? [...this.queries.keys()].at(-1) ?? null;
      const documents = this.query === null ? [] : (await get("listing", { query: this.query })).documents;
      // An answer that was given meanwhile is not in them.
      if (answers !== this.answers) {
        await this.show();
        return;
      }
      this.documents = documents;
      this.checked = new Set(this.documents.map((item) => item.doc_id).filter((id) => this.checked.has(id)));
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
    for (let step = 0; step < this.steps; step += 1) this.app.queue.add({ kind: "undo" });
    this.steps = 1;
    this.app.judging.current = null;
    await this.show();
    announce("Undone");
    this.app.tellOthers();
  }

  grade(item, kind, grade = null) {
    this.steps = 1;
    this.add(item, kind, grade, this.clock.seconds());
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

  add(item, kind, grade, seconds) {
    const event = { kind, query_id: item.query_id, doc_id: item.doc_id, seconds };
    if (grade !== null) event.grade = grade;
    this.answers += 1;
    this.app.queue.add(event);
  }

  /** Give all checked documents the same answer; null takes back their answers. */
  gradeChecked(kind, grade = null) {
    const items = this.order().filter((item) => this.checked.has(item.doc_id) && (kind !== null || item.kind !== null));
    // The time of a document is an equal share.
    const seconds = Math.round((10 * this.clock.seconds()) / Math.max(1, items.length)) / 10;
    for (const item of items) {
      this.add(item, kind ?? "withdraw", grade, kind === null ? undefined : seconds);
      Object.assign(item, { kind, grade });
    }
    this.steps = kind === null ? 1 : Math.max(1, items.length);
    this.checked.clear();
    this.clock.restart();
    this.app.judging.current = null;
    this.app.queue.send();
    this.app.tellOthers();
    const words = kind === null ? "open again" : grade === null ? OTHERS.find(([, , other]) => other === kind)[1] : this.app.nameOf(grade);
    this.app.say(`${plural(items.length, "document")}: ${words}.`);
    this.render();
    byId("check-all")?.focus();
  }

  /** Judge again what was put off, or could not be judged, in all queries. */
  async reset(kind) {
    try {
      await this.app.queue.send();
      const { count } = await post("reset", { kind });
      this.app.judging.current = null;
      await this.app.judging.refresh();
      await this.show();
      this.app.say(`${plural(count, "document")} open again.`);
      this.app.tellOthers();
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** Whether a document has the words and the answer that are looked for. */
  matches(item) {
    const answer = item.kind === "grade" ? `grade-${item.grade}` : item.kind ?? "open";
    if (this.filter !== "all" && this.filter !== answer) return false;
    const { title = "", text = "", fields = [] } = item.document ?? {};
    const content = [item.doc_id, title, text, item.note, ...fields.map(([, value]) => value)].join("\n").toLowerCase();
    return this.words.toLowerCase().split(/\s+/u).every((word) => content.includes(word));
  }

  /** By grade, so that neighbors can be compared; what is open comes first, in random order. */
  order() {
    const shown = this.documents.filter((item) => this.matches(item));
    return this.sideBySide ? shown.toSorted((one, other) => (other.grade ?? 99) - (one.grade ?? 99)) : shown;
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
    const other = (text, key, action) => el("button", { type: "button", "aria-keyshortcuts": keys.label(key).toLowerCase(), onclick: action }, text, kbd(key));
    byId("main").replaceChildren(
      el("div", { class: "head" },
        el("h1", { dir: "auto" }, this.queries.get(this.query)),
        el("div", { class: "row start" },
          el("label", { for: "query-choice" }, "Query"), select,
          el("span", { class: "hint" }, `${done} of ${plural(this.documents.length, "document")} judged`),
          other("Next query", "F", () => this.next()),
          other("Undo", "U", () => this.undo()),
          other("Keys", "?", () => this.help())),
        this.finding()),
      el("div", { id: "documents" }));
    this.renderDocuments();
    document.querySelector("main [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** The search, the filter, and what can be judged again. */
  finding() {
    const search = el("input", { type: "search", id: "search", autocomplete: "off", "aria-label": "Search these documents", placeholder: "Search these documents" });
    search.value = this.words;
    search.addEventListener("input", () => { this.words = search.value; this.find(); });
    const choices = [["all", "All answers"], ["open", "Not judged"], ...this.app.scale.map(({ grade, name }) => [`grade-${grade}`, name]), ["cannot-judge", "Cannot judge"], ["skip", "Later"]];
    const filter = el("select", { id: "filter", "aria-label": "Answers", onchange: () => { this.filter = filter.value; this.find(); } },
      choices.map(([value, text]) => el("option", { value, selected: value === this.filter }, text)));
    const own = this.app.progress?.own ?? {};
    const again = (count, kind, what) => (count ? el("button", { type: "button", class: "quiet", onclick: () => this.reset(kind) }, `Judge ${count} again: ${what}`) : null);
    return el("div", { class: "row start" }, search, filter,
      again(own.later, "skip", "later"), again(own.cannot_judge, "cannot-judge", "cannot judge"));
  }

  find() {
    const order = this.order();
    this.checked = new Set(order.map((item) => item.doc_id).filter((id) => this.checked.has(id)));
    if (!order.includes(this.selected)) [this.selected] = order;
    this.renderDocuments();
    announce(plural(order.length, "document"));
  }

  renderDocuments() {
    const order = this.order();
    if (!order.length) {
      byId("documents").replaceChildren(el("p", { class: "message" }, "No document of this query matches."));
    } else if (this.sideBySide) {
      byId("documents").replaceChildren(el("div", { class: "columns", tabindex: "0", role: "region", "aria-label": "Documents side by side" }, order.map((item, at) => this.column(item, at))));
    } else {
      byId("documents").replaceChildren(this.together(order), el("ol", { class: "listing" }, order.map((item, at) => this.row(item, at))));
    }
  }

  /** Check all documents, and answer for those that are checked. */
  together(order) {
    const count = this.checked.size;
    const all = el("input", { type: "checkbox", id: "check-all", checked: count > 0 && count === order.length });
    all.addEventListener("change", () => {
      this.checked = new Set(all.checked ? order.map((item) => item.doc_id) : []);
      this.renderDocuments();
      byId("check-all").focus();
    });
    all.indeterminate = count > 0 && count < order.length;
    const { scale } = this.app;
    return el("div", { class: "row start together" },
      el("label", { class: "check" }, all, count ? `${count} selected` : `Select all ${order.length}`),
      count ? el("div", { class: "grades small", role: "group", "aria-label": "Answer for all selected documents" },
        scale.map(({ grade, name }) => el("button", { type: "button", class: "grade small", style: { "--share": shareOf(scale, grade) }, "aria-label": `${name}: all selected documents`, onclick: () => this.gradeChecked("grade", grade) }, name)),
        OTHERS.map(([, name, kind]) => el("button", { type: "button", class: "small", "aria-label": `${name}: all selected documents`, onclick: () => this.gradeChecked(kind) }, name)),
        el("button", { type: "button", class: "small", onclick: () => this.gradeChecked(null) }, "Take back answers")) : null);
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
    const lines = text.trim().replace(/\s*\n\s*/gu, "\n");
    const short = lines.length > 320 ? `${lines.slice(0, 320)}…` : lines;
    const check = el("input", { type: "checkbox", id: `check-${at}`, checked: this.checked.has(item.doc_id), "aria-label": `Select ${item.document?.title || item.doc_id}` });
    check.addEventListener("change", () => {
      if (check.checked) this.checked.add(item.doc_id);
      else this.checked.delete(item.doc_id);
      this.renderDocuments();
      byId(check.id)?.focus();
    });
    return el("li", { class: "card", "aria-current": item === this.selected ? "true" : null },
      el("label", { class: "check" }, check),
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
      ...this.app.scale.map(({ name }, at) => [this.app.defaultKeyOf(at), name]), ["X", "Cannot judge"], ["L", "Later"],
      ["J", "The next document"], ["K", "The document before"], ["O", "Open the document"], ["F", "The next query"],
      ["U", "Undo the last answer"], ["G", "Guidelines"],
    ];
    openKeys(rows, () => this.render());
  }

  press(event) {
    const item = this.selected;
    const at = this.app.gradeAt(event.key);
    const kind = OTHERS.find(([key]) => key === keys.meaning(event.key))?.[2];
    if (item && at >= 0) this.grade(item, "grade", this.app.scale[at].grade);
    else if (item && kind) this.grade(item, kind);
    else {
      const action = {
        j: () => this.move(1), k: () => this.move(-1), o: () => item && this.app.revise(item), f: () => this.next(), u: () => this.undo(), "?": () => this.help(),
      }[keys.meaning(event.key)];
      action?.();
      return Boolean(action);
    }
    return true;
  }
}
