"""Conventions and measures for comparing paths: each preset, policy value and family."""

from __future__ import annotations

from functools import cache

from gainful.conventions import Convention, get, presets
from gainful.errors import ConventionError
from gainful.evaluation.parts import kernel_table
from gainful.measures import Measure, families, parse_measures
from gainful.policies import POLICIES
from paths_of_evaluation.collections import Collection

#: Values for the placeholders in capitals among a policy's values.
FILLED = {
    "GRADE": ("1", "3"),
    "random(SEED)": ("random(7)",),
    "sampled(N)": ("sampled(20)",),
    "sampled(N of M)": ("sampled(20 of 500)",),
}

#: Prefix of the names of conventions that have the policies of a preset.
OWN = "own-"

#: Measures with parameters and cutoffs; each family is also tested without them.
SPECIFIC = (
    "nDCG@3",
    "nDCG(gain=exponential, discount=ln)@5",
    "nDCG(ideal=list)@4",
    "DCG@2",
    "AP(rel=2)@4",
    "P@3",
    "R@3",
    "R(capped=True)@2",
    "RR(rel=2)@5",
    "Success@1",
    "ERR(max_grade=4)@4",
    "RBP(p=0.5, rel=1)@6",
    "F(beta=2)@4",
    "Judged@3",
    "Unjudged@5",
)

#: Families that need a parameter, or need one for grades above 1.
COMPLETED = {
    "IPrec": "IPrec@0.1",
    **{name: f"{name}@5" for name in ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "P_IA")},
    "ERR": "ERR(max_grade=4)",
    "nERR": "nERR(max_grade=4)",
    "RBP": "RBP(max_grade=4)",
}


#: The measures under every convention; all others only under `ALL_MEASURES_UNDER`.
FEW = (
    *("nDCG", "nDCG@3", "DCG@2", "AP", "AP(rel=2)@4", "P@3", "R@3", "RR", "ERR(max_grade=4)@4"),
    *("Rprec", "bpref", "infAP", "GMAP", "Compat@5", "Judged@3", "NumRelRet"),
)
ALL_MEASURES_UNDER = ("trec_eval-9.0.8", "ties=given", "ties=expected")


def values_of_policies() -> dict[str, Convention]:
    """Return the default convention with each other policy value, keyed by the change."""
    default = Convention()
    found = {}
    for policy in POLICIES:
        for form in policy.values:
            for value in FILLED.get(form, (form.replace("D", "3") if ":D" in form else form,)):
                convention = Convention(**{policy.name: value})  # type: ignore[arg-type]
                if convention != default:
                    found[f"{policy.name}={value}"] = convention
    return found


@cache
def all_conventions() -> dict[str, Convention]:
    """Return the policies of the presets, and the values of all policies.

    A preset refuses measures that it is not verified for. Its policies under another name measure
    all of them.
    """
    renamed = {each.name: get(each.name).replace(name=OWN + each.name) for each in presets()}
    return renamed | values_of_policies()


@cache
def measures_of_subtopics() -> tuple[Measure, ...]:
    """Return the measures that need judgments with subtopics or groups of assessors."""
    found = [each for each in families() if each.judgments in ("subtopics", "groups")]
    names = [COMPLETED.get(each.name, each.name) for each in found]
    return tuple(parse_measures(names))


@cache
def all_measures() -> tuple[Measure, ...]:
    """Return the measures of judgments with one grade per document, some with parameters."""
    plain = []
    for family in families():
        if family.judgments == "grades":
            scaled = any(parameter.name == "max_rel" for parameter in family.parameters)
            text = f"{family.name}(max_rel=4)" if scaled else family.name
            plain += parse_measures(COMPLETED.get(family.name, text))
    return tuple(dict.fromkeys((*plain, *parse_measures(SPECIFIC), *parse_measures(FEW))))


def measures_of(label: str, collection: Collection) -> tuple[Measure, ...]:
    """Return the measures that a collection is evaluated with, under one of `all_conventions`.

    All defined measures under a label of `ALL_MEASURES_UNDER`, otherwise those of `FEW`. No measure
    has a relevance level above the largest grade, since some conventions reject it.
    """
    most = max(row.grade for row in collection.qrels)
    return _measures(label, most, subtopics=collection.subtopics)


@cache
def _measures(label: str, most: float, *, subtopics: bool) -> tuple[Measure, ...]:
    every = all_measures() if label in ALL_MEASURES_UNDER else parse_measures(FEW)
    return tuple(
        measure
        for measure in (measures_of_subtopics() if subtopics else every)
        if (measure.params.get("rel") or 1) <= most and _fits(measure, label)
    )


@cache
def _fits(measure: Measure, label: str) -> bool:
    try:
        kernel_table([], (measure,), all_conventions()[label], None)
    except ConventionError:
        return False
    return True
