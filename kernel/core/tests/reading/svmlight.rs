//! SVMlight files, their group sizes, and the scores that go with them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests, too

use gainful_core::error::{Error, Kind};
use gainful_core::formats::{Format, Loaded, Request, read, read_bytes, read_scores};
use gainful_core::parallel::Progress;
use gainful_core::read::source::Source;
use gainful_core::read::trec::TableKind::{Qrels, Run};

fn bytes(text: &str) -> Result<Loaded, Box<Error>> {
    let mut request = Request::new(Vec::new(), Qrels);
    request.format = Some(Format::Svmlight);
    read_bytes(text.as_bytes(), "rank.txt", &request)
}

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
fn ids_from_comments() {
    let text = "# a comment\n2 qid:10 1:0.5 2:1 # docid = GX01 inc = 1\n0 qid:10 1:0 #docid=GX02\n\n\
                1 qid:x 1:0 # 7555 Rambo\n3.5\tqid:x #\t7556\tRambo III\r\n";
    assert_eq!(shown(&bytes(text).unwrap()), "10/GX01=2 10/GX02=0 x/7555=1 x/7556=3.5");
}

#[test]
fn without_comments_documents_are_numbered() {
    let text = "2 qid:10 1:0.5\n0 qid:10\n1 qid:2 1:0\n";
    assert_eq!(shown(&bytes(text).unwrap()), "10/1=2 10/2=0 2/1=1");
}

#[test]
fn errors_name_the_line() {
    for (text, line) in [
        ("x qid:1 1:0\n", 1),
        ("1 qid:1 1:0\n1 qid:1 feature\n", 2),
        ("1 qid:1 1:0\n1 1:0\n", 2),
        ("1 qid:1 1:0\n1 qid:2 1:0\n2 qid:1 1:0\n", 3),
        ("1 qid:1 1:0 # d1\n1 qid:1 1:0\n", 2),
        ("1 qid:1 1:0\n1 qid:1 1:0\0\n", 2),
        ("1 qid: 1:0\n", 1),
        ("1 1:0\n", 1),
    ] {
        let error = bytes(text).unwrap_err();
        assert_eq!((error.kind, error.line), (Kind::Format, Some(line)), "{text:?}: {error}");
    }
    let error = bytes("1 qid:1 # d1\n0 qid:1 # d1\n").unwrap_err();
    assert_eq!((error.kind, error.line), (Kind::Duplicate, Some(2)));
    assert_eq!(bytes("# nothing else\n").unwrap_err().found, "the file has no rows");
}

#[test]
fn group_sizes_in_a_separate_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rank.test");
    let sizes_file = folder.path().join("rank.test.query");
    std::fs::write(&path, "2 1:0.5\n0 1:1\n1 1:0\n").unwrap();
    let request = Request::new(vec![Source::new(&path)], Qrels);
    let get = || read(&request, &Progress::default());
    assert!(get().unwrap_err().hint.contains(".query"));
    for (sizes, expected) in [("2\n1\n", "1/1=2 1/2=0 2/1=1"), ("0 1\n2 0", "2/1=2 3/1=0 3/2=1 1/ 4/")] {
        std::fs::write(&sizes_file, sizes).unwrap();
        let loaded = get().unwrap();
        let mut parts: Vec<String> = shown(&loaded).split(' ').map(str::to_owned).collect();
        let mut wanted: Vec<&str> = expected.split(' ').collect();
        parts.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(parts, wanted);
    }
    for sizes in
        ["2\n", "2\n1\n1\n", "4\n", "18446744073709551615\n18446744073709551615\n", "two\n", "-1\n", ""]
    {
        std::fs::write(&sizes_file, sizes).unwrap();
        let error = get().unwrap_err();
        assert_eq!(error.kind, Kind::Format, "{sizes:?}");
        assert!(error.file.as_deref().is_some_and(|file| file.ends_with(".query")), "{sizes:?}: {error}");
    }
    // Two files are one table: the numbers go on.
    std::fs::write(&sizes_file, "2\n1\n").unwrap();
    let twice = Request::new(vec![Source::new(&path), Source::new(&path)], Qrels);
    assert_eq!(read(&twice, &Progress::default()).unwrap().rows.queries(), 4);
}

#[test]
fn scores_go_with_the_rows() {
    let judgments = bytes("2 qid:10 1:0.5\n0 qid:10\n1 qid:2 1:0\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scores.txt");
    let mut request = Request::new(vec![Source::new(&path)], Run);
    let scores = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_scores(&request, &judgments.rows, &Progress::default())
    };
    assert_eq!(shown(&scores("0.5\n-1\n\n1e3").unwrap()), "10/1=0.5 10/2=-1 2/1=1000");
    for (text, kind, line) in [
        ("1\n2\n", Kind::Match, None),
        ("1\n2\n3\n4\n", Kind::Match, Some(4)),
        ("1\nx\n3\n", Kind::Format, Some(2)),
        ("1\nnan\n3\n", Kind::Format, Some(2)),
        ("", Kind::Format, None),
    ] {
        let error = scores(text).unwrap_err();
        assert_eq!((error.kind, error.line), (kind, line), "{text:?}: {error}");
        assert!(error.file.is_some());
    }
    std::fs::write(&path, "1\n2\n3\n").unwrap();
    request.format = Some(Format::Scores);
    assert!(read(&request, &Progress::default()).unwrap_err().hint.contains("judgments"));
}
