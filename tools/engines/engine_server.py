"""Start a search engine or Trino on this machine, give the first documents, and stop it."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from engine_folders import INSTALLED, SOURCES

# Half a gigabyte each; the quick compiler alone, since none of them lives long.
JAVA = ("java", "-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
PATIENCE = 600.0
"""Seconds that a start may take on a busy machine."""


class Document(NamedTuple):
    """What is indexed: an id, and texts by field."""

    id: str
    fields: Mapping[str, str]


class RefusedError(Exception):
    """What an engine answered instead of doing what it was asked."""


class Server:
    """An engine that runs, on the loopback interface alone.

    Parameters
    ----------
    name
        "elasticsearch", "elasticsearch8", "opensearch", "solr" or "trino".
    home
        A folder for all that it writes.
    port
        Where it listens; 0 for a free port.
    """

    def __init__(self, name: str, home: Path, port: int = 0) -> None:
        self.name = name
        #: What a description names the engine, without its version.
        self.engine = name.rstrip("0123456789")
        self.home = home
        self.log = home / "server.log"
        prepare(name, home)
        installed = INSTALLED / name
        settings = [
            "-XX:-UsePerfData",
            "-Djava.awt.headless=true",
            f"-Djava.io.tmpdir={home / 'tmp'}",
            f"-Dsolr.log.dir={home / 'logs'}",
            # Of Trino.
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "-Djdk.attach.allowAttachSelf=true",
        ]
        command = [*JAVA, *settings, *_path(installed), "Server", str(home), str(port)]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, cwd=home
            )
        self.port = self._wait()
        path = "/solr" if name == "solr" else ""
        self.url = f"http://127.0.0.1:{self.port}{path}"

    def _wait(self) -> int:
        """Return the port when the server reports it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            try:
                return int((self.home / "port").read_text("ascii"))
            except FileNotFoundError:
                time.sleep(0.05)
        self.stop()
        log = self.log.read_text("utf-8", "replace")
        raise RuntimeError(f"{self.name} did not start. The end of {self.log}:\n{log[-4000:]}")

    def stop(self) -> None:
        """End the server, without mercy if it does not end by itself."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=120)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def kill(self) -> None:
        """End the server as a power cut does."""
        self._process.kill()
        self.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def ask(self, path: str, body: object = None, method: str | None = None) -> Any:
        """Send a request past Gainful, and return what JSON came back.

        A body that is text is sent as it is, and anything else as JSON.
        """
        data = None
        if body is not None:
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RefusedError(error.read().decode("utf-8", "replace")) from None

    def create(
        self, index: str, analyzer: str = "standard", *, k1: float = 1.2, b: float = 0.75
    ) -> None:
        """Make an index whose fields are texts, analysed as "standard" or "english".

        Elasticsearch has "english" in a module that is on Maven Central for OpenSearch alone.
        """
        if self.name == "solr":
            core = self.home / index
            shutil.copytree(SOURCES / "solr" / "conf", core / "conf")
            properties = f"property.analyzer={analyzer}&property.k1={k1}&property.b={b}"
            self.ask(f"/admin/cores?action=CREATE&name={index}&instanceDir={core}&{properties}")
            return
        body = {
            "settings": {
                "number_of_shards": 1,
                "number_of_replicas": 0,
                "similarity": {"default": {"type": "BM25", "k1": k1, "b": b}},
            },
            "mappings": {
                "dynamic_templates": [
                    {"texts": {"mapping": {"type": "text", "analyzer": analyzer}, "match": "*"}}
                ]
            },
        }
        self.ask(f"/{index}", body, "PUT")

    def add(self, index: str, documents: Iterable[Document]) -> int:
        """Index the documents, make them findable, and return how many there were."""
        rows = list(documents)
        if self.name == "solr":
            body = [{"id": row.id, **row.fields} for row in rows]
            self.ask(f"/{index}/update?commit=true", body)
            return len(rows)
        lines = []
        for row in rows:
            lines.append(json.dumps({"index": {"_id": row.id}}))
            lines.append(json.dumps(dict(row.fields)))
        answer = self.ask(f"/{index}/_bulk?refresh=true", "\n".join(lines) + "\n")
        if answer["errors"]:
            raise RefusedError(json.dumps(answer)[:2000])
        return len(rows)


def _path(installed: Path) -> list[str]:
    """Return the options of Java that name the engine's code."""
    classes, jars = installed / "classes", installed / "jars"
    if not (installed / "modules").is_dir():
        return ["-cp", f"{classes}:{jars}/*"]
    # Elasticsearch 8 consists of modules of Java, and loads its own into them.
    return ["-p", str(jars), "--add-modules=ALL-MODULE-PATH,jdk.net", "-cp", str(classes)]


def prepare(name: str, home: Path) -> None:
    """Lay out the folder that an engine starts in."""
    for folder in ("tmp", "logs"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    (home / "port").unlink(missing_ok=True)
    modules = INSTALLED / name / "modules"
    if modules.is_dir():
        (home / "config").mkdir(exist_ok=True)
        (home / "modules").symlink_to(modules)
    if name == "solr":
        (home / "solr.xml").write_text("<solr/>", encoding="utf-8")
