"""Format a statement and its parameters for authors of descriptions."""

from __future__ import annotations

from json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gainful.systems.databases.driver import Command
    from gainful.systems.description.templates import Placeholder

__all__ = ["shown"]

_LONGEST = 200


def shown(
    identity: Mapping[str, Any],
    setup: Sequence[Command],
    command: Command,
    placeholders: Sequence[Placeholder],
) -> str:
    """Return the database, the setup, the statement and its parameters as text.

    Parameters
    ----------
    identity : mapping
        The identity of the system.
    setup : sequence of Command
        The commands for a new connection.
    command : Command
        The statement.
    placeholders : sequence of Placeholder
        The placeholders of the command's parameters.
    """
    database = identity.get("database")
    if isinstance(database, dict):
        known = {name: value for name, value in database.items() if name != "state"}
        database = known.get("file") or " ".join(f"{each}={known[each]}" for each in known)
    parts = [f"{identity['engine']} {database or ''}".rstrip()]
    for each in setup:
        values = ", ".join(map(_value, each.values))
        parts.append(each.text.strip() + (f"\n-- with {values}" if values else ""))
    parts.append(command.text.strip("\n"))
    parts.append(
        "\n".join(
            f"{at}  {placeholder} = {_value(value)}"
            for at, (placeholder, value) in enumerate(
                zip(placeholders, command.values, strict=True), 1
            )
        )
    )
    return "\n\n".join(parts)


def _value(value: Any) -> str:
    text = dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
