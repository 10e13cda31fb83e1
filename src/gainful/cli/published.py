"""Options for files of published scores."""

from __future__ import annotations

from gainful.cli.written_files import Output
from gainful.parameters import File, Group, Parameter

__all__ = ["COLLECTION", "PUBLISH", "PUBLISHED"]

PUBLISH = Parameter(
    "publish",
    File,
    group=Group.OUTPUT,
    writes=Output(),
    help="Also write the means to this JSON file, which --published reads.",
)

COLLECTION = Parameter(
    "collection", metavar="NAME", help="The name of the collection in the file of --publish."
)

PUBLISHED = Parameter(
    "published",
    File,
    repeatable=True,
    help="Show the scores of other systems in this JSON file in the same tables. Repeatable.",
)
