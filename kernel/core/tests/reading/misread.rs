//! Ratings with timestamps, semicolons and decimal commas are refused; judgments are not.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests, too

use gainful_core::formats::{Request, read_bytes};
use gainful_core::read::trec::{Dialect, LabelFields, TableKind};

fn request(table: TableKind) -> Request {
    Request::new(Vec::new(), table)
}

fn refused(text: &str, request: &Request) -> String {
    let error = read_bytes(text.as_bytes(), "file", request).map(|_| ()).unwrap_err();
    format!("{} {} {}", error.found, error.expected, error.hint)
}

const RATINGS: &str = "1,31,2,1260759144\n1,1029,3,1260759179\n2,10,4,835355493\n2,17,5,835355681\n";

#[test]
fn ratings_with_timestamps() {
    for separator in [",", "\t", " "] {
        let text = RATINGS.replace(',', separator);
        let said = refused(&text, &request(TableKind::Qrels));
        assert!(said.starts_with("the fourth column has timestamps (835355493 to 1260759179)"), "{said}");
        assert!(
            said.contains("the third 4 values (2 to 5), not documents") && said.contains("query,doc,grade,-"),
            "{said}"
        );
        // Milliseconds, and a single line.
        let text = text.replace('\n', "000\n");
        assert!(refused(&text, &request(TableKind::Qrels)).contains("timestamps"));
        let first = text.lines().next().unwrap();
        assert!(refused(first, &request(TableKind::Qrels)).contains("timestamps"));
    }
    let said = refused("1,31,1260759144\n1,1029,1260759179\n", &request(TableKind::Qrels));
    assert!(said.contains("third column") && said.contains("query,doc,-"), "{said}");
}

#[test]
fn ratings_are_read_with_named_columns() {
    let named = |columns: &str, text: &str| {
        let columns = columns.split(',').map(str::to_owned).collect();
        read_bytes(text.as_bytes(), "file", &Request { columns, ..request(TableKind::Qrels) }).unwrap().rows
    };
    for separator in [",", "\t", "  \t"] {
        let rows = named("query,doc,grade,-", &RATINGS.replace(',', separator));
        assert_eq!(rows.queries(), 2);
        assert_eq!(rows.len(), 4);
    }
    assert_eq!(named("query,doc,-", "1,31,1260759144\n1,1029,1260759179\n").len(), 2);
}

#[test]
fn a_header_is_read_by_the_names_given() {
    let named = vec![("doc_id".to_owned(), "film".to_owned()), ("grade".to_owned(), "stars".to_owned())];
    let request = Request { named, ..request(TableKind::Qrels) };
    for separator in [",", "\t", " "] {
        let text = "when,stars,film,user,label\n7,2,a,u1,x\n8,3,b,u1,y\n".replace(',', separator);
        let rows = read_bytes(text.as_bytes(), "file", &request).unwrap().rows;
        assert_eq!((rows.queries(), rows.len()), (1, 2));
    }
    let said = refused("user,movie,rating\n1,2,3\n", &request);
    assert!(said.starts_with("columns 'user', 'movie', 'rating' a column 'film'"), "{said}");
    let said = refused("user,film,film,stars\n1,2,3,4\n", &request);
    assert!(said.starts_with("several columns are named 'film'"), "{said}");
    let said = refused("{\"q\": {\"d\": 1}}", &request);
    assert!(said.starts_with("rankings by query have no fields to name"), "{said}");
}

