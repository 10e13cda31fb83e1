//! Converts UUIDs, which Parquet and Arrow store as 16 bytes, to text.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

/// The key of a field's metadata that names its extension type.
pub(super) const EXTENSION: &str = "ARROW:extension:name";

/// Arrow's name of the extension type.
pub(super) const UUID: &str = "arrow.uuid";

const BYTES: i32 = 16;

/// Whether the values of a field are UUIDs.
pub(super) fn are_uuids(field: &Field) -> bool {
    *field.data_type() == DataType::FixedSizeBinary(BYTES)
        && field.metadata().get(EXTENSION).is_some_and(|name| name == UUID)
}

/// Whether an id is the 16 bytes of a UUID, with its version and variant, rather than text.
pub(super) fn is_uuid(id: &[u8]) -> bool {
    matches!(id, [_, _, _, _, _, _, 0x10..=0x7f, _, 0x80..=0xbf, _, _, _, _, _, _, _])
        && std::str::from_utf8(id).is_err()
}

/// Converts columns of a batch to text, such as `0f8fad5b-d9cb-469f-a165-70867728950e`.
pub(super) fn written_out(batch: &RecordBatch, columns: &[usize]) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let mut fields: Vec<Arc<Field>> = schema.fields().to_vec();
    let mut arrays: Vec<ArrayRef> = batch.columns().to_vec();
    for &column in columns {
        let (Some(field), Some(array)) = (fields.get_mut(column), arrays.get_mut(column)) else { continue };
        let Some(bytes) = array.as_fixed_size_binary_opt() else { continue };
        let mut texts = StringBuilder::with_capacity(bytes.len(), bytes.len() * 36);
        for row in 0..bytes.len() {
            if bytes.is_valid(row) {
                texts.append_value(text(bytes.value(row)));
            } else {
                texts.append_null();
            }
        }
        *array = Arc::new(texts.finish());
        *field = Arc::new(Field::new(field.name(), DataType::Utf8, field.is_nullable()));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

fn text(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |four: u8| DIGITS.get(usize::from(four)).copied().map_or('0', char::from);
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn bytes_are_written_as_everywhere() {
        let bytes: Vec<u8> = (0..16).map(|byte| byte * 17).collect();
        assert_eq!(text(&bytes), "00112233-4455-6677-8899-aabbccddeeff");
    }
}
