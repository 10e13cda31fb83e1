//! Columnar tables: Parquet files, Arrow files and Arrow streams, as batches of borrowed columns.
//!
//! A table consists of **pieces**: a record batch, the roles of its columns, and the origin of its rows.
//! `Rows` keeps all pieces in memory; `evaluate::evaluate_columns` evaluates them while they are read, with a
//! few of them in memory.

mod arrow;
mod batch;
mod batches;
mod claims;
mod damage;
mod expansion;
mod files;
mod footer;
mod headers;
mod ids;
mod ipc_input;
mod judgments;
mod kinds;
mod messages;
mod numbers;
mod one_query;
mod pages;
mod parquet;
mod recoded;
mod roles;
mod slices;
mod source;
mod thrift;
mod uuids;
mod writing;

pub use crate::formats::{RowNames, Sought};
pub use arrow_schema::Schema;
pub use batch::{Batch, RowError};
pub use files::Files;
pub use ids::{Digits, IdColumn};
pub use judgments::{read_files, read_within};
pub use numbers::NumberColumn;
pub use one_query::OneQuery;
pub use parquet::ParquetFiles;
pub use roles::{Columns, shape};
pub use source::{Origin, Origins, Piece, Pieces, Reopen, Stream, locate};
pub use writing::parquet_file;
