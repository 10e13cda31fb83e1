//! Reads Arrow files and streams message by message. Declared lengths are checked before memory is allocated.
//! Large record batches in uncompressed files are read in slices.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_footer_length, read_record_batch};
use arrow_ipc::{MessageHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::expansion::passed;
use super::kinds::ARROW_FILE;
use super::slices::{Body, Slices};
use crate::memory;
use crate::read::limits::Limits;
use crate::read::source::Content;

/// The memory that the libraries of the compressions need: two blocks of LZ4 and its window, at most.
const DECODER: usize = 16 << 20;

type Result<T> = std::result::Result<T, ArrowError>;

/// Bytes of a record batch that are read at once.
const AT_ONCE: u64 = 16 << 20;

/// The length that a compressed buffer may declare without a check.
const BELIEVED: u64 = 64 << 20;

/// The record batches of a file or stream.
pub(super) struct Messages {
    input: Input,
    schema: SchemaRef,
    /// The columns to read; all if empty.
    kept: Option<Vec<usize>>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// The positions of the record batches of a file. Those of a stream are consecutive.
    blocks: Option<VecDeque<u64>>,
    /// What is left of a large record batch.
    slices: Option<Slices>,
    limits: Limits,
    /// The size in bytes of the compressed dictionaries.
    kept_bytes: u64,
}

/// Where messages are read from.
pub(super) enum Input {
    /// A file, its length, and the position.
    File { file: Content, length: u64, at: u64 },
    Stream {
        stream: BufReader<Box<dyn Read + Send>>,
        /// How many bytes of messages have been read.
        read: u64,
    },
}

impl Messages {
    pub(super) fn open(mut input: Input, limits: Limits) -> Result<Self> {
        let (schema, blocks, dictionaries) = match input.footer()? {
            None => (input.schema()?, None, Vec::new()),
            Some(bytes) => {
                let footer = root_as_footer(&bytes).map_err(|error| parsed("the footer", &error))?;
                let schema = footer.schema().ok_or_else(|| broken("it has no schema"))?;
                if !schema.endianness().equals_to_target_endianness() {
                    return Err(broken("its numbers have another byte order"));
                }
                let batches = footer.recordBatches();
                let batches = batches.iter().flatten().map(|block| length(block.offset()));
                let dictionaries = footer.dictionaries();
                let dictionaries = dictionaries.iter().flatten().map(|block| length(block.offset()));
                (
                    Arc::new(try_fb_to_schema(schema)?),
                    Some(batches.collect::<Result<_>>()?),
                    dictionaries.collect::<Result<_>>()?,
                )
            }
        };
        let mut own = Self {
            input,
            schema,
            kept: None,
            dictionaries: HashMap::new(),
            blocks,
            slices: None,
            limits,
            kept_bytes: 0,
        };
        for place in dictionaries {
            own.input.go_to(place);
            let message = own.input.message()?;
            let (metadata, body) = message.ok_or_else(|| broken("a dictionary is missing"))?;
            own.dictionary(&metadata, body)?;
        }
        Ok(own)
    }

    /// Reads only these columns, in ascending order.
    pub(super) fn only(mut self, kept: Vec<usize>) -> Self {
        self.kept = Some(kept);
        self
    }

    /// The schema of the file, all columns included.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn dictionary(&mut self, metadata: &[u8], body: u64) -> Result<()> {
        let message = root_as_message(metadata).map_err(|error| parsed("a message", &error))?;
        let dictionary = message.header_as_dictionary_batch();
        let dictionary = dictionary.ok_or_else(|| broken("a message is not a dictionary"))?;
        let bytes = self.input.body(body)?;
        if let Some(values) = dictionary.data() {
            self.kept_bytes = self.prove(&values, &bytes)?;
        }
        let (bytes, version) = (Buffer::from_vec(bytes), message.version());
        read_dictionary(&bytes, dictionary, &self.schema, &mut self.dictionaries, &version)
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(slices) = &mut self.slices {
                if let Some(batch) = slices.read(&self.input)? {
                    return Ok(Some(batch));
                }
                self.slices = None;
            }
            if let Some(blocks) = &mut self.blocks {
                let Some(place) = blocks.pop_front() else { return Ok(None) };
                self.input.go_to(place);
            }
            let Some((metadata, body)) = self.input.message()? else { return Ok(None) };
            let message = root_as_message(&metadata).map_err(|error| parsed("a message", &error))?;
            match message.header_type() {
                MessageHeader::DictionaryBatch => self.dictionary(&metadata, body)?,
                MessageHeader::RecordBatch => {
                    let batch = message.header_as_record_batch();
                    let batch = batch.ok_or_else(|| broken("a message is not a record batch"))?;
                    let large = if body > AT_ONCE { self.input.passed(body) } else { None };
                    if let Some(first) = large {
                        let body = Body { first, length: body };
                        if let Some(slices) = Slices::of(&batch, &self.schema, self.kept.as_deref(), body) {
                            self.slices = Some(slices);
                            continue;
                        }
                        self.input.go_to(first);
                    }
                    let bytes = self.input.body(body)?;
                    self.prove(&batch, &bytes)?;
                    let (bytes, version) = (Buffer::from_vec(bytes), message.version());
                    let (schema, kept) = (self.schema.clone(), self.kept.as_deref());
                    let batch = read_record_batch(&bytes, batch, schema, &self.dictionaries, kept, &version)?;
                    return Ok(Some(batch));
                }
                other => return Err(broken(&format!("{other:?} instead of a record batch"))),
            }
        }
    }
}

