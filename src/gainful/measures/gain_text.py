"""The formula of DCG as text, and the meanings of nDCG's parameters."""

from __future__ import annotations

from gainful.measures.parameters import NamedFunction, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Value

__all__ = ["VALUES", "dcg_term", "meaning"]

#: The meaning of each parameter value; `meaning` describes tables and lists.
VALUES: dict[str, dict[Value, str]] = {
    "gain": {
        "linear": "the gain is the grade",
        "exponential": "the gain is 2^grade - 1",
        "exponential+1": "the gain is 2^(grade + 1) - 1 for grades of 0 or more",
        "binary": "the gain is 1 for grades above 0",
        "judged": "the gain is 1 for every judged document",
    },
    "discount": {
        "log2": "the discount is 1 / log2(r + 1)",
        "ln": "the discount is 1 / ln(r + 1)",
        "jarvelin-kekalainen": "no discount up to rank b, the base, then 1 / log_b(r)",
        "reciprocal": "the discount is 1 / r",
        "none": "no discount",
    },
    "ideal": {
        "judged": "all judged documents by descending gain, cut at k",
        "judged-uncut": "all judged documents by descending gain, not cut",
        "judged-to-depth": (
            "all judged documents by descending gain, cut at k and at the number of returned "
            "documents"
        ),
        "list": "all documents of the ranking by descending gain, cut at k",
        "list-cut": "the top k documents of the ranking by descending gain",
        "given-order": "the judged documents in the order of the judgments, cut at k",
        "ones": "a gain of 1 for each judged document with a gain, cut at k",
        "max-grade": "the largest grade, max_grade, at every rank up to k",
    },
    "judged_only": {
        True: "unjudged documents are removed from the ranking first",
        False: "unjudged documents stay in the ranking",
    },
}

_OF_NUMBERS = {
    "gain": "the gain is from the table; missing grades gain their own value",
    "discount": "the discount is the r-th multiplier, 0 beyond the last",
    "ideal": "a ranking of these grades, cut at k",
}


def meaning(parameter: str, value: Value | None) -> str:
    """Return the meaning of a value of an nDCG parameter, or an empty text.

    Examples
    --------
    >>> meaning("gain", "exponential"), meaning("gain", ((1, 1), (2, 10)))[:23]
    ('the gain is 2^grade - 1', 'the gain is from the ta')
    """
    if value is None:
        return ""
    if isinstance(value, tuple):
        return _OF_NUMBERS.get(parameter, "")
    if isinstance(value, NamedFunction):
        return f"the {parameter} is the function {value} of the {_ARGUMENTS[parameter]}"
    return VALUES.get(parameter, {}).get(value, "")


#: What a function is of.
_ARGUMENTS = {"gain": "grade", "discount": "rank"}
_GAINS = {
    "linear": "grade",
    "exponential": "(2^grade - 1)",
    "exponential+1": "(2^(grade + 1) - 1)",
    "binary": "[grade > 0]",
    "judged": "1",
}


def dcg_term(gain: Value, discount: Value, base: float = 2) -> str:
    """Return the term of one rank in DCG, then the tables that it uses.

    Examples
    --------
    >>> dcg_term("exponential", "log2")
    '(2^grade - 1) / log2(rank + 1)'
    >>> dcg_term(((1, 1), (2, 10)), (1, 0.5))
    'gain(grade) × weight(rank), gain {1: 1, 2: 10}, weight (1, 0.5)'
    """
    legend = ""
    if isinstance(gain, tuple):
        term = "gain(grade)"
        legend = f", gain {literal(gain)}"
    elif isinstance(gain, NamedFunction):
        term = f"{gain}(grade)"
    else:
        term = _GAINS[str(gain)]
    if discount == "jarvelin-kekalainen":
        log = "log2(rank)" if base == 2 else f"log(rank) / log({base:g})"
        term += f" / max(1, {log})"
    elif isinstance(discount, tuple):
        term += " × weight(rank)"
        legend += f", weight {discount}"
    elif isinstance(discount, NamedFunction):
        term += f" × {discount}(rank)"
    elif discount != "none":
        term += " / rank" if discount == "reciprocal" else f" / {discount}(rank + 1)"
    return term + legend
