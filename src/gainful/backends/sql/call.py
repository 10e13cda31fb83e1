"""Write a SQL query from measures and a convention."""

from __future__ import annotations

import textwrap

from gainful.backends.sql.dialects import dialect_of
from gainful.backends.sql.ranking import Sums, Tables, leaves_groups, ranking
from gainful.backends.sql.values import largest_grade, value_of
from gainful.conventions import Convention, get
from gainful.errors import ConventionError, ParameterError
from gainful.evaluation.parts import kernel_table
from gainful.evaluation.values import cutoffs_of, parts_of
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.backends.sql.dialects import Dialect
    from gainful.backends.sql.values import Value
    from gainful.measures import Measure


_UNORDERED = "SQL tables have no order of rows"
_POSITION = "set ⟪position⟫ to the column that numbers the run's rows"


def check_convention(convention: Convention, *, position: bool) -> None:
    """Refuse policies that SQL cannot express."""
    ties, order = convention.ties, convention.order
    appended = convention.unretrieved == "last"
    if ties.startswith("random("):
        raise _refusal(
            "ties",
            ties,
            "the shuffle needs 64-bit arithmetic that wraps around",
        )
    listed = ties in ("given", "reverse") and order != "given"
    if not position:
        if order == "given":
            raise _refusal("order", order, _UNORDERED, _POSITION)
        if listed:
            raise _refusal("ties", ties, _UNORDERED, _POSITION)
    if appended and (ties in ("given", "reverse") or order == "given"):
        raise _refusal(
            "unretrieved",
            "last",
            f"with {f'ties={ties}' if listed else 'order=given'} it needs the order of the "
            f"judgments",
        )
    rounded = convention.rounding.partition(":")[0]
    if rounded in ("term", "term-down", "query"):
        raise _refusal(
            "rounding",
            convention.rounding,
            "a database may add in another order, and rounding would amplify the difference",
        )


def _refusal(policy: str, value: str, why: str, hint: str | None = None) -> ConventionError:
    return ConventionError(
        f"{policy}={value} is not available: {why}",
        where="sql",
        found=f"{policy}={value}",
        policy=policy,
        hint=hint,
    )


WIDTH = 100


def comment(text: str) -> list[str]:
    """Return a text as comment lines; line breaks in names become spaces."""
    flat = " ".join(text.split())
    return [f"-- {line}" for line in textwrap.wrap(flat, WIDTH - 8, break_long_words=False)]


def filled(text: str, dialect: Dialect, indent: str = "") -> list[str]:
    """Wrap SQL at spaces, to lines of at most 100 characters if possible.

    It is not wrapped at spaces inside quotes or around ``AS``. If it does not fit on one line,
    each clause starts a new line, and continuation lines are indented.

    Examples
    --------
    >>> from gainful.backends.sql.dialects import DIALECTS
    >>> text = "SELECT " + ", ".join(f"a{at} AS " + '"a name"' for at in range(9)) + " FROM t"
    >>> for line in filled(text, DIALECTS["duckdb"], "  "):
    ...     print(line)
      SELECT a0 AS "a name", a1 AS "a name", a2 AS "a name", a3 AS "a name", a4 AS "a name",
        a5 AS "a name", a6 AS "a name", a7 AS "a name", a8 AS "a name"
      FROM t
    """
    if len(indent) + len(text) <= WIDTH:
        return [f"{indent}{text}"]
    lines: list[str] = []
    for word, inner in _units(text, dialect):
        if not lines or (not inner and word in _CLAUSES):
            lines.append(f"{indent}{word}")
        elif len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{indent}  {word}")
    return lines


#: Clauses that start a line unless they are inside parentheses.
_CLAUSES = ("FROM", "LEFT", "WHERE", "GROUP", "HAVING", "UNION", "WINDOW")


def _units(text: str, dialect: Dialect) -> Iterator[tuple[str, bool]]:
    """Yield unbreakable units, each with whether it begins inside parentheses."""
    unit, inner, joined = "", False, False
    for word, depth in _words(text, dialect):
        if word == "AS" or joined:
            unit += f" {word}"
        else:
            if unit:
                yield unit, inner
            unit, inner = word, depth > 0
        joined = word == "AS"
    yield unit, inner


