"""The fields of work that tools come from, under which their conventions are listed."""

from __future__ import annotations

from gainful.conventions.presets import tool_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.conventions.presets import Preset

__all__ = ["FIELDS", "OTHERS", "field_of", "grouped"]

#: By field, the tools as the names of their presets begin; in the order of listings.
FIELDS: dict[str, tuple[str, ...]] = {
    "retrieval": (
        "gainful",
        "trec_eval",
        "pytrec_eval",
        "ir_measures",
        "gdeval",
        "ndeval",
        "beir",
        "mteb",
        "trectools",
        "ranx",
        "cwl_eval",
    ),
    "learning to rank": (
        "scikit-learn",
        "torchmetrics",
        "rax",
        "tensorflow-ranking",
        "lightgbm",
        "xgboost",
        "catboost",
    ),
    "recommenders": (
        "spark",
        "pyspark",
        "lenskit",
        "recbole",
        "recpack",
        "elliot",
        "cornac",
        "implicit",
        "recommenders",
        "caserecommender",
    ),
    "search engines and RAG": (
        "elasticsearch",
        "opensearch",
        "quepid",
        "rre",
        "vespa",
        "pyvespa",
        "sentence-transformers",
        "haystack",
        "llama-index",
        "llamaindex",
        "mlflow",
        "evidently",
        "phoenix",
        "tfma",
    ),
    "papers": ("jarvelin-kekalainen", "burges"),
}

#: What a tool stands under that no field names.
OTHERS = "others"


def field_of(name: str) -> str:
    """Return the field of a preset.

    Examples
    --------
    >>> field_of("trec_eval-9.0.8")
    'retrieval'
    """
    tool = tool_of(name)
    return next((field for field, tools in FIELDS.items() if tool in tools), OTHERS)


def grouped(presets: Iterable[Preset]) -> dict[str, list[Preset]]:
    """Return presets by field, the fields in their order and in each the presets in theirs.

    Examples
    --------
    >>> from gainful.conventions import presets
    >>> [preset.name for preset in grouped(presets())["retrieval"]][0]
    'gainful-1'
    """
    groups: dict[str, list[Preset]] = {field: [] for field in (*FIELDS, OTHERS)}
    for preset in presets:
        groups[field_of(preset.name)].append(preset)
    return {field: members for field, members in groups.items() if members}
