//! Groups conventions with equal rankings, so that each group is evaluated once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashMap;

use super::ranked::RankedRuns;
use super::space::{Data, Space};
use crate::error::{Error, Kind, Result};
use crate::known::Known;
use crate::parallel::{Pace, run};

/// Up to this many bytes of rankings are cached; others are recomputed for each use.
const CACHE_BYTES: usize = 512 << 20;

/// Conventions of one plan with equal rankings.
pub(super) struct Class<'a> {
    pub plan: usize,
    /// Their numbers, ascending.
    pub conventions: Vec<usize>,
    /// For each known convention, the number of policies in which the nearest of them differs from it.
    pub far: Vec<u8>,
    cached: OnceLock<RankedRuns<'a>>,
}

/// The number of a convention that refuses the data, and the error.
pub(super) type RefusedClass = (usize, Box<Error>);

impl<'a> Class<'a> {
    /// Calls a function with the rankings.
    pub(super) fn with<T>(
        &self,
        data: &Data<'a>,
        space: &Space,
        call: impl FnOnce(&RankedRuns<'a>) -> Result<T>,
    ) -> Result<T> {
        if let Some(ranked) = self.cached.get() {
            return call(ranked);
        }
        let convention = self.conventions.first().and_then(|&first| space.conventions.get(first));
        let Some(convention) = convention else {
            return Err(Error::statement(Kind::Argument, "a class without conventions"));
        };
        call(&RankedRuns::new(data, convention, needs_documents(space))?)
    }
}

fn needs_documents(space: &Space) -> bool {
    space.series.iter().flat_map(|series| &series.measures).any(|measure| measure.needs.reads.documents())
}

/// Ranks the queries under every convention and groups the conventions with equal rankings.
pub(super) fn group_conventions<'a>(
    data: &Data<'a>,
    space: &Space,
    pace: &mut Pace<'_>,
) -> Result<(Vec<Class<'a>>, Vec<RefusedClass>)> {
    let documents = needs_documents(space);
    let size = AtomicUsize::new(0);
    let progress = pace.progress;
    let ranked = run(
        space.conventions.len(),
        pace,
        || (),
        |(), number| {
            progress.advance(0)?;
            let Some(convention) = space.conventions.get(number) else { return Ok(None) };
            Ok(Some(match RankedRuns::new(data, convention, documents) {
                Ok(ranked) => {
                    let whole = size.fetch_add(ranked.size(), Ordering::Relaxed) + ranked.size();
                    Ok((ranked.fingerprint, (whole < CACHE_BYTES).then_some(ranked)))
                }
                Err(error) => Err(error),
            }))
        },
    )?;
    let mut places: HashMap<(u64, usize), usize, foldhash::fast::RandomState> = HashMap::default();
    let mut classes: Vec<Class<'a>> = Vec::new();
    let mut refused = Vec::new();
    for (number, result) in ranked.into_iter().enumerate() {
        let plan = *space.plan_of.known(number);
        let far = space.convention_far.get(number).map(Vec::as_slice).unwrap_or_default();
        match result {
            None => {}
            Some(Err(error)) => refused.push((number, error)),
            Some(Ok((fingerprint, ranked))) => {
                let place = *places.entry((fingerprint, plan)).or_insert(classes.len());
                if let Some(class) = classes.get_mut(place) {
                    class.conventions.push(number);
                    for (nearest, &far) in class.far.iter_mut().zip(far) {
                        *nearest = far.min(*nearest);
                    }
                } else {
                    let cached = ranked.map_or_else(OnceLock::new, OnceLock::from);
                    classes.push(Class { plan, conventions: vec![number], far: far.to_vec(), cached });
                }
            }
        }
    }
    Ok((classes, refused))
}
