"""Real judgment lists of other projects are read row by row."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.data.judgment_lists import listed_queries, read_judgment_list
from requirements import need

#: For each file: format, rows, rows without a rating, duplicate rows, queries, judged queries,
#: judgments. Counted with Python's csv and json.
LISTS: dict[str, tuple[str, int, int, int, int, int, int]] = {
    "chorus/Broad_Query_Set_rated.csv": ("quepid", 3668, 0, 0, 135, 135, 3668),
    "chorus/Broad_Query_Set_unrated.csv": ("quepid", 3188, 3182, 0, 135, 1, 6),
    "chorus/Chorus_Electronics_basic.csv": ("quepid", 207, 0, 0, 2, 2, 207),
    "chorus/chorus_demo_rre.json": ("rre", 207, 0, 0, 2, 2, 207),
    "chorus/Broad_Query_Set_individual_ratings.csv": (
        "raters:majority",
        *(3188, 0, 0, 135, 135, 3188),
    ),
    "es-ltr/sample_judgments.txt": ("es_ltr", 25, 0, 0, 3, 3, 25),
    "hello-ltr/title_judgments.txt": ("es_ltr", 1390, 0, 0, 40, 40, 1390),
    "hello-ltr/rre_ratings.json": ("rre", 30, 0, 0, 1, 1, 30),
    "rre/ratings_example.json": ("rre", 9, 0, 0, 6, 6, 9),
    "opensearch/art_judgments.json": ("opensearch", 1080, 0, 0, 27, 27, 1080),
    "opensearch/art_queryset.json": ("opensearch", 0, 0, 0, 11, 0, 0),
    "esci/esci_us_judgments.json": ("opensearch", 6678, 0, 0, 150, 150, 6678),
    "esci/esci_us_queryset.json": ("opensearch", 0, 0, 0, 150, 0, 0),
    "esci/ImportJudgments.json": ("opensearch", 80, 0, 40, 4, 4, 40),
    "esci/esci.sample.csv": ("esci", 200, 0, 0, 200, 200, 200),
    "hello-ltr/title_features.csv": ("quepid", 1390, 0, 0, 40, 40, 1390),
}
#: Judgments with other columns and texts without judgments, which need a format or an option.
NAMED = {"hello-ltr/title_features.csv", "chorus/Broad_Query_Set_individual_ratings.csv"}


def folder() -> Path:
    found: Path = need("shared-data")
    return found / "judgments"


@cache
def listed(name: str) -> Any:
    """Return a judgment list, whose format is detected if it can be."""
    return read_judgment_list(folder() / name, format=LISTS[name][0] if name in NAMED else None)


def test_every_file_is_listed() -> None:
    at = folder()
    found = {str(path.relative_to(at)) for path in at.rglob("*") if path.is_file()}
    assert found == set(LISTS)


@pytest.mark.parametrize("name", LISTS)
def test_rows(name: str) -> None:
    format, entries, unrated, repeated, queries, judged, rows = LISTS[name]
    held = listed(name)
    assert held.format.name == format.partition(":")[0]
    assert (held.entries, held.unrated, held.repeated) == (entries, unrated, repeated)
    assert (len(held.queries), len(held.judged)) == (queries, judged)
    if rows:
        assert (len(gainful.Qrels(held)), gainful.Qrels(held).rows) == (judged, rows)


@pytest.mark.parametrize(
    "name", sorted(set(LISTS) - {"chorus/Broad_Query_Set_individual_ratings.csv"})
)
def test_read_qrels_detects_the_format(name: str) -> None:
    format, *_, judged, rows = LISTS[name]
    if not rows:
        named = read_judgment_list(folder() / name, format=format)
        assert list(named.queries) == list(listed(name).queries)
        with pytest.raises(gainful.errors.FormatError, match="no ratings"):
            gainful.read_qrels(folder() / name)
        return
    qrels = gainful.read_qrels(folder() / name)
    assert (len(qrels), qrels.rows) == (judged, rows)
    assert qrels == gainful.read_qrels(folder() / name, format=format)


def test_grades_and_texts() -> None:
    at = folder()
    basses = gainful.read_qrels(at / "rre/ratings_example.json").to_dict()
    assert basses["Fender"] == {"1": 3, "2": 3}
    assert basses["Jazz Bass"] == {"1": 3}
    # Quepid's CSV and RRE's JSON of one case.
    case = gainful.read_qrels(at / "chorus/Chorus_Electronics_basic.csv")
    assert gainful.read_qrels(at / "chorus/chorus_demo_rre.json") == case
    art = gainful.read_qrels(at / "opensearch/art_judgments.json")
    assert art["3 year old boy birthday gift"]["B07P713L5V"] == 2
    sample = at / "esci/esci.sample.csv"
    assert gainful.read_qrels(sample)["65329"] == {"B01LVWQY6K": 3}
    found = listed_queries(sample)
    assert found is not None
    assert found[0] == ("65329", "mama koala", {"product_locale": "us"})
    for name in ("hello-ltr/title_judgments.txt", "hello-ltr/title_features.csv"):
        found = listed_queries(at / name)
        assert found is not None
        assert (found[0].id, found[0].text) == ("1", "rambo")
    found = listed_queries(at / "es-ltr/sample_judgments.txt")
    assert found is not None
    assert [query.text for query in found] == ["rambo", "rocky", "bullwinkle"]


def test_three_raters() -> None:
    path = folder() / "chorus/Broad_Query_Set_individual_ratings.csv"
    mean = gainful.read_qrels(path, format="raters:mean")
    majority = gainful.Qrels(read_judgment_list(path, format="raters:majority"))
    final = gainful.read_qrels(path, format="raters:final")
    assert mean["bluetooth speaker"]["1993197"] == pytest.approx(8 / 3)
    assert majority["bluetooth speaker"]["1993197"] == 3
    agree = sum(
        majority[query][doc] == grade
        for query, graded in final.items()
        for doc, grade in graded.items()
    )
    assert (agree, final.rows) == (2825, 3188)
    assert "124 documents have several most frequent grades" in majority.note


@pytest.mark.parametrize("name", LISTS)
def test_every_file_has_queries_for_a_search(name: str) -> None:
    from gainful.systems import Queries

    queries = Queries.of(folder() / name)
    assert len(queries) == LISTS[name][4]
    found = {query.id: query.text for query in queries}
    assert found == {query.id: query.text for query in listed(name).queries}
