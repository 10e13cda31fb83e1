"""Write a page: its parts, and the scores, rankings and references that its scripts read."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import partial
from hashlib import sha256
from html import escape
from importlib.resources import files

import numpy as np

from gainful.byte_order import in_byte_order
from gainful.comparison.pair import Pair
from gainful.comparison.rendering import coverage_rows
from gainful.data.table import kernel_rows
from gainful.evaluation.values import AT_CUTOFF, COUNTS, cutoffs_of, first_count
from gainful.formats.delimited import finite
from gainful.formats.packing import pack_columns, to_text
from gainful.plots.plot import PALETTE
from gainful.plots.systems import GROUPS, MOST_POINTS
from gainful.project_file import color_of
from gainful.quoting import show_direction_marks
from gainful.report.leaderboard import Board, shorten_names
from gainful.report.library import build_chart_specs, pack_library, read_library
from gainful.report.sections import render_navigation, render_sections, render_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from gainful.comparison import Comparison
    from gainful.evaluation import Evaluation
    from gainful.report.collecting import ReportData

__all__ = ["list_queries", "list_references", "render_page"]


def list_references(report: ReportData, queries: Sequence[str]) -> dict[str, object] | None:
    """Return the relevant places of each query, and how much of a ranking is read.

    None without offsets. A budget limits what is read, as does the cutoff of the measure whose
    rankings the page lists.
    """
    evaluation, listing = report.evaluation, report.listing
    if listing is None or not evaluation.has_places:
        return None
    measure = listing.measure.resolve(evaluation.convention)
    parameters = dict(measure.params)
    least: Any = parameters.get("rel", 1)
    relevant = kernel_rows(evaluation.judgments).at_least(least)
    return {
        "places": [list(_places(relevant.documents(query))) for query in queries],
        "measure": repr(listing.measure),
        "cutoff": measure.cutoff,
        "budget": parameters.get("budget"),
        "tokens": parameters.get("unit") == "tokens",
        "drops": parameters.get("last") == "drop",
    }


def _places(documents: dict[str, Any] | None) -> Iterator[str]:
    """Yield places once, whatever their groups."""
    known: dict[str, None] = {}
    for name, value in (documents or {}).items():
        known.update(dict.fromkeys(value if isinstance(value, dict) else [name]))
    yield from known


#: The maximum number of characters of titles and snippets in a page, before compression.
MOST_TEXT = 24_000_000

#: The maximum lengths of a title and of a text; the first pair that fits applies.
_LENGTHS = ((400, 20_000), (160, 2_000), (160, 240), (120, 140), (100, 60), (80, 0), (40, 0))

#: The approximate number of ranks per block.
_RANKS_PER_BLOCK = 40_000


def _pack_blocks(report: ReportData) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each block of a page."""
    evaluation = report.evaluation
    queries = list_queries(evaluation)
    yield "queries", _pack_json(_queries(report, queries))
    for index in range(len(evaluation.measures)):
        yield f"scores-{index}", to_text(_scores(evaluation, index, queries))
    if report.comparison is not None:
        yield "pairs", _pack_json(_pairs(report.comparison))
    references = list_references(report, queries)
    if references is not None:
        yield "references", _pack_json(references)
    if report.listing is not None:
        size = _block_size(report)
        lengths = _choose_lengths(report)
        for number, start in enumerate(range(0, len(queries), size)):
            packed = _rankings(report, queries[start : start + size], lengths)
            yield f"rankings-{number}", to_text(packed)


def list_queries(evaluation: Evaluation) -> list[str]:
    """Return all queries of an evaluation, in byte order."""
    first, *others = (evaluation.kernel_tables[system].query_ids() for system in evaluation.systems)
    if all(other == first for other in others):
        return first
    every = {query for other in (first, *others) for query in other}
    return in_byte_order(every)


