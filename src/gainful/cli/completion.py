"""``gainful completion``: scripts for shell completion."""

from __future__ import annotations

from gainful.cli.command import Command
from gainful.parameters import Argument

SHELLS = ("bash", "zsh", "fish")


@Command(
    Argument("shell", str, choices=SHELLS),
    examples=(
        "gainful completion bash > ~/.local/share/bash-completion/completions/gainful",
        "gainful completion zsh > ~/.zfunc/_gainful    (a folder in $fpath)",
        "gainful completion fish > ~/.config/fish/completions/gainful.fish",
        'eval "$(gainful completion bash)"    (in this shell only)',
    ),
)
def command(shell: str) -> None:
    """Print a script for shell completion.

    The shell then completes commands, options, measures, conventions and policies.
    """
    from gainful.cli.output import deliver
    from gainful.cli.program import completion_script

    deliver([completion_script(shell)], None)
