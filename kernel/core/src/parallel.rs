//! Jobs on threads that live as long as one call.
//!
//! Threads are started for a call and joined before it returns, so that a forked process inherits no threads.
//! Starting them takes about 50 µs, so small calls use none.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::memory::{self, spare};

/// How often the calling thread checks for signals while others work.
const TICK: Duration = Duration::from_millis(100);

/// Whether a call was asked to stop. Clones belong to the same call.
#[derive(Debug, Clone)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    goes_on: fn() -> bool,
}

impl Stop {
    /// Waiting threads call `goes_on` now and then; false asks to stop.
    #[must_use]
    pub fn new(goes_on: fn() -> bool) -> Self {
        Self { asked: Arc::default(), goes_on }
    }

    /// An error once the call was asked to stop; for threads that wait.
    pub fn check(&self) -> io::Result<()> {
        let goes_on = !self.asked.load(Ordering::Relaxed) && (self.goes_on)();
        if goes_on { Ok(()) } else { Err(io::Error::other(*Error::interrupted())) }
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new(|| true)
    }
}

/// The state that a running call shares with the waiting thread.
#[derive(Debug, Default)]
pub struct Progress {
    pub stop: Stop,
    /// Bytes or rows done.
    pub done: AtomicU64,
    /// The total; 0 if unknown.
    pub total: AtomicU64,
}

impl Progress {
    pub fn stop(&self) {
        self.stop.asked.store(true, Ordering::Relaxed);
    }

    /// Counts work done; an error once the caller has asked to stop, or memory is nearly exhausted.
    pub fn advance(&self, amount: u64) -> Result<()> {
        self.done.fetch_add(amount, Ordering::Relaxed);
        if self.stop.asked.load(Ordering::Relaxed) {
            Err(Error::interrupted())
        } else if spare::is_in_use() {
            Err(memory::exhausted())
        } else {
            Ok(())
        }
    }

    /// The same for what reads and writes streams.
    pub fn advance_stream(&self, amount: u64) -> io::Result<()> {
        self.advance(amount).map_err(|error| io::Error::other(*error))
    }
}

/// The number of threads of a call, and the function that is called ten times a second.
pub struct Pace<'a> {
    pub threads: usize,
    pub progress: &'a Progress,
    /// Called on the calling thread; false asks to stop.
    pub tick: &'a mut dyn FnMut(&Progress) -> bool,
}

/// Starts a thread; None if the system has no memory or no process left for it.
pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, work).ok()
}

/// Runs pieces of work on up to so many threads, one of which is the calling one.
pub(crate) fn together(threads: usize, works: Vec<Box<dyn FnOnce() + Send + '_>>) {
    let others = threads.min(works.len()).saturating_sub(1);
    let waiting = Mutex::new(works);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work = || {
        while let Some(work) = next() {
            work();
        }
    };
    std::thread::scope(|scope| {
        // Work for which the system has no thread is left to the others.
        for _ in 0..others {
            if spawn(scope, work).is_none() {
                break;
            }
        }
        work();
    });
}