def _words(text: str, dialect: Dialect) -> Iterator[tuple[str, int]]:
    """Yield the parts between unquoted spaces, each with its depth of parentheses."""
    start, inside, skip = 0, "", False
    depth = begun = 0
    for index, character in enumerate(text):
        if skip:
            skip = False
        elif inside:
            skip = inside == "'" and character == dialect.escape
            if character == inside:
                inside = ""
        elif character in "'\"`":
            inside = character
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == " ":
            yield text[start:index], begun
            start, begun = index + 1, depth
    yield text[start:], begun


@suggest_keywords
def query(
    measures: Measure | str | Iterable[Measure | str],
    *,
    convention: Convention | str = "gainful-1",
    dialect: str = "duckdb",
    qrels: str = "qrels",
    run: str = "run",
    query_id: str = "query_id",
    doc_id: str = "doc_id",
    grade: str = "grade",
    score: str = "score",
    rank: str = "rank",
    position: str | None = None,
) -> str:
    """Write a SQL query that measures a run inside the database.

    The query returns the rows of `gainful.evaluate`: one per measured query, in byte order of the
    query ids, with the columns of `gainful.Evaluation.columns` except ``system``. Values agree to
    1e-9, not to the last bit, because a database adds in its own order. Data that Gainful refuses
    (duplicate documents, scores that are not finite, ...) end the query with a message.

    Parameters
    ----------
    measures : Measure, str, or several of them
        What to measure; `expressible` lists the supported families.
    convention : Convention or str
        The policies, or the name of a preset.
    dialect : str
        The SQL dialect: ``"duckdb"``, ``"postgres"`` or ``"spark"``, or one that sqlglot writes
        (``pip install 'gainful[warehouses]'``): ``"bigquery"``, ``"clickhouse"``, ``"databricks"``,
        ``"mysql"``, ``"oracle"``, ``"redshift"``, ``"snowflake"``, ``"trino"`` or ``"tsql"``.
    qrels, run : str
        The tables of judgments and of the run. A dot separates schema and table. Names are quoted,
        so they are exact. In DuckDB a name that ends with ``.parquet`` is a file, or several:
        ``"runs/*.parquet"``.
    query_id, doc_id, grade, score, rank : str
        Their columns. Ids are text or whole numbers. `rank` is read if the convention needs it.
    position : str, optional
        A column with the order of the run's rows, ascending and unique within a query. Tables have
        no order without it, so policies that need one (``ties="given"``) are refused.

    Returns
    -------
    str
        The query, ending with a line break and without a semicolon.

    Raises
    ------
    ConventionError
        For a policy that SQL or the dialect cannot express, or one that is not defined for a
        measure.
    MeasureError
        For a measure that is not supported in SQL.
    ParameterError
        For an unknown dialect, an empty name, or a measure whose name is too long for a column.
    MissingPackageError
        If the dialect needs sqlglot, which is not installed.

    Examples
    --------
    >>> from gainful.backends import sql
    >>> text = sql.query("nDCG@10", qrels="judgments", run="bm25", score="points")
    >>> for line in text.splitlines()[:7]:
    ...     print(line)
    -- nDCG@10 of "bm25" against "judgments", one row per query; for DuckDB.
    -- gainful-1: gain linear, discount log2, ideal judged, ties doc-id-desc, unjudged zero,
    -- negative zero, duplicates error, no_relevant 0, missing empty
    WITH rows_of_qrels AS (
      SELECT CAST("query_id" AS VARCHAR) COLLATE "C" AS query_id, CAST("doc_id" AS VARCHAR) COLLATE
        "C" AS doc_id, CAST("grade" AS DOUBLE) AS given
      FROM "judgments"
    """
    written = dialect_of(dialect)
    tables = Tables(written, qrels, run, query_id, doc_id, grade, score, rank, position)
    policies = get(convention)
    chosen = choose_measures(measures, policies)
    _check_meaning(chosen, policies)
    check_convention(policies, position=position is not None)
    written.check(policies)
    sums = Sums(written, policies)
    values = [value_of(measure, sums) for measure in chosen]
    limits = {}
    for measure in chosen:
        most = largest_grade(measure, sums)
        if most is not None:
            limits[repr(measure)] = most
    columns = _columns(chosen, values, sums)
    columns = [(written.column(name), value) for name, value in columns]
    _check_names([name for name, _ in columns], written)
    conditions = _conditions(sums)
    steps = ranking(written, tables, policies, limits, sums.worths, sums.ranks)
    if policies.unjudged == "condense":
        steps.append(_tied())
    if policies.duplicates != "error":
        steps.append(_repeated())
    steps += sums.steps()
    return _text(chosen, tables, sums, steps, columns, conditions)


