"""``gainful measures``: the measures and their formulas."""

from __future__ import annotations

from gainful.cli.arguments import format_option
from gainful.cli.command import Command
from gainful.parameters import Argument


@Command(
    Argument("name", str, complete="measures", required=False),
    format_option(only=("table", "json", "markdown"), help="Format of the list."),
    examples=(
        "gainful measures",
        "gainful measures nDCG",
        "gainful measures diversity",
        "gainful measures mrr",
    ),
)
def command(name: str | None, style: str, output: str | None) -> None:
    """List the measures with formula and source, or describe one in full.

    NAME is a measure in any notation: nDCG, trec_eval's ndcg_cut_10, or a common name such as MRR.
    Its description contains the formula, the source, and the parameters with their values.

    NAME can also be a group of measures: cumulated-gain, precision-recall, averaged-precision,
    first-hit, user-models, incomplete-judgments, diversity, preferences or counts.
    """
    from gainful.cli.output import deliver, on_terminal
    from gainful.measures import describe, families
    from gainful.measures.listing import GROUPS, described, drawn, plain, tables

    if name in GROUPS:
        chosen = [family for family in families() if family.group == name]
    else:
        chosen = [describe(name)] if name else families()
    if style == "json":
        from gainful.formats.json import text

        deliver([text([family.to_dict() for family in chosen], indent=2)], output)
        return
    if style == "markdown":
        from gainful.formats.markup import markdown

        deliver(["\n".join(map(markdown, tables(chosen)))], output)
    elif name and name not in GROUPS:
        deliver(map(described, chosen), output)
    else:
        colored = output in (None, "-") and on_terminal()
        deliver([drawn(chosen) if colored else plain(chosen)], output, has_colors=colored)
