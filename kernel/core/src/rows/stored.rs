//! Rows as bytes, to be sent to another process and back.
//!
//! Little-endian numbers of 64 bits: how many queries, how many rows, whether there are ranks. Of each
//! query the length of its id, how many rows it has, and the id. Then, query by query, the lengths of
//! the documents' ids, the values, the ranks if there are any, and the ids.
//!
//! Rows with labels have another magic number. The names of the labels follow it (how many, the length
//! of each, all of them), and after the ids of each query's documents the numbers of their labels.

use super::{Rows, RowsBuilder};

/// Before the columns, so that other bytes are not taken for rows.
const MAGIC: &[u8; 8] = b"gainful1";
const LABELLED: &[u8; 8] = b"gainful2";

impl Rows {
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let labelled = self.has_labels();
        let mut bytes = if labelled { LABELLED } else { MAGIC }.to_vec();
        let number = |bytes: &mut Vec<u8>, value: usize| bytes.extend((value as u64).to_le_bytes());
        if labelled {
            let names = self.label_names();
            number(&mut bytes, names.len());
            names.iter().for_each(|name| number(&mut bytes, name.length as usize));
            names.iter().for_each(|name| bytes.extend_from_slice(name.of(self.arena())));
        }
        number(&mut bytes, self.queries());
        number(&mut bytes, self.len());
        number(&mut bytes, usize::from(self.has_ranks()));
        for query in self.iter() {
            number(&mut bytes, query.id.len());
            number(&mut bytes, query.values.len());
            bytes.extend_from_slice(query.id);
        }
        for query in self.iter() {
            for row in 0..query.values.len() {
                number(&mut bytes, query.document(row).len());
            }
            bytes.extend(query.values.iter().flat_map(|value| value.to_le_bytes()));
            bytes.extend(query.ranks.iter().flat_map(|rank| rank.to_le_bytes()));
            for row in 0..query.values.len() {
                bytes.extend_from_slice(query.document(row));
            }
            query.labels.iter().for_each(|&label| number(&mut bytes, label as usize));
        }
        bytes
    }

    /// None for bytes that [`Rows::to_bytes`] did not make.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let labelled = bytes.starts_with(LABELLED);
        let mut rest = bytes.strip_prefix(if labelled { LABELLED } else { MAGIC })?;
        let names = if labelled { names(&mut rest)? } else { Vec::new() };
        let (queries, rows, ranked) = (number(&mut rest)?, number(&mut rest)?, number(&mut rest)? != 0);
        let mut groups = Vec::new();
        for _ in 0..queries {
            let (length, count) = (number(&mut rest)?, number(&mut rest)?);
            groups.push((rest.split_off(..length)?, count));
        }
        let mut builder = RowsBuilder::new(ranked);
        for (query, count) in groups {
            let mut lengths = rest.split_off(..count.checked_mul(8)?)?;
            let mut values = rest.split_off(..count.checked_mul(8)?)?;
            let mut ranks = if ranked { rest.split_off(..count.checked_mul(8)?)? } else { &[] };
            builder.piece(query, builder.len());
            let mut documents = Vec::new();
            for _ in 0..count {
                documents.push(rest.split_off(..number(&mut lengths)?)?);
            }
            for document in documents {
                if labelled {
                    builder.label(names.get(number(&mut rest)?)?);
                }
                let value = float(&mut values)?;
                let rank = if ranked { float(&mut ranks)? } else { f64::NAN };
                builder.add(document, value, rank);
            }
        }
        (rest.is_empty() && builder.len() == rows).then(|| builder.build())
    }
}

fn names<'a>(rest: &mut &'a [u8]) -> Option<Vec<&'a [u8]>> {
    let count = number(rest)?;
    let mut lengths = rest.split_off(..count.checked_mul(8)?)?;
    (0..count).map(|_| rest.split_off(..number(&mut lengths)?)).collect()
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let own = bytes.split_off(..8)?;
    usize::try_from(u64::from_le_bytes(own.try_into().ok()?)).ok()
}

fn float(bytes: &mut &[u8]) -> Option<f64> {
    let own = bytes.split_off(..8)?;
    Some(f64::from_le_bytes(own.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(ranked: bool, labelled: bool) -> Rows {
        let mut builder = RowsBuilder::new(ranked);
        for (query, document, value) in [("b", "x", 1.0), ("a", "", 2.5), ("b", "\u{e9}", -3.0)] {
            if labelled {
                builder.label(format!("{value}").as_bytes());
            }
            builder.push(query.as_bytes(), document.as_bytes(), value, value + 1.0, 0);
        }
        builder.query(b"nothing retrieved");
        builder.build()
    }

    #[test]
    fn bytes_restore_the_rows() {
        for (ranked, labelled) in [(false, false), (true, false), (false, true), (true, true)] {
            let rows = sample(ranked, labelled);
            let back = Rows::from_bytes(&rows.to_bytes()).unwrap();
            assert!(rows.same(&back, false) && back.queries() == 3);
            assert_eq!(rows.query(0).ranks, back.query(0).ranks);
            assert_eq!(rows.query(0).values, back.query(0).values);
            assert_eq!((rows.has_labels(), rows.query(1).label(0)), (labelled, back.query(1).label(0)));
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        for labelled in [false, true] {
            refused(&sample(true, labelled).to_bytes());
        }
    }

    fn refused(bytes: &[u8]) {
        for end in 0..bytes.len() {
            assert!(Rows::from_bytes(&bytes[..end]).is_none());
        }
        let mut longer = bytes.to_vec();
        longer.push(0);
        assert!(Rows::from_bytes(&longer).is_none());
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.to_vec();
            changed[at] = 0xff;
            // The result does not matter: reading must not panic or allocate much memory.
            let _ = Rows::from_bytes(&changed);
        }
    }
}
