"""Records: declared fields, their JSON schemas, and the committed copies of these."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any, Literal

import pytest

from gainful.records import Interval, Record, as_columns, derived, field, swapped
from gainful.records.tables import table_of
from json_schema import SCHEMAS, errors

sys.path.append(str(SCHEMAS.parent))
import schemas as written


class Side(Record):
    """A side of a comparison."""

    name: str
    """Its name."""
    n: int = field(default=3, json={"minimum": 0})
    """Queries."""


class Difference(Record):
    """A difference of two sides."""

    COLUMNS = {"ordered": "difference p n baseline"}

    system: str = field(tables="main", mirror="baseline")
    """The system."""
    baseline: str = field(tables="main", label="vs. {kind}", mirror="system")
    """What it is compared with."""
    difference: float | None = field(
        tables="main", show=lambda x: f"{x:+.1f}", mirror="-difference"
    )
    """The difference; `None` if unknown."""
    effect_interval: Interval | None = field(default=None, tables="main", mirror="-effect_interval")
    """The interval of the effect."""
    note: str = field(default="", tables="main", if_any=True, key="")
    """A remark."""
    sides: tuple[Side, ...] = ()
    """Both sides."""
    by_query: dict[str, float] | None = field(default=None, optional=True)
    """By query."""
    first: Side | None = field(default=None, optional=True)
    """The first side."""
    kind: Literal["a", "b"] | None = None
    """A choice."""
    double: float | None = derived(lambda pair: pair.difference and 2 * pair.difference)
    """Twice the difference."""
    n: int = field(default=1234, key="")
    """Queries."""
    p: float | None = field(default=0.0000001, key="")
    """The p-value."""


PAIR = Difference(
    system="x",
    baseline="y",
    difference=0.5,
    effect_interval=Interval(0.1, 0.9),
    sides=(Side(name="s"),),
)


def test_json_follows_the_declaration() -> None:
    assert list(PAIR.to_dict().items()) == [
        ("system", "x"),
        ("baseline", "y"),
        ("difference", 0.5),
        ("effect_low", 0.1),
        ("effect_high", 0.9),
        ("sides", [{"name": "s", "n": 3}]),
        ("kind", None),
        ("double", 1.0),
    ]
    assert as_columns(Difference, [PAIR])["effect_high"] == [0.9]
    assert "sides" not in as_columns(Difference, [])


def test_the_schema_follows_the_declaration() -> None:
    schema = written.record_schema(Difference)
    assert errors(PAIR.to_dict(), schema) == []
    assert errors(PAIR.replace(difference=None, effect_interval=None).to_dict(), schema) == []
    assert errors({**PAIR.to_dict(), "effect_low": "x"}, schema) != []
    properties = schema["properties"]
    assert properties["difference"] == {
        "description": "The difference; null if unknown.",
        "type": ["number", "null"],
    }
    assert properties["effect_low"]["description"] == "The lower end of the interval of the effect."
    assert properties["sides"]["items"]["properties"]["n"]["minimum"] == 0
    assert properties["kind"]["enum"] == ["a", "b", None]
    assert properties["by_query"]["additionalProperties"] == {"type": "number"}
    assert properties["first"]["type"] == "object"
    assert properties["first"]["description"] == "The first side."
    assert "by_query" not in schema["required"]
    assert "note" not in properties


def test_a_table_has_the_declared_columns() -> None:
    table = table_of([PAIR], "main", title="Pairs", labels={"kind": "base"})
    assert table.keys == ("system", "baseline", "difference", "effect_interval")
    assert table.headers[1] == "vs. base"
    noted = table_of([PAIR, PAIR.replace(note="!")], "main", labels={"kind": "base"})
    assert "note" in noted.keys


def test_a_table_with_declared_columns_has_their_order() -> None:
    table = table_of([PAIR], "ordered", labels={"kind": "base"})
    assert table.keys == ("difference", "p", "n", "baseline")
    # Numbers are formatted by their types, p-values by their names.
    assert table.cells().rows == [["+0.5", "<.0001", "1234", "y"]]


def test_the_sides_of_a_comparison_are_swapped() -> None:
    other = swapped(PAIR, note="swapped")
    assert (other.system, other.baseline, other.difference) == ("y", "x", -0.5)
    assert other.effect_interval == Interval(-0.9, -0.1)
    assert swapped(other, note="") == PAIR


def test_a_record_is_an_immutable_value() -> None:
    assert pickle.loads(pickle.dumps(PAIR)) == PAIR
    assert hash(Side(name="a")) == hash(Side(name="a"))
    assert Side(name="a") != Side(name="b")
    assert repr(Side(name="a")) == "Side(name='a', n=3)"
    with pytest.raises(AttributeError, match="Side is immutable"):
        Side(name="a").n = 4  # type: ignore[misc]
    with pytest.raises(TypeError, match="required keyword-only argument: 'name'"):
        Side()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'double'"):
        PAIR.replace(double=3)


COMMITTED = sorted(path.name for path in SCHEMAS.glob("*.json"))


@pytest.fixture(scope="module")
def contracts() -> dict[str, dict[str, Any]]:
    return written.schemas()


@pytest.mark.parametrize("name", COMMITTED)
def test_the_committed_schema_is_that_of_the_declaration(
    name: str, contracts: dict[str, dict[str, Any]]
) -> None:
    assert (SCHEMAS / name).read_text("utf-8") == written.text(contracts[name])


def test_the_report_explains_the_fields_of_pairs() -> None:
    assert written.PAGE.read_text("utf-8") == written.text(written.page_texts())


def test_every_committed_schema_has_a_declaration(contracts: dict[str, dict[str, Any]]) -> None:
    assert set(COMMITTED) == set(contracts)


@pytest.mark.parametrize("name", COMMITTED)
def test_every_field_is_described(name: str, contracts: dict[str, dict[str, Any]]) -> None:
    assert list(undescribed(contracts[name])) == []


def undescribed(schema: object, place: str = "") -> list[str]:
    """Return the properties without a description, but for the name of the contract."""
    found = []
    if isinstance(schema, dict):
        for key, part in schema.get("properties", {}).items():
            if not part.get("description") and not part.keys() & {"const", "$ref"}:
                found.append(f"{place}.{key}")
        for key, part in schema.items():
            found += undescribed(part, f"{place}.{key}")
    elif isinstance(schema, list):
        for part in schema:
            found += undescribed(part, place)
    return found


def test_a_version_keeps_its_keys_and_their_types() -> None:
    old = written.record_schema(Difference)
    new = json.loads(json.dumps(old))
    new["properties"]["more"] = {"type": "string"}
    assert written.incompatible(old, new) == []
    del new["properties"]["difference"]
    new["properties"]["sides"]["items"]["properties"]["n"]["type"] = ["integer", "null"]
    assert written.incompatible(old, new) == ["difference is removed", "sides[].n becomes null"]


def test_the_command_refuses_an_incompatible_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = {"properties": {"gone": {"type": "string"}}}
    (tmp_path / "power-1.json").write_text(json.dumps(old), "utf-8")
    monkeypatch.setattr(written, "FOLDER", tmp_path)
    monkeypatch.setattr(written, "schemas", lambda: {"power-1.json": {"properties": {}}})
    monkeypatch.setattr(sys, "argv", ["schemas.py"])
    assert written.main() == 1
    assert "power-1.json: gone is removed. Change the version." in capsys.readouterr().err
    assert json.loads((tmp_path / "power-1.json").read_text("utf-8")) == old
    monkeypatch.setattr(sys, "argv", ["schemas.py", "--unreleased"])
    assert written.main() == 0
    assert json.loads((tmp_path / "power-1.json").read_text("utf-8")) == {"properties": {}}
