"""One measure over releases: means with intervals, anchored tests, queries that drifted."""

from __future__ import annotations

import json
import re
import zlib
from functools import partial
from os import PathLike, listdir
from os.path import isdir, join, splitext
from re import split
from typing import NamedTuple

import numpy as np

from gainful.comparison.choices import CompareOptions
from gainful.comparison.families import compare_family
from gainful.comparison.scores import Scores, align_values, refuse_geometric
from gainful.conventions import Convention
from gainful.data.paths import stem
from gainful.data.text_files import text_lines
from gainful.errors import (
    ArgumentError,
    FormatError,
    MatchError,
    MeasureError,
    ParameterError,
    SourceError,
)
from gainful.evaluation import Evaluation
from gainful.evaluation.value_evaluations import GIVEN
from gainful.formats.numbers import digits, span, with_sign
from gainful.formats.packing import from_text, unpack_columns
from gainful.formats.table import Note
from gainful.gates import Snapshot, read_snapshot
from gainful.gates.creation import judgments_digest
from gainful.inference.interval import mean_interval
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measure
from gainful.measures.notation import parse_measure
from gainful.measures.parameters import widest
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import table_of
from gainful.results import Result
from gainful.vocabulary import PAIR_VERDICTS, SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.data.paths import Path
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

    Range = tuple[float | None, float | None]
    Releases = Path | Iterable[Path] | Mapping[str, Path | Snapshot | Evaluation]

__all__ = [
    "Change",
    "Drift",
    "Release",
    "Trend",
    "compare_releases",
    "describe_total",
    "name_releases",
    "read_releases",
    "trend",
]


def describe_total(trend: Trend) -> str:
    """Return how the measure changed since the first release, and which steps are significant."""
    first, last = trend.releases[0], trend.releases[-1]
    total = trend.total
    if total is None:
        return f"{last.release} and {first.release} have no common query with {trend.measure!r}."
    if total.queries == 1:
        return "One query proves nothing: add queries."
    name = repr(trend.measure)
    if total.verdict == "identical":
        opening = f"{name} is the same in {last.release} as in {first.release} on every query."
    else:
        level = f"{100 * (1 - trend.alpha):g}% CI"
        interval = f", {level} {span(*total.interval, with_sign)}" if total.interval else ""
        is_not = "" if total.verdict in SIGNIFICANT else "not "
        opening = (
            f"{name} is {digits(last.mean)} in {last.release} and {digits(first.mean)} in"
            f" {first.release}. The change ({with_sign(total.difference)}{interval}) is"
            f" {is_not}statistically significant."
        )
    steps = [
        f"{change.release} ({change.verdict}, {with_sign(change.difference)})"
        for change in trend.changes
        if change is not total and change.verdict in SIGNIFICANT
    ]
    if len(trend.releases) == 2:
        return opening
    if not steps:
        return f"{opening} No release differs significantly from the previous one."
    return f"{opening} Significant steps: {', '.join(steps)}."


def _describe_family(trend: Trend) -> str:
    """Return which changes were tested, and how."""
    if len(trend.changes) == 1:
        return "Randomization test by sign flips, p corrected for skewness."
    which = "each release vs. the previous one"
    if len(trend.releases) > 2:
        which += ", and the last vs. the first"
    return (
        f"Randomization test, p corrected by Holm over {len(trend.changes)} changes and for"
        f" skewness: {which}. The intervals are simultaneous."
    )


def _describe_left_out(trend: Trend) -> Iterator[str]:
    """Yield how many queries are left out because their judgments changed."""
    counts = [(one.release, one.left_out) for one in trend.releases if one.left_out]
    if counts:
        named = ", ".join(f"{count:,} of {name}" for name, count in counts[:3])
        more = f" and of {len(counts) - 3} more releases" if len(counts) > 3 else ""
        yield f"Queries left out, because their judgments have changed since: {named}{more}."


_SHARE = {"minimum": 0, "maximum": 1}


class Release(Record):
    """A release with its mean."""

    release: str = field(tables="releases")
    """The name of the release."""
    system: str
    """The name of the system in its file."""
    file: str | None = None
    """The file; None for values in memory."""
    mean: float = field(tables="releases")
    """The mean over the queries that count."""
    interval: Interval | None = field(tables="releases", label="95% CI")
    """The 95% confidence interval of the mean; None if it is not defined."""
    queries: int = field(tables="releases", show="{:,}".format)
    """The number of queries that count: those with a value, judged as in the last release."""
    left_out: int
    """The number of queries with a value whose judgments have changed since."""


