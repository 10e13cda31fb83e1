"""Output: atomic files, broken pipes, terminals, Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from awaiting import await_reader
from combinations import each_once, in_turn
from gainful.cli import main
from gainful_program import COMMAND, gainful

pytestmark = pytest.mark.usefixtures("small_files")

ONE = ("evaluate", "qrels.txt", "bm25.run")
posix = pytest.mark.skipif(os.name != "posix", reason="needs pipes and signals as POSIX has them")
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


@cache
def printed() -> bytes:
    """Return what the command prints, as a process, where nothing else is said."""
    return gainful(*ONE).stdout


class Terminal(io.TextIOWrapper):
    """A standard output that reports to be a terminal."""

    def isatty(self) -> bool:
        return True


def output(*words: str, kind: type[io.TextIOWrapper] = io.TextIOWrapper, **environment: str) -> str:
    """Return what a command prints in this process."""
    content = io.BytesIO()
    stream = kind(content, "utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("NO_COLOR", raising=False)
        for name, text in environment.items():
            patched.setenv(name, text)
        with contextlib.redirect_stdout(stream):
            assert main(words) == 0
    return content.getvalue().decode("utf-8", "surrogateescape")


def on_terminal(*words: str, **environment: str) -> str:
    """Return the output of a command on a terminal with 120 columns."""
    wide = {"TERM": "xterm-256color", "COLUMNS": "120"}
    return output(*words, kind=Terminal, **{**wide, **environment})


def write_large(folder: Path, documents: int) -> None:
    """Write judgments and a run of a thousand queries."""
    with open(folder / "large.run", "w") as run, open(folder / "large.txt", "w") as judged:
        for query in range(1000):
            judged.write(f"{query} 0 d5 1\n")
            run.writelines(f"{query} Q0 d{doc} 1 {1000 - doc} t\n" for doc in range(documents))


def test_a_file_is_written_and_nothing_printed(small_files: Path) -> None:
    assert output(*ONE, "-o", "result.txt") == ""
    assert (small_files / "result.txt").read_bytes() == printed()


def test_a_file_keeps_its_permissions_and_a_link_its_target(small_files: Path) -> None:
    target = small_files / "target.txt"
    target.write_text("old")
    target.chmod(0o640)
    try:
        (small_files / "link.txt").symlink_to(target)
    except OSError:
        pytest.skip("links may not be made here")
    assert main([*ONE, "-o", "link.txt"]) == 0
    assert (small_files / "link.txt").is_symlink()
    assert target.read_text(encoding="utf-8") != "old"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_failure_keeps_the_previous_file(
    small_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The disk is full when the file is moved to its place."""
    (small_files / "result.txt").write_text("old")
    before = sorted(small_files.iterdir())

    def fail(*paths: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "replace", fail)
    assert main([*ONE, "-o", "result.txt"]) == 2
    message = capsys.readouterr().err
    assert "result.txt" in message
    assert "no space left on the device" in message
    assert (small_files / "result.txt").read_text() == "old"
    assert sorted(small_files.iterdir()) == before


