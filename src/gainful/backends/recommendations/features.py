"""What is known of items: popularity, vectors and categories, by item number."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping

import numpy

from gainful.backends.recommendations.item_values import ItemData, Lists
from gainful.backends.recommendations.top import on_host
from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gainful.backends.recommendations.arguments import Inputs
    from gainful.backends.recommendations.item_measures import ItemMeasure

__all__ = ["check_vectors", "item_data"]

_HINTS = {
    "popularity": "set seen=, the interactions of the training data, or popularity=",
    "vectors": "set vectors=, or measure ILD(of='categories')@10 with categories=",
    "categories": "set categories=, the categories of each item",
}


def item_data(
    inputs: Inputs,
    measures: Iterable[ItemMeasure],
    popularity: Any,
    vectors: Any,
    categories: Any,
) -> ItemData:
    """Return the data of items that measures need.

    Raises
    ------
    ArgumentError, ParameterError
        If a measure lacks its data, or they do not match the items.
    """
    sources = {
        "popularity": inputs.seen if popularity is None else popularity,
        "vectors": vectors,
        "categories": categories,
    }
    for measure in measures:
        for name in measure.needs:
            if sources.get(name, inputs.judged) is None:
                raise ArgumentError(f"{measure!r} needs {name}", hint=_HINTS[name])
    counts, users = None, None
    if popularity is not None:
        counts = numpy.zeros(inputs.catalogue)
        counts[: inputs.items] = _numbers(inputs, popularity, "popularity", 1)
        if not (counts >= 0).all():
            raise ParameterError("a negative or missing number", where="popularity")
    elif inputs.seen is not None:
        counts = inputs.seen.counts(inputs.catalogue)
    if inputs.seen is not None:
        users = len(inputs.seen.with_items())
    for measure in measures:
        if "popularity" in measure.needs and (counts is None or not counts.sum()):
            raise ParameterError(
                "no interactions", where="seen" if popularity is None else "popularity"
            )
        if measure.resolved.get("share") == "users" and users is None:
            raise ArgumentError(
                f"{measure!r} needs the number of users with interactions",
                hint="set seen=, or measure Novelty(share='interactions')",
            )
    return ItemData(
        inputs.catalogue,
        counts,
        users,
        None if vectors is None else _vectors(inputs, vectors),
        None if categories is None else _categories(inputs, categories),
    )


def check_vectors(lists: Lists, data: ItemData, inputs: Inputs) -> None:
    """Refuse recommended items without a vector."""
    if data.vectors is None:
        return
    missing = numpy.isnan(data.vectors[lists.columns]).any(axis=1)
    if missing.any():
        column = int(lists.columns[missing.argmax()])
        name = column if inputs.item_ids is None else inputs.item_ids[column]
        raise ParameterError(f"no vector of the recommended item {name!r}", where="vectors")


def _by_number(inputs: Inputs, values: Any, name: str) -> list[Any]:
    """Return one value per item, None for missing ones."""
    if isinstance(values, AnyMapping) or (hasattr(values, "items") and hasattr(values, "index")):
        known = {str(item): value for item, value in values.items()}
        ids = range(inputs.items) if inputs.item_ids is None else inputs.item_ids
        matched = [known.get(item if isinstance(item, str) else str(item)) for item in ids]
        if all(value is None for value in matched):
            raise ParameterError(
                "no item of the recommendations", where=name, hint="check that the ids match"
            )
        return matched
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise ArgumentError(
            where=name,
            found=type(values).__name__,
            expected="{item: value}, or one value per item in the order of item_ids",
        )
    if len(values) != inputs.items:
        raise ParameterError(
            where=name,
            found=f"{len(values)} values",
            expected=f"one for each of {inputs.items} items",
        )
    return list(values)


def _numbers(inputs: Inputs, values: Any, name: str, dimensions: int) -> Any:
    """Return an array of numbers with one row per item, NaN for missing ones."""
    if (
        not isinstance(values, AnyMapping)
        and hasattr(values, "shape")
        and not hasattr(values, "index")
    ):
        rows = on_host(values)
    else:
        listed = _by_number(inputs, values, name)
        example = next((value for value in listed if value is not None), 0.0)
        blank = numpy.full(numpy.shape(example), numpy.nan if dimensions > 1 else 0.0)
        try:
            rows = numpy.array([blank if value is None else value for value in listed], float)
        except (TypeError, ValueError):
            rows = numpy.zeros((0,) * 3)
    if rows.ndim != dimensions or len(rows) != inputs.items or rows.dtype.kind not in "biuf":
        raise ParameterError(
            where=name,
            found=f"shape {rows.shape}" if rows.ndim < 3 else "values of different shapes",
            expected=f"({inputs.items} items{', d' * (dimensions - 1)})",
        )
    return rows.astype(numpy.float64)


def _vectors(inputs: Inputs, vectors: Any) -> Any:
    rows = _numbers(inputs, vectors, "vectors", 2)
    lengths = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))[:, None]
    return rows / numpy.where(lengths == 0, 1.0, lengths)


def _categories(inputs: Inputs, categories: Any) -> Any:
    numbers: dict[str, int] = {}
    pairs = []
    for item, labels in enumerate(_by_number(inputs, categories, "categories")):
        several = [labels] if isinstance(labels, str) or not hasattr(labels, "__iter__") else labels
        for category in several:
            # None and NaN are missing values.
            if category is not None and category == category and category != "":
                pairs.append((item, numbers.setdefault(str(category), len(numbers))))
    table = numpy.zeros((inputs.items, len(numbers)), bool)
    if pairs:
        table[tuple(numpy.array(pairs).T)] = True
    return table
