"""The tool that pins base images, against a registry of its own."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from requirements import ROOT

INDEX = json.dumps({"mediaType": "application/vnd.oci.image.index.v1+json"}).encode()
DIGEST = "sha256:" + hashlib.sha256(INDEX).hexdigest()
DOCKERFILE = """FROM {host}/library/rust:1-slim AS build
RUN true
FROM --platform=linux/amd64 {host}/python:3.13
COPY --from=build /a /a
FROM build
"""


@pytest.fixture(scope="module")
def registry() -> Iterator[str]:
    served = {
        "/v2/library/rust/manifests/1-slim": INDEX,
        "/v2/python/manifests/3.13": INDEX,
        f"/v2/library/rust/manifests/{DIGEST}": INDEX,
        f"/v2/python/manifests/{DIGEST}": INDEX,
        "/v2/python/manifests/sha256:" + "0" * 64: INDEX,
        "/v2/python/manifests/one": b'{"mediaType": "application/vnd.oci.image.manifest.v1+json"}',
    }

    class Registry(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = served.get(self.path)
            self.send_response(404 if content is None else 200)
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *arguments: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def pin(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    program: list[str | Path] = [sys.executable, ROOT / "tools" / "pin_images.py", *options, file]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def test_images_get_the_digests_of_their_tags(registry: str, tmp_path: Path) -> None:
    file = tmp_path / "Dockerfile"
    file.write_text(DOCKERFILE.format(host=registry), "utf-8")
    before = pin(file, "--check")
    assert (before.returncode, before.stdout.count("no digest")) == (1, 2)
    for _ in range(2):
        assert pin(file).returncode == 0
        text = file.read_text("utf-8")
        assert f"FROM {registry}/library/rust:1-slim@{DIGEST} AS build\n" in text
        assert f"FROM --platform=linux/amd64 {registry}/python:3.13@{DIGEST}\n" in text
        assert text.endswith("FROM build\n")
    assert pin(file, "--check").returncode == 0


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("python:3.12", "404"),
        ("python:one", "is no index of images"),
        ("python:3.13@sha256:" + "0" * 64, f"is served as {DIGEST}"),
    ],
)
def test_what_a_registry_does_not_serve_is_an_error(
    image: str, message: str, registry: str, tmp_path: Path
) -> None:
    file = tmp_path / "Dockerfile"
    file.write_text(f"FROM {registry}/{image}\n", "utf-8")
    done = pin(file, *(["--check"] if "@" in image else []))
    assert done.returncode == 1
    assert message in done.stdout + done.stderr
    assert file.read_text("utf-8") == f"FROM {registry}/{image}\n"
