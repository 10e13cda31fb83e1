//! Mutated seeds through every reader: whatever comes in, rows or an error come out, in time.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests, too

use gainful_core::convention::Duplicates;
use gainful_core::formats::{Format, Request, read_bytes, write};
use gainful_core::parallel::Progress;
use gainful_core::read::trec::TableKind::{Qrels, Run};

const SEEDS: &[&[u8]] = &[
    b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 -1\n",
    b"q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.25 t\r\nq2 Q0 d1 1 1e-3 t",
    b"query_id\tdoc_id\tgrade\nq 1\td1\t1\nq 1\td2\t2\n",
    b"query_id,doc_id,rank,score\n\"q,\"\"1\",d1,1,0.5\nq2,\"d\n2\",2,0.25\n",
    b"q\td\t1\nq\te\t2\n",
    b"{\"q1\": {\"d1\": 1, \"d2\": 0.5}, \"q2\": {\"d3\": -1e3}}",
    b"{\"q1\": [\"d1\", 2], \"q2\": [[\"a\", 1.5], [\"b\", 0]]}",
    b"[[\"q1\", [\"a\", \"b\"]], [2, [[\"a\", 1]]], [\"q\", \"d\", 3]]",
    b"[{\"query_id\": 1, \"doc_id\": \"x\", \"score\": 0.5}, {\"qid\": \"1\", \"docno\": 7, \"sim\": 1}]",
    b"{\"mteb_model_meta\": {\"a\": [1]}, \"default\": {\"test\": {\"q\": {\"d\": 1}}}}",
    b"{\"query_id\": \"q\", \"doc_id\": \"d\", \"score\": 1}\n{\"query_id\": \"q\", \"results\": [{\"id\": 1}]}\n",
    b"2 qid:1 1:0.5 2:3 # docid = a\n0 qid:1 1:0 # docid = b\n1 qid:2 # c\n",
    b"2 qid:1 1:0.5\n0 qid:1 1:0\n",
    b"\xef\xbb\xbfq 0 d 1\n",
    b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x4b\x4e\x49",
    b"\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00",
    b"BZh91AY&SY",
    b"\xfd7zXZ\0\0\x04",
];

const PIECES: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r",
    b"\t",
    b" ",
    b",",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"#",
    b"qid:",
    b"-",
    b"1e999",
    b"NaN",
    b"nan",
    b"inf",
    b"9007199254740993",
    b"99999999999999999999",
    b"\xff",
    b"\xed\xa0\x80",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"true",
    b"-0",
    b"1.5",
    b"query_id",
    b"doc_id",
    b"score",
    b"grade",
];

/// SplitMix64: the same mutations on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    match random.below(6) {
        0 if at < bytes.len() => bytes[at] = random.next() as u8,
        1 => {
            let piece = PIECES[random.below(PIECES.len())];
            bytes.splice(at..at, piece.iter().copied());
        }
        2 => {
            let end = (at + 1 + random.below(8)).min(bytes.len());
            bytes.drain(at.min(end)..end);
        }
        3 => bytes.truncate(at),
        4 => {
            let other = SEEDS[random.below(SEEDS.len())];
            let from = random.below(other.len());
            bytes.splice(at..at, other[from..].iter().copied());
        }
        _ => {
            let end = (at + random.below(24)).min(bytes.len());
            let copy = bytes[at.min(end)..end].to_vec();
            bytes.splice(at..at, copy);
        }
    }
}

#[test]
fn nothing_panics_or_hangs() {
    let rounds: usize = std::env::var("GAINFUL_FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(900);
    let mut random = Random(20_260_301);
    let (mut read, mut refused) = (0u32, 0u32);
    for round in 0..rounds {
        let mut bytes = SEEDS[round % SEEDS.len()].to_vec();
        for _ in 0..=random.below(3) {
            mutate(&mut random, &mut bytes);
        }
        for table in [Qrels, Run] {
            for format in Format::ALL.iter().copied().map(Some).chain([None]) {
                let mut request = Request::new(Vec::new(), table);
                request.format = format;
                request.comments = random.below(2) == 0;
                request.header = [None, Some(true), Some(false)][random.below(3)];
                request.duplicates =
                    [Duplicates::Error, Duplicates::Count, Duplicates::Best][random.below(3)];
                match read_bytes(&bytes, "seed", &request) {
                    Ok(loaded) => {
                        read += 1;
                        assert!(loaded.rows.queries() > 0);
                        assert!(!loaded.scored || loaded.rows.values().iter().all(|value| value.is_finite()));
                        for &format in Format::ALL {
                            // What is accepted for writing must read back as the same rows.
                            let mut out = Vec::new();
                            if write(
                                &loaded.rows,
                                loaded.scored,
                                table,
                                format,
                                "t",
                                &mut out,
                                &Progress::default(),
                            )
                            .is_err()
                            {
                                continue;
                            }
                            let mut again = Request::new(Vec::new(), table);
                            (again.format, again.duplicates) = (Some(format), Duplicates::Count);
                            let again = read_bytes(&out, "again", &again).unwrap_or_else(|error| {
                                panic!("{error}\n{format:?} {:?}", String::from_utf8_lossy(&out))
                            });
                            assert_eq!(again.rows.len(), loaded.rows.len());
                            assert_eq!(again.rows.queries(), loaded.rows.queries());
                        }
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(error.file.is_some() || error.found.contains("split"), "{error}");
                        assert!(!error.found.is_empty(), "{error}");
                    }
                }
            }
        }
    }
    // Both have to happen, or the test tests nothing.
    assert!(read > 200 && refused > 200, "{read} read, {refused} refused");
}
