"""The formula of DCG as text."""

from __future__ import annotations

from gainful.measures.parameters import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures.parameters import Value

_GAINS = {
    "linear": "grade",
    "exponential": "(2^grade - 1)",
    "exponential+1": "(2^(grade + 1) - 1)",
    "binary": "[grade > 0]",
    "judged": "1",
}


def dcg_term(gain: Value, discount: Value, base: float = 2) -> str:
    """Return what one rank adds to DCG, then the tables of gains and weights it names.

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
