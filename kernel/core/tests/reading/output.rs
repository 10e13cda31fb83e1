//! Output files: compressed by suffix, written atomically.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests, too

use std::io::Write;
use std::path::Path;

use gainful_core::error::Kind;
use gainful_core::formats::{Request, open_output, read, write_file};
use gainful_core::parallel::Progress;
use gainful_core::read::source::Source;
use gainful_core::read::trec::TableKind::{self, Qrels, Run};
use gainful_core::rows::{Rows, RowsBuilder};

fn rows(list: &[(&str, &str, f64)]) -> Rows {
    let mut builder = RowsBuilder::new(false);
    for (query, document, value) in list {
        builder.push(query.as_bytes(), document.as_bytes(), *value, f64::NAN, 0);
    }
    builder.build()
}

fn judgments() -> Rows {
    rows(&[("2", "d1", 1.0), ("2", "日本", 0.0), ("10", "d,\"1\"", -2.0), ("10", "{", 0.1)])
}

fn run() -> Rows {
    rows(&[("2", "b", 1e300), ("2", "c", 0.1 + 0.2), ("3", "b", 17.0)])
}

/// Queries, documents and values, in order.
fn content(rows: &Rows) -> Vec<(Vec<u8>, Vec<u8>, f64)> {
    rows.iter()
        .flat_map(|query| {
            (0..query.documents.len())
                .map(move |row| (query.id.to_vec(), query.document(row).to_vec(), query.values[row]))
        })
        .collect()
}

fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn stored(rows: &Rows, table: TableKind, path: &Path) -> gainful_core::Result<()> {
    write_file(rows, true, table, None, "t", path, &Progress::default())?.place()
}

#[test]
fn files_compressed_by_suffix() {
    let folder = tempfile::tempdir().unwrap();
    let original = judgments();
    for name in ["q.tsv", "q.csv.gz", "q.json.bz2", "q.jsonl.xz", "q.qrels.zst", "q"] {
        let path = folder.path().join(name);
        stored(&original, Qrels, &path).unwrap();
        let request = Request::new(vec![Source::new(&path)], Qrels);
        let loaded = read(&request, &Progress::default()).unwrap();
        assert_eq!(content(&loaded.rows), content(&original), "{name}");
    }
    assert_eq!(names(folder.path()).len(), 6);
}

#[test]
fn large_files_in_frames() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = RowsBuilder::new(false);
    for number in 0..500_000u32 {
        let query = (number / 1000).to_string();
        builder.push(query.as_bytes(), number.to_string().as_bytes(), f64::from(number), f64::NAN, 0);
    }
    let original = builder.build();
    let path = folder.path().join("large.tsv.zst");
    stored(&original, Qrels, &path).unwrap();
    let loaded = read(&Request::new(vec![Source::new(&path)], Qrels), &Progress::default()).unwrap();
    assert!(content(&loaded.rows) == content(&original));
}

#[test]
fn files_are_written_atomically() {
    let progress = Progress::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.run");
    std::fs::write(&path, "before").unwrap();
    let bad = rows(&[("q", "a b", 1.0)]);
    let error = stored(&bad, Qrels, &path).unwrap_err();
    assert!(error.file.is_some());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
    let mut output = open_output(&path, &progress).unwrap();
    output.write_all(b"half").unwrap();
    output.flush().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
    drop(output);
    assert_eq!(names(folder.path()), ["out.run"]);
    let mut output = open_output(&path, &progress).unwrap();
    output.write_all(b"after").unwrap();
    output.finish().unwrap().place().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "after");
    assert_eq!(names(folder.path()), ["out.run"]);
    assert_eq!(open_output(folder.path(), &progress).err().unwrap().kind, Kind::Source);
    assert_eq!(open_output(folder.path().join("no/such.run"), &progress).err().unwrap().kind, Kind::NotFound);
}

#[cfg(unix)]
#[test]
fn links_rights_and_devices() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("real.run");
    // A link to a link to a file that is yet to be written.
    let (first, second) = (folder.path().join("first.run"), folder.path().join("second.run"));
    std::os::unix::fs::symlink("second.run", &first).unwrap();
    std::os::unix::fs::symlink(&real, &second).unwrap();
    stored(&run(), Run, &first).unwrap();
    assert!(std::fs::symlink_metadata(&first).unwrap().is_symlink());
    assert!(std::fs::symlink_metadata(&second).unwrap().is_symlink());
    assert!(std::fs::symlink_metadata(&real).unwrap().is_file());
    std::fs::write(&real, "x").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path().join("link.run");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    stored(&run(), Run, &link).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().starts_with("2 Q0 b 1 1e300 t\n"));
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    let progress = Progress::default();
    let mut output = open_output("/dev/null", &progress).unwrap();
    output.write_all(b"gone").unwrap();
    output.finish().unwrap().place().unwrap();
    if Path::new("/dev/full").exists() {
        let error = stored(&run(), Run, Path::new("/dev/full")).unwrap_err();
        assert_eq!((error.kind, error.found.as_str()), (Kind::Source, "no space left on the device"));
        assert_eq!(error.file.as_deref(), Some("/dev/full"));
    }
}

#[test]
fn stopped_writing_keeps_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["q.tsv", "q.csv.gz", "q.json.bz2", "q.jsonl.xz", "q.qrels.zst"] {
        let path = folder.path().join(name);
        std::fs::write(&path, "before").unwrap();
        let progress = Progress::default();
        let mut output = open_output(&path, &progress).unwrap();
        output.write_all(&[b'x'; 1 << 17]).unwrap();
        progress.stop();
        assert!(output.write_all(b"y").is_err());
        assert_eq!(output.finish().err().unwrap().kind, Kind::Interrupted);
        let error = write_file(&judgments(), true, Qrels, None, "t", &path, &progress).err().unwrap();
        assert_eq!(error.kind, Kind::Interrupted);
        // Complete, and dropped before it is placed.
        drop(write_file(&judgments(), true, Qrels, None, "t", &path, &Progress::default()).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
    }
    assert_eq!(names(folder.path()).len(), 5);
}
