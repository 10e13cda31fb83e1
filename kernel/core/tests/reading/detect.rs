//! Finding out the format, and what comes out of a file whose format was found out.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests, too

use std::io::Write;

use gainful_core::error::Kind;
use gainful_core::formats::{Format, Request, detect, read};
use gainful_core::parallel::Progress;
use gainful_core::read::source::Source;
use gainful_core::read::trec::TableKind::{self, Qrels, Run};

fn found(name: &str, text: &str, table: TableKind) -> Format {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    detect(&Source::new(&path), table, &Progress::default()).unwrap()
}

#[test]
fn detects_formats_by_content() {
    for (text, table, format) in [
        ("q 0 d 1\n", Qrels, Format::Trec),
        ("q\t0\td\t1\n", Qrels, Format::Trec),
        ("#1 0 d 1\n", Qrels, Format::Trec),
        ("q,1 0 d,1 1\n", Qrels, Format::Trec),
        ("[1] 0 d 1\n", Qrels, Format::Trec),
        ("q Q0 d 1 0.5 tag\n", Run, Format::Trec),
        ("q\tQ0\td\t1\t0.5\n", Run, Format::Trec),
        ("q\t0\td\t1\nrunning shoes\t0\td\t1\n", Qrels, Format::Tsv),
        ("query-id\tcorpus-id\tscore\n1\td\t1\n", Qrels, Format::Tsv),
        ("q\td\t1\n", Qrels, Format::Tsv),
        ("running shoes\td\n", Run, Format::Tsv),
        ("query_id,doc_id,grade\nq,d,1\n", Qrels, Format::Csv),
        ("laptop bag,d,1\n", Qrels, Format::Csv),
        ("query,docid,rating\nq,d,1\n", Qrels, Format::Csv),
        ("{\"q\": {\"d\": 1}}", Qrels, Format::Json),
        ("{\n \"q\": {\"d\": 1}\n}\n", Qrels, Format::Json),
        ("[[\"q\", [\"d\"]]]", Run, Format::Json),
        ("[\n{\"query_id\": 1}]", Run, Format::Json),
        ("{\"query_id\": 1, \"doc_id\": 2}\n", Run, Format::Jsonl),
        ("{\"query_id\": 1, \"docs\": []}\n{\"query_id\": 2, \"docs\": []}\n", Run, Format::Jsonl),
        ("[\"q\", [\"d\"]]\n[\"r\", [\"d\"]]\n", Run, Format::Jsonl),
        ("2 qid:1 1:0.5\n", Qrels, Format::Svmlight),
        ("# qid:1: rambo\n2 qid:1 # 7 Rambo\n", Qrels, Format::Svmlight),
        ("2 1:0.5 7:1\n", Qrels, Format::Svmlight),
        ("0.5\n-1\n", Run, Format::Scores),
        ("q 0\td 1\t\n", Qrels, Format::Trec),
        ("size 1\tdoc 3\nsize 2\tdoc 4\n", Qrels, Format::Tsv),
        ("q\te\t1\t.5\tt\nq\td\t2\t.4\tt\n", Run, Format::Tsv),
        ("q e 1 .5\nq d 2 .4\n", Run, Format::Tsv),
        ("q,e,1,.5\nq,d,2,.4\n", Run, Format::Csv),
        ("q Q0 1 1 .5\nq Q0 2 2 .4\n", Run, Format::Trec),
        ("1 [0,1]\n2 []\n", Qrels, Format::Mind),
        ("1 [2,1]\n2 [1]\n", Run, Format::Mind),
        ("q\t[1]\n", Run, Format::Tsv),
        ("", Run, Format::Trec),
        ("what is this\n", Run, Format::Trec),
    ] {
        assert_eq!(found("data", text, table), format, "{text:?}");
    }
}

#[test]
fn the_suffix_decides_where_the_content_leaves_a_choice() {
    assert_eq!(found("q.tsv", "q\t0\td\t1\n", Qrels), Format::Tsv);
    assert_eq!(found("q.csv", "q a 1,b 2\n", Qrels), Format::Csv);
    assert_eq!(found("q.jsonl", "{\"q\": {\"d\": 1}}\n", Qrels), Format::Jsonl);
    assert_eq!(found("q.json", "{\"q\": {\"d\": 1}}\n", Qrels), Format::Json);
    assert_eq!(found("q.csv", "", Qrels), Format::Csv);
    // But it does not overrule it.
    assert_eq!(found("q.json", "{\"query_id\": 1}\n{\"query_id\": 2}\n", Qrels), Format::Jsonl);
    assert_eq!(found("q.tsv", "{\"q\": {\"d\": 1}}\n", Qrels), Format::Json);
    assert_eq!(found("q.txt", "query_id,doc_id,grade\nq,d,1\n", Qrels), Format::Csv);
    assert_eq!(found("q.tsv", "q 0 d 1\n", Qrels), Format::Trec);
    assert_eq!(found("q.tsv", "q\tQ0\td\t1\t0.5\n", Run), Format::Trec);
}

