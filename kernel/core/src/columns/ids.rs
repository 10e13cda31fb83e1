//! A column of ids of any Arrow type.

use std::mem::MaybeUninit;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BinaryViewArray, StringViewArray};
use arrow_schema::DataType;

use crate::known::Known;
use crate::read::number;
use crate::rows::Span;

/// Room for the decimal text of a 64-bit integer.
pub type Digits = [u8; 20];

/// The values of a column of ids, borrowed.
pub enum IdColumn<'a> {
    Offsets32(&'a [i32], &'a [u8]),
    Offsets64(&'a [i64], &'a [u8]),
    /// Views of 16 bytes: a length, then the bytes themselves or their position.
    Views(&'a [u128], Vec<&'a [u8]>),
    /// Values of a fixed number of bytes.
    Fixed(usize, &'a [u8]),
    Integers(Integers<'a>),
    Keys(Integers<'a>, Box<IdColumn<'a>>),
}

/// Integers of any width.
#[derive(Clone, Copy)]
pub enum Integers<'a> {
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

/// Runs the same code for each width.
macro_rules! each {
    ($integers:expr, $slice:ident => $code:expr) => {
        match $integers {
            Integers::I8($slice) => $code,
            Integers::I16($slice) => $code,
            Integers::I32($slice) => $code,
            Integers::I64($slice) => $code,
            Integers::U8($slice) => $code,
            Integers::U16($slice) => $code,
            Integers::U32($slice) => $code,
            Integers::U64($slice) => $code,
        }
    };
}
pub(super) use each;

impl<'a> Integers<'a> {
    pub fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int8 => Self::I8(array.as_primitive::<Int8Type>().values()),
            DataType::Int16 => Self::I16(array.as_primitive::<Int16Type>().values()),
            DataType::Int32 => Self::I32(array.as_primitive::<Int32Type>().values()),
            DataType::Int64 => Self::I64(array.as_primitive::<Int64Type>().values()),
            DataType::UInt8 => Self::U8(array.as_primitive::<UInt8Type>().values()),
            DataType::UInt16 => Self::U16(array.as_primitive::<UInt16Type>().values()),
            DataType::UInt32 => Self::U32(array.as_primitive::<UInt32Type>().values()),
            DataType::UInt64 => Self::U64(array.as_primitive::<UInt64Type>().values()),
            _ => return None,
        })
    }

    /// Wide enough for all: 0 beyond the end.
    #[inline]
    pub(super) fn get(&self, row: usize) -> i128 {
        each!(self, slice => slice.get(row).map_or(0, |&value| i128::from(value)))
    }
}

impl<'a> IdColumn<'a> {
    /// Whether a type can be read as ids.
    #[must_use]
    pub fn takes(kind: &DataType) -> bool {
        match kind {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
            DataType::FixedSizeBinary(_) => true,
            DataType::Dictionary(_, values) => Self::takes(values),
            kind => kind.is_integer(),
        }
    }

