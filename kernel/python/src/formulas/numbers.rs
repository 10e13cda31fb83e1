//! Reads lists of numbers from Python objects. Sequences are copied; buffers are read in place.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use gainful_core::formulas::NumberLists;
use gainful_core::known::Known;
use pyo3::buffer::{ElementType, PyUntypedBuffer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyMapping, PyString};

use crate::errors::{argument_error, parameter_error};

/// One or many lists of numbers.
pub(super) struct Numbers {
    cells: Cells,
    /// The end of each list, as an index into all numbers.
    ends: Vec<usize>,
    /// Whether the object was a list of lists or a matrix.
    pub many: bool,
}

enum Cells {
    Copied(Vec<f64>),
    InPlace(Buffer),
}

/// The memory of another object, which stays valid while this exists.
struct Buffer {
    exported: PyUntypedBuffer,
    kind: Kind,
    /// Bytes from one number of a list to the next (`step`), and from one list to the next (`stride`).
    step: isize,
    stride: isize,
    /// Whether the addresses of all numbers are multiples of their size.
    aligned: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Float64,
    Float32,
    Signed(usize),
    Unsigned(usize),
}

impl Kind {
    fn of(buffer: &PyUntypedBuffer) -> Option<Self> {
        let format = buffer.format();
        let foreign = if cfg!(target_endian = "little") { [b'>', b'!'] } else { [b'<', b'<'] };
        let first = format.to_bytes().first().copied().unwrap_or_default();
        let kind = match ElementType::from_format(format) {
            ElementType::Float { bytes: 8 } => Self::Float64,
            ElementType::Float { bytes: 4 } => Self::Float32,
            ElementType::SignedInteger { bytes } => Self::Signed(bytes),
            ElementType::UnsignedInteger { bytes } if first != b'c' => Self::Unsigned(bytes),
            ElementType::Bool => Self::Unsigned(1),
            _ => return None,
        };
        (kind.bytes() == buffer.item_size() && (!foreign.contains(&first) || kind.bytes() == 1))
            .then_some(kind)
    }

    fn bytes(self) -> usize {
        match self {
            Self::Float64 => 8,
            Self::Float32 => 4,
            Self::Signed(bytes) | Self::Unsigned(bytes) => bytes,
        }
    }
}

/// Loads the bits of a number of `WIDTH` bytes.
///
/// # Safety
///
/// `at` must point to `WIDTH` readable bytes (1, 2, 4 or 8), and be a multiple of `WIDTH` if `aligned`.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn load<const WIDTH: usize>(at: *const u8, aligned: bool) -> u64 {
    // SAFETY: the caller guarantees the bytes and their alignment. Other threads may write to them,
    // with or without the interpreter's lock, so no reference to them is created. Each number is one
    // relaxed atomic load, which returns a value that was stored there, and no code relies on a second
    // load returning the same. The standard library permits relaxed loads of up to 8 bytes from
    // read-only memory too.
    unsafe {
        let at = at.cast_mut();
        match WIDTH {
            8 if aligned => AtomicU64::from_ptr(at.cast()).load(Ordering::Relaxed),
            4 if aligned => u64::from(AtomicU32::from_ptr(at.cast()).load(Ordering::Relaxed)),
            2 if aligned => u64::from(AtomicU16::from_ptr(at.cast()).load(Ordering::Relaxed)),
            1 => u64::from(AtomicU8::from_ptr(at).load(Ordering::Relaxed)),
            _ => {
                let mut bytes = [0; 8];
                for (offset, byte) in bytes.iter_mut().take(WIDTH).enumerate() {
                    *byte = AtomicU8::from_ptr(at.add(offset)).load(Ordering::Relaxed);
                }
                if cfg!(target_endian = "big") {
                    bytes.copy_within(..WIDTH, 8 - WIDTH);
                    bytes.known_mut(..8 - WIDTH).fill(0);
                }
                u64::from_ne_bytes(bytes)
            }
        }
    }
}

impl Buffer {
    /// Appends numbers `from..to` of list `row` to `values`.
    fn read(&self, row: usize, from: usize, to: usize, values: &mut Vec<f64>) {
        let start = self
            .exported
            .buf_ptr()
            .cast::<u8>()
            .cast_const()
            .wrapping_offset(self.stride * row as isize + self.step * from as isize);
        let count = to - from;
        match self.kind {
            Kind::Float64 => self.each::<8>(start, count, values, f64::from_bits),
            Kind::Float32 => {
                self.each::<4>(start, count, values, |bits| f64::from(f32::from_bits(bits as u32)));
            }
            Kind::Signed(8) => self.each::<8>(start, count, values, |bits| bits as i64 as f64),
            Kind::Signed(4) => self.each::<4>(start, count, values, |bits| f64::from(bits as i32)),
            Kind::Signed(2) => self.each::<2>(start, count, values, |bits| f64::from(bits as i16)),
            Kind::Signed(_) => self.each::<1>(start, count, values, |bits| f64::from(bits as i8)),
            Kind::Unsigned(8) => self.each::<8>(start, count, values, |bits| bits as f64),
            Kind::Unsigned(4) => self.each::<4>(start, count, values, |bits| bits as f64),
            Kind::Unsigned(2) => self.each::<2>(start, count, values, |bits| bits as f64),
            Kind::Unsigned(_) => self.each::<1>(start, count, values, |bits| bits as f64),
        }
    }

