"""What the record runs: sessions of steps, with the files that they start from.

`record/inputs` has a session per line of its ``*.jsonl`` files and per ``[[session]]`` of its
``*.toml`` files:

``name``
    Unique. A case is named ``SESSION:STEP``, with the step's name or its number from 1 on.
``files``
    Contents by name: text, ``{"base64": …}``, or ``{"copy": …}``, a file or folder of
    `record/files`. A folder may have the name ``.``.
``needs``
    Python packages (``pandas``) or programs (``program:bash``) without which it is skipped.
``steps``
    Each has one of ``gainful`` (arguments of the program, with
    ``*`` as in a shell), ``bash`` (a script), ``python`` (a
    script; all of a session share their names) and ``prompts`` (a session with ``>>>``). With
    ``aside`` it runs in a copy of the folder, so that later steps do not see what it does.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["KINDS", "Record", "Session", "Step", "compact"]

KINDS = ("gainful", "bash", "python", "prompts")
_KEYS = {"name", "files", "needs", "steps"}


class Step(NamedTuple):
    """One thing that a session does, which is a case of the record."""

    case: str
    kind: str
    input: str | list[str]
    is_aside: bool


class Session(NamedTuple):
    """Steps that run one after another in one folder."""

    name: str
    files: dict[str, Any]
    needs: list[str]
    steps: list[Step]
    digest: str


class Record:
    """The folder of the record, with its inputs and outputs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.groups = self._read_inputs()

    @property
    def sessions(self) -> list[Session]:
        """All sessions."""
        return [session for sessions in self.groups.values() for session in sessions]

    def _read_inputs(self) -> dict[str, list[Session]]:
        groups: dict[str, list[Session]] = {}
        names: set[str] = set()
        for path in sorted((self.folder / "inputs").iterdir()):
            text = path.read_text("utf-8")
            if path.suffix == ".toml":
                declared = tomllib.loads(text)["session"]
            elif path.suffix == ".jsonl":
                declared = [json.loads(line) for line in text.splitlines()]
            else:
                raise SystemExit(f"{path}: expected .toml or .jsonl")
            sessions = [self._session(declaration, path) for declaration in declared]
            for session in sessions:
                if session.name in names:
                    raise SystemExit(f"{path}: two sessions have the name {session.name}")
                names.add(session.name)
            if path.stem in groups:
                raise SystemExit(f"{path}: two files of inputs have this name")
            groups[path.stem] = sessions
        return groups

    def _session(self, declared: dict[str, Any], path: Path) -> Session:
        if unknown := set(declared) - _KEYS:
            raise SystemExit(f"{path}: {declared.get('name')}: unknown keys {sorted(unknown)}")
        steps = []
        for number, step in enumerate(declared["steps"], start=1):
            kinds = [kind for kind in KINDS if kind in step]
            if len(kinds) != 1 or set(step) - {"name", "aside", *KINDS}:
                raise SystemExit(f"{path}: {declared['name']}: step {number} is not valid")
            case = f"{declared['name']}:{step.get('name', number)}"
            steps.append(Step(case, kinds[0], step[kinds[0]], step.get("aside", False)))
        if len({step.case for step in steps}) < len(steps):
            raise SystemExit(f"{path}: {declared['name']}: two steps have the same name")
        files = declared.get("files", {})
        copied = [self._digest(entry["copy"]) for entry in files.values() if "copy" in entry]
        content = compact([files, copied, [list(step) for step in steps]])
        digest = hashlib.sha256(content.encode()).hexdigest()[:16]
        return Session(declared["name"], files, declared.get("needs", []), steps, digest)

    def _digest(self, name: str) -> str:
        """Return a digest of a file or folder of `record/files`."""
        top = self.folder / "files" / name
        found = hashlib.sha256()
        for path in sorted([top, *top.rglob("*")]):
            if path.is_file():
                found.update(f"{path.relative_to(top)}\0".encode() + path.read_bytes())
        return found.hexdigest()

    def write_files(self, session: Session, folder: Path) -> None:
        """Write the files that a session starts from."""
        folder.mkdir(parents=True)
        for name, entry in session.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(entry, str):
                path.write_bytes(entry.encode("utf-8", "surrogateescape"))
            elif "base64" in entry:
                path.write_bytes(base64.b64decode(entry["base64"]))
            elif (stored := self.folder / "files" / entry["copy"]).is_dir():
                shutil.copytree(stored, path, dirs_exist_ok=True)
            else:
                shutil.copyfile(stored, path)

    def read_outputs(self) -> dict[str, Any]:
        """Return the recorded outputs by case."""
        outputs: dict[str, Any] = {}
        for path in sorted((self.folder / "outputs").glob("*.jsonl")):
            outputs |= read_lines(path)
        return outputs

    def read_accepted(self) -> dict[str, Any]:
        """Return the outputs of the cases that differ by intention."""
        return read_lines(self.folder / "accepted.jsonl")

    def write_accepted(self, outputs: dict[str, Any]) -> None:
        """Write the outputs of the cases that differ by intention."""
        write_lines(self.folder / "accepted.jsonl", outputs)

    def add_outputs(self, outputs: dict[str, Any]) -> None:
        """Append outputs of cases that are not recorded; the lines that are there stay."""
        (self.folder / "outputs").mkdir(exist_ok=True)
        for group, sessions in self.groups.items():
            cases = [step.case for session in sessions for step in session.steps]
            added = {case: outputs[case] for case in cases if case in outputs}
            if added:
                with (self.folder / "outputs" / f"{group}.jsonl").open(
                    "a", encoding="utf-8"
                ) as sink:
                    sink.writelines(_lines(added))


def read_lines(path: Path) -> dict[str, Any]:
    """Return outputs by case from a file, or none if there is no file."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as source:
        entries = [json.loads(line) for line in source]
    return {entry.pop("case"): entry for entry in entries}


def write_lines(path: Path, outputs: dict[str, Any]) -> None:
    """Write outputs, sorted by case."""
    with path.open("w", encoding="utf-8") as sink:
        sink.writelines(_lines(dict(sorted(outputs.items()))))


def _lines(outputs: dict[str, Any]) -> list[str]:
    return [compact({"case": case, **output}) + "\n" for case, output in outputs.items()]


def compact(value: object) -> str:
    """Return a value as JSON on one line, in the order of its keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