    /// `None` for a type that cannot be read as ids.
    pub fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => {
                let array = array.as_string::<i32>();
                Self::Offsets32(array.value_offsets(), array.value_data())
            }
            DataType::Binary => {
                let array = array.as_binary::<i32>();
                Self::Offsets32(array.value_offsets(), array.value_data())
            }
            DataType::LargeUtf8 => {
                let array = array.as_string::<i64>();
                Self::Offsets64(array.value_offsets(), array.value_data())
            }
            DataType::LargeBinary => {
                let array = array.as_binary::<i64>();
                Self::Offsets64(array.value_offsets(), array.value_data())
            }
            DataType::Utf8View => {
                let array: &StringViewArray = array.as_string_view();
                Self::Views(array.views(), array.data_buffers().iter().map(|buffer| &**buffer).collect())
            }
            DataType::BinaryView => {
                let array: &BinaryViewArray = array.as_binary_view();
                Self::Views(array.views(), array.data_buffers().iter().map(|buffer| &**buffer).collect())
            }
            DataType::FixedSizeBinary(width) => {
                let array = array.as_fixed_size_binary();
                Self::Fixed(usize::try_from(*width).ok()?, array.value_data())
            }
            DataType::Dictionary(_, _) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let values = dictionary.values();
                Self::Keys(Integers::of(dictionary.keys())?, Box::new(Self::of(values)?))
            }
            _ => Self::Integers(Integers::of(array)?),
        })
    }

    /// The bytes of an id; an integer is its decimal text, written into `digits`.
    #[inline]
    pub fn get<'b>(&'b self, row: usize, digits: &'b mut Digits) -> &'b [u8] {
        match self {
            Self::Offsets32(offsets, bytes) => match offsets.get(row..row + 2) {
                Some(&[start, end]) => bytes.get(start as usize..end as usize).unwrap_or_default(),
                _ => &[],
            },
            Self::Offsets64(offsets, bytes) => match offsets.get(row..row + 2) {
                Some(&[start, end]) => bytes.get(start as usize..end as usize).unwrap_or_default(),
                _ => &[],
            },
            Self::Views(views, buffers) => views.get(row).map_or(&[][..], |view| {
                if *view as u32 > INLINE {
                    return elsewhere(*view, buffers);
                }
                *digits = [0; 20];
                let (own, _) = digits.split_at_mut(16);
                own.copy_from_slice(&view.to_le_bytes());
                own.get(4..4 + *view as u32 as usize).unwrap_or_default()
            }),
            Self::Fixed(width, bytes) => bytes.get(row * width..(row + 1) * width).unwrap_or_default(),
            Self::Integers(integers) => decimal(integers.get(row), digits),
            Self::Keys(keys, values) => {
                values.get(usize::try_from(keys.get(row)).unwrap_or(usize::MAX >> 1), digits)
            }
        }
    }

    /// The size in bytes of the ids of all rows; an integer has 8.
    pub(super) fn bytes(&self, rows: usize) -> u64 {
        match self {
            Self::Offsets32(offsets, _) => match (offsets.first(), offsets.last()) {
                (Some(&first), Some(&last)) => u64::try_from(i64::from(last) - i64::from(first)).unwrap_or(0),
                _ => 0,
            },
            Self::Offsets64(offsets, _) => match (offsets.first(), offsets.last()) {
                (Some(&first), Some(&last)) => u64::try_from(last.saturating_sub(first)).unwrap_or(0),
                _ => 0,
            },
            Self::Views(views, _) => views.iter().map(|view| u64::from(*view as u32)).sum(),
            Self::Fixed(width, _) => (*width as u64).saturating_mul(rows as u64),
            Self::Integers(_) => (rows as u64).saturating_mul(8),
            Self::Keys(keys, values) => (0..rows)
                .map(|row| usize::try_from(keys.get(row)).map_or(0, |key| values.bytes_at(key)))
                .sum(),
        }
    }

    /// The size in bytes of one id.
    fn bytes_at(&self, row: usize) -> u64 {
        match self {
            Self::Offsets32(offsets, _) => match offsets.get(row..row + 2) {
                Some(&[start, end]) => u64::try_from(i64::from(end) - i64::from(start)).unwrap_or(0),
                _ => 0,
            },
            Self::Offsets64(offsets, _) => match offsets.get(row..row + 2) {
                Some(&[start, end]) => u64::try_from(end.saturating_sub(start)).unwrap_or(0),
                _ => 0,
            },
            Self::Views(views, _) => views.get(row).map_or(0, |view| u64::from(*view as u32)),
            Self::Fixed(width, _) => *width as u64,
            Self::Integers(_) => 8,
            Self::Keys(keys, values) => usize::try_from(keys.get(row)).map_or(0, |key| values.bytes_at(key)),
        }
    }

    /// The first row whose key is not in the dictionary.
    #[must_use]
    #[allow(clippy::unnecessary_cast)] // of one of the widths
    pub fn astray(&self, array: &dyn Array) -> Option<usize> {
        let Self::Keys(keys, _) = self else { return None };
        let count = array.as_any_dictionary_opt()?.values().len() as u64;
        // As an unsigned number, a negative key is very large.
        each!(keys, slice => {
            let all = slice.iter().fold(true, |all, &key| all & ((key as u64) < count));
            if all {
                return None;
            }
            slice.iter().enumerate().find(|&(row, &key)| (key as u64) >= count && array.is_valid(row))
                .map(|(row, _)| row)
        })
    }

    /// Whether a row has the id of the previous row. May be false for equal ids.
    fn same_as_before(&self, row: usize) -> bool {
        match self {
            Self::Views(views, buffers) => match views.get(row - 1..=row) {
                Some(&[a, b]) if a as u32 <= INLINE => a == b,
                Some(&[a, b]) => a as u64 == b as u64 && elsewhere(a, buffers) == elsewhere(b, buffers),
                _ => false,
            },
            _ => self.get(row - 1, &mut [0; 20]) == self.get(row, &mut [0; 20]),
        }
    }

    /// The rows of a range where a new id begins; always includes the first.
    pub fn starts(&self, rows: Range<usize>) -> Vec<usize> {
        let first = rows.start;
        if let Self::Integers(integers) | Self::Keys(integers, _) = self {
            return each!(integers, slice => {
                let pairs = slice.known(rows.clone()).windows(2).zip(first + 1..);
                let others = pairs.filter(|(pair, _)| !matches!(pair, [a, b] if a == b));
                rows.take(1).chain(others.map(|(_, row)| row)).collect()
            });
        }
        rows.filter(|&row| row == first || !self.same_as_before(row)).collect()
    }

    /// Whether integer ids are signed or fit into a signed type; `None` for other ids.
    #[must_use]
    pub fn signed(&self) -> Option<bool> {
        match self {
            Self::Integers(Integers::U64(_)) => Some(false),
            Self::Integers(_) => Some(true),
            _ => None,
        }
    }

    /// The integers of a column of 64 bits each, as two's complement.
    pub(super) fn borrowed_bits(array: &dyn Array) -> Option<&[u64]> {
        Some(match array.data_type() {
            DataType::Int64 => array.as_primitive::<Int64Type>().values().inner().typed_data(),
            DataType::UInt64 => array.as_primitive::<UInt64Type>().values().inner().typed_data(),
            _ => return None,
        })
    }

    /// Appends the integers of a range, as two's complement.
    pub fn bits(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        match self {
            Self::Integers(Integers::U64(values)) => {
                into.extend_from_slice(values.known(rows));
            }
            Self::Integers(integers) => each!(integers, slice => {
                into.extend(slice.known(rows).iter().map(|&value| i128::from(value) as u64));
            }),
            _ => {}
        }
    }

    /// Appends the ids of a range to an arena, and a span for each.
    pub fn append(&self, rows: Range<usize>, arena: &mut Vec<u8>, spans: &mut Vec<Span>) {
        match self {
            Self::Offsets32(offsets, bytes) => {
                contiguous(offsets.get(rows.start..=rows.end).unwrap_or_default(), bytes, arena, spans);
            }
            Self::Offsets64(offsets, bytes) => {
                contiguous(offsets.get(rows.start..=rows.end).unwrap_or_default(), bytes, arena, spans);
            }
            Self::Integers(integers) => each!(integers, slice => {
                for &value in slice.known(rows) {
                    push(decimal(i128::from(value), &mut [0; 20]), arena, spans);
                }
            }),
            Self::Views(..) | Self::Fixed(..) | Self::Keys(..) => {
                for row in rows {
                    push(self.get(row, &mut [0; 20]), arena, spans);
                }
            }
        }
    }

    /// The size in bytes of the ids of a range.
    pub fn room(&self, rows: Range<usize>) -> usize {
        match self {
            Self::Offsets32(offsets, _) => {
                let at = |row: usize| offsets.get(row).map_or(0, |&offset| offset as usize);
                at(rows.end).saturating_sub(at(rows.start))
            }
            Self::Offsets64(offsets, _) => {
                let at = |row: usize| offsets.get(row).map_or(0, |&offset| offset as usize);
                at(rows.end).saturating_sub(at(rows.start))
            }
            Self::Views(views, _) => views.known(rows).iter().map(|&view| view as u32 as usize).sum(),
            Self::Integers(integers) => {
                each!(integers, slice => slice.known(rows).iter()
                    .map(|&value| length(i128::from(value))).sum())
            }
            Self::Fixed(width, _) => width * rows.len(),
            Self::Keys(..) => rows.map(|row| self.get(row, &mut [0; 20]).len()).sum(),
        }
    }

    /// Copies the ids of a range into `room`, which begins at `at` of its arena, and writes a span for each;
    /// returns how many it wrote. IdColumn that do not fit, because of a producer's wrong offsets, are cut.
    pub fn fill(
        &self,
        rows: Range<usize>,
        at: u64,
        room: &mut [u8],
        spans: &mut [MaybeUninit<Span>],
    ) -> usize {
        let mut packer = Packer { at, room, used: 0, spans: spans.iter_mut(), written: 0 };
        match self {
            Self::Offsets32(offsets, bytes) => {
                packer.contiguous(offsets.get(rows.start..=rows.end).unwrap_or_default(), bytes);
            }
            Self::Offsets64(offsets, bytes) => {
                packer.contiguous(offsets.get(rows.start..=rows.end).unwrap_or_default(), bytes);
            }
            Self::Integers(integers) => each!(integers, slice => {
                for &value in slice.known(rows) {
                    packer.put(decimal(i128::from(value), &mut [0; 20]));
                }
            }),
            Self::Views(views, buffers) => {
                for &view in views.known(rows) {
                    if view as u32 <= INLINE {
                        packer.put_short((view >> 32).to_le_bytes(), view as u32 as usize);
                    } else {
                        packer.put(elsewhere(view, buffers));
                    }
                }
            }
            Self::Fixed(..) | Self::Keys(..) => {
                for row in rows {
                    packer.put(self.get(row, &mut [0; 20]));
                }
            }
        }
        packer.written
    }
}

