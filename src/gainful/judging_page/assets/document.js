// A query and a document as elements.
import { el, plural } from "./dom.js";
import { kbd, keys } from "./keys.js";
import { highlight, markdown, paragraphs, wordPattern } from "./text.js";

const label = (name) => name.replaceAll("_", " ");

/** Return the text of a query, and its description or narrative. */
export function queryText({ query }) {
  const fields = query.fields.flatMap(([name, value]) => [
    el("dt", {}, label(name)),
    el("dd", { dir: "auto" }, value),
  ]);
  return [
    el("h1", { id: "query-text", dir: "auto" }, query.text),
    fields.length ? el("dl", { class: "fields" }, fields) : null,
  ].filter(Boolean);
}

export function queryCard(item, { onExpect, onUnclear, closed = false }) {
  const note = el("textarea", { id: "expectation", rows: "3", maxlength: "20000", dir: "auto" });
  note.value = item.expectation;
  note.addEventListener("change", () => onExpect(note.value));
  return el("section", { class: "card query", "aria-labelledby": "query-text" },
    el("p", { class: "kicker" }, "Query"),
    ...queryText(item),
    el("details", { open: Boolean(item.expectation) || (!closed && matchMedia("(min-width: 901px)").matches) },
      el("summary", {}, "What would a good answer be?"),
      el("label", { class: "hint", for: "expectation" }, "Your words, which stay visible for all documents of this query. Optional."),
      note),
    el("div", { class: "row" },
      el("span", { class: "hint" }, item.remaining === null ? "" : `${plural(item.remaining, "document")} left`),
      el("button", { type: "button", class: "quiet", onclick: onUnclear, "aria-keyshortcuts": keys.label("Q").toLowerCase() }, "Query unclear", kbd("Q"))));
}

export function documentBody(item, heading = "h2") {
  const { document: found, query } = item;
  const pattern = wordPattern(query.text);
  if (!found) {
    return [el(heading, { tabindex: "-1", class: "document-title" }, item.doc_id),
      el("p", { class: "hint" }, "The text of this document is not available. Choose “Cannot judge”, unless you know it.")];
  }
  const fields = found.fields.flatMap(([name, value]) => [
    el("dt", {}, label(name)),
    el("dd", { dir: "auto" }, highlight(value, pattern)),
  ]);
  const links = found.links.map(([name, address]) => el("p", {},
    el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, `Open ${label(name)} in a new tab`),
    el("span", { class: "hint" }, ` ${new URL(address).host}`)));
  const images = found.images.map((address) => el("img", { src: address, loading: "lazy", alt: `Image of ${found.title || item.doc_id}` }));
  return [
    el(heading, { tabindex: "-1", class: "document-title", dir: "auto" }, highlight(found.title || item.doc_id, pattern)),
    fields.length ? el("dl", { class: "fields" }, fields) : null,
    images.length ? el("div", { class: "images" }, images) : null,
    found.html ? markdown(found.html, pattern)
      : el("div", { class: "text" }, found.text ? paragraphs(found.text, pattern) : el("p", { class: "hint" }, "No text.")),
    ...links,
  ];
}
