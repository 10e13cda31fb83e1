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
    order.forEach((query, at) => {
      const value = scores[system][query];
      if (value === value) {
        rows.push({ ...mark, at: query, query: queries.ids[query], text: queries.texts?.[query] ?? "", position: at + 1, score: value });
      }
    });
  }
  const table = () => [
    ["query", "mean", ...shown().map((system) => facts.systems[system])],
    order.slice(0, 500).map((query) => [queries.ids[query], score(means[query]), ...shown().map((system) => score(scores[system][query]))]),
  ];
  draw("difficulty", rows, { table, open: (row) => openQuery(row.at) });
}

function showCurves() {
  for (const name of ["cutoffs", "precision_recall", "coverage"]) {
    if (!facts.charts[name]) continue;
    const curve = facts.curves[name];
    const systems = shown().filter((system) => curve[facts.systems[system]]);
    const rows = systems.flatMap((system) =>
      curve[facts.systems[system]].map(([at, value]) => ({ ...marks(system), at, value })));
    const points = [...new Set(rows.map((row) => row.at))].sort((a, b) => a - b);
    const table = () => [
      ["", ...systems.map((system) => facts.systems[system])],
      points.map((at) => [String(at), ...systems.map((system) =>
        digits(curve[facts.systems[system]].find(([own]) => own === at)?.[1]))]),
    ];
    draw(name, rows, { table });
  }
}

function startCurves() {
  whenChanged((what) => { if (what !== "pair") showDifficulty(); });
  whenChanged((what) => { if (what === "systems" || what === "all") showCurves(); });
}
