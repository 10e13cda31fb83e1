// Draw scores by query difficulty, and curves.

async function showDifficulty() {
  const measure = state.measure;
  const [scores, queries] = await Promise.all([scoresOf(measure), block("queries")]);
  if (measure !== state.measure) return;
  const n = queries.ids.length;
  const means = meansOf(scores, n);
  const order = [...Array(n).keys()].filter((query) => means[query] === means[query])
    .sort((a, b) => means[a] - means[b] || a - b);
  const rows = [];
  for (const system of shown()) {
    const mark = marks(system);
    if (facts.groups) {
      rows.push(...groupsOf(scores[system], order, n / facts.groups).map((group) => ({ ...mark, ...group })));
      continue;
    }
    order.forEach((query, at) => {
      const value = scores[system][query];
      if (value === value) {
        rows.push({ ...mark, at: query, query: queries.ids[query], text: queries.texts?.[query] ?? "", position: at + 1, score: value });
      }
    });
  }
  const table = () => [
    ["query", "mean", ...shown().map((system) => facts.names[system])],
    order.slice(0, 500).map((query) => [queries.ids[query], score(means[query]), ...shown().map((system) => score(scores[system][query]))]),
  ];
  draw("difficulty", rows, { table, open: (row) => openQuery(row.at) });
}

/** Return the mean of each group of neighboring queries, the hardest first. */
function groupsOf(values, order, size) {
  const groups = new Map();
  order.forEach((query, at) => {
    const value = values[query];
    if (value !== value) return;
    const place = Math.floor(at / size);
    if (!groups.has(place)) groups.set(place, { group: (place + 0.5) * size, sum: 0, count: 0, first: at + 1, last: 0 });
    const group = groups.get(place);
    group.sum += value;
    group.count += 1;
    group.last = at + 1;
  });
  return [...groups.values()].map(({ group, sum, count, first, last }) => ({ group, first, last, score: sum / count }));
}

function showBudgets() {
  if (!facts.budgets) return;
  const rows = facts.budgets.filter((row) => slotOf(facts.systems.indexOf(row.system)) >= 0);
  const table = () => {
    const budgets = [...new Set(rows.map((row) => row.at))];
    return [["budget", ...shown().map((system) => facts.names[system])], budgets.map((at) => [whole(at), ...shown().map((system) => {
      const { value, low, high } = rows.find((row) => row.at === at && row.system === facts.systems[system]);
      return low === null ? digits(value) : `${digits(value)} (${digits(low)} to ${digits(high)})`;
    })])];
  };
  draw("budgets", rows.map((row) => ({ ...row, ...marks(facts.systems.indexOf(row.system)) })), { table });
}

function showCurves() {
  showBudgets();
  for (const name of ["cutoffs", "precision_recall", "coverage"]) {
    if (!facts.charts[name]) continue;
    const curve = facts.curves[name];
    const systems = shown().filter((system) => curve[facts.systems[system]]);
    const rows = systems.flatMap((system) =>
      curve[facts.systems[system]].map(([at, value]) => ({ ...marks(system), at, value })));
    const points = [...new Set(rows.map((row) => row.at))].sort((a, b) => a - b);
    const table = () => [
      [{ cutoffs: "cutoff", coverage: "cutoff", precision_recall: "recall" }[name], ...systems.map((system) => facts.names[system])],
      points.map((at) => [String(at), ...systems.map((system) =>
        digits(curve[facts.systems[system]].find(([own]) => own === at)?.[1]))]),
    ];
    draw(name, rows, { table });
  }
}

function showHistory() {
  if (!facts.history) return;
  const table = () => [["release", "mean", "from", "to", "queries"], facts.history.map((row) =>
    [row.release, digits(row.mean), digits(row.low), digits(row.high), row.queries])];
  draw("history", facts.history, { table });
}

function startCurves() {
  whenChanged((what) => { if (what === "all") showHistory(); });
  whenChanged((what) => { if (what !== "pair") showDifficulty(); });
  whenChanged((what) => { if (what === "systems" || what === "all") showCurves(); });
}
