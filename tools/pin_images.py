"""Pin the base images of the Dockerfile by digest.

    python tools/pin_images.py          # asks the registry, and writes the digests of the tags
    python tools/pin_images.py --check  # fails if an image has none, or if it is not served

A tag is another image next week; `rust:1-slim-bookworm@sha256:…` is not. The digest is that of the
index for all processors, computed from the bytes that the registry sends. Dependabot moves tag and
digest together.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: A line that names an image of a registry, without its digest, and the rest of the line.
FROM = re.compile(r"(?m)^(FROM\s+(?:--platform=\S+\s+)?)([^\s@]+)(@sha256:[0-9a-f]{64})?(?=\s|$)")
STAGE = re.compile(r"(?mi)^FROM\s.*\sAS\s+(\S+)")
KINDS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
SECONDS = 60


def located(image: str) -> tuple[str, str, str]:
    """Return the address of the registry, the repository and the tag of an image."""
    before, colon, tag = image.rpartition(":")
    name, tag = (before, tag) if colon and "/" not in tag else (image, "latest")
    host, slash, repository = name.partition("/")
    if not slash or not ({".", ":"} & set(host) or host == "localhost"):
        host, repository = "registry-1.docker.io", name if slash else f"library/{name}"
    scheme = "http" if host.partition(":")[0] in ("localhost", "127.0.0.1") else "https"
    return f"{scheme}://{host}", repository, tag


def _answer(address: str, headers: dict[str, str]) -> bytes:
    request = urllib.request.Request(address, headers=headers)
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        content: bytes = answer.read()
    return content


def _authorized(challenge: str) -> dict[str, str]:
    """Return the header with a token for reading, from the service that a registry names."""
    fields = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    realm = fields.pop("realm", "")
    if not realm.startswith("https://"):
        raise SystemExit(f"cannot read the challenge of the registry: {challenge}")
    token = json.loads(_answer(f"{realm}?{urllib.parse.urlencode(fields)}", {}))
    return {"Authorization": f"Bearer {token.get('token') or token['access_token']}"}


def digest(image: str, reference: str = "") -> str:
    """Return the digest of what the registry serves under a tag, or under a digest."""
    registry, repository, tag = located(image)
    address = f"{registry}/v2/{repository}/manifests/{reference or tag}"
    headers = {"Accept": ", ".join(KINDS)}
    try:
        try:
            content = _answer(address, headers)
        except urllib.error.HTTPError as error:
            if error.code != 401:
                raise
            challenge = error.headers["WWW-Authenticate"] or ""
            content = _answer(address, headers | _authorized(challenge))
    except OSError as error:
        raise SystemExit(f"{image}: cannot read {address} ({error})") from None
    if json.loads(content).get("mediaType") not in KINDS:
        raise SystemExit(f"{image}: {address} is no index of images")
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def images(text: str) -> list[tuple[str, str]]:
    """Return the images of a Dockerfile with their digests, without its own stages."""
    stages = {*STAGE.findall(text), "scratch"}
    return [(image, pin[1:]) for _, image, pin in FROM.findall(text) if image not in stages]


def pinned(text: str) -> str:
    """Return a Dockerfile with the digests that its tags have now."""
    digests = {image: digest(image) for image, _ in images(text)}

    def line(match: re.Match[str]) -> str:
        image = match[2]
        return f"{match[1]}{image}@{digests[image]}" if image in digests else match[0]

    return FROM.sub(line, text)


def check(text: str) -> list[str]:
    """Return what is wrong with the digests of a Dockerfile."""
    problems = []
    for image, pin in images(text):
        served = digest(image, pin) if pin else ""
        if not pin:
            problems.append(f"{image}: no digest")
        elif served != pin:
            problems.append(f"{image}: {pin} is served as {served}")
    return problems


def main(arguments: list[str]) -> int:
    """Pin or check the images of a Dockerfile."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "Dockerfile")
    options = parser.parse_args(arguments)
    text = options.file.read_text("utf-8")
    if options.check:
        problems = check(text)
        print("\n".join(problems) or f"{len(images(text))} images have digests")
        return 1 if problems else 0
    options.file.write_text(pinned(text), "utf-8")
    print("\n".join(f"{image}@{pin}" for image, pin in images(options.file.read_text("utf-8"))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
