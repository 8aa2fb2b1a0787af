//! What is told of the suite that was there: for the record, and for whoever reviews it.

use testsmith_project::Package;
use testsmith_record::{ChangedReport, ReasonedReport, ShowingReport, StandingReport};

use crate::begin::{Begun, Changed};
use crate::place::relative;
use crate::stage::Suite;
use crate::standing::changed::Broke;
use crate::standing::trial::Fate;
use crate::standing::{At, Author};

impl Begun {
    /// What became of the suite that was there. Without a new suite it was only run.
    pub fn report(&self, suite: Option<&Suite>, package: &Package) -> StandingReport {
        let standing = &self.standing;
        let name = |at: &At| standing.full_name(*at);
        let names = |ats: Vec<At>| ats.iter().map(name).collect();
        let reasoned = |at: &At, reason: &str| ReasonedReport {
            name: name(at),
            file: relative(package, &standing.file(*at).path),
            reason: reason.to_owned(),
        };
        let untried = self.which(|it| matches!(it, Fate::Untried(_))).into_iter();
        let untried = untried.filter_map(|at| match self.fates.of(at) {
            Fate::Untried(why) => Some(reasoned(&at, why)),
            _ => None,
        });
        let proposed = suite.iter().flat_map(|it| &it.proposed);
        let added = suite.iter().flat_map(|it| it.added());
        let is_kept = |at: At| *self.fates.of(at) == Fate::Holds;
        let n_rewritten = self.accepted.rewritten.len();
        let held = standing.tests().filter(|(at, _)| is_kept(*at)).count();
        StandingReport {
            tests: self.n_tests,
            persons: self.n_persons,
            held: held.saturating_sub(n_rewritten + self.n_declined()),
            changed: self.changed(),
            rewritten: self.accepted.rewritten.iter().cloned().collect(),
            taken_out: self
                .accepted
                .taken_out
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            fixed: names(self.which(|it| *it == Fate::Fixed)),
            flickering: names(self.which(|it| *it == Fate::Flickers)),
            untried: untried.collect(),
            added: added.map(|it| it.name.clone()).collect(),
            proposed: proposed.map(|(at, why)| reasoned(at, why)).collect(),
            waiting: suite.map_or(0, |it| it.n_waiting),
            unread: suite.map_or(0, |it| it.n_unread),
            fresh: self.is_fresh,
        }
    }

    fn changed(&self) -> Vec<ChangedReport> {
        let open: Vec<&str> = self.open().map(|it| &*it.name).collect();
        let mut reports: Vec<ChangedReport> = Vec::new();
        for changed in &self.changes {
            let test = changed.report(!open.contains(&&*changed.name));
            match reports.last_mut().filter(|it| it.call == changed.call) {
                Some(report) => report.tests.push(test),
                None => reports.push(ChangedReport {
                    call: changed.call.clone(),
                    tests: vec![test],
                }),
            }
        }
        reports
    }
}

impl Changed {
    /// The test as the record has it.
    pub(crate) fn report(&self, accepted: bool) -> ShowingReport {
        let report = ShowingReport {
            name: self.name.clone(),
            file: self.file.clone(),
            line: self.line,
            person: self.author == Author::Person,
            accepted,
            ..ShowingReport::default()
        };
        match &self.change.broke {
            Broke::Compiling { message } => ShowingReport {
                how: format!("does not compile any more: {message}"),
                ..report
            },
            Broke::Assertion { line, old, new } => ShowingReport {
                line: *line as usize,
                how: match (old, new) {
                    (Some(_), Some(_)) => "is another value".to_owned(),
                    _ => format!("does not hold any more: {}", self.asserted(*line as usize)),
                },
                old: old.clone(),
                new: new.clone(),
                ..report
            },
            Broke::Panics { message } => ShowingReport {
                how: format!("panics: {message}"),
                ..report
            },
            Broke::Returns => ShowingReport {
                how: "does not panic any more".to_owned(),
                ..report
            },
            Broke::Dies { how } => ShowingReport {
                how: how.clone(),
                ..report
            },
        }
    }

    /// The line of the test that asserts, counted from 1 in its file.
    pub(crate) fn asserted(&self, line: usize) -> &str {
        let mut lines = self.text.lines();
        let own = line.checked_sub(self.line).and_then(|i| lines.nth(i));
        own.unwrap_or_default().trim()
    }
}
