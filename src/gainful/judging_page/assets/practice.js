// Practice documents with feedback.
import { announce, byId, el, shareOf } from "./dom.js";
import { documentBody, queryText } from "./document.js";
import { get } from "./server.js";

export class PracticeView {
  constructor(app) {
    this.app = app;
    this.documents = [];
    this.at = 0;
    this.storage = `gainful-practiced:${app.settings.session}:${app.settings.judge}`;
  }

  /** Return whether there is something to practice that the judge has not skipped. */
  async isOpen() {
    try {
      if (localStorage.getItem(this.storage)) return false;
    } catch { /* Without storage it is offered again. */ }
    ({ documents: this.documents } = await get("practice"));
    this.at = this.documents.findIndex((item) => item.grade === null);
    return this.at >= 0;
  }

  show() {
    this.render();
  }

  async answer(grade) {
    const item = this.documents[this.at];
    if (item.grade !== null) return;
    this.app.queue.add({ kind: "practice", query_id: item.query_id, doc_id: item.doc_id, grade });
    await this.app.queue.send();
    try {
      ({ documents: this.documents } = await get("practice"));
    } catch (error) {
      this.app.fail(error);
      return;
    }
    this.render();
    announce(this.feedback());
    byId("next-practice")?.focus();
  }

  feedback() {
    const { grade, expected } = this.documents[this.at];
    const known = this.app.nameOf(expected);
    return grade === expected ? `Right: ${known}.` : `The known grade is ${known}. You chose ${this.app.nameOf(grade)}.`;
  }

  next() {
    const open = this.documents.findIndex((item) => item.grade === null);
    if (open < 0) {
      this.renderEnd();
      return;
    }
    this.at = open;
    this.render();
    document.querySelector(".document-title")?.focus();
  }

  leave() {
    try {
      localStorage.setItem(this.storage, "1");
    } catch { /* Without storage it is offered again. */ }
    this.app.choose("judge");
  }

  render() {
    const item = this.documents[this.at];
    const answered = item.grade !== null;
    byId("actions").hidden = false;
    byId("main").replaceChildren(el("div", { class: "judge" },
      el("section", { class: "card query", "aria-labelledby": "query-text" },
        el("p", { class: "kicker" }, `Practice ${this.at + 1} of ${this.documents.length}`),
        ...queryText(item),
        el("p", { class: "hint" }, "The grade of this document is known. Grade it, and see whether you agree. It does not count."),
        el("button", { type: "button", class: "quiet", onclick: () => this.leave() }, "Skip practice")),
      el("article", { class: "card document" },
        el("p", { class: "kicker" }, "Document"),
        ...documentBody(item),
        answered ? el("div", { class: item.grade === item.expected ? "feedback right" : "feedback wrong" },
          el("p", {}, el("strong", {}, this.feedback())),
          el("button", { type: "button", id: "next-practice", onclick: () => this.next() }, "Continue", el("kbd", {}, "Enter"))) : null)));
    const { scale } = this.app;
    byId("actions").replaceChildren(el("div", { class: "grades", role: "group", "aria-label": "Grades" },
      scale.map(({ grade, name }, at) => el("button", {
        type: "button", class: "grade", style: { "--share": shareOf(scale, grade) }, disabled: answered,
        "aria-pressed": String(item.grade === grade), onclick: () => this.answer(grade),
      }, el("kbd", {}, this.app.keyOf(at)), el("span", {}, name)))));
  }

  renderEnd() {
    byId("actions").hidden = true;
    const right = this.documents.filter((item) => item.grade === item.expected).length;
    byId("main").replaceChildren(el("section", { class: "card end" },
      el("h1", { tabindex: "-1", class: "document-title" }, `${right} of ${this.documents.length} as known`),
      el("p", {}, "Your grades count from now on."),
      el("ul", {}, this.documents.filter((item) => item.grade !== item.expected).map((item) => el("li", {},
        `${item.document?.title || item.doc_id}: ${this.app.nameOf(item.expected)}, you chose ${this.app.nameOf(item.grade)}`))),
      el("button", { type: "button", id: "next-practice", onclick: () => this.leave() }, "Start judging", el("kbd", {}, "Enter"))));
    byId("next-practice").focus();
  }

  press(event) {
    const at = this.app.gradeAt(event.key);
    if (at >= 0 && this.documents[this.at]?.grade === null) {
      this.answer(this.app.scale[at].grade);
      return true;
    }
    if (event.key === "Enter" && event.target.tagName !== "BUTTON" && byId("next-practice")) {
      byId("next-practice").click();
      return true;
    }
    return false;
  }
}
