//! Zstandard for readers written in Python, whose standard library cannot read it before 3.14.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use gainful_core::read::source::decompressed;
use pyo3::exceptions::{PyEOFError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The most bytes that one call gives.
const PIECE: usize = 1 << 20;

/// What a binary Python file holds, decompressed as it is read.
#[pyclass(frozen, module = "gainful._engine")]
pub struct ZstandardReader {
    stream: Mutex<Box<dyn Read + Send>>,
}

#[pymethods]
impl ZstandardReader {
    #[new]
    fn new(py: Python<'_>, file: Py<PyAny>) -> PyResult<Self> {
        let stream = py.detach(|| decompressed(Box::new(PythonFile(file)))).map_err(raised)?;
        Ok(Self { stream: Mutex::new(stream) })
    }

    /// The next bytes, `size` at most; none at the end.
    fn read<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = vec![0; size.min(PIECE)];
        let read = py.detach(|| {
            let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                match stream.read(&mut bytes) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => return other,
                }
            }
        });
        let read = read.map_err(raised)?;
        Ok(PyBytes::new(py, bytes.get(..read).unwrap_or_default()))
    }
}

/// A file that Python opened.
struct PythonFile(Py<PyAny>);

impl Read for PythonFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let bytes = self.0.bind(py).call_method1("read", (into.len(),))?;
            let bytes = bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
            match into.get_mut(..bytes.len()) {
                Some(room) => room.copy_from_slice(bytes),
                None => return Err(io::Error::other("a file that gives more bytes than it is asked for")),
            }
            Ok(bytes.len())
        })
    }
}

/// The exception of an error: that of the file, if it raised one.
#[cold]
fn raised(error: io::Error) -> PyErr {
    if error.get_ref().is_some_and(|inner| inner.is::<PyErr>()) {
        return error.into();
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => PyEOFError::new_err("compressed data that break off"),
        _ => PyOSError::new_err(error.to_string()),
    }
}
