//! Runs long jobs without blocking the interpreter; the calling thread checks for signals.

use std::alloc::System;
use std::sync::atomic::Ordering;

use gainful_core::memory::{self, spare::Spare};
use gainful_core::parallel::{Pace, Progress, Stop};
use pyo3::prelude::*;

use crate::errors::raise;
use crate::remote::no_signal;

#[global_allocator]
pub(crate) static ALLOCATOR: Spare<System> = Spare::new(System);

/// Runs a job on the kernel's threads, detached from the interpreter. Ten times per second it checks for
/// signals and calls `report(done, total)`, if given.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    threads: usize,
    report: Option<Py<PyAny>>,
    job: impl FnOnce(&mut Pace<'_>) -> gainful_core::Result<T> + Send,
) -> PyResult<T> {
    let mut signal: Option<PyErr> = None;
    let result = py.detach(|| {
        if !ALLOCATOR.renew() {
            return Err(memory::exhausted());
        }
        let progress = Progress { stop: Stop::new(no_signal), ..Progress::default() };
        let mut tick = |progress: &Progress| {
            let checked = Python::attach(|py| {
                py.check_signals()?;
                if let Some(report) = &report {
                    let done = progress.done.load(Ordering::Relaxed);
                    report.call1(py, (done, progress.total.load(Ordering::Relaxed)))?;
                }
                Ok::<(), PyErr>(())
            });
            match checked {
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
