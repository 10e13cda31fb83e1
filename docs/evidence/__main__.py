"""Simulate coverage and error rates, and write them into the page *Statistics: evidence*.

``python docs/evidence`` runs every study and writes its table into docs/evidence/tables.md, between
``<!-- evidence: NAME -->`` and ``<!-- end -->``. docs/evidence.md shows some of its rows, which
``<!-- evidence: NAME rows 1 5 -->`` numbers. ``python docs/evidence NAME...`` runs only some,
``--page`` runs none and writes the rows of the page, ``--print`` prints instead of writing, and
``--simulations 500`` gives less precise tables sooner. The exit status is 1 if a rate is outside
its limits.

The studies draw from real scores: of runs of the TREC 2003 Robust track if their files are in
../shared, next to the clone, and of the demo's systems.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evidence import (
    aggregates,
    agreement,
    all_pairs,
    confidence_sequences,
    corpus_shards,
    crossed_raters,
    differences,
    effect_sizes,
    effective_sizes,
    equivalence,
    errors_of_tests,
    few_differences,
    mean_intervals,
    model_judges,
    new_collections,
    pilots,
    plans,
    pools,
    posterior,
    predictions,
    rank_posteriors,
    ranks,
    repeated_gates,
    reported_numbers,
    reproductions,
    sampled_judgments,
    sampled_predictions,
    selected_baselines,
    skewed_differences,
    slice_differences,
    sparse_pairs,
    spread_judges,
    system_orders,
    unequal_collections,
    weights,
)
from evidence.tables import Study, Table

__all__ = ["PAGE", "STUDIES", "TABLES", "read_tables", "replace_tables"]

PAGE = Path(__file__).resolve().parents[1] / "evidence.md"
TABLES = Path(__file__).resolve().parent / "tables.md"
PART = re.compile(
    r"(<!-- evidence: ([\w-]+)(?: rows ([\d ]+))? -->\n)(.*?)(<!-- end -->)", re.DOTALL
)

#: The studies in the order of the page, with their numbers of simulations: of the page, and of
#: `make test`. Those are the smallest at which what the study is about still fails its binomial
#: limits in some row: intervals a fifth or half too narrow, levels twice or four times as high, or
#: no correction for several comparisons.
STUDIES: dict[str, tuple[Study, int, int]] = {
    "mean-intervals": (mean_intervals.study, 10_000, 500),
    "rare-values": (mean_intervals.rare_study, 2_000, 40),
    "weights-and-clusters": (weights.study, 2_000, 150),
    "few-clusters": (weights.clusters_study, 2_000, 100),
    "errors-of-tests": (errors_of_tests.study, 10_000, 60),
    "differences": (differences.study, 2_000, 20),
    "effect-sizes": (effect_sizes.study, 2_000, 500),
    "all-pairs": (all_pairs.study, 4_000, 50),
    "sparse-pairs": (sparse_pairs.study, 1_000, 25),
    "few-differences": (few_differences.study, 1_000, 25),
    "ranks": (ranks.study, 2_000, 15),
    "rank-posteriors": (rank_posteriors.study, 500, 20),
    "slice-differences": (slice_differences.study, 2_000, 70),
    "aggregates": (aggregates.study, 2_000, 20),
    "macro-averages": (unequal_collections.intervals_study, 1_000, 10),
    "collections": (unequal_collections.study, 3_000, 25),
    "new-collections": (new_collections.study, 2_000, 40),
    "corpus-shards": (corpus_shards.study, 400, 5),
    "crossed-raters": (crossed_raters.study, 2_000, 40),
    "selected-baselines": (selected_baselines.study, 4_000, 20),
    "skewed-tests": (skewed_differences.rejection_study, 10_000, 40),
    "skewed-intervals": (skewed_differences.intervals_study, 10_000, 40),
    "posterior": (posterior.study, 10_000, 250),
    "equivalence-errors": (equivalence.errors_study, 5_000, 80),
    "equivalence-power": (equivalence.power_study, 2_000, 50),
    "equivalence-families": (equivalence.families_study, 3_000, 50),
    "reproduced-improvements": (reproductions.improvements_study, 1_000, 10),
    "reproduced-scores": (reproductions.scores_study, 3_000, 80),
    "confidence-sequences": (confidence_sequences.study, 200, 5),
    "gates-growing": (repeated_gates.growing_study, 400, 25),
    "gates-looks": (repeated_gates.looks_study, 2_000, 10),
    "gates-drift": (repeated_gates.drift_study, 1_000, 12),
    "gates-tuning": (repeated_gates.tuning_study, 1_000, 10),
    "pilots": (pilots.study, 10_000, 500),
    "plans": (plans.study, 2_000, 20),
    "reported-numbers": (reported_numbers.study, 40, 1),
    "system-orders": (system_orders.study, 800, 5),
    "model-judges": (model_judges.coverage_study, 2_000, 5),
    "spread-judges": (spread_judges.study, 1_000, 10),
    "effective-sizes": (effective_sizes.study, 1_000, 20),
    "easy-queries": (model_judges.easy_queries_study, 500, 5),
    "model-verdicts": (model_judges.verdicts_study, 2_000, 5),
    "agreement": (agreement.study, 1_000, 8),
    "slopes": (predictions.slopes_study, 4_000, 150),
    "predictions": (predictions.study, 4_000, 75),
    "sampled-predictions": (sampled_predictions.study, 2_000, 6),
    "sampled-judgments": (sampled_judgments.study, 1_000, 6),
    "sampled-queries": (sampled_judgments.few_queries_study, 1_000, 80),
    "sampled-estimators": (sampled_judgments.comparison_study, 2_000, 6),
    "pools": (pools.study, 1_000, 30),
}


def read_tables(text: str) -> dict[str, Table]:
    """Return the tables of a text by their names."""
    tables = {}
    for match in PART.finditer(text):
        lines = [line for line in match[4].splitlines() if line.startswith("|")]
        headings, _, *rows = [line[2:-2].split(" | ") for line in lines]
        tables[match[2]] = Table(headings, rows)
    return tables


def replace_tables(text: str, tables: dict[str, Table]) -> str:
    """Return the text with the given tables, or the rows of them that it shows."""

    def part(match: re.Match[str]) -> str:
        table = tables.get(match[2])
        if table is None:
            return match[0]
        lines = ["", table.markdown(), ""]
        if match[3]:
            rows = [table.rows[int(number) - 1] for number in match[3].split()]
            link = f"[All {len(table.rows)} rows](evidence/tables.md#{match[2]})"
            lines = ["", Table(table.headings, rows).markdown(), "", link, ""]
        return match[1] + "\n".join(lines) + "\n" + match[5]

    return PART.sub(part, text)


def write_tables(path: Path, tables: dict[str, Table]) -> None:
    """Replace tables in a file."""
    path.write_text(replace_tables(path.read_text(encoding="utf-8"), tables), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="studies; default: all")
    parser.add_argument("--simulations", type=int, metavar="N")
    parser.add_argument("--page", action="store_true", help="run nothing, write the page")
    parser.add_argument("--print", action="store_true", help="print the tables, write nothing")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - STUDIES.keys()
    if unknown:
        parser.error(f"no study {', '.join(sorted(unknown))}; studies: {', '.join(STUDIES)}")
    failures = []
    for name in [] if arguments.page else arguments.names or STUDIES:
        study, simulations, _ = STUDIES[name]
        start = time.monotonic()
        table = study(arguments.simulations or simulations)
        sys.stderr.write(f"{name}: {time.monotonic() - start:.0f} s\n")
        failures += [f"{name}: {failure}" for failure in table.failures]
        if arguments.print:
            sys.stdout.write(f"{name}\n{table.markdown()}\n\n")
        else:
            write_tables(TABLES, {name: table})
    if not arguments.print:
        write_tables(PAGE, read_tables(TABLES.read_text(encoding="utf-8")))
    for failure in failures:
        sys.stderr.write(f"outside its limits: {failure}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
