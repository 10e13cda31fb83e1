"""A session, and what the page shows of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from gainful.judging_page.documents import Display, Images
from gainful.judging_page.guidelines import render_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gainful.data import Run
    from gainful.judging import Session

__all__ = ["Mode", "Site"]


class Mode(StrEnum):
    """What judges do first.

    Attributes
    ----------
    GRADES
        Grade one document after the other.
    LIST
        Grade all documents of a query in a list.
    PAIRS
        Compare two documents.
    """

    GRADES = "grades"
    LIST = "list"
    PAIRS = "pairs"


@dataclass(frozen=True)
class Site:
    """A session, and what the page shows of it.

    Attributes
    ----------
    session : Session
        The session.
    title : str
        The title of the page.
    guidelines : str
        The guidelines in Markdown.
    images : Images
        The images of documents.
    is_markdown : bool
        Whether the texts of documents are Markdown.
    mode : Mode
        What judges do first.
    runs : mapping of str to Run
        The systems on which an owner sees the effect of the labels.
    judged : mapping of str to mapping
        Judgments that exist already, by query and document.
    measure : str or None
        The measure of the effect. Default: nDCG@10.
    add_documents : callable, optional
        Adds further documents to the session if nothing is left, and returns their number.
    stop : callable, optional
        Stops the page, if no further labels can be stored.
    """

    session: Session
    title: str = "Judging"
    guidelines: str = ""
    images: Images = field(default_factory=lambda: Images(None))
    is_markdown: bool = False
    mode: Mode = Mode.GRADES
    runs: Mapping[str, Run] = field(default_factory=dict)
    judged: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    measure: str | None = None
    add_documents: Callable[[], int] | None = None
    stop: Callable[[], object] | None = None

    def check_end(self) -> None:
        """Stop the page if no further labels can be stored."""
        if self.stop is not None and self.session.end is not None:
            self.stop()

    @cached_property
    def display(self) -> Display:
        """How documents are shown."""
        return Display(self.images, self.is_markdown)

    @cached_property
    def guidelines_html(self) -> str:
        """The guidelines as HTML."""
        return render_markdown(self.guidelines)
