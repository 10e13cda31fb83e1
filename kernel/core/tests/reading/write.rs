//! Writers: what they write reads back, and what they cannot carry they refuse.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests, too

use gainful_core::error::{Error, Kind};
use gainful_core::formats::ids::{IdMap, replace};
use gainful_core::formats::{Format, Loaded, Request, open_output, read_bytes, write};
use gainful_core::parallel::Progress;
use gainful_core::read::source::Source;
use gainful_core::read::trec::TableKind::{self, Qrels, Run};
use gainful_core::rows::{Rows, RowsBuilder};

const HINT: &str = "⟪convert()=--ids map.tsv⟫ replaces ids";

fn rows(list: &[(&[u8], &[u8], f64)]) -> Rows {
    let mut builder = RowsBuilder::new(false);
    for (query, document, value) in list {
        builder.push(query, document, *value, f64::NAN, 0);
    }
    builder.build()
}

fn written(rows: &Rows, scored: bool, table: TableKind, format: Format) -> Result<Vec<u8>, Box<Error>> {
    let mut out = Vec::new();
    write(rows, scored, table, format, "mine", &mut out, &Progress::default())?;
    Ok(out)
}

fn text(rows: &Rows, scored: bool, table: TableKind, format: Format) -> String {
    String::from_utf8(written(rows, scored, table, format).unwrap()).unwrap()
}

fn back(bytes: &[u8], table: TableKind, format: Option<Format>) -> Loaded {
    let mut request = Request::new(Vec::new(), table);
    request.format = format;
    read_bytes(bytes, "written", &request).unwrap_or_else(|error| panic!("{error}"))
}

/// Queries with their documents and the bits of their values.
type Content = Vec<(Vec<u8>, Vec<(Vec<u8>, u64)>)>;

fn content(rows: &Rows) -> Content {
    rows.iter()
        .map(|query| {
            let documents = (0..query.documents.len())
                .map(|row| (query.document(row).to_vec(), query.values[row].to_bits()))
                .collect();
            (query.id.to_vec(), documents)
        })
        .collect()
}

fn judgments() -> Rows {
    rows(&[
        (b"2", b"d1", 1.0),
        (b"2", "日本".as_bytes(), 0.0),
        (b"10", b"d,\"1\"", -2.0),
        (b"10", b"{", 0.1),
        (b"#x".get(1..).unwrap(), b"#d", 3.0),
    ])
}

fn run() -> Rows {
    // In rank order already: by score, then by document id, descending.
    rows(&[
        (b"2", b"b", 1e300),
        (b"2", b"c", 0.1 + 0.2),
        (b"2", b"a", 0.1 + 0.2),
        (b"2", b"'z'", -5e-324),
        (b"q\"1", b"x\\y", 17.0),
    ])
}

#[test]
fn judgments_survive_every_pair_of_formats() {
    let formats =
        [Format::Trec, Format::Tsv, Format::Csv, Format::Json, Format::Jsonl, Format::Beir, Format::Svmlight];
    let original = judgments();
    for first in formats {
        let once = back(&written(&original, true, Qrels, first).unwrap(), Qrels, Some(first));
        assert_eq!(content(&once.rows), content(&original), "{first:?}");
        for second in formats {
            let bytes = written(&once.rows, true, Qrels, second).unwrap();
            assert_eq!(content(&back(&bytes, Qrels, Some(second)).rows), content(&original));
            // What we write is recognised.
            assert_eq!(content(&back(&bytes, Qrels, None).rows), content(&original), "{second:?}");
        }
    }
}

#[test]
fn runs_survive_every_pair_of_formats() {
    let formats = [Format::Trec, Format::Tsv, Format::Csv, Format::Json, Format::Jsonl];
    let original = run();
    for first in formats {
        let once = back(&written(&original, true, Run, first).unwrap(), Run, Some(first));
        assert_eq!((content(&once.rows), once.scored), (content(&original), true), "{first:?}");
        for second in formats {
            let bytes = written(&once.rows, true, Run, second).unwrap();
            assert_eq!(content(&back(&bytes, Run, Some(second)).rows), content(&original));
            assert_eq!(content(&back(&bytes, Run, None).rows), content(&original), "{second:?}");
        }
    }
}

#[test]
fn orders_survive_every_pair_of_formats() {
    let formats = [Format::Tsv, Format::Csv, Format::Json, Format::Jsonl];
    let original = rows(&[(b"q", b"b", f64::NAN), (b"q", b"a", f64::NAN), (b"r", b"c", f64::NAN)]);
    let ids = |rows: &Rows| -> Vec<Vec<u8>> {
        content(rows).into_iter().flat_map(|(_, documents)| documents).map(|(id, _)| id).collect()
    };
    for first in formats {
        let once = back(&written(&original, false, Run, first).unwrap(), Run, Some(first));
        assert_eq!((ids(&once.rows), once.scored), (ids(&original), false), "{first:?}");
        for second in formats {
            let twice = back(&written(&once.rows, false, Run, second).unwrap(), Run, None);
            assert_eq!((ids(&twice.rows), twice.scored), (ids(&original), false), "{second:?}");
        }
        assert_eq!(
            text(&once.rows, false, Run, Format::Trec),
            "q Q0 b 1 2 mine\nq Q0 a 2 1 mine\nr Q0 c 1 1 mine\n"
        );
    }
}

