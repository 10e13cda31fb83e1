//! Reads Arrow files and streams message by message. Declared lengths are checked before memory is allocated.
//! Large record batches in uncompressed files are read in slices.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{MessageHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::expansion::passed;
use super::ipc_input::{ArrowResult, IpcInput, broken, length, parsed};
use super::slices::{Body, Slices};
use crate::memory;
use crate::read::limits::Limits;

/// The memory that the libraries of the compressions need: two blocks of LZ4 and its window, at most.
const DECODER: usize = 16 << 20;

/// Bytes of a record batch that are read at once.
const AT_ONCE: u64 = 16 << 20;

/// The length that a compressed buffer may declare without a check.
const BELIEVED: u64 = 64 << 20;

/// The record batches of a file or stream.
pub(super) struct Messages {
    input: IpcInput,
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

impl Messages {
    pub(super) fn open(mut input: IpcInput, limits: Limits) -> ArrowResult<Self> {
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
                    Some(batches.collect::<ArrowResult<_>>()?),
                    dictionaries.collect::<ArrowResult<_>>()?,
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

    fn dictionary(&mut self, metadata: &[u8], body: u64) -> ArrowResult<()> {
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

    fn batch(&mut self) -> ArrowResult<Option<RecordBatch>> {
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
    fn prove(&self, batch: &arrow_ipc::RecordBatch<'_>, bytes: &[u8]) -> ArrowResult<u64> {
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
    type Item = ArrowResult<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}
