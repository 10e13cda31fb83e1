"""NDCG@10 in Polars, with two ways to select the ten best documents of each query.

Documents are ordered by descending score, then by descending document id as text. Every judged
query counts, an unretrieved one as 0.
"""

from __future__ import annotations

import polars as pl

DISCOUNTED = (pl.col("grade") / (pl.col("place") + 1).log(2)).sum()


def best(frame: pl.DataFrame, by: list[str | pl.Expr], descending: list[bool]) -> pl.DataFrame:
    """Return the first ten rows of each query in this order, with their `place` from 1."""
    ordered = frame.sort(["query_id", *by], descending=[False, *descending])
    first = ordered.group_by("query_id", maintain_order=True).head(10)
    return first.with_columns(place=pl.int_range(1, pl.len() + 1).over("query_id"))


def ndcg(qrels: pl.DataFrame, run: pl.DataFrame, way: str) -> float:
    """Return the mean nDCG@10.

    `way` is "sort", the common solution, which sorts all rows, or "cut", the fastest that we found,
    which first drops the rows below each query's tenth score.
    """
    if way == "cut":
        tenth = pl.col("score").top_k(10).min().over("query_id")
        run = run.lazy().filter(pl.col("score") >= tenth).collect()
    top = best(run, ["score", pl.col("doc_id").cast(pl.String)], [True, True])
    ideal = best(qrels, ["grade"], [True]).group_by("query_id").agg(ideal=DISCOUNTED)
    judged = top.join(qrels, on=["query_id", "doc_id"])
    gained = judged.group_by("query_id").agg(gained=DISCOUNTED)
    value = pl.col("gained").fill_null(0) / pl.col("ideal")
    value = pl.when(pl.col("ideal") > 0).then(value).otherwise(0).mean()
    return float(ideal.join(gained, on="query_id", how="left").select(value).item())
