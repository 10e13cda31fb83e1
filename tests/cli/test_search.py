"""`gainful search`: runs, reports, journals and exit statuses."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import gainful
from awaiting import await_true
from gainful.cli import main
from gainful.progress import progress_text
from json_schema import errors, schema_of
from repeated_tests import for_each
from requirements import ROOT

SYSTEM = """
import json, os, time
from types import SimpleNamespace

def find(text, k):
    with open("asked.txt", "a") as file:
        file.write(text + "\\n")
    return [(f"{word}-{n}", 1.0 / n) for word in text.split()[:1] for n in range(1, 4)][:k]

def fails(text, k):
    if "soup" in text and not os.path.exists("mended"):
        raise KeyError("soup")
    return find(text, k)

def nothing(text, k):
    return []

def titles(text, k):
    return [f"about {text}"]

def wrong(text, k):
    return text

def held(text, k):
    answers = find(text, k)
    while len(open("asked.txt").readlines()) > 8 and not os.path.exists("go"):
        time.sleep(0.01)
    return answers

class Index:
    def __init__(self, boost=1, field_name="title"):
        self.boost, self.field_name = boost, field_name

    def search(self, query, top_k, locale="en"):
        return [f"{self.field_name}^{self.boost}-{locale}"]

def hits(text):
    return {"found": [SimpleNamespace(meta={"file": text}, distance=0.5)]}

def prints(text, k):
    print("looking for", text)
    return find(text, k)

def moves(text, k):
    os.chdir("/")
    return ["d1"]

def spaced(text, k):
    find(text, k)
    return ["a cup of tea"]

def rambles(text, k):
    raise ValueError(f"the index of {'very ' * 30}many documents is not there")

class Broken:
    @property
    def search(self):
        raise RuntimeError("no index")

def batches(texts, k):
    with open("batches.txt", "a") as file:
        file.write(f"{len(texts)}\\n")
    return [[text.split()[0]] for text in texts]
