"""The program against engines that run: a search, a recording that replays it, and a sweep."""

from __future__ import annotations

import json
from pathlib import Path

import gainful
from engine_descriptions import fields_of, written
from engine_server import Server
from gainful import demo
from gainful_program import gainful as program

QUERIES = demo.queries_path()
QRELS = demo.qrels_path()


def test_search(server: Server, tmp_path: Path) -> None:
    system = written(fields_of(server), tmp_path)
    output = tmp_path / "shop.run"
    options = ("--account", tmp_path / "account.json")
    done = program("search", QUERIES, "--system", system, "-k", "50", "-o", output, *options)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    assert not list(tmp_path.glob("*.journal"))
    account = json.loads((tmp_path / "account.json").read_text("utf-8"))
    assert (account["queries"], account["answered"], account["failed"]) == (80, 80, {})

    # What the file says is what the engine said: nothing is lost on the way.
    run = gainful.search(system, QUERIES, k=50)
    assert dict(gainful.read_run(output).items()) == {
        query: ranking for query, ranking in run.items() if ranking
    }
    result = program("evaluate", QRELS, output, "-m", "nDCG@10", "--format", "json")
    assert result.returncode == 0, result.stderr


def test_a_recording_answers_when_the_engine_is_gone(server: Server, tmp_path: Path) -> None:
    system = written(fields_of(server), tmp_path)
    command = ("search", QUERIES, "--system", system, "-k", "20")
    live = program(*command, "-o", tmp_path / "live.run", "--record", tmp_path / "tape.jsonl")
    assert live.returncode == 0, live.stderr
    # The same description, of a server that is not there.
    gone = fields_of(server).replace(f":{server.port}", ":9")
    system.write_text(gone, encoding="utf-8")
    dead = program(*command, "-o", tmp_path / "dead.run", "--retries", "0")
    assert dead.returncode == 75
    assert not (tmp_path / "dead.run").exists()
    assert b"Traceback" not in dead.stderr
    again = program(*command, "-o", tmp_path / "again.run", "--replay", tmp_path / "tape.jsonl")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.run").read_bytes() == (tmp_path / "live.run").read_bytes()


def test_an_index_that_is_not_there(server: Server, tmp_path: Path) -> None:
    system = written(fields_of(server, "shoop"), tmp_path)
    done = program("search", QUERIES, "--system", system, "-o", tmp_path / "shop.run")
    assert (done.returncode, done.stdout) == (2, b"")
    message = done.stderr.decode()
    assert "check the path, and that the index exists" in message
    assert "Traceback" not in message
    assert not (tmp_path / "shop.run").exists()


def test_sweep_of_a_title_boost(server: Server, tmp_path: Path) -> None:
    system = written(fields_of(server), tmp_path)
    values = [1, 2, 4]
    sets = f"boost.title={','.join(map(str, values))}"
    options = ("--set", sets, "--journal", tmp_path / "journal", "--format", "json")
    done = program("sweep", QRELS, QUERIES, "--system", system, *options)
    assert done.returncode == 0, done.stderr
    result_json = json.loads(done.stdout)
    means = {}
    for value in values:
        text = fields_of(server).replace("boost.title = 2", f"boost.title = {value}")
        run = gainful.search(written(text, tmp_path, f"boost{value}"), QUERIES)
        means[value] = gainful.evaluate(QRELS, run, "nDCG@10").mean()
    assert len({round(mean, 6) for mean in means.values()}) == 3
    compared = result_json["comparison"]
    assert {system: mean["nDCG@10"] for system, mean in compared["systems"].items()} == {
        f"boost.title={value}": mean for value, mean in means.items()
    }
    assert result_json["choice"]["best"] == "boost.title=2"
    assert len(compared["pairs"]) == 3
    # Corrected for all three pairs, so never smaller than alone.
    for pair in compared["pairs"]:
        assert pair["p_adjusted"] >= pair["p_t"] - 0.02
