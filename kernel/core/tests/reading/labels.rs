//! Judgments of TREC text whose rows stand under labels.

use gainful_core::error::Kind;
use gainful_core::formats::{Format, Loaded, Request, read_bytes};
use gainful_core::read::trec::{LabelFields, TableKind};

fn read(text: &str, labels: LabelFields) -> gainful_core::Result<Loaded> {
    let request =
        Request { labels, format: Some(Format::Trec), ..Request::new(Vec::new(), TableKind::Qrels) };
    read_bytes(text.as_bytes(), "qrels.txt", &request)
}

#[test]
fn one_field_is_the_label() {
    let text = "q1 1 d1 1\nq1 2 d1 0\nq2\t1   d1 3\r\n";
    let rows = read(text, LabelFields::One).unwrap().rows;
    assert_eq!(rows.query(0).label(1), Some(&b"2"[..]));
    assert_eq!(rows.query(1).label(0), Some(&b"1"[..]));
    assert_eq!(read(text, LabelFields::Ignored).unwrap_err().kind, Kind::Duplicate);
}

#[test]
fn two_fields_are_one_label() {
    let long = "x".repeat(200);
    let text = format!("q1 1 a d1 1.5\nq1 1\t b  d1 0\n  q1 1   b d2 -1 \nq2 1 {long} d1 3\n");
    let rows = read(&text, LabelFields::Two).unwrap().rows;
    let query = rows.query(0);
    let labels: Vec<_> = (0..3).map(|row| query.label(row).unwrap()).collect();
    assert_eq!(labels, [&b"1 a"[..], b"1 b", b"1 b"]);
    assert_eq!(query.values, [1.5, 0.0, -1.0]);
    assert_eq!(rows.query(1).label(0), Some(format!("1 {long}").as_bytes()));
    let error = read("q1 1 d1 1\n", LabelFields::Two).unwrap_err();
    assert!(error.to_string().contains("5 fields (query, group, subgroup, document, level)"));
}