#[test]
fn runs_are_written_in_the_order_of_rows_with_ranks_by_score() {
    let run = rows(&[
        (b"q", b"a", 1.0),
        (b"q", b"c", 2.5),
        (b"q", b"b", 1.0),
        (b"q", b"e", 0.0),
        (b"q", b"d", -0.0),
        (b"q", b"f", -1.0),
    ]);
    assert_eq!(
        text(&run, true, Run, Format::Trec),
        "q Q0 a 2 1 mine\nq Q0 c 1 2.5 mine\nq Q0 b 3 1 mine\nq Q0 e 4 0 mine\nq Q0 d 5 -0 mine\nq Q0 f 6 -1 mine\n"
    );
    assert_eq!(text(&run, true, Run, Format::Csv).lines().next(), Some("query_id,doc_id,rank,score"));
    assert_eq!(
        text(&run, true, Run, Format::Jsonl).lines().next(),
        Some(r#"{"query_id": "q", "doc_id": "a", "rank": 2, "score": 1}"#)
    );
}

#[test]
fn scores_of_an_order_differ_as_32_bit_floats() {
    let limit = 1u32 << 24;
    for number in [1, 2, limit - 2, limit - 1] {
        assert!((number as f32) < (number + 1) as f32, "{number}");
    }
    assert_eq!(limit as f32, (limit + 1) as f32);
}

#[test]
fn layouts() {
    let qrels = rows(&[(b"q", b"a", 1.0), (b"q", b"b", 0.5), (b"r", b"a", 2.0)]);
    assert_eq!(
        text(&qrels, true, Qrels, Format::Json),
        "{\n\"q\": {\"a\": 1, \"b\": 0.5},\n\"r\": {\"a\": 2}\n}\n"
    );
    assert_eq!(
        text(&qrels, true, Qrels, Format::Beir),
        "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t0.5\nr\ta\t2\n"
    );
    assert_eq!(
        text(&qrels, true, Qrels, Format::Svmlight),
        "1 qid:q # docid = a\n0.5 qid:q # docid = b\n2 qid:r # docid = a\n"
    );
    assert_eq!(text(&qrels, false, Run, Format::Json), "{\n\"q\": [\"a\", \"b\"],\n\"r\": [\"a\"]\n}\n");
    assert_eq!(text(&qrels, true, Qrels, Format::Trec), "q 0 a 1\nq 0 b 0.5\nr 0 a 2\n");
}

#[test]
fn ids_that_a_format_cannot_carry() {
    for (format, query, document) in [
        (Format::Trec, &b"running shoes"[..], &b"d"[..]),
        (Format::Trec, b"q", b"a b"),
        (Format::Trec, b"q", b"a\x0bb"),
        (Format::Trec, b"#q", b"d"),
        (Format::Trec, b"\xef\xbb\xbfq", b"d"),
        (Format::Trec, b"", b"d"),
        (Format::Tsv, b"q", b"a\tb"),
        (Format::Tsv, b"q\n", b"a"),
        (Format::Beir, b"q", b"a\rb"),
        (Format::Csv, b"q", b"a\0b"),
        (Format::Json, b"q\xff", b"a"),
        (Format::Jsonl, b"q", b"\xc3"),
        (Format::Svmlight, b"q 1", b"a"),
        (Format::Svmlight, b"q", b"a b"),
        (Format::Svmlight, b"q#1", b"a"),
    ] {
        let rows = rows(&[(b"fine", b"fine", 1.0), (query, document, 1.0)]);
        let mut out = Vec::new();
        let error = write(&rows, true, Qrels, format, "t", &mut out, &Progress::default()).unwrap_err();
        assert_eq!(error.kind, Kind::Format, "{format:?} {query:?}");
        assert!(error.hint.ends_with(HINT), "{format:?} {query:?}");
        assert_eq!(error.query.as_deref(), Some(query));
        assert!(out.is_empty(), "{format:?} wrote before it refused");
    }
    // What is fine: bytes that are no UTF-8 in text, line ends in CSV.
    for (format, document) in
        [(Format::Trec, &b"a\xff"[..]), (Format::Tsv, b"a \xff"), (Format::Csv, b"a\n,\"\xff")]
    {
        let rows = rows(&[(b"q", document, 1.0)]);
        let bytes = written(&rows, true, Qrels, format).unwrap();
        assert_eq!(content(&back(&bytes, Qrels, Some(format)).rows), content(&rows));
    }
}

#[test]
fn queries_without_documents() {
    let mut builder = RowsBuilder::new(false);
    builder.push(b"q", b"d", 1.0, f64::NAN, 0);
    builder.query(b"empty");
    let rows = builder.build();
    for scored in [true, false] {
        for format in [Format::Tsv, Format::Csv, Format::Json, Format::Jsonl] {
            let bytes = written(&rows, scored, Run, format).unwrap();
            let back = back(&bytes, Run, Some(format));
            assert_eq!((back.rows.queries(), back.scored), (2, scored), "{format:?}");
            assert_eq!(back.rows.query(back.rows.find(b"empty").unwrap()).documents.len(), 0);
        }
        // TREC text has no line for it.
        assert_eq!(text(&rows, scored, Run, Format::Trec), "q Q0 d 1 1 mine\n");
    }
    // A query with judgments of nothing is more likely a mistake than a run that found nothing.
    let error = written(&rows, true, Qrels, Format::Tsv).unwrap_err();
    assert_eq!(error.query.as_deref(), Some(&b"empty"[..]));
}

#[test]
fn rows_of_empty_cells_are_queries_without_documents() {
    let read = |text: &str| back(text.as_bytes(), Run, Some(Format::Tsv)).rows;
    let found = read("query_id\tdoc_id\trank\tscore\nfirst\t\t\t\nq\td\t1\t0.5\nlast\t\t \t\n");
    let sizes: Vec<_> = found.iter().map(|query| (query.id.to_vec(), query.documents.len())).collect();
    assert_eq!(sizes, [(b"first".to_vec(), 0), (b"q".to_vec(), 1), (b"last".to_vec(), 0)]);
    // A query may have such a row, and documents.
    assert_eq!(read("qid\tdocid\tscore\nq\t\t\nq\td\t1\n").query(0).documents.len(), 1);
    // Half a row is damaged, and so is one in a table without names for its columns.
    for text in ["qid\tdocid\tscore\nq\t\t1\n", "qid\tdocid\tscore\nq\td\t\n", "q\td\t2\np\t\t\n"] {
        let mut request = Request::new(Vec::new(), Run);
        request.format = Some(Format::Tsv);
        assert!(read_bytes(text.as_bytes(), "run", &request).is_err(), "{text:?}");
    }
    let mut request = Request::new(Vec::new(), Qrels);
    request.format = Some(Format::Tsv);
    assert!(read_bytes(b"qid\tdocid\tgrade\nq\t\t\n", "qrels", &request).is_err());
}

#[test]
fn unsupported_tables_and_tags_are_refused() {
    let run = run();
    for format in [Format::Beir, Format::Svmlight, Format::Scores] {
        assert_eq!(written(&run, true, Run, format).unwrap_err().kind, Kind::Parameter);
    }
    for tag in ["", "two words", "tab\t"] {
        let mut out = Vec::new();
        assert_eq!(
            write(&run, true, Run, Format::Trec, tag, &mut out, &Progress::default()).unwrap_err().kind,
            Kind::Parameter
        );
    }
    let twice = rows(&[(b"q", b"d", 1.0), (b"q", b"d", 2.0)]);
    assert_eq!(written(&twice, true, Run, Format::Json).unwrap_err().kind, Kind::Duplicate);
    assert!(written(&twice, true, Run, Format::Trec).is_ok());
}

#[test]
fn numbers_stand_for_ids() {
    let original = rows(&[
        (b"running shoes", b"d 10", 1.0),
        (b"running shoes", b"d 9", 1.0),
        (b"a\tb", b"x\\n\n\r", 2.0),
        (b"a\tb", b"\xff", 2.0),
    ]);
    let (numbered, map) = replace(&original, &Progress::default()).unwrap();
    assert_eq!(text(&numbered, true, Qrels, Format::Trec), "2 0 1 1\n2 0 2 1\n1 0 3 2\n1 0 4 2\n");
    let many: Vec<(Vec<u8>, f64)> = (0..12).map(|number| (format!("{number}").into_bytes(), 1.0)).collect();
    let many: Vec<(&[u8], &[u8], f64)> =
        many.iter().map(|(id, value)| (&b"q"[..], &id[..], *value)).collect();
    let many = rows(&many);
    let (numbered, _) = replace(&many, &Progress::default()).unwrap();
    // The order of the numbers is that of the ids: ties fall as before.
    let order = |rows: &Rows| {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&row| rows.query(0).document(row).to_vec());
        order
    };
    assert_eq!(order(&numbered), order(&many));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.tsv");
    let progress = Progress::default();
    let mut output = open_output(&path, &progress).unwrap();
    map.write(&mut output).unwrap();
    output.finish().unwrap().place().unwrap();
    assert_eq!(IdMap::read(&Source::new(&path), &Progress::default()).unwrap(), map);
    assert_eq!(map.apply(&many, &Progress::default()).unwrap_err().kind, Kind::Match);
    for bad in [
        "",
        "kind\tnumber\tid\nquery\t2\ta\n",
        "kind\tnumber\tid\nquery\t1\ta\\x\n",
        "kind\tnumber\tid\nfoo\t1\ta\n",
    ] {
        std::fs::write(&path, bad).unwrap();
        assert_eq!(
            IdMap::read(&Source::new(&path), &Progress::default()).unwrap_err().kind,
            Kind::Format,
            "{bad:?}"
        );
    }
}
