"""``gainful completion``: scripts for shell completion."""

from __future__ import annotations

import click

from gainful.cli.arguments import examples

SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog=examples(
        "gainful completion bash > ~/.local/share/bash-completion/completions/gainful",
        "gainful completion zsh > ~/.zfunc/_gainful    (a folder in $fpath)",
        "gainful completion fish > ~/.config/fish/completions/gainful.fish",
        'eval "$(gainful completion bash)"    (in this shell only)',
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print a script for shell completion.

    The shell then completes commands, options, measures, conventions and policies.
    """
    from click.shell_completion import get_completion_class

    from gainful.cli.output import deliver
    from gainful.cli.program import program

    completion = get_completion_class(shell)
    assert completion is not None
    script = completion(program, {}, "gainful", "_GAINFUL_COMPLETE")
    # Not source(), which starts bash to check its version.
    deliver([script.source_template % script.source_vars() + "\n"], None)
