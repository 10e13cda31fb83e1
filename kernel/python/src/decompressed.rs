//! Decompresses files for readers written in Python, with the limits and messages of the kernel's readers.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use gainful_core::known::Known;
use gainful_core::read::limits::Limits;
use gainful_core::read::source::{Source, decompressed};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::raise;

/// The maximum number of bytes that one call returns.
const PIECE: usize = 1 << 20;

/// A binary Python file, decompressed while it is read. `name` is for messages.
#[pyclass(frozen, module = "gainful._kernel")]
pub struct Decompressed {
    source: Source,
    stream: Mutex<Box<dyn Read + Send>>,
}

#[pymethods]
impl Decompressed {
    #[new]
    fn new(py: Python<'_>, file: Py<PyAny>, name: String) -> PyResult<Self> {
        let source = Source::Path(name.into());
        let stream = py.detach(|| decompressed(Box::new(PythonFile(file))));
        let stream = stream.map_err(|error| raised(py, &source, error))?;
        Ok(Self { source, stream: Mutex::new(stream) })
    }

    /// Returns up to `size` of the next bytes; empty at the end of the file.
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
        let read = read.map_err(|error| raised(py, &self.source, error))?;
        Ok(PyBytes::new(py, bytes.known(..read)))
    }
}

/// Refuses data that expand from `compressed` to `expanded` bytes, or that exceed the size limit.
#[pyfunction]
#[pyo3(signature = (name, expanded, compressed = None))]
pub(crate) fn check_size(
    py: Python<'_>,
    name: String,
    expanded: u64,
    compressed: Option<u64>,
) -> PyResult<()> {
    let checked = Limits::of_environment().and_then(|limits| match compressed {
        Some(compressed) => limits.check(compressed, expanded),
        None => limits.check_size(expanded),
    });
    checked.map_err(|error| {
        let error = if error.file.is_some() { error } else { error.file(name) };
        raise(py, &error)
    })
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
                None => return Err(io::Error::other("a file that returns more bytes than requested")),
            }
            Ok(bytes.len())
        })
    }
}

/// Converts an error to an exception. An exception that the Python file raised is returned unchanged.
#[cold]
fn raised(py: Python<'_>, source: &Source, error: io::Error) -> PyErr {
    if error.get_ref().is_some_and(|inner| inner.is::<PyErr>()) {
        return error.into();
    }
    raise(py, &source.failed(&error))
}
