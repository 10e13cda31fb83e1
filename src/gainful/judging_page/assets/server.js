// Requests, and the queue of events that the server has not confirmed.
//
// An event is in localStorage until the server confirms it, under a key of its own, so that several
// tabs can add events. Every event has a unique id: one that is sent twice is recorded once.
import { byId, plural } from "./dom.js";

const RETRY = [1000, 2000, 5000, 10000];

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function request(path, options) {
  const response = await fetch(path, { cache: "no-store", ...options });
  const body = await response.json();
  if (!response.ok) throw new Refused(response.status, body.error);
  return body;
}

export function get(name, values = {}) {
  const query = new URLSearchParams(values).toString();
  return request(`/api/${name}${query ? `?${query}` : ""}`);
}

export function post(name, values) {
  return request(`/api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  });
}

export class Queue {
  constructor(session, judge, onAnswer, onError) {
    this.prefix = `gainful:${session}:${judge}:`;
    this.onAnswer = onAnswer;
    this.onError = onError;
    this.memory = new Map();
    this.failures = 0;
    this.sending = null;
    this.count = 0;
    addEventListener("online", () => this.send());
  }

  /** Return the keys of all events that are not confirmed, oldest first. */
  keys() {
    const found = [...this.memory.keys()];
    try {
      for (let at = 0; at < localStorage.length; at += 1) {
        const key = localStorage.key(at);
        if (key.startsWith(this.prefix) && !this.memory.has(key)) found.push(key);
      }
    } catch { /* A browser without storage keeps the events in memory. */ }
    return found.sort();
  }

  read(key) {
    const known = this.memory.get(key);
    if (known) return known;
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  /** Add an event, and return its id. It is stored before anything is sent. */
  add(event) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const id = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.count += 1;
    const key = `${this.prefix}${String(Date.now()).padStart(15, "0")}-${String(this.count).padStart(6, "0")}-${id}`;
    const stored = { ...event, client_id: id };
    this.memory.set(key, stored);
    try {
      localStorage.setItem(key, JSON.stringify(stored));
    } catch { /* It remains in memory. */ }
    return id;
  }

  confirm(key) {
    this.memory.delete(key);
    try {
      localStorage.removeItem(key);
    } catch { /* It was only in memory. */ }
  }

  /** Send all events. Return the answer of the server, or null if it cannot be reached. */
  send() {
    // Events that are added while others are sent are sent next.
    this.sending = (this.sending ?? Promise.resolve()).then(() => this.sendNow());
    return this.sending;
  }

  async sendNow() {
    const keys = this.keys().slice(0, 500);
    if (!keys.length) return null;
    const events = keys.map((key) => this.read(key));
    try {
      const answer = await post("events", { events: events.filter(Boolean) });
      keys.forEach((key) => this.confirm(key));
      this.failures = 0;
      this.show();
      answer.events.filter((each) => each.error).forEach((each) => this.onError(each.error));
      this.onAnswer(answer);
      if (this.keys().length) setTimeout(() => this.send(), 0);
      return answer;
    } catch (error) {
      this.show(error);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.send(), RETRY[Math.min(this.failures, RETRY.length - 1)]);
      this.failures += 1;
      return null;
    }
  }

  show(error = null) {
    const banner = byId("banner");
    banner.hidden = error === null;
    if (error === null) return;
    const waiting = plural(this.keys().length, "answer");
    if (!(error instanceof Refused)) banner.textContent = `No connection. ${waiting} kept in this browser, and sent when the connection is back. You can go on.`;
    else if (error.status === 401) banner.textContent = `You were signed out. ${waiting} kept in this browser. Ask for a new address.`;
    else banner.textContent = `Not stored: ${error.message}. ${waiting} kept in this browser, and sent again.`;
  }
}
