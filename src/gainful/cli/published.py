"""Options for files of published scores."""

from __future__ import annotations

from gainful.cli.option_groups import Group, complete_files, option
from gainful.cli.written_files import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["publish_option", "published_options"]


def publish_option(command: Any) -> Any:
    """Add ``--publish``."""
    return option(
        "--publish",
        group=Group.OUTPUT,
        metavar="FILE",
        shell_complete=complete_files,
        writes=Output(),
        help="Also write the means to this JSON file, which --published reads.",
    )(command)


def published_options(command: Any) -> Any:
    """Add ``--published`` and ``--publish``."""
    published = option(
        "--published",
        multiple=True,
        metavar="FILE",
        shell_complete=complete_files,
        help="Show the scores of other systems in this JSON file in the same tables. Repeatable.",
    )
    return published(publish_option(command))