#[test]
fn long_lines_are_detected_by_their_beginning() {
    let documents: Vec<String> = (0..20_000).map(|number| format!("\"{number}\"")).collect();
    let list = documents.join(",");
    assert_eq!(found("x", &format!("{{\"q\": [{list}]}}"), Run), Format::Json);
    let line = format!("{{\"query_id\": \"q\", \"docs\": [{list}]}}\n");
    assert_eq!(found("x", &line, Run), Format::Jsonl);
    assert_eq!(found("x.jsonl", &format!("[\"q\", [{list}]]\n"), Run), Format::Jsonl);
}

#[test]
fn compressed_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"query_id,doc_id,grade\nq,d,2\n";
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let bzip2 = {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let xz = {
        let options = lzma_rust2::XzOptions::with_preset(3);
        let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let zstandard = {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let (a, b) = text.split_at(10);
        [ruzstd::encoding::compress_to_vec(a, level), ruzstd::encoding::compress_to_vec(b, level)].concat()
    };
    for (name, bytes) in [("a.csv.gz", gzip), ("b.bz2", bzip2), ("c.csv.xz", xz), ("d.zst", zstandard)] {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let source = Source::new(&path);
        assert_eq!(detect(&source, Qrels, &Progress::default()).unwrap(), Format::Csv, "{name}");
        let request = Request::new(vec![source.clone()], Qrels);
        let loaded = read(&request, &Progress::default()).unwrap();
        assert_eq!(loaded.rows.values(), [2.0]);
        let in_memory = gainful_core::formats::read_bytes(&bytes, name, &request).unwrap();
        assert_eq!(in_memory.rows.values(), [2.0]);
        std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        let error = read(&Request::new(vec![source], Qrels), &Progress::default()).unwrap_err();
        assert_eq!(error.kind, Kind::Source, "{name}: {error}");
        assert!(error.file.is_some());
    }
}

#[test]
fn several_files_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Source::new(&path)
    };
    let one = put("one.csv", "query_id,doc_id,grade\nq,a,1\n");
    let two = put("two.csv", "query_id,grade,doc_id\nq,2,b\nr,3,a\n");
    let again = put("again.csv", "query_id,doc_id,grade\nr,b,1\n\nq,a,1\n");
    let json = put("three.json", "{\"s\": {\"a\": 1}}");
    let get = |sources: &[&Source]| {
        let sources = sources.iter().map(|&source| source.clone()).collect();
        read(&Request::new(sources, Qrels), &Progress::default())
    };
    let loaded = get(&[&one, &two]).unwrap();
    assert_eq!((loaded.rows.queries(), loaded.rows.values()), (2, &[1.0, 2.0, 3.0][..]));
    let error = get(&[&one, &two, &again]).unwrap_err();
    assert_eq!((error.kind, error.line), (Kind::Duplicate, Some(4)));
    assert!(error.file.unwrap().ends_with("again.csv"));
    let error = get(&[&one, &json]).unwrap_err();
    assert_eq!((error.kind, error.found.as_str()), (Kind::Format, "json text"));
    let trec = (put("a.qrels", "q 0 a 1\n"), put("b.qrels", "q 0 b 1\n\nq 0 a 1\n"));
    let error = get(&[&trec.0, &trec.1]).unwrap_err();
    assert_eq!((error.kind, error.line), (Kind::Duplicate, Some(3)));
    assert!(error.file.unwrap().ends_with("b.qrels"));
}

