"""The audit of judges that are models, next to direct computations."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.cli import main
from gainful.errors import FormatError, ParameterError
from json_schema import errors, schema_of
from requirements import need

SOURCES = {"llm": "model:stub@1", "other": "model:stub@2"}


def make_rows(queries: int = 12, documents: int = 20) -> list[tuple[str, str, str, int]]:
    chance = random.Random(5)
    rows = []
    for query in range(queries):
        for document in range(documents):
            human = chance.choice([0, 0, 1, 2, 3])
            llm = min(3, max(0, human + chance.choice([-1, 0, 0, 1, 1])))
            other = chance.choice([0, 1, 2, 3])
            for rater, grade in (("human", human), ("llm", llm), ("other", other)):
                rows.append((f"q{query}", f"d{document}", rater, grade))
    return rows


ROWS = make_rows()
TRUTH = {(q, d): grade for q, d, rater, grade in ROWS if rater == "human"}
MODEL = {(q, d): grade for q, d, rater, grade in ROWS if rater == "llm"}


def ranked(truth: dict[tuple[str, str], float], noise: float, seed: int) -> dict[str, list[str]]:
    chance = random.Random(seed)
    found: dict[str, list[tuple[float, str]]] = {}
    for (query, document), grade in truth.items():
        found.setdefault(query, []).append((-grade - chance.gauss(0, noise), document))
    return {query: [document for _, document in sorted(each)] for query, each in found.items()}


def ratings(rows: Any = None) -> gainful.Ratings:
    return gainful.Ratings(rows or ROWS, sources=SOURCES)


def two(**options: Any) -> gainful.JudgmentQuality:
    rows = [row for row in ROWS if row[2] != "other"]
    known = gainful.Ratings(rows, sources={"llm": "model:stub@1"})
    return gainful.assess_judgments(known, **{"resamples": 200, **options})


def test_people_only_and_models_only_have_no_audit() -> None:
    assert gainful.assess_judgments(ROWS, resamples=10).audits == ()
    models = gainful.Ratings([row for row in ROWS if row[2] != "human"], sources=SOURCES)
    assert gainful.assess_judgments(models, resamples=10).audits == ()


def test_agreement_is_that_of_the_pair_and_bias_by_grade_is_a_mean() -> None:
    quality = two()
    audit = quality.audit("llm")
    (pair,) = quality.pairs
    assert (audit.judge, audit.people, audit.documents, audit.queries) == ("llm", "human", 240, 12)
    assert (audit.kappa, audit.same) == (pair.kappa, pair.same)
    assert audit.kappa_interval == pair.interval
    assert audit.bias == pytest.approx(-pair.difference)
    for each in audit.by_grade:
        own = [MODEL[p] - g for p, g in TRUTH.items() if g == each.grade]
        assert each.documents == len(own)
        assert each.bias == pytest.approx(np.mean(own))
        assert each.same == pytest.approx(np.mean([o == 0 for o in own]))
        assert each.counts == Counter(MODEL[p] for p, g in TRUTH.items() if g == each.grade)
        assert each.interval is not None
        assert each.interval.low < each.bias < each.interval.high


def test_taus_by_query_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    audit = two().audit("llm")
    taus = []
    for each in audit.by_query:
        pairs = [pair for pair in TRUTH if pair[0] == each.query_id]
        tau = stats.kendalltau([TRUTH[p] for p in pairs], [MODEL[p] for p in pairs]).statistic
        assert each.tau == pytest.approx(tau)
        taus.append(tau)
    assert audit.tau == pytest.approx(np.mean(taus))
    assert audit.tau_interval is not None
    half = stats.t.ppf(0.975, 11) * np.std(taus, ddof=1) / np.sqrt(12)
    assert audit.tau_interval == pytest.approx((np.mean(taus) - half, np.mean(taus) + half))


def test_the_effect_of_length_is_a_regression_within_queries() -> None:
    chance = random.Random(2)
    docs = {f"d{n}": "x" * chance.randrange(10, 5000) for n in range(20)}
    length = two(docs=docs).audit("llm").length
    assert length is not None
    pairs = list(TRUTH)
    queries = sorted({q for q, _ in pairs})
    design = np.array(
        [[np.log2(len(docs[d])), *(q == each for each in queries)] for q, d in pairs], dtype=float
    )
    error = np.array([MODEL[p] - TRUTH[p] for p in pairs], dtype=float)
    slope, *_ = np.linalg.lstsq(design, error, rcond=None)[0]
    assert length.slope == pytest.approx(slope)
    assert length.interval is not None
    assert length.interval.low < length.slope < length.interval.high
    assert two().audit("llm").length is None
    assert two(docs=dict.fromkeys(docs, "same")).audit("llm").length is None


def test_a_judge_that_rewards_length_is_found() -> None:
    docs = {f"d{n}": "x" * 2 ** (n % 8 + 4) for n in range(20)}
    rows: list[tuple[str, str, str, float]] = []
    for (query, document), grade in TRUTH.items():
        rows.append((query, document, "human", grade))
        rows.append((query, document, "llm", grade + 0.25 * np.log2(len(docs[document]))))
    known = gainful.Ratings(rows, sources={"llm": "model"})
    audit = gainful.assess_judgments(known, docs=docs, resamples=10).audit("llm")
    assert audit.length is not None
    assert audit.length.slope == pytest.approx(0.25)


def runs(count: int = 12) -> dict[str, dict[str, list[str]]]:
    found = {f"human-{n}": ranked(TRUTH, 0.4 + n / 6, n) for n in range(count // 2)}
    return found | {f"llm-{n}": ranked(MODEL, 0.4 + n / 6, 50 + n) for n in range(count // 2)}


def test_systems_are_ordered_under_both_for_all_and_for_the_best_ten() -> None:
    quality = two(runs=runs(), measure="nDCG@10")
    audit = quality.audit("llm")
    whole, best = audit.systems
    assert quality.systems is not None
    assert (whole.systems, whole.best, best.systems, best.best) == (12, False, 10, True)
    correlation = quality.systems.correlation("human", "llm")
    assert correlation is not None
    assert (whole.tau, whole.interval) == (correlation.tau, correlation.interval)
    assert (whole.verdicts, best.verdicts) == (66, 45)
    for order in (whole, best):
        others = order.contradicted + order.found + order.missed
        assert order.same + others <= order.verdicts
    means = quality.systems.means
    top = sorted(means, key=lambda name: -means[name]["human"])[:10]
    tau = gainful.inference.kendall_tau(
        [means[name]["human"] for name in top], [means[name]["llm"] for name in top]
    )
    assert best.tau == tau
    assert all(each.intervals["llm"][0] is not None for each in audit.verdicts)


def test_favor_is_the_interaction_of_judge_and_family() -> None:
    systems = runs()
    families = {name: name.split("-")[0] for name in systems} | {"llm": "llm"}
    quality = two(runs=systems, measure="nDCG@10", families=families)
    by_family = {each.family: each for each in quality.audit("llm").families}
    assert quality.systems is not None
    gain = {name: m["llm"] - m["human"] for name, m in quality.systems.means.items()}
    own = np.mean([gain[name] for name in systems if name.startswith("llm")])
    others = np.mean([gain[name] for name in systems if name.startswith("human")])
    favored = by_family["llm"]
    assert (favored.own, by_family["human"].own, favored.systems) == (True, False, 6)
    assert favored.inflation == pytest.approx(own)
    assert favored.difference == pytest.approx(own - others)
    assert favored.interval is not None
    assert favored.interval.low > 0
    assert by_family["human"].difference == pytest.approx(others - own)


def test_versions_are_compared_with_each_other_and_with_people() -> None:
    quality = gainful.assess_judgments(ratings(), resamples=500)
    (found,) = quality.versions
    kappas = {each.judge: each.kappa for each in quality.audits}
    assert (found.first, found.second, found.documents) == ("llm", "other", 240)
    assert kappas["llm"] is not None
    assert kappas["other"] is not None
    assert found.kappa == pytest.approx(kappas["llm"] - kappas["other"])
    assert found.kappa_interval is not None
    low, high = found.kappa_interval
    assert 0 < low < found.kappa < high


def test_several_people_are_one_by_their_median_and_final_grades_come_first() -> None:
    rows = [("q1", "d1", who, grade) for who, grade in (("a", 0), ("b", 2), ("c", 3), ("llm", 1))]
    audit = gainful.assess_judgments(ratings_of(rows), resamples=10).audit("llm")
    assert (audit.people, audit.bias) == ("people", -1.0)
    final = gainful.Ratings(rows, sources={"llm": "model"}, final="c")
    audit = gainful.assess_judgments(final, resamples=10).audit("llm")
    assert (audit.people, audit.bias) == ("c", -2.0)


def ratings_of(rows: Any) -> gainful.Ratings:
    return gainful.Ratings(rows, sources={"llm": "model"})


def label(query: str, document: str, grade: float | None, **more: Any) -> str:
    row = {
        "query_id": query,
        "doc_id": document,
        "grade": grade,
        "source": "model",
        "model": "stub",
        "version": "1",
        "prompt": "graded",
        "prompt_hash": "00",
        "outcome": "grade",
        "characters": 100,
        **more,
    }
    return json.dumps(row) + "\n"


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(label("q1", f"d{n}", n % 4, characters=10 * n) for n in range(1, 9)))
    others = [label("q1", "d20", None, outcome="refusal", version="2")]
    others += [label("q1", "d21", None, outcome="length")]
    for number, grade in ((1, 3), (2, 2), (4, 3), (3, 3), (5, None)):
        more = {"injection": "addressed", "demanded": 3}
        others.append(label("q1", f"d{number}", grade, **more))
    (tmp_path / "labels.audit.jsonl").write_text("".join(others))
    (tmp_path / "human.qrels").write_text("".join(f"q1 0 d{n} {n % 3}\n" for n in range(1, 9)))
    return tmp_path


def test_the_files_of_labels_say_what_was_refused_and_obeyed(labels: Path) -> None:
    known = gainful.read_ratings({"human": labels / "human.qrels", "llm": labels / "labels.jsonl"})
    assert known.blank == 0
    audit = gainful.assess_judgments(known, resamples=10).audit("llm")
    assert {name: (s.count, s.of) for name, s in audit.outcomes.items()} == {
        "refusal": (1, 10),
        "length": (1, 10),
    }
    # d3 had the highest grade without the instruction.
    assert audit.obeyed is not None
    assert (audit.obeyed.count, audit.obeyed.of) == (2, 4)
    assert audit.length is not None
    assert audit.length.documents == 8


def test_examples_of_the_prompt_are_refused_among_the_judgments_by_people(labels: Path) -> None:
    path = labels / "labels.jsonl"
    path.write_text(path.read_text() + label("q2", "d1", 1, examples=[["q9", "d1"], ["q1", "d3"]]))
    given = {"human": labels / "human.qrels", "llm": path}
    with pytest.raises(ParameterError, match="example of its prompt") as caught:
        gainful.assess_judgments(gainful.read_ratings(given))
    assert (caught.value.query, caught.value.document) == ("q1", "d3")


def test_a_damaged_second_file_is_an_error(labels: Path) -> None:
    (labels / "labels.audit.jsonl").write_text("[1]\n")
    with pytest.raises(FormatError, match=r"labels\.audit\.jsonl, line 1"):
        gainful.read_ratings({"llm": labels / "labels.jsonl"})


def test_json_rows_and_tables_have_the_audit(labels: Path) -> None:
    quality = two(runs=runs(4), measure="nDCG@10", families={"llm-0": "a", "llm": "a"})
    document = json.loads(quality.to_dict() and json.dumps(quality.to_dict()))
    assert errors(document, schema_of("judgments")) == []
    (audit,) = document["audits"]
    assert len(audit["verdicts"]) == 6
    figures = {row[3] for row in quality.rows() if row[0] == "audit"}
    assert {"weighted kappa", "tau of systems, all", "favor of a"} <= figures
    text = quality.to_text()
    for words in ("Audit of llm against human", "tau of all 4 systems", "a (its own)"):
        assert words in text


def test_the_command_audits_by_the_kinds_of_the_raters(
    labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(labels / "human.qrels"), f"llm={labels / 'labels.jsonl'}", "--resamples", "50"]
    assert main(["assess-judgments", *words]) == 0
    out = capsys.readouterr().out
    assert "Audit of llm against human" in out
    assert "obeyed injections, of 4" in out
    assert main(["assess-judgments", *words, "--family", "x"]) == 2
    assert "NAME=FAMILY" in capsys.readouterr().err


def test_published_judges_agree_as_published() -> None:
    folder = need("shared-data") / "llm_judges"
    given = {name: folder / f"{name}.qrels" for name in ("human", "Olz-gpt4o", "willia-umbrela1")}
    kinds = {"Olz-gpt4o": "model:gpt-4o", "willia-umbrela1": "model:umbrela"}
    quality = gainful.assess_judgments(gainful.Ratings(given, sources=kinds), resamples=200)
    gpt, umbrela = quality.audits
    assert (gpt.documents, gpt.queries) == (2123, 13)
    assert gpt.unweighted == pytest.approx(0.3738, abs=1e-4)
    assert umbrela.unweighted == pytest.approx(0.4293, abs=1e-4)
    # The judges are lenient with irrelevant documents and strict with the best ones.
    for audit in (gpt, umbrela):
        biases = [each.bias for each in audit.by_grade]
        assert biases[0] > 0 > biases[-1]
