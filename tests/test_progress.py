"""Progress bars from Python, on terminals and in notebooks."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import gainful
from gainful import progress
from gainful.progress import (
    Bar,
    QueryBar,
    report_function,
    report_step,
    report_steps,
    show_progress,
)

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
RUN = {"q1": ["d2", "d1"], "q2": ["d1"]}


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show bars at once, and at every update."""
    monkeypatch.delenv("GAINFUL_PROGRESS", raising=False)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_PAUSE", 0.0)


@pytest.fixture
def open_terminal(patient: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Return a function that makes the standard error a terminal."""

    def call() -> Terminal:
        # In the test itself: pytest replaces the standard error after the fixtures.
        found = Terminal()
        monkeypatch.setattr(sys, "stderr", found)
        monkeypatch.setenv("TERM", "xterm")
        return found

    return call


@show_progress(Bar)
def work(steps: int, *, progress: Callable[[int, int], object] | None = None) -> object:
    for at in range(steps):
        if progress is not None:
            progress(at, steps)
    return progress


def test_no_bar_without_a_terminal(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert work(5) is None
    monkeypatch.setattr(sys, "stderr", None)
    assert work(5) is None


def test_a_bar_on_a_terminal(open_terminal: Callable[[], Terminal]) -> None:
    terminal = open_terminal()
    pytest.importorskip("rich")
    assert isinstance(work(4), Bar)
    assert "75%" in terminal.getvalue()
    assert Bar._current is None


def test_work_of_less_than_a_second_has_no_bar(
    open_terminal: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = open_terminal()
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    work(4)
    assert terminal.getvalue() == ""


def test_the_variable_turns_bars_off(
    open_terminal: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = open_terminal()
    monkeypatch.setenv("GAINFUL_PROGRESS", "0")
    assert work(4) is None
    with Bar() as bar:
        bar(1, 2)
    assert terminal.getvalue() == ""


def test_a_function_replaces_the_bar(open_terminal: Callable[[], Terminal]) -> None:
    terminal = open_terminal()
    seen: list[tuple[int, int]] = []
    work(2, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2)]
    assert terminal.getvalue() == ""


def test_a_bar_silences_those_inside_it(open_terminal: Callable[[], Terminal]) -> None:
    open_terminal()
    with Bar() as outer:
        assert work(3) is None
        with Bar() as inner:
            inner(1, 2)
            assert inner._display is None
        assert Bar._current is outer
        report_step(1, 2)
        assert (outer._display is None) == ("rich" not in sys.modules)


def test_a_bar_is_removed_after_an_error(open_terminal: Callable[[], Terminal]) -> None:
    open_terminal()

    @show_progress(Bar)
    def fail(*, progress: Any = None) -> None:
        progress(1, 2)
        raise ValueError("no index")

    with pytest.raises(ValueError, match="no index"):
        fail()
    assert Bar._current is None


def test_a_bar_in_a_notebook(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []

    class Handle:
        def display(self, content: dict[str, str], *, raw: bool) -> None:
            shown.append(content)

        update = display

    monkeypatch.setattr(sys, "stderr", io.StringIO())
    notebook = SimpleNamespace(
        get_ipython=lambda: SimpleNamespace(kernel=1),
        display=SimpleNamespace(DisplayHandle=Handle),
    )
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    with QueryBar() as bar:
        bar(5, 10, 1)
    assert shown[0]["text/html"] == (
        '<progress value="5" max="10"></progress> 5 of 10 queries  1 failed'
    )
    assert shown[-1]["text/html"] == ""


@pytest.mark.parametrize("name", ["evaluate", "compare", "search", "sweep"])
def test_functions_show_bars(name: str) -> None:
    """The decorator keeps the signature, and `progress` reaches the function."""
    function = getattr(gainful, name)
    assert function.__wrapped__ is not None
    assert function.__name__ == name


def test_results_are_the_same_with_a_bar(open_terminal: Callable[[], Terminal]) -> None:
    terminal = open_terminal()
    watched = gainful.compare(QRELS, {"a": RUN, "b": {"q1": ["d1"], "q2": []}}, "nDCG@10")
    terminal.isatty = lambda: False  # type: ignore[method-assign]
    assert watched == gainful.compare(QRELS, {"a": RUN, "b": {"q1": ["d1"], "q2": []}}, "nDCG@10")


class Recording(Bar):
    """A bar that records what it is called with."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.calls.append((done, total))


def test_steps_are_parts_of_the_steps_around_them(
    open_terminal: Callable[[], Terminal],
) -> None:
    open_terminal()
    with Recording() as bar:
        for _ in report_steps("ab"):
            report_step(1, 4)
            for _ in report_steps("cde"):
                pass
    assert bar.calls == [
        *[(0, 2), (1, 8), (0, 6), (1, 6), (2, 6)],
        *[(1, 2), (5, 8), (3, 6), (4, 6), (5, 6)],
    ]


def test_an_error_in_a_step_leaves_no_step_behind(
    open_terminal: Callable[[], Terminal],
) -> None:
    open_terminal()

    def fail() -> None:
        with Recording():
            for each in report_steps("ab"):
                raise ValueError(each)

    with pytest.raises(ValueError, match="a"):
        fail()
    with Recording() as bar:
        report_step(1, 4)
    assert bar.calls == [(1, 4)]


def test_steps_without_a_bar_or_in_one_of_queries_are_not_shown(
    open_terminal: Callable[[], Terminal],
) -> None:
    terminal = open_terminal()
    assert list(report_steps("ab")) == ["a", "b"]
    assert report_function() is None
    with QueryBar():
        assert report_function() is None
        assert list(report_steps("ab")) == ["a", "b"]
        report_step(1, 2)
    assert terminal.getvalue() == ""


def test_lines_where_no_bar_can_be_seen(
    patient: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))

    def search() -> str:
        with QueryBar() as bar:
            for done in range(0, 100, 10):
                bar(done, 100, 1)
        return capsys.readouterr().err

    # In Python there are none.
    assert search() == ""
    before = progress.write_lines(True)
    try:
        lines = search().splitlines()
        assert len(lines) == 3
        assert lines[0].startswith("gainful: 20 of 100 queries  ")
        assert lines[0].endswith(" left  1 failed")
        monkeypatch.setenv("GAINFUL_PROGRESS", "0")
        assert search() == ""
    finally:
        progress.write_lines(before)
    assert not before