#[test]
fn folders() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::new(folder.path());
    let get = |split: Option<&str>, table| {
        let mut request = Request::new(vec![source.clone()], table);
        request.split = split.map(str::to_owned);
        read(&request, &Progress::default())
    };
    assert_eq!(get(None, Qrels).unwrap_err().kind, Kind::Source);
    let qrels = folder.path().join("qrels");
    std::fs::create_dir(&qrels).unwrap();
    assert_eq!(get(None, Qrels).unwrap_err().kind, Kind::Source);
    for (split, grade) in [("dev", 1), ("train", 2)] {
        let text = format!("query-id\tcorpus-id\tscore\nq one\td\t{grade}\n");
        std::fs::write(qrels.join(format!("{split}.tsv")), text).unwrap();
    }
    let error = get(None, Qrels).unwrap_err();
    assert_eq!((error.kind, error.hint.as_str()), (Kind::NotFound, "choose ⟪split⟫ from dev, train"));
    assert_eq!(get(Some("dev"), Qrels).unwrap().rows.values(), [1.0]);
    std::fs::write(qrels.join("test.tsv"), "query-id\tcorpus-id\tscore\nq one\td\t3\n").unwrap();
    assert_eq!(get(None, Qrels).unwrap().rows.values(), [3.0]);
    assert_eq!(detect(&source, Qrels, &Progress::default()).unwrap(), Format::Beir);
    assert_eq!(get(None, Run).unwrap_err().kind, Kind::Source);
    let mut request = Request::new(vec![Source::new(qrels.join("test.tsv"))], Qrels);
    request.format = Some(Format::Beir);
    assert_eq!(read(&request, &Progress::default()).unwrap().rows.values(), [3.0]);
    request.split = Some("test".to_owned());
    assert_eq!(read(&request, &Progress::default()).unwrap_err().kind, Kind::Parameter);
}

#[test]
fn missing_files_and_unknown_formats_are_refused() {
    let source = Source::new("/nowhere/at all.json");
    assert_eq!(detect(&source, Run, &Progress::default()).unwrap_err().kind, Kind::NotFound);
    let error = read(&Request::new(vec![source], Run), &Progress::default()).unwrap_err();
    assert_eq!((error.kind, error.file.as_deref()), (Kind::NotFound, Some("/nowhere/at all.json")));
    let error = Format::parse("xml").unwrap_err();
    assert_eq!(error.kind, Kind::Parameter);
    assert!(error.expected.contains("jsonl"));
    for &format in Format::ALL {
        assert_eq!(Format::parse(format.name()).unwrap(), format);
    }
    let mut request = Request::new(Vec::new(), Run);
    request.split = Some("test".to_owned());
    for text in ["q Q0 d 1 1 t\n", "q,d,1\n", "{\"query_id\": 1, \"doc_id\": 2}\n"] {
        let error = gainful_core::formats::read_bytes(text.as_bytes(), "x", &request).unwrap_err();
        assert_eq!(error.kind, Kind::Parameter, "{text:?}");
    }
}

#[test]
fn reading_stops_on_request() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.csv", "q,d,1\n"), ("a.json", "{\"q\": {\"d\": 1}}"), ("a.run", "q Q0 d 1 1 t\n")]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let progress = Progress::default();
        progress.stop();
        let error = read(&Request::new(vec![Source::new(&path)], Run), &progress).unwrap_err();
        assert_eq!(error.kind, Kind::Interrupted, "{name}: {error}");
    }
}

/// Runs the test `name` of this program in a process of its own, with this standard input.
fn with_stdin(name: &str, stdin: std::process::Stdio, bytes: &[u8]) -> String {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
        .stdin(stdin)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(bytes).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.split_once("found: ")).unwrap_or_else(|| panic!("{text}")).1.to_owned()
}

#[test]
#[ignore = "run by standard_input, with a standard input"]
fn child_of_standard_input() {
    let source = Source::new("-");
    let format = detect(&source, Run, &Progress::default()).unwrap();
    // What was looked at is still there.
    let loaded = read(&Request::new(vec![source], Run), &Progress::default()).unwrap();
    println!("\nfound: {} {} {}", format.name(), loaded.rows.queries(), loaded.rows.len());
}

#[test]
fn standard_input() {
    let child = "detect::child_of_standard_input";
    let piped = || std::process::Stdio::piped();
    let csv: String = (0..50_000).map(|row| format!("{},{row},1\n", row / 100)).collect();
    let csv = format!("query_id,doc_id,score\n{csv}");
    assert_eq!(with_stdin(child, piped(), csv.as_bytes()), "csv 500 50000");
    let trec: String = (0..50_000).map(|row| format!("{} Q0 {row} 1 1 t\n", row / 100)).collect();
    assert_eq!(with_stdin(child, piped(), trec.as_bytes()), "trec 500 50000");
    let json = r#"{"q": {"d": 1, "e": 2}, "r": {"d": 3}}"#;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(json.as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    assert_eq!(with_stdin(child, piped(), &bytes), "json 2 3");
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(csv.as_bytes()).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    assert_eq!(with_stdin(child, file.into(), b""), "csv 500 50000");
}
