"""The script that draws charts is stored, and a damaged or missing copy changes nothing."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gainful.report import library
from requirements import need

vl_convert = need("vl_convert")


@pytest.fixture
def bundles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count the bundles that vl-convert makes, without waiting for them."""
    made: list[str] = []

    def bundle(snippet: str) -> str:
        made.append(snippet)
        return f"const vegaEmbed = 'é';{snippet}"

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    monkeypatch.setattr(library, "_load", library._load.__wrapped__)
    return made


SCRIPT = "(() => {const vegaEmbed = 'é';window.vegaEmbed = vegaEmbed;})();".encode()


def test_the_script_is_bundled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundles: list[str]
) -> None:
    folder = tmp_path / "new" / "folder"
    monkeypatch.setenv("GAINFUL_CACHE", str(folder))
    first, again = library._load(), library._load()
    assert first == again
    assert first[0] == gzip.decompress(first[1]) == SCRIPT
    assert len(bundles) == 1
    (file,) = folder.iterdir()
    assert file.read_bytes() == first[1]


@pytest.mark.parametrize("damage", [b"", b"half", b"\x1f\x8b\x08", b"changed"])
def test_a_damaged_copy_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundles: list[str], damage: bytes
) -> None:
    monkeypatch.setenv("GAINFUL_CACHE", str(tmp_path))
    good = library._load()
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    if damage == b"half":
        damage = content[: len(content) // 2]
    elif damage == b"changed":
        damage = content[:20] + bytes([content[20] ^ 4]) + content[21:]
    file.write_bytes(damage)
    assert library._load() == good
    assert len(bundles) == 2
    assert file.read_bytes() == content


def test_another_version_has_another_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundles: list[str]
) -> None:
    monkeypatch.setenv("GAINFUL_CACHE", str(tmp_path))
    library._load()
    monkeypatch.setattr(vl_convert, "get_vega_version", lambda: "99.0.0")
    library._load()
    assert len(bundles) == 2
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("cache", ["0", "{file}", "{file}/below", "/dev/null"])
def test_a_report_needs_no_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundles: list[str], cache: str
) -> None:
    file = tmp_path / "file"
    file.write_text("a file, not a folder")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GAINFUL_CACHE", cache.format(file=file))
    assert library._load()[0] == library._load()[0] == SCRIPT
    assert len(bundles) == 2
    assert list(tmp_path.iterdir()) == [file]


def test_the_folder_is_that_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GAINFUL_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    folders = {"linux": ".cache", "darwin": "Library/Caches", "win32": "AppData/Local"}
    for platform, folder in folders.items():
        monkeypatch.setattr(library.sys, "platform", platform)
        assert library._cache_folder() == Path("/home/ada", folder, "gainful")
    monkeypatch.setenv("LOCALAPPDATA", "/appdata")
    assert library._cache_folder() == Path("/appdata/gainful")
    monkeypatch.setattr(library.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert library._cache_folder() == Path("/caches/gainful")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert library._cache_folder() == Path("/home/ada/.cache/gainful")

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert library._cache_folder() is None