    #[allow(unsafe_code)]
    #[inline(always)]
    fn each<const WIDTH: usize>(
        &self,
        start: *const u8,
        count: usize,
        values: &mut Vec<f64>,
        number: impl Fn(u64) -> f64,
    ) {
        let (step, aligned) = (self.step, self.aligned);
        let at = |index: usize| start.wrapping_offset(index as isize * step);
        // SAFETY: `start` and `count` come from the buffer's own shape, so every address is that of
        // one of its items, whose size `Kind::of` has compared with WIDTH. `aligned` was computed
        // from the buffer's address and strides. The exporter keeps the memory in place while
        // `self.exported` exists.
        let number = |index| number(unsafe { load::<WIDTH>(at(index), aligned) });
        if aligned {
            values.extend((0..count).map(number));
        } else {
            for index in 0..count {
                values.push(number(index));
            }
        }
    }
}

impl NumberLists for Numbers {
    fn rows(&self) -> usize {
        self.ends.len()
    }

    fn cells(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn whole(&self) -> bool {
        matches!(&self.cells, Cells::InPlace(Buffer { kind: Kind::Signed(8) | Kind::Unsigned(8), .. }))
    }

    fn read(&self, row: usize, values: &mut Vec<f64>) {
        values.clear();
        let from = row.checked_sub(1).map_or(0, |before| *self.ends.known(before));
        let to = *self.ends.known(row);
        match &self.cells {
            Cells::Copied(cells) => values.extend_from_slice(cells.known(from..to)),
            Cells::InPlace(buffer) if self.many => buffer.read(row, 0, to - from, values),
            Cells::InPlace(buffer) => buffer.read(0, from, to, values),
        }
    }
}

impl Numbers {
    /// Reads the numbers of a buffer, of a sequence, or of a sequence of these. `what` names them in
    /// messages.
    pub(super) fn of(object: &Bound<'_, PyAny>, what: &'static str) -> PyResult<Self> {
        if !object.is_instance_of::<pyo3::types::PyList>()
            && let Some(found) = Self::in_place(object, what)?
        {
            return Ok(found);
        }
        let mut copied = Copied { what, values: Vec::new(), ends: Vec::new() };
        let many = copied.all(object)?;
        Ok(Self { cells: Cells::Copied(copied.values), ends: copied.ends, many })
    }

    /// Splits a single list into groups of these sizes; returns whether the sizes add up to its length.
    pub(super) fn cut(&mut self, sizes: &[usize]) -> bool {
        let (cells, mut end) = (self.cells(), 0usize);
        self.ends.clear();
        for size in sizes {
            end = end.saturating_add(*size);
            self.ends.push(end);
        }
        end == cells
    }

    fn in_place(object: &Bound<'_, PyAny>, what: &'static str) -> PyResult<Option<Self>> {
        let Ok(exported) = PyUntypedBuffer::get(object) else { return Ok(None) };
        if object.is_instance_of::<PyBytes>() {
            return Err(type_error(object, what));
        }
        let Some(kind) = Kind::of(&exported).filter(|_| exported.suboffsets().is_none()) else {
            let format = exported.format().to_string_lossy().into_owned();
            return Err(argument_error(
                object.py(),
                &format!("{what} of the buffer format '{format}'"),
                "floats, integers or Booleans in this machine's byte order",
                "",
            ));
        };
        let (rows, columns, stride, step) = match (exported.shape(), exported.strides()) {
            (&[length], &[step]) => (None, length, 0, step),
            (&[rows, columns], &[stride, step]) => (Some(rows), columns, stride, step),
            (shape, _) => {
                return Err(parameter_error(
                    object.py(),
                    &format!("{what} of {} dimensions", shape.len()),
                    "a list of numbers, or one row per query",
                    "",
                ));
            }
        };
        let width = kind.bytes();
        let multiple = |bytes: isize| bytes.unsigned_abs().is_multiple_of(width);
        let aligned = exported.buf_ptr().cast::<c_void>().addr().is_multiple_of(width)
            && multiple(step)
            && multiple(stride);
        let ends = match rows {
            None => vec![columns],
            Some(rows) => (1..=rows).map(|row| row * columns).collect(),
        };
        let buffer = Buffer { exported, kind, step, stride, aligned };
        Ok(Some(Self { cells: Cells::InPlace(buffer), ends, many: rows.is_some() }))
    }
}

/// Numbers that were copied from a Python object one by one.
struct Copied {
    what: &'static str,
    values: Vec<f64>,
    ends: Vec<usize>,
}

impl Copied {
    /// Reads a list of numbers or of lists; returns whether it was a list of lists.
    fn all(&mut self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let length = length(object).ok_or_else(|| type_error(object, self.what))?;
        let many = length > 0 && {
            let first = object.get_item(0).map_err(|_| type_error(object, self.what))?;
            is_list(&first)
        };
        if !many {
            self.list(object, None)?;
            return Ok(false);
        }
        for (row, list) in object.try_iter()?.enumerate() {
            let list = list?;
            match Numbers::in_place(&list, self.what)? {
                Some(found) if !found.many => {
                    let mut values = Vec::new();
                    found.read(0, &mut values);
                    self.values.append(&mut values);
                    self.ends.push(self.values.len());
                }
                _ if is_list(&list) => self.list(&list, Some(row))?,
                _ => return Err(self.item_error(&list, Some(row), None)),
            }
        }
        Ok(true)
    }

