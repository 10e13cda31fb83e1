"""The grades of a judging session and their names."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.errors import ParameterError
from gainful.numerals import parse_number

__all__ = ["Scale"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The possible grades, from the lowest to the highest.

    Attributes
    ----------
    names : dict of float to str
        The name of each grade.

    Examples
    --------
    >>> scale = Scale.parse("0=irrelevant,1=related,2=perfect")
    >>> list(scale.names), scale.names[2.0]
    ([0.0, 1.0, 2.0], 'perfect')
    >>> str(scale)
    '0=irrelevant,1=related,2=perfect'
    """

    names: dict[float, str]

    @classmethod
    def parse(cls, text: str) -> Scale:
        """Parse ``GRADE=NAME,GRADE=NAME``; a name may be omitted.

        Raises
        ------
        ParameterError
            For fewer than two grades, a grade that is not a number, or one that is repeated.
        """
        names: dict[float, str] = {}
        for part in text.split(","):
            number, _, name = part.partition("=")
            grade = _grade(number, text)
            if grade in names:
                raise _error(text, f"the grade {number.strip()} once")
            names[grade] = name.strip() or number.strip()
        if len(names) < 2:
            raise _error(text, "two or more grades")
        return cls(dict(sorted(names.items())))

    def check(self, grade: object) -> float:
        """Return a grade as a number.

        Raises
        ------
        ParameterError
            If it is not a grade of the scale.
        """
        if isinstance(grade, bool) or not isinstance(grade, (int, float)) or grade not in self:
            raise ParameterError(where="grade", found=repr(grade), expected=f"one of {self.known}")
        return float(grade)

    @property
    def known(self) -> str:
        """The grades as text."""
        return ", ".join(f"{grade:g}" for grade in self.names)

    def __contains__(self, grade: float) -> bool:
        return grade in self.names

    def __str__(self) -> str:
        return ",".join(f"{grade:.17g}={name}" for grade, name in self.names.items())


def _grade(number: str, text: str) -> float:
    try:
        grade = parse_number(number)
    except ValueError:
        grade = float("nan")
    if not abs(grade) < 2**53:
        raise _error(text, "numbers as grades")
    return grade


def _error(text: str, expected: str) -> ParameterError:
    return ParameterError(
        where="scale",
        found=repr(text),
        expected=expected,
        hint="for example ⟪scale=0=irrelevant,1=related,2=good⟫",
    )
