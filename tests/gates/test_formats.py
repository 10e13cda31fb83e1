"""A gate's result in every format."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

import gainful
from gainful.gates.result import github, junit
from gate_data import gate_reciprocal_ranks, qrels, run
from json_schema import errors, schema_of
from requirements import need

SCHEMA = schema_of("gate")

RESULTS = {
    "pass": gate_reciprocal_ranks([1] * 20, [1] * 20),
    "better": gate_reciprocal_ranks([2] * 30, [1, 1, 2] * 10),
    "fail": gate_reciprocal_ranks([1] * 30, [2, 3, 1] * 10),
    "decrease": gate_reciprocal_ranks([1] * 30, [2, 3, 1] * 10, margin=0.9, fail_on="decrease"),
    "inconclusive": gate_reciprocal_ranks([1, 2] * 10, [2, 1] * 10),
    "no bound": gate_reciprocal_ranks([1, 1, 1], [1, 2, 1]),
    "counts as fail": gate_reciprocal_ranks([1, 2] * 10, [2, 1] * 10, inconclusive="fail"),
    "counts as pass": gate_reciprocal_ranks([1, 2] * 10, [2, 1] * 10, inconclusive="pass"),
}
EVERY = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)


@EVERY
def test_json_matches_its_schema(result):
    document = json.loads(json.dumps(result.to_dict()))
    assert errors(document, SCHEMA) == []
    assert (document["verdict"], document["status"]) == (result.verdict, result.status)


@EVERY
def test_the_table_fits_a_terminal_and_shows_the_verdict(result):
    lines = str(result).splitlines()
    assert lines[0].startswith("Gate ")
    assert max(map(len, lines)) <= 100
    assert result.verdict in lines[3]
    assert "<table>" in result._repr_html_()


@EVERY
def test_markdown_is_a_heading_a_table_and_notes(result):
    text = result.to_markdown()
    lines = text.splitlines()
    assert lines[0].startswith("### ")
    assert lines[2].startswith("| measure")
    assert lines[-1].startswith("<sub>gainful-1")
    assert "\n\n\n" not in text
    rendered = MarkdownIt("commonmark").enable("table").render(text)
    assert rendered.count("<tr>") == 1 + len(result.measures)
    assert rendered.startswith("<h3>")


@EVERY
def test_junit_counts_its_test_cases(result):
    suite = ElementTree.fromstring(junit(result)).find("testsuite")
    assert suite is not None
    cases = suite.findall("testcase")
    assert int(suite.attrib["tests"]) == len(cases) == len(result.measures)
    failures = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    assert int(suite.attrib["failures"]) == failures == (result.status == 4)
    assert int(suite.attrib["skipped"]) == skipped == (result.status == 3)
    assert suite.attrib["errors"] == "0"


def test_junit_contains_the_full_output_of_a_failure():
    failure = ElementTree.fromstring(junit(RESULTS["fail"])).find(".//failure")
    assert failure is not None
    assert failure.text == str(RESULTS["fail"])
    assert failure.attrib["type"] == "fail"


def test_junit_escapes_names_that_xml_does_not_allow():
    snapshot = gainful.make_snapshot({"q\udcff": {"a": 1}}, {"q\udcff": ["a"]}, "RR")
    result = gainful.gate({"q\udcff": {"a": 1}}, {"q\udcff": ["x"]}, snapshot, name="a\x00<&b")
    parsed = ElementTree.fromstring(junit(result).encode("utf-8"))
    assert parsed.find(".//testcase").attrib["name"] == "RR of a\\x00<&b"


@pytest.mark.parametrize(
    ("result", "level"),
    [
        ("pass", "notice"),
        ("fail", "error"),
        ("inconclusive", "warning"),
        ("counts as fail", "error"),
        ("counts as pass", "notice"),
    ],
)
def test_annotations_are_one_line_each(result, level):
    text = github(RESULTS[result])
    (line,) = text.splitlines()
    assert line.startswith(f"::{level} title=Gate ")
    title = line.removeprefix(f"::{level} title=").partition("::")[0]
    assert ":" not in title
    assert "," not in title
    # Percent signs and line ends are escaped.
    assert line.count("%") == line.count("%25") + line.count("%0A") + line.count("%3A")


def test_rows_have_full_precision():
    row = {name: value for name, (value,) in RESULTS["fail"].records("measures").items()}
    (found,) = RESULTS["fail"].measures
    assert (row["low"], row["n"], row["verdict"]) == (found.low, 30, "fail")


def test_arrow_has_one_row_per_measure_and_query():
    polars = need("polars")
    snapshot = gainful.make_snapshot(qrels(3), run([1, 2, None]), ["RR", "P@1"])
    frame = polars.DataFrame(gainful.gate(qrels(3), run([1, 1, 2]), snapshot))
    assert frame.columns == ["measure", "query_id", "snapshot", "value", "difference"]
    assert frame.rows()[1] == ("RR", "q001", 0.5, 1.0, 0.5)
    assert len(frame) == 6
