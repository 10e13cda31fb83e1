"""``gainful completion``: the script that makes a shell complete gainful's words."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script that completes gainful's commands, options, measures and conventions.

    \b
    bash:  gainful completion bash > ~/.local/share/bash-completion/completions/gainful
    zsh:   gainful completion zsh > ~/.zfunc/_gainful    (a folder of your $fpath)
    fish:  gainful completion fish > ~/.config/fish/completions/gainful.fish

    For the running shell alone: eval "$(gainful completion bash)"
    """
    from click.shell_completion import get_completion_class

    from gainful.cli.output import deliver
    from gainful.cli.program import program

    completion = get_completion_class(shell)
    assert completion is not None
    script = completion(program, {}, "gainful", "_GAINFUL_COMPLETE")
    # Not source(), which for bash starts bash to look at its version.
    deliver([script.source_template % script.source_vars() + "\n"], None)
