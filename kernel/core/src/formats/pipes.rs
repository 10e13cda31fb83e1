//! Writes outputs in place: pipes, devices, the standard output.
//!
//! A full pipe blocks. Writes therefore wait for room first, in short steps, so that the caller can stop in
//! between.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use crate::parallel::Progress;

/// A file that is written in place.
pub(super) struct Direct<'a> {
    file: File,
    progress: &'a Progress,
}

impl Write for Direct<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            self.progress.advance_stream(0)?;
            if !system::has_room(&self.file)? {
                continue;
            }
            // A pipe with any room accepts this much.
            let part = bytes.get(..system::ATOMIC).unwrap_or(bytes);
            match self.file.write(part) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(unix)]
impl<'a> Direct<'a> {
    pub(super) fn stdout(progress: &'a Progress) -> io::Result<Self> {
        use std::os::fd::AsFd;
        let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self { file, progress })
    }

    /// Opens a device, or a named pipe as soon as it has a reader.
    pub(super) fn open(path: &Path, data: &Metadata, progress: &'a Progress) -> io::Result<Self> {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        let mut options = File::options();
        options.write(true);
        if !data.file_type().is_fifo() {
            return Ok(Self { file: options.open(path)?, progress });
        }
        options.custom_flags(system::NONBLOCKING);
        loop {
            match options.open(path) {
                Err(error) if system::lacks_reader(&error) => std::thread::sleep(system::STEP),
                opened => return opened.map(|file| Self { file, progress }),
            }
            progress.advance_stream(0)?;
        }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    pub(super) const STEP: Duration = Duration::from_millis(50);
    pub(super) const ATOMIC: usize = rustix::pipe::PIPE_BUF;
    #[allow(clippy::cast_possible_wrap)]
    pub(super) const NONBLOCKING: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

    /// Waits briefly for room; also true if a write would fail immediately.
    pub(super) fn has_room(file: &File) -> io::Result<bool> {
        let step = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        match poll(&mut [PollFd::new(file, PollFlags::OUT)], Some(&step)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn lacks_reader(error: &io::Error) -> bool {
        rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::NXIO)
    }
}

#[cfg(not(unix))]
impl<'a> Direct<'a> {
    #[cfg(windows)]
    pub fn stdout(progress: &'a Progress) -> io::Result<Self> {
        use std::os::windows::io::AsHandle;
        let file = File::from(io::stdout().as_handle().try_clone_to_owned()?);
        Ok(Self { file, progress })
    }

    #[cfg(not(windows))]
    pub fn stdout(_: &'a Progress) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn open(path: &Path, _: &Metadata, progress: &'a Progress) -> io::Result<Self> {
        Ok(Self { file: File::options().write(true).open(path)?, progress })
    }
}

#[cfg(not(unix))]
mod system {
    pub const ATOMIC: usize = 1 << 16;

    pub fn has_room(_: &std::fs::File) -> std::io::Result<bool> {
        Ok(true)
    }
}
