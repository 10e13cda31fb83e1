"""The formula of DCG as text, and the meanings of nDCG's parameters."""

from __future__ import annotations

from gainful.measures.parameters import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Value

__all__ = ["VALUES", "dcg_term", "meaning"]

#: The meaning of each parameter value; `meaning` describes tables and lists.
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
        "list": "the documents of the ranking, all of them, the best first, then cut at k",
        "list-cut": "the first k documents of the ranking, the best of these first",
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


def meaning(parameter: str, value: Value | None) -> str:
    """Return the meaning of a value of an nDCG parameter, or an empty text.

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


_GAINS = {
    "linear": "grade",
    "exponential": "(2^grade - 1)",
    "exponential+1": "(2^(grade + 1) - 1)",
    "binary": "[grade > 0]",
    "judged": "1",
}


def dcg_term(gain: Value, discount: Value, base: float = 2) -> str:
    """Return the term of one rank in DCG, then the tables that it uses.

    Parameters
    ----------
    gain, discount
        Checked values of the parameters of nDCG.
    base : float, default 2
        The base of the logarithm of ``discount="jarvelin-kekalainen"``.

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
    else:
        term = _GAINS[str(gain)]
    if discount == "jarvelin-kekalainen":
        log = "log2(rank)" if base == 2 else f"log(rank) / log({base:g})"
        term += f" / max(1, {log})"
    elif isinstance(discount, tuple):
        term += " × weight(rank)"
        legend += f", weight {discount}"
    elif discount != "none":
        term += " / rank" if discount == "reciprocal" else f" / {discount}(rank + 1)"
    return term + legend
