// Show the rankings of the selected systems for one query.
const LONG_NAME = 24;
// The characters of a text that fit into its two lines.
const SNIPPET = 90;

function gradeChip(grade) {
  if (grade === null) return make("span", { class: "grade unjudged", title: "not judged" }, "?");
  const share = Math.max(0, Math.min(1, grade / facts.listing.highest));
  return make("span", { class: "grade", style: `--share:${share}`, title: `grade ${grade}` }, String(grade));
}

function documentName(found, at) {
  const id = found.d[at];
  const text = textOf(found.texts, id);
  if (!text || (!text[0] && !text[1])) return make("span", { class: "name" }, id);
  const title = text[0] || text[1];
  const more = text[0] && text[1] ? make("small", { class: "snippet" }, text[1]) : null;
  return make("span", { class: "name" }, make("span", { class: "title" }, title), more,
    make("small", { class: "where" }, id), (more ? text[1] : title).length > SNIPPET ? fullTextButton() : null);
}

function fullTextButton() {
  return make("button", {
    type: "button", class: "whole", "aria-expanded": "false",
    onclick: ({ target }) => {
      const whole = target.parentNode.classList.toggle("unfolded");
      target.setAttribute("aria-expanded", String(whole));
      target.textContent = whole ? "Less" : "Full text";
    },
  }, "Full text");
}

// Functions that add elements to a listed document, such as bars of its evidence. They are called
// with the list item, the rankings of the query, the index of the document, and the system.
const decorators = [];

function pairsOf(flat) {
  const map = new Map();
  for (let at = 0; at < flat.length; at += 2) map.set(flat[at], flat[at + 1]);
  return map;
}

function rankedItem(found, system, rank, document, contribution, tied, elsewhere) {
  const gain = make("span", { class: "gain" }, document < 0 ? null : gradeChip(found.g[document]));
  if (facts.listing.sums) {
    if (contribution) gain.append(make("small", { title: `discounted gain ${contribution}` }, `+${digits(contribution, 2)}`));
  } else if (contribution) gain.append(make("small", {}, "relevant"));
  const name = document < 0 ? make("span", { class: "name" }, "–") : documentName(found, document);
  const notes = [tied ? "tied score" : "", elsewhere].filter(Boolean).join(" · ");
  const where = name.querySelector(".where");
  if (notes && where) where.append(` · ${notes}`);
  else if (notes) name.append(make("small", {}, notes));
  const item = make("li", document < 0 ? {} : { "data-document": document },
    make("span", { class: "rank" }, String(rank + 1)), name, gain);
  if (document >= 0) for (const decorate of decorators) decorate(item, found, document, system);
  return item;
}

function column(heading, line, items) {
  return make("section", {}, make("h3", {}, ...heading), make("p", { class: "aside" }, line), make("ol", {}, ...items));
}

async function rankingsView(query) {
  const id = (await block("queries")).ids[query];
  if (!facts.listing) return [noteView(id)];
  const [found, scores] = await Promise.all([rankingsOf(query), scoresOf(state.measure)]);
  const { depth, measure, sums } = facts.listing;
  const systems = shown();
  const first = systems.length > 1 ? systems[0] : null;
  const columns = systems.map((system) => {
    const contributions = pairsOf(found.a[system]);
    const ranks = found.r[system];
    const items = ranks.map((document, rank) => {
      let elsewhere = "";
      if (first !== null && system !== first) {
        const there = found.r[first].indexOf(document);
        const name = facts.names[first];
        elsewhere = there < 0 || there === rank ? "" : `rank ${there + 1} in ${name}`;
      }
      return rankedItem(found, system, rank, document, contributions.get(rank), (found.t[system] || [])[rank], elsewhere);
    });
    const line = `${facts.measures[state.measure]} ${score(scores[system][query])}`;
    return column([swatch(system), nameOf(system)],
      ranks.length ? line : `${line}: no results`, items);
  });
  if (found.i.length) {
    const items = [];
    for (let at = 0; at < found.i.length; at += 2) {
      items.push(rankedItem(found, null, at / 2, found.i[at], found.i[at + 1], false, ""));
    }
    columns.push(column(["Ideal"], "best possible ranking", items));
  }
  const view = make("div", { class: "rankings", tabindex: "0", role: "region", "aria-label": `Rankings for query ${id}` }, ...columns);
  const mark = (document) => {
    for (const item of view.querySelectorAll("li")) {
      item.classList.toggle("same", document !== undefined && item.dataset.document === document);
    }
  };
  view.addEventListener("mouseover", (event) => mark(event.target.closest("li")?.dataset.document));
  view.addEventListener("mouseleave", () => mark(undefined));
  const legend = `Top ${depth} ranks with grades (? = unjudged).` +
    (sums ? ` The number below a grade is its discounted gain in ${measure}.` : "");
  return [noteView(id), view, make("p", { class: "key aside" }, legend)];
}
