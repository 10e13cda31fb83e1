"""A suite as the JSON contract ``gainful.suite/1``."""

from __future__ import annotations

from gainful.comparison.rendering import describe_ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.result import Suite

__all__ = ["suite_document"]


def suite_document(suite: Suite, comparison: SuiteComparison | None = None) -> dict[str, object]:
    """Return all values of a suite, with those of a comparison; missing values are None.

    Examples
    --------
    >>> from gainful.suite import evaluate_suite
    >>> document = suite_document(evaluate_suite("collections"))
    >>> document["values"]["nDCG@10"]["title-words"]["recipes"] is None
    True
    """
    first = next(iter(suite.evaluations.values()))
    return {
        "schema": "gainful.suite/1",
        "convention": {**suite.convention.to_dict(), "text": str(suite.convention)},
        "measures": {
            repr(measure): repr(resolved)
            for measure, resolved in zip(suite.measures, first.resolved, strict=True)
        },
        "collections": list(suite.collections),
        "over": list(suite.over),
        "aggregate": suite.aggregate,
        "systems": list(suite.systems),
        "complete": list(suite.complete),
        "missing": [
            {"system": system, "collection": collection} for system, collection in suite.missing
        ],
        "left_out": list(suite.left_out),
        "values": {repr(measure): _values(suite, measure) for measure in suite.measures},
        "macro": {repr(measure): _macros(suite, measure) for measure in suite.measures},
        **(
            {
                "by": suite.attribute,
                "slices": {
                    name: {
                        repr(measure): _macros(suite, measure, name) for measure in suite.measures
                    }
                    for name in suite.slices
                },
            }
            if suite.slices
            else {}
        ),
        **(
            {"predicted": {name: each.to_dict() for name, each in suite.predictions.items()}}
            if suite.predictions
            else {}
        ),
        "oracle": {"run": suite.oracle, **_oracle(suite)},
        "comparison": None if comparison is None else _comparison(comparison),
        "counts": {
            name: {system: each.counts(system) for system in each.systems}
            for name, each in suite.evaluations.items()
        },
        **(
            {"published": [score.to_dict() for score in suite.published]} if suite.published else {}
        ),
    }


def _values(suite: Suite, measure: Measure) -> dict[str, object]:
    return {
        system: {
            name: None
            if (found := suite.summary(system, name, measure)) is None
            else found.to_dict()
            for name in suite.collections
        }
        for system in suite.systems
    }


def _macros(suite: Suite, measure: Measure, slice: str | None = None) -> dict[str, object]:
    return {
        system: None if (found := suite.macro(system, measure, slice)) is None else found.to_dict()
        for system in suite.systems
    }


def _oracle(suite: Suite) -> dict[str, object]:
    return {
        "means": {
            repr(measure): {name: suite.oracle_mean(name, measure) for name in suite.collections}
            for measure in suite.measures
        },
        "gaps": {
            repr(measure): {
                system: {
                    "collections": {
                        name: suite.oracle_gap(system, name, measure) for name in suite.collections
                    },
                    "macro": suite.oracle_gap(system, None, measure),
                }
                for system in suite.systems
            }
            for measure in suite.measures
        },
    }


def _comparison(comparison: SuiteComparison) -> dict[str, object]:
    choices, measures = comparison.choices, comparison.suite.measures
    return {
        "systems": list(comparison.systems),
        "baselines": list(comparison.baselines),
        "alpha": choices.alpha,
        "margin": choices.margin,
        "detect": choices.detect,
        "tie_margin": choices.tie_margin,
        "family": choices.family,
        "resamples": choices.resamples,
        "bootstrap": choices.bootstrap,
        "seed": choices.seed,
        "letters": None
        if comparison.baselines
        else {repr(measure): comparison.letters(measure) for measure in measures},
        **describe_ranks(
            None
            if comparison.baselines
            else {repr(measure): comparison.ranks(measure) for measure in measures}
        ),
        "pairs": [pair.to_dict() for pair in comparison.pairs],
        "new_collections": [
            effect.to_dict()
            for measure in measures
            for effect in comparison.new_collections(measure)
        ],
        "gaps": {
            name: [pair.to_dict() for pair in pairs] for name, pairs in comparison.gaps.items()
        },
        "slices": {
            name: [pair.to_dict() for pair in pairs] for name, pairs in comparison.slices.items()
        },
    }
