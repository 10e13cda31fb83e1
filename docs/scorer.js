// Scores of the search: the pages of functions and classes rank below the pages that explain, unless
// the search names one of them.
var Scorer = {
  score: ([page, title, , , score]) => {
    const query = new URLSearchParams(window.location.search).get("q") ?? "";
    if (!page.startsWith("api/")) return score;
    if (!query.startsWith("gainful.")) return score / 10;
    return title === query ? score + 100 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
