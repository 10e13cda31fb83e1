//! Whether two runs return parts of one division of the texts into chunks.

use std::collections::{HashMap, HashSet};

use crate::error::Result;
use crate::rows::Rows;
use crate::spans::SpanPlace;

type Chunks<'a> = HashMap<&'a [u8], Vec<(u64, u64)>>;

/// Whether all chunks of two runs can be those of one splitter: of two chunks of a text, the one that begins
/// later does not end earlier. Where a run itself has chunks inside of others, most of the smaller set must be in
/// the larger one. Rows without places have no chunks.
pub fn same_chunks(one: &Rows, other: &Rows) -> Result<bool> {
    let (first, second) = (chunks(one)?, chunks(other)?);
    if is_nested(&first) || is_nested(&second) {
        let set = |chunks: &Chunks<'_>| -> HashSet<(Vec<u8>, u64, u64)> {
            let all = chunks.iter();
            all.flat_map(|(text, own)| own.iter().map(|&(start, end)| (text.to_vec(), start, end))).collect()
        };
        let (first, second) = (set(&first), set(&second));
        return Ok(2 * first.intersection(&second).count() > first.len().min(second.len()));
    }
    let mut all = first;
    for (text, more) in second {
        let own = all.entry(text).or_default();
        own.extend(more);
        own.sort_unstable();
        own.dedup();
    }
    Ok(!is_nested(&all))
}

/// The chunks of each text, in order of their starts, each once.
fn chunks(rows: &Rows) -> Result<Chunks<'_>> {
    let mut chunks = Chunks::new();
    for query in rows.iter() {
        for row in 0..query.documents.len() {
            if let Some(place) = SpanPlace::parse(query.document(row))? {
                chunks.entry(place.document).or_default().push((place.start, place.end));
            }
        }
    }
    for own in chunks.values_mut() {
        own.sort_unstable();
        own.dedup();
    }
    Ok(chunks)
}

/// Whether a chunk lies within another one; the last chunk of a text may end with the one before it.
fn is_nested(chunks: &Chunks<'_>) -> bool {
    chunks.values().any(|own| {
        own.windows(2).any(|pair| matches!(pair, [(start, end), (next, last)] if start == next || last < end))
    })
}

#[cfg(test)]
mod tests {
    use super::same_chunks;
    use crate::rows::{Rows, RowsBuilder};

    fn run(places: &[(&str, u64, u64)]) -> Rows {
        let mut builder = RowsBuilder::new(false);
        for (text, start, end) in places {
            let id = format!("{text}#char={start},{end}");
            builder.push(b"q", id.as_bytes(), 1.0, f64::NAN, 0);
        }
        builder.build()
    }

    #[test]
    fn parts_of_one_division_are_the_same_chunks() {
        let one = run(&[("a", 0, 400), ("a", 400, 800)]);
        let overlapping = run(&[("a", 0, 400), ("a", 200, 600), ("a", 400, 600), ("b", 0, 10)]);
        assert!(same_chunks(&one, &run(&[("a", 800, 1200), ("b", 0, 400)])).unwrap());
        assert!(same_chunks(&overlapping, &run(&[("a", 600, 1000)])).unwrap());
        assert!(same_chunks(&one, &run(&[])).unwrap());
        // The last chunk of a text is shorter.
        assert!(same_chunks(&one, &run(&[("a", 800, 870)])).unwrap());
    }

    #[test]
    fn chunks_in_or_around_others_are_another_division() {
        let small = run(&[("a", 0, 400), ("a", 400, 800)]);
        assert!(!same_chunks(&small, &run(&[("a", 0, 1200)])).unwrap());
        assert!(!same_chunks(&small, &run(&[("a", 450, 700)])).unwrap());
        assert!(!same_chunks(&small, &run(&[("a", 300, 900)])).unwrap());
    }

    #[test]
    fn runs_of_parents_and_children_share_most_chunks() {
        let both = run(&[("a", 0, 1000), ("a", 0, 200), ("a", 200, 400)]);
        assert!(same_chunks(&both, &run(&[("a", 0, 1000), ("a", 0, 200)])).unwrap());
        assert!(!same_chunks(&both, &run(&[("a", 0, 300), ("a", 0, 150)])).unwrap());
    }
}
