"""Parse the notation of measures: words, parameters and cutoffs."""

from __future__ import annotations

from gainful.errors import ArgumentError, MeasureError
from gainful.keywords import suggest_keywords
from gainful.measures.algebra import Measure
from gainful.measures.catalogue import (
    NICKNAMES,
    family,
    is_family,
    is_installed,
    is_registered,
    is_separated,
    split,
    trec_name,
    unknown,
)
from gainful.measures.family import plain
from gainful.measures.index import ALIASES, TREC_NAMES
from gainful.measures.parameters import MEMORY
from gainful.numerals import parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.measures.family import Family, TrecName
    from gainful.measures.parameters import Policies

# Characters that end a word in parentheses, and a name before them.
ENDS_WORD = frozenset("(){}[]@,;:='\"")

# nDCG' is a measure with its own name.
ENDS_NAME = frozenset('(){}[]@,;"')

_CLOSING = {"(": ")", "[": "]"}

_CONSTANTS = {"True": True, "true": True, "False": False, "false": False, "None": None}

# Longer numbers are invalid; int() rejects very long ones with its own error.
LONGEST_NUMBER = 400


class Scanner:
    """A position in a text that is read from left to right."""

    __slots__ = ("at", "text")

    def __init__(self, text: object) -> None:
        if type(text).__module__.partition(".")[0] == "ir_measures":
            # Its measures are written in this notation.
            text = str(text)
        if not isinstance(text, str):
            raise ArgumentError(
                found=f"{type(text).__name__} as a measure",
                expected="text such as 'nDCG@10', or a measure of gainful.measures",
                hint="gainful.measures.define('mine', function) makes a measure of a function"
                if callable(text)
                else None,
            )
        self.text = text
        self.at = 0

    def error(self, found: str, expected: str, hint: str | None = None) -> MeasureError:
        """Return an error that begins with the text."""
        where = " ".join(self.text.split())
        where = where if len(where) <= 60 else where[:57] + "..."
        return MeasureError(where=where or None, found=found, expected=expected, hint=hint)

    def skip(self, besides: str = "") -> None:
        """Skip white space and the characters of ``besides``."""
        text, place, end = self.text, self.at, len(self.text)
        while place < end and (text[place].isspace() or text[place] in besides):
            place += 1
        self.at = place

    def run(self, ends: frozenset[str]) -> str:
        """Consume all up to white space or one of ``ends``."""
        text, place, end = self.text, self.at, len(self.text)
        start = place
        while place < end and text[place] not in ends and not text[place].isspace():
            place += 1
        self.at = place
        return text[start:place]

    def take(self, character: str) -> bool:
        """Consume white space and this character, if it is next."""
        before = self.at
        self.skip()
        if self.text.startswith(character, self.at):
            self.at += 1
            return True
        self.at = before
        return False

    def next(self) -> str:
        """The next characters, for an error."""
        self.skip()
        return repr(self.text[self.at]) if self.at < len(self.text) else "the end"

    def parameters(self) -> dict[str, object]:
        """Parse the parameters and the closing parenthesis."""
        params: dict[str, object] = {}
        while not self.take(")"):
            self.skip()
            name = self.run(ENDS_WORD)
            if not name or not self.take("="):
                raise self.error(
                    f"{name!r} without a value" if name else self.next(),
                    "parameters such as rel=2, and ')' after them",
                )
            if name in params:
                raise self.error(f"the parameter {name!r} twice", "each parameter once")
            params[name] = self.value()
            if not self.take(","):
                if self.take(")"):
                    break
                raise self.error(self.next(), f"',' or ')' after {name}={params[name]!r}")
        return params

    def value(self) -> object:
        """Parse a value."""
        self.skip()
        opening = self.text[self.at : self.at + 1]
        if opening in ("'", '"') and opening:
            return self.quoted(opening)
        if self.take("{"):
            return self.table()
        if opening in _CLOSING:
            self.at += 1
            return self.sequence(_CLOSING[opening])
        word = self.run(ENDS_WORD)
        if not word:
            raise self.error(self.next(), "a value")
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        return word if word[0].isalpha() else self.number(word)

    def quoted(self, quote: str) -> str:
        """Parse a quoted text. It has no escapes, since no valid value needs one."""
        end = self.text.find(quote, self.at + 1)
        if end < 0:
            raise self.error(f"{self.text[self.at :]!r}", f"a closing {quote}")
        word = self.text[self.at + 1 : end]
        self.at = end + 1
        return word

    def table(self) -> dict[int | float, int | float]:
        """Parse pairs of numbers up to the closing brace."""
        pairs: dict[int | float, int | float] = {}
        while not self.take("}"):
            self.skip()
            key = self.number(self.run(ENDS_WORD))
            if not self.take(":"):
                raise self.error(self.next(), f"':' and a gain after the grade {key}")
            if key in pairs:
                raise self.error(f"the grade {key} twice", "each grade once")
            self.skip()
            pairs[key] = self.number(self.run(ENDS_WORD))
            if not self.take(","):
                if self.take("}"):
                    break
                raise self.error(self.next(), "',' or '}' in the table")
        return pairs

    def sequence(self, closing: str) -> tuple[int | float, ...]:
        """Parse numbers up to the closing bracket."""
        values: list[int | float] = []
        while not self.take(closing):
            self.skip()
            values.append(self.number(self.run(ENDS_WORD)))
            if not self.take(","):
                if self.take(closing):
                    break
                raise self.error(self.next(), f"',' or '{closing}' in the list")
        return tuple(values)

    def number(self, word: str) -> int | float:
        """Return a number as Python writes it."""
        digits = word.removeprefix("-").removeprefix("+")
        if digits[:1].isdigit() or digits[:1] == ".":
            try:
                if len(word) < LONGEST_NUMBER:
                    number = parse_number(word)
                    return int(word) if digits.isdigit() else number
            except ValueError:
                pass
        raise self.error(repr(word) if word else self.next(), "a number")


