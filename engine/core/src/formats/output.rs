//! Output files: compressed as their suffix says, and written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::located;
use crate::error::{Error, Kind, Result};
use crate::read::source::Source;

/// An output that becomes visible under its name when it is finished, and leaves nothing behind when
/// it is dropped before.
pub struct Output {
    encoder: Encoder,
    name: String,
}

enum Encoder {
    Plain(BufWriter<Target>),
    Gzip(flate2::write::GzEncoder<BufWriter<Target>>),
    Bzip2(bzip2::write::BzEncoder<BufWriter<Target>>),
    Xz(Box<lzma_rust2::XzWriter<BufWriter<Target>>>),
    Zstandard(Frames),
}

/// Where the bytes go.
enum Target {
    /// A file beside the one to be, and that one's path.
    Temporary(NamedTempFile, PathBuf),
    /// A pipe or a device, which cannot be replaced.
    Direct(File),
    Stdout(io::Stdout),
}

/// Opens a file for writing; `-` is the standard output.
pub fn open_output(path: impl AsRef<Path>) -> Result<Output> {
    let path = path.as_ref();
    let name =
        if path.as_os_str() == "-" { "standard output".to_owned() } else { path.display().to_string() };
    let open = || -> io::Result<Output> {
        let target = BufWriter::with_capacity(1 << 16, Target::open(path)?);
        let encoder = match path.extension().and_then(|suffix| suffix.to_str()) {
            Some("gz") => {
                Encoder::Gzip(flate2::write::GzEncoder::new(target, flate2::Compression::default()))
            }
            Some("bz2") => {
                Encoder::Bzip2(bzip2::write::BzEncoder::new(target, bzip2::Compression::default()))
            }
            Some("xz") => {
                let options = lzma_rust2::XzOptions::with_preset(6);
                Encoder::Xz(Box::new(lzma_rust2::XzWriter::new(target, options)?))
            }
            Some("zst") => Encoder::Zstandard(Frames { target, waiting: Vec::new(), written: false }),
            _ => Encoder::Plain(target),
        };
        Ok(Output { encoder, name: name.clone() })
    };
    open().map_err(|error| located(unopened(path, &error), &name))
}

fn unopened(path: &Path, error: &io::Error) -> Box<Error> {
    match error.kind() {
        io::ErrorKind::NotFound => Error::new(Kind::NotFound, "no such directory", "one that exists"),
        io::ErrorKind::IsADirectory => Error::new(Kind::Source, "a directory", "a file to write"),
        io::ErrorKind::PermissionDenied => {
            Error::new(Kind::Source, "a directory that may not be written", "permission to write it")
        }
        _ => Source::Path(path.to_owned()).failed(error),
    }
}

/// The error that writing gave.
pub(super) fn failed(error: &io::Error) -> Box<Error> {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Error::new(Kind::Source, "no space left to write", "room for the file")
        }
        io::ErrorKind::BrokenPipe => Error::new(Kind::Source, "a closed pipe", "a reader at its other end"),
        _ => Error::new(Kind::Source, format!("an error while writing ({error})"), "a file that takes data"),
    }
}

impl Output {
    /// Writes what is left and gives the file its name.
    pub fn finish(self) -> Result<()> {
        let name = self.name;
        self.encoder.finish().map_err(|error| located(failed(&error), &name))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Encoder::Plain(to) => to.write(bytes),
            Encoder::Gzip(to) => to.write(bytes),
            Encoder::Bzip2(to) => to.write(bytes),
            Encoder::Xz(to) => to.write(bytes),
            Encoder::Zstandard(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.encoder {
            Encoder::Plain(to) => to.flush(),
            Encoder::Gzip(to) => to.flush(),
            Encoder::Bzip2(to) => to.flush(),
            Encoder::Xz(to) => to.flush(),
            Encoder::Zstandard(to) => to.flush(),
        }
    }
}

impl Encoder {
    fn finish(self) -> io::Result<()> {
        let target = match self {
            Self::Plain(to) => to,
            Self::Gzip(to) => to.finish()?,
            Self::Bzip2(to) => to.finish()?,
            Self::Xz(to) => to.finish()?,
            Self::Zstandard(to) => to.finish()?,
        };
        target.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
    }
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::Stdout(io::stdout()));
        }
        // A link stays a link: the file it points to is the one that is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match std::fs::metadata(&path) {
            Ok(data) if data.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(data) if !data.is_file() => {
                return std::fs::OpenOptions::new().write(true).open(&path).map(Self::Direct);
            }
            _ => {}
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = temporary(&path).tempfile_in(folder)?;
        Ok(Self::Temporary(file, path))
    }

    fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Self::Temporary(file, path) => file.persist(path).map(|_| ()).map_err(|error| error.error),
            Self::Direct(_) | Self::Stdout(_) => Ok(()),
        }
    }
}

/// Temporary files are private; what becomes the output has the rights of the file it replaces, or
/// those of any new file.
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

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary(file, _) => file.write(bytes),
            Self::Direct(file) => file.write(bytes),
            Self::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(file, _) => file.flush(),
            Self::Direct(file) => file.flush(),
            Self::Stdout(out) => out.flush(),
        }
    }
}

/// Zstandard, in frames of a few megabytes: the encoder takes whole pieces.
struct Frames {
    target: BufWriter<Target>,
    waiting: Vec<u8>,
    written: bool,
}

impl Frames {
    const SIZE: usize = 4 << 20;

    fn frame(&mut self) -> io::Result<()> {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let frame = ruzstd::encoding::compress_to_vec(self.waiting.as_slice(), level);
        self.waiting.clear();
        self.written = true;
        self.target.write_all(&frame)
    }

    fn finish(mut self) -> io::Result<BufWriter<Target>> {
        if !self.waiting.is_empty() || !self.written {
            self.frame()?;
        }
        Ok(self.target)
    }
}

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= Self::SIZE {
            self.frame()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}
