// Two systems, query by query.
const MOST_BARS = 1000;

/** Differences by query: of those that both systems have a value for. */
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
  better: "is better than", worse: "is worse than", equivalent: "is equivalent to",
  identical: "has the same value for every query as", inconclusive: "is not told apart from",
};

function pairWords(pair, system, baseline) {
  const words = byId("pair-words");
  const name = (at) => make("b", {}, facts.systems[at]);
  const measure = facts.measures[state.measure];
  if (!pair) {
    words.replaceChildren(name(system), " and ", name(baseline),
      " were not tested against each other: the report compares with ",
      facts.baselines.join(", "), ". Their differences are shown all the same.");
    return;
  }
  const within = pair.within && ["better", "worse"].includes(pair.verdict) ? ", by less than the margin" : "";
  const said = [name(system), ` ${VERDICTS[pair.verdict]} `, name(baseline), ` in ${measure}${within}. `];
  if (pair.verdict === "inconclusive") {
    said.push("The queries do not decide which is better. ");
    if (pair.needed !== null) {
      const wanted = facts.detect ?? facts.margin;
      said.push(`A difference of ${digits(wanted, 3)} would be found with ${whole(pair.needed)} queries like these (power .8). `);
    }
  }
  words.replaceChildren(...said);
}

function pairFacts(pair, rows) {
  const count = (test) => rows.filter((row) => test(row.difference)).length;
  const mean = rows.reduce((sum, row) => sum + row.difference, 0) / rows.length;
  const entries = [];
  if (pair) {
    entries.push(["difference", signed(pair.difference), pair.low === null ? "" : `${signed(pair.low)} to ${signed(pair.high)}`]);
    entries.push(["means", `${score(pair.mean)} and ${score(pair.baseline_mean)}`]);
    entries.push(["p, corrected", probability(pair.p_adjusted), `alone ${probability(pair.p)}`]);
    entries.push(["won · tied · lost", `${whole(pair.wins)} · ${whole(pair.ties)} · ${whole(pair.losses)}`]);
    for (const [key, field] of pair.facts) {
      const value = pair[key], sign = field.mirror.startsWith("-");
      if (value === null || (!sign && value === 0)) continue;
      const shown = sign ? signed : Number.isInteger(value) ? whole : digits;
      entries.push([field.label, shown(value, field.digits), "", field.text]);
    }
  } else {
    entries.push(["mean difference", signed(mean)]);
    entries.push(["won · tied · lost", [count((d) => d > 0), count((d) => d === 0), count((d) => d < 0)].map(whole).join(" · ")]);
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
  pairWords(pair, system, baseline);
  pairFacts(pair, rows);
  rows.sort((a, b) => b.difference - a.difference || a.query - b.query);
  // So many bars can still be seen; of more, every n-th query stands for its neighbours.
  const step = Math.ceil(rows.length / MOST_BARS);
  const told = (row) => ({ ...row, start: row.place - row.place % step, end: Math.min(rows.length, row.place - row.place % step + step), at: row.query, query: queries.ids[row.query], text: queries.texts?.[row.query] ?? "" });
  rows.forEach((row, place) => { row.place = place; });
  const bars = rows.filter((_, at) => at % step === Math.floor(step / 2)).map(told);
  const table = () => [
    ["query", facts.systems[system], facts.systems[baseline], "difference"],
    rows.slice(0, 500).map((row) => [queries.ids[row.query], score(row.value), score(row.baseline), signed(row.difference)]),
  ];
  draw("waterfall", bars, { table, open: (row) => openQuery(row.at) });
  draw("distribution", rows.map((row) => ({ difference: row.difference })), { table: () => binned(rows) });
  const caption = byId("figure-waterfall").querySelector("figcaption");
  caption.dataset.said ??= caption.textContent;
  caption.textContent = caption.dataset.said + (step > 1 ? ` Each bar stands for ${step} queries, and shows the one in their middle.` : "");
}

/** Counts in twenty bins, for the table behind the histogram. */
function binned(rows) {
  const reach = Math.max(...rows.map((row) => Math.abs(row.difference))) || 1;
  const bins = new Array(20).fill(0);
  let tied = 0;
  for (const { difference } of rows) {
    if (difference === 0) tied += 1;
    else bins[Math.min(19, Math.floor((difference + reach) / reach * 10))] += 1;
  }
  const lines = bins.map((count, at) => [`${signed((at - 10) / 10 * reach, 3)} to ${signed((at - 9) / 10 * reach, 3)}`, count]);
  return [["difference", "queries"], [...lines, ["exactly 0", tied]]];
}

function startPair() {
  if (!byId("pair-system")) return;
  for (const [id, at] of [["pair-system", 0], ["pair-baseline", 1]]) {
    const select = byId(id);
    select.append(...facts.orders[0].map((system) => make("option", { value: system }, facts.systems[system])));
    select.addEventListener("change", () => {
      const chosen = Number(select.value);
      // A system is not compared with itself: the other takes its place.
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
