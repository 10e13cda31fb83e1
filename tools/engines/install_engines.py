"""Install the engines that the tests start, from their jars on Maven Central.

    python tools/engines/install_engines.py [elasticsearch] [elasticsearch8] [opensearch] ...

All go into target/engines, Maven's own downloads too. What is up to date is left alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from engine_folders import INSTALLED, NAMES, SOURCES, installed, sources, stamp, wanted

MAVEN = (
    "mvn",
    "--batch-mode",
    "--quiet",
    "--no-transfer-progress",
    "-Dstyle.color=never",
    f"-Dmaven.repo.local={INSTALLED / 'maven'}",
)
# The version is part of the goal, so that the same files are fetched everywhere.
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
REMEDY = "on Debian: apt-get install maven openjdk-17-jdk-headless"


def install(name: str) -> None:
    """Fetch the engine's jars, and compile the class that starts it."""
    folder = INSTALLED / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    jars = folder / "jars"
    project = SOURCES / name / "pom.xml"
    subprocess.run([*MAVEN, "-f", project, COPY, f"-DoutputDirectory={jars}"], check=True)
    for archive in jars.glob("*.zip"):
        unpack(archive, folder)
    programs = [path for path in sources(name) if path.suffix == ".java"]
    subprocess.run(["javac", "-cp", jars / "*", "-d", folder / "classes", *programs], check=True)
    stamp(name).write_text(wanted(name), encoding="utf-8")


def unpack(archive: Path, folder: Path) -> None:
    """Put the jars and the modules of a distribution into the engine's folder."""
    whole = folder / "distribution"
    shutil.unpack_archive(archive, whole)
    shutil.rmtree(archive.parent)
    (distribution,) = whole.iterdir()
    (distribution / "lib").rename(archive.parent)
    modules = folder / "modules"
    modules.mkdir()
    # The others are for security and monitoring.
    (distribution / "modules" / "transport-netty4").rename(modules / "transport-netty4")
    shutil.rmtree(whole)


def main(names: list[str]) -> int:
    """Install these engines, or all."""
    unknown = set(names) - set(NAMES)
    if unknown:
        print(f"There is no {', '.join(sorted(unknown))} here, but: {', '.join(NAMES)}")
        return 2
    lacking = [program for program in ("mvn", "java", "javac") if shutil.which(program) is None]
    if lacking:
        print(f"{' and '.join(lacking)} needed; {REMEDY}", file=sys.stderr)
        return 1
    for name in names or NAMES:
        if installed(name) is None:
            print(f"Installing {name} into {INSTALLED / name}", flush=True)
            try:
                install(name)
            except subprocess.CalledProcessError as failure:
                print(f"{failure.cmd[0]} failed; nothing of {name} is installed", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
