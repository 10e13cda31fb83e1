// For owners: progress, agreement, what the labels mean for systems, and people.
import { announce, byId, duration, el, openDialog, plural, shareOf } from "./dom.js";
import { get, post } from "./server.js";

const number = (value, places = 2) => (value === null || value === undefined ? "–" : value.toFixed(places).replace("-", "−").replace(/^(−?)0\./u, "$1."));
const signed = (value, places = 2) => (value === null || value === undefined ? "–" : `${value > 0 ? "+" : ""}${number(value, places)}`);
const interval = ({ low, high }, show = number) => (low === null || low === undefined ? "" : `${show(low)} to ${show(high)}`);

function table(caption, heads, rows) {
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: "hidden" }, caption),
      el("thead", {}, el("tr", {}, heads.map((head, at) => el("th", { scope: "col", class: at ? "number" : null }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, at) => (at ? el("td", { class: "number" }, cell) : el("th", { scope: "row" }, cell))))))));
}

const tile = (name, value, more = "") => el("div", {}, el("dt", {}, name), el("dd", {}, value, more ? el("small", {}, more) : null));

export class ResultsView {
  constructor(app) {
    this.app = app;
    this.timer = null;
  }

  async show() {
    clearTimeout(this.timer);
    try {
      const [found, { people }] = await Promise.all([get("overview"), get("people")]);
      if (this.app.view !== this) return;
      this.render(found, people);
    } catch (error) {
      this.app.fail(error);
    }
    // The page is live while it is on display.
    this.timer = setTimeout(() => { if (this.app.view === this && !document.hidden) this.show(); }, 10_000);
  }

  render(found, people) {
    byId("actions").hidden = true;
    const { progress, agreement, effect, why_no_effect: why } = found;
    // What somebody reads or has opened is left alone until there is something new.
    const content = JSON.stringify([found, people]);
    if (content === this.content && document.querySelector(".results")) return;
    this.content = content;
    const focused = document.activeElement?.id;
    byId("main").replaceChildren(el("div", { class: "results" },
      ...(this.app.settings.mode === "pairs"
        ? [this.pairs(progress)]
        : [this.progress(progress), this.grades(found.grades, agreement), this.agreement(agreement), this.effect(effect, why, progress)]),
      this.files(),
      this.people(people)));
    if (focused) byId(focused)?.focus();
  }

  progress(progress) {
    const left = progress.seconds_left;
    return el("section", { class: "card" },
      el("h1", {}, "Progress"),
      el("dl", { class: "tiles" },
        tile("labels", progress.done.toLocaleString("en"), ` of ${progress.requested.toLocaleString("en")}${progress.extra ? ` · ${progress.extra} extra` : ""}`),
        tile("documents", progress.documents.toLocaleString("en"), ` for ${plural(progress.queries, "query", "queries")}`),
        tile("disagreements", progress.disagreements.toLocaleString("en"), progress.decisions ? ` · ${progress.decisions} decided` : ""),
        tile("cannot judge", progress.cannot_judge.toLocaleString("en")),
        tile("work left", left === null ? "–" : duration(left))),
      this.judges(progress, { labels: "labels", cannot_judge: "cannot judge", later: "later", unclear: "unclear queries" }, "per document"),
      this.resets(progress));
  }

  /** Let all judges judge again what they put off, or could not judge. */
  resets({ judges }) {
    const total = (name) => judges.reduce((sum, judge) => sum + judge[name], 0);
    const button = (count, kind, what) => (count ? el("button", { type: "button", class: "small", id: `reset-${kind}`, onclick: () => this.reset(kind) }, `Reset ${count} “${what}”`) : null);
    const buttons = [button(total("later"), "skip", "later"), button(total("cannot_judge"), "cannot-judge", "cannot judge")].filter(Boolean);
    return buttons.length ? el("div", { class: "row start" }, buttons, el("span", { class: "hint" }, "These documents are open again for all judges.")) : null;
  }

