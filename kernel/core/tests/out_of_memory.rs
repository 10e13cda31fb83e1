//! Reading and evaluating with too little memory: rows or an error, and the process goes on.
//!
//! The allocator of this program has a budget. For each large allocation of a complete run that needs more than
//! those before it, there is a run with just too little memory for it, as under `ulimit -v`. Large are those from
//! 1 MiB on, whose size follows from the data. More runs have a share of the memory in use at the peak, so that
//! small allocations fail, too, and take from the spare memory. A child process does the work: if Rust ends it,
//! the test fails.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use gainful_core::Convention;
use gainful_core::columns::{Files, RowNames, Stream, read_within};
use gainful_core::convention::Duplicates;
use gainful_core::error::{Error, Kind};
use gainful_core::evaluate::{Columnar, ColumnarRun, Plan, TextRun, evaluate_columns, evaluate_text};
use gainful_core::formats::{Format, Judged, Recoding, Request, read};
use gainful_core::measures::{AnyFormula, Counted, Measure};
use gainful_core::memory::spare::Spare;
use gainful_core::parallel::{Pace, Progress, Stop};
use gainful_core::read::Source;
use gainful_core::read::trec::{Dialect, TableKind};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

/// The size of a large allocation.
const LARGE: usize = 1 << 20;

/// How many shares of the memory at the peak are tried, and how many with `ALL=1` in the environment.
const SHARES: [usize; 2] = [10, 40];

/// The bytes in use, the most so far, and how many there may be.
static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static BUDGET: AtomicUsize = AtomicUsize::new(usize::MAX);
/// How many allocations failed.
static FAILED: AtomicUsize = AtomicUsize::new(0);
/// The bytes that were in use with each large allocation, and the number of these.
static NEEDED: [AtomicUsize; 4096] = [const { AtomicUsize::new(0) }; 4096];
static LARGE_ONES: AtomicUsize = AtomicUsize::new(0);

struct Scarce;

impl Scarce {
    /// Whether there is memory for an allocation of a size, which replaces one of another size.
    fn has_room(size: usize, before: usize) -> bool {
        let needed = (USED.load(SeqCst) + size).saturating_sub(before);
        if needed > BUDGET.load(SeqCst) {
            FAILED.fetch_add(1, SeqCst);
            return false;
        }
        PEAK.fetch_max(needed, SeqCst);
        if size >= LARGE {
            NEEDED[LARGE_ONES.fetch_add(1, SeqCst) % NEEDED.len()].store(needed, SeqCst);
        }
        USED.fetch_add(size, SeqCst);
        USED.fetch_sub(before, SeqCst);
        true
    }
}

// SAFETY: all calls go to the allocator of the system, or fail.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees what the allocator of the system requires.
        if Self::has_room(layout.size(), 0) { unsafe { System.alloc(layout) } } else { null_mut() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees what the allocator of the system requires.
        if Self::has_room(layout.size(), 0) { unsafe { System.alloc_zeroed(layout) } } else { null_mut() }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the caller guarantees what the allocator of the system requires.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Self::has_room(size, layout.size()) {
            // SAFETY: the caller guarantees what the allocator of the system requires.
            unsafe { System.realloc(at, layout, size) }
        } else {
            null_mut()
        }
    }
}

#[global_allocator]
static ALLOCATOR: Spare<Scarce> = Spare::new(Scarce);

