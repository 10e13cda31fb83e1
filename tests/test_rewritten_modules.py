"""Code of test modules is kept until their source changes."""

from __future__ import annotations

from pathlib import Path
from types import CodeType

from rewritten_modules import stored


def test_code_is_kept_until_the_source_changes(tmp_path: Path) -> None:
    module, compiled = tmp_path / "module.py", []

    def rewrite_module(path: Path, config: object) -> tuple[None, CodeType]:
        compiled.append(path.read_text())
        return None, compile(compiled[-1], path, "exec")

    sources = ["value = 1", "value = 1", "value = 2", "value = 1"]
    for source in sources:
        module.write_text(source)
        names: dict[str, object] = {}
        # Another process.
        _, code = stored(rewrite_module, tmp_path / "kept")(module, None)
        exec(code, names)
        assert f"value = {names['value']}" == source
    assert compiled == ["value = 1", "value = 2", "value = 1"]
