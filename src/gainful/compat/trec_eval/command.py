"""Run the command: compute the requested measures and print them as trec_eval does."""

from __future__ import annotations

import io
import os
import sys
from math import exp, log, log2

from gainful._kernel import TopicLines, fixed
from gainful.compat.trec_eval.evaluating import (
    FAKE,
    LEAST,
    Logarithms,
    TopicScores,
    list_grades,
    signed,
)
from gainful.compat.trec_eval.plan import OutputPlan
from gainful.compat.trec_eval.reading import (
    Judgments,
    check_run_format,
    read_judgments,
    read_run,
    standard_error,
)
from gainful.compat.trec_eval.settings import (
    REFUSED,
    ZSCORES,
    Settings,
    Stop,
    atof,
    parse_settings,
    rows,
)
from gainful.measures import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gainful._kernel import Rows
    from gainful.compat.trec_eval.plan import PrintedValue
    from gainful.conventions import Convention

    Line = tuple[bytes, str, int | list[float] | list[bytes]]
    Norms = dict[tuple[bytes, bytes], tuple[float, float]]

#: The number of lines written at once.
CHUNK = 1 << 16

#: The exit status after SIGPIPE in shells: 128 plus the signal's number.
READER_GONE = 141


def run(arguments: Sequence[str] | None) -> int:
    """Run the command and return its exit status."""
    from gainful.errors import GainfulError

    words = sys.argv[1:] if arguments is None else list(arguments)
    output = Output()
    status = 0
    text = ""
    try:
        try:
            for chunk in _output(words):
                output.write(chunk)
        except Stop as stop:
            output.write(os.fsencode(stop.output))
            status, text = stop.status, stop.text
        except GainfulError as error:
            status, text = REFUSED, f"gainful trec_eval: {error}\n"
        except MemoryError:
            status, text = REFUSED, "gainful trec_eval: not enough memory\n"
        output.finish()
    except BrokenPipeError:
        output.forget()
        return READER_GONE
    except OSError as error:
        output.forget()
        why = (error.strerror or str(error)).lower()
        status = REFUSED
        text = f"gainful trec_eval: standard output: cannot write the file ({why})\n"
    if text:
        standard_error(text)
    return status


def _output(words: Sequence[str]) -> Iterator[bytes]:
    """Yield the output in pieces."""
    settings = parse_settings(words)
    if settings.help:
        yield os.fsencode(help_text(settings))
        return
    from gainful.compat.trec_eval.evaluating import Evaluator

    judgments = read_judgments(settings)
    check_run_format(settings)
    plan, convention, norms = _plan_output(settings)
    # Output per document needs the rankings.
    run = read_run(settings) if settings.debug > 0 else None
    scores, failure = Evaluator(settings, plan, convention, judgments, run).scores()
    if plan.tables:
        warn_about_gains(plan, judgments)
    if norms is not None:
        scores = standardize(scores, norms)
    if run is not None:
        yield from debug_lines(settings, judgments, run, scores)
    elif settings.topics:
        yield from topic_lines(settings, scores)
    if failure is not None:
        raise failure
    if settings.summary:
        recounted = settings.complete and "num_rel" in settings.marked
        relevant = len(judgments.rows.at_least(1.0)) if recounted else 0
        yield summary_lines(settings, scores, judgments.rows.queries, relevant)


def _plan_output(settings: Settings) -> tuple[OutputPlan, Convention, Norms | None]:
    """Return the requested values, the convention, and the norms of -Z."""
    from gainful.conventions import get

    try:
        norms = None
        if settings.zscores is not None:
            norms = read_zscores(settings.zscores)
        convention = get("trec_eval-10.0-rc3" if settings.version > 9 else "trec_eval-9.0.8")
        convention = convention.replace(missing="skip")
        if settings.judgments_format in ("prefs", "qrels_prefs"):
            # Levels are any numbers, and -J does not affect preferences. Of tied documents, -M
            # keeps the first ones in the order of preferences.
            convention = convention.replace(negative="zero", fractions="keep", ties="doc-id-asc")
        elif settings.judged_only:
            convention = convention.replace(unjudged="condense")
        return OutputPlan(settings, convention), convention, norms
    except Stop:
        read_run(settings)
        raise


def line_sources(settings: Settings, scores: TopicScores) -> list[Line]:
    """Return the lines of a topic: prefix, number format, and source of the value."""
    return [
        (_prefix(settings, value), _number_format(settings, value), source)
        for value, source in zip(scores.plan.values, scores.sources, strict=True)
        if value.row.topics and source is not None and not isinstance(source, Logarithms)
    ]


