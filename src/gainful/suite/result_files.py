"""Read the result files of MTEB and BEIR: one score per system and task."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from sys import float_info

from gainful.errors import FormatError, ParameterError, SourceError, SourceNotFoundError
from gainful.keywords import suggest_keywords
from gainful.published import check_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

__all__ = ["ResultFiles", "read_results"]

#: The keys of an MTEB file that are not splits, before its version 1.11.
_METADATA = frozenset(("dataset_revision", "evaluation_time", "mteb_dataset_name", "mteb_version"))

#: What tools call the same measure.
_ALIASES = {"precision": "p", "recall": "r", "rr": "mrr", "ap": "map", "recip_rank": "mrr"}

#: Names such as NDCG@10, ndcg_at_10, ndcg_cut_10, P_10 and recall_100.
_CUTOFF = re.compile(r"(?:@|_at_|_cut_|_)(\d+)$")

#: A score in text that BEIR prints: ``NDCG@10: 0.3412`` or ``'NDCG@10': 0.3412``.
_PRINTED = re.compile(r"""["']?\b([A-Za-z_]+@\d+)["']?\s*:\s*(\d+(?:\.\d+)?(?:[eE]-?\d+)?)""")

#: Measures of MTEB from -1 to 1: its correlations, and so the main score of some task.
_CORRELATION = re.compile(r"(main_score|spearman|pearson)$")

_LAYOUT = (
    "MTEB writes MODEL/REVISION/TASK.json; put BEIR's results in MODEL/DATASET.json or"
    " MODEL/DATASET.txt"
)


@dataclass(frozen=True)
class ResultFiles:
    """The scores in a folder of result files.

    Attributes
    ----------
    scores : dict of str to dict of str to float
        By task and system. Tasks and systems are in alphabetical order of their files.
    measure : str
        The measure, as requested.
    left_out : tuple of str
        Files without this measure, split or language.
    """

    scores: dict[str, dict[str, float]]
    measure: str
    left_out: tuple[str, ...] = ()


@suggest_keywords
def read_results(
    path: str | os.PathLike[str],
    measure: str | None = None,
    *,
    split: str | None = None,
    language: str | None = None,
) -> ResultFiles:
    """Read the result files of MTEB and BEIR in a folder.

    MTEB writes ``MODEL/REVISION/TASK.json``; files from before its version 1.11 and without a
    folder for the revision are read too. If a model has several revisions, each is a system. For
    BEIR, ``MODEL/DATASET.json`` contains what ``util.save_results`` writes, the dicts that
    ``EvaluateRetrieval.evaluate`` returns, or pytrec_eval's values by query, which are averaged.
    ``MODEL/DATASET.txt`` or ``.log`` contains what BEIR prints.

    Parameters
    ----------
    path : str or path
        The folder.
    measure : str, optional
        The measure, such as ``nDCG@10`` or ``cosine_spearman``. Default: the main score of MTEB's
        tasks, and nDCG@10 for BEIR.
    split : str, optional
        The split of MTEB's tasks. Default: ``test``, or the only split of a task.
    language : str, optional
        Average only the subsets with this language, such as ``deu`` or ``deu-Latn``. Default: the
        mean over all subsets, as MTEB reports it.

    Returns
    -------
    ResultFiles

    Raises
    ------
    SourceError
        If the path is not a folder, or a file is not valid JSON.
    FormatError
        If a score is outside the range of the measure.
    ParameterError
        If the folder has no results, two files have the results of one system on one task, or a
        split has to be chosen.

    Examples
    --------
    >>> found = read_results("leaderboard")
    >>> found.scores["fiqa"]
    {'bm25': 0.236, 'dense': 0.329}
    """
    top = os.fspath(path)
    chosen = _Chosen(measure, split, language)
    scores: dict[str, dict[str, float]] = {}
    rows: list[tuple[str, str, str, float]] = []
    left_out: list[str] = []
    for parts in _list_files(top):
        file = os.path.join(top, *parts)
        try:
            read = _read_file(file, parts, chosen)
        except FormatError as error:
            raise error.inside(file) from None
        if read is None:
            left_out.append(os.path.join(*parts))
            continue
        task, score = read[0], read[1]
        model, revision = _name_system(top, parts, by_task=read[2])
        rows.append((task, model, revision, score))
    revisions: dict[str, set[str]] = {}
    for _, model, revision, _ in rows:
        revisions.setdefault(model, set()).add(revision)
    for task, model, revision, score in rows:
        system = f"{model}@{revision[:8]}" if len(revisions[model]) > 1 else model
        values = scores.setdefault(task, {})
        if system in values:
            raise ParameterError(f"two files have results of {system} on {task}", where=top)
        values[system] = score
    if not scores:
        if left_out and chosen.restricts:
            raise ParameterError(f"no file has results with {chosen.describe()}", where=top)
        raise ParameterError("the folder has no results", where=top, hint=_LAYOUT)
    return ResultFiles(scores, measure or "main score", tuple(left_out))


@dataclass(frozen=True)
class _Chosen:
    """What to read from each file."""

    measure: str | None
    split: str | None
    language: str | None

    @property
    def restricts(self) -> bool:
        return any(
            restriction is not None for restriction in (self.measure, self.split, self.language)
        )

    def describe(self) -> str:
        named = (
            ("measure", self.measure),
            ("split", self.split),
            ("language", self.language),
        )
        return ", ".join(f"{name} {value}" for name, value in named if value is not None)


def _list_files(top: str) -> Iterator[tuple[str, ...]]:
    """Yield the paths of possible result files below a folder, as their parts."""
    if not os.path.exists(top):
        raise SourceNotFoundError(file=top, found="no such folder")
    if not os.path.isdir(top):
        raise SourceError(file=top, found="a file", expected="a folder of result files")
    for folder, folders, names in os.walk(top):
        folders.sort()
        inside = os.path.relpath(folder, top)
        above = () if inside == "." else tuple(inside.split(os.sep))
        for name in sorted(names):
            is_result = name.endswith((".json", ".txt", ".log")) and name != "model_meta.json"
            if is_result and not any(part.startswith(".") for part in (*above, name)):
                yield (*above, name)


def _name_system(top: str, parts: Sequence[str], *, by_task: bool) -> tuple[str, str]:
    """Return the system of a file and its revision, which may be empty.

    With `by_task`, the last folder is a task or the system, otherwise it is a revision if it is
    inside another one.
    """
    folders = parts[:-1]
    if not folders:
        return os.path.basename(os.path.abspath(top)), ""
    if len(folders) == 1:
        return folders[0].replace("__", "/"), ""
    return folders[-2].replace("__", "/"), "" if by_task else folders[-1]


def _read_file(file: str, parts: Sequence[str], chosen: _Chosen) -> tuple[str, float, bool] | None:
    """Return task, score and whether its folder can be a task; None for other files."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise SourceError(f"the file cannot be read ({why})", file=file) from error
    stem = parts[-1].rpartition(".")[0]
    # BEIR has no tasks in its files: MODEL/DATASET.json or MODEL/DATASET/metrics.json.
    task = parts[-2] if len(parts) > 2 else stem
    if not parts[-1].endswith(".json"):
        score = _find_score(dict(_printed_scores(text)), chosen.measure or "nDCG@10")
        return None if score is None else (task, score, True)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise SourceError(file=file, line=error.lineno, found="invalid JSON") from None
    except (ValueError, RecursionError):
        # Integers of thousands of digits, and arrays in thousands of arrays.
        raise SourceError(file=file, found="invalid JSON") from None
    if isinstance(document, dict) and ("scores" in document or "mteb_dataset_name" in document):
        score = _read_mteb(file, document, chosen)
        name = document.get("task_name") or document.get("mteb_dataset_name") or stem
        return None if score is None else (str(name), score, False)
    if chosen.split is not None or chosen.language is not None:
        return None
    try:
        flat = _flatten(document)
    except RecursionError:
        raise SourceError(file=file, found="objects in hundreds of objects") from None
    score = _find_score(flat, chosen.measure or "nDCG@10")
    return None if score is None else (task, score, True)


def _printed_scores(text: str) -> Iterator[tuple[str, float]]:
    for name, value in _PRINTED.findall(text):
        yield _normalize(name), float(value)


def _normalize(name: str) -> str:
    """Return one name for what tools call differently.

    >>> [_normalize(name) for name in ("nDCG@10", "ndcg_at_10", "ndcg_cut_10", "Recall@100", "P_5")]
    ['ndcg@10', 'ndcg@10', 'ndcg@10', 'r@100', 'p@5']
    """
    lower = name.lower()
    cutoff = _CUTOFF.search(lower)
    base = lower[: cutoff.start()] if cutoff else lower
    base = _ALIASES.get(base, base)
    return f"{base}@{cutoff[1]}" if cutoff else base


def _find_score(scores: Mapping[str, float], measure: str) -> float | None:
    """Return the score of a measure, checked to be in its range; None without one."""
    score = scores.get(_normalize(measure))
    if score is not None:
        if _CORRELATION.search(measure) and abs(score) > 1:
            raise FormatError(where=measure, found=repr(score), expected="-1 to 1")
        check_range(score, measure)
    return score


def _flatten(document: Any) -> dict[str, float]:
    """Return BEIR's dicts as one, or the means of pytrec_eval's values by query."""
    if isinstance(document, list):
        parts = [_flatten(entry) for entry in document]
        return {name: value for part in parts for name, value in part.items()}
    if not isinstance(document, dict):
        return {}
    scores = {_normalize(name): float(v) for name, v in document.items() if _is_number(v)}
    nested = [value for value in document.values() if isinstance(value, dict)]
    if scores or not nested:
        return scores
    names = [set(entry) for entry in nested]
    if len(nested) > 1 and all(name == names[0] for name in names):
        # The same measures under each key: the keys are queries.
        return {
            _normalize(name): sum(float(entry[name]) for entry in nested) / len(nested)
            for name in nested[0]
            if all(_is_number(entry[name]) for entry in nested)
        }
    return {name: value for entry in nested for name, value in _flatten(entry).items()}


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    # NaN, infinities and integers of hundreds of digits are no scores.
    return abs(value) <= float_info.max


def _read_mteb(file: str, document: Mapping[str, Any], chosen: _Chosen) -> float | None:
    """Return the score of an MTEB file: the mean over its subsets."""
    splits = document.get("scores")
    if not isinstance(splits, dict):
        splits = {
            name: _old_subsets(value)
            for name, value in document.items()
            if name not in _METADATA and isinstance(value, dict)
        }
    if chosen.split is not None:
        subsets = splits.get(chosen.split)
    elif "test" in splits:
        subsets = splits["test"]
    elif len(splits) == 1:
        (subsets,) = splits.values()
    else:
        raise ParameterError(
            where=file,
            found=f"the splits {', '.join(splits) or 'none'}",
            expected="test, or a single split",
            hint="choose one with ⟪split⟫",
        )
    values = [
        _mteb_value(subset, chosen.measure)
        for subset in (subsets if isinstance(subsets, list) else ())
        if isinstance(subset, dict) and _has_language(subset, chosen.language)
    ]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _old_subsets(split: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the subsets of a split in the format before version 1.11."""
    subsets = {name: value for name, value in split.items() if isinstance(value, dict)}
    if any(_is_number(entry) for name, entry in split.items() if name != "evaluation_time"):
        return [{"languages": [], **split}]
    return [{"hf_subset": name, "languages": [name], **subset} for name, subset in subsets.items()]


def _mteb_value(subset: Mapping[str, Any], measure: str | None) -> float | None:
    named = {_normalize(name): float(value) for name, value in subset.items() if _is_number(value)}
    return _find_score(named, measure or ("main_score" if "main_score" in named else "nDCG@10"))


def _has_language(subset: Mapping[str, Any], language: str | None) -> bool:
    if language is None:
        return True
    languages = subset.get("languages")
    codes = [str(language) for language in languages] if isinstance(languages, list) else []
    return any(code == language or code.partition("-")[0] == language for code in codes)
