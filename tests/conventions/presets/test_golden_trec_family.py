"""The presets of trec_eval and the tools around it give these tools' numbers.

The tools printed them for handmade cases; those of trec_eval are from its command line.
"""

from __future__ import annotations

import json
import math
import shlex
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pytest

import gainful
from gainful.errors import GainfulError, MatchError
from gainful.measures import parse_measures
from requirements import need

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSIONS = {"9.0.8": "trec_eval-9.0.8", "10.0-rc3": "trec_eval-10.0-rc3"}
TREC_EVAL_9 = gainful.conventions["trec_eval-9.0.8"]
RANX = gainful.conventions["ranx-0.3.21"]
SKLEARN = gainful.conventions["scikit-learn-1.9.1"]
IGNORE_TIES = gainful.conventions["scikit-learn-1.9.1-ignore_ties"]

# From the configuration of the tool to the convention and the relative tolerance: None for equality
# bit for bit. Values printed with few digits are compared as text.
CONFIGURATIONS = {
    "trec_eval_9.0.8": (TREC_EVAL_9, None),
    "trec_eval_9.0.8 -c": (TREC_EVAL_9.replace(missing="empty"), None),
    "trec_eval_10": (gainful.conventions["trec_eval-10.0-rc3"], None),
    "pytrec_eval": (gainful.conventions["pytrec_eval-0.5.11"], None),
    "ranx Qrels/Run": (RANX, None),
    "ranx dict": (gainful.conventions["ranx-0.3.21-dict"], None),
    "ranx make_comparable": (RANX.replace(missing="empty", extra="ignore"), None),
    "ir_measures mean": (gainful.conventions["ir_measures-0.4.3"], None),
    "gdeval 1.3 k=3": (gainful.conventions["gdeval-1.3"], None),
    "gdeval 1.3 k=3 -c": (gainful.conventions["gdeval-1.3"].replace(missing="empty"), None),
    # Called by ir_measures, which passes a data frame sorted by score alone.
    "trectools mean": (gainful.conventions["trectools-0.0.50"].replace(ties="given"), 1e-12),
    "BEIR": (gainful.conventions["beir-2.2.0"], None),
    "BEIR ignore_ids=False": (gainful.conventions["beir-2.2.0"].replace(same_id="keep"), None),
    # The matrix has 0 in place of negative grades, which the tool rejects.
    "sklearn ties averaged": (SKLEARN.replace(negative="zero"), 1e-12),
    "sklearn ignore_ties": (IGNORE_TIES.replace(negative="zero"), 1e-12),
}
# Cases in which an unstable sort did not put the last of equal scores first.
UNSETTLED = {("sklearn ignore_ties", "C03_ties_part")}

# The number of values and errors of each configuration.
FIGURES = {
    "trec_eval_9.0.8": 216,
    "trec_eval_9.0.8 -c": 216,
    "trec_eval_10": 205,
    "pytrec_eval": 114,
    "ranx Qrels/Run": 206,
    "ranx dict": 206,
    "ranx make_comparable": 240,
    "ir_measures mean": 102,
    "gdeval 1.3 k=3": 67,
    "gdeval 1.3 k=3 -c": 67,
    "trectools mean": 34,
    "BEIR": 85,
    "BEIR ignore_ids=False": 85,
    "sklearn ties averaged": 109,
    "sklearn ignore_ties": 109,
}


def cases() -> dict[str, dict]:
    text = (need("shared-data").parent / "golden" / "ndcg_trec_family.json").read_text(
        encoding="utf-8"
    )
    return json.loads(text)


def float_scores(run: dict) -> dict:
    return {
        query: {doc: float(score) for doc, score in docs.items()} for query, docs in run.items()
    }


def measure_of(name: str) -> str:
    """Return the measure for a tool's name that Gainful does not parse."""
    for theirs, ours in (
        ("ndcg_burges", "nDCG(gain='exponential')"),
        ("ndcg@", "nDCG@"),
    ):
        if name.startswith(theirs):
            return ours + name.removeprefix(theirs)
    return name


def figures(entry: Any) -> Iterator[tuple[str | None, str, Any]]:
    """Yield query (None for the mean), measure and value for each number of an entry."""
    if isinstance(entry, list):
        for line in entry:
            _, query, ndcg, err = line.split(",")
            asked = None if query == "amean" else query
            yield asked, "nDCG@3", ndcg
            yield asked, "ERR@3", err
        return
    for query, values in entry.items():
        if not isinstance(values, dict):
            yield None, measure_of(query), values
            continue
        for name, value in values.items():
            yield (None if query == "all" else query), measure_of(name), value


