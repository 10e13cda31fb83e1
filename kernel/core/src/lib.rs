//! The kernel of Gainful. Data flows one way through it:
//!
//! `read` and `columns` (bytes and Arrow batches to rows) → `rows` (judgments and runs in columns) → `judgments` and `ranking`
//! (grades after the convention's policies, documents in rank order) → `measures` (one query, one
//! number) → `unjudged` (how far labels of unjudged documents can move it) → `evaluate` (all queries, in
//! parallel). `reconcile` measures under many conventions at once. `resample` and `distributions` stand
//! apart: they are given plain numbers, of which tests and intervals are made.
//!
//! A convention is data ([`convention::Convention`]); no caller branches on the name of a tool.

pub mod columns;
pub mod convention;
pub mod distributions;
pub mod error;
pub mod evaluate;
pub mod explain;
pub mod formats;
pub mod formulas;
mod hash;
pub mod judgments;
pub mod known;
pub mod measures;
pub mod memory;
pub mod parallel;
mod pipes;
pub mod ranking;
pub mod read;
pub mod reconcile;
pub mod resample;
pub mod roles;
pub mod rows;
pub mod spans;
pub mod unjudged;
pub mod values;

pub use convention::Convention;
pub use error::{Code, Error, Kind, Result};