def _block_size(report: ReportData) -> int:
    """Return the number of queries whose rankings share a block."""
    assert report.listing is not None
    ranks = len(report.evaluation.systems) * report.listing.depth
    return max(1, _RANKS_PER_BLOCK // ranks)


def _json_text(value: object) -> str:
    r"""Return a value as JSON that is safe inside an HTML ``script`` element.

    Examples
    --------
    >>> _json_text({"a": "</script>", "b": [1.0, float("nan")]})
    '{"a":"\\u003c/script>","b":[1.0,null]}'
    """
    safe = (
        show_direction_marks(_dumped(value), r"\\u{:04x}")
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )
    return safe.encode("utf-8", "backslashreplace").decode()


def _dumped(value: object) -> str:
    text = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text(value)
    except ValueError:
        # NaN and infinity are rare, so they are replaced only after a failure.
        return text(finite(value))


def _pack_json(value: object) -> str:
    return to_text(_json_text(value).encode())


def _column(evaluation: Evaluation, column: int, queries: Sequence[str]) -> NDArray[np.float64]:
    """Return a column of the kernel's tables as systems × queries, with NaN for missing queries."""
    values = np.full((len(evaluation.systems), len(queries)), np.nan)
    places: dict[str, int] = {}
    for index, system in enumerate(evaluation.systems):
        table = evaluation.kernel_tables[system]
        ids = table.query_ids()
        if ids == queries:
            values[index] = table.column(column)
        else:
            places = places or {query: place for place, query in enumerate(queries)}
            values[index, [places[query] for query in ids]] = table.column(column)
    return values


def _scores(evaluation: Evaluation, measure: int, queries: Sequence[str]) -> bytes:
    """Return the different scores as 64-bit numbers, and their places by system and query."""
    missing = float("nan")
    values = np.empty((len(evaluation.systems), len(queries)))
    for index, system in enumerate(evaluation.systems):
        system_values = evaluation.values_by_text_id(evaluation.measures[measure], system)
        if list(system_values) == queries:
            values[index] = list(system_values.values())
        else:
            values[index] = [system_values.get(query, missing) for query in queries]
    different, places = np.unique(values, return_inverse=True)
    numbers = different.astype("<f8").tobytes()
    return pack_columns({}, {"numbers": np.frombuffer(numbers, np.uint8), "places": places.ravel()})


def _queries(report: ReportData, queries: Sequence[str]) -> dict[str, object]:
    evaluation = report.evaluation
    texts = report.queries.found if report.queries is not None else {}
    counts = first_count(evaluation.measures)
    relevant = _column(evaluation, counts + COUNTS.index("relevant"), queries)
    unjudged = None
    if cutoffs_of(evaluation.resolved):
        place = counts + len(COUNTS) + AT_CUTOFF.index("unjudged")
        unjudged = _column(evaluation, place, queries)
    return {
        "ids": list(queries),
        "texts": [texts[query].snippet if query in texts else "" for query in queries]
        if texts
        else None,
        "relevant": _highest(relevant),
        "unjudged": None if unjudged is None else _highest(unjudged),
    }


def _highest(counts: NDArray[np.float64]) -> list[int]:
    """Return the highest count of each query."""
    highest: list[int] = np.nanmax(counts, axis=0).astype(int).tolist()
    return highest


def _pairs(comparison: Comparison) -> dict[str, object]:
    systems = {system: index for index, system in enumerate(comparison.systems)}
    measures = {repr(measure): index for index, measure in enumerate(comparison.measures)}
    shown = _page_fields()

    def row(pair: Pair) -> list[object]:
        values = pair.to_dict()
        return [
            measures[pair.measure],
            systems[pair.system],
            systems[pair.baseline],
            pair.verdict,
            int(pair.within_margin),
            pair.withheld,
            *(_round_number(values[name]) for name in shown),
        ]

    return {"fields": shown, "rows": [row(pair) for pair in comparison.pairs]}


def _page_fields() -> dict[str, dict[str, object]]:
    """Return label, digits, description and mirror of the fields of pairs that the page shows."""
    texts = json.loads(files("gainful.report").joinpath("assets", "pair.json").read_text("utf-8"))
    fields: dict[str, dict[str, object]] = {}
    for item in Pair.FIELDS.values():
        if item.page is not None:
            mirrors: tuple[str, ...] = (item.mirror,)
            if item.is_interval and item.mirror:
                mirrors = tuple(f"-{key}" for key in reversed(item.keys))
            for key, mirror in zip(item.keys, mirrors, strict=True):
                fields[key] = {
                    "label": item.page,
                    "digits": item.page_digits,
                    "mirror": mirror,
                    "text": texts.get(key, ""),
                }
    return fields


def _round_number(value: float | int | None) -> float | int | None:
    """Round a number to the precision that a page shows."""
    return float(f"{value:.6g}") if isinstance(value, float) and value - value == 0 else value


def _rankings(report: ReportData, queries: Sequence[str], lengths: tuple[int, int]) -> bytes:
    """Return the rankings of some queries as `Listing.columns`."""
    listing = report.listing
    assert listing is not None
    columns, grades, contributions, start = listing.columns(queries)
    listed = report.documents.found if report.documents is not None else {}
    documents = listing.documents(queries) if listed or start is None else []
    texts = {
        document: [
            " ".join(_shorten(text.title, lengths[0]).split()),
            _shorten(text.text, lengths[1]),
        ]
        for document in (documents if listed else ())
        if (text := listed.get(document)) is not None
    }
    header = {
        "texts": texts,
        "ids": documents if start is None else None,
        "start": start or "",
        "grades": finite(grades),
        "adds": finite(contributions),
    }
    return pack_columns(
        header, {name: np.frombuffer(column, "<i8") for name, column in columns.items()}
    )


def _choose_lengths(report: ReportData) -> tuple[int, int]:
    """Return the largest lengths of titles and texts for which the page is not too large."""
    if report.documents is None or report.listing is None:
        return _LENGTHS[0]
    # A document of several queries is stored for each.
    texts = [report.documents.found.get(document) for document in report.listing.documents()]
    for lengths in _LENGTHS:
        sizes = (
            min(len(text.title), lengths[0]) + min(len(text.text), lengths[1])
            for text in texts
            if text is not None
        )
        if sum(sizes) <= MOST_TEXT:
            return lengths
    return _LENGTHS[-1]


def _shorten(text: str, length: int) -> str:
    # A document keeps its paragraphs.
    line = "\n".join(filter(None, (" ".join(part.split()) for part in text.split("\n"))))
    if len(line) <= length:
        return line
    return line[: length - 1].rpartition(" ")[0].rstrip(" ,;:–-") + "…" if length else ""


#: The page's scripts, in order.
SCRIPTS = (
    "data.js",
    "figures.js",
    "theme.js",
    "charts.js",
    "tables.js",
    "folds.js",
    "notes.js",
    "systems.js",
    "pair.js",
    "curves.js",
    "query.js",
    "references.js",
    "queries.js",
    "start.js",
)

SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)


