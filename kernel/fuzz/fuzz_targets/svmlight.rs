//! SVMlight text; group sizes need a file and are not reached from here.
#![no_main]

use gainful_core::formats::{Format, Request, read_bytes};
use gainful_core::read::trec::Table;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut request = Request::new(Vec::new(), Table::Qrels);
    request.format = Some(Format::Svmlight);
    let _ = read_bytes(bytes, "fuzz", &request);
});
