"""A failure of a network or a server has an exit status of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from gainful.cli import main
from http_faults import answering, serving
from requirements import need

pytestmark = pytest.mark.usefixtures("small_files")

SHOP = """
engine = "http"
url = "http://127.0.0.1:9"
path = "/find"
params = {q = "{{query}}", n = "{{k}}", t = "{{title}}"}
results.documents = "ids"
[settings]
title = 1
"""


@pytest.fixture
def shop() -> list[str]:
    need("aiohttp")
    Path("shop.toml").write_text(SHOP)
    Path("queries.tsv").write_text("q1\tsoup\n")
    return ["queries.tsv", "--system", "shop.toml", "--retries", "0"]


def test_a_server_that_is_not_there(shop: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", *shop, "-o", "shop.run"]) == 75
    assert "\ngainful: 1 of 1 queries failed, and no run is written" in capsys.readouterr().err


def test_a_mistake_is_no_failure_of_a_server(shop: list[str]) -> None:
    Path("shop.toml").write_text(SHOP + "typo = 1\n")
    assert main(["search", *shop, "-o", "shop.run"]) == 2
    assert main(["search", "no.tsv", *shop[1:], "-o", "shop.run"]) == 2


def test_a_file_on_a_server_that_fails() -> None:
    need("fsspec")
    need("aiohttp")
    assert main(["evaluate", "http://127.0.0.1:9/qrels.txt", "bm25.run"]) == 75


def test_a_refusal_is_no_temporary_failure(shop: list[str]) -> None:
    with serving(lambda asked, number: answering("no such path", status=404)) as server:
        Path("shop.toml").write_text(SHOP.replace("http://127.0.0.1:9", server.url))
        assert main(["search", *shop, "-o", "shop.run"]) == 2
    with serving(lambda asked, number: answering("busy", status=503)) as server:
        Path("shop.toml").write_text(SHOP.replace("http://127.0.0.1:9", server.url))
        assert main(["search", *shop, "-o", "shop.run"]) == 75
        assert main(["sweep", "qrels.txt", *shop, "--set", "title=1,2"]) == 75