class Change(Record):
    """The change from one release to another, on their common queries."""

    release: str = field(tables="changes")
    """The later release."""
    baseline: str = field(tables="changes", label="vs.")
    """The earlier release: the previous one, or the first."""
    difference: float = field(tables="changes", show=with_sign)
    """The mean difference."""
    interval: Interval | None = field(tables="changes", label="{level} CI", show=with_sign)
    """Its simultaneous confidence interval; None if it is not defined."""
    p: float
    """The p-value of the randomization test, corrected for skewness."""
    p_adjusted: float = field(tables="changes", label="p")
    """The p-value, corrected by Holm's method over all changes."""
    wins: int = field(
        tables="changes",
        label="wins / ties / losses",
        cell=lambda change: f"{change.wins:,} / {change.ties:,} / {change.losses:,}",
        align="r",
    )
    """The number of queries with a better value in the later release."""
    ties: int
    """The number of queries with equal values."""
    losses: int
    """The number of queries with a worse value."""
    queries: int
    """The number of common queries."""
    verdict: str = field(tables="changes", fit="whole", json={"enum": list(PAIR_VERDICTS)})
    """Whether the later release is better, worse, identical or inconclusive."""


class Drift(Record):
    """A query that changed from the first release to the last."""

    query_id: str = field(tables="queries", label="query")
    """The query."""
    first: float = field(tables="queries")
    """Its value in the first release."""
    last: float = field(tables="queries")
    """Its value in the last release."""
    difference: float = field(tables="queries", show=with_sign)
    """The difference of the two."""
    step: float = field(tables="queries", label="largest step", show=with_sign)
    """The largest change from one release to the next, in the direction of the difference."""
    release: str = field(tables="queries", label="in")
    """The release that made it."""


class Trend(Result):
    """One measure over releases: the result of `gainful.trend`.

    Examples
    --------
    >>> import gainful
    >>> runs = {"may": "bm25.run", "june": "dense.run"}
    >>> releases = {name: gainful.make_snapshot("qrels.txt", run) for name, run in runs.items()}
    >>> result = gainful.trend(releases)
    >>> [(release.release, round(release.mean, 4)) for release in result.releases]
    [('may', 0.7193), ('june', 0.7581)]
    >>> result.changes[0].verdict
    'inconclusive'
    """

    SCHEMA = "gainful.trend/1"
    COMMAND = "trend"
    RECORDS = {"releases": Release, "changes": Change, "drifted": Drift}
    PICTURES = ("history",)

    convention: Convention
    """The convention of the values."""
    measure: Measure
    """The measure as requested."""
    resolved: str = derived(lambda trend: repr(trend.measure.resolve(trend.convention)))
    """The measure with every parameter set."""
    alpha: float = field(json=_SHARE)
    """The family-wise error rate of the changes; the level of their intervals is 1 - alpha."""
    resamples: int = field(json={"minimum": 1})
    """The number of sign flips, if not all of them were enumerated."""
    seed: int
    """The random seed."""
    releases: tuple[Release, ...]
    """The releases, in order."""
    changes: tuple[Change, ...]
    """Each release vs. the previous one, then the last vs. the first."""
    drifted: tuple[Drift, ...]
    """The queries that changed most from the first release to the last, at most ten."""

    @property
    def total(self) -> Change | None:
        """The change from the first release to the last; None without a common query."""
        ends = (self.releases[-1].release, self.releases[0].release)
        matching = (one for one in self.changes if (one.release, one.baseline) == ends)
        return next(matching, None)

    def _heading(self) -> list[str]:
        return [describe_total(self)]

    def tables(self) -> list[Table]:
        """Return the releases, the changes, and the queries that drifted."""
        notes = [
            Note("verdict", _describe_family(self)),
            *(Note("judgments", text) for text in _describe_left_out(self)),
        ]
        labels = {"level": f"{100 * (1 - self.alpha):g}%"}
        first, last = self.releases[0].release, self.releases[-1].release
        tables = [table_of(self.releases, "releases", title=f"{self.measure!r} by release")]
        if self.changes:
            tables.append(
                table_of(self.changes, "changes", title="Changes", labels=labels, notes=notes)
            )
        if self.drifted:
            title = f"Queries that changed most from {first} to {last}"
            tables.append(table_of(self.drifted, "queries", title=title))
        *others, final = tables
        convention = Note("convention", str(self.convention))
        return [*others, final.replace(notes=[*final.notes, convention])]

    def points(self) -> list[dict[str, Any]]:
        """Return the means with their intervals, for a picture."""
        return [
            {
                "release": one.release,
                "mean": one.mean,
                "low": one.interval and one.interval.low,
                "high": one.interval and one.interval.high,
                "queries": one.queries,
            }
            for one in self.releases
        ]

    def _picture(self, name: str) -> Plot:
        from gainful.plots import history

        return history(self.points(), repr(self.measure))

    def __repr__(self) -> str:
        return f"<Trend of {self.measure!r} over {len(self.releases)} releases>"


