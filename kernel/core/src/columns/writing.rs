//! Writes tables as Parquet files.

use arrow_array::RecordBatchReader;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

/// Returns the batches of a table as a Parquet file, with their columns and types.
pub fn parquet_file(table: impl RecordBatchReader) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties))?;
    for batch in table {
        writer.write(&batch?)?;
    }
    writer.into_inner()
}
