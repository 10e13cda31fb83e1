// Draw each reference of a query as a bar for each selected system, hatched where it was not read.
const PLACE = /^(.+)#(?:char|token|line)=(\d+),(\d+)(?:;tokens=(\d+))?$/s;
const MOST_REFERENCES = 50;

function placeOf(id) {
  const [, document, start, end, tokens] = id.match(PLACE);
  return { document, start: Number(start), end: Number(end), tokens: Number(tokens) };
}

/** Return the places that are read of a ranking, down to the cutoff and to the budget. */
function readPlaces(ids, { cutoff, budget, tokens, drops }) {
  const places = [];
  let left = budget ?? Infinity;
  for (const place of ids.slice(0, cutoff ?? ids.length).map(placeOf)) {
    const length = place.end - place.start;
    const cost = tokens ? place.tokens : length;
    if (cost > left) {
      if (!drops) places.push({ ...place, end: place.start + Math.floor((length * left) / cost) });
      break;
    }
    left -= cost;
    places.push(place);
  }
  return places;
}

/** Return the parts of a reference that places contain, as pairs of a start and an end. */
function partsRead(reference, places) {
  const parts = [];
  for (const place of [...places].sort((a, b) => a.start - b.start)) {
    const start = Math.max(place.start, reference.start, parts.at(-1)?.[1] ?? 0);
    const end = Math.min(place.end, reference.end);
    if (place.document !== reference.document || start >= end) continue;
    if (parts.at(-1)?.[1] === start) parts.at(-1)[1] = end;
    else parts.push([start, end]);
  }
  return parts;
}

function referenceBar(reference, places, color) {
  const length = reference.end - reference.start;
  const parts = partsRead(reference, places);
  const share = parts.reduce((sum, [start, end]) => sum + end - start, 0) / length;
  const part = ([start, end]) => make("i", { style: `left:${(100 * (start - reference.start)) / length}%;width:${(100 * (end - start)) / length}%;background:${color}` });
  return [
    make("span", { class: "reference", "aria-hidden": "true" }, ...parts.map(part)),
    make("small", {}, `${digits(share)} read`),
  ];
}

/** Return the references of a query as a table of bars; empty without offsets. */
async function referencesView(query) {
  const found = await block("references");
  const all = (found?.places[query] ?? []).map(placeOf).filter(({ start, end }) => start < end);
  if (!all.length) return [];
  const ranking = await rankingsOf(query);
  const systems = shown();
  const read = systems.map((system) => readPlaces(ranking.r[system].map((at) => ranking.d[at]), found));
  const headers = [make("th", { scope: "col" }, "reference"), ...systems.map((system) => make("th", { scope: "col" }, nameOf(system)))];
  const rows = all.slice(0, MOST_REFERENCES).map((reference) => make("tr", {},
    make("th", { scope: "row" }, reference.document, make("small", {}, ` ${whole(reference.start)} to ${whole(reference.end)}`)),
    ...systems.map((system, at) => make("td", {}, ...referenceBar(reference, read[at], colorOf(system) ?? "var(--muted)")))));
  const more = all.length > MOST_REFERENCES ? ` The first ${MOST_REFERENCES} of ${whole(all.length)}.` : "";
  const legend = `Relevant text that is read for ${found.measure}, in the ranks listed below; hatched where it is not.${more}`;
  return [make("table", { class: "references" }, make("caption", { class: "hidden" }, "References"),
    make("thead", {}, make("tr", {}, ...headers)), make("tbody", {}, ...rows)), make("p", { class: "key aside" }, legend)];
}