def render_page(report: ReportData) -> str:
    """Return the HTML page of a report."""
    queries = list_queries(report.evaluation)
    boards = [Board(report, measure) for measure in range(len(report.evaluation.measures))]
    charts = build_chart_specs(report, len(queries))
    curves = [name for name in ("budgets", *report.curves.PICTURES) if name in charts]
    facts = _json_text(_facts(report, boards, charts, len(queries)))
    blocks = "\n".join(
        f'<script type="text/plain" id="block-{name}">{text}</script>'
        for name, text in _pack_blocks(report)
    )
    scripts = "\n".join(_asset(name) for name in SCRIPTS)
    script = f'(() => {{\n"use strict";\n{scripts}\n}})();'
    page = "\n".join(
        [
            _HEAD.format(
                policy=_security_policy(script.encode(), read_library()),
                title=escape(report.title),
                style=_asset("page.css"),
                navigation=render_navigation(report, curves),
            ),
            f'<main id="top">\n{render_summary(report, boards)}',
            f"{render_sections(report, boards, len(queries), curves)}</main>",
            _FOOT,
            f'<script type="application/json" id="facts">{facts}</script>',
            blocks,
            f'<script type="text/plain" id="block-library">{pack_library()}</script>',
            f"<script>{script}</script>",
            "</body>\n</html>\n",
        ]
    )
    # Ids that are not valid UTF-8 are escaped.
    return show_direction_marks(page.encode("utf-8", "backslashreplace").decode())


def _security_policy(*scripts: bytes) -> str:
    """Return a policy by which browsers run only these scripts, and load nothing."""
    hashes = (b64encode(sha256(script).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    # Vega compiles the expressions of charts.
    return (
        f"default-src 'none'; script-src {allowed} 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _facts(
    report: ReportData, boards: list[Board], charts: dict[str, object], queries: int
) -> dict[str, object]:
    evaluation, comparison, listing = report.evaluation, report.comparison, report.listing
    names = [repr(measure) for measure in evaluation.measures]
    return {
        "inputs": report.inputs,
        # Later reports can read the values: these say what they mean.
        "convention": evaluation.convention.to_dict(),
        "judgments": evaluation.judgments_digest,
        "measures": names,
        "sums": [measure.aggregate == "sum" for measure in evaluation.measures],
        "systems": list(evaluation.systems),
        "names": list(shorten_names(evaluation.systems).values()),
        "orders": [
            [evaluation.systems.index(line.system) for line in board.lines] for board in boards
        ],
        "baselines": list(comparison.baselines) if comparison is not None else None,
        "margin": comparison.margin if comparison is not None else None,
        "detect": comparison.choices.detect if comparison is not None else None,
        "listing": listing
        and {
            "measure": repr(listing.measure),
            "sums": listing.sums,
            "depth": listing.depth,
            "block": _block_size(report),
            "highest": report.highest_grade,
        },
        # The number of groups of neighboring queries in the chart of difficulty; 0 for points.
        "groups": GROUPS if queries > MOST_POINTS else 0,
        "palette": PALETTE,
        "colors": [color_of(system) for system in evaluation.systems],
        "shapes": SHAPES,
        "charts": charts,
        "curves": report.curves.to_dict(),
        "budgets": coverage_rows([evaluation]) if "budgets" in charts else None,
        "history": report.history and report.history.points(),
        # The notes of readers are kept for the same data.
        "key": sha256(repr([source.digest for source in report.sources]).encode()).hexdigest()[:16],
    }


def _asset(name: str) -> str:

    return files("gainful.report").joinpath("assets", name).read_text(encoding="utf-8")


_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Gainful">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<a class="skip" href="#top">Skip to the results</a>
<header class="bar"><a class="brand" href="#top">Gainful</a>{navigation}
<button type="button" id="theme">Theme: auto</button></header>
<noscript><p class="noscript">Charts and rankings need JavaScript. Without it this page shows the
leaderboard, the convention and the reproduction command.</p></noscript>"""

_FOOT = (
    "<footer>Generated by Gainful. This file is self-contained and makes no network"
    " requests.</footer>"
)