class Page(NamedTuple):
    """What a report says of its evaluation."""

    systems: tuple[str, ...]
    convention: Convention
    measures: tuple[Measure, ...]
    judgments: str | None
    queries: tuple[str, ...]
    blocks: dict[str, str]

    def values(self, measure: int, system: str) -> dict[str, float]:
        """Return the values of a system by query."""
        _, columns = unpack_columns(from_text(self.blocks[f"scores-{measure}"]))
        numbers = np.frombuffer(columns["numbers"].astype(np.uint8).tobytes(), "<f8")
        system_place, n = self.systems.index(system), len(self.queries)
        places = numbers[columns["places"][system_place * n : (system_place + 1) * n]].tolist()
        return {
            query: value
            for query, value in zip(self.queries, places, strict=True)
            if value == value
        }


def read_page(path: str) -> Page:
    """Read the values of an HTML report."""
    name, rows = text_lines(path)
    text = "\n".join(line for _, line in rows)
    facts_match = re.search(
        r'<script type="application/json" id="facts">(.*?)</script>', text, re.DOTALL
    )
    # Only the blocks with values: rankings can be large.
    pattern = r'<script type="text/plain" id="block-(queries|scores-\d+)">([^<]*)</script>'
    blocks = dict(re.findall(pattern, text))
    try:
        facts = json.loads(facts_match[1] if facts_match else "")
        policies = {key: value for key, value in facts["convention"].items() if key != "text"}
        return Page(
            tuple(facts["systems"]),
            Convention(**policies),
            tuple(map(parse_measure, facts["measures"])),
            facts["judgments"],
            tuple(json.loads(from_text(blocks["queries"]))["ids"]),
            {
                f"scores-{number}": blocks[f"scores-{number}"]
                for number in range(len(facts["measures"]))
            },
        )
    except (KeyError, TypeError, ValueError, OSError, EOFError, zlib.error) as error:
        raise FormatError(
            file=name,
            found="a page of another kind",
            expected="a report of this version",
        ) from error


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
        partial(judgments_digest, release.judgments),
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


def _check_same(releases: Sequence[Values]) -> None:
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


def _judged_alike(release: Values, last: Values) -> list[str]:
    """Return the queries with a value whose judgments are those of the last release."""
    if None in (release.judgments, last.judgments) or release.judgments == last.judgments:
        return list(release.values)
    return [
        query
        for query in release.values
        if query not in last.values or release.by_query(query) == last.by_query(query)
    ]


#: The most queries that are listed.
_MOST = 10


