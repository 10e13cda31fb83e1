"""A scanner for the notation of measures."""

from __future__ import annotations

from gainful.errors import ArgumentError, MeasureError
from gainful.numerals import parse_number

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
