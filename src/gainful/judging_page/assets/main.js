// Start the page: sign in, views, keys and the theme.
import { DecisionView } from "./adjudicate.js";
import { announce, byId, el, openDialog } from "./dom.js";
import { JudgeView, standingOf } from "./judge.js";
import { kbd, keys } from "./keys.js";
import { ListView } from "./lists.js";
import { ResultsView } from "./owner.js";
import { PairView } from "./pairs.js";
import { PracticeView } from "./practice.js";
import { get, post, Queue, Refused } from "./server.js";
import { openLinksElsewhere } from "./text.js";

const THEMES = ["auto", "light", "dark"];

class App {
  constructor(settings) {
    this.settings = settings;
    this.scale = settings.scale;
    this.progress = null;
    this.queue = new Queue(settings.session, settings.judge, (answer) => this.receive(answer), (text) => this.notify(text));
    const pairs = settings.mode === "pairs";
    this.judging = pairs ? new PairView(this) : new JudgeView(this);
    this.practice = new PracticeView(this);
    this.views = new Map([["judge", { title: pairs ? "Compare" : "Judge", view: this.judging }]]);
    if (!pairs) {
      this.views.set("list", { title: "List", view: new ListView(this, false) });
      this.views.set("side-by-side", { title: "Side by side", view: new ListView(this, true) });
    }
    if (settings.role === "owner") {
      if (!pairs) this.views.set("disagreements", { title: "Disagreements", view: new DecisionView(this) });
      this.views.set("results", { title: "Results", view: new ResultsView(this) });
    }
    this.channel = new BroadcastChannel(`gainful:${settings.session}:${settings.judge}`);
    this.channel.onmessage = () => this.follow();
  }

  async start() {
    document.title = this.settings.title;
    byId("title").textContent = this.settings.title;
    this.buttons = [...this.views].map(([name, { title }]) => el("button", { type: "button", class: "tab", "data-view": name, onclick: () => this.choose(name) }, title));
    byId("nav").append(...this.buttons);
    if (this.settings.guidelines) {
      byId("nav").append(el("button", { type: "button", class: "tab", onclick: () => this.guidelines() }, "Guidelines", kbd("G")));
    }
    addEventListener("keydown", (event) => this.press(event));
    this.queue.send();
    if (this.settings.practice && await this.practice.isOpen()) {
      this.view = this.practice;
      this.practice.show();
    } else {
      this.choose(this.views.has(this.settings.mode) ? this.settings.mode : "judge");
    }
  }

  receive(answer) {
    this.judging.receive(answer);
    const shown = answer.events.findLast((event) => event.suggestion !== null && event.suggestion !== undefined);
    if (shown) this.say(`The model suggested “${this.nameOf(shown.suggestion)}” for the last document, you chose “${this.nameOf(shown.grade)}”.`);
  }

  /** Show a line for a few seconds. */
  say(text) {
    const line = byId("said");
    line.textContent = text;
    line.hidden = false;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => { line.hidden = true; }, 6000);
  }

  choose(name) {
    this.judging.saveNote?.();
    this.view = this.views.get(name).view;
    for (const button of this.buttons) {
      button.setAttribute("aria-current", String(button.dataset.view === name));
      // On a phone the tabs are wider than the screen.
      if (button.dataset.view === name) button.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.view.show();
  }

  /** Open a judged document in the first view. */
  revise(item) {
    this.choose("judge");
    this.judging.open(item);
  }

  /** Another tab has answered: its document is not shown here again. */
  follow() {
    if (this.view === this.judging && this.judging.refresh) {
      if (this.judging.revising) return;
      this.judging.current = null;
      this.judging.refresh();
    } else if (this.view !== this.practice) {
      this.view.show();
    }
  }

  async tellOthers() {
    await this.queue.sending;
    this.channel.postMessage("answered");
  }

  nameOf(grade) {
    return this.scale.find((each) => each.grade === grade)?.name ?? String(grade);
  }

  /** The key of a grade, as it is shown. */
  keyOf(at) {
    return keys.label(this.defaultKeyOf(at));
  }

  /** The place of the grade that a key gives; -1 for none. */
  gradeAt(key) {
    const meaning = keys.meaning(key);
    return this.scale.findIndex((_, at) => this.defaultKeyOf(at) === meaning);
  }

  /** The number of a grade, or its place where not all grades are digits. */
  defaultKeyOf(at) {
    const digits = this.scale.every(({ grade }) => Number.isInteger(grade) && grade >= 0 && grade <= 9);
    return String(digits ? this.scale[at].grade : (at + 1) % 10);
  }

  showStanding() {
    if (!this.progress) return;
    const { share, text } = this.settings.mode === "pairs" ? this.judging.standing() : standingOf(this.progress);
    byId("standing").replaceChildren(
      el("progress", { max: "1", value: String(share), "aria-label": "Progress" }),
      el("span", {}, text));
  }

  guidelines() {
    const body = el("div", { class: "prose" });
    // The server renders Markdown without HTML, and the page may not run scripts of a text.
    body.innerHTML = this.settings.guidelines;
    openLinksElsewhere(body);
    openDialog("Guidelines", body);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("dialog").open) return;
    const writing = event.target.closest?.("textarea, input, select");
    if (writing) {
      if (event.key === "Escape") {
        writing.blur();
        document.querySelector(".document-title")?.focus();
      }
      return;
    }
    // A key that is held grades one document.
    if (event.repeat) {
      if (event.target.tagName === "BUTTON" && [" ", "Enter"].includes(event.key)) event.preventDefault();
      return;
    }
    if (keys.meaning(event.key) === "g" && this.settings.guidelines) this.guidelines();
    else if (!this.view.press(event)) return;
    event.preventDefault();
  }

  notify(text) {
    announce(text);
    const banner = byId("banner");
    banner.textContent = text;
    banner.hidden = false;
  }

  fail(error) {
    if (error instanceof Refused && error.status === 401) location.reload();
    else if (error instanceof Refused) this.notify(error.message);
    else this.queue.show(error);
  }
}

function message(title, text) {
  byId("main").replaceChildren(el("section", { class: "card end" }, el("h1", {}, title), el("p", {}, text)));
}

function startTheme() {
  let theme = "auto";
  const apply = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    byId("theme").textContent = `Theme: ${theme}`;
  };
  try {
    theme = localStorage.getItem("gainful-theme") ?? "auto";
  } catch { /* The choice is not saved. */ }
  if (!THEMES.includes(theme)) theme = "auto";
  apply();
  byId("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    apply();
    try {
      localStorage.setItem("gainful-theme", theme);
    } catch { /* The choice is not saved. */ }
  });
}

async function start() {
  startTheme();
  // The part of an address after # is never sent to a server, nor written to its logs.
  const token = location.hash.slice(1);
  if (token && token !== "main") {
    history.replaceState(null, "", "/");
    try {
      await post("enter", { token });
    } catch (error) {
      // A page that is opened again with an address that was used is signed in already.
      if (!(error instanceof Refused)) throw error;
      if (error.status === 503) {
        message("Not signed in", `${error.message}. Open the address again later.`);
        return;
      }
    }
  }
  try {
    await new App(await get("settings")).start();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
      message("Sign in", "Open the address that the person who runs this page gave you. Each address works once, in one browser. Ask for a new one if yours was used.");
    } else {
      message("No connection", "The server cannot be reached. Reload the page when it runs.");
    }
  }
}

start();
