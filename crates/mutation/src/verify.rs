//! Verifies that mutants in the copy are what they claim to be. Some are really edited into the
//! source, and the package's own tests must notice them there as they do in the copy.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use testsmith_equip::{Event, Watch};
use testsmith_harness::{About, Copied, Mutant, MutantId};
use testsmith_record::{Alone, MutantReport, Status, VerificationReport, Verified};
use testsmith_rig::{Ended, LONGEST, Rig, Target, built, contradict, digest, with_mutant};

use crate::error::MutationError;

/// How many mutants to verify.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verification {
    /// How many of the mutants that are in the copy.
    pub n_accepted: usize,
    /// How many of the mutants that rustc refused.
    pub n_refused: usize,
}

/// Tests that depend on chance may notice a mutant only now and then. If copy and edited source
/// disagree, their tests run up to this many times.
const MAX_RUNS: usize = 5;

/// The code of rustc's error for a constant whose computation panics.
const CONSTANT: &str = "E0080";

/// Edits mutants in, one after another, and compares how own tests end with the verdicts.
pub(crate) fn verify(
    rig: &Rig,
    copied: &Copied,
    asked: Verification,
    seed: u64,
    known: &[MutantReport],
    watch: &mut Watch<'_>,
) -> Result<VerificationReport, MutationError> {
    let verdict = |id: MutantId| known.iter().find(|it| it.id == id.0);
    let accepted = |id: &MutantId| {
        let is_judged = verdict(*id).is_some_and(|it| it.status.is_judged());
        !copied.dropped.contains_key(id) && is_judged
    };
    let refused = |id: &MutantId| {
        let refusal = copied.dropped.get(id);
        refusal.is_some_and(|it| it.about != About::Constant)
    };
    let accepted = sample(copied, seed, asked.n_accepted, accepted);
    let refused = sample(copied, seed, asked.n_refused, refused);
    let n = accepted.len() + refused.len();
    let mut report = VerificationReport::default();
    // The analysis may have built the tests with fewer dependencies.
    rig.keep_dependencies(None)?;
    if !accepted.is_empty() {
        let own = OwnTests::build(rig, copied)?;
        for (i, id) in accepted.into_iter().enumerate() {
            watch.tell(Event::Verifying { i, n });
            let mut verified = own.verify(id, copied.mutant(id))?;
            if let Some(verdict) = verdict(id) {
                verified.agrees &= is_said(&verified.edited, verdict);
                verified.status = verdict.status;
            }
            report.verified.push(verified);
        }
    }
    for id in refused {
        let i = report.verified.len() + report.alone.len();
        watch.tell(Event::Verifying { i, n });
        let mutant = copied.mutant(id);
        report.alone.push(Alone {
            name: mutant.name.clone(),
            compiles: rig.edited(mutant, Rig::compiles)?,
        });
    }
    Ok(report)
}

/// The words for tests that end as they do without a mutant.
const NOT_NOTICED: &str = "not noticed";

/// Does the verdict agree with how tests end when the mutant is edited in? Examples of the
/// documentation do not run here, so their kills are trusted.
fn is_said(edited: &str, verdict: &MutantReport) -> bool {
    let is_noticed = edited != NOT_NOTICED;
    let by_docs = verdict.killed_by.iter().any(|it| it.starts_with("doc "));
    match verdict.status {
        Status::Killed => is_noticed || by_docs,
        Status::Survived | Status::Unreached | Status::Equivalent => !is_noticed,
        Status::Unviable | Status::Suppressed | Status::Pending => true,
    }
}

/// Chooses `n` of the meant mutants by chance.
pub fn sample(
    copied: &Copied,
    seed: u64,
    n: usize,
    is_meant: impl Fn(&MutantId) -> bool,
) -> Vec<MutantId> {
    let ids = (1..=copied.mutants.len() as u32).map(MutantId);
    let mut ids: Vec<MutantId> = ids.filter(is_meant).collect();
    ids.sort_by_cached_key(|id| digest(&(seed, &copied.mutant(*id).name)));
    ids.truncate(n);
    ids
}

