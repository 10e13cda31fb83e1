"""A judgment of judgments for terminals, notebooks, pages and programs."""

from __future__ import annotations

from textwrap import wrap

from gainful.formats.console import drawn as draw
from gainful.formats.json import text
from gainful.judging.system_tables import means_table, verdicts_table
from gainful.judging.tables import (
    agreement_table,
    confusion_table,
    coverage_table,
    raters_table,
    sources_table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.formats.table import TextTable
    from gainful.judging.result import JudgmentQuality

__all__ = ["drawn", "html", "json", "latex", "markdown", "plain", "tables"]

WIDTH = 100


def tables(quality: JudgmentQuality, columns: int = WIDTH) -> list[TextTable]:
    """Return it as tables of text.

    Parameters
    ----------
    quality : JudgmentQuality
        What to show.
    columns : int
        How wide a table may be, where there is a choice.

    Examples
    --------
    >>> import gainful
    >>> told = gainful.assess_judgments([("q1", "d1", "ana", 1), ("q1", "d1", "ben", 0)])
    >>> [table.title for table in tables(told)]
    ['Grades of each rater', 'Agreement', "Confusion: ana's grade down, ben's across"]
    """
    systems = quality.systems
    found = [
        sources_table(quality),
        raters_table(quality) if quality.raters else None,
        agreement_table(quality),
        confusion_table(quality),
        coverage_table(quality),
        means_table(systems, columns) if systems else None,
        verdicts_table(systems, columns) if systems else None,
    ]
    return [table for table in found if table is not None]


def plain(quality: JudgmentQuality) -> str:
    """Return it as text of 100 columns.

    Parameters
    ----------
    quality : JudgmentQuality
        What to show.

    Examples
    --------
    >>> import gainful
    >>> print(plain(gainful.assess_judgments("qrels.txt")))
    27 documents of 6 queries are judged: 27 labels of 1 rater.
    A query has 2 to 6 documents, median 4.5. 1 query has nothing relevant (grade 1 or more): q6.
    <BLANKLINE>
    Grades
    rater  labels       0       1       2       3  mean
    ───────────────────────────────────────────────────
    qrels      27  48.1 %  18.5 %  11.1 %  22.2 %  1.07
    """
    lines = [line for text in heading(quality) for line in _wrapped(text)]
    for table in tables(quality):
        lines += ["", table.plain(WIDTH)]
    ending = [line for text in _ending(quality) for line in _wrapped(text)]
    return "\n".join([*lines, *(["", *ending] if ending else [])])


def heading(quality: JudgmentQuality) -> Iterator[str]:
    """Yield what there is, in sentences."""
    coverage, raters = quality.coverage, len(quality.raters)
    yield (
        f"{_counted(coverage.documents, 'document')} of {_counted(coverage.queries, 'query')}"
        f" {'is' if coverage.documents == 1 else 'are'} judged:"
        f" {_counted(coverage.labels, 'label')} of {_counted(raters, 'rater')}."
    )
    told = []
    least, median, most = coverage.per_query
    if least == most:
        told.append(f"A query has {_counted(least, 'document')}.")
    else:
        told.append(f"A query has {least} to {_counted(most, 'document')}, median {median:g}.")
    if raters > 1:
        told.append(_rated(coverage.rated_by))
    if coverage.blank:
        places = "1 place for a grade is" if coverage.blank == 1 else "places for a grade are"
        number = "" if coverage.blank == 1 else f"{coverage.blank:,} "
        told.append(f"{number}{places} empty.")
    if quality.ratings.final:
        told.append(f"Grades settled on: {quality.ratings.final}.")
    nothing = coverage.no_relevant
    if nothing:
        named = f": {', '.join(nothing)}" if len(nothing) <= 5 else ""
        verb = "1 query has" if len(nothing) == 1 else f"{len(nothing):,} queries have"
        told.append(f"{verb} nothing relevant (grade 1 or more){named}.")
    yield " ".join(told)


def _rated(rated_by: dict[int, int]) -> str:
    if len(rated_by) == 1:
        (often,) = rated_by
        return f"Each document has {_counted(often, 'label')}."
    told = [f"{documents:,} have {often}" for often, documents in sorted(rated_by.items())]
    return f"Of the documents, by labels: {', '.join(told)}."


def _ending(quality: JudgmentQuality) -> Iterator[str]:
    if quality.alphas and not quality.pairs:
        yield "No document was graded by two raters: kappa and alpha are not defined."
    if quality.not_scored:
        yield f"The systems are not scored under each rater: {quality.not_scored}."
    if quality.systems is not None:
        yield str(quality.systems.convention)


def drawn(quality: JudgmentQuality) -> str:
    """Return it as a terminal shows it, with its codes for colours, drawn by Rich."""
    lines = [line for text in heading(quality) for line in _wrapped(text)]
    ending = "".join(
        f"\x1b[2m{line}\x1b[0m\n" for text in _ending(quality) for line in _wrapped(text)
    )
    shown = draw(*tables(quality))
    return "\n".join(lines) + f"\n\n{shown}" + (f"\n{ending}" if ending else "")


def markdown(quality: JudgmentQuality) -> str:
    """Return it as Markdown."""
    from gainful.formats.markdown import escaped
    from gainful.formats.markdown import markdown as written

    texts = [escaped(text) + "\n" for text in heading(quality)]
    ending = [escaped(text) + "\n" for text in _ending(quality)]
    return "\n".join([*texts, *map(written, tables(quality, 10 * WIDTH)), *ending])


def latex(quality: JudgmentQuality) -> str:
    """Return it as LaTeX, for the package booktabs."""
    from gainful.formats.latex import escaped
    from gainful.formats.latex import latex as written

    texts = [escaped(text) + "\n" for text in heading(quality)]
    ending = [escaped(text) + "\n" for text in _ending(quality)]
    return "\n".join([*texts, *map(written, tables(quality, 10 * WIDTH)), *ending])


def html(quality: JudgmentQuality) -> str:
    """Return it as HTML, for notebooks."""
    from html import escape

    texts = "".join(f"<p>{escape(text)}</p>" for text in heading(quality))
    ending = "".join(f"<p>{escape(text)}</p>" for text in _ending(quality))
    return texts + "".join(table.html() for table in tables(quality, 10 * WIDTH)) + ending


def json(quality: JudgmentQuality) -> str:
    """Return it as JSON: the contract ``gainful.judgments/1``, in full precision."""
    return text(quality.to_dict(), indent=2)


def _counted(n: int, thing: str) -> str:
    many = {"query": "queries"}.get(thing, f"{thing}s")
    return f"{n:,} {thing if n == 1 else many}"


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
