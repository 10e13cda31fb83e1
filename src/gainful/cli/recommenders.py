"""``gainful recommenders``: measures of recommenders."""

from __future__ import annotations

from gainful.cli.arguments import THREADS, convention_options, format_option, measure_option
from gainful.cli.command import Command
from gainful.cli.reading import reading_options
from gainful.parameters import Argument, Combined, File, Group, Parameter, comparing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.command import Values


def _popularity(place: str | None, values: Values) -> dict[str, float] | None:
    """Return the number of interactions of each item of a file."""
    from gainful.data.query_attributes import read_document_classes
    from gainful.errors import ParameterError
    from gainful.numerals import parse_number

    numbers = {}
    for item, text in ({} if place is None else read_document_classes(place)).items():
        try:
            numbers[item] = parse_number(text)
        except ValueError:
            raise ParameterError(
                where="--popularity", found=f"{text!r} of {item!r}", expected="a number"
            ) from None
    return numbers or None


def _categories(place: str | None, values: Values) -> dict[str, list[str]] | None:
    """Return the categories of each item of a file."""
    from gainful.data.query_attributes import read_document_classes

    if place is None:
        return None
    return {item: text.split("|") for item, text in read_document_classes(place).items()}


def _vectors(vectors: str | None, vector_ids: str | None) -> dict[str, Any] | None:
    """Return the vector of each item of a file."""
    from gainful.baselines.vectors import Vectors
    from gainful.errors import ArgumentError

    if vectors is None:
        if vector_ids is not None:
            raise ArgumentError("--vector-ids are the ids of --vectors")
        return None
    table = Vectors(vectors, vector_ids)
    return dict(zip(table.ids, table.whole(), strict=True))


def _ratings(word: str | None, values: Values) -> float | str | None:
    from gainful.numerals import parse_number

    try:
        return None if word is None else parse_number(word)
    except ValueError:
        return word


@Command(
    Argument("held_out", metavar="HELD_OUT"),
    Argument("lists", metavar="LISTS...", repeatable=True),
    measure_option(multiple=True, default="nDCG@10, R@10, Success@10 and RR@10"),
    Parameter(
        "seen",
        File,
        help="The interactions of the training data: seen items are not counted as recommended, and"
        " popularity is the number of users who have seen an item.",
    ),
    Parameter(
        "items",
        int,
        metavar="N",
        help="The size of the catalogue, if not all of its items are in the files.",
    ),
    Parameter(
        "popularity",
        File,
        metavar="FILE[:COLUMN]",
        convert=_popularity,
        help="A file of items and their interactions. Default: those of --seen.",
    ),
    Parameter(
        "categories",
        File,
        metavar="FILE[:COLUMN]",
        convert=_categories,
        help="A file of items and their categories, separated by |, for ILD(of='categories')@10 and"
        " CategoryEntropy@10.",
    ),
    Combined(
        "vectors",
        _vectors,
        Parameter(
            "vectors",
            File,
            help="The vectors of the items, for ILD@10: a Parquet file with ids and lists, or a"
            " .npy file with --vector-ids.",
        ),
        Parameter("vector_ids", File, help="The ids for a .npy file: one per line."),
    ),
    Parameter(
        "ratings",
        metavar="RATING|WORD",
        convert=_ratings,
        help="What values of HELD_OUT other than 0 and 1 mean: the lowest rating of a relevant"
        " item; `grades`, which are gains; or `ignore`: all are relevant. Default: they are an"
        " error.",
    ),
    Parameter(
        "top",
        int,
        range="[1, inf)",
        help="Items that are recommended to each user. Default: the largest cutoff.",
    ),
    comparing.BY.replace(
        help="Also summarize segments of the users: a file of user ids and segments.",
        group=Group.STATISTICS,
        doc="",
        annotation="",
    ),
    convention_options(),
    format_option(),
    THREADS,
    reading_options(),
    targets=("gainful.backends.recommendations:evaluate_recommendations",),
    examples=(
        "gainful recommenders test.tsv als.tsv knn.tsv -m nDCG@10 -m Coverage@10",
        "gainful recommenders test.tsv als.tsv --seen train.tsv -m Novelty@10"
        " -m Gini@10 -m LongTail@10",
        "gainful recommenders test.tsv als.tsv --categories movies.csv:genres"
        " -m \"ILD(of='categories')@10\" -m CategoryEntropy@10",
        "gainful recommenders test.tsv als.tsv --convention recbole -m itemcoverage@10",
    ),
)
def command(values: Values) -> None:
    """Evaluate recommenders: accuracy, coverage, novelty, diversity and popularity bias.

    HELD_OUT has the items that each user should get, and each LISTS what a recommender lists for
    each user: files with columns such as user_id, item_id and score, or any other format of
    judgments and runs. Lists are named after their files; NAME=PATH sets another name.
    """
    from gainful.backends.recommendations.call import DEFAULT_MEASURES
    from gainful.cli.output import write
    from gainful.cli.reading import parse_runs
    from gainful.measures import parse_measures

    held_out, lists = values.reading.load_all(
        values.held_out,
        parse_runs(values.lists),
        values.convention.duplicates,
        parse_measures(DEFAULT_MEASURES),
    )
    result = values.call(
        held_out=held_out,
        scores=None,
        systems=lists,
        measures=values.measures or None,
        candidates=None,
        user_ids=None,
        item_ids=None,
    )
    write(result, values.style, values.output)