def _check_meaning(measures: tuple[Measure, ...], convention: Convention) -> None:
    """Refuse policies that are not defined for a measure, as `evaluate` does."""
    kernel_table([], measures, convention, None)


def _check_names(names: list[str], dialect: Dialect) -> None:
    hint = (
        "set parameters as defaults of the convention, such as "
        "Convention(defaults={'nDCG': {'gain': 'exponential'}}), and write nDCG@10"
    )
    longest = dialect.longest_name
    for index, name in enumerate(names):
        if longest is not None and len(name.encode()) > longest:
            raise ParameterError(
                f"the column {name!r} is too long: {dialect.title} truncates names to {longest}"
                " bytes",
                where="sql",
                hint=hint,
            )
        if name in names[:index]:
            raise ParameterError(
                f"two columns are named {name!r} in {dialect.title}", where="sql", hint=hint
            )


# --- the columns --------------------------------------------------------------------------------


def _columns(
    measures: tuple[Measure, ...], values: list[Value], sums: Sums
) -> list[tuple[str, str]]:
    """Return names and expressions of the columns of `Evaluation.columns`."""
    convention = sums.convention
    columns = [("query_id", sums.dialect.shown("q.query_id"))]
    columns += [
        (repr(measure), _settled(measure, value, sums))
        for measure, value in zip(measures, values, strict=True)
    ]
    parts = [part for value in values for part in value.parts]
    columns += [(name, parts[position]) for name, position in parts_of(measures)]
    # Documents added at the end were not retrieved.
    condition = "appended = 0" if convention.unretrieved == "last" else None
    grouped = leaves_groups(convention)
    tied = sums.aggregate(_sum_of("members > 1") if grouped else "SUM(tied)")
    is_given = f"given IS NOT NULL AND {condition}" if condition else "given IS NOT NULL"
    columns += [
        ("retrieved", sums.aggregate(_sum_of(condition) if condition else "COUNT(*)")),
        ("relevant", sums.relevant(1.0)),
        ("judged", sums.aggregate(_sum_of(is_given))),
        ("tied", "COALESCE(t.tied, 0)" if convention.unjudged == "condense" else tied),
        ("duplicates", "0" if convention.duplicates == "error" else "COALESCE(d.duplicates, 0)"),
    ]
    columns = [
        (name, _whole(value)) if name in _COUNTS else (name, value) for name, value in columns
    ]
    resolved = [measure.resolve(convention) for measure in measures]
    for cutoff in cutoffs_of(resolved):
        judged = sums.aggregate(_sum_of(f"given IS NOT NULL AND place <= {cutoff}"))
        unjudged = sums.aggregate(_sum_of(f"given IS NULL AND place <= {cutoff}"))
        # Tied documents are on both sides of the cutoff.
        tie_continues = "place < start + members" if grouped else "tie_continues = 1"
        straddling = f"place = {cutoff} AND {tie_continues}"
        straddles = f"{sums.aggregate(_sum_of(straddling))} > 0"
        judged, unjudged = _whole(judged), _whole(unjudged)
        if grouped:
            # Then the order of the rows decides which tied documents are above the cutoff.
            judged = f"CASE WHEN NOT {straddles} THEN {judged} END"
            unjudged = f"CASE WHEN NOT {straddles} THEN {unjudged} END"
        columns += [
            (f"judged@{cutoff}", judged),
            (f"unjudged@{cutoff}", unjudged),
            (f"tie@{cutoff}", sums.dialect.flag(straddles)),
        ]
    return columns


_COUNTS = ("retrieved", "relevant", "judged", "tied", "duplicates")


def _whole(value: str) -> str:
    return f"CAST({value} AS BIGINT)"


def _sum_of(condition: str) -> str:
    return f"SUM(CASE WHEN {condition} THEN 1 ELSE 0 END)"


