//! Measures how long stages take.

use std::collections::BTreeMap;
use std::time::Instant;

/// The time that each stage has taken so far.
pub struct Clock {
    start: Instant,
    seconds: BTreeMap<&'static str, f64>,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock {
            start: Instant::now(),
            seconds: BTreeMap::new(),
        }
    }
}

impl Clock {
    /// Ends a stage: the time since the last one ended is counted for it.
    pub fn stage_over(&mut self, stage: &'static str) {
        *self.seconds.entry(stage).or_default() += self.start.elapsed().as_secs_f64();
        self.start = Instant::now();
    }

    /// Seconds of one stage.
    pub fn of(&self, stage: &str) -> f64 {
        self.seconds.get(stage).copied().unwrap_or_default()
    }

    /// Seconds of each stage, by its name in the record.
    pub fn seconds(self) -> BTreeMap<&'static str, f64> {
        self.seconds
    }
}
