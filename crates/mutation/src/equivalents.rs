//! Recognises survivors that compile to the same code as the original, in as few builds as
//! possible.

use testsmith_equip::{Event, Stage, Watch};
use testsmith_harness::{Evidence, MutantId};
use testsmith_record::{Impact, MutantReport, MutantsReport, Status};

use crate::analyst::Analyst;
use crate::memory::Memory;

/// How many builds are made to find equivalents if the user does not say how many.
pub const EQUIVALENTS: usize = 4;

impl Analyst<'_> {
    /// How many builds this run may use: its part of the builds that the user allows for all judged
    /// mutants.
    fn share(&self, report: &MutantsReport) -> usize {
        let judged = report.mutants.iter().filter(|it| it.status.is_judged());
        let (known, asked): (Vec<&MutantReport>, Vec<&MutantReport>) =
            judged.partition(|it| it.reused);
        let share = self.asked.equivalents * asked.len();
        share.div_ceil((asked.len() + known.len()).max(1)).max(1)
    }

    /// Recognises survivors that compile to the same code. A survivor that changed what a test
    /// entered or what a function returned is no candidate.
    pub(crate) fn find_equivalents(
        &self,
        memory: &mut Memory,
        report: &mut MutantsReport,
        watch: &mut Watch<'_>,
    ) {
        let is_candidate = |it: &&MutantReport| {
            let is_still = it.impact.is_some_and(|it| it == Impact::default());
            it.status == Status::Survived && is_still && !it.compared
        };
        let candidates = report.mutants.iter().filter(is_candidate);
        // An earlier run had no builds left for these, so with no more builds there are none now
        // either.
        let is_more = memory.compares_more(self.asked.equivalents);
        let (candidates, late): (Vec<&MutantReport>, Vec<&MutantReport>) =
            candidates.partition(|it| is_more || !it.reused);
        let n_late = late.len();
        let candidates: Vec<MutantId> = candidates.iter().map(|it| MutantId(it.id)).collect();
        if n_late > 0 {
            let why = "a survivor that was not compared with the original in an earlier run";
            report.left_out.insert(why.to_owned(), n_late);
        }
        if candidates.is_empty() || self.asked.equivalents == 0 || self.rig.is_cancelled() {
            return;
        }
        watch.enter(Stage::Equivalents);
        let asking = testsmith_harness::Asking {
            jobs: self.jobs,
            max_builds: match is_more {
                true => self.asked.equivalents,
                false => self.share(report),
            },
        };
        let found = testsmith_harness::equivalent(
            self.scratch,
            &self.package.name,
            self.instrument,
            self.copied,
            &candidates,
            asking,
            &mut |n, of| watch.tell(Event::Comparing { n, of }),
        );
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                if !self.rig.is_cancelled() {
                    let why = format!("equivalent mutants are not looked for: {error}");
                    watch.note(why.clone());
                    report.left_out.insert(why, candidates.len());
                }
                return;
            }
        };
        memory.compared(self.asked.equivalents);
        for mutant in &mut report.mutants {
            let id = MutantId(mutant.id);
            if !candidates.contains(&id) {
                continue;
            }
            if let Some(why) = found.not_asked.get(&id) {
                let why = format!("a survivor that was not compared with the original: {why}");
                *report.left_out.entry(why).or_default() += 1;
                continue;
            }
            mutant.compared = true;
            if let Some(evidence) = found.same.get(&id) {
                mutant.status = Status::Equivalent;
                mutant.reason = Some(match evidence {
                    Evidence::Mir => "its function is optimised to the same code".to_owned(),
                    Evidence::Llvm => "its function compiles to the same machine code".to_owned(),
                });
            }
        }
    }
}
