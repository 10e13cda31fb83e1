"""A browser for the judging page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from judging_servers import stop_idle_servers


class Opened:
    """Open pages; what they print or request elsewhere is in `messages`."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self.contexts: list[Any] = []
        self.messages: list[str] = []

    def __call__(self, address: str, *, context: Any = None, **options: Any) -> Any:
        """Open an address in a new context, or as a further tab of one."""
        if context is None:
            context = self._browser.new_context(**options)
            self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("console", lambda message: self.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.messages.append(f"dialog: {dialog.message}"))
        origin = address.split("#")[0]
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(origin) else self.messages.append(request.url)
            ),
        )
        page.goto(address)
        return page


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens an address; messages and other requests fail the test."""
    found = Opened(browser)
    yield found
    for context in found.contexts:
        context.close()
    # A browser reports what it cannot fetch while it is offline or signed out.
    serious = [each for each in found.messages if "Failed to load resource" not in each]
    assert serious == []


@pytest.fixture(autouse=True, scope="module")
def _servers() -> Iterator[None]:
    yield
    stop_idle_servers()
