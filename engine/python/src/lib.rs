//! The Python face of the kernel: conversions, and nothing else.

mod arguments;
mod errors;
mod evaluate;
mod ids;
mod pace;
mod rows;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _engine {
    #[pymodule_export]
    use crate::evaluate::{Evaluated, evaluate};
    #[pymodule_export]
    use crate::rows::{Rows, read};
}
