"""Change one operator, number or result at a time, and count the changes that the tests notice.

cosmic-ray lists the changes of Python, cargo-mutants those of Rust. A random sample of each part
of ``PARTS`` is tried on copies of the sources, with the tests that most likely notice a change.
``make mutants`` installs cosmic-ray and runs this file, which installs cargo-mutants.

    target/mutants/bin/python tools/mutants.py --inference 160 --seed 1 --output new.jsonl

``--only new.jsonl`` retries the changes that survived with ``ALL=1``, which selects all cases of
the tests. `make test` runs a subset of these cases, so whatever it notices, all of them notice:
the survivors are enough to know what all cases would notice.
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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "mutants"
# The Rust sources that are built, and what the installed kernel is called.
TREE, LIBRARY = WORK / "tree", "gainful/_kernel.abi3.so"
# Each folder in it has a copy of Gainful that tests import; that of the changed kernel is one.
SITES = WORK / "sites"
KERNEL_SITE = SITES / "kernel"
# The compiled kernel without changes.
UNCHANGED = WORK / "unchanged.so"


@dataclass(frozen=True)
class Part:
    """A part of the sources, and where the tests are that notice a change in it."""

    name: str
    count: int
    python: tuple[str, ...]
    rust: tuple[str, ...]
    # The tests of a module are looked for here, by what they import and name.
    folders: tuple[str, ...]
    # These run after them, for each module.
    general: tuple[str, ...]
    # The quickest first.
    rust_tests: tuple[str, ...] = ()


PARTS = (
    Part(
        "inference",
        160,
        ("src/gainful/inference/[!_]*.py",),
        (),
        ("tests/inference",),
        (),
    ),
    Part(
        "kernel",
        60,
        (),
        ("kernel/core/src/measures/**", "kernel/core/src/ranking/**"),
        (),
        (),
        (
            "tests/measures",
            "tests/formulas",
            "tests/explanation",
            "tests/conventions",
            "tests/evaluation",
        ),
    ),
    Part(
        "data",
        100,
        ("src/gainful/data/**/*.py",),
        ("kernel/core/src/formats/**",),
        ("tests/data", "tests/judging", "tests/systems", "tests/evaluation"),
        ("tests/data/test_[!r]*.py", "tests/data/test_r[!e]*.py", "tests/cli/test_convert.py"),
        (
            "tests/data/test_[!r]*.py",
            "tests/data/test_r[!e]*.py",
            "tests/data/columnar/test_[!el]*.py",
            "tests/data/judgment_lists",
        ),
    ),
    Part(
        "results",
        100,
        (
            "src/gainful/results.py",
            "src/gainful/results/**/*.py",
            "src/gainful/formats/**/*.py",
            "src/gainful/cli/**/*.py",
        ),
        (),
        ("tests/formats", "tests/cli", "tests"),
        ("tests/formats", "tests/cli/test_[!ds]*.py", "tests/test_results.py"),
    ),
)
# Tests that notice changes of a module without naming it.
MORE_TESTS = {
    "inference/design": ("tests/inference/test_randomization.py",),
    "inference/rater_model": ("tests/inference/test_raters.py",),
}
# At most so many files of tests name a module: more cost minutes.
MOST_FILES = 8
NOT_HERE = ("tests/tools/", "tests/engines/", "tests/clusters/", "tests/web/", "tests/backends/")
PYTHON = ROOT / ".venv" / "bin" / "python"
# Numbers have none of these operators, so any test of the line would notice them.
OF_BITS = re.compile(
    r"ReplaceBinaryOperator_(?!Bit|LShift|RShift)\w+_(BitAnd|BitOr|BitXor|LShift|RShift)$"
)
# A change that makes a loop endless is noticed by the time of one test.
TEST_SECONDS, SECONDS, MEMORY = 120, 1200, 8 << 30


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


def rust_mutants(patterns: tuple[str, ...]) -> list[Mutant]:
    """Return the changes that cargo-mutants lists."""
    if not patterns:
        return []
    program = WORK / "cargo/bin/cargo-mutants"
    if not program.exists():
        install = ["cargo", "install", "--quiet", "--locked", "--root", str(WORK / "cargo")]
        subprocess.run([*install, "cargo-mutants@27.1.0"], check=True)
    command = [str(program), "mutants", "--list", "--json", "--dir", str(ROOT)]
    for pattern in patterns:
        command += ["--file", pattern]
    listed = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def changed(entry: dict[str, object]) -> str:
        span, lines = entry["span"], (ROOT / str(entry["file"])).read_text("utf-8").splitlines(True)
        assert isinstance(span, dict)

        def offset(place: dict[str, int]) -> int:
            before = sum(len(line) for line in lines[: place["line"] - 1])
            return before + place["column"] - 1

        text = "".join(lines)
        return (
            text[: offset(span["start"])] + str(entry["replacement"]) + text[offset(span["end"]) :]
        )

    return [
        Mutant(entry["file"], entry["name"], lambda entry=entry: changed(entry))  # type: ignore[misc]
        for entry in listed
    ]


def python_mutants(patterns: tuple[str, ...]) -> list[Mutant]:
    """Return the changes that cosmic-ray has for each module."""
    mutants = []
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
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
    """Return whether a changed Python module differs in more than its types."""

    def meaning(code: str) -> str:
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.AnnAssign | ast.arg):
                node.annotation = ast.Constant(None)
            if isinstance(node, ast.FunctionDef):
                node.returns = None
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                node.test, node.body = ast.Constant(False), [ast.Pass()]
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TYPE_CHECKING":
                node.value = ast.Constant(False)
        return ast.dump(tree)

    text = (ROOT / mutant.path).read_text("utf-8")
    try:
        changed = mutant.change()
        return changed is not None and meaning(changed) != meaning(text)
    except (AttributeError, SyntaxError):  # The first for exceptions with a dotted name.
        return False


@cache
def test_files(folder: str) -> dict[str, str]:
    """Return the texts of the files of tests in a folder."""
    paths = [str(path.relative_to(ROOT)) for path in sorted((ROOT / folder).rglob("test_*.py"))]
    return {
        path: (ROOT / path).read_text("utf-8") for path in paths if not path.startswith(NOT_HERE)
    }


def expand(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files and folders that match the patterns."""
    paths = (path for pattern in patterns for path in sorted(ROOT.glob(pattern)))
    return tuple(str(path.relative_to(ROOT)) for path in paths)