    fn list(&mut self, object: &Bound<'_, PyAny>, row: Option<usize>) -> PyResult<()> {
        for (position, item) in object.try_iter()?.enumerate() {
            let item = item?;
            match number(&item) {
                Some(value) => self.values.push(value),
                None => return Err(self.item_error(&item, row, Some(position))),
            }
        }
        self.ends.push(self.values.len());
        Ok(())
    }

    fn item_error(&self, item: &Bound<'_, PyAny>, row: Option<usize>, position: Option<usize>) -> PyErr {
        let mut place: Vec<String> = row.map(|row| format!("row {row}")).into_iter().collect();
        place.extend(position.map(|position| format!("position {position}")));
        let hint = match (row, position, is_list(item)) {
            (None, _, true) => "a list has numbers or lists, not both",
            (_, None, _) => "a list has numbers or lists, not both",
            (_, _, true) => "lists can be nested only once",
            _ if item.is_instance_of::<PyString>() => "convert text to numbers with float()",
            _ if item.is_none() => "give documents without a judgment the grade 0, or leave them out",
            _ if item.is_instance_of::<PyInt>() => "integers are exact up to 2^53",
            _ => "",
        };
        argument_error(
            item.py(),
            &format!("{} at {} of the {} (counted from 0)", describe(item), place.join(", "), self.what),
            if position.is_some() { "a number" } else { "a list of numbers" },
            hint,
        )
    }
}

/// Returns the length of an ordered sequence; None for other objects.
fn length(object: &Bound<'_, PyAny>) -> Option<usize> {
    let unordered = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.cast::<PyMapping>().is_ok()
        || object.is_instance_of::<PyDict>();
    if unordered || !object.hasattr("__getitem__").unwrap_or(false) {
        return None;
    }
    object.len().ok()
}

fn is_list(object: &Bound<'_, PyAny>) -> bool {
    !object.is_instance_of::<PyFloat>() && !object.is_instance_of::<PyInt>() && length(object).is_some()
}

/// Converts a number to a float. Returns None for other objects, and for integers that are not exact as
/// floats.
fn number(item: &Bound<'_, PyAny>) -> Option<f64> {
    let value = item.extract::<f64>().ok()?;
    // Refuse integers that would be rounded.
    let exact = value.abs() < 9_007_199_254_740_992.0 || !item.is_instance_of::<PyInt>();
    (exact || PyFloat::new(item.py(), value).as_any().eq(item).unwrap_or(false)).then_some(value)
}

fn type_error(object: &Bound<'_, PyAny>, what: &str) -> PyErr {
    let hint = if object.cast::<PyMapping>().is_ok() {
        "pass the values in rank order; gainful.evaluate takes dictionaries"
    } else if object.try_iter().is_ok() && object.extract::<&str>().is_err() {
        "convert it with list()"
    } else {
        ""
    };
    argument_error(
        object.py(),
        &format!("{} as {what}", describe(object)),
        "a list of numbers, or of lists",
        hint,
    )
}

/// Describes a Python object for a message: its repr if that is short, and its type.
fn describe(object: &Bound<'_, PyAny>) -> String {
    let kind = object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    match object.repr().map(|repr| repr.to_string()) {
        Ok(repr) if repr.chars().count() <= 40 && !repr.contains('\n') => format!("{repr} ({kind})"),
        _ => format!("a {kind}"),
    }
}
