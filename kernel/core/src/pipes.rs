//! Pipes and devices. They may be silent or full, so reading and writing wait for them in short steps, and the
//! caller can stop in between.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::parallel::{Progress, Stop};

/// A pipe or device that is read.
pub(crate) struct Incoming {
    pub(crate) file: File,
    pub(crate) stop: Stop,
}

impl Read for Incoming {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if system::is_ready(&self.file, system::IN)? {
                match self.file.read(into) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    done => return done,
                }
            }
            self.stop.check()?;
        }
    }
}

/// A file that is written in place.
pub(crate) struct Direct<'a> {
    file: File,
    progress: &'a Progress,
}

impl Write for Direct<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            self.progress.advance_stream(0)?;
            if !system::is_ready(&self.file, system::OUT)? {
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

/// Opens a file to read it. A named pipe needs no writer yet.
#[cfg(unix)]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    let mut options = File::options();
    if path.metadata()?.file_type().is_fifo() {
        options.custom_flags(system::NONBLOCKING);
    }
    options.read(true).open(path)
}

#[cfg(not(unix))]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
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

    pub(super) const IN: PollFlags = PollFlags::IN;
    pub(super) const OUT: PollFlags = PollFlags::OUT;
    pub(super) const STEP: Duration = Duration::from_millis(50);
    pub(super) const ATOMIC: usize = rustix::pipe::PIPE_BUF;
    #[allow(clippy::cast_possible_wrap)]
    pub(super) const NONBLOCKING: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

    /// Waits briefly; also true if reading or writing would end or fail immediately.
    pub(super) fn is_ready(file: &File, direction: PollFlags) -> io::Result<bool> {
        let step = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        match poll(&mut [PollFd::new(file, direction)], Some(&step)) {
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
    pub(super) fn stdout(progress: &'a Progress) -> io::Result<Self> {
        use std::os::windows::io::AsHandle;
        let file = File::from(io::stdout().as_handle().try_clone_to_owned()?);
        Ok(Self { file, progress })
    }

    #[cfg(not(windows))]
    pub(super) fn stdout(_: &'a Progress) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn open(path: &Path, _: &Metadata, progress: &'a Progress) -> io::Result<Self> {
        Ok(Self { file: File::options().write(true).open(path)?, progress })
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) const ATOMIC: usize = 1 << 16;
    pub(super) const IN: () = ();
    pub(super) const OUT: () = ();

    pub(super) fn is_ready(_: &std::fs::File, (): ()) -> std::io::Result<bool> {
        Ok(true)
    }
}
