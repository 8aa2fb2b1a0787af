//! Runs whole test binaries as the user would, and says which tests fail and which binaries do not
//! come to their end.

#![expect(clippy::disallowed_methods, reason = "tests write down what they do")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use testsmith_project::{End, ScratchError};
use testsmith_protocol::{MutantId, RECORD_VARIABLE};

use crate::error::RigError;
use crate::process::TestRun;
use crate::rig::Rig;
use crate::targets::Target;

/// How binaries with tests ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// Tests that failed, each after the name of its target.
    pub failed: BTreeSet<String>,
    /// Targets that died or took too long.
    pub cut: BTreeSet<String>,
}

impl Ended {
    fn add(&mut self, target: &Target, run: TestRun) {
        if run.is_cut() {
            self.cut.insert(target.name.clone());
        }
        let failed = run.failed.into_keys();
        let failed = failed.map(|name| format!("{} {name}", target.name));
        self.failed.extend(failed);
    }

    /// Leaves out tests of targets that died or took too long: chance decides which of them failed
    /// before that.
    pub fn settled(mut self) -> Ended {
        let cut = &self.cut;
        self.failed
            .retain(|test| !cut.iter().any(|target| is_of(test, target)));
        self
    }

    /// Tests that failed, and targets that did not come to their end, in words.
    pub fn said(self) -> BTreeSet<String> {
        let cut = self.cut.into_iter();
        let cut = cut.map(|target| format!("{target} (died, or took too long)"));
        self.failed.into_iter().chain(cut).collect()
    }
}

impl Rig {
    /// Runs these binaries one after another, with a mutant or none. Each gets the full time,
    /// because how long one takes says nothing about the next.
    pub fn run_whole(
        &self,
        targets: &[Target],
        mutant: Option<MutantId>,
        most: Duration,
    ) -> Result<Ended, RigError> {
        let mut ended = Ended::default();
        for target in targets {
            let command = self.command(&target.binary, &target.dir, mutant);
            let run = self.process(&self.cells[0], most).run(command)?;
            self.not_cancelled(&run)?;
            ended.add(target, run);
        }
        Ok(ended)
    }

    /// Does the same on a copy that writes calls down. Gives the directory of the calls too: it has
    /// a subdirectory for each target, with a file for each process.
    pub fn record_whole(
        &self,
        targets: &[Target],
        most: Duration,
    ) -> Result<(PathBuf, Ended), RigError> {
        let cell = &self.cells[0];
        let dir = cell.dir.join("calls");
        let fail = |source| ScratchError::Write {
            path: dir.clone(),
            source,
        };
        cell.emptied("calls").map_err(fail)?;
        let mut ended = Ended::default();
        for target in targets {
            let path = dir.join(&target.name);
            std::fs::create_dir_all(&path).map_err(fail)?;
            let mut command = self.command(&target.binary, &target.dir, None);
            command.env(RECORD_VARIABLE, &path);
            let run = self.process(cell, most).run(command)?;
            self.not_cancelled(&run)?;
            ended.add(target, run);
        }
        Ok((dir, ended))
    }

    fn not_cancelled(&self, run: &TestRun) -> Result<(), RigError> {
        match run.end {
            End::Cancelled => Err(RigError::Interrupted),
            _ => Ok(()),
        }
    }
}

/// Is it a test of this target?
fn is_of(test: &str, target: &str) -> bool {
    test.strip_prefix(target)
        .is_some_and(|it| it.starts_with(' '))
}

/// Is there a test, or a target, that fails each time here and never there, or the other way round?
/// If a target dies on one side, as it may if memory is damaged, then a failing test of it on the
/// other side is no contradiction.
pub fn contradict(here: &[Ended], there: &[Ended]) -> bool {
    let cut: BTreeSet<String> = here
        .iter()
        .chain(there)
        .flat_map(|it| it.cut.clone())
        .collect();
    let (here, there) = (&*within(here, &cut), &*within(there, &cut));
    let is_apart = |of: fn(&Ended) -> &BTreeSet<String>| {
        let names: BTreeSet<&String> = here.iter().chain(there).flat_map(of).collect();
        let n_times = |runs: &[Ended], name| runs.iter().filter(|it| of(it).contains(name)).count();
        names.into_iter().any(|name| {
            let (n_here, n_there) = (n_times(here, name), n_times(there, name));
            (n_here, n_there) == (here.len(), 0) || (n_here, n_there) == (0, there.len())
        })
    };
    is_apart(|it| &it.failed) || is_apart(|it| &it.cut)
}

/// Rewrites the runs so that a failed test in one of these targets counts as a death of the target.
fn within(runs: &[Ended], targets: &BTreeSet<String>) -> Vec<Ended> {
    let of = |test: &String| targets.iter().find(|it| is_of(test, it)).cloned();
    let one = |ended: &Ended| {
        let (mut failed, mut cut) = (BTreeSet::new(), ended.cut.clone());
        for test in &ended.failed {
            match of(test) {
                Some(target) => cut.insert(target),
                None => failed.insert(test.clone()),
            };
        }
        Ended { failed, cut }
    };
    runs.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(names: &[&str]) -> Ended {
        Ended {
            failed: names.iter().map(|name| (*name).to_owned()).collect(),
            cut: BTreeSet::new(),
        }
    }

    #[test]
    fn a_test_that_draws_lots_contradicts_nothing() {
        let now_and_then = [failing(&["a", "b"]), failing(&["a"])];
        let never = [failing(&["a"]), failing(&["a"])];
        let always = [failing(&["a", "b"]), failing(&["a", "b"])];
        assert!(!contradict(&now_and_then, &never));
        assert!(!contradict(&now_and_then, &always));
        assert!(contradict(&never, &always));
        assert!(contradict(&always, &never));
    }

    #[test]
    fn a_target_that_dies_has_noticed_what_its_tests_notice() {
        let died = [Ended {
            failed: BTreeSet::new(),
            cut: BTreeSet::from(["lib a".to_owned()]),
        }];
        assert!(!contradict(&died, &[failing(&["lib a one"])]));
        assert!(contradict(&died, &[failing(&["lib ab one"])]));
        assert!(contradict(&died, &[failing(&[])]));
    }

    #[test]
    fn what_failed_before_a_target_died_is_chance() {
        let ended = Ended {
            failed: ["lib a one", "lib ab one"].map(str::to_owned).into(),
            cut: BTreeSet::from(["lib a".to_owned()]),
        };
        assert_eq!(ended.settled().failed, failing(&["lib ab one"]).failed);
    }
}
