// Compare two documents of a query.
import { Clock } from "./clock.js";
import { announce, byId, el } from "./dom.js";
import { kbd, keys, openKeys } from "./keys.js";
import { documentBody, queryCard } from "./document.js";
import { get } from "./server.js";

const ANSWERS = [["1", "Left is better", 1], ["0", "Equally good", 0], ["2", "Right is better", -1]];

export class PairView {
  constructor(app) {
    this.app = app;
    this.pair = null;
    this.clock = new Clock();
  }

  async show() {
    try {
      await this.app.queue.send();
      this.receive(await get("next"));
    } catch (error) {
      this.app.fail(error);
    }
    this.render();
  }

  receive(answer) {
    this.app.progress = answer.progress;
    const before = this.pair && [this.pair.left_id, this.pair.right_id].join("\n");
    this.pair = answer.pair;
    const after = this.pair && [this.pair.left_id, this.pair.right_id].join("\n");
    if (before !== after) this.clock.restart();
    this.app.showStanding();
    if (this.app.view === this) this.render();
  }

  async answer(grade, words) {
    const { pair } = this;
    if (!pair) return;
    this.pair = null;
    this.app.queue.add({ kind: "prefer", query_id: pair.query_id, doc_id: pair.left_id, text: pair.right_id, grade, seconds: this.clock.seconds() });
    await this.send(words);
  }

  async send(words) {
    if (await this.app.queue.send() === null) this.render();
    announce(this.pair ? `${words}. Next pair` : words);
    document.querySelector(".document-title")?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
    this.app.tellOthers();
  }

  undo() {
    this.app.queue.add({ kind: "undo" });
    this.pair = null;
    return this.send("Undone");
  }

  unclear() {
    if (!this.pair) return undefined;
    this.app.queue.add({ kind: "query-unclear", query_id: this.pair.query_id });
    this.pair = null;
    return this.send("Query unclear");
  }

  expect(text) {
    this.app.queue.add({ kind: "note", query_id: this.pair.query_id, text });
    this.app.queue.send();
  }

  standing() {
    const { pair } = this;
    if (!pair) return { share: 1, text: "" };
    return { share: pair.compared / Math.max(pair.most, 1), text: `pair ${pair.compared + 1} of at most ${Math.max(pair.most, pair.compared + 1)} of this query` };
  }

  render() {
    if (this.app.view !== this) return;
    const { pair } = this;
    byId("actions").hidden = !pair;
    if (!pair) {
      const waiting = this.app.queue.keys().length;
      byId("main").replaceChildren(el("section", { class: "card end" },
        el("h1", {}, waiting ? "Waiting for the server" : "Nothing left to compare"),
        el("p", {}, waiting ? "The next pair depends on your answer, which is kept in this browser." : "Thank you. All documents that you got are sorted."),
        waiting ? null : el("button", { type: "button", onclick: () => this.undo() }, "Undo the last answer", kbd("U"))));
      return;
    }
    const side = (name, id, found) => el("article", { class: "card document", "aria-label": name },
      el("p", { class: "kicker" }, name),
      ...documentBody({ query: pair.query, doc_id: id, document: found }));
    const query = queryCard({ ...pair, remaining: null }, { closed: true, onExpect: (text) => this.expect(text), onUnclear: () => this.unclear() });
    byId("main").replaceChildren(el("div", { class: "pairs" }, query,
      el("div", { class: "two" }, side("Left", pair.left_id, pair.left), side("Right", pair.right_id, pair.right))));
    byId("actions").replaceChildren(
      el("div", { class: "grades", role: "group", "aria-label": "Which document answers the query better?" },
        ANSWERS.map(([key, words, grade]) => el("button", { type: "button", class: "grade", style: { "--share": grade === 0 ? 0 : 0.5 }, "aria-keyshortcuts": key, onclick: () => this.answer(grade, words) },
          kbd(key), el("span", {}, words)))),
      el("div", { class: "others" },
        el("button", { type: "button", class: "other", onclick: () => this.undo() }, el("span", {}, "Undo"), kbd("U")),
        el("button", { type: "button", class: "other", onclick: () => this.help() }, el("span", {}, "Keys"), el("kbd", {}, "?"))));
  }

  help() {
    const rows = [["1", "The left document is better"], ["2", "The right document is better"], ["0", "Equally good"],
      ["U", "Undo the last answer"], ["Q", "The query is unclear"], ["E", "Write what a good answer would be"], ["G", "Guidelines"], ["←", "The left document is better", true], ["→", "The right document is better", true], ["=", "Equally good", true]];
    openKeys(rows, () => this.render());
  }

  press(event) {
    const names = { ArrowLeft: "1", ArrowRight: "2", "=": "0" };
    const answer = ANSWERS.find(([key]) => key === (names[event.key] ?? keys.meaning(event.key)));
    if (answer) {
      this.answer(answer[2], answer[1]);
      return true;
    }
    const actions = { u: () => this.undo(), q: () => this.unclear(), "?": () => this.help(),
      e: () => { byId("expectation")?.closest("details").setAttribute("open", ""); byId("expectation")?.focus(); } };
    const action = actions[keys.meaning(event.key)];
    action?.();
    return Boolean(action);
  }
}
