"""A reported number and the values that round to it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext
from math import nextafter

from gainful.errors import ParameterError
from gainful.numerals import parse_number
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

#: Tools that compute the same value may differ beyond this digit.
MOST_DIGITS = 12
#: Larger values are percentages. Shares are at most 1, but defects of tools give up to 2.
LARGEST_SHARE = 2


@dataclass(frozen=True, slots=True)
class Reported:
    """A number as printed.

    Attributes
    ----------
    text : str
        The original text.
    value : float
        The number as a share, not a percentage.
    digits : int
        The number of digits after the point, as a share.
    per_cent : bool
        Whether the text is a percentage.
    low, high : float
        The smallest and the largest float that round to the number; halfway values round in both
        directions.
    """

    text: str
    value: float
    digits: int
    per_cent: bool
    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Return whether a value rounds to the number."""
        return self.low <= value <= self.high

    def distance(self, value: float) -> float:
        """Return the distance of a value from the range that rounds to the number."""
        return max(self.low - value, value - self.high, 0.0)


def are_percentages(values: Iterable[object], largest: float | None) -> bool:
    """Return whether the values are percentages: one of them is too large for a share."""
    if largest != 1:
        return False
    for value in values:
        try:
            if parse_number(str(value).rstrip("% ")) > LARGEST_SHARE:
                return True
        except ValueError:
            continue
    return False


def joint_value(values: Sequence[float], numbers: Sequence[Reported]) -> float:
    """Return one value for those of several runs, as the kernel does.

    It is the first if all round to their numbers, else the one with the largest distance, both on
    the scale of the first number.

    Examples
    --------
    >>> numbers = [read_reported("0.4"), read_reported("0.35")]
    >>> joint_value([0.41, 0.352], numbers), round(joint_value([0.41, 0.365], numbers), 3)
    (0.41, 0.55)
    """
    first = numbers[0]
    joint = values[0]
    for value, number in zip(values[1:], numbers[1:], strict=True):
        scale = (first.high - first.low) / (number.high - number.low)
        value = first.low + (value - number.low) * scale
        if value != value or first.distance(value) > first.distance(joint):
            joint = value
    return joint


def read_reported(
    reported: object,
    digits: int | None = None,
    *,
    largest: float | None = 1.0,
    where: str = "reported",
) -> Reported:
    """Parse a reported number.

    Parameters
    ----------
    reported : str or float
        ``"0.4312"``, ``".4312"``, ``"43.12"`` or ``"43.12%"``; for a float the digits of its
        shortest text.
    digits : int, optional
        Digits after the point, instead of those of the text.
    largest : float, optional
        The largest possible value. Without it no number is treated as a percentage.
    where : str
        The name of the argument in errors.

    Raises
    ------
    ParameterError
        For anything but a finite number with digits after the point.

    Examples
    --------
    >>> read_reported("43.12").value, read_reported("43.12").digits
    (0.4312, 4)
    >>> read_reported(".25").contains(0.2549), read_reported(".25").contains(0.2551)
    (True, False)
    """
    text, number = _number(reported, where)
    per_cent = text.endswith("%")
    if digits is not None and (type(digits) is not int or not 1 <= digits <= MOST_DIGITS):
        raise ParameterError(
            where="digits",
            found=repr(digits),
            expected=f"a whole number from 1 to {MOST_DIGITS}: the digits after the point",
        )
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    places = digits if digits is not None else min(max(0, -exponent), MOST_DIGITS)
    if largest is not None and abs(number) > max(LARGEST_SHARE, 2 * largest):
        per_cent = per_cent or largest == 1
    if per_cent and largest == 1 and abs(number) > 100 * LARGEST_SHARE:
        raise ParameterError(where=where, found=text, expected="at most 1, or 100%")
    if places + (2 if per_cent else 0) < 1:
        raise ParameterError(
            where=where,
            found=f"{text}, which has no digits after the point",
            expected="a number as printed, such as 0.4312",
        )
    from fractions import Fraction

    exact = Fraction(number)
    half = Fraction(1, 2 * 10**places)
    shift = 100 if per_cent else 1
    return Reported(
        text=text,
        value=float(exact / shift),
        digits=places + (2 if per_cent else 0),
        per_cent=per_cent,
        low=_round_up((exact - half) / shift),
        high=_round_down((exact + half) / shift),
    )


def _number(reported: object, where: str) -> tuple[str, Decimal]:
    convert = getattr(type(reported), "__float__", None)
    if isinstance(reported, str):
        text = reported.strip().replace("−", "-")
        plain = text.removesuffix("%").strip()
    elif convert is not None and not isinstance(reported, bool):
        text = plain = repr(float(convert(reported)))
    else:
        text, plain = repr(reported), ""
    number = None
    if plain.isascii() and "_" not in plain and len(plain) < 400:
        try:
            with localcontext():
                number = Decimal(plain)
        except InvalidOperation:
            number = None
    if number is None or not number.is_finite() or abs(number.adjusted()) > 300:
        raise ParameterError(
            where=where,
            found=shown(text),
            expected="a finite number, such as 0.4312",
            hint="use a decimal point" if plain.count(",") == 1 else None,
        )
    return text, number


def _round_up(exact: Fraction) -> float:
    value = float(exact)
    return nextafter(value, float("inf")) if value < exact else value


def _round_down(exact: Fraction) -> float:
    value = float(exact)
    return nextafter(value, float("-inf")) if value > exact else value
