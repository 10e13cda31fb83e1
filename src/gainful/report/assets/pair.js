// Compare two systems.
const MOST_BARS = 1000;

/** Return the differences by query, for queries with a value for both systems. */
async function differencesOf(measure, system, baseline) {
  const scores = await scoresOf(measure);
  const found = [];
  for (let query = 0; query < scores[0].length; query++) {
    const difference = scores[system][query] - scores[baseline][query];
    if (difference === difference) {
      found.push({ query, value: scores[system][query], baseline: scores[baseline][query], difference });
    }
  }
  return found;
}

const VERDICTS = {
  better: "is significantly better than", worse: "is significantly worse than", equivalent: "is equivalent to",
  identical: "has the same score for every query as", inconclusive: "does not differ significantly from",
  "not comparable": "is not comparable with",
};

function showFinding(pair, system, baseline) {
  const finding = byId("pair-finding");
  const name = (at) => make("b", {}, nameOf(at));
  if (!pair) {
    finding.replaceChildren("The difference between ", name(system), " and ", name(baseline),
      " was not tested: this report compares every system with ", facts.baselines.join(", "), ".");
    return;
  }
  const within = pair.within && ["better", "worse"].includes(pair.verdict) ? ", by less than the margin" : "";
  const parts = [name(system), ` ${VERDICTS[pair.verdict]} `, name(baseline), ` on ${facts.measures[state.measure]}${within}. `];
  if (pair.withheld) parts.push(`${pair.withheld[0].toUpperCase()}${pair.withheld.slice(1)}.`);
  if (pair.verdict === "inconclusive") {
    parts.push("Inconclusive is not the same as equal. ");
    if (pair.needed !== null) {
      parts.push(`Detecting a difference of ${digits(facts.detect ?? facts.margin, 3)} with 80% power takes ${whole(pair.needed)} queries. `);
    }
  }
  finding.replaceChildren(...parts);
}

function showFacts(pair, rows) {
  const count = (test) => rows.filter((row) => test(row.difference)).length;
  const mean = rows.reduce((sum, row) => sum + row.difference, 0) / rows.length;
  const entries = [];
  if (pair) {
    entries.push(["difference", signed(pair.difference), pair.low === null ? "" : `${signed(pair.low)} to ${signed(pair.high)}`]);
    entries.push(["means", `${score(pair.mean)} and ${score(pair.baseline_mean)}`]);
    entries.push(["p (corrected)", probability(pair.p_adjusted), `uncorrected ${probability(pair.p)}`]);
    entries.push(["wins / ties / losses", `${whole(pair.wins)} / ${whole(pair.ties)} / ${whole(pair.losses)}`]);
    for (const [key, field] of pair.facts) {
      const value = pair[key], sign = field.mirror.startsWith("-");
      if (value === null || (!sign && value === 0)) continue;
      const shown = sign ? signed : Number.isInteger(value) ? whole : digits;
      entries.push([field.label, shown(value, field.digits), "", field.text]);
    }
  } else {
    entries.push(["mean difference", signed(mean)]);
    entries.push(["wins / ties / losses", [count((d) => d > 0), count((d) => d === 0), count((d) => d < 0)].map(whole).join(" / ")]);
  }
  byId("pair-facts").replaceChildren(...entries.map(([term, value, more, title]) =>
    make("div", title ? { title } : {}, make("dt", {}, term), make("dd", {}, value, more ? make("small", {}, more) : null))));
}

async function showPair() {
  const [system, baseline] = state.pair;
  byId("pair-system").value = system;
  byId("pair-baseline").value = baseline;
  const measure = state.measure;
  const [pair, rows, queries] = await Promise.all(
    [pairOf(measure, system, baseline), differencesOf(measure, system, baseline), block("queries")]);
  if (measure !== state.measure || system !== state.pair[0] || baseline !== state.pair[1]) return;
  showFinding(pair, system, baseline);
  showFacts(pair, rows);
  rows.sort((a, b) => b.difference - a.difference || a.query - b.query);
  // More bars would be too narrow, so each bar shows one of several neighboring queries.
  const step = Math.ceil(rows.length / MOST_BARS);
  const barOf = (row) => ({ ...row, start: row.place - row.place % step, end: Math.min(rows.length, row.place - row.place % step + step), at: row.query, query: queries.ids[row.query], text: queries.texts?.[row.query] ?? "" });
  rows.forEach((row, place) => { row.place = place; });
  const bars = rows.filter((_, at) => at % step === Math.floor(step / 2)).map(barOf);
  const table = () => [
    ["query", facts.names[system], facts.names[baseline], "difference"],
    rows.slice(0, 500).map((row) => [queries.ids[row.query], score(row.value), score(row.baseline), signed(row.difference)]),
  ];
  draw("waterfall", bars, { table, open: (row) => openQuery(row.at) });
  draw("distribution", rows.map((row) => ({ difference: row.difference })), { table: () => binned(rows) });
  const caption = byId("figure-waterfall").querySelector("figcaption");
  caption.dataset.text ??= caption.textContent;
  caption.textContent = caption.dataset.text + (step > 1 ? ` Each bar shows one of ${step} neighboring queries.` : "");
}

/** Return counts in twenty bins, for the data table of the histogram. */
function binned(rows) {
  const largest = Math.max(...rows.map((row) => Math.abs(row.difference))) || 1;
  const bins = new Array(20).fill(0);
  let tied = 0;
  for (const { difference } of rows) {
    if (difference === 0) tied += 1;
    else bins[Math.min(19, Math.floor((difference + largest) / largest * 10))] += 1;
  }
  const lines = bins.map((count, at) => [`${signed((at - 10) / 10 * largest, 3)} to ${signed((at - 9) / 10 * largest, 3)}`, count]);
  return [["difference", "queries"], [...lines, ["0 (tie)", tied]]];
}

function startPair() {
  if (!byId("pair-system")) return;
  for (const [id, at] of [["pair-system", 0], ["pair-baseline", 1]]) {
    const select = byId(id);
    select.append(...facts.orders[0].map((system) => make("option", { value: system }, facts.systems[system])));
    select.addEventListener("change", () => {
      const chosen = Number(select.value);
      // Choosing the other system swaps the two.
      if (state.pair[1 - at] === chosen) state.pair[1 - at] = state.pair[at];
      state.pair[at] = chosen;
      changed("pair");
    });
  }
  byId("pair-swap").addEventListener("click", () => {
    state.pair.reverse();
    changed("pair");
  });
  whenChanged((what) => { if (what !== "systems") showPair(); });
}
