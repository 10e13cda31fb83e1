"""The formats of judgment lists, and what is chosen in one: ``raters:mean``, ``esci:E=4,S=2``."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import Code, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMATS", "ListFormat", "list_format", "unknown_format"]

#: What can be chosen in any list that is read.
_ANY = ("ids", "scale")
#: Each format with what can be chosen in it.
FORMATS: dict[str, tuple[str, ...]] = {
    "quepid": _ANY,
    "rre": (*_ANY, "index", "id_field", "template"),
    "rank_eval": (*_ANY, "index", "field"),
    "es_ltr": _ANY,
    "opensearch": (*_ANY, "name", "description"),
    "esci": (*_ANY, "E", "S", "C", "I"),
    "raters": _ANY,
}
#: Other names of them.
_SAME = {"chorus": "quepid", "elasticsearch_ltr": "es_ltr", "rankeval": "rank_eval"}
#: Formats in which a word alone is chosen, with what it stands for.
_WORDS = {"esci": "the grades of the labels", "raters": "how the grades of raters become one"}


@dataclass(frozen=True)
class ListFormat:
    """A format and what was chosen in it.

    Attributes
    ----------
    name : str
        One of `FORMATS`.
    word : str
        What was chosen by a word alone, such as ``mean``; empty where nothing was.
    settings : mapping of str to str
        What was chosen by name.
    """

    name: str
    word: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        chosen = [*filter(None, [self.word]), *(f"{k}={v}" for k, v in self.settings.items())]
        return f"{self.name}:{','.join(chosen)}" if chosen else self.name

    @property
    def texts_are_ids(self) -> bool:
        """Whether the texts of queries are to be their ids."""
        ids = self.settings.get("ids", "own")
        if ids not in ("own", "texts"):
            raise ParameterError(
                where=f"ids of the format {self.name}",
                found=repr(ids),
                expected="own (those of the list, texts where it has none) or texts",
            )
        return ids == "texts"

    @property
    def scale(self) -> tuple[float, float] | None:
        """The lowest and the highest grade that there may be, where that was said."""
        said = self.settings.get("scale")
        if said is None:
            return None
        dash = said.find("-", 1)
        try:
            found = float(said[:dash]), float(said[dash + 1 :])
        except ValueError:
            found = (1.0, 0.0)
        if not found[0] <= found[1]:
            raise ParameterError(
                where=f"scale of the format {self.name}",
                found=repr(said),
                expected="the lowest and the highest grade, as in scale=0-3",
            )
        return found


def list_format(format: str) -> ListFormat | None:
    """Return the format of a judgment list that a text names; None if it names another.

    Raises
    ------
    ParameterError
        For a choice that the format does not have.

    Examples
    --------
    >>> list_format("Rank-Eval:index=shop,field=title"), list_format("raters:mean").word
    (rank_eval:index=shop,field=title, 'mean')
    >>> list_format("trec") is None
    True
    """
    name, _, rest = format.partition(":")
    name = name.strip().lower().replace("-", "_")
    name = _SAME.get(name, name)
    if name not in FORMATS:
        return None
    word = ""
    settings: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        key = next((known for known in FORMATS[name] if known.lower() == key.lower()), key)
        if not equals and name in _WORDS and not word:
            word = part.strip()
        elif equals and key in FORMATS[name] and key not in settings:
            settings[key] = value
        else:
            known = [f"{one}=" for one in FORMATS[name]]
            more = f"; a word alone says {_WORDS[name]}" if name in _WORDS else ""
            raise ParameterError(
                where=f"the format {format!r}",
                found=repr(part.strip()),
                expected=f"any of {', '.join(known)}, each once{more}",
            )
    return ListFormat(name, word, settings)


def unknown_format(error: ParameterError) -> ParameterError:
    """Return the kernel's error for an unknown format, with the formats of lists named, too."""
    if error.code != Code.UNKNOWN_FORMAT:
        return error
    return error.replace(expected=f"{error.expected}, {', '.join(FORMATS)}")
