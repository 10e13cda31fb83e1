//! Zstandard without C, for web pages.

use std::io::{self, BufReader, Read};

use super::errors::damaged;

/// Zstandard files may have several frames; the decoder stops after one.
pub(super) struct PortableFrames<R: Read> {
    raw: BufReader<R>,
    frame: Option<Box<ruzstd::decoding::FrameDecoder>>,
}

impl<R: Read> PortableFrames<R> {
    #[allow(clippy::unnecessary_wraps)] // as its twin in C
    pub(super) fn new(raw: BufReader<R>) -> io::Result<Self> {
        Ok(Self { raw, frame: None })
    }

    fn at_end(&mut self) -> io::Result<bool> {
        use std::io::BufRead;
        Ok(self.raw.fill_buf()?.is_empty())
    }
}

impl<R: Read> Read for PortableFrames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        use ruzstd::decoding::BlockDecodingStrategy;
        use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
        /// The decoder wraps the error of a truncated file.
        fn broken(error: FrameDecoderError) -> io::Error {
            let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
            while let Some(inner) = cause {
                if inner
                    .downcast_ref()
                    .is_some_and(|own: &io::Error| own.kind() == io::ErrorKind::UnexpectedEof)
                {
                    return io::ErrorKind::UnexpectedEof.into();
                }
                cause = inner.source();
            }
            damaged()
        }
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(frame) = &mut self.frame {
                if frame.can_collect() == 0 && !frame.is_finished() {
                    frame
                        .decode_blocks(&mut self.raw, BlockDecodingStrategy::UptoBlocks(1))
                        .map_err(broken)?;
                }
                let read = frame.read(into)?;
                if read > 0 {
                    return Ok(read);
                }
                if !frame.is_finished() {
                    continue;
                }
                let stored = frame.get_checksum_from_data();
                if stored.is_some() && stored != frame.get_calculated_checksum() {
                    return Err(damaged());
                }
                self.frame = None;
            }
            if self.at_end()? {
                return Ok(0);
            }
            let mut frame = Box::new(ruzstd::decoding::FrameDecoder::new());
            match frame.reset(&mut self.raw) {
                Ok(()) => self.frame = Some(frame),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.raw.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(broken(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use std::io::Write;

    use super::super::zstandard;
    use super::*;

    /// Two frames with checksums.
    fn compressed(text: &[u8]) -> Vec<u8> {
        let frame = |text: &[u8]| {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        let (one, two) = text.split_at(text.len() / 2);
        [frame(one), frame(two)].concat()
    }

    #[test]
    fn a_changed_bit_is_found_by_both_decoders() {
        let text: Vec<u8> =
            (0..400_u32).flat_map(|row| format!("q {}\n", row * row % 977).into_bytes()).collect();
        let whole = compressed(&text);
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let (mut portable, mut linked) = (Vec::new(), Vec::new());
            let read = PortableFrames::new(BufReader::new(&bytes[..])).unwrap().read_to_end(&mut portable);
            assert!(read.is_err() || portable == text, "bit {bit}");
            let read = zstandard::Frames::new(BufReader::new(&bytes[..])).unwrap().read_to_end(&mut linked);
            assert!(read.is_err() || linked == text, "bit {bit}");
        }
        let cut = || BufReader::new(&whole[..whole.len() - 9]);
        let readers: [Box<dyn Read>; 2] =
            [Box::new(PortableFrames::new(cut()).unwrap()), Box::new(zstandard::Frames::new(cut()).unwrap())];
        for mut read in readers {
            let error = io::copy(&mut read, &mut io::sink()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
    }
}
