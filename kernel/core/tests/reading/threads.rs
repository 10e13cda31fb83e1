//! Judgments of TREC text that several threads read: the rows and errors of one thread.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;

use gainful_core::convention::Duplicates;
use gainful_core::formats::{Judged, Request, read, read_judged};
use gainful_core::parallel::Progress;
use gainful_core::read::Source;
use gainful_core::read::trec::TableKind;
use gainful_core::rows::Rows;

/// Lines of judgments, several megabytes: `order` has the queries, each of which has `documents` lines.
fn lines(order: impl IntoIterator<Item = usize>, documents: usize) -> String {
    let mut text = String::new();
    for (at, query) in order.into_iter().enumerate() {
        for document in 0..documents {
            writeln!(text, "q{query} 0 d{at}-{document} {}", (at + document) % 4).unwrap();
        }
    }
    text
}

/// Numbers below `count` in an order that looks random.
fn shuffled(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |number| number * 7_919 % count)
}

fn read_text(text: &str, threads: usize, duplicates: Duplicates) -> Result<Rows, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("qrels.txt");
    fs::write(&path, text).unwrap();
    let source = Source::new(&path);
    let request = Request { threads, duplicates, ..Request::new(vec![source], TableKind::Qrels) };
    match read(&request, &Progress::default()) {
        Ok(loaded) => Ok(loaded.rows),
        Err(error) => Err(error.to_string().replace(folder.path().to_str().unwrap(), "")),
    }
}

fn assert_equal(one: &Rows, several: &Rows) {
    assert!(one.same(several, false));
    assert_eq!(one.sorted(), several.sorted());
    for (mine, theirs) in one.iter().zip(several.iter()) {
        assert_eq!((mine.id, mine.values), (theirs.id, theirs.values));
        assert_eq!(several.find(mine.id), one.find(mine.id));
    }
}

#[test]
fn rows_do_not_depend_on_threads() {
    let texts = [
        // Ascending queries, and others; long and short ones, with and without an end of the last line.
        lines(0..100_000, 1),
        lines(shuffled(100_000), 1),
        lines(shuffled(500), 300),
        lines(shuffled(3), 50_000).trim_end().to_owned(),
        format!("\n#query 0 document 1\n{}\n\n", lines(shuffled(20_000), 5)),
        // Queries whose lines are not consecutive.
        lines((0..100_000).map(|number| number % 1_000), 1),
        lines((0..60_000).chain(10..20), 1),
    ];
    for text in texts {
        assert!(text.len() > 1 << 20);
        let one = read_text(&text, 1, Duplicates::Error).unwrap();
        for threads in [2, 5] {
            assert_equal(&one, &read_text(&text, threads, Duplicates::Error).unwrap());
        }
    }
}

#[test]
fn duplicates_are_found_across_the_parts_of_a_file() {
    let text = lines(shuffled(60_000), 1);
    let first = text.lines().next().unwrap();
    let last = text.lines().last().unwrap();
    for repeated in [
        format!("{text}{first}\n"),
        format!("{text}{last}\n"),
        format!("{last}\n{text}q1 0 d {first}\n"),
        format!("{text}{first}\nq1 0 d x\n"),
        format!("{last}\n{text}{first}\n{text}"),
    ] {
        for duplicates in [Duplicates::Error, Duplicates::First, Duplicates::Last, Duplicates::Count] {
            match (read_text(&repeated, 1, duplicates), read_text(&repeated, 3, duplicates)) {
                (Ok(one), Ok(several)) => assert_equal(&one, &several),
                (one, several) => assert_eq!(one.unwrap_err(), several.unwrap_err()),
            }
        }
    }
}

#[test]
fn the_first_error_is_reported() {
    let text = lines(shuffled(100_000), 1);
    let at = |part: usize| text[..part * text.len() / 10].rfind('\n').unwrap() + 1;
    let (second, sixth) = (at(2), at(6));
    let wrong =
        |line: &str| format!("{}{line}\n{}bad\n{}", &text[..second], &text[second..sixth], &text[sixth..]);
    for line in ["q 0 d", "q 0 d grade", "q 0 d 1\nq 0 d 1", "q 0 d 1\nq1 0 d 1\nq 0 d 1\n"] {
        let one = read_text(&wrong(line), 1, Duplicates::Error).unwrap_err();
        assert!(one.contains("line"), "{one}");
        assert_eq!(read_text(&wrong(line), 4, Duplicates::Error).unwrap_err(), one);
    }
}

#[test]
fn large_judgments_go_to_disk() {
    let text = lines(shuffled(100_000), 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("qrels.txt");
    fs::write(&path, &text).unwrap();
    let digest = |threads, memory| {
        let request = Request {
            threads,
            memory: Some(memory),
            ..Request::new(vec![Source::new(&path), Source::new(&path)], TableKind::Qrels)
        };
        let request = Request { duplicates: Duplicates::First, ..request };
        match read_judged(&request, &Progress::default()).unwrap() {
            Judged::Memory(loaded) => (false, loaded.rows.digest(true)),
            Judged::Disk(rows) => (true, rows.digest().unwrap()),
        }
    };
    let whole = digest(1, usize::MAX);
    assert_eq!(digest(3, usize::MAX), whole);
    // The first file fits, the second does not.
    assert_eq!(digest(3, text.len() * 6).1, whole.1);
    assert!(!whole.0 && digest(3, text.len()).0);
}