@suggest_keywords
def parse_measure(text: str | Measure, convention: Policies | None = None) -> Measure:
    """Parse one measure.

    Parameters
    ----------
    text : str or Measure
        Gainful's notation, which is also that of ir_measures (``nDCG(dcg='exp-log2')@5``), a
        trec_eval name (``ndcg_cut_10``, ``map``) or a common name in any case (``mrr@10``).
    convention : Convention, optional
        The convention whose tool's names are accepted with the tool's meaning.

    Raises
    ------
    MeasureError
        If it is not a measure, or several (`parse_measures` accepts several).

    Examples
    --------
    >>> parse_measure("ndcg_cut_10")
    nDCG@10
    >>> parse_measure("nDCG(dcg='exp-log2')@5")
    nDCG(gain='exponential', discount='log2')@5
    >>> parse_measure("rbp"), parse_measure("RBP")
    (RBP(p=0.9), RBP)
    >>> import gainful
    >>> parse_measure("rbp.95", gainful.conventions.get("ranx"))
    RBP(p=0.95)
    """
    if isinstance(text, Measure):
        return text
    results = MEMORY.results
    key = (text, None if convention is None else convention.name)
    measure: Measure | None = results.get(key) if type(text) is str else None
    if measure is None:
        measure = _parse_measure(text, convention)
        MEMORY.keep(results, key, measure)
    return measure


def _parse_measure(text: str, convention: Policies | None) -> Measure:
    if is_registered(text):
        return Measure(text)
    reader = _Reader(text, convention)
    measure = reader.measure()
    reader.skip(",;")
    if reader.at < len(reader.text):
        raise reader.error(
            f"{reader.text[reader.at :]!r} after the measure",
            "one measure",
            "a measure is written nDCG(gain='exponential')@10, the parameters before the cutoff",
        )
    if len(measure) > 1:
        several = ", ".join(map(str, measure[:3])) + (", ..." if len(measure) > 3 else "")
        raise reader.error(
            f"a name for {len(measure)} measures ({several})",
            "one measure",
            f"name one of them, such as {measure[0]}",
        )
    return measure[0]


