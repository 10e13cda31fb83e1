"""The functions on arrays, with lists padded to one length; values within a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any

from gainful.conventions import Convention, get, presets
from gainful.measures import Measure
from paths_of_evaluation.collections import Collection, Row
from paths_of_evaluation.outcome import Rows, of_rows
from paths_of_evaluation.path import Ask, Measures, Path
from requirements import need

FAMILIES = ("nDCG", "DCG", "IDCG", "CG", "AP", "P", "R", "RR", "Success", "ERR", "RBP")

#: Tie policies that need document ids, which lists of grades lack. Without equal scores all tie
#: policies are equivalent.
OF_IDS = ("doc-id-desc", "doc-id-asc", "random", "error")


def lists(
    namespace: Callable[[], Any], back: Callable[[Any], Any], kind: str
) -> Callable[[Collection, Folder], Ask]:
    """Return a function that evaluates arrays of a library.

    Parameters
    ----------
    namespace
        A function that returns the library.
    back
        A function that converts its arrays to NumPy.
    kind
        The name of its floating-point type.
    """

    def open(collection: Collection, folder: Folder) -> Ask:
        import numpy as np

        from gainful.backends import arrays

        xp = namespace()
        graded: dict[str, dict[str, float]] = {}
        for query, document, grade, _ in collection.qrels:
            graded.setdefault(query, {})[document] = grade
        ranked: dict[str, list[Row]] = {query: [] for query in graded}
        for row in collection.run:
            if row.query in ranked:
                ranked[row.query].append(row)
        queries = sorted(graded, key=str.encode)

        def padded(rows: list[list[float]]) -> Any:
            width = max(map(len, rows))
            whole = [[*row, *[0.0] * (width - len(row))] for row in rows]
            return xp.asarray(np.array(whole, dtype=kind))

        def inside(rows: list[list[float]]) -> Any:
            width = max(map(len, rows))
            return xp.asarray(np.array([[at < len(row) for at in range(width)] for row in rows]))

        def ask(measures: Measures, convention: Convention) -> Rows:
            settled = convention
            if collection.name == "no ties" and convention.ties.startswith(OF_IDS):
                settled = convention.replace(ties="given")
            by_rank = convention.order == "rank"
            listed = [
                sorted(ranked[query], key=lambda row: row.rank) if by_rank else ranked[query]
                for query in queries
            ]
            grades = [[graded[row.query].get(row.document, 0.0) for row in rows] for rows in listed]
            pool = [list(graded[query].values()) for query in queries]
            scores = None if by_rank else padded([[row.score for row in rows] for rows in listed])
            found = arrays.measure_lists(
                measures,
                padded(grades),
                scores=scores,
                where=inside(grades),
                judged=padded(pool),
                judged_where=inside(pool),
                convention=settled,
            )
            values = {name: back(column).astype(float).tolist() for name, column in found.items()}
            if convention.no_relevant == "skip":
                values = {
                    name: [None if value != value else value for value in column]
                    for name, column in values.items()
                }
            return of_rows(
                {"query_id": query, **{name: column[at] for name, column in values.items()}}
                for at, query in enumerate(queries)
            )

        return ask

    return open


def follows(measure: Measure) -> bool:
    """Return whether the array functions support it."""
    return measure.family in FAMILIES


def declared(name: str, module: str, kind: str, tolerance: float, *collections: str) -> Path:
    """Return the path of a library's arrays."""

    def back(array: Any) -> Any:
        import numpy as np

        return np.from_dlpack(array)

    return Path(
        name,
        lists(lambda: need(module) if module != "numpy" else __import__("numpy"), back, kind),
        needs=() if module == "numpy" else (module,),
        lacks=frozenset({"first error"}),
        # A random order is one of ids in files, and one of positions in arrays.
        conventions=tuple(
            preset.name
            for preset in presets()
            if collections == ("no ties",) or not get(preset.name).ties.startswith("random")
        ),
        collections=collections,
        tolerance=tolerance,
        measures=follows,
    )


PATHS = (
    declared("arrays of NumPy", "numpy", "float64", 1e-12, "no ties", "all judged"),
    # Close scores are equal in 32 bits, which changes rankings.
    declared("arrays of NumPy, 32 bits", "numpy", "float32", 1e-5, "no ties"),
    declared("arrays of array-api-strict", "array_api_strict", "float64", 1e-12, "no ties"),
)
