"""Pictures: what they draw, and the files they are saved to."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import combinations
import gainful
from gainful import plots
from gainful.errors import ArgumentError, MissingPackageError, ParameterError, SourceError
from requirements import ROOT, need

need("altair")
need("vl_convert")

PAIR = {"system": "dense", "baseline": "bm25"}
VERDICTS = ["better", "worse", "inconclusive", "equivalent", "identical"]


@pytest.fixture(scope="module")
def evaluation() -> gainful.Evaluation:
    folder = ROOT / "tests/documentation"
    runs = {name: folder / f"{name}.run" for name in ("bm25", "dense")}
    return gainful.evaluate(folder / "qrels.txt", runs=runs, measures=["nDCG@10", "AP"])


def verdict_rows(verdicts: list[str]) -> list[dict[str, Any]]:
    return [
        {"system": f"s{at}", "difference": 0.1, "low": 0.0, "high": 0.2, "verdict": verdict}
        for at, verdict in enumerate(verdicts)
    ]


def svg(plot: plots.Plot) -> str:
    drawn = plot._repr_mimebundle_()["image/svg+xml"]
    assert isinstance(drawn, str)
    return drawn


@pytest.mark.parametrize("name", ["means", "difficulty", "scatter", "waterfall", "distribution"])
def test_a_function_draws_a_result_like_its_plot(evaluation: gainful.Evaluation, name: str) -> None:
    options = {"measure": "AP", **(PAIR if name not in ("means", "difficulty") else {})}
    drawn = getattr(plots, name)(evaluation, **options)
    assert drawn.to_dict() == evaluation.plot(name, **options).to_dict()


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("pdf", b"%PDF-"), ("png", b"\x89PNG"), ("svg", b"<svg"), ("json", b"{"), ("HTML", b"<")],
)
def test_it_is_saved_by_suffix(
    evaluation: gainful.Evaluation, tmp_path: Path, suffix: str, start: bytes
) -> None:
    path = tmp_path / f"figure.{suffix}"
    evaluation.plot().save(path)
    assert path.read_bytes().lstrip().startswith(start)


PICTURES = ("means", "scatter", "waterfall", "distribution")
SIZES = ({"width": 340}, {"height": 260}, {"width": 340, "height": 260})


@pytest.mark.parametrize(("picture", "size"), combinations.in_turn(PICTURES, SIZES, 2), ids=str)
def test_the_size_is_that_of_the_whole_picture(
    evaluation: gainful.Evaluation, tmp_path: Path, picture: str, size: dict[str, float]
) -> None:
    path = tmp_path / "figure.svg"
    options = {} if picture == "means" else PAIR
    evaluation.plot(picture, **options).save(path, **size)
    root = path.read_text("utf-8").partition(">")[0]
    for name, value in size.items():
        found = re.search(rf' {name}="([\d.]+)"', root)
        assert found is not None
        # Vega rounds to whole pixels.
        assert abs(float(found[1]) - value) <= 1


def test_pixels_of_a_png_follow_the_scale(evaluation: gainful.Evaluation, tmp_path: Path) -> None:
    widths = []
    for scale in (1, 3):
        evaluation.plot().save(tmp_path / "figure.png", width=300, scale=scale)
        widths.append(int.from_bytes((tmp_path / "figure.png").read_bytes()[16:20], "big"))
    assert widths == [300, 900]


def test_a_page_needs_no_network(evaluation: gainful.Evaluation, tmp_path: Path) -> None:
    evaluation.plot().save(tmp_path / "figure.html")
    page = (tmp_path / "figure.html").read_text("utf-8")
    assert not re.search(r'<(script|link)[^>]* (src|href)="http', page)
    assert "vegaEmbed" in page


def test_what_is_not_rows_is_an_error() -> None:
    for wrong in (None, [1], {"system": "a"}):
        with pytest.raises(ArgumentError, match="as rows, expected a list of dictionaries"):
            plots.means(wrong, "nDCG@10")  # type: ignore[call-overload]


@pytest.mark.parametrize("option", ["width", "height", "scale"])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_size_must_be_above_0(
    evaluation: gainful.Evaluation, tmp_path: Path, option: str, value: float
) -> None:
    with pytest.raises(ParameterError, match=f"{option}: found {value}, expected a number above 0"):
        evaluation.plot().save(tmp_path / "figure.svg", **{option: value})


def test_an_old_file_stays_after_an_error(evaluation: gainful.Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "figure.docx"
    path.write_text("old")
    with pytest.raises(ParameterError, match="expected a name that ends in .pdf, .svg"):
        evaluation.plot().save(path)
    assert path.read_text() == "old"
    with pytest.raises(SourceError):
        evaluation.plot().save(tmp_path / "missing" / "figure.svg")


def test_without_a_package_the_error_names_the_extra(
    evaluation: gainful.Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingPackageError, match=r"vl-convert-python.*gainful\[report\]"):
        evaluation.plot().save(tmp_path / "figure.svg")
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingPackageError, match=r"altair.*gainful\[report\]"):
        evaluation.plot()


@pytest.mark.parametrize("verdicts", [VERDICTS[:1], ["worse", "identical"], VERDICTS], ids=str)
def test_the_legend_lists_the_verdicts_that_occur(verdicts: list[str]) -> None:
    plot = plots.differences(verdict_rows(verdicts), "difference")
    labels = re.findall(r"role-legend-label.*?</g></g>", svg(plot), re.DOTALL)
    shown = [verdict for verdict in VERDICTS if any(verdict in label for label in labels)]
    assert set(shown) == set(verdicts)


def test_no_two_verdicts_look_alike() -> None:
    spec: Any = plots.differences(verdict_rows(VERDICTS), "difference").to_dict()
    for channel in ("color", "shape"):
        scale = spec["layer"][2]["encoding"][channel]["scale"]
        assert len(set(scale["range"])) == len(scale["domain"]) == len(VERDICTS)


@pytest.mark.parametrize(
    ("low", "wide", "width"),
    combinations.pairwise([0.0, 0.48, 0.9871], [1.0, 0.3, 0.02], [240, 480]),
)
def test_labels_of_an_axis_do_not_overlap(
    tmp_path: Path, low: float, wide: float, width: int
) -> None:
    row = {"system": "bm25", "mean": low, "low": low, "high": low + wide, "queries": 5}
    plots.means([row], "nDCG@10").save(tmp_path / "means.svg", width=width)
    drawn = (tmp_path / "means.svg").read_text("utf-8")
    axis = re.search(r'aria-label="X-axis.*?(?=aria-label="Y-axis)', drawn, re.DOTALL)
    assert axis is not None
    place = r'text-anchor="middle" transform="translate\(([-\d.]+)'
    label = rf'{place}[^>]*font-size="11px"[^>]*>([^<]*)<'
    # At 11 pixels, a digit is 6.2 wide.
    ends = [
        (float(at) - 3.1 * len(text), float(at) + 3.1 * len(text))
        for at, text in re.findall(label, axis[0])
    ]
    assert len(ends) > 1
    assert all(one[1] < other[0] for one, other in pairwise(ends))


@pytest.mark.parametrize("name", ["bm25", "organization/a-model-with-a-name-of-45-characters"])
def test_names_of_systems_fit_in_a_wider_font(tmp_path: Path, name: str) -> None:
    row = {"system": name, "mean": 0.5, "low": 0.4, "high": 0.6, "queries": 5}
    plots.means([row], "nDCG@10").save(tmp_path / "means.svg")
    drawn = (tmp_path / "means.svg").read_text("utf-8")
    assert 'font-family="Arial, Liberation Sans' in drawn
    # The places of the plot, of its axis, and of the end of the name.
    shown = re.search(rf"translate\(([-\d.]+),[^>]*>{name}<", drawn)
    plot = re.search(r'<g fill="none"[^>]*transform="translate\(([\d.]+),', drawn)
    assert shown is not None
    assert plot is not None
    end = float(plot[1]) + float(shown[1])
    # In DejaVu Sans, the widest common font, at 11 pixels.
    assert end > {"bm25": 31.8, "organization/a-model-with-a-name-of-45-characters": 284.8}[name]


LONG = [f"organization-{at}/a-model-with-a-name-of-50-letters-{at}" for at in range(3)]


def test_long_names_leave_room_for_a_narrow_picture(tmp_path: Path) -> None:
    rows = [
        {"system": name, "mean": 0.5, "low": 0.4, "high": 0.6, "queries": 5, "series": "one"}
        for name in LONG
    ]
    plots.means(rows, "nDCG@10").save(tmp_path / "means.svg", width=340)
    drawn = (tmp_path / "means.svg").read_text("utf-8")
    # The ends of names distinguish them.
    assert re.findall(r">(organi[^<]*…[^<]*)<", drawn) == [
        f"organization-…-50-letters-{at}" for at in range(3)
    ]
    plot = re.search(r'<g fill="none"[^>]*transform="translate\(([\d.]+),', drawn)
    assert plot is not None
    assert float(plot[1]) < 200
    plots.means(rows, "nDCG@10").save(tmp_path / "means.svg")
    assert all(f">{name}<" in (tmp_path / "means.svg").read_text("utf-8") for name in LONG)


@pytest.mark.parametrize("names", [["bm25", "dense", "splade"], LONG], ids=["short", "long"])
@pytest.mark.parametrize("width", [None, 340])
def test_legends_fit_into_the_picture(tmp_path: Path, names: list[str], width: int | None) -> None:
    rows = [{"system": name, "at": at, "value": 0.5} for name in names for at in (1, 10)]
    plots.cutoffs(rows, "nDCG").save(tmp_path / "cutoffs.svg", width=width)
    drawn = (tmp_path / "cutoffs.svg").read_text("utf-8")
    total = re.search(r' width="([\d.]+)"', drawn)
    assert total is not None
    assert float(total[1]) <= (width or 560)
    entry = r'translate\(([\d.]+),[\d.]+\)"><path class="background"[^>]* d="M0,0h([\d.]+)v1[12]'
    legend = drawn[drawn.index('aria-roledescription="legend"') :]
    entries = [(float(at), float(wide)) for at, wide in re.findall(entry, legend)]
    assert len(entries) == len(names)
    # To the left of the legend is the axis. A wide font needs an eighth more.
    assert all(50 + at + 1.13 * wide < float(total[1]) for at, wide in entries)


def test_scores_of_many_queries_are_drawn() -> None:
    rows = [
        {"query": f"q{at}", "text": "", "value": at % 7 / 7, "baseline": at % 5 / 5}
        for at in range(1500)
    ]
    drawn = svg(plots.scatter(rows, "dense", "bm25", "AP"))
    counts = [sum(row["value"] > row["baseline"] for row in rows)]
    assert f"{counts[0]:,} wins" in drawn


def test_curves_show_the_named_systems(small_files: Path) -> None:
    from gainful.evaluation.curves import curves

    runs = {f"s{at}": "bm25.run" for at in range(10)}
    found = curves("qrels.txt", runs, "nDCG@10", cutoffs=(1, 10))
    shown = {row["system"] for row in found.plot().chart.data.values}
    assert shown == {f"s{at}" for at in range(8)}
    some = found.plot("coverage", systems=["s9"])
    assert {row["system"] for row in some.chart.data.values} == {"s9"}


def test_the_gain_of_a_measure_without_gains_is_refused(small_files: Path) -> None:
    explanation = gainful.explain("qrels.txt", "bm25.run", "q1", "AP")
    with pytest.raises(ParameterError, match="found AP, expected a sum of gains"):
        explanation.plot()


def test_the_picture_of_queries_names_measure_systems_and_topics(tmp_path: Path) -> None:
    qrels = {f"topic-{n}": {"a": 2, "b": 1} for n in range(8)}
    old = {query: ["b", "a"] for query in qrels}
    runs = {"old": old, "new": {**old, "topic-3": ["a", "b"], "topic-5": ["b"]}, "same": dict(old)}
    comparison = gainful.compare(qrels, {name: runs[name] for name in ("old", "new")}, "nDCG@10")
    drawn = svg(plots.queries(comparison, baseline="old"))
    for text in ("new − old", "difference in nDCG@10", "8 topics (queries)", "topic-3", "topic-5"):
        assert text in drawn
    # Queries without a difference are no extremes.
    assert "topic-1<" not in drawn
    panels = gainful.compare(qrels, runs, "nDCG@10", baseline="old").plot("queries")
    panels.save(tmp_path / "queries.svg", width=340)
    drawn = (tmp_path / "queries.svg").read_text("utf-8")
    assert "new − old" in drawn
    assert "same − old" in drawn
    width = re.search(r' width="([\d.]+)"', drawn)
    assert width is not None
    assert 300 < float(width[1]) < 380
