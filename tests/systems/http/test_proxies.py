"""Requests go through proxies of the environment or of the description."""

from __future__ import annotations

import os
from typing import Any

import pytest

import gainful
from gainful.errors import GainfulError, NoAnswerError, ParameterError
from gainful.systems import load_system
from gainful.systems.http.address import check_proxy, proxy_of
from gainful.systems.loading import inspect_description
from http_faults import FaultsServer, answering, serving
from stub_llm import grading

PATH = {
    "path": "/find",
    "params": {"q": "{{query}}"},
    "results": {"documents": "ids", "most": 1000},
}
THERE: dict[str, Any] = {"engine": "http", "url": "http://engine.invalid:9200", **PATH}


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the proxies of this machine."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


def ask(description: dict[str, Any]) -> dict[str, list[str]]:
    """Return the documents of a query."""
    system = load_system(description)
    run = gainful.search(system, {"q1": "soup"}, retries=0).to_dict()
    return {query: list(documents) for query, documents in run.items()}


def targets(proxy: FaultsServer) -> list[str]:
    return [asked.target for asked in proxy.asked]


def test_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda asked, number: answering({"ids": ["d1"]})) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert ask(THERE) == {"q1": ["d1"]}
        assert targets(proxy) == ["http://engine.invalid:9200/find?q=soup"]
        for left_out in ("engine.invalid", ".invalid", "*"):
            monkeypatch.setenv("NO_PROXY", left_out)
            with pytest.raises(NoAnswerError, match="no such host"):
                ask(THERE)
        monkeypatch.setenv("NO_PROXY", "other.example")
        with pytest.raises(NoAnswerError, match="no such host"):
            ask({**THERE, "proxy": ""})
        assert len(proxy.asked) == 1


def test_this_computer_is_not_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.invalid:3128")
    with serving(lambda asked, number: answering({"ids": ["d1"]})) as engine:
        assert ask({**THERE, "url": engine.url}) == {"q1": ["d1"]}
        assert targets(engine) == ["/find?q=soup"]


def test_the_proxy_of_a_description(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda asked, number: answering({"ids": ["d1"]})) as proxy:
        monkeypatch.setenv("PROXY_PASSWORD", "s3cret-word")
        with_user = proxy.url.replace("//", "//me:${PROXY_PASSWORD}@")
        described = {**THERE, "proxy": with_user}
        assert ask(described) == {"q1": ["d1"]}
        assert "Proxy-Authorization" in {name.title() for name in proxy.asked[0].headers}
        # The same system, however it is reached.
        assert load_system(described).identity == load_system(THERE).identity
        inspection = inspect_description(described)
        assert inspection.hosts == ["http://engine.invalid:9200", proxy.url]
        assert inspection.variables == ["PROXY_PASSWORD"]


def test_judges_use_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(grading()) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        labels = gainful.judge_llm(
            [("q1", "d1")],
            {"q1": "soup"},
            {"d1": "text of grade 2"},
            url="http://models.invalid/v1",
            model="stub",
            yes=True,
        )
        assert [label.grade for label in labels.labels] == [2]
        assert targets(proxy) == ["http://models.invalid/v1/chat/completions"]


def test_a_proxy_that_does_not_answer() -> None:
    with pytest.raises(NoAnswerError, match=r"no connection to the proxy \(Connection refused\)"):
        ask({**THERE, "proxy": "http://127.0.0.1:9"})


@pytest.mark.parametrize("word", ["socks5://me:hidden-word@proxy:1080", "http://", "http://a:b:c"])
def test_other_words_are_no_proxies(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GainfulError, match="an address such as http://proxy:3128") as caught:
        ask({**THERE, "proxy": word})
    assert "hidden-word" not in str(caught.value)
    monkeypatch.setenv("HTTPS_PROXY", word)
    with pytest.raises(ParameterError, match="HTTPS_PROXY"):
        proxy_of("https://engine.invalid")


def test_hosts_without_a_scheme() -> None:
    assert check_proxy("proxy:3128", "proxy") == "http://proxy:3128"
    assert check_proxy("http://[::1]:3128/", "proxy") == "http://[::1]:3128"
    assert proxy_of("https://engine.invalid") is None
