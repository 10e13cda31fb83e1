"""The digests of judgments and runs."""

import hashlib
import pickle
import random
import struct

import pytest

import gainful

JUDGMENTS = {"q2": {"d3": 1, "d9": 0.5}, "q10": {"": 2}, "q1": {}}


def written_down(scored, queries):
    """Return the bytes to hash, as documented in the kernel."""

    def text(word):
        return struct.pack("<Q", len(word)) + word

    content = b"gainful rows 1" + bytes([scored])
    for query, rows in queries:
        content += text(query) + struct.pack("<Q", len(rows))
        for document, label, value in rows:
            content += text(document) + (b"\0" if label is None else b"\1" + text(label))
            content += struct.pack("<d", value) if scored else b""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def test_digests_are_sha256_of_the_content_sorted_by_id():
    rows = [
        (b"q1", []),
        (b"q10", [(b"", None, 2.0)]),
        (b"q2", [(b"d3", None, 1.0), (b"d9", None, 0.5)]),
    ]
    assert gainful.Qrels(JUDGMENTS).digest == written_down(True, rows)


def test_digests_of_rankings_without_scores_depend_on_the_order():
    rows = [(b"q", [(b"d2", None, 0.0), (b"d1", None, 0.0)])]
    assert gainful.Run({"q": ["d2", "d1"]}).digest == written_down(False, rows)
    assert gainful.Run({"q": ["d1", "d2"]}).digest != written_down(False, rows)


def test_digests_include_subtopics():
    rows = [(b"q", [(b"d", b"1", 1.0), (b"d", b"2", 0.0)])]
    given = [("q", "2", "d", 0), ("q", "1", "d", 1)]
    assert gainful.Qrels(given, subtopics=True).digest == written_down(True, rows)


def test_digests_ignore_file_name_and_order(tmp_path):
    judgments = {"q2": {"d3": 1, "d9": 4}, "q10": {"x": 2}}
    rows = [(query, *pair) for query, own in judgments.items() for pair in own.items()]
    expected = gainful.Qrels(judgments).digest
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        assert gainful.Qrels(rows, name=f"judgments {seed}").digest == expected
    for name in ("qrels.txt", "qrels.tsv", "qrels.jsonl.gz"):
        gainful.Qrels(rows).write(tmp_path / name)
        assert gainful.read_qrels(tmp_path / name).digest == expected
    assert pickle.loads(pickle.dumps(gainful.Qrels(rows))).digest == expected


def test_digests_ignore_ranks_next_to_scores(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 7 2.5 x\nq Q0 b 1 1.5 y\n")
    assert gainful.read_run(path).digest == gainful.Run({"q": {"b": 1.5, "a": 2.5}}).digest


@pytest.mark.parametrize(
    "other",
    [
        {"q2": {"d3": 1, "d9": 0.25}, "q10": {"": 2}, "q1": {}},
        {"q2": {"d3": 1, "d8": 0.5}, "q10": {"": 2}, "q1": {}},
        {"q2": {"d3": 1, "d9": 0.5}, "q11": {"": 2}, "q1": {}},
        {"q2": {"d3": 1, "d9": 0.5}, "q10": {"": 2}},
    ],
    ids=["grade", "document", "query", "query without judgments"],
)
def test_different_content_has_different_digests(other):
    assert gainful.Qrels(JUDGMENTS).digest != gainful.Qrels(other).digest


def test_evaluations_have_the_digest_of_their_judgments():
    qrels = gainful.Qrels({"q": {"a": 1}})
    assert gainful.evaluate(qrels, {"q": ["a"]}).judgments_digest == qrels.digest
    assert gainful.evaluate({"q": {"a": 2}}, {"q": ["a"]}).judgments_digest != qrels.digest
