//! JSON lines, as judgments and as a run.
#![no_main]

use gainful_core::formats::{Format, Request, read_bytes};
use gainful_core::read::trec::Table;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for table in [Table::Qrels, Table::Run] {
        let mut request = Request::new(Vec::new(), table);
        request.format = Some(Format::Jsonl);
        let _ = read_bytes(bytes, "fuzz", &request);
    }
});
