"""Gains and discounts as SQL expressions."""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.backends.sql.dialects import Dialect

    Params = dict[str, object]


def gain(dialect: Dialect, shape: object, signed: bool, grade: str) -> str:
    """Return the gain of a grade; 0 for NULL."""
    number = dialect.number
    zero, one, two = number(0), number(1), number(2)
    # A comparison with NULL is not true.
    if shape == "linear":
        lost = f"CASE WHEN {grade} > {zero} THEN {grade} ELSE {zero} END"
        return f"COALESCE({grade}, {zero})" if signed else lost
    if shape == "exponential":
        raised = f"power({two}, {grade}) - {one}"
        counts = f"{grade} IS NOT NULL" if signed else f"{grade} > {zero}"
        return f"CASE WHEN {counts} THEN {raised} ELSE {zero} END"
    if shape == "exponential+1":
        raised = f"power({two}, {grade} + {one}) - {one}"
        return f"CASE WHEN {grade} >= {zero} THEN {raised} ELSE {zero} END"
    if shape == "binary":
        return f"CASE WHEN {grade} > {zero} THEN {one} ELSE {zero} END"
    if shape == "judged":
        return f"CASE WHEN {grade} IS NOT NULL THEN {one} ELSE {zero} END"
    assert isinstance(shape, list)
    entries = "".join(f" WHEN {grade} = {number(at)} THEN {number(to)}" for at, to in shape)
    none = f"WHEN {grade} IS NULL THEN {zero}"
    lost = "" if signed else f" WHEN {grade} < {zero} THEN {zero}"
    return f"CASE {none}{entries}{lost} ELSE {grade} END"


def is_increasing(shape: object) -> bool:
    """Return whether a higher grade never has a lower gain."""
    return isinstance(shape, str)


def is_exponential(shape: object) -> bool:
    """Return whether gains of large grades may overflow."""
    return isinstance(shape, str) and shape.startswith("exponential")


def discounted(dialect: Dialect, discount: object, worth: str, rank: str) -> str:
    """Return a discounted gain; the rank is a number of any type."""
    number = dialect.number
    if discount == "log2":
        return f"{worth} / {dialect.log2(f'{rank} + {number(1)}')}"
    if discount == "ln":
        return f"{worth} / ln({rank} + {number(1)})"
    if discount == "reciprocal":
        return f"{worth} / {rank}"
    if discount == "none":
        return worth
    if isinstance(discount, tuple):
        base = number(float(discount[1]))
        divisor = f"({dialect.log2(rank)} / {dialect.log2(base)})"
        return f"CASE WHEN {rank} <= {base} THEN {worth} ELSE {worth} / {divisor} END"
    assert isinstance(discount, list)
    weights = "".join(f" WHEN {number(at)} THEN {number(w)}" for at, w in enumerate(discount, 1))
    return f"{worth} * CASE {rank}{weights} ELSE {number(0)} END"


def weight(discount: object, rank: int) -> float:
    """Return the discount weight of a rank, as a number."""
    if discount == "log2":
        return 1 / math.log2(rank + 1)
    if discount == "ln":
        return 1 / math.log(rank + 1)
    if discount == "reciprocal":
        return 1 / rank
    if discount == "none":
        return 1.0
    if isinstance(discount, tuple):
        base = float(discount[1])
        return 1.0 if rank <= base else math.log2(base) / math.log2(rank)
    assert isinstance(discount, list)
    return float(discount[rank - 1]) if rank <= len(discount) else 0.0
