// Search the built documentation with its own scripts: node site_search.js HTML < queries.json
// Prints, for each query, the pages of the results in the order in which the site lists them.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const site = process.argv[2];
const context = vm.createContext({
  URLSearchParams,
  location: {},
  DOCUMENTATION_OPTIONS: {},
  SPHINX_HIGHLIGHT_ENABLED: false,
  _: (text) => text,
  _ready: () => {},
  document: { getElementById: () => null },
});
context.window = context;
const header = fs.readFileSync(path.join(site, "search.html"), "utf-8");
const needed = /^(_static\/(searchtools|language_data|scorer|.*stemmer)|searchindex)/;
for (const [, source] of header.matchAll(/<script [^>]*src="([^"?]+)/g)) {
  if (needed.test(source)) {
    vm.runInContext(fs.readFileSync(path.join(site, source), "utf-8"), context);
  }
}
context.queries = JSON.parse(fs.readFileSync(0, "utf-8"));
const found = vm.runInContext(
  `queries.map((query) => {
    window.location.search = "?" + new URLSearchParams({ q: query });
    return Search._performSearch(...Search._parseQuery(query)).reverse();
  })`,
  context,
);
const lists = found.map((results) => results.map(([page, , anchor]) => page + (anchor || "")));
process.stdout.write(JSON.stringify(lists));
