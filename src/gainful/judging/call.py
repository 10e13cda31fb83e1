"""Assess labels and, if given, rankings."""

from __future__ import annotations

from functools import partial

from gainful.conventions import Convention, get
from gainful.data.coercion import as_run
from gainful.errors import ArgumentError, ParameterError
from gainful.evaluation import Evaluation, evaluate
from gainful.judging.ratings import Ratings
from gainful.judging.result import AssessOptions, JudgmentQuality, checked
from gainful.judging.systems import Coverage, DocumentCounts, SliceSummary, score_judgments
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measure
from gainful.progress import Bar, show_progress
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gainful.data import Run
    from gainful.data.corpus import TextsLike
    from gainful.data.run import RunLike
    from gainful.evaluation.query_groups import Attribute, By, QueryGroups
    from gainful.judging.reading import RatingsLike
    from gainful.judging.systems import SystemsByRater
    from gainful.measures import Measure

__all__ = ["assess_judgments"]


@show_progress(Bar)
@suggest_keywords
def assess_judgments(
    judgments: RatingsLike | Ratings,
    runs: Mapping[str, RunLike] | None = None,
    measure: Measure | str | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    margin: float | None = None,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
    docs: TextsLike | None = None,
    families: Mapping[str, str] | None = None,
    scale: str = "ordinal",
    kappa: str = "quadratic",
    level: float = 0.95,
    resamples: int = 1_999,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> JudgmentQuality:
    """Assess judgments: coverage, inter-annotator agreement, dependent verdicts.

    Parameters
    ----------
    judgments : Ratings, or anything that `Ratings` accepts
        Labels with their raters.
    runs : mapping of str to run, optional
        Rankings of the systems. The result then includes the judged share of each and, with several
        raters, the systems' means by rater and the verdicts that depend on the rater.
    measure, convention, margin, baseline, threads, progress
        As for `compare`.
    weights : mapping of query id to float, optional
        The weight of each query, and so of each of its documents, in alpha, kappa, biases, shares
        of equal grades, and the systems' means. Counts and mean grades are not weighted.
    clusters : mapping of query id to value, or path, optional
        Queries that belong together, which are resampled together. Default: each query with its
        documents.
    by : mapping of query id to value, or path, optional
        An attribute that slices the queries. The agreement, and the systems by rater, are also
        reported for each slice.
    docs : path or mapping, optional
        The texts of the documents, from which the audit of a model takes their lengths. Default:
        the lengths in the labels of `gainful.judge_llm`.
    families : mapping of str to str, optional
        The families of systems and of models, such as ``{"rerank-gpt": "gpt", "llm": "gpt"}``: the
        audit of a model reports whether its scores favor a family.
    scale : {"ordinal", "interval", "nominal"}
        The distance between grades for Krippendorff's alpha; see
        `gainful.inference.krippendorff_alpha`.
    kappa : {"quadratic", "linear", "none"}
        The weights of kappa; see `gainful.inference.weighted_kappa`.
    level : float
        The confidence level of the intervals of alpha, kappa and biases.
    resamples : int
        Number of bootstrap resamples, of queries or clusters, for the intervals of tau.
    seed : int
        The random seed.

    Returns
    -------
    JudgmentQuality
        The coverage, the inter-annotator agreement and, if possible, the systems by rater. If some
        raters are models and others people, also the audit of each model.

    Raises
    ------
    ParameterError
        For an unknown scale, weights, level or baseline, or an empty `runs`.
    ArgumentError
        For a baseline or a margin without runs.
    GainfulError
        For anything that cannot be read, matched or evaluated.

    Notes
    -----
    Systems are scored with each rater's labels of the documents that all raters graded, so that
    differences between raters come from their opinions, not from the documents they saw. Other
    documents count as unjudged. Raters who disagree on many documents often agree on the better
    system: E. Voorhees: Variations in relevance judgments and the measurement of retrieval
    effectiveness. Information Processing & Management 36(5), 2000.

    Examples
    --------
    >>> import gainful
    >>> from gainful.demo import annotations_path
    >>> quality = gainful.assess_judgments(annotations_path())
    >>> pair = quality.pairs[0]
    >>> pair.first, pair.second, pair.documents, round(pair.same, 4)
    ('ana', 'ben', 466, 0.7961)
    """
    choices = checked(
        AssessOptions(scale=scale, kappa=kappa, level=level, resamples=resamples, seed=seed)
    )
    from gainful.evaluation.query_groups import read_query_groups

    ratings = judgments if isinstance(judgments, Ratings) else Ratings(judgments)
    groups = read_query_groups(weights=weights, clusters=clusters, by=by)
    if runs is None and (baseline is not None or margin is not None):
        raise ArgumentError(
            where="baseline" if baseline is not None else "margin",
            found="no runs to compare",
            expected="runs to evaluate",
        )
    if runs is not None and not runs:
        raise ParameterError(where="runs", found="no run", expected="at least one, or None")
    known_families = _families_by_name(families or {}, ratings, runs)
    union = _union(ratings)
    score = None
    if runs is None:
        covered, systems = _coverage(ratings, union, None), None
    else:
        named = _read_runs(runs)
        policies = get(convention)
        chosen = choose_measure(measure, policies)
        evaluation = evaluate(
            union,
            runs=named,
            measures=[chosen],
            convention=policies,
            threads=threads,
            progress=progress,
        )
        covered = _coverage(ratings, union, evaluation)
        scoring = partial(
            score_by_rater,
            runs=named,
            measure=chosen,
            convention=policies,
            baseline=baseline,
            margin=margin,
            groups=groups,
            level=level,
            resamples=resamples,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        systems = scoring(ratings)
        score = partial(_score_judge, ratings, scoring, systems)
    from gainful.judging.audit import (
        alpha_summaries,
        audit_judges,
        compare_versions,
        final_summary,
        pair_summaries,
        rater_summaries,
    )

    slices = {}
    for name, members in groups.slice_queries(ratings.queries).items():
        part = ratings.select(members)
        slices[name] = SliceSummary(
            queries=len(members),
            documents=len(part.pairs),
            pairs=pair_summaries(part, choices, groups),
            alphas=alpha_summaries(part, choices, groups),
            systems=None if isinstance(systems, str) or not systems else systems.slices.get(name),
        )
    pairs = pair_summaries(ratings, choices, groups)
    return JudgmentQuality(
        ratings=ratings,
        choices=choices,
        coverage=covered,
        raters=rater_summaries(ratings, choices, groups, pairs),
        pairs=pairs,
        alphas=alpha_summaries(ratings, choices, groups),
        final=final_summary(ratings),
        systems=None if isinstance(systems, str) else systems,
        not_scored=systems if isinstance(systems, str) else None,
        slices=slices,
        audits=audit_judges(
            ratings,
            choices,
            groups,
            lengths=None if docs is None else _lengths(docs, ratings),
            families=known_families,
            score=score,
        ),
        versions=compare_versions(ratings, choices, groups),
        attribute=groups.attribute,
        cluster=groups.cluster,
        weighted=groups.weights is not None,
    )


def _score_judge(
    ratings: Ratings,
    scoring: Callable[[Ratings], SystemsByRater | str],
    systems: SystemsByRater | str,
    judge: str,
    people: str,
    truth: dict[tuple[str, str], float],
) -> SystemsByRater | str:
    """Score the systems under people and under a model, on the documents that both graded."""
    if not isinstance(systems, str) and set(systems.raters) == {people, judge}:
        return systems
    rows = [(*pair, people, grade) for pair, grade in truth.items()]
    rows += [(*pair, judge, grade) for pair, grade in ratings.grades(judge).items()]
    return scoring(Ratings(rows))


def _lengths(docs: TextsLike, ratings: Ratings) -> dict[str, int]:
    from gainful.data.corpus import read_documents

    texts = read_documents(docs, {document for _, document in ratings.pairs}).found
    return {name: len(f"{text.title}\n{text.text}".strip()) for name, text in texts.items()}


def _families_by_name(
    families: Mapping[str, str], ratings: Ratings, runs: Mapping[str, RunLike] | None
) -> dict[str, str]:
    """Return the families of systems and raters.

    Several versions of a model in one file are raters of their own, whose family is that of the
    file's name.
    """
    if families and runs is None:
        raise ParameterError("⟪families⟫ requires ⟪runs⟫")
    files = {rater.name: rater.name.removesuffix(f" ({rater.source})") for rater in ratings.raters}
    known = [*(runs or ()), *files, *files.values()]
    unknown = [name for name in families if name not in known]
    if unknown:
        raise ParameterError(
            where="families",
            found=shown(unknown[0]),
            expected=f"a system or model: {names_shown(list(dict.fromkeys(known)))}",
        )
    named = {name: families[file] for name, file in files.items() if file in families}
    return {**named, **families}


def _read_runs(runs: Mapping[str, RunLike]) -> dict[str, Run]:
    """Read each run once, for several evaluations."""
    return {name: as_run(run, duplicates="count", name=name) for name, run in runs.items()}


def _union(ratings: Ratings) -> dict[str, dict[str, float]]:
    """Return the largest grade of each document."""
    best: dict[str, dict[str, float]] = {query: {} for query in ratings.queries}
    judges = [rater.name for rater in ratings.raters]
    for judge in [*judges, *([ratings.final] if ratings.final else [])]:
        for (query, document), grade in ratings.grades(judge).items():
            best[query][document] = max(best[query].get(document, grade), grade)
    return best


def _coverage(
    ratings: Ratings, best: dict[str, dict[str, float]], evaluation: Evaluation | None
) -> Coverage:
    from statistics import median

    sizes = sorted(map(len, best.values()))
    by_rater = [ratings.grades(rater.name) for rater in ratings.raters]
    rated_by: dict[int, int] = {}
    for pair in ratings.pairs:
        often = sum(pair in grades for grades in by_rater)
        rated_by[often] = rated_by.get(often, 0) + 1
    judged: dict[str, float | None] = {}
    unjudged: dict[str, int] = {}
    cutoff = None
    if evaluation is not None:
        cutoff = evaluation.resolved[0].cutoff
        for system in evaluation.systems:
            counts = evaluation.counts(system)
            shares, extra = counts["judged_at_cutoff"], counts["extra"]
            assert isinstance(shares, dict)
            assert isinstance(extra, int)
            judged[system] = shares.get(str(cutoff))
            unjudged[system] = extra
    return Coverage(
        queries=len(best),
        documents=len(ratings.pairs),
        labels=len(ratings),
        blank=ratings.blank,
        per_query=DocumentCounts(min=sizes[0], median=float(median(sizes)), max=sizes[-1]),
        rated_by=dict(sorted(rated_by.items())),
        no_relevant=tuple(
            query for query, grades in best.items() if all(g < 1 for g in grades.values())
        ),
        judged=judged,
        cutoff=cutoff,
        unjudged=unjudged,
    )


def score_by_rater(
    ratings: Ratings,
    runs: Mapping[str, Run],
    measure: Measure,
    *,
    convention: Convention,
    baseline: str | Sequence[str] | None,
    margin: float | None,
    groups: QueryGroups,
    level: float,
    resamples: int,
    seed: int,
    threads: int | None,
    progress: Callable[[int, int], object] | None,
) -> SystemsByRater | str:
    """Score systems with each rater's labels, or return why that is impossible."""
    judges = [rater.name for rater in ratings.raters]
    if ratings.final is not None:
        judges.append(ratings.final)
    if len(judges) < 2:
        return "there is only one rater"
    by_rater = [ratings.grades(judge) for judge in judges]
    common = [pair for pair in ratings.pairs if all(pair in grades for grades in by_rater)]
    if not common:
        return f"no document was graded by all {len(judges)} of {', '.join(judges)}"
    return score_judgments(
        {judge: ratings.of(judge, common) for judge in judges},
        runs,
        measure,
        subject="rater",
        sampled=[rater.name for rater in ratings.raters],
        convention=convention,
        baseline=baseline,
        margin=margin,
        groups=groups,
        level=level,
        resamples=resamples,
        seed=seed,
        threads=threads,
        progress=progress,
    )
