//! The grades of the rows of a block.

use crate::known::Known;

/// Of each row, the grade of its document; NaN where unjudged.
#[derive(Default)]
pub(super) struct JudgedRows {
    /// One per row, or empty.
    grades: Vec<f64>,
    /// For large blocks: one bit per row, set for judged ones; the number of judged rows before each word; and
    /// the grades of the judged rows.
    bits: Vec<u64>,
    before: Vec<u32>,
    few: Vec<f64>,
}

impl JudgedRows {
    /// Begins a block: a grade for each row.
    pub(super) fn begin(&mut self, rows: usize) {
        self.clear_few();
        self.grades.clear();
        self.grades.resize(rows, f64::NAN);
    }

    /// Begins a large block, of which few rows are judged: rows in ascending order with their grades.
    pub(super) fn begin_large(&mut self, rows: usize, judged: impl Iterator<Item = (u32, f64)>) {
        self.grades = Vec::new();
        self.clear_few();
        self.bits.resize(rows.div_ceil(64), 0);
        for (row, grade) in judged {
            *self.bits.known_mut(row as usize / 64) |= 1 << (row % 64);
            self.few.push(grade);
        }
        let mut sum = 0;
        self.before.extend(self.bits.iter().map(|word| {
            let before = sum;
            sum += word.count_ones();
            before
        }));
    }

    fn clear_few(&mut self) {
        self.bits.clear();
        self.before.clear();
        self.few.clear();
    }

    #[inline]
    pub(super) fn get(&self, row: u32) -> f64 {
        if self.bits.is_empty() {
            return *self.grades.known(row as usize);
        }
        let (word, bit) = (row as usize / 64, 1 << (row % 64));
        match (self.bits.get(word), self.before.get(word)) {
            (Some(bits), Some(before)) if bits & bit != 0 => {
                let index = before + (bits & (bit - 1)).count_ones();
                *self.few.known(index as usize)
            }
            _ => f64::NAN,
        }
    }

    /// Sets the grade of a row of a block that is not large.
    #[inline]
    pub(super) fn set(&mut self, row: usize, grade: f64) {
        if let Some(slot) = self.grades.get_mut(row) {
            *slot = grade;
        }
    }

    /// Appends the grades of rows.
    #[inline]
    pub(super) fn extend(&self, rows: &[u32], into: &mut Vec<f64>) {
        if self.bits.is_empty() {
            let grades = &self.grades;
            into.extend(rows.iter().map(|&row| *grades.known(row as usize)));
        } else {
            into.extend(rows.iter().map(|&row| self.get(row)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::JudgedRows;

    #[test]
    fn grades_of_few_rows_are_those_of_all() {
        let judged: Vec<(u32, f64)> =
            (0..1000).filter(|row| row % 7 == 3 || row % 64 == 63).map(|row| (row, f64::from(row))).collect();
        let (mut all, mut few) = (JudgedRows::default(), JudgedRows::default());
        all.begin(1000);
        judged.iter().for_each(|&(row, grade)| all.set(row as usize, grade));
        few.begin_large(1000, judged.iter().copied());
        for row in 0..1000 {
            assert_eq!(all.get(row).to_bits(), few.get(row).to_bits(), "{row}");
        }
        few.begin(3);
        assert!(few.get(0).is_nan());
    }
}
