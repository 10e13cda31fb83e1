//! Reads a large record batch of an Arrow file some rows at a time. A slice of the batch is a slice of each
//! column, for columns that are neither compressed nor nested.

use std::ops::Range;

use arrow_array::{RecordBatch, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

use super::ipc_input::{IpcInput, breaks_off, broken};
use crate::memory;

/// Rows of a slice: enough for a thread, and a multiple of 8, so that bits begin with a byte.
const ROWS: u64 = 1 << 16;

/// The body of a message: where in the file it begins, and how many bytes it has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    pub first: u64,
    pub length: u64,
}

/// What is left of a record batch.
pub(super) struct Slices {
    schema: SchemaRef,
    columns: Vec<Column>,
    rows: Range<u64>,
}

struct Column {
    kind: DataType,
    layout: BufferLayout,
    nulls: Option<Range<u64>>,
    /// The numbers of the column, or the offsets of its values.
    numbers: Range<u64>,
    /// The bytes of the values that offsets point to.
    values: Range<u64>,
}

#[derive(Debug, Clone, Copy)]
enum BufferLayout {
    Bits,
    /// NumberColumn of a fixed number of bytes.
    NumberColumn(u64),
    /// Values of any length, with offsets of a fixed number of bytes.
    Offsets(u64),
}

impl BufferLayout {
    fn of(kind: &DataType) -> Option<Self> {
        Some(match kind {
            DataType::Boolean => Self::Bits,
            DataType::Utf8 | DataType::Binary => Self::Offsets(4),
            DataType::LargeUtf8 | DataType::LargeBinary => Self::Offsets(8),
            kind => Self::NumberColumn(kind.primitive_width()? as u64),
        })
    }
}

/// The number of nodes and buffers of a column in a record batch; `None` if it depends on more than the type.
fn extent(kind: &DataType) -> Option<(usize, usize)> {
    let below = |nodes: usize, buffers: usize, kind: &DataType| {
        extent(kind).map(|(own, under)| (nodes + own, buffers + under))
    };
    match kind {
        DataType::Null => Some((1, 0)),
        DataType::Dictionary(..) | DataType::FixedSizeBinary(_) => Some((1, 2)),
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
            below(1, 2, field.data_type())
        }
        DataType::FixedSizeList(field, _) => below(1, 1, field.data_type()),
        DataType::Struct(fields) => {
            fields.iter().try_fold((1, 1), |(nodes, buffers), field| below(nodes, buffers, field.data_type()))
        }
        kind => Some((1, if matches!(BufferLayout::of(kind)?, BufferLayout::Offsets(_)) { 3 } else { 2 })),
    }
}

impl Slices {
    /// The slices of a record batch; `None` if it must be read as a whole.
    pub(super) fn of(
        batch: &arrow_ipc::RecordBatch<'_>,
        schema: &Schema,
        kept: Option<&[usize]>,
        body: Body,
    ) -> Option<Self> {
        if batch.compression().is_some() {
            return None;
        }
        // Each row has at least one bit.
        let rows = u64::try_from(batch.length()).ok().filter(|rows| rows / 8 <= body.length)?;
        let (nodes, buffers) = (batch.nodes()?, batch.buffers()?);
        let buffer = |number: usize| {
            let buffer = (number < buffers.len()).then(|| buffers.get(number))?;
            let first = u64::try_from(buffer.offset()).ok()?;
            let end = first.checked_add(u64::try_from(buffer.length()).ok()?)?;
            (end <= body.length).then_some(body.first + first..body.first + end)
        };
        let mut columns = Vec::new();
        let (mut node, mut first) = (0, 0);
        for (number, field) in schema.fields().iter().enumerate() {
            let kind = field.data_type();
            let (own, under) = extent(kind)?;
            if kept.is_none_or(|kept| kept.contains(&number)) {
                let layout = BufferLayout::of(kind)?;
                let of = (node < nodes.len()).then(|| nodes.get(node))?;
                if u64::try_from(of.length()) != Ok(rows) {
                    return None;
                }
                let values = if matches!(layout, BufferLayout::Offsets(_)) {
                    buffer(first + 2)?
                } else {
                    Range::default()
                };
                columns.push(Column {
                    kind: kind.clone(),
                    layout,
                    nulls: if of.null_count() > 0 { Some(buffer(first)?) } else { None },
                    numbers: buffer(first + 1)?,
                    values,
                });
            }
            node += own;
            first += under;
        }
        let schema = match kept {
            Some(kept) => schema.project(kept).ok()?,
            None => schema.clone(),
        };
        Some(Self { schema: schema.into(), columns, rows: 0..rows })
    }

