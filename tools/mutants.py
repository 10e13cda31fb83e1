"""Change one operator, number or result at a time, and count the changes that the tests notice.

cargo-mutants lists the changes of the kernel's measures and ranking, cosmic-ray those of
``gainful.inference``. A random sample of each is tried on a copy of the sources, which is built and
tested with the tests named below. ``make mutants`` installs both and runs this file.

    target/mutants/venv/bin/python tools/mutants.py --kernel 60 --inference 120 --seed 1
"""

import argparse
import ast
import difflib
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "mutants"
# The sources that are built, and the folder that the tests import Gainful from.
TREE, SITE = WORK / "tree", WORK / "site"
# The compiled kernel that the tests import, and a copy without changes.
LIBRARY, UNCHANGED = SITE / "gainful/_kernel.abi3.so", WORK / "unchanged.so"
KERNEL = ("kernel/core/src/measures/**", "kernel/core/src/ranking/**")
KERNEL_TESTS = (
    "tests/measures",
    "tests/formulas",
    "tests/explanation",
    "tests/conventions",
    "tests/evaluation",
)
# The tests of the modules that have none of their own name.
TESTS_OF = {
    "effects": ("tests/inference/test_paired.py", "tests/comparison"),
    "pairwise": ("tests/inference/test_many.py", "tests/inference/test_joint_tukey.py"),
    "rater_model": ("tests/inference/test_raters.py", "tests/inference/test_dawid_skene.py"),
    "ratio": ("tests/reproduction",),
    "signed_ranks": ("tests/inference/test_ranks.py", "tests/inference/test_paired.py"),
    "tukey_families": ("tests/inference/test_joint_tukey.py",),
}
PYTHON = ROOT / ".venv" / "bin" / "python"
# Numbers have none of these operators, so any test of the line would notice them.
OF_BITS = re.compile(
    r"ReplaceBinaryOperator_(?!Bit|LShift|RShift)\w+_(BitAnd|BitOr|BitXor|LShift|RShift)$"
)
# A change that makes a loop endless is noticed by the time of one test.
TEST_SECONDS, SECONDS, MEMORY = 300, 3600, 8 << 30


@dataclass
class Mutant:
    """A file with one change."""

    path: str
    name: str
    change: Callable[[], str | None]

    def diff(self) -> str:
        """Return the lines that differ."""
        before = (ROOT / self.path).read_text("utf-8").splitlines()
        after = (self.change() or "").splitlines()
        lines = difflib.unified_diff(before, after, lineterm="", n=0)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def kernel_mutants() -> list[Mutant]:
    """Return the changes that cargo-mutants lists."""
    program = str(WORK / "cargo/bin/cargo-mutants")
    command = [program, "mutants", "--list", "--json", "--dir", str(ROOT)]
    for pattern in KERNEL:
        command += ["--file", pattern]
    listed = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def changed(each: dict[str, object]) -> str:
        span, lines = each["span"], (ROOT / str(each["file"])).read_text("utf-8").splitlines(True)
        assert isinstance(span, dict)

        def at(place: dict[str, int]) -> int:
            before = sum(len(line) for line in lines[: place["line"] - 1])
            return before + place["column"] - 1

        text = "".join(lines)
        return text[: at(span["start"])] + str(each["replacement"]) + text[at(span["end"]) :]

    return [Mutant(each["file"], each["name"], lambda each=each: changed(each)) for each in listed]  # type: ignore[misc]


def inference_mutants() -> list[Mutant]:
    """Return the changes that cosmic-ray has for each module."""
    mutants = []
    for path in sorted((ROOT / "src/gainful/inference").glob("[!_]*.py")):
        text = path.read_text("utf-8")
        nodes = list(ast_nodes(get_ast(text)))
        for name in sorted(operator_names()):
            operator = get_operator(name)
            if operator.arguments() or OF_BITS.search(name):
                continue
            places = [place for node in nodes for place in operator().mutation_positions(node)]
            for occurrence, ((line, column), _) in enumerate(places):
                label = f"{path.relative_to(ROOT)}:{line}:{column + 1}: {name.partition('/')[2]}"
                mutants.append(
                    Mutant(
                        str(path.relative_to(ROOT)),
                        label,
                        lambda text=text, operator=operator, occurrence=occurrence: mutate_code(  # type: ignore[misc]
                            text, operator(), occurrence
                        ),
                    )
                )
    return mutants


