//! Reads rows from bytes: sources, the moving window, the lexer, and TREC text.

mod ahead;
pub mod binary;
pub mod compression;
pub mod limits;
pub mod number;
pub mod place;
pub mod remote;
pub mod scan;
pub(crate) mod segments;
pub mod source;
pub mod stamp;
pub mod trec;
pub mod window;

pub use source::{Opened, Source};
