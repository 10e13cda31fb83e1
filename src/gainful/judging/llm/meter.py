"""Tokens and costs, while a judge works."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.errors import ParameterError
from gainful.judging.llm.answers import Usage
from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PILOT", "Estimate", "Meter", "check_price"]

#: The number of answers after which the cost is estimated.
PILOT = 20

#: Prices are for this many tokens.
_PER = 1_000_000


class Estimate(Record):
    """What all documents will cost, after the first answers."""

    answers: int = field(json={"minimum": 1})
    """The number of answers that it is based on."""
    requests: int = field(json={"minimum": 1})
    """The number of requests in total, if every answer is a grade."""
    prompt: float
    """Tokens per prompt."""
    output: float
    """Tokens per answer."""
    cost: float | None
    """The cost of all requests; None without prices."""


@dataclass
class Meter:
    """The tokens and the cost of the answers so far.

    Attributes
    ----------
    price : pair of float, or None
        The prices of a million tokens of prompts and of answers.
    budget : float or None
        The maximum cost.
    first_guess : Usage
        The tokens of a request before there is any answer.
    most : Usage, optional
        The tokens of a request with the longest possible answer.
    answers, prompt, output : int
        The number of answers and of their tokens.
    largest : float
        The cost of the most expensive answer.
    """

    price: tuple[float, float] | None
    budget: float | None
    first_guess: Usage
    most: Usage | None = None
    answers: int = 0
    prompt: int = 0
    output: int = 0
    largest: float = 0.0

    def add(self, usage: Usage) -> None:
        """Count an answer."""
        self.answers += 1
        self.prompt += usage.prompt
        self.output += usage.output
        self.largest = max(self.largest, self.cost_of(usage) or 0.0)

    def cost_of(self, usage: Usage) -> float | None:
        """Return the cost of some tokens; None without prices."""
        if self.price is None:
            return None
        return (usage.prompt * self.price[0] + usage.output * self.price[1]) / _PER

    @property
    def cost(self) -> float | None:
        """The cost of all answers so far; None without prices."""
        return self.cost_of(Usage(self.prompt, self.output))

    def affords(self, requests: int) -> bool:
        """Return whether the budget is enough for requests like the most expensive one so far."""
        if self.budget is None or self.price is None:
            return True
        each = self.largest or self.cost_of(self.first_guess) or 0.0
        return (self.cost or 0.0) + requests * each <= self.budget

    def stopping(self, out: int) -> str:
        """Return why no other request is sent, given the number of those in progress.

        As long as too few answers are known, requests are sent one by one if the longest answers
        to several could exceed the budget.
        """
        if self.affords(out + 1) and (out == 0 or self._is_safe(out + 1)):
            return ""
        return f"not sent: the next answer could exceed the budget of {self.budget:g}"

    def _is_safe(self, requests: int) -> bool:
        if self.budget is None or self.most is None or self.answers >= PILOT:
            return True
        longest = self.cost_of(self.most) or 0.0
        return (self.cost or 0.0) + requests * longest <= self.budget

    def estimate(self, requests: int) -> Estimate | None:
        """Return what a number of requests costs; None without answers."""
        if not self.answers:
            return None
        cost = self.cost
        return Estimate(
            answers=self.answers,
            requests=requests,
            prompt=self.prompt / self.answers,
            output=self.output / self.answers,
            cost=None if cost is None else cost / self.answers * requests,
        )


def check_price(
    price: Sequence[float] | None, budget: float | None
) -> tuple[tuple[float, float] | None, float | None]:
    """Check prices and a budget.

    Raises
    ------
    ParameterError
        For negative numbers, or a budget without prices.
    """
    if price is not None:
        numbers = tuple(price) if isinstance(price, (tuple, list)) else ()
        if len(numbers) != 2 or not all(_is_amount(each) for each in numbers):
            raise ParameterError(
                where="price",
                found=repr(price),
                expected="the prices of a million prompt tokens and a million output tokens",
            )
        price = (float(numbers[0]), float(numbers[1]))
    if budget is not None:
        if not _is_amount(budget):
            raise ParameterError(where="budget", found=repr(budget), expected="a number from 0")
        if price is None:
            raise ParameterError(
                "a budget needs prices", where="budget", hint="add ⟪price⟫, such as 0.15,0.60"
            )
    return price, budget


def _is_amount(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12
