"""The sources of labels."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.errors import ParameterError

__all__ = ["KINDS", "Rater", "Source"]

#: Synonyms of each kind of source. Any other word is its own kind.
KINDS = {
    "human": ("human", "humans", "person", "people", "expert", "assessor", "annotator", "crowd"),
    "model": ("model", "llm", "machine", "automatic", "ai", "synthetic"),
    "clicks": ("clicks", "click", "click-log", "clicklog", "click-model", "implicit", "behaviour"),
}

_WORDS = {word: kind for kind, words in KINDS.items() for word in words}


@dataclass(frozen=True, slots=True)
class Source:
    """The kind of source of a label, with the model and its version.

    Attributes
    ----------
    kind : str
        ``"human"``, ``"model"``, ``"clicks"``, or another word; empty if unknown.
    model : str
        The name of the model or log; empty without one.
    version : str
        Its version; empty if unknown.

    Examples
    --------
    >>> Source.parse("llm:umbrela@2024-06")
    Source(kind='model', model='umbrela', version='2024-06')
    >>> str(Source("model", "umbrela", "2024-06")), str(Source("human")), str(Source())
    ('model umbrela, 2024-06', 'human', 'unknown')
    """

    kind: str = ""
    model: str = ""
    version: str = ""

    @classmethod
    def parse(cls, text: str) -> Source:
        """Parse ``KIND``, ``KIND:MODEL`` or ``KIND:MODEL@VERSION``.

        Raises
        ------
        ParameterError
            For a model without a kind, or a version without a model.
        """
        kind, colon, rest = text.partition(":")
        model, at, version = rest.strip().rpartition("@")
        if not at:
            model, version = version, ""
        # A name may begin with an @, as in some registries.
        if at and not model:
            model, version = f"@{version}", ""
        if not kind.strip() or (colon and not model):
            raise ParameterError(
                where="a source of labels",
                found=repr(text),
                expected="KIND, KIND:MODEL or KIND:MODEL@VERSION, such as model:umbrela@2024-06",
            )
        return cls.of(kind, model, version)

    @classmethod
    def of(cls, kind: str = "", model: str = "", version: str = "") -> Source:
        """Return the source from three texts; a model implies the kind ``"model"``."""
        word = kind.strip().lower().replace("_", "-").replace(" ", "-")
        known = _WORDS.get(word, kind.strip())
        return cls(known or ("model" if model.strip() else ""), model.strip(), version.strip())

    def __str__(self) -> str:
        named = " ".join(part for part in (self.kind, self.model) if part) or "unknown"
        return f"{named}, {self.version}" if self.version else named


@dataclass(frozen=True, slots=True)
class Rater:
    """A rater.

    Attributes
    ----------
    name : str
        The name in results.
    source : Source
        The source of the labels.
    """

    name: str
    source: Source