@suggest_keywords
def trend(
    releases: Releases,
    measure: Measure | str | None = None,
    *,
    system: str | None = None,
    alpha: float = 0.05,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> Trend:
    """Test how one measure changed over releases.

    Each release is compared with the previous one, and the last with the first: what changed it,
    and what the changes add up to. The p-values are corrected by Holm's method over these.

    Parameters
    ----------
    releases : path, several paths, or mapping
        The releases in order: snapshots that `gainful.make_snapshot` makes, evaluations, or files:
        JSON of snapshots, HTML reports, or tables of values as `gainful.Evaluation.from_values`
        reads them. The files of a folder are in the order of their names, 2 before 10. A mapping
        names them.
    measure : Measure or str, optional
        The measure. Default: the first of each release.
    system : str, optional
        In releases with several systems, the one to follow.
    alpha : float
        The family-wise error rate. The confidence level of intervals is 1 - alpha.
    resamples, seed, threads
        As for `gainful.compare`.

    Returns
    -------
    Trend
        The releases, their changes, and the queries that changed most.

    Raises
    ------
    GainfulError
        If a file cannot be read, a release lacks the measure, or measures or conventions differ.

    Notes
    -----
    A query counts in a release if it has a value there and is judged as in the last release.

    Examples
    --------
    >>> import gainful
    >>> runs = {"may": "bm25.run", "june": "dense.run"}
    >>> releases = {name: gainful.make_snapshot("qrels.txt", run) for name, run in runs.items()}
    >>> print(gainful.trend(releases))
    nDCG@10 is .7581 in june and .7193 in may. The change (+.0388, 95% CI ...
    """
    choices = CompareOptions(
        alpha=alpha, resamples=resamples, seed=seed, bootstrap=0, threads=threads
    )
    return compare_releases(read_releases(name_releases(releases), measure, system), choices)


def compare_releases(found: list[Values], choices: CompareOptions) -> Trend:
    """Test the changes of releases that were read."""
    if len(found) < 2:
        count = "1 release" if found else "no release"
        raise ParameterError(where="releases", found=count, expected="at least two")
    _check_same(found)
    refuse_geometric([found[-1].measure])
    counted = [
        {query: release.values[query] for query in _judged_alike(release, found[-1])}
        for release in found
    ]
    scores = _scores(found, counted)
    last = len(found) - 1
    couples = [(number, number - 1) for number in range(1, len(found))] + [(last, 0)] * (last > 1)
    pairs = compare_family(scores, [(0, None)], couples, choices, every=False)
    changes = [
        Change(
            release=pair.system,
            baseline=pair.baseline,
            difference=pair.difference,
            interval=pair.interval,
            p=pair.p,
            p_adjusted=pair.p_adjusted,
            wins=pair.wins,
            ties=pair.ties,
            losses=pair.losses,
            queries=pair.n,
            verdict=pair.verdict,
        )
        for pair in pairs
    ]
    return Trend(
        convention=found[-1].convention,
        measure=found[-1].measure,
        alpha=choices.alpha,
        resamples=choices.resamples,
        seed=choices.seed,
        releases=tuple(
            _release(scores, number, release, len(release.values) - len(counted[number]))
            for number, release in enumerate(found)
        ),
        changes=tuple(changes),
        drifted=tuple(_drifted(scores)),
    )


def _scores(found: list[Values], counted: list[dict[str, float]]) -> Scores:
    queries, values = align_values([counted])
    for release, system_values in zip(found, counted, strict=True):
        if not system_values:
            raise MatchError(
                f"no query of {release.name} has a value and is judged as in {found[-1].name}",
                where="releases",
            )
    return Scores(
        queries=tuple(queries),
        systems=tuple(release.name for release in found),
        measures=(found[-1].measure,),
        values=np.array(values, dtype=np.float64),
        weights=None,
        clusters=None,
        segments={},
        ranges=(widest(release.range for release in found),),
        ranked=False,
    )


def _release(scores: Scores, column: int, release: Values, left_out: int) -> Release:
    rows = ~np.isnan(scores.values[0, :, column])
    values = scores.values[0, rows, column]
    low, high = scores.ranges[0]
    interval = None
    mean, n = scores.mean(0, column, rows), len(values)
    if n > 1 and scores.measures[0].aggregate != "sum":
        interval = mean_interval(mean, float(np.std(values, ddof=1)), n, low=low, high=high)
    return Release(
        release=release.name,
        system=release.system,
        file=release.file,
        mean=mean,
        interval=None if interval is None else Interval(*interval),
        queries=n,
        left_out=left_out,
    )


def _drifted(scores: Scores) -> list[Drift]:
    """Return the queries with the largest changes since the first release."""
    values = scores.values[0]
    total = values[:, -1] - values[:, 0]
    order = np.lexsort((np.arange(len(total)), -np.nan_to_num(np.abs(total))))
    drifted = []
    for query in order[:_MOST]:
        if not total[query] or np.isnan(total[query]):
            break
        steps = np.nan_to_num(np.diff(values[query])) * np.sign(total[query])
        step = int(np.argmax(steps))
        drifted.append(
            Drift(
                query_id=scores.queries[query],
                first=float(values[query, 0]),
                last=float(values[query, -1]),
                difference=float(total[query]),
                step=float(steps[step] * np.sign(total[query])),
                release=scores.systems[step + 1],
            )
        )
    return drifted
