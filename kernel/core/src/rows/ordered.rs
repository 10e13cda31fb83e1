//! Queries in byte order of their ids.

use super::Span;
use crate::known::Known;

/// Sorts by the first field: few by comparison, many byte by byte from the last (a radix sort), leaving
/// out the bytes that are the same in all.
fn sort_by_prefix(sortable: &mut Vec<(u64, u32)>) {
    if sortable.len() < 4096 {
        sortable.sort_unstable_by_key(|&(prefix, _)| prefix);
        return;
    }
    let mut other = sortable.clone();
    for byte in 0..8 {
        let digit = |prefix: u64| (prefix >> (8 * byte)) as usize & 0xff;
        let mut next = [0usize; 256];
        for &(prefix, _) in sortable.iter() {
            *next.known_mut(digit(prefix)) += 1;
        }
        if next.contains(&sortable.len()) {
            continue;
        }
        let mut first = 0;
        for count in &mut next {
            first += std::mem::replace(count, first);
        }
        for &entry in sortable.iter() {
            if let Some(place) = next.get_mut(digit(entry.0)) {
                *other.known_mut(*place) = entry;
                *place += 1;
            }
        }
        std::mem::swap(sortable, &mut other);
    }
}

/// The numbers of ids in their byte order, and whether the ids are distinct. Most ids differ in their first
/// eight bytes, which are compared in place; only equal ones are looked up.
pub(super) fn in_byte_order(ids: &[Span], arena: &[u8]) -> (Vec<u32>, bool) {
    let prefix = |id: &[u8]| {
        let mut first = [0; 8];
        first.iter_mut().zip(id).for_each(|(byte, &own)| *byte = own);
        u64::from_be_bytes(first)
    };
    let id_of = |query: u32| ids.get(query as usize).map_or(&[][..], |id| id.of(arena));
    let mut sortable: Vec<(u64, u32)> =
        ids.iter().zip(0..).map(|(id, query)| (prefix(id.of(arena)), query)).collect();
    sort_by_prefix(&mut sortable);
    let mut distinct = true;
    for alike in sortable.chunk_by_mut(|a, b| a.0 == b.0) {
        if alike.len() > 1 {
            alike.sort_unstable_by(|a, b| id_of(a.1).cmp(id_of(b.1)));
            distinct &= alike.is_sorted_by(|a, b| id_of(a.1) != id_of(b.1));
        }
    }
    (sortable.into_iter().map(|(_, query)| query).collect(), distinct)
}
