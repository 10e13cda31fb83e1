"""``gainful conventions diff``: what two conventions do differently, and what it comes to."""

from __future__ import annotations

import click

from gainful.cli.arguments import complete_conventions, examples, output_option


@click.command(
    epilog=examples("gainful conventions diff trec_eval gainful"),
)
@click.argument("a", metavar="A", shell_complete=complete_conventions)
@click.argument("b", metavar="B", shell_complete=complete_conventions)
@output_option
def command(a: str, b: str, output: str | None) -> None:
    """Say in words what convention B does otherwise than A."""
    from gainful.cli.output import deliver
    from gainful.conventions import get

    deliver([f"{get(a).diff(b)}\n"], output)
