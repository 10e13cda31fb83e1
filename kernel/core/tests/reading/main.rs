//! Readers and writers of all formats, in one program: linking takes longer than the tests.

mod changed;
mod data;
mod delimited;
mod detect;
mod hostile;
mod json;
mod labels;
mod misread;
mod output;
mod svmlight;
mod threads;
mod write;
