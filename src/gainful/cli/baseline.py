"""``gainful baseline``: runs to set a system beside."""

from __future__ import annotations

import click

from gainful.cli.arguments import examples

#: In the order of the help, each with the module that declares it.
KINDS = {
    "bm25": "baseline_lexical",
    "tfidf": "baseline_lexical",
    "dense": "baseline_dense",
    "fuse": "baseline_fuse",
    "random": "baseline_orders",
    "oracle": "baseline_orders",
}


class Kinds(click.Group):
    """The group of baselines, which imports one when it is called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the help."""
        return list(KINDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it."""
        if cmd_name not in KINDS:
            return None
        module = __import__(f"gainful.cli.{KINDS[cmd_name]}", fromlist=[cmd_name])
        found: click.Command = getattr(module, cmd_name)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; where there is none of the name, say which there are."""
        if args and not args[0].startswith("-") and args[0] not in KINDS:
            from difflib import get_close_matches

            from gainful.errors import GainfulError

            close = get_close_matches(args[0], KINDS, n=1)
            raise GainfulError(
                found=f"the unknown baseline {args[0]!r}",
                expected=f"one of {', '.join(KINDS)}",
                hint=f"did you mean {close[0]}?" if close else None,
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=Kinds,
    epilog=examples(
        "gainful baseline bm25 corpus.jsonl queries.tsv -k 100 -o bm25.run",
        "gainful baseline bm25 corpus.jsonl queries.tsv --qrels qrels.txt",
        "gainful baseline dense docs.npy queries.npy --doc-ids docs.txt --query-ids q.txt -o d.run",
        "gainful baseline fuse bm25.run dense.run -o rrf.run",
        "gainful baseline oracle qrels.txt -o ideal.run",
    ),
)
def command() -> None:
    """Make a run to set a system beside.

    BM25 and TF-IDF are what anybody has for nothing, a random order is the floor and the ideal
    order the ceiling. With --qrels the score is printed, and where it stands between these two.
    """