"""


@pytest.fixture
def folder(small_files, monkeypatch):
    """Make a folder with systems.py the current one, without modules imported from it."""
    Path("systems.py").write_text(SYSTEM)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield small_files
    for name in set(sys.modules) - before:
        if name.startswith("systems"):
            del sys.modules[name]


@pytest.fixture
def called(folder, capfd):
    """Run the command; return its standard output and standard error."""

    def call(*words, status=0):
        found = main(("search", *words))
        captured = capfd.readouterr()
        assert found == status, captured
        return captured.out, captured.err

    return call


def asked():
    return Path("asked.txt").read_text().splitlines()


def test_it_writes_the_run_and_reports_on_the_search(called):
    out, err = called("queries.jsonl", "--system", "systems.py:find", "-k", "2", "-o", "find.run")
    assert out == ""
    assert err.startswith("find: 6 queries in ")
    assert "queries  answered  failed  retried" in err
    assert err.endswith("find.run: the run of 6 queries.\n")
    run = gainful.read_run("find.run")
    assert run["q1"] == [("lentil-1", 1.0), ("lentil-2", 0.5)]
    texts = [json.loads(line)["text"] for line in Path("queries.jsonl").read_text().splitlines()]
    assert sorted(asked()) == sorted(texts)
    assert not Path("find.run.journal").exists()


def test_the_suffix_selects_the_format(called):
    called("queries.jsonl", "--system", "systems:find", "-o", "find.json", "--name", "mine")
    assert list(json.loads(Path("find.json").read_text())["q1"]) == [
        "lentil-1",
        "lentil-2",
        "lentil-3",
    ]
    out, err = called("queries.jsonl", "--system", "systems:find", "-o", "-", "--name", "mine")
    assert out.splitlines()[0] == "q1 Q0 lentil-1 1 1 mine"
    assert "mine: 6 queries in" in err
    assert not list(Path().glob("*.journal"))
    out, _ = called("queries.jsonl", "--system", "systems:find", "-o", "-", "--to", "tsv")
    assert out.startswith("query_id\tdoc_id\t")


def test_no_run_is_written_if_a_query_failed(called):
    words = ("queries.jsonl", "--system", "systems:fails", "-o", "a.run")
    out, err = called(*words, status=2)
    assert out == ""
    assert "q1     KeyError: 'soup'" in err
    assert err.endswith(
        "gainful: 1 of 6 queries failed, and no run is written. Hint: the same command retries it"
        " and reads the other answers from a.run.journal; --incomplete writes the run without it\n"
    )
    assert not Path("a.run").exists()
    first = len(asked())
    Path("mended").touch()
    _, err = called(*words)
    assert len(asked()) == first + 5 + 1, "the answers for a comparison, and the query that failed"
    assert "5 of the 6 answers came from the journal, started " in err
    assert len(gainful.read_run("a.run")) == 6
    assert not Path("a.run.journal").exists()


def test_a_changed_function_keeps_its_answers_on_request(called):
    words = ("queries.jsonl", "--system", "systems.py:fails", "-o", "a.run")
    called(*words, status=2)
    file = Path("systems.py")
    file.write_text(file.read_text().replace('raise KeyError("soup")', "return nothing(text, k)"))
    file.write_text(file.read_text().replace('f"{word}-{n}"', 'f"{word}/{n}"'))
    _, err = called(*words, status=2)
    err = " ".join(err.split())
    assert "'fails' has changed: 5 of 5 answers that were requested again differ (query q" in err
    assert "-1' → " in err
    assert "--restart to send all queries again; --keep-answers keeps the existing answers" in err
    first = len(asked())
    _, err = called(*words, "--keep-answers")
    assert "5 of the 6 answers came from the journal" in err
    assert (len(asked()), len(gainful.read_run("a.run"))) == (first, 5)


def test_a_repaired_function_resumes(called):
    words = ("queries.jsonl", "--system", "systems.py:fails", "-o", "a.run")
    called(*words, status=2)
    file = Path("systems.py")
    file.write_text(file.read_text().replace('raise KeyError("soup")', "return find(text, k)"))
    _, err = called(*words)
    assert "5 answers were requested again and are the same: a change that affects 30%" in err
    assert "is noticed with a probability of 83%." in " ".join(err.split())
    assert len(gainful.read_run("a.run")) == 6


def test_the_reason_of_a_complete_failure_is_printed_in_full(called):
    words = ("queries.jsonl", "--system", "systems.py:wrong", "-o", "a.run")
    _, err = called(*words, status=2)
    reason = " ".join(err.split())
    assert reason.count("expected a list of ids, of (id, score) pairs, of mappings or") == 1
    assert err.endswith(
        "gainful: 6 of 6 queries failed, and no run is written."
        " Hint: the same command retries them\n"
    )
    file = Path("systems.py")
    file.write_text(file.read_text().replace("return text\n", "return text.split()[:1]\n"))
    _, err = called(*words)
    assert "came from the journal" not in err
    assert len(gainful.read_run("a.run")) == 6


def test_texts_instead_of_ids(called):
    words = ("queries.jsonl", "--system", "systems:titles", "-o")
    _, err = called(*words, "a.run", status=2)
    assert "found the document id 'about lentil soup' with white space" in err
    assert "name the id with --field id=NAME" in err
    called(*words, "a.tsv")
    assert gainful.read_run("a.tsv")["q1"][0][0] == "about lentil soup"


def test_a_long_reason_is_printed_in_full_once(called):
    _, err = called("queries.jsonl", "--system", "systems:rambles", "-o", "a.run", status=2)
    words = " ".join(err.split())
    assert words.count("is not there") == 7, "at the end of each row, and once in full"
    full = " ".join(err[err.index("q1: ") :].split())
    assert f"ValueError: the index of {'very ' * 30}many documents is not there" in full
    assert max(map(len, err.splitlines()[:-1])) <= 100


def test_incomplete_writes_the_run_without_failed_queries(called):
    words = ("queries.jsonl", "--system", "systems:fails", "-o", "a.run", "--incomplete")
    _, err = called(*words)
    assert "a.run: the run of 5 queries. Failed queries are missing from it;" in err
    assert "q1" not in gainful.read_run("a.run")
    assert Path("a.run.journal").exists()


def test_lost_answers_are_sent_again(called):
    words = ("queries.jsonl", "--system", "systems:find", "-o", "a.run", "--journal", "j.db")
    called(*words)
    before = Path("a.run").read_bytes()
    with closing(sqlite3.connect("j.db")) as connection:
        connection.execute("DELETE FROM job WHERE id = 2")
        connection.commit()
    _, err = called(*words, "--keep-answers", "--account", "account.json")
    assert len(asked()) == 7
    assert "5 of the 6 answers came from the journal" in err
    assert json.loads(Path("account.json").read_text())["reused"] == 5
    assert Path("a.run").read_bytes() == before


def test_a_named_journal_is_kept(called):
    words = ("queries.jsonl", "--system", "systems:find", "-o", "a.run", "--journal", "j.db")
    called(*words)
    assert Path("j.db").exists()
    _, err = called(*words, "--keep-answers")
    assert len(asked()) == 6
    assert "All 6 answers came from the journal" in err
    called(*words, "--restart")
    assert len(asked()) == 12
    _, err = called(*words, "-k", "3", status=2)
    assert err.startswith("gainful: ")
    assert "100" in err
    assert "3" in err


def test_an_empty_answer_is_not_a_failure(called):
    _, err = called("queries.jsonl", "--system", "systems:nothing", "-o", "a.json")
    assert "6 answers have fewer than 100 documents (6 have none)." in err
    assert json.loads(Path("a.json").read_text()) == {f"q{n}": {} for n in range(1, 7)}
    # TREC has no line for a query without documents.
    called("queries.jsonl", "--system", "systems:nothing", "-o", "a.run")
    assert Path("a.run").read_text() == ""


def test_settings_fields_and_fields_of_queries(called):
    Path("q.tsv").write_text("qid\ttext\tlocale\nq1\ttea\tde\nq2\tmilk\t\n")
    called("q.tsv", "--system", "systems:Index", "--set", "boost=2", "--set", "field_name=body",
           "-o", "a.tsv")  # fmt: skip
    run = gainful.read_run("a.tsv")
    assert (run["q1"][0][0], run["q2"][0][0]) == ("body^2-de", "body^2-en")
    where = ("documents=found", "id=meta.file", "score=-distance")
    called("q.tsv", "--system", "systems:hits", *(f"--field={each}" for each in where),
           "-o", "b.tsv")  # fmt: skip
    assert gainful.read_run("b.tsv")["q1"] == [("tea", -0.5)]


def test_batches(called):
    called("queries.jsonl", "--system", "systems:batches", "--batch", "4", "--workers", "1",
           "-o", "a.run")  # fmt: skip
    assert Path("batches.txt").read_text().split() == ["4", "2"]


def test_only_judged_queries(called):
    Path("few.txt").write_text("q2 0 d1 1\nq9 0 d1 1\n")
    called("queries.jsonl", "--system", "systems:find", "--judged", "few.txt", "-o", "a.run")
    assert list(gainful.read_run("a.run")) == ["q2"]


def test_a_description(called):
    Path("s.toml").write_text(
        'engine = "python"\nobject = "systems.py:Index"\nname = "shop"\n[settings]\nboost = 1\n'
    )
    called("queries.jsonl", "--system", "s.toml", "--set", "boost=4", "-o", "a.json")
    assert json.loads(Path("a.json").read_text())["q1"] == ["title^4-en"]
    _, err = called("queries.jsonl", "--system", "s.toml", "--set", "bost=4", "-o", "a", status=2)
    assert "unknown setting 'bost', expected one of boost" in err


@pytest.mark.parametrize("system", ["loud:find", "loud.py:find", "s.toml"])
def test_a_dry_run_loads_no_python_object(called, system):
    Path("loud.py").write_text("raise SystemExit(7)")
    Path("s.toml").write_text('engine = "python"\nobject = "loud.py:find"\n[settings]\nboost = 1\n')
    out, err = called("queries.jsonl", "--system", system, "--dry-run", "-k", "5")
    assert err == ""
    head, _, rest = out.partition("\n")
    name = "loud.py:find" if system == "s.toml" else system
    assert head == f"{name} would return 5 documents for:"
    assert json.loads(rest) == {"query_id": "q1", "text": "lentil soup"}


@pytest.mark.parametrize(
    ("written", "options", "message"),
    [
        ('object = "gone.py:find"', (), "no such file: gone.py"),
        ('object = "loud.py:find"\nbach = 2', (), "unknown key 'bach'"),
        ('object = "loud.py:find"', ("--set", "bost=4"), "unknown setting 'bost'"),
    ],
)
def test_a_dry_run_checks_the_description(called, written, options, message):
    Path("loud.py").write_text("raise SystemExit(7)")
    Path("s.toml").write_text(f'engine = "python"\n{written}\n')
    words = ("queries.jsonl", "--system", "s.toml", "--dry-run", *options)
    assert message in called(*words, status=2)[1]


def test_the_account(called):
    called("queries.jsonl", "--system", "systems:find", "-o", "a.run", "--account", "a.json")
    found = json.loads(Path("a.json").read_text())
    assert errors(found, schema_of("search")) == []
    assert (found["queries"], found["answered"], found["failed"]) == (6, 6, {})
    called("queries.jsonl", "--system", "systems:fails", "-o", "a.run", "--account", "a.json",
           status=2)  # fmt: skip
    found = json.loads(Path("a.json").read_text())
    assert errors(found, schema_of("search")) == []
    assert found["failed"] == {"q1": "KeyError: 'soup'"}


@for_each(
    ("words", "message"),
    [
        (("--system", "systems:find"), "search needs -o FILE"),
        (("--system", "systems:fnd", "-o", "a"), "systems:fnd: no 'fnd'"),
        (("--system", "none.toml", "-o", "a"), "no such file: none.toml. Hint: a system is a TOML"),
        (("--system", "systems.py", "-o", "a"), "Hint: write systems.py:NAME"),
        (("--system", "systems:Index", "--set", "bost=1", "-o", "a"), "does not take the settings"),
        (("--system", "systems:find", "--set", "x", "-o", "a"), "--set: found 'x', expected NAME="),
        (("--system", "systems:Broken", "-o", "a"), "systems:Broken: RuntimeError: no index"),
        (("--system", "systems:Index", "--set", "boost=1", "--set", "boost=2", "-o", "a"),
         "--set: found boost twice, expected one value. Hint: `gainful sweep` tries several"),
        (("--system", "systems:find", "--field", "id", "-o", "a"), "--field: found 'id', expected"),
        (("--system", "systems:find", "--field", "x=y", "-o", "a"), "--field: found 'x', expected"),
        (("--system", "systems:find", "-o", "none/a.run"), "none/a.run: the output folder"),
        (("--system", "systems:find", "-o", ""), "-o needs the name of a file"),
        (("--system", "systems:find", "-o", "a", "--to", "xyz"), "'--to': 'xyz' is not one of"),
        (("--system", "systems:find", "-o", "queries.jsonl"),
         "-o and QUERIES are the same file, queries.jsonl"),
        (("--system", "systems.py:find", "-o", "systems.py"), "-o and --system are the same file"),
        (("--system", "systems:find", "-o", "a", "--journal", "a"), "--journal and -o are the"),
        (("--system", "systems:find", "-o", "a", "--account", "a.journal"), "same file, a.journal"),
        (("--system", "systems:find", "-o", "-", "--account", "-"), "--account and -o both write"),
        (("--system", "systems:find", "-o", "a", "--account", "no/b"), "no/b: the output"),
        (("--system", "systems:find", "-o", "."), ".: is a directory, not a file"),
        (("--system", "systems:find", "-k", "0", "-o", "a"), "k: found 0"),
        (("--system", "systems:find", "--record", "r", "-o", "a"), "--record works with search"),
        (("--system", "s.toml", "--field", "id=x", "-o", "a"), "--field works with Python"),
        (("--system", "systems:find", "--judged", "none.txt", "-o", "a"), "no such file: none.txt"),
    ],
)  # fmt: skip
def test_errors_are_one_message_before_any_query(called, words, message):
    out, err = called("queries.jsonl", *words, status=2)
    assert out == ""
    assert err.startswith("gainful: ")
    assert message in err
    assert err.count("\n") == 1
    assert not Path("asked.txt").exists()
    assert not list(Path().glob("*.journal"))


def test_ids_with_spaces_are_refused_before_any_query(called):
    Path("texts.txt").write_text("oat milk\ntea\n")
    _, err = called("texts.txt", "--system", "systems:find", "-o", "a.run", status=2)
    assert "a.run, query 'oat milk': found a query id with spaces" in err
    assert not Path("asked.txt").exists()
    called("texts.txt", "--system", "systems:find", "-o", "a.tsv")
    assert list(gainful.read_run("a.tsv")) == ["oat milk", "tea"]


def test_what_a_system_prints_is_not_in_the_run(called):
    out, err = called("queries.jsonl", "--system", "systems:prints", "-o", "-")
    assert {line.split()[1] for line in out.splitlines()} == {"Q0"}
    assert err.count("looking for") == 6


def test_a_closed_standard_output_ends_it_before_any_query(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["search", "queries.jsonl", "--system", "systems:find", "-o", "-"]) == 2
    assert "the stream is closed" in capsys.readouterr().err
    assert not Path("asked.txt").exists()


def test_a_system_that_changes_the_directory_has_no_effect_on_the_command(called):
    here = Path.cwd()
    called("queries.jsonl", "--system", "systems:moves", "-o", "a.run")
    assert Path.cwd() == here
    assert len(gainful.read_run(here / "a.run")) == 6
    assert not list(here.glob("*.journal"))


def test_a_run_that_the_format_cannot_contain_is_written_from_the_journal(called):
    words = ("queries.jsonl", "--system", "systems:spaced")
    _, err = called(*words, "-o", "a.run", status=2)
    more = "-o a.tsv --journal a.run.journal --keep-answers"
    assert f"Hint: repeat the command with {more}, which sends no queries" in err
    before = len(asked())
    called(*words, *more.split())
    assert len(asked()) == before
    assert gainful.read_run("a.tsv")["q1"] == [("a cup of tea", None)]


def test_an_interrupted_search_resumes(folder):
    """After Ctrl-C the same command repeats only queries without an answer."""
    Path("q.tsv").write_text("".join(f"q{n}\ttea {n}\n" for n in range(100)))
    words = [sys.executable, "-m", "gainful", "search", "q.tsv", "--system", "systems.py:held"]
    words += ["--workers", "4", "-o", "a.run"]
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path} if Path(gainful.__file__).is_relative_to(
        ROOT / "src"
    ) else dict(os.environ)  # fmt: skip
    running = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
    # Four are in flight, so five are stored.
    await_true(lambda: Path("asked.txt").exists() and len(asked()) > 8, "nine queries")
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert "of 100 answers are stored in a.run.journal." in err
    assert "Traceback" not in err
    assert not Path("a.run").exists()
    Path("go").touch()
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "answers came from the journal" in done.stderr
    most = 100 + 4 + 8
    assert len(asked()) <= most, "none is asked twice but those in flight and for a comparison"
    assert len(gainful.read_run("a.run")) == 100


def test_the_text_of_the_progress_bar():
    assert progress_text(0, 10, 0, 0.0) == "0 of 10 queries"
    assert progress_text(4, 10, 0, 2.0) == "4 of 10 queries  2.0/s  3 s left"
    assert (
        progress_text(1000, 301_000, 2, 50.0)
        == "1,000 of 301,000 queries  50/s  1 h 40 min left  2 failed"
    )


LOGS = """
class Logs:
    def __init__(self):
        self.log = open("log.txt", "w")
        # Only a search for garbage finds an object that refers to itself, and closes its file.
        self.again = self.search

    def search(self, query, top_k):
        self.log.write(query + "\\n")
        return ["d1"]

logs = Logs()
"""


def test_files_that_a_system_leaves_open_are_complete(folder):
    # Not imported here: its file stays open until the end of the process.
    Path("logs.py").write_text(LOGS)
    words = ["search", "queries.jsonl", "--system", "logs.py:logs", "-o", "logs.run"]
    subprocess.run([sys.executable, "-m", "gainful", *words], capture_output=True, check=True)
    texts = [json.loads(line)["text"] for line in Path("queries.jsonl").read_text().splitlines()]
    assert sorted(Path("log.txt").read_text().splitlines()) == sorted(texts)
