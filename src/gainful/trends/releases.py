"""The values of releases, from snapshots and from evaluations."""

from __future__ import annotations

from functools import partial
from os import PathLike, listdir
from os.path import isdir, join, splitext
from re import split
from typing import NamedTuple

from gainful.conventions import Convention
from gainful.data.paths import stem
from gainful.errors import ArgumentError, MatchError, MeasureError, ParameterError, SourceError
from gainful.evaluation import Evaluation
from gainful.evaluation.value_evaluations import GIVEN
from gainful.gates import Snapshot, read_snapshot
from gainful.gates.creation import judgments_digest
from gainful.measures.choosing import choose_measure
from gainful.trends.pages import read_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.measures import Measure

    Range = tuple[float | None, float | None]

__all__ = ["Values", "check_same", "judged_alike", "name_releases", "read_releases"]

#: The files of a folder that can be releases.
_SUFFIXES = (".json", ".html", ".csv", ".tsv", ".parquet")


class Values(NamedTuple):
    """The values of a release by query, and what is known of its judgments."""

    name: str
    file: str | None
    system: str
    convention: Convention
    measure: Measure
    range: Range
    values: dict[str, float]
    judgments: str | None
    by_query: Callable[[str], str | None]


def name_releases(given: Any) -> dict[str, Any]:
    """Return releases by name, in order: a mapping, paths, or the files of a folder."""
    if hasattr(given, "items"):
        return dict(given)
    single = (str, PathLike, Snapshot, Evaluation)
    if not isinstance(given, single) and not hasattr(given, "__iter__"):
        raise ArgumentError(
            where="releases",
            found=type(given).__name__,
            expected="paths of files or of a folder, or a mapping of names to releases",
        )
    several = [given] if isinstance(given, single) else list(given)
    releases: dict[str, Any] = {}
    for one in several:
        if isinstance(one, (Snapshot, Evaluation)):
            raise ArgumentError("snapshots and evaluations in memory need names: pass a mapping")
        for path in _files(str(one)):
            name = stem(path).removesuffix(".html")
            if name in releases:
                raise ParameterError(
                    f"two releases are called {name}", where="releases", hint="name them: NAME=FILE"
                )
            releases[name] = path
    return releases


def _files(path: str) -> list[str]:
    """Return the files of a folder, 2 before 10; a file is itself."""
    if not isdir(path):
        return [path]

    def order(name: str) -> list[tuple[int, int, str]]:
        parts = split(r"(\d+)", name)
        return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]

    names = [name for name in listdir(path) if splitext(name)[1].lower() in _SUFFIXES]
    if not names:
        raise SourceError(
            file=path,
            found="a folder without releases",
            expected=f"files that end in {', '.join(_SUFFIXES)}",
        )
    return [join(path, name) for name in sorted(names, key=order)]


def read_releases(
    releases: Mapping[str, Any], measure: Measure | str | None, system: str | None
) -> list[Values]:
    """Return the values of one measure in each release."""
    return [_read(name, release, measure, system) for name, release in releases.items()]


def _read(name: str, release: Any, measure: Measure | str | None, system: str | None) -> Values:
    file = None
    if not isinstance(release, (Snapshot, Evaluation)):
        file = str(release)
        suffix = splitext(file)[1].lower()
        if suffix == ".html":
            return _read_page(name, file, measure, system)
        if suffix == ".json":
            release = read_snapshot(file)
        else:
            release = Evaluation.from_values(file, None if measure is None else str(measure))
    if isinstance(release, Snapshot):
        place = _place(release.measures, release.convention, measure, name)
        return Values(
            name,
            file,
            release.system,
            release.convention,
            release.measures[place],
            release.resolved[place].range(release.convention),
            release.values(release.resolved[place]),
            release.judgments,
            {query: row.judgments for query, row in release.queries.items()}.get,
        )
    chosen = _choose(release.systems, system, name)
    place = _place(release.measures, release.convention, measure, name)
    requested = release.measures[place]
    return Values(
        name,
        file,
        chosen,
        release.convention,
        requested,
        release.range_on_data(requested, chosen),
        dict(release.per_query(requested, chosen)),
        release.judgments_digest,
        partial(judgments_digest, release._judgments),
    )


def _read_page(name: str, file: str, measure: Measure | str | None, system: str | None) -> Values:
    page = read_page(file)
    place = _place(page.measures, page.convention, measure, name)
    chosen = _choose(page.systems, system, name)
    return Values(
        name,
        file,
        chosen,
        page.convention,
        page.measures[place],
        page.measures[place].resolve(page.convention).range(page.convention),
        page.values(place, chosen),
        page.judgments,
        lambda query: None,
    )


def _choose(systems: Sequence[str], system: str | None, name: str) -> str:
    """Return the system to follow: the only one, or the one with this name."""
    if len(systems) > 1 and system not in systems:
        raise ParameterError(
            where="system",
            found=f"{len(systems)} systems in {name}" if system is None else system,
            expected=f"one of {', '.join(systems)}",
        )
    return systems[0] if len(systems) == 1 else str(system)


def _place(
    measures: Sequence[Measure], convention: Convention, measure: Measure | str | None, name: str
) -> int:
    if measure is None:
        return 0
    names = [repr(one) for one in measures]
    wanted = str(measure)
    if wanted in names:
        return names.index(wanted)
    resolved = [one.resolve(convention) for one in measures]
    sought = choose_measure(measure, convention).resolve(convention)
    if sought not in resolved:
        raise MeasureError(f"{name} has no {wanted}; it has {', '.join(names)}", where=wanted)
    return resolved.index(sought)


def check_same(releases: Sequence[Values]) -> None:
    """Raise an error if the values of releases do not have the same meaning."""
    known = [release for release in releases if release.convention != GIVEN] or releases
    last = known[-1]
    for release in releases:
        if release.convention == GIVEN:
            # Values in a table have the name of their measure only.
            same = repr(release.measure) == repr(last.measure)
        else:
            same = release.convention.spec() == last.convention.spec() and repr(
                release.measure.resolve(release.convention)
            ) == repr(last.measure.resolve(last.convention))
        if not same:
            raise MatchError(
                f"{release.name} has {release.measure!r} ({release.convention.name}), {last.name}"
                f" has {last.measure!r} ({last.convention.name})",
                where="releases",
                hint="evaluate all releases with the same measure and convention",
            )


def judged_alike(release: Values, last: Values) -> list[str]:
    """Return the queries with a value whose judgments are those of the last release."""
    if None in (release.judgments, last.judgments) or release.judgments == last.judgments:
        return list(release.values)
    return [
        query
        for query in release.values
        if query not in last.values or release.by_query(query) == last.by_query(query)
    ]