def does_something(mutant: Mutant) -> bool:
    """Return whether a changed Python module differs in more than its annotations."""

    def meaning(code: str) -> str:
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.AnnAssign | ast.arg):
                node.annotation = ast.Constant(None)
            if isinstance(node, ast.FunctionDef):
                node.returns = None
        return ast.dump(tree)

    text, changed = (ROOT / mutant.path).read_text("utf-8"), mutant.change()
    try:
        return changed is not None and meaning(changed) != meaning(text)
    except SyntaxError:
        return False


def tests_of(module: str) -> tuple[str, ...]:
    """Return the tests of a module of ``gainful.inference``."""
    if module in TESTS_OF:
        return TESTS_OF[module]
    named = re.compile(rf"(import|from)\b.*\b{module}\b")
    paths = sorted((ROOT / "tests/inference").glob("test_*.py"))
    found = [
        each
        for each in paths
        if each.stem == f"test_{module}" or named.search(each.read_text("utf-8"))
    ]
    return tuple(str(path.relative_to(ROOT)) for path in found)


def run(command: list[str], seconds: float = SECONDS, **variables: str) -> int:
    """Run a command with limits of time and memory; return its exit status, 124 if out of time."""
    process = subprocess.Popen(
        command,
        cwd=TREE if command[0] == "cargo" else ROOT,
        env=os.environ | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return 124


def cargo(*arguments: str) -> int:
    """Run Cargo on the changed sources, with all dependencies as ``make install`` built them."""
    options = []
    for package in ("gainful-core", "gainful-python"):
        for setting in ("opt-level=1", "codegen-units=64"):
            options += ["--config", f"profile.release.package.{package}.{setting}"]
    options += ["--config", "profile.release.incremental=true"]
    # As maturin sets them: PyO3 is compiled again when they change.
    bits, version = 64 if sys.maxsize > 2**32 else 32, sys.version_info
    return run(
        ["cargo", *arguments, "--quiet", "--release", *options],
        CARGO_TARGET_DIR=str(WORK / "build"),
        PYO3_BUILD_EXTENSION_MODULE="1",
        PYO3_ENVIRONMENT_SIGNATURE=f"cpython-{version.major}.{version.minor}-{bits}bit",
        PYO3_PYTHON=str(PYTHON),
        PYTHON_SYS_EXECUTABLE=str(PYTHON),
    )


def build() -> bool:
    """Build the changed kernel, and put it where the tests import it."""
    if cargo("build", "--package", "gainful-python"):
        return False
    shutil.copy(WORK / "build/release/lib_kernel.so", LIBRARY)
    return True


@cache
def pass_unchanged(tests: tuple[str, ...]) -> bool:
    """Return whether tests pass without a change: else they notice nothing."""
    return passes(tests)


def passes(tests: tuple[str, ...]) -> bool:
    """Return whether tests pass with the changed sources."""
    options = [
        "-q",
        "-x",
        "-p",
        "no:randomly",
        "-o",
        "addopts=",
        "-m",
        "not slow and not peer and not engine and not cluster",
        "-o",
        f"faulthandler_timeout={TEST_SECONDS}",
        "-o",
        "faulthandler_exit_on_timeout=true",
    ]
    command = [str(PYTHON), "-m", "pytest", *options, *tests]
    return run(command, PYTHONPATH=str(SITE), PYTHONHASHSEED="0") == 0


def judge(mutant: Mutant) -> str:
    """Return the result: killed, survived, invalid, or no tests that pass without the change."""
    in_kernel = mutant.path.endswith(".rs")
    target = TREE / mutant.path if in_kernel else SITE / mutant.path.removeprefix("src/")
    original = target.read_text("utf-8")
    changed = mutant.change()
    if changed is None:
        return "invalid"
    tests = KERNEL_TESTS if in_kernel else tests_of(target.stem)
    target.write_text(changed, "utf-8")
    try:
        if in_kernel and not build():
            return "invalid"
        # In the order of the folders, the quickest first: most changes end there.
        failing = next((each for each in tests if not passes((each,))), None)
        if failing is None:
            # Few measures have tests in Rust, but what orders and matches rows does.
            noticed = in_kernel and cargo("test", "--package", "gainful-core", "--lib") != 0
            return "killed" if noticed else "survived"
    finally:
        target.write_text(original, "utf-8")
        if in_kernel:
            shutil.copy(UNCHANGED, LIBRARY)
    return "killed" if pass_unchanged((failing,)) else "no tests"


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    z, share = 1.959963984540054, killed / tried
    middle = (share + z * z / (2 * tried)) / (1 + z * z / tried)
    half = (
        z
        / (1 + z * z / tried)
        * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    )
    return middle - half, middle + half


def sample(mutants: list[Mutant], count: int, seed: int) -> Iterator[Mutant]:
    """Yield a random sample in random order; all, if there are no more."""
    order = random.Random(seed).sample(mutants, len(mutants))
    taken = 0
    for mutant in order:
        if taken == count:
            return
        if mutant.path.endswith(".py") and not does_something(mutant):
            continue
        taken += 1
        yield mutant


def prepare() -> None:
    """Copy the sources, and the installed package with its kernel."""
    TREE.mkdir(parents=True, exist_ok=True)
    # Files that did not change keep their dates, so that Cargo builds nothing again.
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy2(ROOT / name, TREE)
    shutil.copytree(ROOT / "kernel", TREE / "kernel", dirs_exist_ok=True)
    if not (WORK / "build").exists():
        unlocked = shutil.ignore_patterns(".cargo-lock")
        shutil.copytree(ROOT / "target/release", WORK / "build/release", ignore=unlocked)
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(ROOT / "src/gainful", SITE / "gainful")
    find = "import gainful, pathlib; print(pathlib.Path(gainful.__file__).parent)"
    installed = subprocess.run(
        [PYTHON, "-c", find], cwd=WORK, capture_output=True, text=True, check=True
    )
    shutil.copy(Path(installed.stdout.strip()) / "_kernel.abi3.so", LIBRARY)


def main() -> int:
    """Try a sample of changes; print those that survive, and the scores."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kernel", type=int, default=60, help="how many changes of the kernel")
    parser.add_argument("--inference", type=int, default=120, help="how many changes of inference")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the samples")
    parser.add_argument(
        "--match", default="", help="only changes whose names match, a regular expression"
    )
    arguments = parser.parse_args()
    prepare()
    rows = []
    for part, count, listed in (
        ("inference", arguments.inference, inference_mutants),
        ("kernel", arguments.kernel, kernel_mutants),
    ):
        if not count:
            continue
        mutants = [each for each in listed() if re.search(arguments.match, each.name)]
        if part == "kernel":
            if not build():
                print("the kernel does not build", file=sys.stderr)
                return 1
            shutil.copy(LIBRARY, UNCHANGED)
        ends: Counter[str] = Counter()
        for mutant in sample(mutants, count, arguments.seed):
            began = time.monotonic()
            end = judge(mutant)
            ends[end] += 1
            print(f"{end:8} {time.monotonic() - began:4.0f} s  {mutant.name}", flush=True)
            if end == "survived":
                print(mutant.diff(), flush=True)
        tried = ends["killed"] + ends["survived"] + ends["no tests"]
        if tried:
            low, high = interval(ends["killed"], tried)
            score = f"{ends['killed'] / tried:.1%} ({low:.1%} to {high:.1%})"
            rows.append(
                (
                    part,
                    len(mutants),
                    tried,
                    ends["killed"],
                    tried - ends["killed"],
                    ends["invalid"],
                    score,
                )
            )
    print("| part | mutants | tried | killed | survived | do not build | score (95% interval) |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