#[test]
fn judgments_are_not_refused() {
    for text in [
        // Iterations, ids that look like ratings, and large grades.
        "1 0 5 978300760\n1 0 4 978300761\n",
        "1 0 5 978300760\n",
        "1 Q0 5 978300760",
        // Documents that are no ratings.
        "1 31 d2 1260759144\n1 29 d3 1260759179\n",
        "1 31 1020 1260759144\n1 29 1030 1260759179\n",
        // Subtopics.
        "1 1 5 1\n1 2 4 2\n2 3 3 0\n",
        "1\t1\t5\t1\n1\t2\t4\t2\n2\t3\t3\t0\n",
        "1,1,5,1\n1,2,4,2\n2,3,3,0\n",
        "query,iteration,doc,grade\n1,1,5,978300760\n1,2,4,978300761\n",
        "1,2,3\n1,4,4\n",
        // Semicolons and commas in ids.
        "a;b,c;d,1\n",
        "a;b,c;d\ne;f,g;h\n",
        "\"1;2\",\"3;x\",4\n",
    ] {
        read_bytes(text.as_bytes(), "file", &request(TableKind::Qrels))
            .unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let labelled = Request { labels: LabelFields::One, ..request(TableKind::Qrels) };
    read_bytes(b"1,1,5,1\n1,2,5,2\n", "file", &labelled).unwrap();
    let strict = Request { dialect: Dialect::TrecEval, ..request(TableKind::Qrels) };
    read_bytes(b"1 31 2 1260759144\n1 29 3 1260759179\n", "file", &strict).unwrap();
}

#[test]
fn decimal_commas_are_named() {
    for (text, table) in [
        ("q1 0 d1 0,5\n", TableKind::Qrels),
        ("q1\td1\t0,5\n", TableKind::Qrels),
        ("query,doc,grade\nq1,d1,\"0,5\"\n", TableKind::Qrels),
        ("query,doc,grade\nq1,d1,0,5\n", TableKind::Qrels),
        ("{\"q1\": {\"d1\": \"0,5\"}}", TableKind::Qrels),
        ("q1,5,1,5\nq1,6,1,25\n", TableKind::Qrels),
        ("q1 Q0 d1 1 -12,25 R\n", TableKind::Run),
        ("q1\td1\t+0,5\n", TableKind::Run),
        ("q1,d1,0,5\n", TableKind::Run),
        ("q1;d1;0,5\n", TableKind::Run),
    ] {
        let said = refused(text, &request(table));
        assert!(said.contains("decimal comma") && said.contains("decimal point"), "{text}: {said}");
    }
}

#[test]
fn other_separators_are_refused() {
    let said = refused("1::2::3::4\n", &request(TableKind::Qrels));
    assert!(said.contains("separated by '::'"), "{said}");
    let said = refused("q1\tQ0\td1\t1\t2.5\tR\n", &request(TableKind::Qrels));
    assert!(said.contains("this looks like a run"), "{said}");
    let said = refused("q1\t0\td1\t1\n", &request(TableKind::Run));
    assert!(said.contains("this looks like judgments"), "{said}");
}

#[test]
fn semicolons_separate_fields() {
    let named = |columns: &[&str], table| Request {
        columns: columns.iter().map(|&name| name.to_owned()).collect(),
        ..request(table)
    };
    for (text, request) in [
        ("query;doc;grade\nq, 1;\"d;1\";2\n", request(TableKind::Qrels)),
        ("\"query\";\"doc, id\";doc;grade\nq, 1;x;\"d;1\";2\n", request(TableKind::Qrels)),
        ("\"q, 1\";\"d;1\";2\n", named(&["query", "doc", "grade"], TableKind::Qrels)),
        (
            "a;b;c\nq, 1;\"d;1\";2\n",
            Request { header: Some(true), ..named(&["query", "doc", "grade"], TableKind::Qrels) },
        ),
        ("price;query;doc;score\n1,50;q, 1;\"d;1\";2\n", request(TableKind::Run)),
    ] {
        for name in ["file", "file.csv", "file.txt"] {
            let read = read_bytes(text.as_bytes(), name, &request).unwrap();
            let query = read.rows.query(0);
            assert_eq!((query.id, query.document(0), query.values[0]), (&b"q, 1"[..], &b"d;1"[..], 2.0));
        }
    }
    for text in ["1;2;3\n", "a;b;1\nc;\"d\";2\n"] {
        assert_eq!(
            read_bytes(text.as_bytes(), "file", &request(TableKind::Qrels)).unwrap().rows.len(),
            text.lines().count()
        );
    }
    for text in ["q;1,d;1,3\n", "q;1,d1,3\nq2,d1,3\n"] {
        let read = read_bytes(text.as_bytes(), "file.csv", &request(TableKind::Qrels)).unwrap();
        assert!(read.rows.query(0).id.starts_with(b"q;1"));
    }
    for text in ["q1;d1;0,5\n", "query;doc;score\nq1;d1;0,5\n", "query;doc;score\nq1;d1;1,000\n"] {
        let said = refused(text, &request(TableKind::Run));
        assert!(said.contains("decimal comma"), "{said}");
    }
}

#[test]
fn headers_found_and_accepted_are_listed() {
    let said = refused("userId,film,rating\n1,2,3\n", &request(TableKind::Qrels));
    assert!(said.contains("columns 'userId', 'film', 'rating'") && said.contains("passage_id"), "{said}");
    let read = read_bytes(b"userId,movieId,rating\n1,2,3\n", "file", &request(TableKind::Qrels)).unwrap();
    assert_eq!(read.rows.len(), 1);
}
