//! JSON and JSON lines, in the layouts that tools write.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests, too

use gainful_core::convention::Duplicates;
use gainful_core::error::{Error, Kind};
use gainful_core::formats::{Format, Loaded, Request, read_bytes};
use gainful_core::read::trec::TableKind::{self, Qrels, Run};

fn read(text: &str, format: Format, table: TableKind) -> Result<Loaded, Box<Error>> {
    let mut request = Request::new(Vec::new(), table);
    request.format = Some(format);
    read_bytes(text.as_bytes(), "table.json", &request)
}

fn split(text: &str, split: &str) -> Result<Loaded, Box<Error>> {
    let mut request = Request::new(Vec::new(), Run);
    request.format = Some(Format::Json);
    request.split = Some(split.to_owned());
    read_bytes(text.as_bytes(), "table.json", &request)
}

/// `query/document=value`, in order.
fn shown(loaded: &Loaded) -> String {
    let mut lines = Vec::new();
    for query in loaded.rows.iter() {
        let id = String::from_utf8_lossy(query.id).into_owned();
        if query.documents.is_empty() {
            lines.push(format!("{id}/"));
        }
        for (row, value) in query.values.iter().enumerate() {
            lines.push(format!("{id}/{}={value}", String::from_utf8_lossy(query.document(row))));
        }
    }
    lines.join(" ")
}

#[test]
fn layouts_of_a_run() {
    let scored = "q1/a=0.5 q1/b=2 7/c=-1";
    for text in [
        r#"{"q1": {"a": 0.5, "b": 2}, "7": {"c": -1}}"#,
        r#"{"q1": [["a", 0.5], ["b", 2]], "7": [["c", "-1"]]}"#,
        r#"[["q1", [["a", 0.5], ["b", 2]]], [7, [["c", -1]]]]"#,
        r#"[["q1", {"a": 0.5, "b": 2}], [7, {"c": -1}]]"#,
        r#"[["q1", "a", 0.5], ["q1", "b", 2], [7, "c", -1]]"#,
        r#"[{"query_id": "q1", "doc_id": "a", "score": 0.5}, {"score": 2.0, "doc_id": "b", "query_id": "q1"},
            {"query_id": 7, "doc_id": "c", "score": "-1", "title": null}]"#,
        r#"{"q1": [{"id": "a", "score": 0.5}, {"id": "b", "score": 2, "text": "c"}], "7": {"c": -1}}"#,
        r#"[{"query_id": "q1", "results": [{"_id": "a", "_score": 0.5}, ["b", 2]]},
            {"results": {"c": -1}, "query_id": 7}]"#,
        r#"{"mteb_model_meta": {"model_name": "m", "x": [1, {"y": 2}]},
            "default": {"test": {"q1": {"a": 0.5, "b": 2}, "7": {"c": -1}}}}"#,
        r#"{"test": {"q1": {"a": 0.5, "b": 2}, "7": {"c": -1}}}"#,
    ] {
        let loaded = read(text, Format::Json, Run).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(shown(&loaded), scored, "{text}");
        assert!(loaded.scored);
    }
}

#[test]
fn layouts_without_scores() {
    for text in [
        r#"{"q1": ["b", "a"], "7": [12]}"#,
        r#"[["q1", ["b", "a"]], [7, [12]]]"#,
        r#"[{"query_id": "q1", "docs": ["b", "a"]}, {"query_id": 7, "docs": [12]}]"#,
        r#"[{"query_id": "q1", "doc_id": "b"}, {"query_id": "q1", "doc_id": "a"},
            {"query_id": 7, "doc_id": 12}]"#,
        r#"[{"query_id": "q1", "doc_id": "a", "rank": 2}, {"query_id": "q1", "doc_id": "b", "rank": 1},
            {"query_id": 7, "doc_id": 12, "rank": 1}]"#,
    ] {
        let loaded = read(text, Format::Json, Run).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(shown(&loaded), "q1/b=NaN q1/a=NaN 7/12=NaN", "{text}");
        assert!(!loaded.scored);
        // Judgments that list the relevant documents.
        if !text.contains("rank\"") {
            let loaded = read(text, Format::Json, Qrels).unwrap();
            assert_eq!(shown(&loaded), "q1/b=1 q1/a=1 7/12=1", "{text}");
        }
    }
}

#[test]
fn lines() {
    let text = "{\"query_id\": \"q\", \"doc_id\": 1, \"score\": 0.5}\n\n  \n\
                {\"query_id\": \"q\", \"doc_id\": 2, \"score\": 0.25}\r\n\
                {\"query_id\": \"r\", \"results\": []}\n[\"s\", {\"y\": 3}]";
    assert_eq!(shown(&read(text, Format::Jsonl, Run).unwrap()), "q/1=0.5 q/2=0.25 r/ s/y=3");
    let text = "{\"query-id\": \"1\", \"corpus-id\": \"d\", \"score\": 2}\n";
    assert_eq!(shown(&read(text, Format::Jsonl, Qrels).unwrap()), "1/d=2");
}

