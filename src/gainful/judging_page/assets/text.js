// Texts with highlighted query words.
import { el } from "./dom.js";

// Words that occur in most texts.
const COMMON = new Set("a an and are as at be by for from how in is it of on or that the this to was what when where which who why with".split(" "));

/** Return a pattern of the query's words, also with other endings, or null. */
export function wordPattern(query) {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word));
  const stems = [...new Set(words)].map((word) => {
    const stem = word.length > 4 ? word.replace(/(ies|es|s|ing|ed|y)$/u, "") : word;
    return stem.length < 3 ? `${word}(?![\\p{L}\\p{N}])` : `${stem}[\\p{L}\\p{N}]{0,4}(?![\\p{L}\\p{N}])`;
  });
  return stems.length ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${stems.join("|")})`, "giu") : null;
}

/** Return the nodes of a text, in which matches of the pattern are marked. */
export function highlight(text, pattern) {
  if (!pattern) return [text];
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) nodes.push(text.slice(end, match.index));
    nodes.push(el("mark", {}, match[0]));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

/** Return the paragraphs of a text, each in the direction of its script. */
export function paragraphs(text, pattern) {
  return text
    .split(/\n\s*\n/u)
    .filter((part) => part.trim())
    .map((part) => el("p", { dir: "auto" }, highlight(part, pattern)));
}

/** Open the links of rendered Markdown in new tabs. */
export function openLinksElsewhere(body) {
  for (const link of body.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
}

/** Return a text in Markdown, which the server has rendered without its HTML and images. */
export function markdown(html, pattern) {
  const body = el("div", { class: "text prose" });
  body.innerHTML = html;
  openLinksElsewhere(body);
  for (const block of body.querySelectorAll("p, li, h1, h2, h3, h4, td, th")) block.dir = "auto";
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) text.replaceWith(...highlight(text.data, pattern));
  return body;
}
