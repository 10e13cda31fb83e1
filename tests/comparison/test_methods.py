"""The paragraph for the methods section: what it states, and its four forms."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.formats.markup import Methods, Reference
from gainful.measures import catalogue
from requirements import need

QRELS = {f"q{n}": {"a": 2, "b": 1} for n in range(12)}
BAD = {query: ["b", "a"] for query in QRELS}
GOOD = {query: ["a", "b"] for query in QRELS}
RUNS = {"old": BAD, "new": GOOD, "same": BAD}


def methods(**options: object) -> Methods:
    return gainful.compare(QRELS, RUNS, options.pop("measures", "nDCG@10"), **options).methods()


@pytest.mark.parametrize(
    ("options", "stated", "cited"),
    [
        ({}, "over the 3 pairs by max-T", "westfall1993"),
        ({"correction": "holm"}, "over the 3 pairs by Holm's method", "holm1979"),
        ({"correction": "tukey"}, "randomized Tukey HSD", "carterette2012"),
        ({"baseline": "old"}, "We compare 2 systems with old.", "holm1979"),
        ({"margin": 0.01}, "within ±.01", "schuirmann1987"),
        ({"alpha": 0.01}, "simultaneous 99% confidence intervals", "smucker2007"),
        ({"measures": "nDCG(gain='exponential')@5"}, "(2^grade - 1) / log2", "burges2005"),
        ({"measures": "nDCG(ideal='list')@5"}, "all documents of the ranking", "jarvelin2002"),
        (
            {"measures": ["AP(rel=2)", "RR"]},
            "For AP(rel=2), documents with a grade of 2",
            "harman1992",
        ),
        ({"measures": "AP", "family": "all"}, "the 3 pairs and measures", "harman1992"),
    ],
)
def test_it_states_the_choices_and_cites_them(
    options: dict[str, object], stated: str, cited: str
) -> None:
    found = methods(**options)
    assert stated in str(found)
    keys = [reference.key for reference in found.references]
    assert cited in keys
    assert found.to_latex().count(rf"\cite{{{cited}}}") >= 1
    assert found.to_bibtex().count(f"@misc{{{cited},") == 1


def test_a_pair_has_no_correction() -> None:
    text = str(gainful.compare(QRELS, {"old": BAD, "new": GOOD}, "nDCG@10").methods())
    assert "with all sign flips" in text
    assert "The level of significance is 5%." in text
    assert "simultaneous" not in text
    # The exponential gain is of another paper.
    assert "Burges" not in text


@pytest.mark.parametrize(
    ("convention", "stated"),
    [
        (gainful.Convention(ties="expected"), "have all orders"),
        (gainful.Convention(ties="random(3)"), "random, but repeatable"),
        (gainful.Convention(unjudged="condense"), "are removed from the rankings"),
        (gainful.Convention(unjudged=1), "have the grade 1"),
        (gainful.Convention(no_relevant="skip"), "queries with no relevant documents are left out"),
        (gainful.Convention(missing="skip"), "judged queries that a run lacks are left out"),
        (gainful.Convention(duplicates="first"), "lists twice for a query: the first one counts"),
        ("trec_eval", "trec_eval-9.0.8, which reproduces that tool"),
    ],
)
def test_it_states_the_convention(convention: gainful.Convention | str, stated: str) -> None:
    evaluation = gainful.evaluate(QRELS, GOOD, "nDCG@10", convention=convention)
    assert stated.lower() in str(evaluation.methods()).lower()


def test_what_a_convention_refuses_is_not_stated() -> None:
    convention = gainful.Convention(missing="error", no_relevant="error", ties="error")
    text = str(gainful.evaluate(QRELS, GOOD, "nDCG@10", convention=convention).methods())
    assert "error" not in text
    assert "equal scores" not in text


def test_values_from_elsewhere() -> None:
    values = {"old": {"q1": 0.5, "q2": 0.25}, "new": {"q1": 0.5, "q2": 1.0}}
    text = str(gainful.compare(gainful.Evaluation.from_values(values, "answers")).methods())
    assert "computed elsewhere" in text
    assert "Gainful" not in text


def test_the_sources_of_all_measures_of_papers_are_read() -> None:
    """A new measure with a source of another form would not be cited."""
    for family in catalogue.families():
        source = catalogue.family(family).source if isinstance(family, str) else family.source
        reference = Reference.parse(source)
        assert reference is not None or "trec_eval" in source, source
        if reference is not None:
            assert reference.key.isascii()
            assert reference.authors[1:2] == "."


def test_files_by_suffix(output_of: Callable[..., str], small_files: Path, tmp_path: Path) -> None:
    words = (
        "compare",
        "qrels.txt",
        "bm25.run",
        "dense.run",
        "-m",
        "nDCG@10",
        "--format",
        "methods",
    )
    text = output_of(*words)
    assert text.startswith("We report nDCG@10 [1] over 6 queries.")
    starts = {"tex": "We report nDCG@10 \\cite", "bib": "@misc{jarvelin2002,", "md": "We report"}
    for suffix, start in starts.items():
        path = tmp_path / f"methods.{suffix}"
        output_of(*words, "-o", str(path))
        assert path.read_text("utf-8").startswith(start)
        again = tmp_path / f"again.{suffix}"
        gainful.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10").methods().save(again)
        assert again.read_bytes() == path.read_bytes()
    with pytest.raises(gainful.GainfulError, match="a name that ends in .tex, .md, .txt, .bib"):
        methods().save(tmp_path / "methods.pdf")


SUITE = {"help": (QRELS, {"old": BAD, "new": GOOD}), "films": (QRELS, {"old": BAD, "new": BAD})}


@pytest.mark.parametrize(
    ("options", "baseline", "stated", "cited"),
    [
        ({}, None, "over 12 queries of help and 12 queries of films.", "jarvelin2002"),
        ({"over": "help"}, None, "is the mean of the means on help, each", "cochran1977"),
        ({"aggregate": "standardized"}, None, "by a normal distribution", "webber2008"),
        ({"aggregate": "empirical"}, None, "by the empirical distribution", "urbano2019"),
        ({}, None, "resampled within their collections", "smucker2007"),
        ({}, "old", "Differences on each collection have", "holm1979"),
    ],
)
def test_a_suite_states_its_collections_and_its_average(
    options: dict[str, Any], baseline: str | None, stated: str, cited: str
) -> None:
    suite = gainful.evaluate_suite(SUITE, **options)
    comparison = suite.compare(baseline)
    compared = comparison.methods()
    assert stated in str(compared)
    assert cited in [reference.key for reference in compared.references]
    # The suite alone has the sentences about its collections, and no tests.
    assert compared.sentences[: len(suite.methods().sentences)] == suite.methods().sentences
    assert "smucker2007" not in str(suite.methods().to_latex())


def test_a_suite_whose_baseline_lacks_a_run_states_the_tests_on_each_collection() -> None:
    collections = {**SUITE, "films": (QRELS, {"old": BAD, "new": BAD, "best": GOOD})}
    text = str(gainful.evaluate_suite(collections).compare("best").methods())
    assert "Differences on each collection" in text
    assert "We compare" not in text


def test_the_command_of_suites_writes_it(
    small_files: Path, tmp_path: Path, output_of: Callable[..., str]
) -> None:
    path = tmp_path / "methods.bib"
    output_of("evaluate-suite", "collections", "--format", "methods", "-o", str(path))
    suite = gainful.evaluate_suite("collections")
    assert path.read_text("utf-8") == suite.compare().methods().to_bibtex() + "\n"


def test_results_without_one_refuse(small_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    several = ("--convention", "trec_eval", "--convention", "gainful", "--format", "methods")
    assert main(["evaluate", "qrels.txt", "bm25.run", *several]) == 2
    assert "expected an evaluation, a comparison or a suite" in capsys.readouterr().err


def test_latex_and_bibtex_compile(tmp_path: Path) -> None:
    pdflatex, bibtex = need("pdflatex"), need("bibtex")
    found = methods(measures=["nDCG(gain='exponential')@5", "AP"], margin=0.01)
    found.save(tmp_path / "refs.bib")
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{textcomp,lmodern}"
    closing = r"\bibliographystyle{plain}\bibliography{refs}\end{document}"
    (tmp_path / "paper.tex").write_text(
        f"{preamble}\\begin{{document}}\n{found.to_latex()}\n{closing}\n", "utf-8"
    )
    latex = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for command in (latex, [bibtex, "paper"], latex, latex):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:].decode("utf-8", "replace")
    log = (tmp_path / "paper.log").read_text("latin-1")
    assert "undefined" not in log
    assert "Missing character" not in log
