"""-Z: values as z-scores relative to other runs.

The file has lines of a topic, a value's name, the mean of that value over a set of runs, and its
standard deviation.
"""

from __future__ import annotations

from gainful.compat.trec_eval.c_numbers import atof
from gainful.compat.trec_eval.scores import Scores, signed
from gainful.compat.trec_eval.stopping import ZSCORES, Stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.compat.trec_eval.plan import Value

    Norms = dict[tuple[bytes, bytes], tuple[float, float]]

#: The z-score of a value that is missing from the file.
MISSING = -1000000.0


def read_zscores(path: str) -> Norms:
    """Read means and deviations by topic and name.

    Raises
    ------
    Stop
        If the file cannot be read, or a line does not have four fields.
    """
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError:
        content = b""
    if not content:
        # trec_eval's own message, which names the reader of preferences.
        raise Stop(ZSCORES, f"trec_eval.get_prefs: Cannot read zscores file '{path}'\n")
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    norms = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if len(words) != 4:
            raise Stop(ZSCORES, f"trec_eval.get_zscores: Malformed line {number}\n")
        topic, name, mean, deviation = words
        norms[topic, name] = (atof(mean.decode("latin-1")), atof(deviation.decode("latin-1")))
    return norms


def standardize(scores: Scores, norms: Norms) -> Scores:
    """Return the values as z-scores; -1000000 for missing ones."""
    names = scores.names()

    def change(value: Value, numbers: list[float]) -> list[float]:
        if value.row.name == "num_q":
            return numbers
        return [
            _distance(signed(value, number), norms.get((topic, value.name)))
            for topic, number in zip(names, numbers, strict=True)
        ]

    return scores.map_values(change)


def _distance(number: float, norm: tuple[float, float] | None) -> float:
    if norm is None:
        return MISSING
    mean, deviation = norm
    if deviation:
        return (number - mean) / deviation
    return 0.0 if number == mean else MISSING
