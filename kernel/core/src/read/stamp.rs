//! The state of a file on disk, by which a change while it is read is detected.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use crate::error::{Error, Kind};

/// Size and time of the last change of a file; on Unix also which file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: (u64, u64),
}

impl Stamp {
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: {
                use std::os::unix::fs::MetadataExt;
                (metadata.dev(), metadata.ino())
            },
        }
    }

    /// An error unless an open file is as it was.
    pub fn check(&self, file: &File) -> io::Result<()> {
        if Self::of(&file.metadata()?) == *self { Ok(()) } else { Err(changed()) }
    }

    /// Opens the file of a path, which has to be the same one as it was.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let file = File::open(path)?;
        self.check(&file)?;
        Ok(file)
    }
}

/// The error of a file that changed.
#[cold]
pub fn changed() -> io::Error {
    let error = Error::new(Kind::Source, "a file that changed while it was read", "one that stays as it is")
        .hint("run it again once the program that writes the file has finished");
    io::Error::other(*error)
}
