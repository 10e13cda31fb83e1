"""Show comparisons under the least favorable labels as a table."""

from __future__ import annotations

from gainful.formats.numbers import probability, with_sign
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.pooling.comparing import PooledComparison

__all__ = ["least_favorable_table"]


def least_favorable_table(found: PooledComparison) -> Table:
    """Return the pairs under the least favorable labels."""
    columns = [
        Column("measure"),
        Column("system"),
        Column("difference", show=with_sign),
        Column("least", "least favorable", with_sign),
        Column("p", show=probability),
        Column("verdict"),
    ]
    rows = [
        (
            each.measure,
            f"{each.system} vs. {each.baseline}",
            each.difference,
            each.least_difference,
            each.p,
            "significant under all labels" if each.is_settled else "not under all labels",
        )
        for each in found.pairs
    ]
    table = Table(
        columns,
        rows,
        title="Under the least favorable labels of unjudged documents",
        notes=[
            *noted("pool", _notes(found)),
            Note(
                "p",
                "p: the largest under any labels, corrected by Holm. Unjudged documents of both"
                " systems get the labels that move each query's difference toward the other side.",
                explains=True,
            ),
        ],
    )
    if len(found.comparison.measures) == 1:
        return table.only(lambda column: column.key != "measure")
    return table


def _notes(found: PooledComparison) -> Iterator[str]:
    if found.pooled is None:
        yield (
            "The systems of the pool are not known: the file that ends in .ranks.tsv is missing"
            " next to it."
        )
        return
    if found.not_pooled:
        built = " vs. ".join(found.pooled) if len(found.pooled) == 2 else ", ".join(found.pooled)
        aim = f"to settle {built}" if found.is_adaptive else f"of {built}"
        others = ", ".join(found.not_pooled)
        yield (
            f"The pool ({found.strategy}) was built {aim}, not for {others}: the judgments favor"
            " the pooled systems, and only the labels that are least favorable bound the effect."
        )
    elif found.is_adaptive:
        yield (
            f"The pool ({found.strategy}) was built to settle the order of"
            f" {', '.join(found.pooled)}; do not use its judgments for other systems."
        )
