"""Markdown of guidelines and documents as HTML; the file of guidelines and its version."""

from __future__ import annotations

from hashlib import sha256

from gainful.errors import SourceError
from gainful.extras import load_package

__all__ = ["read_guidelines", "render_markdown", "version_of"]

#: The largest file in bytes.
_LARGEST = 1_000_000


def read_guidelines(path: str) -> str:
    """Return the text of a file of guidelines.

    Raises
    ------
    SourceError
        If it is not a text of at most a megabyte.
    """
    try:
        with open(path, "rb") as stream:
            content = stream.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise SourceError("the guidelines have more than a megabyte", file=path)
        return content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot read the guidelines ({error})", file=path) from error


def version_of(text: str) -> str:
    """Return a short digest of guidelines, which is stored with each label; empty for none.

    Examples
    --------
    >>> version_of("# Relevance")
    'dde867262193'
    """
    return sha256(text.encode()).hexdigest()[:12] if text else ""


def render_markdown(text: str, *, breaks: bool = False) -> str:
    r"""Return Markdown as HTML, in which HTML of the text is escaped and images are links.

    Parameters
    ----------
    text : str
        The Markdown.
    breaks : bool
        Whether line ends are kept.

    Examples
    --------
    >>> render_markdown("*Good*: <b>fits</b> [x](javascript:alert(1))")
    '<p><em>Good</em>: &lt;b&gt;fits&lt;/b&gt; [x](javascript:alert(1))</p>\n'
    """
    package = load_package("markdown_it", where="Markdown", package="markdown-it-py", extra="judge")
    parser = package.MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": breaks})
    return str(parser.enable("table").disable("image").render(text))
