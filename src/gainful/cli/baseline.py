"""``gainful baseline``: baseline runs to compare a system with."""

from __future__ import annotations

import click

from gainful.cli.arguments import examples

#: The modules of the baselines, in the order of the help.
KINDS = {
    "bm25": "baseline_lexical",
    "tfidf": "baseline_lexical",
    "dense": "baseline_dense",
    "fuse": "baseline_fuse",
    "random": "baseline_orders",
    "oracle": "baseline_orders",
}


class Kinds(click.Group):
    """The group of baselines, which imports one when it is used."""

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
        """Find the command; the error for an unknown name suggests a similar one."""
        if args and not args[0].startswith("-") and args[0] not in KINDS:
            from difflib import get_close_matches

            from gainful.errors import GainfulError

            close = get_close_matches(args[0], KINDS, n=1)
            raise GainfulError(
                f"unknown baseline {args[0]!r}",
                hint=f"did you mean {close[0]}?" if close else f"baselines are {', '.join(KINDS)}",
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
    """Build a baseline run: BM25, TF-IDF, dense or fused.

    A random order and the ideal order are the lower and upper bound. With --qrels, the score is
    printed with its share of the achievable gain.
    """