    /// The next slice; `None` at the end.
    pub(super) fn read(&mut self, input: &IpcInput) -> Result<Option<RecordBatch>, ArrowError> {
        let first = self.rows.start;
        let rows = first..self.rows.end.min(first + ROWS);
        if rows.is_empty() {
            return Ok(None);
        }
        self.rows.start = rows.end;
        let columns = self.columns.iter().map(|column| {
            let data = column.read(input, &rows)?;
            Ok(make_array(data))
        });
        let columns = columns.collect::<Result<Vec<_>, ArrowError>>()?;
        RecordBatch::try_new(self.schema.clone(), columns).map(Some)
    }
}

impl Column {
    fn read(&self, input: &IpcInput, rows: &Range<u64>) -> Result<ArrayData, ArrowError> {
        let bits = rows.start / 8..rows.end.div_ceil(8);
        let nulls = match &self.nulls {
            Some(nulls) => Some(buffer(bytes(input, nulls, &bits)?)),
            None => None,
        };
        let buffers = match self.layout {
            BufferLayout::Bits => vec![buffer(bytes(input, &self.numbers, &bits)?)],
            BufferLayout::NumberColumn(width) => {
                let own = rows.start * width..rows.end * width;
                vec![buffer(bytes(input, &self.numbers, &own)?)]
            }
            BufferLayout::Offsets(width) => {
                let own = rows.start * width..(rows.end + 1) * width;
                let (offsets, values) = rebased(bytes(input, &self.numbers, &own)?, width)?;
                vec![buffer(offsets), buffer(bytes(input, &self.values, &values)?)]
            }
        };
        let length = usize::try_from(rows.end - rows.start).map_err(|_| breaks_off())?;
        let builder = ArrayData::builder(self.kind.clone()).len(length).null_bit_buffer(nulls);
        builder.buffers(buffers).align_buffers(true).build()
    }
}

/// Subtracts the first offset; returns the range of the values' bytes too.
fn rebased(mut bytes: Vec<u8>, width: u64) -> Result<(Vec<u8>, Range<u64>), ArrowError> {
    fn number<const WIDTH: usize>(bytes: &[u8; WIDTH]) -> u64 {
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
    fn rebase<const WIDTH: usize>(bytes: &mut [u8]) -> Option<Range<u64>> {
        let (offsets, _) = bytes.as_chunks_mut::<WIDTH>();
        let (first, last) = (number(offsets.first()?), number(offsets.last()?));
        for offset in offsets {
            let own = number(offset).checked_sub(first)?;
            offset.iter_mut().zip(own.to_le_bytes()).for_each(|(byte, own)| *byte = own);
        }
        Some(first..last)
    }
    let range = if width == 4 { rebase::<4>(&mut bytes) } else { rebase::<8>(&mut bytes) };
    let range = range.filter(|range| range.start <= range.end);
    Ok((bytes, range.ok_or_else(|| broken("its offsets decrease"))?))
}

/// Some bytes of a buffer.
fn bytes(input: &IpcInput, buffer: &Range<u64>, some: &Range<u64>) -> Result<Vec<u8>, ArrowError> {
    if some.end > buffer.end - buffer.start {
        return Err(broken("a buffer is shorter than its rows"));
    }
    let mut bytes = memory::zeros(usize::try_from(some.end - some.start).map_err(|_| breaks_off())?)?;
    input.read(&mut bytes, buffer.start + some.start)?;
    Ok(bytes)
}

fn buffer(bytes: Vec<u8>) -> Buffer {
    Buffer::from_vec(bytes)
}