/// Runs `jobs` jobs and returns their results in order. Each thread makes its own state with `init`.
/// The error is that of the first job, in order, that failed.
pub fn run<S, T: Send>(
    jobs: usize,
    pace: &mut Pace<'_>,
    init: impl Fn() -> S + Sync,
    job: impl Fn(&mut S, usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let threads = pace.threads.clamp(1, jobs.max(1));
    let next = AtomicUsize::new(0);
    let failed = AtomicUsize::new(usize::MAX);
    let progress = pace.progress;
    let worker = || {
        let mut state = init();
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            // Jobs are handed out in order: all before a failed one have been started.
            if index >= jobs || index > failed.load(Ordering::Relaxed) {
                return results;
            }
            let result = progress.advance(0).and_then(|()| job(&mut state, index));
            if result.is_err() {
                failed.fetch_min(index, Ordering::Relaxed);
            }
            results.push((index, result));
        }
    };
    if cfg!(target_family = "wasm") {
        // A web page has no threads, and one worker does the jobs in their order.
        return worker().into_iter().map(|(_, result)| result).collect();
    }
    let working = Mutex::new(threads);
    let finished = Condvar::new();
    // Counts down even if a job panics, so that the caller does not wait forever.
    struct Leave<'a>(&'a Mutex<usize>, &'a Condvar);
    impl Drop for Leave<'_> {
        fn drop(&mut self) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            self.1.notify_all();
        }
    }
    let mut results: Vec<(usize, Result<T>)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map_while(|_| {
                spawn(scope, || {
                    let _leave = Leave(&working, &finished);
                    worker()
                })
            })
            .collect();
        if handles.is_empty() {
            return worker();
        }
        let mut left = working.lock().unwrap_or_else(PoisonError::into_inner);
        *left -= threads - handles.len();
        while *left > 0 {
            let (guard, waited) = finished.wait_timeout(left, TICK).unwrap_or_else(PoisonError::into_inner);
            left = guard;
            if waited.timed_out() && *left > 0 {
                drop(left);
                if !(pace.tick)(progress) {
                    progress.stop();
                }
                left = working.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
        drop(left);
        handles
            .into_iter()
            .flat_map(|handle| match handle.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Work that waits for a thread.
struct Queue<I> {
    items: VecDeque<(usize, I)>,
    /// Nothing more comes.
    closed: bool,
    working: usize,
}

/// Runs a job for each item that `next` gives on the calling thread, and returns their results in order. At
/// most a few items per thread wait; then `next` waits, too. It is not called after a job failed. The error
/// is that of the first job, in order, that failed, or that of `next`. With one thread, `next` and the jobs
/// take turns on it.
pub fn feed<I: Send, S, T: Send>(
    pace: &mut Pace<'_>,
    mut next: impl FnMut() -> Result<Option<I>>,
    init: impl Fn() -> S + Sync,
    job: impl Fn(&mut S, usize, I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let progress = pace.progress;
    let mut ticked = Instant::now();
    let mut look = |now: bool| {
        if now || ticked.elapsed() >= TICK {
            ticked = Instant::now();
            if !(pace.tick)(progress) {
                progress.stop();
            }
        }
        progress.advance(0)
    };
    let threads = pace.threads;
    let queue = Mutex::new(Queue { items: VecDeque::new(), closed: false, working: threads });
    let changed = Condvar::new();
    let failed = AtomicBool::new(false);
    let locked = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    struct Leave<'a, I>(&'a Mutex<Queue<I>>, &'a Condvar);
    impl<I> Drop for Leave<'_, I> {
        fn drop(&mut self) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).working -= 1;
            self.1.notify_all();
        }
    }
    // Ends the queue, even if `next` panics.
    struct Close<'a, I>(&'a Mutex<Queue<I>>, &'a Condvar);
    impl<I> Drop for Close<'_, I> {
        fn drop(&mut self) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
            self.1.notify_all();
        }
    }
    let worker = || {
        let _leave = Leave(&queue, &changed);
        let mut state = init();
        let mut results = Vec::new();
        loop {
            let mut waiting = locked();
            let (number, item) = loop {
                if let Some(item) = waiting.items.pop_front() {
                    break item;
                }
                if waiting.closed {
                    return results;
                }
                waiting = changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            };
            drop(waiting);
            changed.notify_all();
            let result = progress.advance(0).and_then(|()| job(&mut state, number, item));
            if result.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            results.push((number, result));
        }
    };
    let on_threads = std::thread::scope(|scope| {
        let wanted = if threads > 1 { threads } else { 0 };
        let handles: Vec<_> = (0..wanted).map_while(|_| spawn(scope, worker)).collect();
        if handles.is_empty() {
            return None;
        }
        let close = Close(&queue, &changed);
        locked().working -= threads - handles.len();
        let mut number = 0;
        let mut fed = Ok(());
        while !failed.load(Ordering::Relaxed) {
            let item = match look(false).and_then(|()| next()) {
                Ok(Some(item)) => item,
                Ok(None) => break,
                Err(error) => {
                    fed = Err(error);
                    break;
                }
            };
            let mut waiting = locked();
            while waiting.items.len() >= threads && waiting.working > 0 {
                let (guard, waited) =
                    changed.wait_timeout(waiting, TICK).unwrap_or_else(PoisonError::into_inner);
                waiting = guard;
                if waited.timed_out() {
                    drop(waiting);
                    // A stopped job returns its own error.
                    let _ = look(true);
                    waiting = locked();
                }
            }
            waiting.items.push_back((number, item));
            number += 1;
            drop(waiting);
            changed.notify_all();
        }
        drop(close);
        let mut waiting = locked();
        while waiting.working > 0 {
            let (guard, waited) = changed.wait_timeout(waiting, TICK).unwrap_or_else(PoisonError::into_inner);
            waiting = guard;
            if waited.timed_out() {
                drop(waiting);
                let _ = look(true);
                waiting = locked();
            }
        }
        drop(waiting);
        let mut results: Vec<(usize, Result<T>)> = Vec::with_capacity(number);
        for handle in handles {
            match handle.join() {
                Ok(own) => results.extend(own),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Some((results, fed))
    });
    let Some((mut results, fed)) = on_threads else {
        let mut state = init();
        let mut results = Vec::new();
        while let Some(item) = next()? {
            look(false)?;
            results.push(job(&mut state, results.len(), item)?);
        }
        return Ok(results);
    };
    results.sort_unstable_by_key(|(number, _)| *number);
    let results = results.into_iter().map(|(_, result)| result).collect::<Result<Vec<T>>>()?;
    fed.map(|()| results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn pace<'a>(progress: &'a Progress, tick: &'a mut dyn FnMut(&Progress) -> bool) -> Pace<'a> {
        Pace { threads: 3, progress, tick }
    }

    #[test]
    fn results_come_in_order() {
        let progress = Progress::default();
        let mut tick = |_: &Progress| true;
        let squares = run(100, &mut pace(&progress, &mut tick), || (), |(), index| Ok(index * index));
        assert_eq!(squares.unwrap(), (0..100).map(|index| index * index).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_error_in_order_wins() {
        let progress = Progress::default();
        let mut tick = |_: &Progress| true;
        for _ in 0..20 {
            let result = run(
                50,
                &mut pace(&progress, &mut tick),
                || (),
                |(), index| {
                    if index % 7 == 3 { Err(Error::new(Kind::Format, index.to_string(), "")) } else { Ok(()) }
                },
            );
            assert_eq!(result.unwrap_err().found, "3");
        }
    }

    #[test]
    fn feed_keeps_the_order_of_items() {
        let progress = Progress::default();
        let mut tick = |_: &Progress| true;
        for threads in [1, 3] {
            let mut items = 0..200usize;
            let mut pace = Pace { threads, progress: &progress, tick: &mut tick };
            let doubled = feed(
                &mut pace,
                || Ok(items.next()),
                || (),
                |(), number, item| {
                    assert_eq!(number, item);
                    Ok(2 * item)
                },
            );
            assert_eq!(doubled.unwrap(), (0..200).map(|item| 2 * item).collect::<Vec<_>>());
        }
    }

    #[test]
    fn failed_jobs_stop_feeding() {
        let progress = Progress::default();
        let mut tick = |_: &Progress| true;
        for threads in [1, 3] {
            let mut items = 0usize..;
            let mut pace = Pace { threads, progress: &progress, tick: &mut tick };
            let result = feed(
                &mut pace,
                || Ok(items.next()),
                || (),
                |(), _, item| {
                    if item % 10 == 7 { Err(Error::new(Kind::Format, item.to_string(), "")) } else { Ok(()) }
                },
            );
            assert_eq!(result.unwrap_err().found, "7");
        }
    }

    #[test]
    fn stops_on_request() {
        let progress = Progress::default();
        let mut tick = |_: &Progress| false;
        let result = run(
            3,
            &mut pace(&progress, &mut tick),
            || (),
            |(), _| {
                loop {
                    std::thread::sleep(Duration::from_millis(5));
                    progress.advance(1)?;
                }
                #[allow(unreachable_code)]
                Ok(())
            },
        );
        assert_eq!(result.unwrap_err().kind, Kind::Interrupted);
    }
}
