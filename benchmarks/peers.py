"""The programs that Gainful is timed against: one virtual environment, and trec_eval.

They are installed on first use, into separate folders, never into the environment of Gainful.
Torchmetrics is not included, because it needs two gigabytes of PyTorch.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# The newest releases when this was last run. Their requirements on NumPy and pandas are compatible,
# so one environment is enough.
REQUIREMENTS = [
    "click==8.5.1",
    "duckdb==2.0.0",
    "ir_measures==0.4.3",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "polars==2.1.0",
    "pyarrow==26.0.1",
    "pytrec-eval-terrier==0.5.11",
    "ranx==0.3.21",
    "scikit-learn==1.9.1",
]
TREC_EVAL_MAIN = Path(__file__).with_name("trec_eval_main.c")


@dataclass(frozen=True)
class Peers:
    """The paths of the peers. If `trec_eval` is None, `missing` has the reason."""

    python: Path
    trec_eval: Path | None
    missing: str = ""
    built: bool = False  # trec_eval was built here and computes one measure per run

    @property
    def bin(self) -> Path:
        return self.python.parent

    @property
    def packages(self) -> Path:
        """The folder of the peers' packages."""
        return site_packages(self.python)

    def versions(self) -> dict[str, str]:
        """Return the version of each peer as installed."""
        names = [requirement.split("==")[0] for requirement in REQUIREMENTS]
        code = "import importlib.metadata as m, sys; print(*map(m.version, sys.argv[1:]))"
        found = ask(self.python, code, *names).split()
        return dict(zip(names, found, strict=True))


def ask(python: Path, code: str, *arguments: str) -> str:
    """Return the output of `code` run by `python`."""
    command: list[str | Path] = [python, "-c", code, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def site_packages(python: Path) -> Path:
    """Return the folder of compiled packages of `python`."""
    return Path(ask(python, "import sysconfig; print(sysconfig.get_path('platlib'))"))


def install(folder: Path, base: Path, trec_eval: Path | None) -> Peers:
    """Install the peers into `folder` with the Python `base` if needed, and return them.

    `base` is the Python of Gainful: workers that pass data frames to Gainful load Polars and
    PyArrow from here, so these must be built for the same Python.
    """
    python = make_environment(folder / "peers-venv", base, REQUIREMENTS)
    if trec_eval is not None:
        return Peers(python, trec_eval)
    built, missing = build_trec_eval(python, folder / "peers-venv" / "trec_eval")
    return Peers(python, built, missing, built=True)


def make_environment(folder: Path, base: Path, requirements: list[str]) -> Path:
    """Create a virtual environment in `folder` with `base` if needed; return its Python.

    A stamp records Python and requirements; a change of either recreates the environment.
    """
    python = folder / "bin" / "python"
    stamp = folder / ".installed"
    words = "\n".join([ask(base, "import sys; print(sys.version)"), *requirements])
    digest = hashlib.sha256(words.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text(encoding="ascii") != digest:
        print(f"installing the peers into {folder} ...", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([base, "-m", "venv", folder], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *requirements], check=True)
        stamp.write_text(digest, encoding="ascii")
    return python


def build_trec_eval(python: Path, program: Path) -> tuple[Path | None, str]:
    """Build trec_eval 9.0.8 from the library in pytrec_eval's wheel; or return why that failed.

    The wheel's extension contains trec_eval, compiled with -O3, except its main program, which
    `trec_eval_main.c` replaces. No source package of pytrec_eval contains trec_eval's sources;
    they are downloaded when the wheels are built.
    """
    newest = TREC_EVAL_MAIN.stat().st_mtime
    if program.exists() and program.stat().st_mtime > newest:
        return program, ""
    if sys.platform != "linux":
        return None, "it is built on Linux only; set your own program with --trec-eval"
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None, "no C compiler; install one, or set your own program with --trec-eval"
    packages = site_packages(python)
    libraries = list(packages.glob("pytrec_eval_ext*.so"))
    if len(libraries) != 1:
        return None, f"no pytrec_eval_ext in {packages}"
    link = ["-rdynamic", "-Wl,-z,lazy", "-Wl,--allow-shlib-undefined", f"-Wl,-rpath,{packages}"]
    command: list[str | Path] = [
        compiler,
        "-O2",
        "-o",
        program,
        TREC_EVAL_MAIN,
        libraries[0],
        *link,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, f"{compiler} failed: {done.stderr.strip()[-500:]}"
    return program, ""
