//! Runs of several systems in one table. Before the id of each query are the name of its system and a NUL byte,
//! which no id contains.

use std::collections::{HashMap, HashSet};

use super::{Rows, RowsBuilder};
use crate::error::{Error, Kind, Result};

/// The id of a query of a system.
#[must_use]
pub fn query_of_system(system: &[u8], query: &[u8]) -> Vec<u8> {
    [system, b"\0", query].concat()
}

/// The runs of a table by system.
#[derive(Debug)]
pub struct Systems {
    /// In order of first appearance.
    pub runs: Vec<(Vec<u8>, Rows)>,
    /// Whether a query has the same document in several runs.
    pub overlap: bool,
}

impl Rows {
    /// The runs of a table whose rows have a system.
    pub fn by_system(&self) -> Result<Systems> {
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut builders: Vec<(&[u8], RowsBuilder)> = Vec::new();
        let mut documents: HashSet<(&[u8], &[u8])> = HashSet::new();
        let mut overlap = false;
        for rows in self.iter() {
            let (system, id) =
                match rows.id.iter().position(|byte| *byte == 0).map(|end| rows.id.split_at(end)) {
                    Some((system, [_, id @ ..])) if !system.is_empty() => (system, id),
                    _ => {
                        let found = "some rows have a system and others have none";
                        return Err(Error::statement(Kind::Format, found).query(rows.id));
                    }
                };
            let place = *places.entry(system).or_insert(builders.len());
            if place == builders.len() {
                builders.push((system, RowsBuilder::like(self)));
            }
            let Some((_, builder)) = builders.get_mut(place) else { continue };
            let all = 0..rows.values.len();
            overlap = overlap || all.clone().any(|row| !documents.insert((id, rows.document(row))));
            builder.copy(&super::QueryRows { id, ..rows }, all);
        }
        let runs = builders.into_iter().map(|(system, builder)| (system.to_vec(), builder.build())).collect();
        Ok(Systems { runs, overlap })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_system_has_its_queries_in_their_order() {
        let mut builder = RowsBuilder::new(false);
        for (system, query, document) in
            [("b", "q2", "x"), ("a", "q1", "y"), ("b", "q1", "y"), ("b", "q2", "z")]
        {
            let id = query_of_system(system.as_bytes(), query.as_bytes());
            builder.push(&id, document.as_bytes(), 1.0, f64::NAN, 0);
        }
        builder.query(&query_of_system(b"a", b"q2"));
        let systems = builder.build().by_system().unwrap();
        let names: Vec<&[u8]> = systems.runs.iter().map(|(name, _)| name.as_slice()).collect();
        let queries = |number: usize| -> Vec<(Vec<u8>, usize)> {
            systems.runs[number].1.iter().map(|query| (query.id.to_vec(), query.documents.len())).collect()
        };
        assert_eq!(names, [b"b", b"a"]);
        assert_eq!(queries(0), [(b"q2".to_vec(), 2), (b"q1".to_vec(), 1)]);
        assert_eq!(queries(1), [(b"q1".to_vec(), 1), (b"q2".to_vec(), 0)]);
        assert!(systems.overlap);
        let mut builder = RowsBuilder::new(false);
        builder.push(b"q1", b"x", 1.0, f64::NAN, 0);
        assert!(builder.build().by_system().is_err());
    }
}
