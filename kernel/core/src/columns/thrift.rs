//! Walks the metadata of Parquet files without allocating the declared sizes. They are encoded in Thrift's
//! compact protocol.
//!
//! The parquet crate decodes a field by its number and ignores the type that is written with it. A known field
//! of another type is therefore refused: the walk and the crate would disagree on where the next field begins,
//! and what the walk has checked would not be what the crate reads.

/// The reasons why a walk ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// The bytes end before the structure does.
    Short,
    /// The metadata are wrong; the text says how.
    Wrong(&'static str),
}

/// The structures whose fields matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Struct {
    /// The footer: `FileMetaData`.
    File,
    SchemaElement,
    RowGroup,
    PageHeader,
    DataPage,
    DictionaryPage,
    DataPageV2,
    ColumnChunk,
    ColumnMetaData,
    EncodingStats,
    SortingColumn,
    KeyValue,
    ColumnOrder,
    Geospatial,
    BoundingBox,
    LogicalType,
    Decimal,
    Time,
    TimeUnit,
    IntType,
    Variant,
    Geometry,
    /// Any other structure, without known fields.
    Other,
}

/// The content of a known field.
#[derive(Debug, Clone, Copy)]
enum FieldKind {
    Bool,
    Byte,
    /// An integer of 16, 32 or 64 bits: all are encoded alike.
    Integer,
    Double,
    Binary,
    Integers,
    Binaries,
    Struct(Struct),
    Structs(Struct),
}

impl Struct {
    /// The content of a field; `None` for a field that the parquet crate skips by its written type.
    fn field(self, id: i16) -> Option<FieldKind> {
        use FieldKind::{Binaries, Binary, Bool, Byte, Double, Integer, Integers};
        Some(match (self, id) {
            (Self::File, 2) => FieldKind::Structs(Self::SchemaElement),
            (Self::File, 4) => FieldKind::Structs(Self::RowGroup),
            (Self::File, 5) => FieldKind::Structs(Self::KeyValue),
            (Self::File, 7) => FieldKind::Structs(Self::ColumnOrder),
            (Self::SchemaElement, 10) => FieldKind::Struct(Self::LogicalType),
            (Self::RowGroup, 1) => FieldKind::Structs(Self::ColumnChunk),
            (Self::RowGroup, 4) => FieldKind::Structs(Self::SortingColumn),
            (Self::ColumnChunk, 3) => FieldKind::Struct(Self::ColumnMetaData),
            (Self::ColumnMetaData, 2) => Integers,
            (Self::ColumnMetaData, 3) => Binaries,
            (Self::ColumnMetaData, 13) => FieldKind::Structs(Self::EncodingStats),
            (Self::ColumnMetaData, 17) => FieldKind::Struct(Self::Geospatial),
            (Self::Geospatial, 1) => FieldKind::Struct(Self::BoundingBox),
            (Self::Geospatial, 2) => Integers,
            (Self::BoundingBox, 1..=8) => Double,
            (Self::LogicalType, 5) => FieldKind::Struct(Self::Decimal),
            (Self::LogicalType, 7 | 8) => FieldKind::Struct(Self::Time),
            (Self::LogicalType, 10) => FieldKind::Struct(Self::IntType),
            (Self::LogicalType, 16) => FieldKind::Struct(Self::Variant),
            (Self::LogicalType, 17 | 18) => FieldKind::Struct(Self::Geometry),
            (Self::Time, 2) => FieldKind::Struct(Self::TimeUnit),
            (Self::LogicalType, 1..=19) | (Self::TimeUnit | Self::ColumnOrder, 1..=3) => {
                FieldKind::Struct(Self::Other)
            }
            (Self::PageHeader, 5) => FieldKind::Struct(Self::DataPage),
            (Self::PageHeader, 6) => FieldKind::Struct(Self::Other),
            (Self::PageHeader, 7) => FieldKind::Struct(Self::DictionaryPage),
            (Self::PageHeader, 8) => FieldKind::Struct(Self::DataPageV2),
            (Self::Time, 1)
            | (Self::IntType, 2)
            | (Self::SortingColumn, 2 | 3)
            | (Self::DictionaryPage, 3)
            | (Self::DataPageV2, 7) => Bool,
            (Self::IntType | Self::Variant, 1) => Byte,
            (Self::File, 6)
            | (Self::SchemaElement, 4)
            | (Self::KeyValue, 1 | 2)
            | (Self::ColumnChunk | Self::Geometry, 1) => Binary,
            (Self::File, 1 | 3)
            | (Self::SchemaElement, 1..=9)
            | (Self::RowGroup, 2 | 3 | 5 | 7)
            | (Self::ColumnChunk, 2 | 4..=7)
            | (Self::ColumnMetaData, 1 | 4..=7 | 9..=11 | 14 | 15)
            | (Self::EncodingStats, 1..=3)
            | (Self::SortingColumn, 1)
            | (Self::Decimal | Self::DictionaryPage, 1 | 2)
            | (Self::Geometry, 2)
            | (Self::PageHeader | Self::DataPage, 1..=4)
            | (Self::DataPageV2, 1..=6) => Integer,
            _ => return None,
        })
    }
}