def topic_lines(settings: Settings, scores: TopicScores) -> Iterator[bytes]:
    """Yield the lines of all topics, in blocks."""
    lines = line_sources(settings, scores)
    if not lines or not scores.count:
        return
    made = TopicLines(scores.topics, lines)
    step = max(1, CHUNK // len(lines))
    for first in range(0, scores.count, step):
        yield made.chunk(first, min(first + step, scores.count))


def summary_lines(settings: Settings, scores: TopicScores, judged: int, relevant: int) -> bytes:
    """Return the lines of the averages."""
    sums = _sum_values(scores)
    text = []
    for value, total in zip(scores.plan.values, sums, strict=True):
        row = value.row
        if not row.summary:
            continue
        if row.name == "runid":
            shown = scores.tag.encode("utf-8", "surrogateescape")
            text.append(b"%-22b\tall\t%b\n" % (value.name, shown))
            continue
        if row.name == "num_rel" and settings.complete:
            total = float(relevant)
        number = _average(value, total, scores.count, judged if settings.complete else None)
        form = _number_format(settings, value)
        if form == "whole":
            shown = b"%d" % int(number)
        else:
            (shown,) = fixed([number if form == "signed" else signed(value, number)])
        text.append(_prefix(settings, value) + b"all\t" + shown + b"\n")
    return b"".join(text)


def _prefix(settings: Settings, value: PrintedValue) -> bytes:
    mark = b"" if settings.zscores is None or value.row.name == "relstring" else b"Z"
    return mark + b"%-22b\t" % value.name


def _number_format(settings: Settings, value: PrintedValue) -> str:
    if settings.zscores is not None:
        return "signed"
    if value.row.whole:
        return "whole"
    return "logarithm" if value.is_logarithm else "real"


def _average(value: PrintedValue, total: float, evaluated: int, judged: int | None) -> float:
    """Return the aggregate of a sum over topics; `judged` if all judged topics count."""
    count = evaluated if judged is None else judged
    average = value.row.average
    if value.row.name == "num_q":
        return float(count)
    if average == "geometric":
        # Topics that are missing from the run count with the lowest value.
        total += (count - evaluated) * log(LEAST)
        try:
            return exp(total / count)
        except OverflowError:
            return float("inf")
    return total / count if average == "mean" else total


def _sum_values(scores: TopicScores) -> list[float]:
    """Return the sums of all values, added from the first topic to the last."""
    table = scores.topics
    sums: list[float] = []
    quick: dict[int, float] = {}
    logarithms: dict[int, float] = {}
    if not isinstance(table, list) and scores.count == len(table):
        columns = [source for source in scores.sources if isinstance(source, int)]
        quick = dict(zip(columns, table.sums(columns), strict=True))
        columns = [source.column for source in scores.sources if isinstance(source, Logarithms)]
        logarithms = dict(zip(columns, table.sums(columns, LEAST), strict=True))
    for source in scores.sources:
        if isinstance(source, int) and source in quick:
            sums.append(quick[source])
            continue
        if isinstance(source, Logarithms) and source.column in logarithms:
            sums.append(logarithms[source.column])
            continue
        if source is None:
            sums.append(0.0)
            continue
        total = 0.0
        for number in scores.numbers(source):
            if isinstance(number, bytes):
                break
            total += number
        sums.append(total)
    return sums


class Output:
    """The standard output."""

    def __init__(self) -> None:
        self._bytes: Any = getattr(sys.stdout, "buffer", None)
        # With PYTHONUNBUFFERED the file is unbuffered, and may write only a part.
        self._bare = isinstance(self._bytes, io.RawIOBase)
        if self._bare:
            self._bytes = io.BufferedWriter(self._bytes)

    def write(self, text: bytes) -> None:
        """Write bytes."""
        if sys.stdout is None:
            raise OSError("a closed stream")
        if self._bytes is None:
            sys.stdout.write(os.fsdecode(text))
        else:
            self._bytes.write(text)

    def finish(self) -> None:
        """Flush the output; nothing can be written afterwards."""
        stream = sys.stdout if self._bytes is None else self._bytes
        if stream is not None:
            stream.flush()
        if self._bare:
            self._bytes.detach()

    def forget(self) -> None:
        """Discard buffered output, which Python would write at exit."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        except (OSError, AttributeError):
            pass  # The stream is not a file, so nothing is buffered.


def debug_lines(
    settings: Settings, judgments: Judgments, run: Rows, scores: TopicScores
) -> Iterator[bytes]:
    """Yield the debug lines of each topic, followed by its values if requested."""
    lines = TopicLines(scores.topics, line_sources(settings, scores))
    (fake,) = FAKE
    for number, name in enumerate(scores.names()):
        topic = name.decode("utf-8", "surrogateescape")
        listed, levels = list_grades(judgments.rows, run, topic, settings, fake)
        text: list[str] = []
        for row in scores.plan.marked:
            if row.family in ("nDCG", "DCG", "IDCG") and row.takes == "pairs":
                text += _ndcg(listed, levels, dict(scores.plan.tables.get(row.name, ())))
            elif row.name == "ndcg_cut":
                cutoffs = scores.plan.cutoffs(row)
                text += _ndcg_cut(listed, levels, cutoffs, settings.debug)
        yield "".join(text).encode()
        if settings.topics:
            yield lines.chunk(number, number + 1)


def _ndcg(listed: list[int], levels: list[int], gains: dict[int, float]) -> Iterator[str]:
    """Yield rank (from 0), index of the ideal gain, gain, DCG, ideal gain, ideal DCG."""
    table = [(gains.get(level, float(level)), count) for level, count in enumerate(levels)]
    table += [(gain, 0) for level, gain in gains.items() if not 0 <= level < len(levels)]
    table.sort(key=lambda row: row[0])
    gain_of = {level: gains.get(level, float(level)) for level in (*range(len(levels)), *gains)}
    place = len(table) - 1
    ideal = table[place][0] if table else 0.0
    dcg = ideal_dcg = 0.0
    taken = rank = 0
    while rank < len(listed) or ideal > 0:
        gain = gain_of.get(listed[rank], 0.0) if rank < len(listed) else 0.0
        if gain:
            dcg += gain / log2(rank + 2)
        if ideal > 0:
            taken += 1
            while place >= 0 and taken > table[place][1]:
                taken = 1
                place -= 1
                ideal = table[place][0] if place >= 0 else 0.0
            if ideal > 0:
                ideal_dcg += ideal / log2(rank + 2)
            shown = ideal
        else:
            shown = 0.0
        yield f"ndcg: {rank} {place} {gain:3.1f} {dcg:6.4f} {shown:3.1f} {ideal_dcg:6.4f}\n"
        rank += 1


def _ndcg_cut(
    listed: list[int], levels: list[int], cutoffs: list[int], debug: int
) -> Iterator[str]:
    """Yield rank (from 0), gain and sum of the ranking (from debug level 2) and the ideal."""
    dcg = 0.0
    reached = 0
    for rank, grade in enumerate(listed):
        if rank == cutoffs[reached]:
            reached += 1
            if reached == len(cutoffs):
                break
            yield f"ndcg_cut: cutoff {rank} dcg {dcg:6.4f}\n"
        if grade > 0:
            dcg += grade / log2(rank + 2)
            if debug > 1:
                yield f"ndcg_cut:{rank} {grade:3.1f} {dcg:6.4f}\n"
    for cutoff in cutoffs[reached:]:
        yield f"ndcg_cut: cutoff {cutoff} dcg {dcg:6.4f}\n"
    ideal_dcg = 0.0
    reached = 0
    ideal = [level for level in range(len(levels) - 1, 0, -1) for _ in range(levels[level])]
    for rank, level in enumerate(ideal):
        if rank == cutoffs[reached]:
            yield f"ndcg_cut: cutoff {rank} idcg {ideal_dcg:6.4f}\n"
            reached += 1
            if reached == len(cutoffs):
                break
        ideal_dcg += level / log2(rank + 2)
        yield f"ndcg_cut:{rank} {level} {level:3.1f} {ideal_dcg:6.4f}\n"
    for cutoff in cutoffs[reached:]:
        yield f"ndcg_cut: cutoff {cutoff} idcg {ideal_dcg:6.4f}\n"


def warn_about_gains(plan: OutputPlan, judgments: Judgments) -> None:
    """Warn once if gains of a measure differ by less than 1."""
    for measure, gains in plan.tables.items():
        pair = _find_close_gains(dict(gains), judgments.rows)
        if pair is not None:
            low, high = pair
            standard_error(
                f"gainful trec_eval: warning: {measure} with the gains {low:g} and {high:g}: "
                "trec_eval treats gains that differ by less than 1 as equal, so its value is "
                "wrong; this value is correct\n"
            )
            return


def _find_close_gains(gains: dict[int, float], rows: Rows) -> tuple[float, float] | None:
    """Return two gains that differ by less than 1, including those of grades in the data."""
    every = set(gains.values())
    for gain in gains.values():
        for level in (int(gain), int(gain) + 1):
            if level not in gains and level >= 0 and (level == 0 or len(rows.at_least(level))):
                every.add(float(level))
    order = sorted(every)
    for index in range(1, len(order)):
        if order[index] - order[index - 1] < 1:
            return order[index - 1], order[index]
    return None


TEXT = """\
Usage: gainful trec_eval [OPTION]... JUDGMENTS RUN

Accepts trec_eval's options and prints exactly the output of trec_eval 9.0.8, or of 10.0-rc3 with
--compat 10. Files may be compressed; - is the standard input.

Output
  -m, --measure NAME[.PARAMETERS]     A measure, or a group: official (default), all_trec, set,
                                      prefs, all_prefs, qrels_jg. Repeatable. Parameters are
                                      cutoffs (P.5,10), gains (ndcg.1=3,2=9) or coefficients
                                      (utility.1,-1,0,0).
  -q, --query_eval_wanted             Also print the values of each topic.
  -n, --nosummary                     Do not print averages.
  -Z, --Zscore FILE                   Print values as z-scores relative to other runs. Lines of
                                      FILE: topic measure mean deviation.

Evaluation
  -c, --complete_rel_info_wanted      Average over all judged topics, not only over the topics in
                                      the run.
  -l, --level_for_rel N               The lowest relevant grade. Default: 1.
  -M, --Max_retrieved_per_topic N     Evaluate only the first N documents of each topic.
  -J, --Judged_docs_only              Remove unjudged documents from the rankings.
  -N, --Number_docs_in_coll N         The number of documents in the collection, for utility.
                                      Default: 0.

Input
  -R, --Rel_info_format FORMAT        qrels (default): topic iteration document grade
                                      qrels_jg: topic judge document grade
                                      prefs: topic judge group document level
                                      qrels_prefs: as qrels, read as preferences
  -T, --Results_format FORMAT         trec_results: topic Q0 document rank score tag

Other
  --compat 9|10                       The version to reproduce: 9.0.8 (default) or 10.0-rc3.
  -D, --Debug_level N[.TOPIC]         Evaluate only TOPIC; from N = 1, print the terms of ndcg and
                                      ndcg_cut.
  -h, --help                          Show this text, and describe the measures of -m.
  -v, --version                       Show the reproduced version of trec_eval.
  -o                                  Ignored, as in trec_eval.

Long names may be abbreviated. Options may follow the files.

Examples:
  gainful trec_eval qrels.txt bm25.run
  gainful trec_eval -q -m ndcg_cut.10 -m map qrels.txt bm25.run.gz
  zstd -dc bm25.run.zst | gainful trec_eval --compat 10 -c -m all_trec qrels.txt -
"""


def help_text(settings: Settings) -> str:
    """Return the help, with a paragraph on each requested measure.

    Examples
    --------
    >>> from gainful.compat.trec_eval.settings import parse_settings
    >>> print(help_text(parse_settings(["-h", "-m", "P.5"])).splitlines()[-3])
    P: P in Gainful's notation
    """
    text = [TEXT]
    for name, row in rows(settings.version).items():
        if name not in settings.marked:
            continue
        if row.family:
            measure = Measure(row.family, row.params)
            declared = measure.declaration
            text.append(f"\n{name}: {measure} in Gainful's notation\n")
            text.append(f"    {declared.summary}\n    {declared.formula}\n")
        else:
            text.append(f"\n{name}\n    {_OTHERS[name]}\n")
    return "".join(text)


_OTHERS = {
    "runid": "The tag of the run's last line.",
    "num_q": "The number of averaged topics.",
    "relstring": "The grades of the first documents (10, or the parameter): a digit, > above 9,\n"
    "    - without a judgment, . for a negative grade.",
}

#: The z-score of a value that is missing from the file.
MISSING = -1000000.0


def read_zscores(path: str) -> Norms:
    """Read means and deviations by topic and name."""
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


def standardize(scores: TopicScores, norms: Norms) -> TopicScores:
    """Return the values as z-scores; -1000000 for missing ones."""
    names = scores.names()

    def change(value: PrintedValue, numbers: list[float]) -> list[float]:
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