@full
@pytest.mark.parametrize("words", [ONE, ("--help",), ("convert", "bm25.run", "-")])
def test_a_full_disk_on_the_standard_output(words: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as stream:
        done = gainful(*words, stdout=stream)
    assert done.returncode == 2
    message = done.stderr.decode()
    assert message.startswith("gainful: standard output: ")
    assert "no space left on the device" in message
    assert message.count("\n") == 1


@full
def test_a_device_is_written_and_not_replaced() -> None:
    assert main([*ONE, "-o", "/dev/full"]) == 2
    assert not Path("/dev/full").is_file()
    assert main([*ONE, "-o", os.devnull]) == 0


@posix
def test_dev_stdout_is_the_standard_output() -> None:
    assert gainful(*ONE, "-o", "/dev/stdout").stdout == printed() != b""


@posix
@pytest.mark.parametrize("words", [ONE, ("convert", "bm25.run", "-")])
def test_a_closed_standard_output(words: tuple[str, ...]) -> None:
    shell = " ".join(f"'{word}'" for word in (*COMMAND, *words)) + " >&-"
    done = subprocess.run(["sh", "-c", shell], stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("gainful: standard output: ")


@posix
@pytest.mark.parametrize(("style", "unbuffered"), each_once(["tsv", "json"], ["", "1"]))
def test_a_closed_pipe_ends_it_without_a_message(
    style: str, unbuffered: str, small_files: Path
) -> None:
    # The rows of a query, much more than a pipe holds, are printed after all are read.
    write_large(small_files, documents=10)
    process = subprocess.Popen(
        [*COMMAND, "evaluate", "large.txt", "large.run", "--per-query", "--format", style],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


@posix
def test_ctrl_c_ends_it_without_a_message(small_files: Path) -> None:
    write_large(small_files, documents=100)  # 2 MB
    # A pipe delivers rows until the process has ended: the work has no other end.
    os.mkfifo(small_files / "endless.run")
    runs = [*(f"run{number}=large.run" for number in range(3)), "endless.run"]
    process = subprocess.Popen(
        [*COMMAND, "evaluate", "large.txt", *runs, "-o", "result.txt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Processes that a shell starts in the background ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    rows = (small_files / "large.run").read_bytes()
    reader = await_reader(small_files / "endless.run", process)
    with contextlib.suppress(BrokenPipeError), open(reader, "wb", buffering=0) as pipe:
        pipe.write(rows)
        process.send_signal(signal.SIGINT)
        for _ in range(1000):
            pipe.write(rows)
        pytest.fail("it has read two gigabytes after the signal")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert not list(small_files.glob("*result.txt*"))


@cache
def shown_in_color() -> str:
    """Return the output of a process on a terminal with 120 columns."""
    pty = pytest.importorskip("pty", reason="needs a terminal as POSIX has them")
    main_end, other_end = pty.openpty()
    inherited = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [*COMMAND, *ONE],
        stdout=other_end,
        stderr=other_end,
        env={**inherited, "TERM": "xterm-256color", "COLUMNS": "120"},
    )
    os.close(other_end)
    written = b""
    with contextlib.suppress(OSError):  # Linux says so when the other end is closed.
        while more := os.read(main_end, 65536):
            written += more
    os.close(main_end)
    assert process.wait(60) == 0
    return written.decode().replace("\r\n", "\n")


def test_colors_on_a_terminal_only() -> None:
    assert "\x1b[" in shown_in_color()
    assert b"\x1b[" not in printed()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colors_can_be_turned_off(environment: dict[str, str]) -> None:
    plain = on_terminal(*ONE, **environment)
    # Only the colors change, not the width.
    assert plain == re.sub(r"\x1b\[[0-9;]*m", "", shown_in_color())
    assert "\x1b" not in plain


def test_colors_can_be_forced() -> None:
    drawn = output(*ONE, FORCE_COLOR="1", COLUMNS="")
    assert "\x1b[" in drawn
    plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
    assert plain == output(*ONE, FORCE_COLOR="1", NO_COLOR="1", COLUMNS="")
    assert 80 < max(map(len, plain.splitlines())) <= 100
    assert output(*ONE, FORCE_COLOR="0").encode() == printed()


@pytest.mark.parametrize(
    "words",
    [
        ONE,
        ("compare", "qrels.txt", "bm25.run", "dense.run"),
        ("measures", "nDCG"),
        ("conventions",),
    ],
)
def test_plain_text_fits_a_narrow_terminal(words: tuple[str, ...]) -> None:
    """It is that of terminals without Rich; tables of a file and of a pipe have 100 columns."""
    shown = on_terminal(*words, NO_COLOR="1", COLUMNS="80")
    assert max(map(len, shown.splitlines())) <= 80
    assert max(map(len, output(*words).splitlines())) > 80


@pytest.mark.parametrize(
    ("style", "further"),
    in_turn(
        ["table", "tsv", "csv", "json", "jsonl", "markdown", "html"], [("--per-query",), ()], 2
    ),
)
def test_a_terminal_gets_no_control_characters_of_ids(
    style: str, further: tuple[str, ...], small_files: Path
) -> None:
    hostile = "q\x1b[31m\u202e\x9b1"
    Path("hostile.run").write_text(f"{hostile} Q0 d1 1 1.0 tag\n", "utf-8")
    Path("hostile.qrels").write_text(f"{hostile} 0 d1 1\n", "utf-8")
    words = ("evaluate", "hostile.qrels", f"{hostile}=hostile.run", "--format", style, *further)
    shown = on_terminal(*words, NO_COLOR="1")
    assert not {*"\x1b\u202e\x9b"} & {*shown}
    if style in ("tsv", "csv"):
        unchanged = output(*words)
        assert hostile in unchanged
        for character in "\x1b\u202e\x9b":
            shown = shown.replace(ascii(character)[1:-1], character)
        assert shown == unchanged


def test_formats_for_programs_have_no_colors() -> None:
    assert on_terminal(*ONE, "--format", "tsv") == output(*ONE, "--format", "tsv")


def test_the_drawn_table_has_the_text_of_the_plain_one() -> None:
    plain = printed().decode()
    drawn = shown_in_color()
    for line in plain.splitlines()[3:8]:
        for cell in line.split():
            assert cell in drawn


def test_ids_that_are_not_valid_utf8_are_unchanged(small_files: Path) -> None:
    (small_files / "odd.txt").write_bytes(b"q\xff 0 d1 1\n")
    (small_files / "odd.run").write_bytes(b"q\xff Q0 d1 1 2.0 t\n")
    words = ("evaluate", "odd.txt", "odd.run", "-m", "AP", "--per-query", "--format")
    assert "\nodd\tq\udcff\t1.0" in output(*words, "tsv")
    assert '"q\\udcff"' in output(*words, "jsonl")


def test_output_is_always_utf8() -> None:
    done = gainful(*ONE, PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert "─" in done.stdout.decode()


def test_python_dash_m_works_in_any_folder() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gainful", "--version"], stdout=subprocess.PIPE, check=True
    )
    assert done.stdout.startswith(b"gainful ")


def test_the_standard_output_may_be_a_stream_of_text() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        assert main(["evaluate", "qrels.txt", "bm25.run", "--format", "tsv"]) == 0
    assert stream.getvalue().startswith("system\tmeasure\t")
