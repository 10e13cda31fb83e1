//! Long work: the interpreter is free meanwhile, and the calling thread looks for signals.

use std::sync::atomic::Ordering;

use gainful_core::parallel::{Pace, Progress};
use pyo3::prelude::*;

use crate::errors::raise;

/// Runs work on the kernel's threads while the interpreter goes on. Signals are looked for ten times a
/// second; `report`, if there is one, is called as often with (done, total).
pub fn work<T: Send>(
    py: Python<'_>,
    threads: usize,
    report: Option<Py<PyAny>>,
    job: impl FnOnce(&mut Pace<'_>) -> gainful_core::Result<T> + Send,
) -> PyResult<T> {
    let mut signal: Option<PyErr> = None;
    let result = py.detach(|| {
        let progress = Progress::default();
        let mut tick = |progress: &Progress| {
            let looked = Python::attach(|py| {
                py.check_signals()?;
                if let Some(report) = &report {
                    let done = progress.done.load(Ordering::Relaxed);
                    report.call1(py, (done, progress.total.load(Ordering::Relaxed)))?;
                }
                Ok::<(), PyErr>(())
            });
            match looked {
                Ok(()) => true,
                Err(error) => {
                    signal = Some(error);
                    false
                }
            }
        };
        job(&mut Pace { threads: threads.max(1), progress: &progress, tick: &mut tick })
    });
    match (result, signal) {
        (_, Some(error)) => Err(error),
        (Ok(value), None) => Ok(value),
        (Err(error), None) => Err(raise(py, &error)),
    }
}
