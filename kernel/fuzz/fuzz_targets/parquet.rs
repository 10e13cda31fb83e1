//! Parquet files.
#![no_main]

mod columns;

use gainful_core::formats::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| columns::read(bytes, Format::Parquet));