/// The events of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// An integer, or the length of bytes.
    Value(i64),
    /// A list of this many structures begins.
    List(usize),
    /// The structure ends.
    End,
}

/// The types of the compact protocol, by their numbers.
mod code {
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I32: u8 = 5;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(super) const STRUCT: u8 = 12;
    pub(super) const UUID: u8 = 13;
}

/// How deep structures of unknown fields may be nested; the parquet crate refuses deeper ones, too.
const DEEPEST: u8 = 64;

const UNEXPECTED: Flaw = Flaw::Wrong("a field of its metadata has another type than it should");
const TOO_MANY: Flaw = Flaw::Wrong("a list of its metadata claims more elements than there are bytes");

type ThriftResult<T> = std::result::Result<T, Flaw>;

/// Walks over one structure and returns its length in bytes. `found` receives the known fields.
pub(super) fn walk(
    bytes: &[u8],
    whole: Struct,
    found: &mut dyn FnMut(Struct, i16, Event) -> ThriftResult<()>,
) -> ThriftResult<usize> {
    let mut walker = Walker { rest: bytes, found };
    walker.structure(whole)?;
    Ok(bytes.len() - walker.rest.len())
}

struct Walker<'a, 'f> {
    rest: &'a [u8],
    found: &'f mut dyn FnMut(Struct, i16, Event) -> ThriftResult<()>,
}

impl Walker<'_, '_> {
    fn structure(&mut self, own: Struct) -> ThriftResult<()> {
        let mut last = 0;
        while let Some((id, kind)) = self.field(last)? {
            last = id;
            match own.field(id) {
                Some(known) => self.known(own, id, known, kind)?,
                None => self.skip(kind, DEEPEST)?,
            }
        }
        (self.found)(own, 0, Event::End)
    }

    /// The number and type of the next field; `None` at the end of the structure.
    fn field(&mut self, last: i16) -> ThriftResult<Option<(i16, u8)>> {
        let byte = self.byte()?;
        let (delta, kind) = (i16::from(byte >> 4), byte & 0xf);
        if kind == 0 {
            return Ok(None);
        }
        let id =
            if delta == 0 { self.integer()? as i16 } else { last.checked_add(delta).ok_or(UNEXPECTED)? };
        Ok(Some((id, kind)))
    }

    fn known(&mut self, own: Struct, id: i16, known: FieldKind, kind: u8) -> ThriftResult<()> {
        let event = match (known, kind) {
            (FieldKind::Bool, code::TRUE | code::FALSE) => return Ok(()),
            (FieldKind::Byte, code::BYTE) => return self.byte().map(drop),
            (FieldKind::Double, code::DOUBLE) => return self.pass(8),
            (FieldKind::Integer, code::I16 | code::I32 | code::I64) => Event::Value(self.integer()?),
            (FieldKind::Binary, code::BINARY) => Event::Value(self.binary()?),
            (FieldKind::Struct(under), code::STRUCT) => return self.structure(under),
            (FieldKind::Integers, code::LIST) => {
                return self.list(code::I32, |walker| walker.integer().map(drop));
            }
            (FieldKind::Binaries, code::LIST) => {
                return self.list(code::BINARY, |walker| walker.binary().map(drop));
            }
            (FieldKind::Structs(under), code::LIST) => {
                let size = self.list_of(code::STRUCT)?;
                (self.found)(own, id, Event::List(size))?;
                for _ in 0..size {
                    self.structure(under)?;
                }
                return Ok(());
            }
            _ => return Err(UNEXPECTED),
        };
        (self.found)(own, id, event)
    }

    fn list(&mut self, kind: u8, each: impl Fn(&mut Self) -> ThriftResult<()>) -> ThriftResult<()> {
        (0..self.list_of(kind)?).try_for_each(|_| each(self))
    }

    /// The size of a list of a known type.
    fn list_of(&mut self, kind: u8) -> ThriftResult<usize> {
        let (size, found) = self.list_begin()?;
        if size > 0 && found != kind { Err(UNEXPECTED) } else { Ok(size) }
    }

    /// The size of a list, and the type of its elements.
    fn list_begin(&mut self) -> ThriftResult<(usize, u8)> {
        let byte = self.byte()?;
        let size = if byte >> 4 == 15 { self.number()? } else { u64::from(byte >> 4) };
        Ok((self.room_for(size)?, byte & 0xf))
    }

    /// A number of elements, each at least one byte long.
    fn room_for(&self, size: u64) -> ThriftResult<usize> {
        usize::try_from(size).ok().filter(|&size| size <= self.rest.len()).ok_or(TOO_MANY)
    }