  async reset(kind) {
    try {
      const { count } = await post("reset-all", { kind });
      this.app.say(`${plural(count, "answer")} taken back.`);
      this.show();
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** How each judge grades, and how often others and the model give the same grade. */
  grades(rows, agreement) {
    if (!rows.length) return null;
    const { scale } = this.app;
    const suggested = rows.some((row) => row.suggested);
    const others = (name) => {
      const pairs = (agreement?.pairs ?? []).filter((pair) => pair.documents && [pair.first, pair.second].includes(name));
      const documents = pairs.reduce((sum, pair) => sum + pair.documents, 0);
      const same = pairs.reduce((sum, pair) => sum + pair.same * pair.documents, 0);
      return documents ? `${Math.round((100 * same) / documents)}% of ${documents}` : "–";
    };
    const bar = (count, total, at) => el("span", { class: "part", style: { "--part": `${Math.round((100 * count) / total)}%`, "--share": shareOf(scale, scale[at].grade) } }, `${count.toLocaleString("en")} (${Math.round((100 * count) / total)}%)`);
    const heads = ["judge", ...scale.map((each) => each.name), "same as other judges", ...(suggested ? ["same as the model", "mean difference from the model"] : [])];
    const body = rows.map((row) => {
      const total = row.counts.reduce((sum, count) => sum + count, 0);
      return [row.judge, ...row.counts.map((count, at) => bar(count, total, at)), others(row.judge),
        ...(suggested ? [row.suggested ? `${Math.round((100 * row.same) / row.suggested)}% of ${row.suggested}` : "–", signed(row.difference)] : [])];
    });
    return el("section", { class: "card" }, el("h2", {}, "Grades by judge"), table("Grades by judge", heads, body),
      suggested ? this.suggestions(rows) : null);
  }

  /** The model's suggestions (columns) for the grades of all judges (rows). */
  suggestions(rows) {
    const { scale } = this.app;
    const cells = rows.flatMap((row) => row.confusion);
    const count = (grade, model) => cells.filter(([one, other]) => one === grade && other === model).reduce((sum, [, , number]) => sum + number, 0);
    return el("details", {}, el("summary", {}, "Grades of the judges (rows) and suggestions of the model (columns)"),
      table("Grades of judges and suggestions of the model", ["judges ↓ model →", ...scale.map((each) => each.name)],
        scale.map((row) => [row.name, ...scale.map((column) => String(count(row.grade, column.grade)))])));
  }

  /** Files to download. */
  files() {
    const link = (form, text) => el("a", { class: "button", href: `/files/${form}`, download: "" }, text);
    const pairs = this.app.settings.mode === "pairs";
    return el("section", { class: "card" }, el("h2", {}, "Files"),
      el("div", { class: "row start" },
        pairs ? link("prefs", "Preferences") : [link("qrels", "Judgments (qrels)"), link("csv", "Labels (CSV)"), link("jsonl", "Labels (JSON lines)")],
        link("backup", "Backup of the session")),
      el("p", { class: "hint" }, "Judgments have one grade per document; labels have judge, time and note. A backup opens like the session itself."));
  }

  pairs(progress) {
    return el("section", { class: "card" },
      el("h1", {}, "Progress"),
      el("dl", { class: "tiles" },
        tile("pairs compared", progress.pairs.toLocaleString("en")),
        tile("queries sorted", progress.orders.toLocaleString("en"), ` of ${progress.requested_orders.toLocaleString("en")}`),
        tile("documents", progress.documents.toLocaleString("en"), ` for ${plural(progress.queries, "query", "queries")}`)),
      this.judges(progress, { pairs: "pairs", unclear: "unclear queries" }, "per pair"));
  }

  judges({ judges }, columns, pace) {
    if (!judges.length) return el("p", { class: "hint" }, "Nobody has judged yet.");
    return table("Judges", ["judge", ...Object.values(columns), pace], judges.map((judge) => [
      judge.judge, ...Object.keys(columns).map((name) => judge[name].toLocaleString("en")), judge.pace === null ? "–" : duration(judge.pace)]));
  }

  agreement(found) {
    const section = (...children) => el("section", { class: "card" }, el("h2", {}, "Inter-annotator agreement"), ...children);
    if (!found?.alpha || found.alpha.value === null) {
      return section(el("p", { class: "hint" }, "No document has labels of two judges yet. A pool with --overlap 20% gives a fifth of the documents to two judges."));
    }
    const { alpha } = found;
    const words = alpha.value >= 0.8 ? "reliable" : alpha.value >= 0.667 ? "good enough for tentative conclusions" : "too low for conclusions";
    return section(
      el("p", { class: "finding" }, "Krippendorff's alpha is ", el("b", {}, number(alpha.value)),
        alpha.low === null ? "" : ` (95% CI ${interval(alpha)})`, `, ${words}, on ${plural(found.documents, "document")} with two or more labels.`),
      table("Pairs of judges", ["pair", "documents", "same grade", "kappa", "95% CI", "mean difference"],
        found.pairs.map((pair) => [`${pair.first} and ${pair.second}`, pair.documents, `${Math.round(100 * pair.same)}%`, number(pair.kappa), interval(pair), this.difference(pair)])),
      found.raters.some((rater) => rater.bias !== null)
        ? table("Bias of judges", ["judge", "compared", "mean grade", "bias", "95% CI"],
          found.raters.map((rater) => [rater.name, rater.compared, number(rater.mean), signed(rater.bias), interval(rater, signed)])) : null,
      ...found.pairs.map((pair) => this.confusion(pair)));
  }

  difference(pair) {
    const total = pair.confusion.reduce((sum, [one, other, count]) => sum + (one - other) * count, 0);
    return signed(total / pair.documents);
  }

  confusion(pair) {
    const { scale } = this.app;
    const count = (one, other) => pair.confusion.find((cell) => cell[0] === one && cell[1] === other)?.[2] ?? 0;
    return el("details", {}, el("summary", {}, `Grades of ${pair.first} (rows) and ${pair.second} (columns)`),
      table(`Grades of ${pair.first} and ${pair.second}`, [`${pair.first} ↓ ${pair.second} →`, ...scale.map((each) => each.name)],
        scale.map((row) => [row.name, ...scale.map((column) => String(count(row.grade, column.grade)))])));
  }

  effect(effect, why, progress) {
    const section = (...children) => el("section", { class: "card" }, el("h2", {}, "Effect on the systems"), ...children);
    if (!effect) return section(el("p", { class: "hint" }, why || "Pass two or more runs after the pool or the judgments to see what the labels mean for them."));
    const places = 4;
    // The labels that could settle an order, at the usual pace of a judge.
    const paces = progress.judges.map((judge) => judge.pace).filter((pace) => pace !== null).sort((one, other) => one - other);
    const pace = paces.length ? paces[Math.floor(paces.length / 2)] : null;
    const work = (count) => (count && pace !== null ? ` (${duration(count * pace)})` : "");
    return section(
      el("p", { class: "finding" }, effect.sentence),
      table("Systems", ["system", "vs.", `difference in ${effect.measure}`, "over all labels", "labels to settle it", "verdict"],
        effect.contests.map((each) => [each.system, each.baseline, signed(each.difference, places), interval(each, (value) => signed(value, places)), each.settling === null ? "–" : `${each.settling.toLocaleString("en")}${work(each.settling)}`, each.text])),
      el("p", { class: "hint" }, effect.advice));
  }

  people(people) {
    return el("section", { class: "card" }, el("h2", {}, "People"),
      el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "People" }, el("table", {},
        el("thead", {}, el("tr", {}, ["name", "role", "browsers", ""].map((head) => (head ? el("th", { scope: "col" }, head) : el("td", {}))))),
        el("tbody", {}, people.map(({ name, role, browsers }, at) => el("tr", {},
          el("th", { scope: "row" }, name), el("td", {}, role), el("td", {}, String(browsers)),
          el("td", {}, el("div", { class: "row start" },
            el("button", { type: "button", class: "small", id: `link-${at}`, onclick: () => this.link(name), "aria-label": `New address for ${name}` }, "New address"),
            name === this.app.settings.judge ? null : el("button", { type: "button", class: "small", id: `revoke-${at}`, onclick: () => this.revoke(name), "aria-label": `Sign ${name} out` }, "Sign out")))))))));
  }

  async link(name) {
    try {
      const { address, code } = await post("link", { name });
      const canvas = el("canvas", { role: "img", "aria-label": "QR code of the address", class: "code", width: code.length, height: code.length });
      const context = canvas.getContext("2d");
      context.fillStyle = "#fff";
      context.fillRect(0, 0, code.length, code.length);
      context.fillStyle = "#000";
      code.forEach((line, y) => [...line].forEach((cell, x) => { if (cell === "1") context.fillRect(x, y, 1, 1); }));
      openDialog(`Address for ${name}`, el("p", {}, "It works once, in one browser."), el("p", { class: "address" }, address), canvas);
    } catch (error) {
      this.app.fail(error);
    }
  }

  async revoke(name) {
    try {
      await post("revoke", { name });
      announce(`${name} is signed out`);
      this.show();
    } catch (error) {
      this.app.fail(error);
    }
  }

  press() {
    return false;
  }
}
