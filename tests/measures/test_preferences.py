"""Preferences: which of two documents is better, and how many a ranking satisfies."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.errors import ConventionError, GradeError, MeasureError
from gainful.measures import NumPrefs, NumQ, Prefs, parse_measure, parse_measures
from gainful.measures.catalogue import NICKNAMES

FIXTURE = Path(__file__).with_name("preferences")
NAMES = NICKNAMES["all_prefs"][1:]
VERSIONS = ["trec_eval-9.0.8", "trec_eval-10.0-rc3"]


def value(judgments: object, ranking: object, measure: object, **options: object) -> float:
    return gainful.evaluate(judgments, ranking, [measure], **options).mean(measure)


def group(**levels: float) -> gainful.Qrels:
    """One query, judged by one group without subgroups."""
    return gainful.Qrels({"q": levels})


def subgroups(*rows: tuple[str, str, float]) -> gainful.Qrels:
    """One query, judged by groups and their subgroups: (``"group subgroup"``, document, level)."""
    return gainful.Qrels([("q", *row) for row in rows], subtopics=True)


def ranking(*documents: str) -> gainful.Run:
    return gainful.Run({"q": list(documents)})


# --- trec_eval's numbers ------------------------------------------------------------------------


def test_trec_evals_names_are_all_there() -> None:
    assert len(NAMES) == 14
    assert len({measure for name in NAMES for measure in parse_measures(name)}) == 14
    assert parse_measures("all_prefs") == [NumQ, *map(parse_measure, NAMES)]
    assert parse_measures("prefs") == [NumQ, *map(parse_measure, NAMES[:6])]
    # trec_eval's own word for several, in trec_eval's own spelling only.
    assert parse_measures("Prefs") == [Prefs]
    assert parse_measure("prefs_avgjg_ret") == Prefs(count="avgjg", pairs="ret", ties="doc-id-asc")
    assert parse_measure("prefs_num_prefs_ful") == NumPrefs(of="ful", ties="doc-id-asc")


@pytest.mark.parametrize("convention", VERSIONS)
@pytest.mark.parametrize("named", ["by trec_eval", "by Gainful"])
def test_its_numbers_are_met_bit_for_bit(convention: str, named: str) -> None:
    measures = {name: parse_measure(name) for name in NAMES}
    if named == "by Gainful":
        # The convention then knows the order of tied documents.
        measures = {name: measure(ties=None) for name, measure in measures.items()}
    judgments = gainful.read_qrels(FIXTURE / "judgments.prefs")
    result = gainful.evaluate(
        judgments, FIXTURE / "ranking.run", measures.values(), convention=convention
    )
    found = {name: result.per_query(measure) for name, measure in measures.items()}
    lines = (FIXTURE / "trec_eval-9.0.8.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines:
        query, name, expected = line.split("\t")
        assert found[name][query] == float(expected), (query, name)
    assert len(lines) == 14 * len(result.per_query(measures["prefs_simp"])) == 14 * 24


@pytest.mark.parametrize(
    ("printed", "judgments", "run", "options"),
    [
        ("out.test.prefs", "prefs.test", "prefs.results.test", {"format": "prefs"}),
        ("out.test.qrels_prefs", "qrels.test", "results.test", {"subtopics": True}),
        ("out.test.qrels_prefs", "qrels.test", "results.test", {}),
    ],
)
def test_trec_evals_own_tests_print_the_expected_output(
    shared_data: Path, printed: str, judgments: str, run: str, options: dict
) -> None:
    folder = shared_data / "trec_eval"
    qrels = gainful.read_qrels(folder / judgments, **options)
    result = gainful.evaluate(qrels, folder / run, NAMES, convention="trec_eval-10")
    checked = 0
    for line in (folder / printed).read_text(encoding="utf-8").splitlines():
        name, query, expected = line.split()
        if name in ("runid", "num_q"):
            continue
        values = result.per_query(name)
        digits, whole = (0, sum(values.values())) if "num_prefs" in name else (4, result.mean(name))
        found = whole if query == "all" else values[query]
        assert f"{found:.{digits}f}" == expected, (query, name)
        checked += 1
    assert checked >= 14 * 4


# --- what counts --------------------------------------------------------------------------------


def test_grades_are_preferences_of_one_group() -> None:
    judgments = group(a=3, b=2, c=0, d=6, e=0, f=2)
    assert value(judgments, ranking(), "prefs_num_prefs_poss") == 13
    run = ranking("a", "x", "d")
    # d > a is not fulfilled; each of a and d is above three or four that were not retrieved; and
    # b and f, which were not either, above c and e.
    for pairs, share in {"all": 8 / 13, "ret": 0 / 1, "imp": 8 / 9}.items():
        assert value(judgments, run, Prefs(count="simp", pairs=pairs)) == share
        # With one group all preferences are pairs, and their mean that of the group.
        assert value(judgments, run, Prefs(count="pair", pairs=pairs)) == share
        assert value(judgments, run, Prefs(count="avgjg", pairs=pairs)) == share
    assert value(judgments, run, NumPrefs(of="ful")) == 8
    assert value(judgments, run, NumPrefs(of="ful_ret")) == 0


def test_groups_may_disagree_and_are_counted_as_asked() -> None:
    judgments = subgroups(
        ("ann 1", "a", 3),
        ("ann 1", "b", 2),
        ("ann 1", "c", 1),
        ("bob 1", "b", 2),
        ("bob 1", "a", 1),
    )
    run = ranking("a", "b", "c")
    assert value(judgments, run, Prefs(count="simp")) == 3 / 4
    assert value(judgments, run, Prefs(count="pair")) == (1 / 2 + 1 + 1) / 3
    assert value(judgments, run, Prefs(count="avgjg")) == (1 + 0) / 2


def test_subgroups_are_joined() -> None:
    judgments = subgroups(("u 1", "a", 2), ("u 1", "b", 1), ("u 2", "b", 7), ("u 2", "c", 5))
    assert value(judgments, ranking(), NumPrefs) == 3
    # Apart they would say nothing of a and c.
    apart = subgroups(("u 1", "a", 2), ("u 1", "b", 1), ("v 2", "b", 7), ("v 2", "c", 5))
    assert value(apart, ranking(), NumPrefs) == 2


def test_subtopics_are_groups() -> None:
    nested = {"q": {"red": {"a": 2, "b": 1}, "blue": {"b": 2, "a": 1}}}
    judgments = gainful.Qrels(nested, subtopics=True)
    assert value(judgments, ranking("a", "b"), Prefs) == 0.5


def test_as_many_that_are_not_relevant_as_relevant() -> None:
    even = Prefs(count="avgjg_Rnonrel")
    assert value(group(a=1), ranking("a"), even) == 1
    # Of c and d only the first counts. trec_eval compares it with its own class, too: with itself
    # and with d, of which nothing can be fulfilled.
    assert value(group(a=1, c=0, d=0), ranking("a", "c", "d"), even) == 1 / 3
    assert value(group(a=1, c=0, d=0), ranking("c", "a", "d"), even) == 0
    # One group without anything relevant leaves the query with nothing.
    judgments = subgroups(("u 1", "a", 1), ("u 1", "b", 0), ("v 1", "b", 0))
    assert value(judgments, ranking("a", "b"), even) == 0
    assert value(judgments, ranking("a", "b"), Prefs(count="avgjg")) == 0.5


def test_a_query_without_preferences_is_the_conventions_business() -> None:
    judgments = group(a=1, b=1)
    assert value(judgments, ranking("a"), Prefs) == 0
    result = gainful.evaluate(
        judgments, ranking("a"), [Prefs], convention=gainful.Convention(no_relevant="skip")
    )
    assert result.summary(Prefs).n == 0


def test_ties_follow_the_convention_or_trec_eval() -> None:
    judgments = group(a=1, b=0)
    run = {"q": {"a": 1.0, "b": 1.0}}
    assert value(judgments, run, Prefs) == 0
    assert value(judgments, run, Prefs(ties="doc-id-asc")) == 1
    assert value(judgments, run, Prefs, convention="trec_eval-9.0.8") == 1
    asked = gainful.evaluate(judgments, run, [Prefs, "prefs_simp"])
    assert (asked.mean(Prefs), asked.mean("prefs_simp")) == (0, 1)
    for ties in ("expected", "average-rank"):
        convention = gainful.Convention(ties=ties)
        assert value(judgments, run, "prefs_simp", convention=convention) == 1
        with pytest.raises(ConventionError, match="a tie policy that orders them"):
            value(judgments, run, Prefs, convention=convention)


# --- what is refused ----------------------------------------------------------------------------


def test_what_trec_eval_has_not_is_not_guessed() -> None:
    with pytest.raises(MeasureError, match=r"pairs='all' or pairs='ret'"):
        Prefs(count="avgjg_Rnonrel", pairs="imp")
    with pytest.raises(MeasureError):
        parse_measure("prefs_avgjg_Rnonrel_imp")
    with pytest.raises(MeasureError, match="without a cutoff"):
        Prefs @ 10
    with pytest.raises(MeasureError, match="cannot be explained by rank"):
        gainful.explain(group(a=1, b=0), ranking("a", "b"), "q", measure=Prefs)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("u 1", "a", 2), ("u 1", "b", 1), ("u 2", "b", 2), ("u 2", "a", 1)], "preferred to 'b'"),
        (
            # A circle: a > b, b > c, c > a.
            [
                ("u 1", "a", 2),
                ("u 1", "b", 1),
                ("u 2", "b", 2),
                ("u 2", "c", 1),
                ("u 3", "c", 2),
                ("u 3", "a", 1),
            ],
            "preferred to 'b', and 'b' to the document in group 'u'",
        ),
        ([("u 1", "a", 1), ("u 2", "a", 0)], "the document has level 0 and a level above 0"),
    ],
)
def test_groups_that_contradict_themselves(rows: list, message: str) -> None:
    with pytest.raises(GradeError, match=message) as caught:
        value(subgroups(*rows), ranking("a", "b"), Prefs)
    assert (caught.value.query, caught.value.document) == ("q", "a")
    assert str(caught.value).startswith("judgments, query 'q'")
    # In groups of their own, people may say what they like.
    apart = [(label.split()[1], document, level) for label, document, level in rows]
    assert value(subgroups(*apart), ranking("a", "b"), Prefs) >= 0


def test_a_document_with_two_levels() -> None:
    twice = gainful.Qrels([("q", "a", 1), ("q", "a", 2)], duplicates="count")
    with pytest.raises(GradeError, match="a subgroup assigns two levels to the document"):
        value(twice, ranking("a"), Prefs)
