//! TSV and CSV, with and without a header.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests, too

use gainful_core::convention::Duplicates;
use gainful_core::error::{Error, Kind};
use gainful_core::formats::{Format, Loaded, Request, read_bytes};
use gainful_core::read::trec::TableKind::{self, Qrels, Run};

fn read_with(
    text: &str,
    format: Format,
    table: TableKind,
    change: impl FnOnce(&mut Request),
) -> Result<Loaded, Box<Error>> {
    let mut request = Request::new(Vec::new(), table);
    request.format = Some(format);
    change(&mut request);
    read_bytes(text.as_bytes(), "table", &request)
}

fn read(text: &str, format: Format, table: TableKind) -> Result<Loaded, Box<Error>> {
    read_with(text, format, table, |_| ())
}

/// (query, document, value) in order.
fn rows(loaded: &Loaded) -> Vec<(String, String, f64)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    loaded
        .rows
        .iter()
        .flat_map(|query| {
            (0..query.documents.len())
                .map(|row| (text(query.id), text(query.document(row)), query.values[row]))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn row(query: &str, document: &str, value: f64) -> (String, String, f64) {
    (query.to_owned(), document.to_owned(), value)
}

#[test]
fn columns_by_name_in_any_order_and_case() {
    for header in [
        "grade\tquery_id\tother\tdoc_id",
        "Relevance\tQuery-ID\tx\tDoc ID",
        "label\tqid\ttitle\tdocno",
        "score\tquery-id\tx\tcorpus-id",
        "rating\tquery\tx\tpid",
    ] {
        let loaded = read(&format!("{header}\n2\tq 1\tx\td1\n0\tq 1\t\td2\n"), Format::Tsv, Qrels).unwrap();
        assert_eq!(rows(&loaded), [row("q 1", "d1", 2.0), row("q 1", "d2", 0.0)], "{header}");
    }
}

#[test]
fn preferred_column_names_come_first() {
    let text = "query,query_id,product_id,rating\nrunning shoes,17,B01,3\n";
    assert_eq!(rows(&read(text, Format::Csv, Qrels).unwrap()), [row("17", "B01", 3.0)]);
    let text = "query_id,doc_id,grade,score\n17,B01,3,0.5\n";
    assert_eq!(rows(&read(text, Format::Csv, Qrels).unwrap()), [row("17", "B01", 3.0)]);
    assert_eq!(rows(&read(text, Format::Csv, Run).unwrap()), [row("17", "B01", 0.5)]);
}

#[test]
fn without_a_header_the_number_of_columns_decides() {
    let one = |text, table| rows(&read(text, Format::Tsv, table).unwrap());
    assert_eq!(one("q\td\n", Qrels), [row("q", "d", 1.0)]);
    assert_eq!(one("q\td\t2\n", Qrels), [row("q", "d", 2.0)]);
    assert_eq!(one("q\t0\td\t2\n", Qrels), [row("q", "d", 2.0)]);
    assert_eq!(one("q\td\t.5\n", Run), [row("q", "d", 0.5)]);
    assert_eq!(one("q\tQ0\td\t1\t.5\ttag\n", Run), [row("q", "d", 0.5)]);
    for (text, table) in [("q\n", Qrels), ("q\t0\td\t1\tx\n", Qrels), ("q\tQ0\td\t1\n", Run), ("q\n", Run)] {
        let error = read(text, Format::Tsv, table).unwrap_err();
        assert_eq!((error.kind, error.line), (Kind::Format, Some(1)), "{text:?}");
    }
}

#[test]
fn two_columns_of_a_run_are_an_order() {
    let loaded = read("q,b\nq,a\n", Format::Csv, Run).unwrap();
    assert!(!loaded.scored);
    assert_eq!(loaded.rows.query(0).document(0), b"b");
    assert!(loaded.rows.values()[0].is_nan());
}

#[test]
fn ranks_alone_order_the_rows() {
    let loaded = read("qid\tpid\trank\nq\tb\t2\nr\tx\t1\nq\ta\t1\nq\tc\t10\n", Format::Tsv, Run).unwrap();
    assert!(!loaded.scored);
    let query = loaded.rows.query(loaded.rows.find(b"q").unwrap());
    let documents: Vec<&[u8]> = (0..3).map(|row| query.document(row)).collect();
    assert_eq!(documents, [b"a", b"b", b"c"]);
    assert_eq!(query.ranks, [1.0, 2.0, 10.0]);
    // Ranks that are no order.
    let error = read("qid\tpid\trank\nq\tb\t2\nr\tb\t2\nq\ta\t2\n", Format::Tsv, Run).unwrap_err();
    assert_eq!((error.kind, error.file.as_deref(), error.line), (Kind::Format, Some("table"), Some(4)));
    // MS MARCO's runs: what the third column is has to be said.
    let msmarco = "1\td7\t1\n1\td3\t2\n";
    assert!(read(msmarco, Format::Tsv, Run).unwrap().scored);
    let columns = ["query_id", "doc_id", "rank"].map(str::to_owned).to_vec();
    let loaded = read_with(msmarco, Format::Tsv, Run, |request| request.columns = columns).unwrap();
    assert!(!loaded.scored);
    assert_eq!(loaded.rows.query(0).document(0), b"d7");
}

#[test]
fn ranks_of_scored_runs_are_kept() {
    let loaded = read("query_id,doc_id,rank,score\nq,a,2,.5\nq,b,x,.7\n", Format::Csv, Run).unwrap();
    assert!(loaded.scored && loaded.rows.has_ranks());
    assert_eq!(loaded.rows.query(0).ranks[0], 2.0);
    assert!(loaded.rows.query(0).ranks[1].is_nan());
}

#[test]
fn the_header_can_be_stated() {
    // A query called "query" that judges a document called "doc".
    let text = "query\tdoc\t1\n";
    assert_eq!(read(text, Format::Tsv, Qrels).unwrap_err().kind, Kind::Column);
    let loaded = read_with(text, Format::Tsv, Qrels, |request| request.header = Some(false)).unwrap();
    assert_eq!(rows(&loaded), [row("query", "doc", 1.0)]);
    let error =
        read_with("a,b,c\nq,d,1\n", Format::Csv, Qrels, |request| request.header = Some(true)).unwrap_err();
    assert_eq!(error.kind, Kind::Column);
    let columns = ["document", "-", "query", "grade"].map(str::to_owned).to_vec();
    let text = "first,line,is,skipped\nd,x,q,2\n";
    let loaded = read_with(text, Format::Csv, Qrels, |request| {
        (request.header, request.columns) = (Some(true), columns);
    });
    assert_eq!(rows(&loaded.unwrap()), [row("q", "d", 2.0)]);
}

#[test]
fn csv_quotes_and_tsv_does_not() {
    let text = "query_id,doc_id,grade\n\"shoes, \"\"running\"\"\",\"a\nb\",1\r\nq,d,2";
    let loaded = read(text, Format::Csv, Qrels).unwrap();
    assert_eq!(rows(&loaded), [row("shoes, \"running\"", "a\nb", 1.0), row("q", "d", 2.0)]);
    let loaded = read("\"q\td\"\t1\n", Format::Tsv, Qrels).unwrap();
    assert_eq!(rows(&loaded), [row("\"q", "d\"", 1.0)]);
}

#[test]
fn blank_lines_and_comments_are_skipped() {
    let text = "\n\r\nq\td\t1\r\n\n  \nq\te\tx\n";
    let error = read(text, Format::Tsv, Qrels).unwrap_err();
    assert_eq!((error.line, error.found.as_str()), (Some(6), "grade 'x' is not a number"));
    let text = "# comment\nq\td\t1\n";
    assert!(read(text, Format::Tsv, Qrels).is_err());
    let loaded = read_with(text, Format::Tsv, Qrels, |request| request.comments = true).unwrap();
    assert_eq!(loaded.rows.len(), 1);
}

#[test]
fn missing_columns_are_named() {
    let text = "query_id,foo,bar\nq,d,1\n";
    let error = read(text, Format::Csv, Qrels).unwrap_err();
    assert_eq!((error.kind, error.line), (Kind::Column, Some(1)));
    assert_eq!(error.found, "columns 'query_id', 'foo', 'bar'");
    assert!(error.expected.contains("doc_id"), "{error}");
    // Judgments in the place of a run would become a ranking without scores.
    let error = read("query_id,doc_id,grade\nq,d,1\n", Format::Csv, Run).unwrap_err();
    assert_eq!(error.kind, Kind::Column);
    assert!(error.expected.contains("score"), "{error}");
    let error = read("query-id,doc_id,query_id,doc_id,grade\n", Format::Csv, Qrels).unwrap_err();
    assert_eq!(error.kind, Kind::Column);
}

#[test]
fn errors_name_the_line() {
    for (text, table, line) in [
        ("q\td\t1\nq\te\n", Qrels, 2),
        ("q\td\t1\nq\te\t1\t2\n", Qrels, 2),
        ("q\td\t1\nq\te\thigh\n", Qrels, 2),
        ("q\td\t1\nq\te\t\n", Qrels, 2),
        ("q\td\t1\nq\te\t1e300\n", Qrels, 2),
        ("q\td\t1\nq\te\tnan\n", Run, 2),
        ("q\td\t1\nq\te\tinf\n", Run, 2),
        ("q\td\t1\n\te\t1\n", Run, 2),
        ("q\td\t1\nq\t\t1\n", Run, 2),
        ("q\td\t1\n\nq\te\0\t1\n", Run, 3),
        ("qid\tdocid\trank\nq\td\tfirst\n", Run, 2),
        ("qid\tdocid\trank\nq\td\tnan\n", Run, 2),
    ] {
        let error = read(text, Format::Tsv, table).unwrap_err();
        assert_eq!(
            (error.kind, error.file.as_deref(), error.line),
            (Kind::Format, Some("table"), Some(line)),
            "{text:?}: {error}"
        );
    }
    let error = read("a,\"b\nc\",1\na,\"b\nc\",1\n", Format::Csv, Qrels).unwrap_err();
    assert_eq!((error.kind, error.line), (Kind::Duplicate, Some(3)));
    assert_eq!(error.document.as_deref(), Some(&b"b\nc"[..]));
}

#[test]
fn empty_files_are_refused() {
    assert_eq!(read("", Format::Csv, Qrels).unwrap_err().found, "the file is empty");
    let error = read("query_id,doc_id,grade\n", Format::Csv, Qrels).unwrap_err();
    assert_eq!((error.kind, error.found.as_str()), (Kind::Format, "the file has no rows"));
}

#[test]
fn long_lines_and_many_fields_end() {
    let long = format!("q\td\t1\nq\t{}\t1\n", "x".repeat(3 << 20));
    let error = read(&long, Format::Tsv, Qrels).unwrap_err();
    assert_eq!((error.line, error.found.as_str()), (Some(2), "the line is longer than 1 MiB"));
    let open = format!("q,d,1\nq,\"{}", "x,\n".repeat(1 << 20));
    assert_eq!(read(&open, Format::Csv, Qrels).unwrap_err().line, Some(2));
    let wide = ",".repeat(900_000);
    assert!(read(&wide, Format::Csv, Qrels).is_err());
}

#[test]
fn duplicates_as_the_policy_says() {
    let text = "qid\tpid\trank\nq\ta\t3\nq\tb\t2\nq\ta\t1\n";
    let kept = |duplicates| {
        let loaded = read_with(text, Format::Tsv, Run, |request| request.duplicates = duplicates).unwrap();
        let query = loaded.rows.query(0);
        (0..query.documents.len())
            .map(|row| String::from_utf8_lossy(query.document(row)).into_owned())
            .collect::<String>()
    };
    // Of a ranking, the first is the one that stands highest.
    assert_eq!(kept(Duplicates::First), "ab");
    assert_eq!(kept(Duplicates::Last), "ba");
    assert_eq!(kept(Duplicates::Best), "ab");
    assert_eq!(kept(Duplicates::Count), "aba");
}
