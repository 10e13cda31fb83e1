"""Past experiments: an offline and an online difference, with their standard errors."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from gainful._kernel import names_of, names_with
from gainful.data.records import Record, finite, read_records
from gainful.errors import ArgumentError, ColumnError, FormatError, ParameterError
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from typing import TypeAlias

    ExperimentsLike: TypeAlias = str | PathLike[str] | Iterable["Experiment | Mapping[str, object]"]

__all__ = ["Experiment", "experiments_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One change that was evaluated offline and in an A/B test.

    Attributes
    ----------
    offline_difference, online_difference : float
        The new system minus the old one, each in its own unit.
    offline_se, online_se : float or None
        Their standard errors, at least 0; None if unknown.
    experiment : str
        The name of the experiment.
    measure, metric : str
        The offline measure and the online metric; empty if there is only one.
    """

    offline_difference: float
    online_difference: float
    offline_se: float | None = None
    online_se: float | None = None
    experiment: str = ""
    measure: str = ""
    metric: str = ""


def experiments_of(given: ExperimentsLike) -> tuple[str, list[Experiment]]:
    r"""Return a name for messages, and the experiments.

    Parameters
    ----------
    given : path, or iterable of Experiment or of mappings
        A path is a file for `gainful.data.records.read_records`, with the columns
        ``offline_difference`` and ``online_difference``, and optionally ``offline_se``,
        ``online_se``, ``experiment``, ``measure`` and ``metric``. Mappings have the same keys, such
        as a data frame's ``to_dicts()`` or ``to_dict("records")``.

    Raises
    ------
    SourceError
        If a file cannot be read.
    ColumnError
        Without one of the two differences.
    FormatError
        For a difference that is not a finite number, or an error below 0; the message names the
        line.
    ParameterError
        If there are no experiments.

    Examples
    --------
    >>> rows = [{"offline": 0.02, "online": 0.8, "offline_se": 0.006}]
    >>> experiments_of(rows)[1][0].offline_se
    0.006
    """
    if isinstance(given, (str, os.PathLike)):
        table = read_records(given)
        name, records = table.name, table.rows
        keys = _keys(name, table.columns)
        experiments = [_experiment(name, record, keys) for record in records]
    else:
        name, experiments = "experiments", []
        if not hasattr(given, "__iter__"):
            raise ArgumentError(
                where=name,
                found=type(given).__name__,
                expected="a path, or experiments or mappings",
            )
        columns: tuple[str, ...] | None = None
        for number, experiment in enumerate(given, 1):
            if isinstance(experiment, Experiment):
                experiments.append(experiment)
                continue
            where = f"experiment {number}"
            if not hasattr(experiment, "items"):
                raise ArgumentError(
                    where=where,
                    found=type(experiment).__name__,
                    expected="an Experiment or a mapping",
                )
            cells = {str(key): value for key, value in experiment.items()}
            if columns != tuple(cells):
                columns = tuple(cells)
                keys = _keys(where, columns)
            experiments.append(_experiment(where, Record(None, cells), keys))
    if not experiments:
        raise ParameterError("at least one experiment is required", where=name)
    return name, experiments


def _keys(name: str, columns: tuple[str, ...]) -> dict[str, str]:
    """Return the column of each known field."""
    keys: dict[str, str] = {}
    parts = [field.name for field in fields(Experiment)]
    for part in parts:
        known = names_with(list(columns), part)
        if len(known) > 1:
            raise ColumnError(f"{' and '.join(known)} are both columns of {part}", file=name)
        keys.update((part, column) for column in known)
    for part in ("offline_difference", "online_difference"):
        if part not in keys:
            raise ColumnError(
                file=name,
                found=f"the columns {names_shown(columns)}",
                expected=f"a column of {part} ({', '.join(names_of(part))})",
                hint=f"the columns are {', '.join(parts)}; only the two differences are required",
            )
    return keys


def _experiment(name: str, record: Record, keys: Mapping[str, str]) -> Experiment:
    def cell(field: str) -> object:
        return record.cells.get(keys[field]) if field in keys else None

    def number(field: str, expected: str, least: float = float("-inf")) -> float | None:
        if cell(field) in (None, ""):
            return None
        return finite(name, record, keys[field], expected=expected, least=least)

    def difference(field: str) -> float:
        value = number(field, "a finite number")
        if value is None:
            raise FormatError(f"{keys[field]} is missing", file=name, line=record.line)
        return value

    def error(field: str) -> float | None:
        return number(field, "a finite number of 0 or more", 0.0)

    def text(field: str) -> str:
        value = cell(field)
        return "" if value is None else str(value)

    return Experiment(
        offline_difference=difference("offline_difference"),
        online_difference=difference("online_difference"),
        offline_se=error("offline_se"),
        online_se=error("online_se"),
        experiment=text("experiment"),
        measure=text("measure"),
        metric=text("metric"),
    )
