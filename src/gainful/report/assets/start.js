startTheme();
startTables();
startFilter();
startFolds();
startNotes();
startCharts();
startSystems();
startPair();
startCurves();
startQueries();
changed("all");

/** Open the query in an address such as report.html#query=q1. */
async function openLinked() {
  if (!location.hash.startsWith("#query=")) return;
  const name = decodeURIComponent(location.hash.slice("#query=".length));
  const at = (await block("queries")).ids.indexOf(name);
  if (at >= 0) openQuery(at);
}
addEventListener("hashchange", openLinked);
openLinked();
