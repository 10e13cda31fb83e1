"""Options for files of published scores."""

from __future__ import annotations

from gainful.cli.arguments import complete_files
from gainful.cli.option_groups import Group, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["published_options"]


def published_options(command: Any) -> Any:
    """Add ``--published`` and ``--publish``."""
    published = option(
        "--published",
        multiple=True,
        metavar="FILE",
        shell_complete=complete_files,
        help="Show the scores of other systems in this JSON file in the same tables. Repeatable.",
    )
    publish = option(
        "--publish",
        group=Group.OUTPUT,
        metavar="FILE",
        shell_complete=complete_files,
        help="Also write the means to this JSON file, which --published reads.",
    )
    return published(publish(command))
