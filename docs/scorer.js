// Scores of the search: the pages of functions and classes rank below the pages that explain.
var Scorer = {
  score: ([page, , , , score]) => (page.startsWith("api/") ? score / 10 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