@cache
def tests_of(path: str, part: Part) -> tuple[tuple[str, ...], ...]:
    """Return the tests of a file in groups, the likeliest to notice a change first.

    The first group has the module's examples, the files named like it, then those that import it or
    mention its command or a public name of it most often.
    """
    if path.endswith(".rs"):
        return tuple(expand((pattern,)) for pattern in part.rust_tests)
    module = path.removeprefix("src/gainful/").removesuffix(".py")
    package, _, stem = module.rpartition("/")
    public = [
        node.name
        for node in ast.parse((ROOT / path).read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    words = [rf"\b{name}\b" for name in public if name not in {"command", "run"}]
    if package == "cli":
        words.append(rf"""["'\n ]{stem.replace("_", "-")}["',]""")
    named = re.compile("|".join([rf"\b(import|from)\b.*\b{stem}\b", *words]))
    counts = {}
    for folder in part.folders:
        for test, text in test_files(folder).items():
            count = len(named.findall(text)) + 1000 * (Path(test).stem == f"test_{stem}")
            if count and test not in counts:
                # A folder named earlier is likelier.
                counts[test] = (-part.folders.index(folder), count)
    likely = sorted(counts, key=lambda test: counts[test], reverse=True)[:MOST_FILES]
    likely += [test for test in MORE_TESTS.get(module, ()) if test not in likely]
    if ">>>" in (ROOT / path).read_text("utf-8"):
        name = f"gainful.{module.replace('/', '.').removesuffix('.__init__')}"
        likely.insert(0, f"tests/test_docstrings.py::test_examples[{name}]")
    rest = tuple(test for test in expand(part.general) if test not in likely)
    return tuple(group for group in (tuple(likely), rest) if group)


def run(command: list[str], seconds: float = SECONDS, **variables: str) -> int:
    """Run a command with a limit of time; return its exit status, 124 if out of time."""
    process = subprocess.Popen(
        command,
        cwd=TREE if command[0] == "cargo" else ROOT,
        env=os.environ | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
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
    shutil.copy(WORK / "build/release/lib_kernel.so", KERNEL_SITE / LIBRARY)
    return True


def passes(site: Path, tests: tuple[str, ...], *options: str) -> bool:
    """Return whether tests pass with the sources in a site."""
    command = [str(PYTHON), "-m", "pytest", "-q", "-x", "--tb=no", *options]
    for plugin in ("no:randomly", "no:xdist"):
        command += ["-p", plugin]
    for setting in (
        # Each site records which test failed.
        f"cache_dir={site}.cache",
        f"faulthandler_timeout={TEST_SECONDS}",
        "faulthandler_exit_on_timeout=true",
    ):
        command += ["-o", setting]
    # Hypothesis tries the same examples each time where a requirement is named.
    status = run(
        [*command, *tests],
        PYTHONPATH=str(site),
        PYTHONHASHSEED="0",
        PYTHONDONTWRITEBYTECODE="1",
        GAINFUL_REQUIRE=os.environ.get("GAINFUL_REQUIRE") or "pandas",
    )
    # 5: none of the tests was selected.
    return status in {0, 5}


# Tests that fail without a change notice nothing. They are left out when they are met.
FAILING: set[str] = set()


def fails(site: Path, tests: tuple[str, ...], unchanged: Callable[[], None]) -> bool | None:
    """Return whether tests notice a change, which ``unchanged`` removes after a failure.

    None if the tests fail without it, too: they have to be tried again without these.
    """
    left_out = set(FAILING)  # Others may fill it meanwhile.
    deselected = [f"--deselect={test}" for test in sorted(left_out)]
    record = Path(f"{site}.cache/v/cache/lastfailed")

    def failing(*options: str) -> dict[str, bool] | None:
        """Return the tests that fail, as far as they are known; None if all pass."""
        record.unlink(missing_ok=True)
        if passes(site, tests, *deselected, *options):
            return None
        return json.loads(record.read_text("utf-8")) if record.exists() else {}

    failed = failing()
    if failed is None:
        return False
    unchanged()
    # A test without end, or that ends the process, leaves no record.
    if passes(site, tests, *deselected, *(["--lf", "--lfnf=none"] if failed else [])):
        return True
    # All that fail at once, not the first alone.
    leave_out = set(failing("--maxfail=0") or failed or tests)
    if leave_out <= left_out:
        raise RuntimeError(f"these tests cannot be left out: {leave_out}")
    FAILING.update(leave_out)
    return None


@dataclass
class Trial:
    """A change that is tried in a site."""

    part: Part
    mutant: Mutant
    site: Path

    @property
    def in_rust(self) -> bool:
        """Return whether the change is one of Rust."""
        return self.mutant.path.endswith(".rs")

    def target(self) -> Path:
        """Return the copy of the file that is changed."""
        path = self.mutant.path
        return TREE / path if self.in_rust else self.site / path.removeprefix("src/")

    def change(self) -> bool:
        """Change the copy; return whether it can be run."""
        target, text = self.target(), self.mutant.change()
        if text is None:
            return False
        backup = target.with_suffix(".unchanged")
        if not backup.exists():
            target.rename(backup)
        target.write_text(text, "utf-8")
        return not self.in_rust or build()

    def restore(self) -> None:
        """Remove the change; the file has its old date, so its bytecode is valid again."""
        target = self.target()
        backup = target.with_suffix(".unchanged")
        if backup.exists():
            backup.replace(target)
            if self.in_rust:
                # Cargo builds what is newer than its build.
                target.touch()
                shutil.copy(UNCHANGED, self.site / LIBRARY)

    def judge(self) -> str:
        """Return the result: killed, survived, invalid."""
        try:
            if not self.change():
                return "invalid"
            for tests in tests_of(self.mutant.path, self.part):
                while (failed := fails(self.site, tests, self.restore)) is None:
                    self.change()
                if failed:
                    return "killed"
            # Few measures have tests in Rust, but what orders and matches rows does.
            noticed = self.in_rust and cargo("test", "--package", "gainful-core", "--lib") != 0
            return "killed" if noticed else "survived"
        finally:
            self.restore()


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
    for backup in TREE.rglob("*.unchanged"):
        # Left by a run that was stopped: what was built last has this change.
        backup.unlink()
        backup.with_suffix(".rs").touch()
    shutil.rmtree(SITES, ignore_errors=True)


def make_site(site: Path) -> Path:
    """Make a copy of Gainful with its bytecode and the installed kernel."""
    if site.exists():
        return site
    # Copies, so that edits of the sources in the meantime do not change what is tested.
    shutil.copytree(ROOT / "src/gainful", site / "gainful")
    find = "import gainful, pathlib; print(pathlib.Path(gainful.__file__).parent)"
    installed = subprocess.run(
        [PYTHON, "-c", find], cwd=WORK, capture_output=True, text=True, check=True
    )
    shutil.copy(Path(installed.stdout.strip()) / "_kernel.abi3.so", site / LIBRARY)
    subprocess.run([PYTHON, "-m", "compileall", "-q", site / "gainful"], check=True)
    return site


def try_all(part: Part, mutants: list[Mutant], jobs: int) -> Iterator[dict[str, object]]:
    """Try changes, several of Python at once and those of Rust one by one; yield the fates."""
    python = [mutant for mutant in mutants if mutant.path.endswith(".py")]
    rust = [mutant for mutant in mutants if mutant.path.endswith(".rs")]
    sites: SimpleQueue[Path] = SimpleQueue()

    def judge(mutant: Mutant) -> dict[str, object]:
        site, began = sites.get(), time.monotonic()
        try:
            fate = Trial(part, mutant, site).judge()
        finally:
            sites.put(site)
        seconds = round(time.monotonic() - began, 1)
        return {"part": part.name, "name": mutant.name, "fate": fate, "seconds": seconds}

    def judge_at_once(mutants: list[Mutant], folders: list[Path]) -> Iterator[dict[str, object]]:
        for folder in folders:
            sites.put(make_site(folder))
        with ThreadPoolExecutor(len(folders)) as workers:
            futures = {workers.submit(judge, mutant): mutant for mutant in mutants}
            for future in as_completed(futures):
                yield future.result() | {"diff": futures[future].diff()}
        for _ in folders:
            sites.get()

    if python:
        yield from judge_at_once(python, [SITES / str(number) for number in range(jobs)])
    if rust:
        make_site(KERNEL_SITE)
        if not build():
            raise SystemExit("the kernel does not build")
        shutil.copy(KERNEL_SITE / LIBRARY, UNCHANGED)
        yield from judge_at_once(rust, [KERNEL_SITE])


def table(fates: list[dict[str, object]]) -> str:
    """Return the counts and the score of each part."""
    rows = ["| part | tried | killed | survived | do not build | score (95% interval) |"]
    rows.append("|---|---|---|---|---|---|")
    for part in PARTS:
        ends = [fate["fate"] for fate in fates if fate["part"] == part.name]
        killed, survived = ends.count("killed"), ends.count("survived")
        if tried := killed + survived:
            low, high = interval(killed, tried)
            score = f"{killed / tried:.1%} ({low:.1%} to {high:.1%})"
            cells = (part.name, tried, killed, survived, ends.count("invalid"), score)
            rows.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(rows)


def main() -> int:
    """Try a sample of changes; print those that survive, and the scores."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for part in PARTS:
        help_text = f"how many changes of {part.name} (default: {part.count})"
        parser.add_argument(f"--{part.name}", type=int, default=part.count, help=help_text)
    parser.add_argument("--seed", type=int, default=1, help="random seed of the samples")
    parser.add_argument(
        "--match", default="", help="only changes whose names match, a regular expression"
    )
    parser.add_argument("--output", type=Path, help="write the fate of each change, as JSON lines")
    parser.add_argument(
        "--only", type=Path, help="retry what survived in this output, with all cases of the tests"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="how many changes of Python at once"
    )
    arguments = parser.parse_args()
    # Not of addresses: browsers and V8 reserve a thousand times what they use.
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    fates: list[dict[str, object]] = []
    survivors: set[tuple[object, object]] = set()
    parts: set[object] = {part.name for part in PARTS}
    if arguments.only:
        os.environ["ALL"] = "1"
        fates = [json.loads(line) for line in arguments.only.read_text("utf-8").splitlines()]
        retried = [fate for fate in fates if fate["fate"] == "survived"]
        survivors = {(fate["name"], fate["diff"]) for fate in retried}
        parts = {fate["part"] for fate in retried}
        fates = [fate for fate in fates if fate["fate"] != "survived"]
    prepare()
    output = arguments.output.open("w", encoding="utf-8") if arguments.output else None

    def write(fate: dict[str, object]) -> None:
        if output:
            print(json.dumps(fate), file=output, flush=True)

    for fate in fates:
        write(fate)
    names = {name for name, _ in survivors}
    for part in PARTS:
        count = getattr(arguments, part.name)
        if not count or part.name not in parts:
            continue
        mutants = [
            mutant
            for mutant in python_mutants(part.python) + rust_mutants(part.rust)
            if re.search(arguments.match, mutant.name)
        ]
        if arguments.only:
            chosen = [mutant for mutant in mutants if mutant.name in names]
            chosen = [mutant for mutant in chosen if (mutant.name, mutant.diff()) in survivors]
        else:
            chosen = list(sample(mutants, count, arguments.seed))
        print(f"{part.name}: {len(chosen)} of {len(mutants):,} changes", flush=True)
        for fate in try_all(part, chosen, arguments.jobs):
            fates.append(fate)
            write(fate)
            print(f"{fate['fate']:8} {fate['seconds']:4.0f} s  {fate['name']}", flush=True)
            if fate["fate"] == "survived":
                print(fate["diff"], flush=True)
    print(table(fates))
    return 0


if __name__ == "__main__":
    sys.exit(main())
