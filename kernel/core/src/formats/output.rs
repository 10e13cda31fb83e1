//! Writes output files atomically, compressed by their suffix.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Code, Error, Kind, Result};
use crate::parallel::Progress;
use crate::pipes;

/// An output that replaces the file of its name once it is finished and placed, and leaves nothing if it is
/// dropped before. Writing fails once the caller asks to stop.
pub struct Output<'a> {
    /// Fields are written one by one, and an encoder takes large pieces at less cost.
    encoder: BufWriter<Encoder<'a>>,
    name: String,
    progress: &'a Progress,
}

/// The number of bytes that are collected before they are compressed or written.
const BUFFER: usize = 1 << 16;

enum Encoder<'a> {
    Plain(OutputTarget<'a>),
    Gzip(flate2::write::GzEncoder<BufWriter<OutputTarget<'a>>>),
    Bzip2(bzip2::write::BzEncoder<BufWriter<OutputTarget<'a>>>),
    Xz(Box<lzma_rust2::XzWriter<BufWriter<OutputTarget<'a>>>>),
    #[cfg(not(target_family = "wasm"))]
    Zstandard(zstd::stream::write::Encoder<'static, BufWriter<OutputTarget<'a>>>),
}

/// The target of the bytes.
enum OutputTarget<'a> {
    /// A temporary file in the folder of the file that it will replace, and that file's path.
    Temporary(NamedTempFile, PathBuf),
    /// A pipe, a device or the standard output, which cannot be replaced.
    Direct(pipes::Direct<'a>),
}

/// A complete output that is not yet placed: the file of its name is unchanged.
#[must_use = "the file is replaced by `place`"]
pub struct Written {
    temporary: Option<(NamedTempFile, PathBuf)>,
    name: String,
}

impl Written {
    /// Replaces the file.
    pub fn place(self) -> Result<()> {
        let Some((file, path)) = self.temporary else { return Ok(()) };
        file.persist(path).map(|_| ()).map_err(|error| failed(&error.error).in_file(&*self.name))
    }
}

/// Opens a file for writing; `-` is the standard output.
pub fn open_output(path: impl AsRef<Path>, progress: &Progress) -> Result<Output<'_>> {
    let path = path.as_ref();
    let name =
        if path.as_os_str() == "-" { "standard output".to_owned() } else { path.display().to_string() };
    let open = || -> io::Result<Output<'_>> {
        let target = OutputTarget::open(path, progress)?;
        let buffered = |target| BufWriter::with_capacity(BUFFER, target);
        let encoder = match path.extension().and_then(|suffix| suffix.to_str()) {
            Some("gz") => {
                Encoder::Gzip(flate2::write::GzEncoder::new(buffered(target), flate2::Compression::default()))
            }
            Some("bz2") => {
                Encoder::Bzip2(bzip2::write::BzEncoder::new(buffered(target), bzip2::Compression::default()))
            }
            Some("xz") => {
                let options = lzma_rust2::XzOptions::with_preset(6);
                Encoder::Xz(Box::new(lzma_rust2::XzWriter::new(buffered(target), options)?))
            }
            #[cfg(not(target_family = "wasm"))]
            Some("zst") => {
                let mut encoder = zstd::stream::write::Encoder::new(buffered(target), 3)?;
                encoder.include_checksum(true)?;
                Encoder::Zstandard(encoder)
            }
            _ => Encoder::Plain(target),
        };
        let encoder = BufWriter::with_capacity(BUFFER, encoder);
        Ok(Output { encoder, name: name.clone(), progress })
    };
    open().map_err(|error| unopened(&error).in_file(&*name))
}

fn unopened(error: &io::Error) -> Box<Error> {
    match error.kind() {
        io::ErrorKind::NotFound => Error::statement(Kind::NotFound, "the output folder does not exist"),
        io::ErrorKind::IsADirectory => Error::statement(Kind::Source, "is a directory, not a file"),
        io::ErrorKind::PermissionDenied => {
            Error::statement(Kind::Source, "no permission to write to the folder")
        }
        _ => failed(error),
    }
}

/// The error of writing.
pub(super) fn failed(error: &io::Error) -> Box<Error> {
    if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        return Box::new(own.clone());
    }
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Error::statement(Kind::Source, "no space left on the device")
        }
        io::ErrorKind::ReadOnlyFilesystem => Error::statement(Kind::Source, "the file system is read-only"),
        io::ErrorKind::BrokenPipe => {
            Error::statement(Kind::Source, "the reader closed the pipe").code(Code::ClosedPipe)
        }
        _ => Error::statement(Kind::Source, format!("cannot write the file ({error})")),
    }
}

