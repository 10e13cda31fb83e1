// All together.
startTheme();
startTables();
startCharts();
startSystems();
startPair();
startCurves();
startQueries();
changed("all");

/** A query that the address names, as in report.html#query=q1, is opened. */
async function openNamed() {
  const name = decodeURIComponent(location.hash.replace(/^#query=/, ""));
  if (!location.hash.startsWith("#query=")) return;
  const at = (await block("queries")).ids.indexOf(name);
  if (at >= 0) openQuery(at);
}
addEventListener("hashchange", openNamed);
openNamed();