def is_error(entry: Any) -> bool:
    return isinstance(entry, str) or (isinstance(entry, dict) and "rc" in entry)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_handmade_cases(configuration: str) -> None:
    convention, tolerance = CONFIGURATIONS[configuration]
    checked = 0
    for name, case in cases().items():
        entry = case["tools"][configuration]
        run = float_scores(case["run"])
        # "1": "needs >1 docs" is an error of the query.
        queries = entry.values() if isinstance(entry, dict) else ()
        if is_error(entry) or any(isinstance(value, str) for value in queries):
            with pytest.raises(GainfulError):
                gainful.evaluate(case["qrels"], run, "nDCG@3", convention=convention)
            checked += 1
            continue
        for query, measure, figure in figures(entry):
            result = gainful.evaluate(case["qrels"], run, measure, convention=convention)
            value = result.mean() if query is None else result.per_query()[query]
            where = (name, query, measure)
            if isinstance(figure, str):
                digits = len(figure.partition(".")[2])
                assert f"{value:.{digits}f}" == figure, where
            elif tolerance is None:
                assert value == figure, where
            elif math.isnan(figure):
                # trectools has no value for a query of which nothing relevant was returned, which
                # ir_measures averages in; trectools itself counts 0, or leaves a missing query out.
                values = result.per_query()
                assert min(values.get(judged, 0.0) for judged in case["qrels"]) == 0.0
            elif (configuration, name) in UNSETTLED:
                low, high = (
                    gainful.evaluate(
                        case["qrels"], run, measure, convention=convention.replace(ties=ties)
                    ).per_query()[query or ""]
                    for ties in ("pessimistic", "optimistic")
                )
                assert low - tolerance <= figure <= high + tolerance, where
            else:
                assert value == pytest.approx(figure, rel=tolerance), where
            checked += 1
    assert checked == FIGURES[configuration]


def test_every_configuration_has_a_convention() -> None:
    made = {configuration for case in cases().values() for configuration in case["tools"]}
    assert made == set(CONFIGURATIONS) == set(FIGURES)
    assert sum(FIGURES.values()) == 2061


def test_the_default_differs_from_trec_eval_only_by_float32_and_missing_queries() -> None:
    for name, case in cases().items():
        if name in ("C07_missing_in_run", "C09_float32"):
            continue
        figures = case["tools"]["pytrec_eval"]
        for query, own in figures.items():
            result = gainful.evaluate(case["qrels"], float_scores(case["run"]), list(own))
            for measure, figure in own.items():
                assert result.per_query(measure)[query] == figure, (name, query, measure)


def options(args: str) -> tuple[dict[str, object], int] | None:
    """Return the arguments that correspond to a command line; None if not supported."""
    policies: dict[str, object] = {}
    level = 1
    words = iter(shlex.split(args))
    for word in words:
        if word == "-m":
            next(words)
        elif word == "-c":
            policies["missing"] = "empty"
        elif word == "-J":
            policies["unjudged"] = "condense"
        elif word.startswith("-l"):
            level = int(word[2:] or next(words))
        elif word not in ("-q",) and not word.startswith("-m"):
            return None
    return policies, level


@pytest.mark.parametrize("version", VERSIONS)
def test_command_lines_print_the_golden_values(version: str, tmp_path) -> None:
    text = (need("shared-data").parent / "golden" / "trec_eval_cli.json").read_text(
        encoding="utf-8"
    )
    checked = 0
    for case in json.loads(text):
        asked = options(case["args"])
        printed = case[version]
        if asked is None or printed["rc"] != 0 or "qrels_jg" in case["args"]:
            continue
        policies, level = asked
        convention = gainful.conventions[VERSIONS[version]].replace(**policies)
        qrels, run = tmp_path / "qrels", tmp_path / "run"
        qrels.write_bytes(case["qrels"].encode("utf-8", "surrogateescape"))
        run.write_bytes(case["run"].encode("utf-8", "surrogateescape"))
        comments = version != "9.0.8"
        try:
            judged = gainful.read_qrels(qrels, comments=comments)
            ranked = gainful.read_run(run, comments=comments)
        except GainfulError:
            continue  # input that only trec_eval accepts is tested with the drop-in replacement
        evaluated = cache(partial(gainful.evaluate, judged, ranked, convention=convention))
        for line in printed["stdout"].splitlines():
            measure, query, figure = (field.strip() for field in line.split("\t"))
            try:
                (parsed,) = parse_measures(measure)
            except (GainfulError, ValueError):
                continue
            if parsed.family == "Utility" and case["name"].startswith("missing_topic"):
                continue  # version 10 takes the value of a document that was not retrieved
            if parsed.params and parsed.family == "nDCG":
                continue  # gain tables have a test of their own
            if "rel" in {p.name for p in parsed.declaration.parameters} and level != 1:
                parsed = parsed(rel=level)
            try:
                result = evaluated(parsed)
            except MatchError:
                break  # version 10 prints zeros for a run of another collection, Gainful rejects it
            summary = result.summary()
            if query == "all":
                value = summary.value
            else:
                value = result.per_query(parsed).get(query)
                if value is None or (version == "9.0.8" and query not in ranked):
                    continue
            whole = parsed.aggregate == "sum"
            shown = f"{value:.0f}" if whole else f"{value:.4f}"
            if measure == "num_rel" and policies.get("missing") and level != 1:
                continue  # with -c, trec_eval ignores the level
            assert shown == figure, (case["name"], line)
            checked += 1
    assert checked > 1400
