"""Systems under people and under a model: order, verdicts, favored families."""

from __future__ import annotations

import numpy as np

from gainful.byte_order import in_byte_order
from gainful.inference import correlation_interval, kendall_tau
from gainful.inference.interval import quantile
from gainful.judging.audit_result import FamilyEffect, RankAgreement
from gainful.records import Interval
from gainful.vocabulary import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.evaluation.query_groups import QueryGroups
    from gainful.judging.choices import Choices
    from gainful.judging.systems_result import SystemsByRater

__all__ = ["compare_orders", "favored_families"]

#: How many of the best systems are also looked at alone.
BEST = 10


def compare_orders(
    systems: SystemsByRater | None,
    people: str,
    judge: str,
    choices: Choices,
    groups: QueryGroups,
) -> tuple[RankAgreement, ...]:
    """Return the agreement on the order of all systems, and of the best ones under people."""
    if systems is None or not systems.scores:
        return ()
    complete = [name for name, own in systems.means.items() if len(own) == 2]
    best = sorted(complete, key=lambda name: -systems.means[name][people])[:BEST]
    found = [_order(systems, complete, people, judge, choices, groups, best=False)]
    if len(best) < len(complete):
        found.append(_order(systems, best, people, judge, choices, groups, best=True))
    return tuple(found)


def _order(
    systems: SystemsByRater,
    names: Sequence[str],
    people: str,
    judge: str,
    choices: Choices,
    groups: QueryGroups,
    *,
    best: bool,
) -> RankAgreement:
    sides = [systems.scores[rater] for rater in (people, judge)]
    queries = in_byte_order({query for side in sides for query in side.queries})
    first, second = (side.on(queries, names) for side in sides)
    orders = [[systems.means[name][rater] for name in names] for rater in (people, judge)]
    interval = correlation_interval(
        first,
        second,
        groups.design(queries),
        level=choices.level,
        resamples=choices.resamples,
        seed=choices.seed,
    )
    chosen = set(names)
    verdicts = [
        (each.verdicts[people], each.verdicts[judge])
        for each in systems.verdicts
        if each.system in chosen and each.baseline in chosen
    ]
    different = set(SIGNIFICANT)
    return RankAgreement(
        systems=len(names),
        best=best,
        tau=kendall_tau(*orders),
        interval=interval and Interval(*interval),
        verdicts=len(verdicts),
        same=sum(one == two for one, two in verdicts),
        contradicted=sum({one, two} == different for one, two in verdicts),
        found=sum(one not in different and two in different for one, two in verdicts),
        missed=sum(one in different and two not in different for one, two in verdicts),
    )


def favored_families(
    systems: SystemsByRater | None,
    people: str,
    judge: str,
    families: Mapping[str, str],
    choices: Choices,
    groups: QueryGroups,
) -> tuple[FamilyEffect, ...]:
    """Return the interaction of judge and family: how much its systems gain more than others."""
    if systems is None or not systems.scores:
        return ()
    names = [name for name, own in systems.means.items() if len(own) == 2]
    sides = [systems.scores[rater] for rater in (people, judge)]
    queries = in_byte_order(set(sides[0].queries) & set(sides[1].queries))
    first, second = (side.on(queries, names) for side in sides)
    gains = second - first
    found = []
    for family in dict.fromkeys(families[name] for name in names if name in families):
        inside = np.array([families.get(name) == family for name in names])
        if inside.all():
            continue
        own, others = gains[:, inside].mean(axis=1), gains[:, ~inside].mean(axis=1)
        counted = ~np.isnan(own - others)
        if not counted.any():
            continue
        design = groups.design([q for q, kept in zip(queries, counted, strict=True) if kept])
        values = (own - others)[counted]
        interval = None
        if design.df >= 1:
            half = -quantile((1.0 - choices.level) / 2, design.degrees_of_freedom(values)) * float(
                design.standard_error(values)
            )
            mean = float(design.mean(values))
            interval = Interval(mean - half, mean + half)
        found.append(
            FamilyEffect(
                family=family,
                own=families.get(judge) == family,
                systems=int(inside.sum()),
                inflation=float(design.mean(own[counted])),
                others=float(design.mean(others[counted])),
                difference=float(design.mean(values)),
                interval=interval,
            )
        )
    return tuple(found)
