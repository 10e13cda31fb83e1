"""Random changes to the values of JSON, TOML and tables: the file stays valid, or nearly so."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["restructured"]

_DEEP = ("[" * 900 + "]" * 900, '{"a":' * 300 + "1" + "}" * 300)
#: Values that readers may forget, as JSON.
_VALUES = (
    *("null", "true", "false", "[]", "{}", '""', "0", "-1", "1", "0.5", "-0.0", "1e308", "5e-324"),
    *("1e999", "NaN", "Infinity", "-Infinity", "1" + "0" * 400, "9" * 5000, "9007199254740993"),
    *('" "', '"\\n"', '"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '"e\\u0301"', '"\\u202e"'),
    *('"<b>"', '"{{question}}"', '"../x"', '"1"', '"nan"', '"1e999"', '"1_0"', '"\\u0661"'),
    *("[[]]", "[null]", '[1, "a"]', '["d1"]', "[0.5]", '{"": 1}', '{"a": null}', '{"a": [1]}'),
    *(f'"{"x" * 70_000}"', *_DEEP),
)
#: The same for cells of a table.
_CELLS = (
    *("", " ", "nan", "inf", "-inf", "1e999", "5e-324", "1e308", "-0", "0", "-1", "1", "0.5"),
    *("1_000", "0x10", "9" * 400, "9" * 5000, "\u0661", "\uff11", "1.", ".5", "+1", "1e3", "-"),
    *("\ufeff", "\0", "\r", "\x85", "\u2028", "\ud800", '"', '""', "'", "null", "true", "#"),
    *("[]", "{}", '["d1"]', "{'a': 1}", "a b", "a,b", "a;b", "a|b", "a\tb", "x" * 70_000),
)
_MARK = "\ue000"
_SETTING = re.compile(r"\s*[\w.\"-]+ = ")


def restructured(content: bytes, chance: random.Random) -> bytes:
    """Return contents with a few other values, and maybe in another encoding."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        text = _changed(text, chance)
    match chance.randrange(30):
        case 0:
            return text.encode("utf-16", "surrogatepass")
        case 1:
            text = "\ufeff" + text
        case 2:
            text = text.replace("\n", "\r\n")
        case 3:
            text = text.replace("\n", "\r")
    return text.encode("utf-8", "surrogatepass")


def _changed(text: str, chance: random.Random) -> str:
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _changed_json(text, chance)
        except (ValueError, RecursionError):
            pass
    lines = text.split("\n")
    at = chance.choice([n for n, line in enumerate(lines) if line] or [0])
    try:
        lines[at] = _changed_line(lines[at], chance)
    except (ValueError, RecursionError):
        # It is no JSON any more.
        lines[at] = lines[at][: len(lines[at]) // 2]
    return "\n".join(lines)


def _changed_line(line: str, chance: random.Random) -> str:
    if line[:1] in ("{", "["):
        return _changed_json(line, chance)
    if setting := _SETTING.match(line):
        return setting[0] + chance.choice(_VALUES)
    mark = next((each for each in "\t,; " if each in line), " ")
    cells = line.split(mark)
    at = chance.randrange(len(cells))
    match chance.randrange(6):
        case 0:
            del cells[at]
        case 1:
            cells.insert(at, chance.choice(_CELLS))
        case _:
            cells[at] = chance.choice(_CELLS)
    return mark.join(cells)


def _changed_json(text: str, chance: random.Random) -> str:
    whole = [json.loads(text)]
    places = list(_places(whole))
    container, key = chance.choice(places)
    raw, value = chance.choice(_VALUES), container[key]
    match chance.randrange(6):
        case 0 if container is not whole:
            del container[key]
        case 1 if isinstance(value, dict) and value:
            # A name that occurs twice.
            name = json.dumps(chance.choice(list(value)))
            raw = f"{{{name}: {raw}, {json.dumps(value)[1:]}"
            container[key] = _MARK
        case 2:
            other, name = chance.choice(places)
            raw = json.dumps(other[name])
            container[key] = _MARK
        case _:
            container[key] = _MARK
    return json.dumps(whole[0], ensure_ascii=False).replace(f'"{_MARK}"', raw)


def _places(whole: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each container with each of its keys."""
    waiting: list[Any] = [whole]
    while waiting:
        container = waiting.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            yield container, key
            if isinstance(container[key], (dict, list)):
                waiting.append(container[key])
