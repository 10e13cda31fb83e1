"""What the values of nDCG's parameters mean, one by one: for formulas, and for differences."""

from __future__ import annotations

from gainful.measures.parameters import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Value

__all__ = ["VALUES", "gain_term", "ideal_sum", "meaning", "weighed"]

#: By parameter and value, what the value means. Tables and lists of numbers are told in `meaning`.
VALUES: dict[str, dict[Value, str]] = {
    "gain": {
        "linear": "a document gains its grade",
        "exponential": "a document gains 2^grade - 1",
        "exponential+1": "a document with a grade of 0 or more gains 2^(grade + 1) - 1",
        "binary": "a document with a grade above 0 gains 1",
        "judged": "every judged document gains 1, whatever its grade",
    },
    "discount": {
        "log2": "rank r counts 1 / log2(r + 1)",
        "ln": "rank r counts 1 / ln(r + 1)",
        "jarvelin-kekalainen": "ranks up to b, the base, count in full, later ones 1 / log_b(r)",
        "reciprocal": "rank r counts 1 / r",
        "none": "every rank counts the same",
    },
    "ideal": {
        "judged": "all judged documents, the best first, cut at k",
        "judged-uncut": "all judged documents, the best first, never cut",
        "judged-to-depth": "all judged documents, the best first, cut at k and at the number of "
        "documents returned",
        "list": "the returned documents, all of them, the best first, then cut at k",
        "list-cut": "the first k returned documents, the best of these first",
        "given-order": "the judged documents in the order of the judgments, cut at k",
        "ones": "a gain of 1 for each judged document that gains something, cut at k",
        "max-grade": "the largest grade, max_grade, at every rank up to k",
    },
    "judged_only": {
        True: "unjudged documents are taken out of the ranking first",
        False: "unjudged documents stay in the ranking",
    },
}

_OF_NUMBERS = {
    "gain": "a document gains what the table says of its grade; a grade that it lacks gains itself",
    "discount": "rank r counts the r-th of the multipliers, and nothing beyond the last",
    "ideal": "the ranking of these grades, cut at k",
}

_GAIN_TERMS: dict[Value, str] = {
    "linear": "grade(r)",
    "exponential": "(2^grade(r) - 1)",
    "exponential+1": "(2^(grade(r) + 1) - 1)",
    "binary": "[grade(r) > 0]",
    "judged": "[r is judged]",
}
_WEIGHTS: dict[Value, str] = {
    "log2": " / log2(r + 1)",
    "ln": " / ln(r + 1)",
    "reciprocal": " / r",
    "none": "",
}


def meaning(parameter: str, value: Value | None) -> str:
    """Return what a value of a parameter of nDCG means; empty where there are no words for it.

    Examples
    --------
    >>> meaning("gain", "exponential"), meaning("gain", ((1, 1), (2, 10)))[:23]
    ('a document gains 2^grade - 1', 'a document gains what t')
    """
    if value is None:
        return ""
    if isinstance(value, tuple):
        return _OF_NUMBERS.get(parameter, "")
    return VALUES.get(parameter, {}).get(value, "")


def gain_term(gain: Value) -> str:
    """Return the gain of the document at rank r as a formula has it.

    Examples
    --------
    >>> gain_term("exponential"), gain_term(((0, 0), (1, 5)))
    ('(2^grade(r) - 1)', '{0: 0, 1: 5}[grade(r)]')
    """
    if isinstance(gain, tuple):
        return f"{literal(gain)}[grade(r)]"
    return _GAIN_TERMS.get(gain, f"{gain}(grade(r))")


def weighed(term: str, discount: Value, base: Value | None = None) -> str:
    """Return a term with its discount.

    Examples
    --------
    >>> weighed("grade(r)", "log2"), weighed("grade(r)", "jarvelin-kekalainen", 2)
    ('grade(r) / log2(r + 1)', 'grade(r) / max(1, log_2(r))')
    """
    if discount == "jarvelin-kekalainen":
        return f"{term} / max(1, log_{2 if base is None else base}(r))"
    if isinstance(discount, tuple):
        return f"{term} * {literal(discount)}[r]"
    return term + _WEIGHTS.get(discount, f" * {discount}(r)")


def ideal_sum(ideal: Value, discount: Value, base: Value | None, largest: Value | None) -> str:
    """Return the ideal's DCG as a formula in words.

    Examples
    --------
    >>> ideal_sum("ones", "log2", None, None)[:52]
    'sum over r <= min(k, n) of 1 / log2(r + 1), where n '
    """
    if ideal == "ones":
        return (
            f"sum over r <= min(k, n) of {weighed('1', discount, base)}, where n judged documents "
            "gain something"
        )
    if ideal == "max-grade":
        return f"the same sum with the grade {largest} at every rank up to k"
    if isinstance(ideal, tuple):
        return f"the same sum over the grades {literal(ideal)}, cut at k"
    return f"the same sum over {meaning('ideal', ideal) or repr(ideal)}"
