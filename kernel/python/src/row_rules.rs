//! How rows are recoded, and what happens to duplicates.

use gainful_core::convention::Duplicates;
use gainful_core::formats::Recoding;
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::raise;

/// The policy on duplicates, and what ids and labels mean, which applies before it.
///
/// `query` and `document` are patterns with a group, which is the id; `grades` has labels and their grades. With
/// `ignores_offsets`, a place in a document is read as the document.
#[pyclass(frozen, module = "gainful._kernel")]
#[derive(Clone)]
pub(crate) struct RowRules {
    pub duplicates: Duplicates,
    pub recoding: Recoding,
}

impl Default for RowRules {
    fn default() -> Self {
        Self { duplicates: Duplicates::Error, recoding: Recoding::default() }
    }
}

#[pymethods]
impl RowRules {
    #[new]
    #[pyo3(signature = (duplicates, *, query = None, document = None, grades = Vec::new(), ignores_offsets = false))]
    fn new(
        py: Python<'_>,
        duplicates: &str,
        query: Option<&str>,
        document: Option<&str>,
        grades: Vec<(String, f64)>,
        ignores_offsets: bool,
    ) -> PyResult<Self> {
        let recoding = Recoding::new(query, document, &grades, ignores_offsets);
        let recoding = recoding.map_err(|error| raise(py, &error))?;
        Ok(Self { duplicates: arguments::duplicates(duplicates)?, recoding })
    }

    /// Whether places in documents are read as documents.
    #[getter]
    fn ignores_offsets(&self) -> bool {
        self.recoding.ignores_offsets()
    }
}

impl RowRules {
    /// Keeps duplicates.
    pub(crate) fn keeping_all() -> Self {
        Self { duplicates: Duplicates::Count, ..Self::default() }
    }

    pub(crate) fn parts(&self) -> (Duplicates, &Recoding) {
        (self.duplicates, &self.recoding)
    }
}

impl<'py> FromPyObject<'_, 'py> for RowRules {
    type Error = PyErr;

    /// The name of a policy on duplicates is a rule, too.
    fn extract(rules: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match rules.extract::<&str>() {
            Ok(word) => Ok(Self { duplicates: arguments::duplicates(word)?, ..Self::default() }),
            Err(_) => Ok(rules.cast::<Self>()?.get().clone()),
        }
    }
}