/// Whether a column has text.
pub(super) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

#[inline]
fn push(id: &[u8], arena: &mut Vec<u8>, spans: &mut Vec<Span>) {
    spans.push(Span { at: arena.len() as u64, length: id.len() as u32 });
    arena.extend_from_slice(id);
}

/// Appends consecutive ids. An id beyond a producer's wrong offsets is empty.
fn contiguous<O: Copy + TryInto<usize>>(
    offsets: &[O],
    bytes: &[u8],
    arena: &mut Vec<u8>,
    spans: &mut Vec<Span>,
) {
    let number = |offset: O| offset.try_into().unwrap_or(0);
    let (first, last) = match offsets {
        [first, .., last] => (number(*first), number(*last)),
        _ => (0, 0),
    };
    let bytes = bytes.get(first..last).unwrap_or_default();
    let at = arena.len();
    arena.extend_from_slice(bytes);
    spans.extend(offsets.windows(2).map(|pair| {
        let (start, end) = match *pair {
            [start, end] => (number(start), number(end)),
            _ => (0, 0),
        };
        let start = start.saturating_sub(first).min(bytes.len());
        let end = end.saturating_sub(first).clamp(start, bytes.len().max(start));
        Span { at: (at + start) as u64, length: (end - start) as u32 }
    }));
}

