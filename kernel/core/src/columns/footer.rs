//! Checks the footer of a Parquet file before the library decodes it. The library allocates for the declared
//! number of children, recurses into nested columns, and copies the path to each column.

use std::sync::Arc;

use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::{ParquetError, Result};
use parquet::file::FOOTER_SIZE;
use parquet::file::metadata::{FooterTail, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader, Length};

use super::batches::claimed;
use super::thrift::{Event, Flaw, Struct, walk};

/// The maximum depth of nested columns: the library recurses.
const DEEPEST: usize = 128;

/// The maximum number of elements in a schema. An element takes a few bytes in the footer and hundreds in
/// memory.
const MOST_ELEMENTS: usize = 1 << 18;

/// The maximum size in bytes of the paths to all columns; each path copies the names of the parents.
const LONGEST_PATHS: u64 = 64 << 20;

/// Reads the metadata of a file.
pub(super) fn read<R: Length + ChunkReader>(
    reader: &R,
    options: ArrowReaderOptions,
) -> Result<ArrowReaderMetadata> {
    let short = || ParquetError::EOF("it ends before its footer does".to_owned());
    let end = reader.len().checked_sub(FOOTER_SIZE as u64).ok_or_else(short)?;
    let tail = FooterTail::try_from(reader.get_bytes(end, FOOTER_SIZE)?.as_ref())?;
    if tail.is_encrypted_footer() {
        return Err(claimed("its footer is encrypted"));
    }
    let start = end.checked_sub(tail.metadata_length() as u64).ok_or_else(short)?;
    let bytes = reader.get_bytes(start, tail.metadata_length())?;
    check(&bytes)?;
    let metadata =
        ParquetMetaDataReader::decode_metadata_with_options(&bytes, Some(options.metadata_options()))?;
    ArrowReaderMetadata::try_new(Arc::new(metadata), options)
}

/// Refuses a footer that declares more than it has.
fn check(bytes: &[u8]) -> Result<()> {
    let mut schema = Schema::default();
    let mut group = 0_u8;
    let walked = walk(bytes, Struct::File, &mut |own, id, event| {
        match (own, id, event) {
            (Struct::File, 2, Event::List(elements)) => return schema.begin(elements),
            (Struct::SchemaElement, 4, Event::Value(length)) => schema.name = u64::try_from(length).ok(),
            // The library reads 64 bits and keeps 32.
            (Struct::SchemaElement, 5, Event::Value(children)) => schema.children = children as i32,
            (Struct::SchemaElement, _, Event::End) => return schema.element(),
            (Struct::RowGroup, 2 | 3, Event::Value(_)) | (Struct::RowGroup, 1, Event::List(_)) => {
                group |= 1 << id;
            }
            // Row groups take more bytes in memory than an empty one in the footer.
            (Struct::RowGroup, _, Event::End) if std::mem::take(&mut group) != 0b1110 => {
                return Err(Flaw::Wrong("a row group lacks its columns or its size"));
            }
            _ => {}
        }
        Ok(())
    });
    match walked.and_then(|_| schema.end()) {
        Ok(()) => Ok(()),
        Err(Flaw::Short) => Err(ParquetError::EOF("its footer is truncated".to_owned())),
        Err(Flaw::Wrong(said)) => Err(claimed(said)),
    }
}

/// The elements of a schema, which are in the order of a depth-first traversal.
#[derive(Default)]
struct Schema {
    /// How many elements are still to come; `None` before the schema.
    left: Option<usize>,
    /// The groups that the next element is in.
    open: Vec<ColumnGroup>,
    /// How many bytes the paths to the columns take.
    paths: u64,
    /// The fields of the current element.
    children: i32,
    name: Option<u64>,
}

/// A group of columns.
struct ColumnGroup {
    /// Children that are still to come.
    left: usize,
    /// The size in bytes of its name and those of its parents.
    path: u64,
}

impl Schema {
    fn begin(&mut self, elements: usize) -> std::result::Result<(), Flaw> {
        if self.left.is_some() {
            return Err(Flaw::Wrong("it has two schemas"));
        }
        if elements > MOST_ELEMENTS {
            return Err(Flaw::Wrong("its schema has more than 262144 elements"));
        }
        self.left = Some(elements);
        Ok(())
    }

    /// Takes the current element.
    fn element(&mut self) -> std::result::Result<(), Flaw> {
        let left = self.left.unwrap_or_default().saturating_sub(1);
        self.left = Some(left);
        let (children, name) = (std::mem::take(&mut self.children), self.name.take());
        let name = name.ok_or(Flaw::Wrong("an element of its schema has no name"))?;
        // A path names every parent but the root, each in its own string.
        let path = self.open.last().map_or(0, |group| group.path + name + 32);
        let children = usize::try_from(children).map_err(|_| MORE_CHILDREN)?;
        if children > left {
            return Err(MORE_CHILDREN);
        }
        if children > 0 {
            if self.open.len() >= DEEPEST {
                return Err(Flaw::Wrong("its columns are nested more than 128 deep"));
            }
            self.open.push(ColumnGroup { left: children, path });
            return Ok(());
        }
        self.paths = self.paths.saturating_add(path);
        if self.paths > LONGEST_PATHS {
            return Err(Flaw::Wrong("the names of its columns and of their parents take more than 64 MiB"));
        }
        // The groups that end with this child.
        while let Some(group) = self.open.last_mut() {
            group.left -= 1;
            if group.left > 0 {
                return Ok(());
            }
            self.open.pop();
        }
        if left > 0 { Err(TWO_ROOTS) } else { Ok(()) }
    }

    fn end(&self) -> std::result::Result<(), Flaw> {
        if self.open.is_empty() { Ok(()) } else { Err(MORE_CHILDREN) }
    }
}

const MORE_CHILDREN: Flaw = Flaw::Wrong("an element of its schema claims more children than the schema has");
const TWO_ROOTS: Flaw = Flaw::Wrong("its schema has elements that belong to no column");
