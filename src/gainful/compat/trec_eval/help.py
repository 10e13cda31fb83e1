"""The help of -h."""

from __future__ import annotations

from gainful.compat.trec_eval.measures import rows
from gainful.measures import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.compat.trec_eval.settings import Settings

TEXT = """\
Usage: gainful trec_eval [OPTION]... JUDGMENTS RUN

Takes trec_eval's options and prints what trec_eval prints, byte for byte: as version 9.0.8 does,
or with --compat 10 as version 10.0-rc3. Files may be compressed, and - is the standard input.

What is printed
  -m, --measure NAME[.PARAMETERS]     a measure; may be repeated. P.5,10 gives cutoffs, ndcg.1=3,2=9
                                      gains, utility.1,-1,0,0 coefficients. Or several measures:
                                      official (the default), all_trec, set, prefs, all_prefs,
                                      qrels_jg
  -q, --query_eval_wanted             the values of each topic, too
  -n, --nosummary                     no averages
  -Z, --Zscore FILE                   values as distances from the mean of other runs, in standard
                                      deviations; FILE has lines: topic measure mean deviation

How it is measured
  -c, --complete_rel_info_wanted      average over all topics of the judgments, not only over those
                                      that the run has
  -l, --level_for_rel N               the least grade of a relevant document (1)
  -M, --Max_retrieved_per_topic N     look at the first N documents of each topic
  -J, --Judged_docs_only              take documents without judgment out of the ranking
  -N, --Number_docs_in_coll N         how many documents there are; utility can use it (0)

What is read
  -R, --Rel_info_format FORMAT        qrels (the default): topic iteration document grade
                                      qrels_jg: topic judge document grade
                                      prefs: topic judge group document level
                                      qrels_prefs: as qrels, read as preferences
  -T, --Results_format FORMAT         trec_results: topic Q0 document rank score tag

And
  --compat 9|10                       whose output: that of 9.0.8 (the default) or of 10.0-rc3
  -D, --Debug_level N[.TOPIC]         only that TOPIC; from N = 1 the terms of ndcg and ndcg_cut
  -h, --help                          this text, and about the measures named by -m
  -v, --version                       the version of trec_eval whose output is printed
  -o                                  nothing: trec_eval forgot what it was for

Long names may be shortened. Options may stand after the files.

Examples:
  gainful trec_eval qrels.txt bm25.run
  gainful trec_eval -q -m ndcg_cut.10 -m map qrels.txt bm25.run.gz
  zstd -dc bm25.run.zst | gainful trec_eval --compat 10 -c -m all_trec qrels.txt -
"""


def help_text(settings: Settings) -> str:
    """Return the help, with a paragraph on each requested measure.

    Examples
    --------
    >>> from gainful.compat.trec_eval.settings import understood
    >>> print(help_text(understood(["-h", "-m", "P.5"])).splitlines()[-3])
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
    "num_q": "The number of topics that the averages are over.",
    "relstring": "The grades of the first documents, 10 of them or as many as the parameter says: "
    "a digit,\n    > for more than 9, - for no judgment, . for a negative grade.",
    "utility": "p1 times the relevant documents retrieved, p2 the others retrieved, p3 the "
    "relevant ones not\n    retrieved, p4 all others; by default 1, -1, 0, 0.",
}