/// Concatenates ids.
struct Packer<'a> {
    at: u64,
    room: &'a mut [u8],
    used: usize,
    spans: std::slice::IterMut<'a, MaybeUninit<Span>>,
    written: usize,
}

impl Packer<'_> {
    #[inline]
    fn span(&mut self, start: usize, length: usize) {
        if let Some(span) = self.spans.next() {
            span.write(Span { at: self.at + start as u64, length: length as u32 });
            self.written += 1;
        }
    }

    #[inline]
    fn put(&mut self, id: &[u8]) {
        let length = id.len().min(self.room.len() - self.used);
        if let (Some(place), Some(id)) = (self.room.get_mut(self.used..self.used + length), id.get(..length))
        {
            place.copy_from_slice(id);
        }
        self.span(self.used, length);
        self.used += length;
    }

    /// An id of at most 12 bytes. If there is room, 16 bytes are copied in one instruction.
    #[inline]
    fn put_short(&mut self, bytes: [u8; 16], length: usize) {
        if let Some(place) = self.room.get_mut(self.used..self.used + 16) {
            place.copy_from_slice(&bytes);
            self.span(self.used, length);
            self.used += length;
        } else {
            self.put(bytes.get(..length).unwrap_or_default());
        }
    }

    /// Consecutive ids are copied at once.
    fn contiguous<O: Copy + TryInto<usize>>(&mut self, offsets: &[O], bytes: &[u8]) {
        let number = |offset: O| offset.try_into().unwrap_or(0);
        let (first, last) = match offsets {
            [first, .., last] => (number(*first), number(*last)),
            _ => (0, 0),
        };
        let bytes = bytes.get(first..last).unwrap_or_default();
        let held = bytes.len().min(self.room.len());
        if let (Some(from), Some(to)) = (bytes.get(..held), self.room.get_mut(..held)) {
            to.copy_from_slice(from);
        }
        for pair in offsets.windows(2) {
            let (start, end) = match *pair {
                [start, end] => (number(start), number(end)),
                _ => (0, 0),
            };
            let start = start.saturating_sub(first).min(held);
            let end = end.saturating_sub(first).min(held);
            self.span(start, end.saturating_sub(start));
        }
    }
}

/// The longest id that is stored in the view itself.
const INLINE: u32 = 12;

/// The bytes that a view points to.
fn elsewhere<'a>(view: u128, buffers: &[&'a [u8]]) -> &'a [u8] {
    let length = view as u32 as usize;
    let buffer = (view >> 64) as u32 as usize;
    let offset = (view >> 96) as u32 as usize;
    buffers.get(buffer).and_then(|bytes| bytes.get(offset..offset + length)).unwrap_or_default()
}

/// The length of the decimal text of an integer.
#[inline]
fn length(value: i128) -> usize {
    let magnitude = value.unsigned_abs() as u64;
    usize::from(value < 0) + magnitude.checked_ilog10().unwrap_or(0) as usize + 1
}

/// The decimal text of an integer of 64 bits.
#[inline]
fn decimal(value: i128, digits: &mut Digits) -> &[u8] {
    let start = number::decimal(value.unsigned_abs() as u64, value < 0, digits);
    digits.get(start..).unwrap_or_default()
}
