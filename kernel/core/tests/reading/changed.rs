//! Streams of files that change while they are read, compressed or not.

#![allow(clippy::unwrap_used)]

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use gainful_core::error::Kind;
use gainful_core::formats::{Request, read};
use gainful_core::parallel::{Progress, Stop};
use gainful_core::read::Source;
use gainful_core::read::trec::TableKind;

/// Rows of judgments that compress badly, more than any buffer takes.
fn rows() -> Vec<u8> {
    let mut state = 1_u64;
    let mut text = Vec::new();
    for row in 0..100_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        writeln!(text, "q{} 0 {state:x} {}", row / 100, row % 3).unwrap();
    }
    text
}

fn compressed(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Writes the same bytes again, as of another time.
fn touch(path: &Path, content: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all(content).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(1000)).unwrap();
}

#[test]
fn a_stream_ends_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("qrels");
    for content in [rows(), compressed(&rows())] {
        fs::write(&path, &content).unwrap();
        let source = Source::new(&path);
        let mut whole = Vec::new();
        source.stream().unwrap().read_to_end(&mut whole).unwrap();
        assert_eq!(whole, rows());
        let mut stream = source.stream().unwrap();
        let mut first = [0; 1000];
        stream.read_exact(&mut first).unwrap();
        touch(&path, &content);
        let error = source.failed(&stream.read_to_end(&mut whole).unwrap_err());
        assert_eq!(error.kind, Kind::Source);
        assert_eq!(error.found, "the file changed while it was read");
        assert_eq!(error.file.as_deref(), path.to_str());
    }
}

#[test]
fn files_replaced_between_reads_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("qrels");
    fs::write(&path, rows()).unwrap();
    let opened = Source::new(&path).open_of_many(&Stop::default()).unwrap();
    let content = opened.content().unwrap();
    let mut bytes = [0; 10];
    assert_eq!(content.read_at(&mut bytes, 0).unwrap(), 10);
    // Another file of the same size in its place.
    fs::remove_file(&path).unwrap();
    File::create(&path).unwrap().write_all(&rows()).unwrap();
    assert!(content.read_at(&mut bytes, 0).is_err());
}

#[test]
fn unchanged_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("qrels.gz");
    fs::write(&path, compressed(&rows())).unwrap();
    let request = Request::new(vec![Source::new(&path)], TableKind::Qrels);
    assert_eq!(read(&request, &Progress::default()).unwrap().rows.len(), 100_000);
}