/// How own tests ended, in words, as far as it differs from how they end without a mutant.
fn said(ended: &Ended, before: &Ended) -> String {
    let new = |of: &BTreeSet<String>, known: &BTreeSet<String>| {
        let new: Vec<&str> = of.difference(known).map(String::as_str).collect();
        new.join(", ")
    };
    let (failed, cut) = (
        new(&ended.failed, &before.failed),
        new(&ended.cut, &before.cut),
    );
    match (failed.is_empty(), cut.is_empty()) {
        (true, true) if ended == before => NOT_NOTICED.to_owned(),
        (true, true) => "noticed by tests that failed and pass now".to_owned(),
        (false, true) => format!("noticed by {failed}"),
        (true, false) => format!("dies or takes too long: {cut}"),
        (false, false) => format!("noticed by {failed}; dies or takes too long: {cut}"),
    }
}

/// Own tests on the copy, and how they end with no mutant active.
struct OwnTests<'o> {
    rig: &'o Rig,
    of_copy: Vec<Target>,
    unmutated: Ended,
    most: Duration,
}

impl OwnTests<'_> {
    fn build<'o>(rig: &'o Rig, copied: &Copied) -> Result<OwnTests<'o>, MutationError> {
        let package = &rig.twin.package;
        let of_copy = rig.targets(&rig.build_on_copy(copied)?, package);
        let original = rig.targets(&built(rig.build_leniently()?)?, package);
        let start = Instant::now();
        let unmutated = rig.run_whole(&original, None, LONGEST)?.settled();
        let own = OwnTests {
            rig,
            of_copy,
            unmutated,
            most: with_mutant(start.elapsed()),
        };
        let inactive = own.run_copy(None)?;
        if inactive != own.unmutated {
            return Err(MutationError::Inactive {
                original: said(&own.unmutated, &Ended::default()),
                copy: said(&inactive, &Ended::default()),
            });
        }
        Ok(own)
    }

    /// How the tests on the copy end, with a mutant active or none.
    fn run_copy(&self, mutant: Option<MutantId>) -> Result<Ended, MutationError> {
        Ok(self
            .rig
            .run_whole(&self.of_copy, mutant, self.most)?
            .settled())
    }

    fn verify(&self, id: MutantId, mutant: &Mutant) -> Result<Verified, MutationError> {
        let verified = |agrees, edited, copied| Verified {
            id: id.0,
            name: mutant.name.clone(),
            agrees,
            edited,
            copied,
            status: Status::Pending,
        };
        let run = self.rig.edited(mutant, Rig::build_leniently)?;
        if !run.success {
            let error = run.errors.first().map_or("", |it| &it.message);
            let copied = self.run_copy(Some(id))?;
            // A mutant that keeps a constant from being computed is noticed by compiling it.
            let is_noticed = run.errors.iter().any(|it| it.code == CONSTANT);
            let agrees = mutant.is_freed && is_noticed && copied != self.unmutated;
            let edited = format!("does not compile: {error}");
            let copied = said(&copied, &self.unmutated);
            return Ok(verified(agrees, edited, copied));
        }
        let targets = self.rig.targets(&run, &self.rig.twin.package);
        let (mut edited, mut copied) = (Vec::new(), Vec::new());
        for _ in 0..MAX_RUNS {
            edited.push(self.rig.run_whole(&targets, None, self.most)?.settled());
            copied.push(self.run_copy(Some(id))?);
            if edited.last() == copied.last() {
                break;
            }
        }
        let last = |all: &[Ended]| {
            let last = all.last().map(|it| said(it, &self.unmutated));
            last.unwrap_or_default()
        };
        // Where tests compute constants with the function, the copy runs it only for the other
        // calls. So it is enough that both notice.
        let notices = |all: &[Ended]| all.iter().all(|it| *it != self.unmutated);
        let agrees = edited.last() == copied.last()
            || !contradict(&edited, &copied)
            || mutant.is_freed && notices(&edited) && notices(&copied);
        Ok(verified(agrees, last(&edited), last(&copied)))
    }
}