#[test]
fn layers() {
    let text =
        r#"{"en": {"dev": {"q": {"a": 1}}, "test": {"q": {"b": 2}}}, "de": {"test": {"q": {"c": 3}}}}"#;
    let error = read(text, Format::Json, Run).unwrap_err();
    assert_eq!(error.found, "the file has several tables, such as 'en/dev' and 'en/test'");
    assert_eq!(shown(&split(text, "dev").unwrap()), "q/a=1");
    assert_eq!(shown(&split(text, "de").unwrap()), "q/c=3");
    assert_eq!(shown(&split(text, "en/test").unwrap()), "q/b=2");
    assert!(split(text, "test").unwrap_err().found.contains("several tables"));
    assert_eq!(split(text, "train").unwrap_err().found, "only dev, test");
    assert_eq!(split(r#"{"q": {"a": 1}}"#, "test").unwrap_err().kind, Kind::Parameter);
    let mixed = r#"{"q": {"a": 1}, "test": {"q": {"a": 1}}}"#;
    assert!(read(mixed, Format::Json, Run).unwrap_err().found.contains("levels deep"));
    let lists = r#"{"test": {"q": ["a"], "r": []}}"#;
    assert_eq!(shown(&read(lists, Format::Json, Run).unwrap()), "q/a=NaN r/");
}

#[test]
fn queries_without_documents_stay() {
    assert_eq!(
        shown(&read(r#"{"a": {}, "b": {"d": 1}, "c": {}}"#, Format::Json, Run).unwrap()),
        "b/d=1 c/ a/"
    );
    assert_eq!(
        shown(&read(r#"{"a": [], "b": ["d"], "c": []}"#, Format::Json, Qrels).unwrap()),
        "a/ b/d=1 c/"
    );
    assert_eq!(shown(&read(r#"{"a": {}}"#, Format::Json, Run).unwrap()), "a/");
    let text = "{\"query_id\": \"a\", \"results\": []}\n{\"query_id\": \"b\", \"results\": [\"d\"]}\n";
    assert_eq!(shown(&read(text, Format::Jsonl, Run).unwrap()), "a/ b/d=NaN");
}

#[test]
fn exact_numbers() {
    let text = r#"{"q": {"a": 0.1, "b": 5e-324, "c": 1.7976931348623157e308, "d": 9007199254740993.0, "e": -0.0,
        "f": 0.30000000000000004, "g": 1.2345678901234568e29, "h": 2.2250738585072011e-308}}"#;
    let loaded = read(text, Format::Json, Run).unwrap();
    let expected: [f64; 8] = [
        0.1,
        5e-324,
        f64::MAX,
        9_007_199_254_740_992.0,
        -0.0,
        0.30000000000000004,
        1.234_567_890_123_456_8e29,
        f64::from_bits(0x000f_ffff_ffff_ffff), // the largest subnormal number
    ];
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(loaded.rows.values()), bits(&expected));
}

#[test]
fn duplicate_keys_are_duplicates() {
    let text = "{\"q\": {\"a\": 1,\n\"b\": 2,\n\"a\": 3}}";
    let error = read(text, Format::Json, Qrels).unwrap_err();
    assert_eq!((error.kind, error.line), (Kind::Duplicate, Some(3)));
    let mut request = Request::new(Vec::new(), Qrels);
    request.duplicates = Duplicates::Last;
    let loaded = read_bytes(text.as_bytes(), "x.json", &request).unwrap();
    assert_eq!(shown(&loaded), "q/b=2 q/a=3");
    let text = "{\"q\": {\"a\": 1},\n\"r\": {\"a\": 1},\n\"q\": {\"a\": 3}}";
    let error = read(text, Format::Json, Qrels).unwrap_err();
    assert_eq!((error.found.as_str(), error.line), ("duplicate key 'q'", Some(3)));
    let error = read("{\"query_id\": 1, \"doc_id\": 2, \"doc_id\": 3}", Format::Jsonl, Run).unwrap_err();
    assert_eq!((error.kind, error.line), (Kind::Format, Some(1)));
}

#[test]
fn errors_name_the_line() {
    for (text, table, line) in [
        ("{\"q\": {\"a\": 1,\n\"b\": NaN}}", Run, 2),
        ("{\"q\": {\"a\": 1,\n\"b\": Infinity}}", Run, 2),
        ("{\"q\": {\"a\": 1,\n\"b\": 1e999}}", Run, 2),
        ("{\"q\": {\"a\": 1,\n\"b\": null}}", Run, 2),
        ("{\"q\": {\"a\": 1,\n\"b\": true}}", Run, 2),
        ("{\"q\": {\"a\": 1,\n\"b\": \"high\"}}", Run, 2),
        ("{\"q\": {\"a\": 1,\n\"b\": 1e300}}", Qrels, 2),
        ("{\"q\": {\"a\": 1,\n\"\": 1}}", Qrels, 2),
        ("{\"q\": {\"a\": 1,\n\"b\\u0000\": 1}}", Qrels, 2),
        ("{\"q\": {\"a\": 1,\n\"b\": [1]}}", Qrels, 2),
        ("{\"q\":\n1}", Qrels, 2),
        ("{\"q\":\n\"text\"}", Qrels, 2),
        ("{\"q\": [\"a\",\n1.5]}", Run, 2),
        ("{\"q\": [\"a\",\n[\"b\", 1, 2]]}", Run, 2),
        ("{\"q\": [\"a\",\n[\"b\", 1]]}", Run, 2),
        ("[{\"query_id\": 1, \"doc_id\": 2.5, \"score\": 1}]", Run, 1),
        ("[\n\"q\"]", Run, 2),
        ("\n17", Run, 2),
        ("{\"q\": {\"a\": 1}\n", Run, 2),
        ("{\"q\": {\"a\": 1}}\n{}", Run, 2),
        ("{\"q\": {\"a\": {\"b\": {\"c\": {\"d\": 1}}}}}", Run, 1),
        ("{\"\\ud800\": {\"a\": 1}}", Run, 1),
    ] {
        let error = read(text, Format::Json, table).unwrap_err();
        assert_eq!(
            (error.kind, error.file.as_deref(), error.line),
            (Kind::Format, Some("table.json"), Some(line)),
            "{text:?}: {error}"
        );
        assert!(!error.found.is_empty(), "{text:?}: {error}");
    }
    assert!(read("{\"q\": {\"a\": NaN}}", Format::Json, Run).unwrap_err().hint.contains("NaN"));
    let error = read("{\"query_id\": 1, \"doc_id\": 2}\n{\"query_id\": 1,", Format::Jsonl, Run).unwrap_err();
    assert_eq!(error.line, Some(2));
    let error = read("{\"query_id\": 1, \"doc_id\": 2, \"score\": NaN}", Format::Jsonl, Run).unwrap_err();
    assert!(error.hint.contains("NaN"), "{error}");
}

#[test]
fn missing_fields_are_named() {
    let error = read("[\n{\"query_id\": 1, \"grade\": 2}]", Format::Json, Qrels).unwrap_err();
    assert_eq!((error.kind, error.line), (Kind::Column, Some(2)));
    assert_eq!(error.found, "fields 'query_id', 'grade'");
    assert!(error.expected.contains("doc_id"));
    // A score by a name that is not known would make a ranking without scores.
    let error = read("{\"query_id\": 1, \"doc_id\": 2, \"bm25\": 0.5}", Format::Jsonl, Run).unwrap_err();
    assert_eq!(error.kind, Kind::Column);
    let error = read("{\"q\": [{\"score\": 1}]}", Format::Json, Run).unwrap_err();
    assert_eq!(error.kind, Kind::Column);
}

#[test]
fn bytes_that_are_not_text() {
    let mut request = Request::new(Vec::new(), Run);
    request.format = Some(Format::Json);
    for bytes in [&b"{\"\xff\": {\"a\": 1}}"[..], b"{\"q\": {\"a\x00\": 1}}", b"\xff\xfe{\0"] {
        let error = read_bytes(bytes, "x", &request).unwrap_err();
        assert_eq!((error.kind, error.line), (Kind::Format, Some(1)), "{error}");
    }
}

#[test]
fn bombs_end() {
    for bomb in [
        "[".repeat(1 << 20),
        "{\"a\":".repeat(1 << 20),
        format!("{{\"mteb_model_meta\": {}", "[".repeat(1 << 20)),
        format!("[{{\"x\": {}", "[".repeat(1 << 20)),
        format!("{{\"q\": {{\"d\": {}}}}}", "9".repeat(1 << 20)),
        format!("[[{}, [1]]]", "9".repeat(1 << 20)),
        format!("{{\"{}\": {{\"d\": 1}}}}", "x".repeat(2 << 20)),
    ] {
        for format in [Format::Json, Format::Jsonl] {
            let error = read(&bomb, format, Run).unwrap_err();
            assert!(matches!(error.kind, Kind::Format | Kind::Column), "{error}");
        }
    }
}

#[test]
fn compressed_data_that_break_off() {
    use std::io::Write;
    let text: String = (0..40_000).map(|row| format!(", \"{row}\": {}", row * 7919 % 1000)).collect();
    let text = format!("{{\"q\": {{\"d\": 1{text}}}}}");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    let mut request = Request::new(Vec::new(), Run);
    request.format = Some(Format::Json);
    assert_eq!(read_bytes(&bytes, "x", &request).unwrap().rows.len(), 40_001);
    for length in [bytes.len() / 10, bytes.len() / 2, bytes.len() - 1] {
        let error = read_bytes(&bytes[..length], "x", &request).unwrap_err();
        assert_eq!((error.kind, error.file.as_deref()), (Kind::Source, Some("x")), "{error}");
    }
}
