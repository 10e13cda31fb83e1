//! Files that others wrote, where they are at hand.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests, too

use std::path::PathBuf;

use gainful_core::formats::{Format, Loaded, Request, detect, read, read_scores};
use gainful_core::parallel::Progress;
use gainful_core::read::source::Source;
use gainful_core::read::trec::TableKind::{self, Qrels, Run};

/// A file of the shared collection of real data; `None`, with a word, where that is absent.
fn shared(name: &str) -> Option<Source> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if path.exists() {
        return Some(Source::new(path));
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

fn load(source: Source, table: TableKind) -> Loaded {
    read(&Request::new(vec![source], table), &Progress::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn reads_scifact_files() {
    for (name, rows) in [
        ("bert_results.json", 30_000),
        ("bm25_bert_llm_results_cross_encoder.json", 30_000),
        ("bm25_bert_results.json", 51_667),
        ("bm25_results.json", 30_000),
        ("tfidf_results.json", 30_000),
    ] {
        let Some(source) = shared(&format!("scifact/{name}")) else { return };
        assert_eq!(detect(&source, Run, &Progress::default()).unwrap(), Format::Json);
        let loaded = load(source, Run);
        assert!(!loaded.scored);
        assert_eq!((loaded.rows.queries(), loaded.rows.len()), (300, rows), "{name}");
    }
    let Some(source) = shared("scifact") else { return };
    let loaded = load(source, Qrels);
    assert_eq!((loaded.rows.queries(), loaded.rows.len()), (300, 339));
}

#[test]
fn lightgbm() {
    let Some(source) = shared("lightgbm/rank.test") else { return };
    assert_eq!(detect(&source, Qrels, &Progress::default()).unwrap(), Format::Svmlight);
    let loaded = load(source.clone(), Qrels);
    assert_eq!((loaded.rows.queries(), loaded.rows.len()), (50, 768));
    assert_eq!(loaded.rows.query(0).documents.len(), 12);
    assert!(loaded.rows.values().iter().all(|grade| (0.0..=4.0).contains(grade)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scores");
    let scores: String = (0..loaded.rows.len()).map(|row| format!("{row}\n")).collect();
    std::fs::write(&path, scores).unwrap();
    let run = read_scores(&Request::new(vec![Source::new(&path)], Run), &loaded.rows, &Progress::default())
        .unwrap();
    assert_eq!(run.rows.values().last(), Some(&767.0));
}

#[test]
fn judgment_lists() {
    for (name, format, queries, rows) in [
        ("judgments/chorus/Chorus_Electronics_basic.csv", Format::Csv, 2, 207),
        ("judgments/chorus/Broad_Query_Set_rated.csv", Format::Csv, 135, 3668),
        ("judgments/hello-ltr/title_features.csv", Format::Csv, 40, 1390),
        ("judgments/hello-ltr/title_judgments.txt", Format::Svmlight, 40, 1390),
        ("judgments/es-ltr/sample_judgments.txt", Format::Svmlight, 3, 25),
        ("dl19-passage/qrels.dl19-passage.txt", Format::Trec, 43, 9260),
        ("robust03/qrels.robust03.txt.gz", Format::Trec, 100, 128_796),
        ("vaswani/qrels", Format::Trec, 93, 2083),
    ] {
        let Some(source) = shared(name) else { return };
        assert_eq!(detect(&source, Qrels, &Progress::default()).unwrap(), format, "{name}");
        let mut request = Request::new(vec![source], Qrels);
        request.duplicates = gainful_core::convention::Duplicates::Count;
        let loaded = read(&request, &Progress::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((loaded.rows.queries(), loaded.rows.len()), (queries, rows), "{name}");
    }
}

#[test]
fn runs() {
    for name in ["dl19-passage/bm25-default.run.gz", "robust03/input.pircRBa1.gz", "trec_eval/results.test"] {
        let Some(source) = shared(name) else { return };
        assert_eq!(detect(&source, Run, &Progress::default()).unwrap(), Format::Trec, "{name}");
        assert!(load(source, Run).scored);
    }
}
