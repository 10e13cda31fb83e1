//! Remote files, whose ranges of bytes Python fetches.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use gainful_core::read::remote::{Remote as Ranges, RemoteFile};
use gainful_core::read::source::Source;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyIsADirectoryError, PyPermissionError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A file on another machine.
///
/// `length()` returns its size in bytes, and `fetch(ranges)` the bytes of each range (start, end). Both can
/// be called from any thread. Messages quote the text of the exceptions that they raise.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct Remote {
    file: RemoteFile,
}

#[pymethods]
impl Remote {
    #[new]
    fn new(name: String, length: Py<PyAny>, fetch: Py<PyAny>) -> Self {
        Self { file: RemoteFile::new(Box::new(PythonFetcher { name, length, fetch })) }
    }
}

struct PythonFetcher {
    name: String,
    length: Py<PyAny>,
    fetch: Py<PyAny>,
}

impl Ranges for PythonFetcher {
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

/// An exception that is not an error of the file, such as KeyboardInterrupt, until the interrupted call ends.
static INTERRUPTION: Mutex<Option<PyErr>> = Mutex::new(None);

/// Takes the exception that interrupted the reading of a remote file, if any.
pub(crate) fn take_interruption() -> Option<PyErr> {
    INTERRUPTION.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Whether no signal has arrived, for calls that wait; keeps the exception of one.
pub(crate) fn no_signal() -> bool {
    let checked = Python::attach(|py| py.check_signals());
    checked.map_err(interrupt).is_ok()
}

fn interrupt(error: PyErr) {
    *INTERRUPTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
}

#[cold]
fn failed(py: Python<'_>, error: PyErr) -> io::Error {
    let text = error.value(py).to_string();
    if !error.is_instance_of::<PyException>(py) {
        interrupt(error);
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

/// A local path, or a remote file: an object with an attribute `remote`.
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
