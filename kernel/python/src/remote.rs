//! Files that Python reads, range by range, and whatever else a path may be.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use gainful_core::read::remote::{Remote as Ranges, RemoteFile};
use gainful_core::read::source::Source;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyIsADirectoryError, PyPermissionError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A file that is not on this machine. `length()` says how many bytes it has, `fetch(ranges)` gives some of
/// them. Both are called from any thread, and the text of what they raise goes into messages as it is.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct Remote {
    file: RemoteFile,
}

#[pymethods]
impl Remote {
    #[new]
    fn new(name: String, length: Py<PyAny>, fetch: Py<PyAny>) -> Self {
        Self { file: RemoteFile::new(Box::new(Called { name, length, fetch })) }
    }
}

struct Called {
    name: String,
    length: Py<PyAny>,
    fetch: Py<PyAny>,
}

impl Ranges for Called {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn length(&self) -> io::Result<u64> {
        Python::attach(|py| {
            let length = self.length.call0(py).and_then(|length| length.extract(py));
            length.map_err(|error| failed(py, error))
        })
    }

    fn fetch(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let ranges: Vec<(u64, u64)> = ranges.iter().map(|range| (range.start, range.end)).collect();
        Python::attach(|py| {
            let parts = self.fetch.bind(py).call1((ranges,));
            let parts = parts.and_then(|parts| parts.extract::<Vec<Bound<'_, PyBytes>>>());
            let parts = parts.map_err(|error| failed(py, error))?;
            Ok(parts.iter().map(|part| part.as_bytes().to_vec()).collect())
        })
    }
}

/// What is no error of the file, such as Ctrl-C, until the call ends that it came in the midst of.
static STOPPED: Mutex<Option<PyErr>> = Mutex::new(None);

/// What ended a call that reads remote files, if it was no error of theirs; asked for once.
pub fn stopped() -> Option<PyErr> {
    STOPPED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

#[cold]
fn failed(py: Python<'_>, error: PyErr) -> io::Error {
    let text = error.value(py).to_string();
    if !error.is_instance_of::<PyException>(py) {
        *STOPPED.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        return io::Error::other(text);
    }
    if error.is_instance_of::<PyFileNotFoundError>(py) {
        io::Error::new(io::ErrorKind::NotFound, text)
    } else if error.is_instance_of::<PyPermissionError>(py) {
        io::Error::new(io::ErrorKind::PermissionDenied, text)
    } else if error.is_instance_of::<PyIsADirectoryError>(py) {
        io::Error::new(io::ErrorKind::IsADirectory, text)
    } else {
        io::Error::other(text)
    }
}

/// What a path stands for: a file here, or, where it has an attribute `remote`, one elsewhere.
#[derive(FromPyObject)]
pub enum Place {
    Remote {
        #[pyo3(attribute("remote"))]
        remote: Py<Remote>,
    },
    #[pyo3(transparent)]
    Path(PathBuf),
}

impl From<Place> for Source {
    fn from(place: Place) -> Self {
        match place {
            Place::Path(path) => Self::new(path),
            Place::Remote { remote } => Self::Remote(remote.get().file.clone()),
        }
    }
}
