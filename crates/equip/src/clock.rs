//! Measures how long stages take.

use std::collections::BTreeMap;
use std::time::Instant;

use testsmith_record::Timed;

/// Measures how long stages take: those of a record, or others.
pub struct Clock<S = Timed> {
    start: Instant,
    seconds: BTreeMap<S, f64>,
}

impl<S> Default for Clock<S> {
    fn default() -> Clock<S> {
        Clock {
            start: Instant::now(),
            seconds: BTreeMap::new(),
        }
    }
}

impl<S: Ord> Clock<S> {
    /// Ends a stage: the time since the last one ended is counted for it.
    pub fn stage_over(&mut self, stage: S) {
        *self.seconds.entry(stage).or_default() += self.start.elapsed().as_secs_f64();
        self.start = Instant::now();
    }

    /// Seconds of one stage.
    pub fn of(&self, stage: &S) -> f64 {
        self.seconds.get(stage).copied().unwrap_or_default()
    }

    /// Seconds of each stage.
    pub fn seconds(self) -> BTreeMap<S, f64> {
        self.seconds
    }
}