impl Output<'_> {
    /// Writes the rest. The file of the name is replaced when the result is placed.
    pub fn finish(self) -> Result<Written> {
        let (name, progress) = (self.name, self.progress);
        let finish = || -> io::Result<Option<(NamedTempFile, PathBuf)>> {
            progress.advance_stream(0)?;
            let encoder = self.encoder.into_inner().map_err(io::IntoInnerError::into_error)?;
            let temporary = encoder.finish()?;
            progress.advance_stream(0)?;
            Ok(temporary)
        };
        match finish() {
            Ok(temporary) => Ok(Written { temporary, name }),
            Err(error) => Err(failed(&error).in_file(&*name)),
        }
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.progress.advance_stream(0)?;
        self.encoder.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}

impl<'a> Encoder<'a> {
    fn writer(&mut self) -> &mut (dyn Write + 'a) {
        match self {
            Self::Plain(to) => to,
            Self::Gzip(to) => to,
            Self::Bzip2(to) => to,
            Self::Xz(to) => to,
            #[cfg(not(target_family = "wasm"))]
            Self::Zstandard(to) => to,
        }
    }
}

impl Write for Encoder<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

impl Encoder<'_> {
    fn finish(self) -> io::Result<Option<(NamedTempFile, PathBuf)>> {
        let target = match self {
            Self::Plain(to) => BufWriter::with_capacity(0, to),
            Self::Gzip(to) => to.finish()?,
            Self::Bzip2(to) => to.finish()?,
            Self::Xz(to) => to.finish()?,
            #[cfg(not(target_family = "wasm"))]
            Self::Zstandard(to) => to.finish()?,
        };
        let mut target = target.into_inner().map_err(io::IntoInnerError::into_error)?;
        target.flush()?;
        match target {
            OutputTarget::Temporary(file, path) => {
                flush_to_disk(file.as_file())?;
                Ok(Some((file, path)))
            }
            OutputTarget::Direct(_) => Ok(None),
        }
    }
}

/// Waits until the content is on the disk, so that a power failure cannot leave an empty file.
fn flush_to_disk(file: &std::fs::File) -> io::Result<()> {
    match file.sync_all() {
        // Some network file systems cannot.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        done => done,
    }
}

impl<'a> OutputTarget<'a> {
    fn open(path: &Path, progress: &'a Progress) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return pipes::Direct::stdout(progress).map(Self::Direct);
        }
        let path = match std::fs::metadata(path) {
            Ok(data) if data.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(data) if !data.is_file() => {
                return pipes::Direct::open(path, &data, progress).map(Self::Direct);
            }
            // A link stays a link; the file that it points to is replaced.
            Ok(_) => std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => linked(path),
            Err(error) => return Err(error),
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = temporary(&path).tempfile_in(folder)?;
        Ok(Self::Temporary(file, path))
    }
}

/// The target of a link that does not exist yet.
fn linked(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many as Linux follows; a cycle of links is another error, reported earlier.
    for _ in 0..40 {
        let Ok(next) = std::fs::read_link(&path) else { break };
        path = path.parent().map(|folder| folder.join(&next)).unwrap_or(next);
    }
    path
}

/// Temporary files are private; the output gets the permissions of the file it replaces, or those of a new
/// file.
#[cfg(unix)]
fn temporary(path: &Path) -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let rights = std::fs::metadata(path).map_or(0o666, |data| data.permissions().mode() & 0o777);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gainful-").permissions(std::fs::Permissions::from_mode(rights));
    builder
}

#[cfg(not(unix))]
fn temporary(_: &Path) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gainful-");
    builder
}

impl Write for OutputTarget<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary(file, _) => file.write(bytes),
            Self::Direct(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(file, _) => file.flush(),
            Self::Direct(to) => to.flush(),
        }
    }
}
