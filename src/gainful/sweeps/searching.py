"""Run the queries of a sweep with the settings of each point."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from math import ceil
from os import PathLike

from gainful.errors import ArgumentError
from gainful.sweeps.points import Point, format_value
from gainful.systems.description import read_description

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gainful.data import Run
    from gainful.systems.fetching.options import Options
    from gainful.systems.protocol import System
    from gainful.systems.queries import Queries

__all__ = ["PointSearches"]


class PointSearches:
    """Searches of a system at the points of a sweep, with common arguments.

    Parameters
    ----------
    system : path, mapping or callable
        As for `gainful.sweep`.
    queries : Queries
        The queries.
    options : Options
        The options of each search.
    record, replay : path, optional
        For `load_system`.
    **arguments
        Further arguments of `search_with`.
    """

    def __init__(
        self,
        system: Any,
        queries: Queries,
        options: Options,
        *,
        record: str | PathLike[str] | None = None,
        replay: str | PathLike[str] | None = None,
        **arguments: Any,
    ) -> None:
        if not isinstance(system, (str, PathLike, AnyMapping)) and not callable(system):
            raise ArgumentError(
                where="system",
                found=type(system).__name__,
                expected="a description, or a function that takes the settings and returns a"
                " system",
                hint="sweep(MyRetriever, ...) calls MyRetriever(k1=0.9, b=0.4) at each point",
            )
        if callable(system) and (record is not None or replay is not None):
            raise ArgumentError(
                where="record" if record is not None else "replay",
                found="a function",
                expected="the description of a search engine over HTTP",
            )
        self.system = system
        self.record, self.replay = record, replay
        self.queries = queries
        self.options = options
        self.arguments = arguments

    def current(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the description's own values of settings; empty for a callable."""
        if callable(self.system):
            return {}
        known = read_description(self.system).settings
        return {name: known[name] for name in names if name in known}

    def run(
        self, points: Sequence[Point], progress: Callable[[int, int, int], object] | None
    ) -> dict[str, Run]:
        """Run the queries at each point, one point after the other.

        Raises
        ------
        NoAnswerError
            If no query is answered at a point; the remaining points are skipped.
        """
        from gainful.systems.call import no_answer
        from gainful.systems.fetching.verification import VERIFIED

        self._check(points)
        found: dict[str, Run] = {}
        number, failed = len(self.queries), 0
        # All points share the system.
        verified = ceil(VERIFIED / len(points))
        for at, point in enumerate(points):

            def report_progress(
                done: int, total: int, lost: int, at: int = at, before: int = failed
            ) -> None:
                if progress is not None:
                    progress(at * number + done, len(points) * number, before + lost)

            try:
                found[point.name] = run = self._run(point, report_progress, verified)
            except KeyboardInterrupt as interrupt:
                interrupt.add_note(f"Interrupted at point {at + 1} of {len(points)}, {point.name}.")
                raise
            failed += len(run.failed)
            if run.failed and len(run.failed) == number:
                assert run.account is not None  # every run of a search has one
                raise no_answer(run.account, point.name)
        return found

    def _check(self, points: Sequence[Point]) -> None:
        """Reject settings that a description does not declare, before searching."""
        if callable(self.system):
            return
        for point in points:
            read_description(self.system, settings=point.settings)

    def _run(self, point: Point, progress: Callable[[int, int, int], object], verified: int) -> Run:
        from gainful.systems.call import search_with

        return search_with(
            self._system(point),
            self.queries,
            self.options,
            name=point.name,
            progress=progress,
            verified=verified,
            **self.arguments,
        )

    def _system(self, point: Point) -> System:
        """Return the system with the settings of a point."""
        if not callable(self.system):
            from gainful.systems import load_system

            return load_system(
                self.system,
                settings=point.settings,
                name=point.name,
                record=self.record,
                replay=self.replay,
            )
        from gainful.systems import as_system
        from gainful.systems.python.renamed import Renamed

        created = _create_system(self.system, point)
        named = {name: self.arguments[name] for name in ("fields", "version")}
        settings = {name: format_value(value) for name, value in point.settings.items()}
        return Renamed(
            as_system(created, batch=self.options.batch, **named), point.name, settings=settings
        )


def _create_system(system: Callable[..., Any], point: Point) -> Any:
    """Return the system that a function or class creates from the settings of a point."""
    from inspect import signature

    named = {name.replace(".", "_"): value for name, value in point.settings.items()}
    try:
        signature(system).bind(**named)
    except TypeError as error:
        raise ArgumentError(
            where=point.name,
            found=f"a callable that rejects the settings {', '.join(named) or '()'} ({error})",
            expected="a function or class that takes them and returns a system",
        ) from None
    except ValueError:
        pass  # The callable has no signature.
    return system(**named)
