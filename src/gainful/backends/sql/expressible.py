"""Refuse policies that SQL cannot express, with the missing information."""

from __future__ import annotations

from gainful.errors import ConventionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions import Convention

_UNORDERED = "SQL tables have no order of rows"
_POSITION = "set ⟪position⟫ to the column that numbers the run's rows"


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
            "the shuffle needs 64-bit arithmetic that wraps around",
        )
    listed = ties in ("given", "reverse") and order != "given"
    if not position:
        if order == "given":
            raise _refusal("order", order, _UNORDERED, _POSITION)
        if listed:
            raise _refusal("ties", ties, _UNORDERED, _POSITION)
    if appended and (ties in ("given", "reverse") or order == "given"):
        raise _refusal(
            "unretrieved",
            "last",
            f"with {f'ties={ties}' if listed else 'order=given'} it needs the order of the "
            f"judgments",
        )
    rounded = convention.rounding.partition(":")[0]
    if rounded in ("term", "term-down", "query"):
        raise _refusal(
            "rounding",
            convention.rounding,
            "a database may add in another order, and rounding would amplify the difference",
        )


def _refusal(policy: str, value: str, why: str, hint: str | None = None) -> ConventionError:
    return ConventionError(
        f"{policy}={value} is not available: {why}",
        where="sql",
        found=f"{policy}={value}",
        policy=policy,
        hint=hint,
    )
