"""The audit of judges that are models, on a page."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.judging import Ratings, Source, assess_judgments
from gainful.judging.audit import PEOPLE
from gainful.judging.audit_result import audit_tables
from gainful.report.appendix import render_titled_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from gainful.data import Qrels
    from gainful.judging import JudgmentQuality

__all__ = ["audit_judges", "render_audit"]


def audit_judges(
    people: Qrels, judges: Mapping[str, str | PathLike[str]], **options: Any
) -> JudgmentQuality:
    """Audit labels by models against the judgments of a report.

    Parameters
    ----------
    people : Qrels
        The judgments of the report, by people.
    judges : mapping of str to path
        The labels of each model, by its name.
    **options
        As for `gainful.assess_judgments`.

    Raises
    ------
    ParameterError
        If no document of the judgments has a label of a model, or a model is called ``people``.
    """
    if PEOPLE in judges:
        raise ParameterError(where="judges", found=PEOPLE, expected="the name of a model")
    ratings = Ratings({PEOPLE: people, **judges})
    # Files of other tools do not say that their labels are those of a model.
    kinds = {
        rater.name: Source("model", rater.source.model, rater.source.version)
        for rater in ratings.raters
        if rater.name != PEOPLE
    }
    if any(rater.source.kind != "model" for rater in ratings.raters if rater.name != PEOPLE):
        ratings = Ratings({PEOPLE: people, **judges}, sources=kinds)
    quality = assess_judgments(ratings, **options)
    if not quality.audits:
        raise ParameterError(
            "no judged document has a label of a model", where="judges", found=", ".join(judges)
        )
    return quality


def render_audit(quality: JudgmentQuality) -> str:
    """Return the tables of an audit."""
    return "".join(map(render_titled_table, audit_tables(quality)))