@suggest_keywords
def parse_measures(
    text: str | Measure | Iterable[str | Measure], convention: Policies | None = None
) -> list[Measure]:
    """Parse measures, without duplicates, in the given order.

    Parameters
    ----------
    text : str, Measure, or an iterable of these
        Several measures in one text are separated by white space, commas or semicolons. As in
        trec_eval, a name can mean several: ``ndcg_cut.5,10`` two; ``ndcg_cut``, ``map_cut``,
        ``recall``, ``success`` and ``unj`` those at trec_eval's default cutoffs. ``P`` is the
        precision of the whole ranking, and ``R`` its recall.
    convention : Convention, optional
        The convention whose tool's names are accepted with the tool's meaning;
        ``gainful.conventions.describe("ranx").names`` has those that differ from Gainful's.

    Raises
    ------
    MeasureError
        If any part is not a measure, or the text is empty.
    ArgumentError
        If it is not text.

    Examples
    --------
    >>> parse_measures("nDCG@10, AP(rel=2) RR@10")
    [nDCG@10, AP(rel=2), RR@10]
    >>> parse_measures("ndcg_cut.5,10")
    [nDCG@5, nDCG@10]
    >>> parse_measures("success")
    [Success@1, Success@5, Success@10]
    """
    if isinstance(text, Measure):
        return [text]
    if is_registered(text):
        # The names of declared measures may contain spaces.
        return [Measure(str(text))]
    measures: dict[Measure, None] = {}
    if not isinstance(text, str) and hasattr(text, "__iter__") and not isinstance(text, bytes):
        for word in text:
            measures.update(dict.fromkeys(parse_measures(word, convention)))
        if not measures:
            raise MeasureError(found="no measure", expected="one measure or more")
        return list(measures)
    reader = _Reader(text, convention)
    while True:
        measures.update(dict.fromkeys(reader.measure()))
        reader.skip(",;")
        if reader.at == len(reader.text):
            return list(measures)


@suggest_keywords
def describe(name: str) -> Family:
    """Return the declaration of the family that a name or a measure means.

    Parameters
    ----------
    name : str
        A family (``"nDCG"``), a trec_eval name (``"ndcg_cut"``), a common name (``"MRR"``) or a
        measure in notation (``"nDCG@10"``).

    Raises
    ------
    MeasureError
        If no measure has this name.

    Examples
    --------
    >>> describe("mrr").name
    'RR'
    >>> describe("RBP").formula
    '(1 - p) * sum over r <= k of gain(r) * p^(r - 1)'
    """
    if not isinstance(name, str):
        raise ArgumentError(
            found=f"{type(name).__name__} as the name of a measure", expected="text"
        )
    if is_family(name):
        return family(name)
    return family(parse_measures(name)[0].family)


