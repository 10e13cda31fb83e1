//! A file in columns as the fuzzer has it, measured as a run and gone through as judgments.

use std::io::Write;

use gainful_core::columns::{Batch, Files, RowNames, Schema, Stream};
use gainful_core::convention::Convention;
use gainful_core::evaluate::{Columnar, ColumnarRun, Plan, evaluate_columns};
use gainful_core::formats::{Format, Request, read_bytes};
use gainful_core::parallel::{Pace, Progress, Stop};
use gainful_core::read::source::Source;
use gainful_core::read::trec::Table;
use gainful_core::{Error, Result};

/// What the run is measured by: queries with the ids that the seeds have.
const QRELS: &[u8] = b"1 0 10 1\n1 0 11 0\n2 0 10 2\nq1 0 d1 1\nq2 0 d2 3\n";

/// Reads the bytes as a file of this format.
pub fn read(bytes: &[u8], format: Format) {
    let Ok(mut file) = tempfile::NamedTempFile::new() else { return };
    if file.write_all(bytes).is_err() || file.flush().is_err() {
        return;
    }
    let sources = [Source::new(file.path())];
    let _ = measure(&sources, format);
    let _ = go_through(&sources, format);
}

fn measure(sources: &[Source], format: Format) -> Result<()> {
    let mut request = Request::new(Vec::new(), Table::Qrels);
    request.format = Some(Format::Trec);
    let rows = read_bytes(QRELS, "qrels", &request)?.rows;
    let plan = Plan::new(Convention::default(), Vec::new())?;
    let judgments = plan.judgments(&rows)?;
    let files = Files::open(sources, format, Table::Run, &Stop::default(), named)?;
    let source = match &files {
        Files::Parquet(files) => Columnar::Parquet(files),
        Files::Arrow(_) => Columnar::Stream(Stream {
            pieces: files.pieces(),
            reopen: None,
            names: files.names(),
        }),
    };
    let progress = Progress::default();
    let mut tick = |_: &Progress| true;
    let mut pace = Pace { threads: 1, progress: &progress, tick: &mut tick };
    let run = ColumnarRun { source, scored: files.scored(), memory: 1 << 20 };
    evaluate_columns(&plan, &judgments, run, files.ranked(), &mut pace)?;
    Ok(())
}

/// Every id and every number of the file.
fn go_through(sources: &[Source], format: Format) -> Result<()> {
    for piece in Files::open(sources, format, Table::Qrels, &Stop::default(), named)?.pieces() {
        let piece = piece?;
        let batch = Batch::new(&piece.columns, &piece.batch)?;
        let mut values = vec![0.0; batch.rows];
        let _ = batch.fill_values(&(0..batch.rows), &mut values, true);
        for row in 0..batch.rows {
            std::hint::black_box(batch.queries.get(row, &mut [0; 20]));
            std::hint::black_box(batch.documents.get(row, &mut [0; 20]));
        }
    }
    Ok(())
}

/// The first columns are what a run has, whatever they are called.
fn named(schema: &Schema) -> Result<RowNames> {
    let mut columns = schema.fields().iter().map(|field| field.name().clone());
    let [Some(query), Some(document), value, rank] = std::array::from_fn(|_| columns.next()) else {
        return Err(Error::new(gainful_core::Kind::Column, "fewer columns", "two"));
    };
    Ok(RowNames { query, document, value, rank, ..RowNames::default() })
}
