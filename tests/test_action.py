"""The script of the GitHub Action: verdict, summary and comment."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import forking_program
import gainful
from gainful.cli import main
from requirements import ROOT, need

#: It prints the address of an own comment, and keeps its other arguments.
GH = """#!/bin/sh
if [ "$2" = view ]; then
    printf '%s' "$GH_BEFORE"
else
    printf '%s\\n' "$@" > "$RUNNER_TEMP/called"
fi
exit "${GH_STATUS:-0}"
"""


def test_the_action_installs_its_own_version() -> None:
    default = re.search(
        r"^  requirement:\n(?:    .*\n)*?    default: (.*)$",
        (ROOT / "action.yml").read_text("utf-8"),
        re.MULTILINE,
    )
    assert default is not None
    assert default[1] == f"gainful=={gainful.__version__}"


@pytest.fixture
def runner(small_files: Path, tmp_path: Path) -> Path:
    """Return the folder of a runner whose `gh` records its arguments."""
    need("bash")
    assert main(["gate", "qrels.txt", "bm25.run", "--save", "snapshot.json"]) == 0
    folder = tmp_path / "runner"
    folder.mkdir()
    stub = folder / "gh"
    stub.write_text(GH, "utf-8")
    stub.chmod(0o755)
    return folder


def action(runner: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    programs = [str(runner), *forking_program.folders(), os.environ["PATH"]]
    return subprocess.run(
        [need("bash"), ROOT / "tools" / "gate_action.sh"],
        env={
            **os.environ,
            "PATH": os.pathsep.join(programs),
            "QRELS": "qrels.txt",
            "RUN": "bm25.run",
            "SNAPSHOT": "snapshot.json",
            "RUNNER_TEMP": str(runner),
            "GITHUB_OUTPUT": str(runner / "output"),
            "GITHUB_STEP_SUMMARY": str(runner / "summary"),
            "GITHUB_REPOSITORY": "us/search",
            **inputs,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def outputs(runner: Path) -> dict[str, str]:
    lines = (runner / "output").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_a_pass_is_summarized_and_not_commented(runner: Path) -> None:
    done = action(runner)
    assert done.returncode == 0, done.stdout + done.stderr
    assert outputs(runner)["verdict"] == "passed"
    assert "Gate passed" in (runner / "summary").read_text("utf-8")
    assert not (runner / "called").exists()


def test_a_failure_is_commented(runner: Path) -> None:
    lines = Path("bm25.run").read_text("utf-8").splitlines()
    worst = [re.sub(r"(\S+) Q0 (\S+) (\d+) \S+", r"\1 Q0 \2 \3 \3", line) for line in lines]
    Path("worst.run").write_text("\n".join(worst) + "\n", "utf-8")
    done = action(
        runner,
        RUN="worst.run",
        MARGIN="0.05",
        COMMENT="true",
        PULL_REQUEST="7",
        OPTIONS="--fail-on 'decrease' --alpha 0.4",
    )
    assert done.returncode == 4, done.stdout + done.stderr
    assert done.stdout.startswith("::error")
    assert outputs(runner)["verdict"] == "failed"
    words = (runner / "called").read_text("utf-8").splitlines()
    assert words[:5] == ["pr", "comment", "7", "--repo", "us/search"]
    assert "Gate failed" in Path(words[-1]).read_text("utf-8")


def test_a_comment_is_replaced_by_that_of_the_same_gate(runner: Path) -> None:
    """Comments of other workflows, which have the same author, are left alone."""
    inputs = {"COMMENT": "true", "PULL_REQUEST": "7"}
    action(runner, **inputs)
    first = Path((runner / "called").read_text("utf-8").splitlines()[-1]).read_text("utf-8")
    before = "https://github.com/us/search/pull/7#issuecomment-123"
    done = action(runner, **inputs, GH_BEFORE=before)
    assert done.returncode == 0
    words = (runner / "called").read_text("utf-8").splitlines()
    assert words[2:5] == ["--method", "PATCH", "repos/us/search/issues/comments/123"]
    again = Path(words[-1].removeprefix("body=@")).read_text("utf-8")
    marker = first.splitlines()[-1]
    assert re.fullmatch("<!-- gainful-gate-[0-9-]+ -->", marker)
    assert again.splitlines()[-1] == marker
    action(runner, **inputs, RUN="dense.run")
    other = Path((runner / "called").read_text("utf-8").splitlines()[-1]).read_text("utf-8")
    assert other.splitlines()[-1] != marker


def test_a_comment_that_fails_does_not_change_the_verdict(runner: Path) -> None:
    done = action(runner, COMMENT="true", PULL_REQUEST="7", GH_STATUS="1")
    assert done.returncode == 0
    assert "::warning::the comment could not be written" in done.stdout


@pytest.mark.parametrize(("inconclusive", "status"), [("fail", 3), ("pass", 0)])
def test_an_inconclusive_result(runner: Path, inconclusive: str, status: int) -> None:
    done = action(runner, RUN="dense.run", INCONCLUSIVE=inconclusive)
    assert done.returncode == status, done.stdout + done.stderr
    assert outputs(runner)["verdict"] == "inconclusive"


def test_a_crash_is_no_verdict(runner: Path) -> None:
    crashing = runner / "gainful"
    crashing.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    crashing.chmod(0o755)
    assert action(runner).returncode == 1
    assert outputs(runner)["verdict"] == "error"


def test_errors_have_no_comment(runner: Path) -> None:
    done = action(runner, RUN="nowhere.run", COMMENT="true", PULL_REQUEST="7")
    assert done.returncode == 2
    assert outputs(runner) == {"verdict": "error"}
    assert not (runner / "called").exists()


def test_options_are_words_and_no_commands(runner: Path) -> None:
    done = action(runner, OPTIONS="--margin '$(touch made)'")
    assert done.returncode == 2
    assert not Path("made").exists()
    assert action(runner, OPTIONS="'").returncode == 2
    assert action(runner, OPTIONS=" \n").returncode == 0


def test_the_action_passes_what_the_script_reads() -> None:
    declared = (ROOT / "action.yml").read_text("utf-8")
    script = (ROOT / "tools" / "gate_action.sh").read_text("utf-8")
    given = set(re.findall(r"^        ([A-Z_]+): \$\{\{", declared, re.MULTILINE))
    read = set(re.findall(r"\$\{?([A-Z_]+)\b", script))
    of_github = {"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_REPOSITORY", "RUNNER_TEMP"}
    assert read - of_github == given - {"REQUIREMENT", "GH_TOKEN"}
