"""The presets of trec_eval give trec_eval's numbers: hand-made cases and its command line."""

from __future__ import annotations

import json
import shlex

import pytest

import gainful
from gainful.errors import GainfulError, MatchError
from gainful.measures import parse_measures
from requirements import need

PRESETS = {"trec_eval_9.0.8": "trec_eval-9.0.8", "trec_eval_10": "trec_eval-10.0-rc3"}
VERSIONS = {"9.0.8": "trec_eval-9.0.8", "10.0-rc3": "trec_eval-10.0-rc3"}


def cases() -> dict[str, dict]:
    text = (need("shared-data").parent / "golden" / "ndcg_trec_family.json").read_text(
        encoding="utf-8"
    )
    return json.loads(text)


def float_scores(run: dict) -> dict:
    return {
        query: {doc: float(score) for doc, score in docs.items()} for query, docs in run.items()
    }


@pytest.mark.parametrize("tool", PRESETS)
def test_the_hand_made_cases_have_the_printed_digits(tool: str) -> None:
    checked = 0
    for name, case in cases().items():
        printed = case["tools"][tool]
        if "rc" in printed:
            with pytest.raises(GainfulError):
                gainful.evaluate(
                    case["qrels"], float_scores(case["run"]), "ndcg", convention=PRESETS[tool]
                )
            continue
        measures = [m for m in printed["all"] if m.startswith("ndcg")]
        result = gainful.evaluate(
            case["qrels"], float_scores(case["run"]), measures, convention=PRESETS[tool]
        )
        for query, figures in printed.items():
            for measure, figure in figures.items():
                value = result.mean(measure) if query == "all" else result.per_query(measure)[query]
                assert f"{value:.4f}" == figure, (name, query, measure)
                checked += 1
    assert checked > 150


def test_pytrec_evals_numbers_are_met_bit_for_bit() -> None:
    checked = 0
    for name, case in cases().items():
        for query, figures in case["tools"]["pytrec_eval"].items():
            result = gainful.evaluate(
                case["qrels"],
                float_scores(case["run"]),
                list(figures),
                convention="trec_eval-9.0.8",
            )
            for measure, figure in figures.items():
                assert result.per_query(measure)[query] == figure, (name, query, measure)
                checked += 1
    assert checked > 80


def test_the_default_is_trec_eval_where_neither_float32_nor_missing_queries_come_in() -> None:
    for name, case in cases().items():
        if name in ("C07_missing_in_run", "C09_float32"):
            continue
        figures = case["tools"]["pytrec_eval"]
        for query, own in figures.items():
            result = gainful.evaluate(case["qrels"], float_scores(case["run"]), list(own))
            for measure, figure in own.items():
                assert result.per_query(measure)[query] == figure, (name, query, measure)


def options(args: str) -> tuple[dict[str, object], int] | None:
    """What a command line asks for in our words; None for what is not evaluated here."""
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
def test_the_command_lines_print_these_figures(version: str, tmp_path) -> None:
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
            continue  # what trec_eval reads and we refuse is listed with its drop-in
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
                result = gainful.evaluate(judged, ranked, parsed, convention=convention)
            except MatchError:
                break  # version 10 gives zeros to a run of another collection; we refuse it
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
                continue  # with -c it forgets the level
            assert shown == figure, (case["name"], line)
            checked += 1
    assert checked > 1400
