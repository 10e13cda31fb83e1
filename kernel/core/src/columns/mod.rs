//! Columnar tables: Parquet files, Arrow files and Arrow streams, as batches of borrowed columns.
//!
//! A table comes in **pieces**: a record batch, which of its columns is which, and where its rows stand.
//! Whoever needs all of it in memory makes `Rows` of the pieces; `evaluate::evaluate_columns` measures
//! them while they are read, in the memory of a few.

mod arrow;
mod batch;
mod claims;
mod damage;
mod expansion;
mod footer;
mod headers;
mod held;
mod ids;
mod kinds;
mod messages;
mod numbers;
mod pages;
mod parquet;
mod roles;
mod slices;
mod source;
mod thrift;
mod uuids;

pub use batch::Batch;
pub use held::read_within;
pub use ids::{Digits, Ids};
pub use numbers::Numbers;
pub use parquet::ParquetFiles;
pub use roles::{Columns, Names};
pub use source::{Files, Origin, Piece, Pieces, Reopen, Stream, locate};