def _settled(measure: Measure, value: Value, sums: Sums) -> str:
    """Return a value, with the convention's policy for queries with no relevant documents."""
    policy, dialect = sums.convention.no_relevant, sums.dialect
    if value.nothing is None:
        return value.value
    if value.kept and policy not in ("skip", "error"):
        return value.value
    if policy == "skip":
        instead = "NULL"
    elif policy == "agree":
        none = f"{sums.returned()} = {dialect.number(0)}"
        instead = f"CASE WHEN {none} THEN {dialect.number(1)} ELSE {dialect.number(0)} END"
    elif policy == "error":
        said = f": no relevant documents for {measure!r} (no_relevant=error)"
        message = _about_query(dialect, said)
        instead = dialect.fail(message, dialect.double)
    else:
        assert isinstance(policy, float)
        instead = dialect.nan() if policy != policy else dialect.number(policy)
    return f"CASE WHEN {value.nothing} THEN {instead} ELSE {value.value} END"


def _conditions(sums: Sums) -> list[str]:
    """Return conditions on rows; some of them end the query if they are violated."""
    dialect, convention = sums.dialect, sums.convention
    # Some dialects have no boolean values.
    fails = dialect.fail("f.fault", "INTEGER")
    conditions = [f"CASE WHEN f.fault IS NULL THEN 1 ELSE {fails} END = 1"]
    if convention.missing == "skip":
        conditions.append("q.query_id IN (SELECT query_id FROM listed)")
    if convention.single == "error":
        said = ": the ranking has only one document (single=error)"
        message = _about_query(dialect, said)
        single = f"{sums.returned()} = {dialect.number(1)}"
        conditions.append(
            f"CASE WHEN {single} THEN {dialect.fail(message, 'INTEGER')} ELSE 1 END = 1"
        )
    return conditions


def _about_query(dialect: Dialect, said: str) -> str:
    query = dialect.shown("q.query_id")
    return f"{dialect.literal('query ')} || {query} || {dialect.literal(said)}"


# --- the text -----------------------------------------------------------------------------------


def _tied() -> tuple[str, str]:
    return (
        "tied",
        f"SELECT query_id, {_sum_of('tie_size > 1')} AS tied FROM returned GROUP BY query_id",
    )


def _repeated() -> tuple[str, str]:
    counted = "COUNT(*) - COUNT(DISTINCT doc_id) AS duplicates"
    return "repeated", f"SELECT query_id, {counted} FROM listed GROUP BY query_id"


def _text(
    measures: tuple[Measure, ...],
    tables: Tables,
    sums: Sums,
    steps: list[tuple[str, str]],
    columns: list[tuple[str, str]],
    conditions: list[str],
) -> str:
    dialect, convention = sums.dialect, sums.convention
    names = ", ".join(map(repr, measures))
    about = [
        f'{names} of "{tables.run}" against "{tables.qrels}", one row per query;'
        f" for {dialect.title}.",
        str(convention),
    ]
    comments = [line for text in about for line in comment(text)]
    lines: list[str] = []
    for index, (name, step) in enumerate(steps):
        lines.append(f"{'WITH ' if index == 0 else ''}{name} AS (")
        # Each fault has its own line; a table name may contain a line break.
        for part in step.split("\n") if name == "faults" else [step]:
            lines += filled(part.strip(), dialect, "  ")
        lines.append(")," if index < len(steps) - 1 else ")")
    lines.append("SELECT")
    last = len(columns) - 1
    for index, (name, expression) in enumerate(columns):
        column = f"{expression} AS {dialect.quote(name)}{',' if index < last else ''}"
        lines += filled(column, dialect, "  ")
    lines.append("FROM queries q CROSS JOIN faults f")
    joined = [("measured", "m"), ("pool", "p"), *((name, name) for name in sums.ideals())]
    if convention.unjudged == "condense":
        joined.append(("tied", "t"))
    if convention.duplicates != "error":
        joined.append(("repeated", "d"))
    lines += [
        f"LEFT JOIN {name} {alias} ON {alias}.query_id = q.query_id"
        if name != alias
        else f"LEFT JOIN {name} ON {name}.query_id = q.query_id"
        for name, alias in joined
    ]
    for index, condition in enumerate(conditions):
        lines += filled(f"{'WHERE' if index == 0 else '  AND'} {condition}", dialect)
    lines.append("ORDER BY q.query_id ASC")
    return "\n".join(comments) + "\n" + dialect.written("\n".join(lines) + "\n")
