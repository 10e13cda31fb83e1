//! The state of a file on disk, by which a change while it is read is detected.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use crate::error::{Error, Kind};

/// Size and modification time of a file; on Unix also its identity.
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

    /// Checks that an open file is unchanged.
    pub fn check(&self, file: &File) -> io::Result<()> {
        if Self::of(&file.metadata()?) == *self { Ok(()) } else { Err(changed()) }
    }

    /// Opens the file of a path, which must be unchanged.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let file = File::open(path)?;
        self.check(&file)?;
        Ok(file)
    }
}

/// The error of a file that changed.
#[cold]
pub fn changed() -> io::Error {
    let error = Error::statement(Kind::Source, "the file changed while it was read")
        .hint("try again when the program that writes the file has finished");
    io::Error::other(*error)
}
