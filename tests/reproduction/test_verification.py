"""verify(): the digests of input files in results, and later changes of these files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import gainful
from gainful.cli.program import run
from gainful.cli.written_files import paths_in
from gainful.errors import FormatError, ParameterError
from gainful.input_files import InputFiles
from gainful_program import gainful as program
from json_schema import errors, schema_of

INPUTS = {"qrels.txt": "unchanged", "bm25.run": "unchanged"}


def called(words: str) -> int:
    """Run a command, and return its exit status."""
    return run(words.split(" "))


@pytest.fixture(autouse=True)
def in_small_files(small_files: Path) -> None:
    """Run each test in a folder with copies of the small files."""


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ("evaluate qrels.txt bm25.run --format json -o result", {}),
        ("evaluate qrels.txt name=bm25.run --format json --per-query -o result", {}),
        ("evaluate qrels.txt bm25.run --convention burges-2005 --convention gainful-1"
         " --per-query --format json -o result", {}),
        ("compare qrels.txt bm25.run dense.run --format json -o result", {"dense.run"}),
        ("explain qrels.txt bm25.run --docs docs.jsonl --format json -o result", {"docs.jsonl"}),
        ("gate qrels.txt bm25.run --save result", {}),
        ("report qrels.txt bm25.run -o result", {}),
    ],
)  # fmt: skip
def test_results_of_commands_have_digests(words: str, others: set[str]) -> None:
    assert called(words) == 0
    expected = INPUTS | dict.fromkeys(others, "unchanged")
    assert gainful.verify("result").files == expected
    Path("bm25.run").write_text("q1 Q0 r01 1 2.0 other\n")
    assert gainful.verify("result").files == expected | {"bm25.run": "changed"}
    Path("bm25.run").unlink()
    verification = gainful.verify("result")
    assert verification.files == expected | {"bm25.run": "missing"}
    assert verification.status == 4
    assert errors(verification.to_dict(), schema_of("verification")) == []


def test_files_in_folders_are_inputs() -> None:
    assert called("evaluate-suite collections --format json -o suite.json") == 0
    files = {path.as_posix() for path in Path("collections").rglob("*") if path.is_file()}
    assert gainful.verify("suite.json").files == dict.fromkeys(files, "unchanged")


def test_saved_results_have_digests_of_the_named_inputs() -> None:
    result = gainful.evaluate(*INPUTS, "nDCG@10")
    result.save("result.json", inputs=INPUTS)
    assert gainful.verify("result.json").files == INPUTS
    result.save("plain.json")
    assert json.loads(Path("plain.json").read_text()) == json.loads(json.dumps(result.to_dict()))


def test_no_input_is_replaced() -> None:
    Path("link.csv").symlink_to("bm25.run")
    before = Path("bm25.run").read_bytes()
    result = gainful.evaluate(*INPUTS, "nDCG@10")
    with pytest.raises(ParameterError, match=r"link\.csv is an input"):
        result.save("link.csv", inputs=INPUTS)
    with pytest.raises(ParameterError, match=r"bm25\.run is an input"):
        gainful.make_snapshot(*INPUTS, "nDCG@10").write("bm25.run")
    assert Path("bm25.run").read_bytes() == before


def test_snapshots_keep_the_digests_when_looks_are_counted() -> None:
    gainful.make_snapshot(*INPUTS, "nDCG@10").write("snapshot.json")
    assert called("gate qrels.txt dense.run --snapshot snapshot.json --inconclusive pass") == 0
    assert json.loads(Path("snapshot.json").read_text())["looks"]
    assert gainful.verify("snapshot.json").files == INPUTS


def test_what_cannot_be_read_again_is_unknown() -> None:
    words = ("evaluate", "-", "bm25.run", "--format", "json", "-o", "result.json")
    program(*words, input=Path("qrels.txt").read_bytes())
    verification = gainful.verify("result.json")
    assert verification.files == {"-": "unknown", "bm25.run": "unchanged"}
    assert verification.status == called("verify result.json") == 3


def test_a_file_that_changed_since_the_command_began_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evaluate = gainful.evaluation.evaluate

    def change_afterwards(*arguments: object, **options: object) -> object:
        result = evaluate(*arguments, **options)
        with open("bm25.run", "a") as file:
            file.write("q9 Q0 r01 1 2.0 other\n")
        return result

    monkeypatch.setattr("gainful.evaluation.evaluate", change_afterwards)
    assert called("evaluate qrels.txt bm25.run --format json -o result.json") == 0
    assert gainful.verify("result.json").files == INPUTS | {"bm25.run": "unknown"}


def test_addresses_are_recorded_without_credentials() -> None:
    paths = paths_in("bm25=https://me:secret@example.org/a.run?X-Amz-Signature=0123")
    assert InputFiles(paths).digests() == [{"path": "https://example.org/a.run", "sha256": None}]


def test_compressed_results_are_read() -> None:
    gainful.evaluate(*INPUTS).save("result.json", inputs=INPUTS)
    Path("result.json.gz").write_bytes(gzip.compress(Path("result.json").read_bytes()))
    assert gainful.verify("result.json.gz").files == INPUTS


@pytest.mark.parametrize(
    "content",
    ["q1 0 d1 1\n", "{}", '{"inputs": []}', '{"inputs": [1]}', '{"inputs": null}', "[" * 100_000],
)
def test_other_files_are_errors(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("result.json").write_text(content)
    with pytest.raises(FormatError, match="no digests of input files"):
        gainful.verify("result.json")
    assert called("verify result.json") == 2
    assert capsys.readouterr().err.startswith("gainful: result.json: found no digests")
