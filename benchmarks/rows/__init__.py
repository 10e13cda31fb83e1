"""The rows of the table, one module per family, in the order of the output."""

from __future__ import annotations

from collections.abc import Callable

from bench import Bench
from results import Row
from rows import (
    all_trec,
    columns,
    comparing,
    dense,
    dicts,
    explain,
    files,
    frames,
    http,
    imports,
    judgments,
    many,
    one_list,
    own_measures,
    pytrec_eval,
    recommendations,
    reconcile,
    report,
    resampling,
    scaling,
    search,
    shuffled,
    small,
    spans,
    spark,
    sql,
    text,
)

ROWS: dict[str, Callable[[Bench], list[Row]]] = {
    "files": files.measure,
    "shuffled": shuffled.measure,
    "explain": explain.measure,
    "many": many.measure,
    "all_trec": all_trec.measure,
    "small": small.measure,
    "dicts": dicts.measure,
    "pytrec_eval": pytrec_eval.measure,
    "frames": frames.measure,
    "columns": columns.measure,
    "sql": sql.measure,
    "http": http.measure,
    "dense": dense.measure,
    "recommendations": recommendations.measure,
    "one_list": one_list.measure,
    "own_measures": own_measures.measure,
    "reconcile": reconcile.measure,
    "comparing": comparing.measure,
    "report": report.measure,
    "resampling": resampling.measure,
    "search": search.measure,
    "spans": spans.measure,
    "imports": imports.measure,
}

#: The rows that take many minutes and gigabytes of data.
SCALE: dict[str, Callable[[Bench], list[Row]]] = {
    "columns": columns.measure_large,
    "doubling": columns.measure_doubling,
    "scaling": scaling.measure,
    "one_query": columns.measure_one_query,
    "judgments": judgments.measure_large,
    "text": text.measure_large,
    "spark": spark.measure_large,
    "spark_three": spark.measure_three,
    "sql": sql.measure_large,
}