/// A run in columns, with so many rows per query.
fn batch(rows: usize) -> RecordBatch {
    let queries: Vec<_> = (0..ROWS).map(|row| format!("q{}", row / rows)).collect();
    let documents: Vec<_> = (0..ROWS).map(|row| format!("document-{row}")).collect();
    let scores: Vec<_> = (0..ROWS).map(|row| (ROWS - row) as f64).collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("query_id", Arc::new(StringArray::from(queries))),
        ("doc_id", Arc::new(StringArray::from(documents))),
        ("score", Arc::new(Float64Array::from(scores))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet(compression: Compression, rows: usize) -> Vec<u8> {
    let (batch, mut bytes) = (batch(rows), Vec::new());
    // A long query is in several row groups, whose parts are joined.
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(ROWS / 3))
        .build();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow(compression: Option<CompressionType>) -> Vec<u8> {
    let (batch, mut bytes) = (batch(300), Vec::new());
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn arrow_stream() -> Vec<u8> {
    let (batch, mut bytes) = (batch(300), Vec::new());
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// The compressions of text.
fn compressed(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text).unwrap();
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(text).unwrap();
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    xz.write_all(text).unwrap();
    vec![
        ("a.run.gz", gzip.finish().unwrap()),
        ("a.run.bz2", bzip2.finish().unwrap()),
        ("a.run.xz", xz.finish().unwrap()),
        ("a.run.zst", zstd::stream::encode_all(text, 1).unwrap()),
    ]
}

const ROWS: usize = 150_000;

/// A row per line; the rows of a query are consecutive unless they are scattered.
fn lines(line: impl Fn(usize, usize) -> String, scattered: bool) -> String {
    let mut text = String::new();
    for row in 0..ROWS {
        let query = if scattered { row % 500 } else { row / 300 };
        text.push_str(&line(query, row));
        text.push('\n');
    }
    text
}

/// The files that are read, by name.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let run = |query: usize, row: usize| format!("q{query} Q0 document-{row} 1 {} tag", ROWS - row);
    let qrels = |query: usize, row: usize| format!("q{query} 0 document-{row} {}", row % 3);
    let columns = |query: usize, row: usize| format!("q{query}\tdocument-{row}\t{}", row % 3);
    let object = |query: usize, row: usize| {
        format!(r#"{{"query_id": "q{query}", "doc_id": "document-{row}", "score": {row}}}"#)
    };
    let mut json = "{".to_owned();
    for query in 0..500 {
        let documents: Vec<_> = (0..300).map(|row| format!(r#""document-{query}-{row}": {row}"#)).collect();
        let comma = if query > 0 { "," } else { "" };
        write!(json, r#"{comma}"q{query}": {{{}}}"#, documents.join(",")).unwrap();
    }
    json.push('}');
    let comma = |query: usize, row: usize| format!("q{query},document-{row},{}", row % 3);
    let svmlight = |query: usize, row: usize| format!("{} qid:{query} 1:0.5 # document-{row}", row % 3);
    let one = (0..ROWS).fold(String::new(), |mut text, row| {
        writeln!(text, "q1 Q0 document-{row} 1 {row} tag").unwrap();
        text
    });
    let mut files = compressed(lines(run, false).as_bytes());
    files.extend([
        ("a.run", lines(run, false).into_bytes()),
        ("scattered.run", lines(run, true).into_bytes()),
        ("one-query.run", one.into_bytes()),
        ("a.qrels", lines(qrels, false).into_bytes()),
        ("scattered.qrels", lines(qrels, true).into_bytes()),
        ("a.tsv", lines(columns, false).into_bytes()),
        ("a.jsonl", lines(object, false).into_bytes()),
        ("a.json", json.into_bytes()),
        ("a.csv", lines(comma, false).into_bytes()),
        ("qrels.svmlight", lines(svmlight, false).into_bytes()),
        ("snappy.parquet", parquet(Compression::SNAPPY, 300)),
        ("zstd.parquet", parquet(Compression::ZSTD(ZstdLevel::default()), 300)),
        ("plain.parquet", parquet(Compression::UNCOMPRESSED, 300)),
        ("one-query.parquet", parquet(Compression::SNAPPY, ROWS)),
        ("plain.arrow", arrow(None)),
        ("lz4.arrow", arrow(Some(CompressionType::LZ4_FRAME))),
        ("zstd.arrow", arrow(Some(CompressionType::ZSTD))),
        ("stream.arrows", arrow_stream()),
    ]);
    files
}

/// Reads the columns of a file, or evaluates it with itself as judgments.
fn columns(path: &Path, format: Format, evaluate: bool) -> gainful_core::Result<usize> {
    let progress = Progress::default();
    let mut tick = |_: &Progress| true;
    let mut pace = Pace { threads: 1, progress: &progress, tick: &mut tick };
    let open = || {
        let names = |_: &_| {
            Ok::<_, Box<Error>>(RowNames {
                query: "query_id".to_owned(),
                document: "doc_id".to_owned(),
                value: Some("score".to_owned()),
                ..RowNames::default()
            })
        };
        Files::open(&[Source::new(path)], format, TableKind::Run, &Stop::default(), names)
    };
    let files = open()?;
    let judged = read_within(
        1 << 30,
        files.pieces(),
        &files.names(),
        Duplicates::First,
        &Recoding::default(),
        &mut pace,
    )?;
    let Judged::Memory(loaded) = judged else { panic!("the rows are on disk") };
    if !evaluate {
        return Ok(loaded.rows.len());
    }
    let plan = Plan::new(Convention::default(), vec![returned()])?;
    let judgments = plan.judgments(&loaded.rows)?;
    let source = match &files {
        Files::Parquet(files) => Columnar::Parquet(files),
        Files::Arrow(_) => {
            Columnar::Stream(Stream { pieces: files.pieces(), reopen: None, names: files.names() })
        }
    };
    let run = ColumnarRun { source, scored: true, memory: 1 << 20 };
    let (found, _) = evaluate_columns(&plan, &judgments, run, false, &mut pace)?;
    Ok(found.queries.len())
}

/// Reads a file, or evaluates it with itself as judgments.
fn work(path: &Path, evaluate: bool) -> gainful_core::Result<usize> {
    let progress = Progress::default();
    let name = path.file_name().unwrap().to_str().unwrap();
    if name.ends_with(".parquet") {
        return columns(path, Format::Parquet, evaluate);
    }
    if name.contains(".arrow") {
        return columns(path, Format::Arrow, evaluate);
    }
    let table = if name.contains("qrels") { TableKind::Qrels } else { TableKind::Run };
    let request = Request { duplicates: Duplicates::First, ..Request::new(vec![Source::new(path)], table) };
    let loaded = read(&request, &progress)?;
    if !evaluate {
        return Ok(loaded.rows.len());
    }
    let plan = Plan::new(Convention::default(), vec![returned()])?;
    let judgments = plan.judgments(&loaded.rows)?;
    let text = TextRun {
        sources: vec![Source::new(path)],
        comments: false,
        dialect: Dialect::default(),
        memory: 1 << 20,
    };
    let mut tick = |_: &Progress| true;
    let mut pace = Pace { threads: 1, progress: &progress, tick: &mut tick };
    let (found, _) = evaluate_text(&plan, &judgments, &text, &mut pace)?;
    Ok(found.queries.len())
}

fn returned() -> Measure {
    Measure::new(AnyFormula::Counted(Counted::Returned), "NumRet".to_owned())
}

/// Works with each budget from a number on; prints each result.
#[test]
#[ignore = "the child process of the test below"]
fn child() {
    let path = PathBuf::from(std::env::var_os("OUT_OF_MEMORY_FILE").unwrap());
    let evaluate = std::env::var_os("OUT_OF_MEMORY_EVALUATE").is_some();
    let from: usize = std::env::var("OUT_OF_MEMORY_FROM").unwrap().parse().unwrap();
    assert!(ALLOCATOR.renew());
    let before = USED.load(SeqCst);
    LARGE_ONES.store(0, SeqCst);
    PEAK.store(0, SeqCst);
    let whole = work(&path, evaluate).unwrap();
    let count = LARGE_ONES.load(SeqCst).min(NEEDED.len());
    let mut needed: Vec<usize> = Vec::new();
    for each in &NEEDED[..count] {
        let each = each.load(SeqCst) - before;
        // Where an earlier one needed as much, that one fails first.
        if needed.last().is_none_or(|most| each > *most) {
            needed.push(each);
        }
    }
    let peak = PEAK.load(SeqCst) - before;
    let shares = SHARES[usize::from(std::env::var_os("ALL").is_some_and(|all| !all.is_empty()))];
    needed.extend((1..=shares).map(|share| peak / shares * share));
    needed.sort_unstable();
    needed.dedup();
    for (number, needed) in needed.into_iter().enumerate().skip(from) {
        println!("try {number}");
        std::io::stdout().flush().unwrap();
        FAILED.store(0, SeqCst);
        assert!(ALLOCATOR.renew());
        BUDGET.store(USED.load(SeqCst) + needed - 1, SeqCst);
        let result = work(&path, evaluate);
        BUDGET.store(usize::MAX, SeqCst);
        match result {
            Ok(found) => {
                assert_eq!(found, whole);
                println!("completed");
            }
            Err(error) => {
                assert!(FAILED.load(SeqCst) > 0);
                assert_eq!(error.kind, Kind::Source, "{error}");
                // The library of xz says so in its own words.
                let said = ["memory", "allocation"].iter().any(|word| error.found.contains(word));
                assert!(said, "{error}");
                println!("refused");
            }
        }
    }
    println!("end");
}

/// What became of the budgets that were tried.
#[derive(Default)]
struct Tally {
    refused: usize,
    completed: usize,
    aborted: Vec<String>,
}

/// Works with a file in child processes: a further one where Rust ended the last.
fn try_budgets(path: &Path, evaluate: bool, tally: &Mutex<Tally>) {
    let mut from = 0;
    loop {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["child", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
        command.env("OUT_OF_MEMORY_FILE", path).env("OUT_OF_MEMORY_FROM", from.to_string());
        if evaluate {
            command.env("OUT_OF_MEMORY_EVALUATE", "1");
        }
        let done = command.output().unwrap();
        let (out, error) = (text(&done.stdout), text(&done.stderr));
        let mut tally = tally.lock().unwrap();
        tally.refused += out.matches("refused").count();
        tally.completed += out.matches("completed").count();
        if out.lines().any(|line| line.ends_with("end")) {
            return;
        }
        let place = format!("{}, evaluate: {evaluate}", path.display());
        let last = out.rsplit("try ").next().and_then(|rest| rest.split_whitespace().next());
        from = last.unwrap_or_default().parse().unwrap_or_else(|_| panic!("{place}: {out}{error}"));
        // A panic is a failure; so is an end, with the place of the allocation.
        assert!(error.contains("memory allocation of"), "{place}, {from}: {out}{error}");
        tally.aborted.push(format!("{place}, budget {from}: {error}"));
        from += 1;
    }
}

#[test]
fn too_little_memory_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut jobs = Vec::new();
    for (name, content) in files() {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        jobs.push((path.clone(), false));
        if ["run", "parquet", "arrow", "arrows"].iter().any(|kind| name.ends_with(kind)) {
            jobs.push((path, true));
        }
    }
    let (jobs, tally) = (Mutex::new(jobs), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some((path, evaluate)) = jobs.lock().unwrap().pop() else { break };
                    try_budgets(&path, evaluate, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    println!("{} refused, {} completed, {} ended", tally.refused, tally.completed, tally.aborted.len());
    assert!(tally.aborted.is_empty(), "{}", tally.aborted.join("\n"));
    assert!(tally.refused > 50, "{}", tally.refused);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