impl Messages {
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// The number of bytes of the file or stream that are known.
    pub(super) fn size(&self) -> u64 {
        self.input.size()
    }

    /// Refuses compressed buffers that declare more than they have, or exceed the limit together with the
    /// dictionaries, since the declared size is allocated. Returns the total size.
    fn prove(&self, batch: &arrow_ipc::RecordBatch<'_>, bytes: &[u8]) -> Result<u64> {
        let mut all = self.kept_bytes;
        let Some(compression) = batch.compression() else { return Ok(all) };
        let own = |buffer: &arrow_ipc::Buffer| {
            let own = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
            let own = own.and_then(|(first, length)| bytes.get(first..first.checked_add(length)?));
            own.ok_or_else(|| broken("a buffer is beyond its end"))
        };
        for buffer in batch.buffers().iter().flatten() {
            if let Some((said, _)) = own(buffer)?.split_first_chunk() {
                // A negative length marks bytes that are not compressed.
                all = all.saturating_add(u64::try_from(i64::from_le_bytes(*said)).unwrap_or(0));
            }
        }
        self.limits.check(self.size(), all).map_err(|error| ArrowError::from(passed(*error)))?;
        memory::check(usize::try_from(all).unwrap_or(usize::MAX).saturating_add(DECODER))
            .map_err(|error| ArrowError::from(passed(*error)))?;
        for buffer in batch.buffers().iter().flatten() {
            let Some((said, compressed)) = own(buffer)?.split_first_chunk() else { continue };
            let Ok(said) = u64::try_from(i64::from_le_bytes(*said)) else { continue };
            if said > BELIEVED {
                let mut decompressed: Box<dyn Read + '_> = match compression.codec() {
                    #[cfg(not(target_family = "wasm"))]
                    arrow_ipc::CompressionType::ZSTD => {
                        Box::new(zstd::stream::read::Decoder::with_buffer(compressed)?)
                    }
                    _ => Box::new(lz4_flex::frame::FrameDecoder::new(compressed)),
                };
                if io::copy(&mut decompressed.as_mut().take(said), &mut io::sink())? < said {
                    return Err(broken("a compressed buffer is shorter than its declared length"));
                }
            }
        }
        Ok(all)
    }
}

impl Iterator for Messages {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

impl Input {
    fn size(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Stream { read, .. } => *read,
        }
    }

    /// The footer of a file; `None` for a stream.
    fn footer(&mut self) -> Result<Option<Vec<u8>>> {
        let Self::File { file, length: whole, .. } = self else { return Ok(None) };
        let mut magic = [0; ARROW_FILE.len()];
        if *whole < magic.len() as u64 {
            return Ok(None);
        }
        exactly(file, *whole, &mut magic, 0)?;
        if magic != ARROW_FILE {
            return Ok(None);
        }
        let mut end = [0; 10];
        let trailer = whole.checked_sub(end.len() as u64).ok_or_else(breaks_off)?;
        exactly(file, *whole, &mut end, trailer)?;
        let footer = read_footer_length(end)?;
        let first = trailer.checked_sub(footer as u64).ok_or_else(breaks_off)?;
        let mut bytes = memory::zeros(footer)?;
        exactly(file, *whole, &mut bytes, first)?;
        Ok(Some(bytes))
    }

