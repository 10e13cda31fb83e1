"""The help of -h."""

from __future__ import annotations

from gainful.compat.trec_eval.measures import rows
from gainful.measures import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.compat.trec_eval.settings import Settings

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
