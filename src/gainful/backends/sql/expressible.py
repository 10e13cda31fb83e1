"""Refuse policies that SQL cannot express, with the missing information."""

from __future__ import annotations

from gainful.errors import ConventionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions import Convention

_POSITION = (
    "rows of a table have no order; position= (--position) names the column of the run that counts"
    " them as the run lists them"
)


def check_convention(convention: Convention, *, position: bool) -> None:
    """Refuse policies that SQL cannot express.

    Raises
    ------
    ConventionError
        With the policy, and a remedy if there is one.
    """
    ties, order = convention.ties, convention.order
    appended = convention.unretrieved == "last"
    if ties.startswith("random("):
        raise _refusal(
            "ties",
            ties,
            "the shuffled order comes from a hash of 64 bits that wraps around, which SQL has not",
        )
    listed = ties in ("given", "reverse") and order != "given"
    if not position:
        if order == "given":
            raise _refusal("order", order, _POSITION)
        if listed:
            raise _refusal("ties", ties, _POSITION)
    if appended and (ties in ("given", "reverse") or order == "given"):
        raise _refusal(
            "unretrieved",
            "last",
            f"with {f'ties={ties}' if listed else 'order=given'} the documents that were not"
            " retrieved stand in the order of the judgments, which a table does not have",
        )
    rounded = convention.rounding.partition(":")[0]
    if rounded in ("term", "term-down", "query"):
        raise _refusal(
            "rounding",
            convention.rounding,
            "a database adds in an order of its own, and where the last bits differ a value is"
            " rounded to another digit",
        )


def _refusal(policy: str, value: str, why: str) -> ConventionError:
    return ConventionError(
        where="sql",
        found=f"{policy}={value}",
        expected="a policy that a query can follow",
        hint=why,
    )
