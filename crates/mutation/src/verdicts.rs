//! Asks own tests about every mutant whose verdict is not known yet.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_equip::{Clock, Event, Stage, Watch};
use testsmith_harness::{MutantId, RegionId};
use testsmith_record::{Impact, MutantsReport, Noticed, Status, Timed};
use testsmith_rig::{Own, Reaction};

use crate::analyst::Analyst;
use crate::ask::{Answer, Question, ask};
use crate::constants;
use crate::error::MutationError;
use crate::impact::{Changed, changed};
use crate::memory::Memory;
use crate::panel::{OwnPanel, Panel as _};

/// The positions of mutants in a report.
type Positions = BTreeMap<MutantId, usize>;

impl Analyst<'_> {
    /// Asks about every mutant whose verdict is not known yet.
    pub(crate) fn ask(
        &self,
        own: &Own,
        memory: &mut Memory,
        report: &mut MutantsReport,
        clock: &mut Clock,
        watch: &mut Watch<'_>,
    ) -> Result<(), MutationError> {
        let panel = OwnPanel { rig: self.rig, own };
        let mutants = report.mutants.iter().enumerate();
        let positions: Positions = mutants.map(|(i, it)| (MutantId(it.id), i)).collect();
        watch.enter(Stage::Mutants);
        let (questions, reaching) = self.questions(own, memory, report, &positions);
        let of = questions.len();
        let progress = &mut |n| watch.tell(Event::Asking { n, of });
        let answers = panel.each(&questions, progress, |cell, question| {
            ask(&panel, cell, question)
        })?;
        for (question, answer) in questions.iter().zip(answers) {
            let mutant = &mut report.mutants[positions[&question.mutant]];
            match answer {
                None | Some(Answer::Cancelled) => {}
                Some(Answer::Survived) => mutant.status = Status::Survived,
                Some(Answer::Killed(test, reaction)) => {
                    mutant.status = Status::Killed;
                    mutant.killed_by = vec![own.tests[test].name.clone()];
                    mutant.how = Some(how(reaction));
                }
            }
        }
        constants::take_back(report, memory, self.rig, self.copied)?;
        clock.stage_over(Timed::Mutants);
        watch.enter(Stage::Impact);
        self.weigh_survivors(&panel, &reaching, report, &positions)?;
        clock.stage_over(Timed::Impact);
        self.find_equivalents(memory, report, watch);
        clock.stage_over(Timed::Equivalents);
        for id in self.open() {
            let mutant = &report.mutants[positions[&id]];
            if !matches!(mutant.status, Status::Pending | Status::Unviable) {
                let tests = reaching.get(&id).map_or(&[][..], Vec::as_slice);
                memory.learn(mutant, &self.functions, own, tests);
            }
        }
        Ok(())
    }

    /// The questions that have to be asked, and the tests that reach each mutant. Verdicts that
    /// still hold go into the report at once.
    fn questions(
        &self,
        own: &Own,
        memory: &Memory,
        report: &mut MutantsReport,
        positions: &Positions,
    ) -> (Vec<Question>, BTreeMap<MutantId, Vec<usize>>) {
        let keys = own.names_by_key();
        let mut questions = Vec::new();
        let mut reaching = BTreeMap::new();
        for reached in self.reached(memory, own) {
            let mutant = &mut report.mutants[positions[&reached.mutant]];
            let names = reached.tests.iter().map(|i| own.tests[*i].name.clone());
            mutant.reached_by = names.collect();
            if reached.tests.is_empty() {
                mutant.status = Status::Unreached;
                continue;
            }
            match reached.asked() {
                [] => memory.tell(mutant, &keys),
                tests => questions.push(self.question(reached.mutant, tests)),
            }
            reaching.insert(reached.mutant, reached.tests);
        }
        (questions, reaching)
    }

    fn question(&self, mutant: MutantId, tests: &[usize]) -> Question {
        Question {
            mutant,
            tests: tests.to_vec(),
            is_apart: self.asked.nextest,
        }
    }

    /// Finds out what survivors change, unless an earlier run did.
    fn weigh_survivors(
        &self,
        panel: &OwnPanel<'_>,
        reaching: &BTreeMap<MutantId, Vec<usize>>,
        report: &mut MutantsReport,
        positions: &Positions,
    ) -> Result<(), MutationError> {
        let is_survivor = |id: &MutantId| {
            let mutant = &report.mutants[positions[id]];
            mutant.status == Status::Survived && mutant.impact.is_none()
        };
        let survivors = reaching.iter().filter(|(id, _)| is_survivor(id));
        let survivors = survivors.map(|(id, tests)| self.question(*id, tests));
        let survivors: Vec<Question> = survivors.collect();
        let all = changed(panel, &survivors)?;
        for (question, changed) in survivors.iter().zip(all) {
            let impact = changed.map(|it| self.impact(&it));
            report.mutants[positions[&question.mutant]].impact = impact;
        }
        Ok(())
    }

    fn impact(&self, changed: &Changed) -> Impact {
        let of = |id: &RegionId| Some(self.copied.region(*id)?.function.as_str());
        let functions: BTreeSet<&str> = changed.regions.iter().filter_map(of).collect();
        Impact {
            functions: functions.len(),
            regions: changed.regions.len(),
            values: changed.values.len(),
        }
    }
}

/// How a test noticed a mutant.
fn how(reaction: Reaction) -> Noticed {
    match reaction {
        Reaction::Passed | Reaction::Failed => Noticed::Failed,
        Reaction::Died => Noticed::Died,
        Reaction::Exhausted => Noticed::Exhausted,
        Reaction::Late => Noticed::Timeout,
    }
}
