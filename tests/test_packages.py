"""Installed packages add measures, layouts, systems and clients of models with entry points."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.data import layouts
from gainful.errors import ArgumentError, GainfulError, MeasureError, ParameterError
from gainful.systems import load_system
from gainful.systems.loading import engine_entries, inspect_description

MODULE = '''
import asyncio
import gainful
from gainful.data.layouts import Layout

half = gainful.measures.define("packaged", lambda ranking: 0.5)
POLLS = Layout(
    name="polls",
    shape=("polls[].votes",),
    roles={
        "text": "polls[].asked",
        "doc_id": "polls[].votes[].page",
        "grade": "polls[].votes[].stars",
    },
)


def shelf(description):
    """The documents of a shelf, in their order."""
    documents = description.texts("documents")
    return lambda text, k: documents[:k]


def grade(body):
    return '{"grade": 1}'


async def grade_later(body):
    await asyncio.sleep(0)
    return {"choices": [{"message": {"content": '{"grade": 0}'}}]}


def fail(body):
    raise ValueError("no credit left")
'''

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that installs the package, with the entry points of a group."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "of_a_package.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)

    def install(group: str, **objects: str) -> None:
        metadata = tmp_path / "shop_metrics-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-metrics\n")
        lines = [f"[gainful.{group}]", *(f"{name} = {place}" for name, place in objects.items())]
        (metadata / "entry_points.txt").write_text("\n".join(lines))
        layouts._of_packages.cache_clear()

    yield install
    layouts._of_packages.cache_clear()


QRELS = {"q1": {"d1": 1, "d2": 0}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


def test_measures(install: Install) -> None:
    install(
        "measures",
        packaged="of_a_package:half",
        packaged_broken="no_such_module:measure",
        packaged_other="of_a_package:half",
    )
    assert gainful.evaluate(QRELS, RUN, "packaged@3").per_query()["q1"] == 0.5
    with pytest.raises(
        ArgumentError, match=r"installed package shop-metrics cannot be loaded \(No"
    ):
        gainful.evaluate(QRELS, RUN, "packaged_broken")
    with pytest.raises(
        ArgumentError, match="package shop-metrics defines no measure 'packaged_other'"
    ):
        gainful.evaluate(QRELS, RUN, "packaged_other")
    with pytest.raises(
        MeasureError, match="packages add packaged, packaged_broken, packaged_other"
    ):
        gainful.evaluate(QRELS, RUN, "absent_measure")


def test_layouts(install: Install) -> None:
    install("layouts", polls="of_a_package:POLLS")
    assert "polls" in layouts.known_layouts()
    Path("export.json").write_text(
        json.dumps({"polls": [{"asked": "soup", "votes": [{"page": "r01", "stars": 3}]}]})
    )
    assert gainful.read_qrels("export.json").to_dict() == {"soup": {"r01": 3}}
    with pytest.raises(ParameterError, match="polls"):
        gainful.read_qrels("export.json", format="pols")


@pytest.mark.parametrize("place", ["no_such_module:POLLS", "of_a_package:half"])
def test_broken_layouts(install: Install, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    install("layouts", polls=place)
    Path("export.json").write_text("{}")
    assert main(["convert", "export.json", "-", "--from", "polls", "--to", "trec"]) == 2
    error = capsys.readouterr().err
    assert f"gainful: gainful.layouts polls: {place!r} of the installed package" in error
    assert error.endswith("Hint: fix or uninstall shop-metrics\n")
    assert error.count("\n") == 1


def test_systems(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("systems", shelf="of_a_package:shelf", broken="of_a_package:POLLS")
    Path("shelf.toml").write_text('engine = "shelf"\ndocuments = ["d2", "d1"]\n')
    Path("queries.tsv").write_text("q1\tsoup\n")
    run = gainful.search("shelf.toml", "queries.tsv", k=1).to_dict()
    assert {query: list(documents) for query, documents in run.items()} == {"q1": ["d2"]}
    assert inspect_description("shelf.toml").code == ["of_a_package:shelf"]
    entry = engine_entries()[-2]
    assert entry[:3] == ("shelf", "The documents of a shelf, in their order.", "shop-metrics")
    assert main(["engines"]) == 0
    assert "The documents of a shelf" in capsys.readouterr().out
    for description, message in (
        ({"engine": "shelf", "documents": [], "dept": 1}, "unknown key 'dept'"),
        ({"engine": "shelf"}, "'documents' is missing"),
        ({"engine": "broken"}, "shop-metrics is not a function"),
        ({"engine": "shelv"}, r"tfidf, shelf, broken.*did you mean 'shelf'"),
    ):
        with pytest.raises(GainfulError, match=message):
            load_system(description)


def grades(client: Any) -> list[float | None]:
    labels = gainful.judge_llm(
        [("q1", "d1"), ("q1", "d2")],
        {"q1": "soup"},
        {"d1": "lentils", "d2": "hats"},
        client=client,
        model="any",
        yes=True,
        retries=0,
    )
    return [label.grade for label in labels.labels]


def test_clients_of_models(install: Install) -> None:
    install("llm_clients", shop="of_a_package:grade", wrong="of_a_package:POLLS")
    assert grades("shop") == [1, 1]
    assert grades("of_a_package:grade_later") == [0, 0]
    assert grades(lambda body: json.dumps({"grade": len(body["messages"]) and 2})) == [2, 2]
    with pytest.raises(GainfulError, match="client raised ValueError: no credit left"):
        grades("of_a_package:fail")
    with pytest.raises(ParameterError, match=r"'shp', expected .*, shop, wrong"):
        grades("shp")
    with pytest.raises(ArgumentError, match="shop-metrics is not a function"):
        grades("wrong")
    with pytest.raises(ArgumentError, match="found int, expected a function"):
        grades(3)


def test_clients_need_consent_like_other_hosts() -> None:
    with pytest.raises(ParameterError, match="would be sent to"):
        gainful.judge_llm([("q1", "d1")], {"q1": "a"}, {"d1": "b"}, client=str, model="any")
    with pytest.raises(ArgumentError, match="does not work with batch"):
        gainful.judge_llm([("q1", "d1")], {}, {}, client=str, model="any", batch=True)
