"""Run the command: plan, compute and print the values of the requested measures."""

from __future__ import annotations

import os
import sys

from gainful.compat.trec_eval.plan import OutputPlan
from gainful.compat.trec_eval.reading import (
    check_run_format,
    read_judgments,
    read_run,
    standard_error,
)
from gainful.compat.trec_eval.settings import REFUSED, Settings, Stop, parse_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.compat.trec_eval.printing import Norms
    from gainful.conventions import Convention


def run(arguments: Sequence[str] | None) -> int:
    """Run the command and return its exit status."""
    from gainful.compat.trec_eval.printing import READER_GONE, Output
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
    """Yield the output in pieces.

    Raises
    ------
    Stop
        If trec_eval fails.
    """
    settings = parse_settings(words)
    if settings.help:
        from gainful.compat.trec_eval.printing import help_text

        yield os.fsencode(help_text(settings))
        return
    from gainful.compat.trec_eval.evaluating import Evaluator
    from gainful.compat.trec_eval.printing import summary_lines, topic_lines

    judgments = read_judgments(settings)
    check_run_format(settings)
    plan, convention, norms = _plan_output(settings)
    # Output per document needs the rankings.
    run = read_run(settings) if settings.debug > 0 else None
    scores, failure = Evaluator(settings, plan, convention, judgments, run).scores()
    if plan.tables:
        from gainful.compat.trec_eval.printing import warn_about_gains

        warn_about_gains(plan, judgments)
    if norms is not None:
        from gainful.compat.trec_eval.printing import standardize

        scores = standardize(scores, norms)
    if run is not None:
        from gainful.compat.trec_eval.printing import debug_lines

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
    """Return the requested values, the convention, and the norms of -Z.

    Raises
    ------
    Stop
        If trec_eval fails earlier. It reads the run first, and reports its errors first.
    """
    from gainful.conventions import get

    try:
        norms = None
        if settings.zscores is not None:
            from gainful.compat.trec_eval.printing import read_zscores

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