class _Reader(Scanner):
    """A recursive-descent parser of measures."""

    __slots__ = ("names", "preset", "suffixes")

    def __init__(self, text: object, convention: Policies | None) -> None:
        super().__init__(text)
        preset = None if convention is None else convention.preset
        self.preset = preset
        self.names: Mapping[str, str | None] = {} if preset is None else preset.names
        self.suffixes: Mapping[str, str] = {} if preset is None else preset.suffixes

    def measure(self) -> list[Measure]:
        """Parse one measure, or the several that one name means."""
        self.skip(",;")
        word = self.run(ENDS_NAME)
        parameters = self.parameters() if self.take("(") else None
        cutoffs = self.cutoffs() if self.take("@") else None
        for suffix, hint in self.suffixes.items():
            word, cutoffs = self.without(suffix, hint, word, cutoffs)
        bare = parameters is None and cutoffs is None and not is_family(word)
        if bare:
            stem, separator, depth = word.rpartition("_at_")
            if separator and depth.isdigit():
                word, cutoffs, bare = stem, [depth], False
        of_tool = self.of_tool(word, parameters, cutoffs) if self.names else None
        if of_tool is not None:
            return of_tool
        if bare:
            if word in NICKNAMES:
                return [reading for name in NICKNAMES[word] for reading in self.trec(name, "")]
            name, rest = split(word)
            if name and (rest or word == name):
                if rest.replace("_", "").isalpha() and self.of_others(word):
                    raise self.unknown(word)
                return self.trec(name, rest)
        known = parameters or {}
        if is_family(word):
            return self.build(word, known, cutoffs)
        if word in TREC_NAMES:
            return self.build(
                self.of_trec(word, cutoffs), {**trec_name(word).params, **known}, cutoffs
            )
        means = ALIASES.get(plain(word)) if is_separated(word) else None
        if means is None:
            if is_installed(word):
                return self.build(word, known, cutoffs)
            raise self.unknown(word)
        return self.build(means, family(means).named(word, known), cutoffs)

    def of_others(self, word: str) -> list[str]:
        """Return the presets that know a name of which this convention knows nothing."""
        return self.preset.of_tools_with(word) if self.preset else []

    def unknown(self, word: str) -> MeasureError:
        """Return the error for a name that is no measure's."""
        where = None if word == self.text.strip() else self.error("", "").where
        return unknown(word, where, self.of_others(word))

    def of_trec(self, word: str, cutoffs: list[str] | None) -> str:
        """Return the family of trec_eval's name; reject a cutoff after set measures."""
        means = TREC_NAMES[word]
        if cutoffs and word.startswith("set_") and family(means).takes_cutoff:
            raise self.error(
                f"a cutoff after {word}, the measure of the whole set",
                f"{word} without a cutoff",
                f"write {means}@{cutoffs[0]}",
            )
        return means

    def of_tool(
        self, word: str, parameters: dict[str, object] | None, cutoffs: list[str] | None
    ) -> list[Measure] | None:
        """Parse a name of the convention's tool; return None for any other word."""
        name, dot, digits = word, "", ""
        if name not in self.names and not is_family(word):
            known = {plain(name): name for name in self.names if is_separated(word)}
            name = known.get(plain(word), "")
            if not name:
                stem, dot, digits = word.partition(".")
                name = known.get(plain(stem), "")
        if name not in self.names:
            return None
        means = self.names[name]
        if means is None:
            raise self.error(
                f"{name}, which Gainful does not compute as this tool does",
                "a measure that the convention is verified for",
            )
        if "{}" in means:
            if not dot and cutoffs and len(cutoffs) == 1:
                digits, cutoffs = cutoffs[0], None
            if parameters or cutoffs or not (digits.isascii() and digits.isdigit()):
                raise self.error(f"no digits after {name}", f"{name}.95 for a persistence of .95")
            means = means.replace("{}", digits)
        elif dot:
            return None
        base = parse_measure(means)
        arguments = [] if base.cutoff is None else [str(base.cutoff)]
        return self.build(base.family, {**base.params, **(parameters or {})}, cutoffs or arguments)

    def without(
        self, suffix: str, hint: str, word: str, cutoffs: list[str] | None
    ) -> tuple[str, list[str] | None]:
        """Return a name and cutoffs without what the tool writes after them."""
        if not (cutoffs or [word])[-1].endswith(suffix):
            return word, cutoffs
        if hint:
            raise self.error(f"{suffix!r} after the measure", "a measure of the convention", hint)
        if cutoffs:
            return word, [*cutoffs[:-1], cutoffs[-1].removesuffix(suffix)]
        return word.removesuffix(suffix), None

    def build(
        self, family: str, given: dict[str, object], cutoffs: list[str] | None
    ) -> list[Measure]:
        """Make the measures, with errors that begin with the text."""
        try:
            base = Measure(family)(**given)
            if not cutoffs:
                return [base]
            number = self.depth if base.declaration.at is None else self.number
            return [base @ number(cutoff) for cutoff in cutoffs]
        except MeasureError as error:
            raise error.replace(where=self.error("", "").where) from error

    def cutoffs(self) -> list[str]:
        """Parse the cutoffs after ``@``, separated by commas."""
        self.skip()
        names = [self.run(ENDS_NAME)]
        while (following := self.listed()) is not None:
            names.append(following)
        return names

    def listed(self) -> str | None:
        """Parse a comma and a number; return None if a name follows the comma."""
        before = self.at
        if self.take(","):
            self.skip()
            word = self.run(ENDS_NAME)
            if word and (word[0].isdigit() or word[0] in "+-."):
                return word
        self.at = before
        return None

    def depth(self, word: str) -> int:
        """Return a cutoff as a number."""
        if word.isascii() and word.isdigit() and len(word) < LONGEST_NUMBER and int(word) > 0:
            return int(word)
        digits = word.rstrip("-_+.")
        raise self.error(
            f"cutoff {word}" if word else "no cutoff after '@'",
            "a whole number of 1 or more",
            f"write '@{digits}'"
            if digits.isdigit() and digits != word
            else f"leave '@{word}' out to measure the whole ranking",
        )

    # trec_eval's names ---------------------------------------------------------------------------

    def trec(self, name: str, rest: str) -> list[Measure]:
        """Parse the part after a trec_eval name."""
        means, entry = TREC_NAMES[name], trec_name(name)
        params: dict[str, object] = dict(entry.params)
        if not rest:
            if entry.points:
                return self.pointed(means, entry, entry.points)
            return self.build(means, params, [str(depth) for depth in entry.cutoffs] or None)
        items = [rest]
        if entry.takes in ("cutoffs", "gains", "points", "numbers"):
            while (following := self.listed()) is not None:
                items.append(following)
        if entry.takes == "cutoffs":
            depths = sorted(self.depth(item) for item in items)
            return self.build(means, params, [str(depth) for depth in depths])
        if entry.takes == "gains":
            params["gain"] = dict(self.gain(means, item) for item in items)
        elif entry.takes == "p":
            params["p"] = self.number(rest.removeprefix("p="))
        elif entry.takes == "points":
            return self.pointed(means, entry, sorted(map(self.number, items)))
        elif entry.takes == "numbers":
            numbers = tuple(map(self.number, items))
            first = entry.into[0]
            if first.endswith("..."):
                params[first.removesuffix("...")] = numbers
            elif len(numbers) == len(entry.into):
                params.update(zip(entry.into, numbers, strict=True))
            else:
                expected = f"{len(entry.into)} number{'s' if len(entry.into) > 1 else ''}"
                raise self.error(f"{len(numbers)} after {name}", expected)
        else:
            raise self.error(f"{rest!r} after {name}", f"{name} alone")
        return self.build(means, params, None)

    def pointed(self, means: str, entry: TrecName, points: Iterable[float]) -> list[Measure]:
        """Make one measure per point."""
        (name,) = entry.into
        return [
            measure
            for point in points
            for measure in self.build(means, {**entry.params, name: point}, None)
        ]

    def gain(self, family: str, item: str) -> tuple[int | float, int | float]:
        """Parse ``grade=gain``."""
        grade, equals, gain = item.partition("=")
        if not equals:
            raise self.error(
                f"{item!r}", "gains such as 1=3,2=9", f"a cutoff is written {family}@{item}"
            )
        level = self.number(grade)
        if level < 0:
            # A negative level in trec_eval also applies to unjudged documents.
            raise self.error(
                f"a gain for grade {grade}",
                "grades of 0 or more",
                "the convention sets the gain of negative grades and unjudged documents",
            )
        return level, self.number(gain)
