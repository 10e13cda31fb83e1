//! TSV, CSV and whatever detection makes of the bytes, with every answer about the header.
#![no_main]

use gainful_core::formats::{Format, Request, read_bytes};
use gainful_core::read::trec::Table;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for table in [Table::Qrels, Table::Run] {
        for format in [Some(Format::Tsv), Some(Format::Csv), None] {
            for header in [None, Some(true), Some(false)] {
                let mut request = Request::new(Vec::new(), table);
                (request.format, request.header) = (format, header);
                let _ = read_bytes(bytes, "fuzz", &request);
            }
        }
    }
});
