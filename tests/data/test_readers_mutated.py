"""Each reader in Python returns a value or raises a `GainfulError` for any bytes."""

from __future__ import annotations

import random
from pathlib import Path
from time import process_time

import pytest

import gainful
from combinations import ALL
from gainful.data.corpus import read_documents
from gainful.data.judgment_lists import read_judgment_list
from gainful.data.records import read_records
from gainful.errors import GainfulError
from gainful.systems.queries import Queries
from mutations import mutated
from reader_seeds import READERS
from repeated_tests import for_each
from requirements import need

#: Changes of each reader's seeds. `make test-hostile` tries thousands.
MUTANTS = 150 if ALL else 20


@for_each("name", READERS)
def test_seeds_are_read(name: str, tmp_path: Path) -> None:
    if "Parquet" in name:
        need("pyarrow")
    reader = READERS[name]
    path = tmp_path / name / reader.name
    path.parent.mkdir()
    understood = 0
    for seed in reader.seeds:
        path.write_bytes(seed)
        try:
            reader.read(path)
        except GainfulError:
            continue
        understood += 1
    assert understood


@pytest.mark.parametrize("name", list(READERS))
def test_random_changes(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    path = tmp_path / reader.name
    for number in range(MUTANTS):
        chance = random.Random(number)
        path.write_bytes(mutated(chance.choice(reader.seeds), chance))
        try:
            reader.read(path)
        except GainfulError as error:
            assert str(error), number
        except Exception as error:
            raise AssertionError(f"mutant {number}: {error!r}") from error


HUGE = "1" + "0" * 400
DEEP = "[" * 900 + "]" * 900

#: Contents that ended in a traceback once: the reader, the content, and the beginning of the error.
FOUND = {
    "a score beyond floating point": (
        "result files",
        f'{{"NDCG@10": {HUGE}}}',
        "found 1 of 2 systems",
    ),
    "subsets that are no list": (
        "result files",
        '{"task_name": "t", "scores": {"test": 1e999}}',
        "found 1 of 2 systems",
    ),
    "deep objects": (
        "result files",
        '{"a":' * 500 + "1" + "}" * 500,
        "objects in hundreds of objects",
    ),
    "a count beyond floating point": (
        "published scores",
        '{"schema": "gainful.published/1", "scores": [{"system": "a", "measure": "AP", "mean": 1, '
        f'"queries": {HUGE}}}]}}',
        "found 1000",
    ),
    "records that are no objects": (
        "golden sets",
        '[{"question": "a", "relevant": []}, 1]',
        "found a number",
    ),
    "questions without objects": (
        "golden sets",
        '{"Why?": {"relevant": ["d1"]}, "Who?": 5}',
        "found a number under 'Who",
    ),
    "a probability of almost 0": (
        "sample",
        '{"query_id": "q1", "doc_id": "d1", "stratum": 1, "probability": 5e-324, "depth": 9}',
        "found 1 documents with the probability",
    ),
    "secrets that are no texts": (
        "access",
        '{"ana": {"role": "owner", "tokens": [0.5, "a"], "browsers": []}}',
        "the people of the session",
    ),
    "a deep text": ("corpus", f'{{"_id": "d1", "text": {DEEP}}}', None),
}


@pytest.mark.parametrize("case", list(FOUND))
def test_found_by_random_changes(case: str, tmp_path: Path) -> None:
    name, content, message = FOUND[case]
    reader = READERS[name]
    path = tmp_path / reader.name
    path.write_text(content)
    if message is None:
        reader.read(path)
        return
    with pytest.raises(GainfulError, match=message):
        reader.read(path)


@for_each("name", [name for name in READERS if not READERS[name].only_content])
def test_a_path_with_a_nul_character(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    with pytest.raises(GainfulError):
        reader.read(tmp_path / f"a\0{reader.name}")


LONG = 100_000


def majority(path: Path) -> object:
    return read_judgment_list(path, format="raters:majority")


@pytest.mark.parametrize(
    "content",
    [
        f"# qid:1: soup\n3 qid:1{'x' * LONG}\n",
        f"3 qid:1 # a{' ' * LONG}b\n",
        f"#{' ' * LONG}qid:1: soup\n3 qid:1 # d1 x\n",
        f"<top>\n<num> 1\n<title> {'<title ' * LONG}\n</top>\n",
        f"<top>\n<num>{' ' * LONG}<desc>{' ' * LONG}<narr>{' ' * LONG}</top>\n",
        f"<top {'id ' * LONG}>\n</top>\n",
        f"<DOC>\n<DOCNO>d1</DOCNO>\n{'<title>' * LONG}\n</DOC>\n",
        f"<DOC>\n{'<docno>' * LONG}\n</DOC>\n",
        f"<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>{'<' * LONG}</TEXT>\n</DOC>\n",
        f"<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>{'&' * LONG}</TEXT>\n</DOC>\n",
        "query_id,doc_id,grade" + "".join(f",{n}" for n in range(LONG // 10)) + "\nq1,d1,1\n",
        "query_id,doc_id,rater,grade\n" + "".join(f"q1,d1,r{n},{n}\n" for n in range(LONG // 10)),
    ],
    ids=lambda content: content[:30].replace("\n", " "),
)
def test_time_is_linear_in_the_length_of_a_line(content: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    begun = process_time()
    for read in (Queries.of, read_documents, gainful.read_ratings, majority, read_records):
        try:
            read(path)
        except GainfulError:
            continue
    # Of the processor, whatever else runs. In quadratic time, each would take longer.
    assert process_time() - begun < 5
