"""A server that repeats the key that it was sent: no file may contain it."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest

import gainful
from http_faults import Asked, answering, hits, serving
from requirements import need

need("aiohttp")

KEY = "sk-Pr0j/9f+Q7zLw42=xT&8mN"
FORMS = {
    "plain": KEY,
    "upper case": KEY.upper(),
    "base64": b64encode(KEY.encode()).decode(),
    "base64 of the header": b64encode(f"ApiKey {KEY}".encode()).decode(),
    "base64 for addresses": urlsafe_b64encode(f"x{KEY}".encode()).decode(),
    "percent": quote(KEY, safe=""),
    "percent, each character": "".join(f"%{ord(character):02x}" for character in KEY),
    "percent twice": quote(quote(KEY, safe=""), safe=""),
    "JSON": "".join(f"\\u{ord(character):04x}" for character in KEY),
    "HTML": escape(KEY),
    "hexadecimal": KEY.encode().hex(),
    "beginning": KEY[:14],
    "end": f"…{KEY[-13:]}",
}
TOML = """
engine = "elasticsearch"
url = "{url}"
index = "shop"
headers = {{ Authorization = "ApiKey ${{SHOP_KEY}}" }}

[body.query.match]
title = "{{{{query}}}}"
"""


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_the_key_is_in_a_file_or_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, status: int
) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    echo = FORMS[form]

    def behave(asked: Asked, number: int) -> bytes:
        if b"harmless" in asked.body:
            return answering(hits(("d1", 1.0)))
        body = hits((f"doc-{echo}", 1.0)) if status == 200 else {"error": {"reason": echo}}
        return answering(body, status=status)

    description = tmp_path / "shop.toml"
    journal = tmp_path / "shop.journal"
    with serving(behave) as server:
        description.write_text(TOML.format(url=server.url))
        run = gainful.search(
            description, {"q1": "shoes", "q2": "harmless"}, k=5, journal=journal, retries=0
        )
    assert run["q2"] == [("d1", 1.0)]
    assert list(run.failed) == ["q1"]
    if status == 200:
        assert "contains the key or password that was sent" in run.failed["q1"]
    run.as_complete().write(tmp_path / "shop.run")
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for text in (written.decode("utf-8", "replace"), str(run.failed)):
        assert echo.strip("…") not in text
        assert KEY not in text


def test_a_host_or_index_from_the_environment_may_be_in_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TENANT", "shoes-north")
    description = tmp_path / "shop.toml"
    with serving(lambda asked, number: answering(hits(("shoes-north-1", 1.0)))) as server:
        text = TOML.replace("Authorization", "X-Tenant").replace("SHOP_KEY", "SHOP_TENANT")
        description.write_text(text.format(url=server.url))
        run = gainful.search(description, {"q1": "shoes"}, k=5)
    assert run["q1"] == [("shoes-north-1", 1.0)]
