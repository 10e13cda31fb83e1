// The keys of the page. Everybody can change them in their browser.
import { byId, el, openDialog } from "./dom.js";

const STORAGE = "gainful-keys";

class Keys {
  constructor() {
    // The chosen key by the default one.
    this.chosen = {};
    try {
      this.chosen = JSON.parse(localStorage.getItem(STORAGE)) ?? {};
    } catch { /* The choice is not saved. */ }
    if (typeof this.chosen !== "object" || Array.isArray(this.chosen)) this.chosen = {};
  }

  /** Return the key that does what a default key does, as it is shown. */
  label(name) {
    return (this.chosen[name.toLowerCase()] ?? name).toUpperCase();
  }

  /** Return the default key of what a pressed key does; nothing for a key without a meaning. */
  meaning(pressed) {
    const key = pressed.toLowerCase();
    const found = Object.entries(this.chosen).find(([, chosen]) => chosen === key);
    if (found) return found[0];
    return key in this.chosen ? "" : key;
  }

  /** Give an action another key; the action that had it gets the key of this one. */
  choose(name, key) {
    const own = this.label(name).toLowerCase();
    const other = this.meaning(key);
    if (other && other !== name) this.chosen[other] = own;
    this.chosen[name] = key;
    for (const [action, chosen] of Object.entries(this.chosen)) if (action === chosen) delete this.chosen[action];
    this.store();
  }

  reset() {
    this.chosen = {};
    this.store();
  }

  store() {
    try {
      localStorage.setItem(STORAGE, JSON.stringify(this.chosen));
    } catch { /* The choice is not saved. */ }
  }
}

export const keys = new Keys();

export const kbd = (name) => el("kbd", {}, keys.label(name));

/**
 * Show keys and what they do, to change them. A row has the default key, what it does, and whether
 * the key is fixed.
 */
export function openKeys(rows, changed) {
  const field = ([name, text]) => {
    const input = el("input", { class: "key", maxlength: "1", autocomplete: "off", "aria-label": `Key: ${text}`, id: `key-${name.toLowerCase()}` });
    input.value = keys.label(name);
    input.addEventListener("focus", () => input.select());
    input.addEventListener("input", () => {
      const key = input.value.toLowerCase();
      if (!/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(key) || key === "?") return;
      keys.choose(name.toLowerCase(), key);
      openKeys(rows, changed);
      byId(input.id)?.focus();
      changed();
    });
    return input;
  };
  openDialog("Keys",
    el("p", { class: "hint" }, "Type another key into a field to change it in this browser. Two actions swap their keys."),
    el("table", {}, el("tbody", {}, rows.map((row) => el("tr", {},
      el("th", { scope: "row" }, row[2] ? el("kbd", {}, row[0]) : field(row)), el("td", {}, row[1]))))),
    el("button", { type: "button", id: "reset-keys", onclick: () => { keys.reset(); openKeys(rows, changed); changed(); byId("reset-keys").focus(); } }, "Reset keys"));
}