    /// The schema that a stream begins with.
    fn schema(&mut self) -> Result<SchemaRef> {
        let (metadata, body) = self.message()?.ok_or_else(|| broken("it has no schema"))?;
        let message = root_as_message(&metadata).map_err(|error| parsed("a message", &error))?;
        let schema = message.header_as_schema().ok_or_else(|| broken("it has no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(broken("its numbers have another byte order"));
        }
        self.body(body)?;
        Ok(Arc::new(try_fb_to_schema(schema)?))
    }

    fn go_to(&mut self, place: u64) {
        if let Self::File { at, .. } = self {
            *at = place;
        }
    }

    /// Skips a body in a file, if there is one; returns its start.
    fn passed(&mut self, body: u64) -> Option<u64> {
        let Self::File { length, at, .. } = self else { return None };
        let first = *at;
        *at = first.checked_add(body).filter(|end| end <= length)?;
        Some(first)
    }

    /// The metadata of the next message, and how long its body is; `None` at the end.
    fn message(&mut self) -> Result<Option<(Vec<u8>, u64)>> {
        let mut four = [0; 4];
        match self.fill(&mut four)? {
            0 => return Ok(None),
            4 => {}
            _ => return Err(breaks_off()),
        }
        if four == [0xff; 4] && self.fill(&mut four)? != four.len() {
            return Err(breaks_off());
        }
        let metadata = length(i64::from(i32::from_le_bytes(four)))?;
        if metadata == 0 {
            return Ok(None);
        }
        let metadata = self.body(metadata)?;
        let message = root_as_message(&metadata).map_err(|error| parsed("a message", &error))?;
        let body = length(message.bodyLength())?;
        Ok(Some((metadata, body)))
    }

    /// The next bytes, all of them.
    fn body(&mut self, length: u64) -> Result<Vec<u8>> {
        match self {
            Self::File { file, length: whole, at } => {
                if at.checked_add(length).is_none_or(|end| end > *whole) {
                    return Err(breaks_off());
                }
                let mut bytes = memory::zeros(usize::try_from(length).map_err(|_| breaks_off())?)?;
                exactly(file, *whole, &mut bytes, *at)?;
                *at += length;
                Ok(bytes)
            }
            Self::Stream { stream, read } => {
                let mut bytes = Vec::new();
                *read += Read::by_ref(stream).take(length).read_to_end(&mut bytes)? as u64;
                if (bytes.len() as u64) < length {
                    return Err(breaks_off());
                }
                Ok(bytes)
            }
        }
    }

    /// Reads up to the requested number of bytes; returns how many.
    fn fill(&mut self, into: &mut [u8]) -> Result<usize> {
        let mut have = 0;
        while let Some(rest) = into.get_mut(have..).filter(|rest| !rest.is_empty()) {
            let read = match self {
                Self::File { file, at, .. } => file.read_at(rest, *at + have as u64)?,
                Self::Stream { stream, .. } => match stream.read(rest) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    other => other?,
                },
            };
            if read == 0 {
                break;
            }
            have += read;
        }
        if let Self::File { at, .. } = self {
            *at += have as u64;
        }
        Ok(have)
    }

    /// Bytes of a file, all of them.
    pub(super) fn read(&self, into: &mut [u8], place: u64) -> Result<()> {
        match self {
            Self::File { file, length, .. } => exactly(file, *length, into, place),
            Self::Stream { .. } => Err(breaks_off()),
        }
    }
}

fn exactly(file: &Content, length: u64, into: &mut [u8], place: u64) -> Result<()> {
    if place.checked_add(into.len() as u64).is_none_or(|end| end > length) {
        return Err(breaks_off());
    }
    let mut have = 0;
    while let Some(rest) = into.get_mut(have..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, place + have as u64)? {
            0 => return Err(breaks_off()),
            more => have += more,
        }
    }
    Ok(())
}

fn length(said: i64) -> Result<u64> {
    u64::try_from(said).map_err(|_| broken("a length is negative"))
}

#[cold]
pub(super) fn broken(found: &str) -> ArrowError {
    ArrowError::IpcError(found.to_owned())
}

#[cold]
pub(super) fn breaks_off() -> ArrowError {
    broken("it is truncated")
}

#[cold]
fn parsed(what: &str, error: &dyn std::fmt::Display) -> ArrowError {
    ArrowError::IpcError(format!("{what} cannot be read: {error}"))
}
