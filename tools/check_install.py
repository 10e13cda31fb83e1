"""Install a wheel into empty environments, and print what that takes.

The first environment gets the wheel and its dependencies: their sizes are printed. The second gets
the wheel alone, and evaluates files, replaces pytrec_eval, and runs trec_eval's command line.

    .venv/bin/python tools/check_install.py target/dist/*.whl
"""

import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

FILES = Path(__file__).resolve().parent.parent / "tests" / "documentation"

#: What works with no other package.
ALONE = """
import importlib.util

assert not any(map(importlib.util.find_spec, ("numpy", "click", "wcwidth", "scipy")))
import gainful
import gainful.compat

evaluation = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10")
print("evaluates files:", f"nDCG@10 {evaluation.mean():.4f}")
gainful.compat.install()
import pytrec_eval

judged, ranked = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1.0, "b": 2.0}}
print("replaces pytrec_eval:", pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(ranked))
"""


def environment(folder: Path, *requirements: str) -> tuple[Path, Path]:
    """Make an environment with these requirements; return its programs and its packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-compile", *requirements], check=True)
    return programs, next(folder.rglob("site-packages"))


def size(package: Distribution) -> int:
    """Return the bytes of an installed package's files."""
    places = [Path(str(file.locate())) for file in package.files or ()]
    return sum(place.stat().st_size for place in places if place.is_file())


def main(wheel: str) -> None:
    """Check one wheel."""
    with tempfile.TemporaryDirectory() as folder:
        _, packages = environment(Path(folder, "whole"), wheel)
        sizes = {each.name: size(each) for each in distributions(path=[str(packages)])}
        for name, count in sorted(sizes.items()):
            print(f"{name:<12}{count / 1e6:6.1f} MB")
        print(f"{len(sizes)} packages{sum(sizes.values()) / 1e6:8.1f} MB", flush=True)
        programs, _ = environment(Path(folder, "alone"), wheel, "--no-deps")
        print("Without its dependencies, it", flush=True)
        subprocess.run([programs / "python", "-c", ALONE], cwd=FILES, check=True)
        words = ["-m", "map", "qrels.txt", "bm25.run"]
        subprocess.run([programs / "gainful-trec-eval", *words], cwd=FILES, check=True)


if __name__ == "__main__":
    main(sys.argv[1])