    /// Skips an unknown field.
    fn skip(&mut self, kind: u8, depth: u8) -> ThriftResult<()> {
        let depth = depth.checked_sub(1).ok_or(Flaw::Wrong("its metadata are nested too deeply"))?;
        match kind {
            code::TRUE | code::FALSE => Ok(()),
            code::BYTE => self.pass(1),
            code::I16 | code::I32 | code::I64 => self.number().map(drop),
            code::DOUBLE => self.pass(8),
            code::UUID => self.pass(16),
            code::BINARY => self.binary().map(drop),
            code::STRUCT => {
                while let Some((_, kind)) = self.field(0)? {
                    self.skip(kind, depth)?;
                }
                Ok(())
            }
            code::LIST | code::SET => {
                let (size, kind) = self.list_begin()?;
                self.elements(size, &[kind], depth)
            }
            code::MAP => {
                let size = self.number()?;
                if size == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                let size = self.room_for(size)?;
                self.elements(size, &[kinds >> 4, kinds & 0xf], depth)
            }
            _ => Err(UNEXPECTED),
        }
    }

    fn elements(&mut self, size: usize, kinds: &[u8], depth: u8) -> ThriftResult<()> {
        // In a list each has one byte. The crate would count to the declared number without reading.
        if size > 0 && kinds.iter().any(|kind| matches!(*kind, code::TRUE | code::FALSE)) {
            return Err(UNEXPECTED);
        }
        for _ in 0..size {
            for &kind in kinds {
                self.skip(kind, depth)?;
            }
        }
        Ok(())
    }

    /// Skips bytes and returns their length.
    fn binary(&mut self) -> ThriftResult<i64> {
        let length = self.number()?;
        self.pass(usize::try_from(length).map_err(|_| Flaw::Short)?)?;
        Ok(i64::try_from(length).unwrap_or(i64::MAX))
    }

    /// A signed integer.
    fn integer(&mut self) -> ThriftResult<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// An unsigned integer, seven bits per byte; excess bits wrap around, as in the crate.
    fn number(&mut self) -> ThriftResult<u64> {
        let (mut number, mut shift) = (0, 0_u32);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).wrapping_shl(shift);
            if byte < 0x80 {
                return Ok(number);
            }
            shift = shift.wrapping_add(7);
        }
    }

    fn byte(&mut self) -> ThriftResult<u8> {
        let (&byte, rest) = self.rest.split_first().ok_or(Flaw::Short)?;
        self.rest = rest;
        Ok(byte)
    }

    fn pass(&mut self, length: usize) -> ThriftResult<()> {
        self.rest = self.rest.get(length..).ok_or(Flaw::Short)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bytes: &[u8], whole: Struct) -> ThriftResult<Vec<(Struct, i16, Event)>> {
        let mut found = Vec::new();
        walk(bytes, whole, &mut |own, id, event| {
            found.push((own, id, event));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn a_page_header_is_walked() {
        // A dictionary page of 1000 bytes, 500 compressed, with 3 values.
        let bytes =
            [0x15, 0x04, 0x15, 0xd0, 0x0f, 0x15, 0xe8, 0x07, 0x4c, 0x15, 0x06, 0x15, 0x00, 0, 0, 9, 9];
        let found = values(&bytes, Struct::PageHeader).unwrap();
        assert_eq!(found[1], (Struct::PageHeader, 2, Event::Value(1000)));
        assert_eq!(found[2], (Struct::PageHeader, 3, Event::Value(500)));
        assert_eq!(found[3], (Struct::DictionaryPage, 1, Event::Value(3)));
        assert_eq!(found.last(), Some(&(Struct::PageHeader, 0, Event::End)));
        assert_eq!(walk(&bytes, Struct::PageHeader, &mut |_, _, _| Ok(())), Ok(bytes.len() - 2));
        for length in 0..bytes.len() - 2 {
            assert_eq!(values(&bytes[..length], Struct::PageHeader), Err(Flaw::Short));
        }
    }

    #[test]
    fn known_fields_must_have_their_type() {
        // The version as bytes, in which another footer might hide.
        assert_eq!(values(&[0x18, 0x01, 0x00, 0x00], Struct::File), Err(UNEXPECTED));
        assert!(values(&[0x14, 0x02, 0x00], Struct::File).is_ok());
    }

    #[test]
    fn lists_have_no_more_elements_than_bytes() {
        for (bytes, flaw) in [
            (&[0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00][..], TOO_MANY),
            // Unknown fields: a list of a billion booleans, a map of as many, and lists in lists.
            (&[0xf9, 0xf1, 0x80, 0x94, 0xeb, 0xdc, 0x03, 0x00][..], TOO_MANY),
            (&[0xf9, 0x11, 0x01, 0x00][..], UNEXPECTED),
            (&[0xfb, 0x80, 0x94, 0xeb, 0xdc, 0x03, 0x11, 0x00][..], TOO_MANY),
        ] {
            assert_eq!(values(bytes, Struct::File), Err(flaw), "{bytes:?}");
        }
        let mut deep = [0x19; 100];
        deep[0] = 0xf9;
        assert!(matches!(values(&deep, Struct::File), Err(Flaw::Wrong(said)) if said.contains("nested")));
    }
}
