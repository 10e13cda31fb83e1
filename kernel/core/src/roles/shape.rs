//! What is seen of the fields of a table before it is read.

/// The kinds of the values of a field, as a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// Absent, null, NaN and an empty cell are one thing.
    pub const NULL: Self = Self(1);
    pub const BOOL: Self = Self(2);
    pub const NUMBER: Self = Self(4);
    pub const TEXT: Self = Self(8);
    pub const OBJECT: Self = Self(16);
    /// A list without elements.
    pub const EMPTY: Self = Self(32);
    /// A list of ids: texts or numbers.
    pub const IDS: Self = Self(64);
    pub const OBJECTS: Self = Self(128);
    /// A list of lists.
    pub const LISTS: Self = Self(256);
    /// A list of lists of one id and one number.
    pub const PAIRS: Self = Self(512);
    /// A list of different things.
    pub const MIXED: Self = Self(1024);
    /// Text with white space, alone or in a list.
    pub const SENTENCES: Self = Self(2048);
    /// A list of numbers; whole ones may be ids, too.
    pub const NUMBERS: Self = Self(4096);

    pub const SCALAR: Self = Self(2 | 4 | 8);
    pub const ANY_LIST: Self = Self(32 | 64 | 128 | 256 | 512 | 1024);

    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[must_use]
    pub const fn only(self, other: Self) -> bool {
        self.0 & !(other.0 | Self::NULL.0 | Self::SENTENCES.0) == 0
    }

    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A field of a table, or of the objects in one of its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: String,
    pub kinds: Kinds,
    /// Whether every number was whole.
    pub whole: bool,
    /// The number of the record, from 0, in which it was first seen.
    pub first: u64,
    /// Members of objects, and of the objects of lists.
    pub members: Vec<Field>,
}

impl Field {
    #[must_use]
    pub fn new(name: &str, first: u64) -> Self {
        Self { name: name.to_owned(), kinds: Kinds::default(), whole: true, first, members: Vec::new() }
    }

    pub fn see(&mut self, kind: Kinds) {
        self.kinds = self.kinds.with(kind);
    }

    pub fn see_number(&mut self, number: f64) {
        if number.is_nan() {
            return self.see(Kinds::NULL);
        }
        self.see(Kinds::NUMBER);
        self.whole &= number.fract() == 0.0;
    }

    /// Sees a cell of text: what it looks like, and that it is text. Its value stays what is written.
    pub fn see_cell(&mut self, cell: &str) {
        let bare = cell.trim();
        if bare.is_empty() {
            return self.see(Kinds::NULL);
        }
        self.see(Kinds::TEXT);
        if bare.eq_ignore_ascii_case("true") || bare.eq_ignore_ascii_case("false") {
            self.see(Kinds::BOOL);
        } else if let Ok(number) = bare.parse::<f64>() {
            self.see_number(number);
        } else if bare.starts_with('[') && bare.ends_with(']') {
            self.see(Kinds::IDS);
        }
        let inside = bare.trim_start_matches('[').trim_end_matches(']');
        let mut parts = inside.split(['|', ';', ',', ' ']).filter(|part| !part.is_empty());
        if inside.len() < bare.len() || parts.clone().nth(1).is_some() {
            let numbers = parts.all(|part| part.parse::<f64>().is_ok());
            self.see(if numbers { Kinds::NUMBERS } else { Kinds::default() });
        }
    }

    /// The member of this name, new if need be.
    #[allow(clippy::indexing_slicing)] // the place is one of those that exist
    pub fn member(&mut self, name: &str, record: u64) -> &mut Field {
        let place = self.members.iter().position(|member| member.name == name);
        let place = place.unwrap_or_else(|| {
            self.members.push(Field::new(name, record));
            self.members.len() - 1
        });
        &mut self.members[place]
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Field> {
        self.members.iter().find(|member| member.name == name)
    }
}
