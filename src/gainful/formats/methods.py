"""A paragraph for the methods section of a paper, with its references."""

from __future__ import annotations

import re
from os import fspath
from os.path import splitext
from unicodedata import normalize

from gainful.errors import ParameterError
from gainful.formats.markup import escape_latex as for_latex
from gainful.formats.markup import escape_markdown as for_markdown
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

__all__ = ["Methods", "Reference"]

#: The places of references in sentences.
_CITED = re.compile(r"\{([a-z]+\d{4})\}")
#: Initials begin a list of authors; words such as "as defined in" may precede it.
_SOURCE = re.compile(r"((?:[A-Z]\. )+[^:]+): (.+?)[.?] (.+?),? (\d{4})\b")


class Reference:
    """A publication.

    Parameters
    ----------
    authors, title, venue, year : str
        Its parts; authors are separated by commas.

    Examples
    --------
    >>> source = "E. Yilmaz, J. Aslam: Estimating average precision. CIKM 2006"
    >>> reference = Reference.parse(source)
    >>> reference.key, reference.authors
    ('yilmaz2006', 'E. Yilmaz, J. Aslam')
    >>> print(reference.to_bibtex())
    @misc{yilmaz2006,
      author = {E. Yilmaz and J. Aslam},
      title = {{Estimating average precision}},
      howpublished = {CIKM},
      year = {2006},
    }
    """

    __slots__ = ("authors", "title", "venue", "year")

    def __init__(self, authors: str, title: str, venue: str, year: str) -> None:
        self.authors = authors
        self.title = title
        self.venue = venue
        self.year = year

    @classmethod
    def parse(cls, source: str) -> Reference | None:
        """Read ``AUTHORS: TITLE. VENUE, YEAR``; None for sources of another form."""
        parts = _SOURCE.search(source)
        return None if parts is None else cls(*parts.groups())

    @property
    def key(self) -> str:
        """The name of the first author and the year, in ASCII."""
        name = self.authors.removesuffix(" et al.").split(",")[0].split()[-1]
        letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        return f"{''.join(filter(str.isalpha, letters))}{self.year}"

    def __str__(self) -> str:
        return f"{self.authors.rstrip('.')}. {self.title}. {self.venue}, {self.year}."

    def to_bibtex(self) -> str:
        """Return the BibTeX entry."""
        authors = self.authors.replace(" et al.", ", others").replace(", ", " and ")
        fields = {
            "author": for_latex(authors),
            # A second pair of braces keeps capital letters.
            "title": f"{{{for_latex(self.title)}}}",
            "howpublished": for_latex(self.venue),
            "year": self.year,
        }
        lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@misc{{{self.key},\n{''.join(lines)}}}"


class Methods:
    r"""Sentences for the methods section of a paper, with references.

    ``print`` shows them with a numbered list of references. `save` and the methods write Markdown,
    LaTeX and BibTeX.

    Parameters
    ----------
    sentences : iterable of str
        The sentences; ``{key}`` cites a reference.
    references : iterable of Reference
        The publications that the sentences cite.

    Examples
    --------
    >>> cited = Reference("S. Holm", "A procedure", "Scand. J. of Statistics", "1979")
    >>> methods = Methods(["We correct p by Holm {holm1979}."], [cited])
    >>> print(methods)
    We correct p by Holm [1].
    <BLANKLINE>
    [1] S. Holm. A procedure. Scand. J. of Statistics, 1979.
    >>> print(methods.to_latex().splitlines()[0])
    We correct p by Holm \cite{holm1979}.
    """

    __slots__ = ("references", "sentences")

    def __init__(self, sentences: Iterable[str], references: Iterable[Reference]) -> None:
        self.sentences = tuple(sentences)
        known = {reference.key: reference for reference in references}
        keys = dict.fromkeys(_CITED.findall(" ".join(self.sentences)))
        self.references = tuple(known[key] for key in keys)

    def _paragraph(self, escape: Callable[[str], str], cite: Callable[[str], str]) -> str:
        # Splitting at a group gives texts and keys in turn.
        parts = _CITED.split(" ".join(self.sentences))
        return "".join(
            cite(part) if number % 2 else escape(part) for number, part in enumerate(parts)
        )

    def _numbers(self) -> dict[str, int]:
        return {reference.key: number for number, reference in enumerate(self.references, 1)}

    def to_text(self) -> str:
        """Return the paragraph with a numbered list of references."""
        numbers = self._numbers()
        paragraph = self._paragraph(str, lambda key: f"[{numbers[key]}]")
        listed = "\n".join(
            f"[{numbers[reference.key]}] {reference}" for reference in self.references
        )
        return f"{paragraph}\n\n{listed}".rstrip()

    __str__ = to_text

    def to_markdown(self) -> str:
        """Return the paragraph with a numbered list of references, as Markdown."""
        numbers = self._numbers()
        paragraph = self._paragraph(for_markdown, lambda key: rf"\[{numbers[key]}\]")
        listed = "\n".join(
            f"{numbers[reference.key]}. {for_markdown(str(reference))}"
            for reference in self.references
        )
        return f"{paragraph}\n\n{listed}".rstrip()

    _repr_markdown_ = to_markdown

    def to_latex(self) -> str:
        r"""Return the paragraph with ``\cite``; `to_bibtex` has the entries."""
        return self._paragraph(for_latex, lambda key: rf"\cite{{{key}}}")

    def to_bibtex(self) -> str:
        """Return the references as BibTeX."""
        return "\n\n".join(reference.to_bibtex() for reference in self.references)

    def rendered(self, path: str | PathLike[str] | None) -> str:
        """Return the text for a file: LaTeX, BibTeX and Markdown by suffix, else plain text."""
        suffix = "" if path is None else splitext(fspath(path))[1].lower()
        forms = {".tex": self.to_latex, ".bib": self.to_bibtex, ".md": self.to_markdown}
        return f"{forms.get(suffix, self.to_text)()}\n"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the paragraph, or the references, in the format of the file's suffix.

        Parameters
        ----------
        path : path
            ``.tex``, ``.md`` and ``.txt`` contain the paragraph, ``.bib`` the references as BibTeX.
            An existing file is replaced atomically.

        Raises
        ------
        ParameterError
            For another suffix.
        SourceError
            If the file cannot be written.
        """
        name = fspath(path)
        if splitext(name)[1].lower() not in (".tex", ".md", ".txt", ".bib"):
            raise ParameterError(
                where="save", found=repr(name), expected="a name that ends in .tex, .md, .txt, .bib"
            )
        write_whole(name, [self.rendered(name).encode()])

    def __repr__(self) -> str:
        return f"<Methods: {len(self.sentences)} sentences, {len(self.references)} references>"
