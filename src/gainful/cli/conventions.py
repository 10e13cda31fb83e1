"""``gainful conventions``: how numbers can be made."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    complete_conventions,
    examples,
    format_option,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from click.shell_completion import CompletionItem

#: What stands where a name would, and is a command: no preset is called so.
DIFF = "diff"


class Conventions(click.Command):
    """The command that lists conventions and tells one; ``diff`` behind its name is another."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Make the context of the command that the words call for."""
        if args[:1] != [DIFF]:
            return super().make_context(info_name, args, parent, **extra)
        from gainful.cli.conventions_diff import command as diff

        context: click.Context = diff.make_context(f"{info_name} {DIFF}", args[1:], parent, **extra)
        return context


def complete_names(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str] | list[CompletionItem]:
    """Offer the names of the conventions, and ``diff``."""
    names = complete_conventions(ctx, param, incomplete)
    return [*names, DIFF] if DIFF.startswith(incomplete) else names


@click.command(
    cls=Conventions,
    epilog=examples(
        "gainful conventions",
        "gainful conventions trec_eval",
        "gainful conventions diff trec_eval gainful",
        "gainful evaluate qrels.txt bm25.run --convention trec_eval --policy missing=empty",
    ),
)
@click.argument("name", required=False, shell_complete=complete_names)
@format_option(only=("table", "json", "markdown"), help="How to write the answer.")
def command(name: str | None, style: str, output: str | None) -> None:
    """List the conventions side by side, or tell all about one.

    A convention says all about a number that its measure does not: which of two documents with
    equal scores stands first, what an unjudged document is, whether a query that the run lacks
    counts. Those named after a tool give that tool's numbers.

    `gainful conventions diff A B` lists the policies in which two differ. `gainful contrast`
    computes what each of these does to the scores of runs.
    """
    from gainful.cli.output import deliver, on_terminal
    from gainful.conventions import describe, presets

    chosen = presets() if name is None else [describe(name)]
    if style == "json":
        from gainful.conventions.description import to_dict
        from gainful.formats.json import text

        deliver([text([to_dict(preset) for preset in chosen], indent=2)], output)
        return
    if style == "markdown":
        from gainful.conventions.description import preset_table
        from gainful.conventions.listing import tables
        from gainful.formats.markdown import markdown

        pages = tables(chosen) if name is None else [preset_table(chosen[0])]
        deliver(["\n".join(map(markdown, pages))], output)
    elif name is not None:
        from gainful.conventions.description import of_preset

        deliver([of_preset(chosen[0])], output)
    else:
        from gainful.conventions.listing import drawn, plain

        coloured = output in (None, "-") and on_terminal()
        deliver([drawn(chosen) if coloured else plain(chosen)], output)
