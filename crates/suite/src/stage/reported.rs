//! Lists failures as the record has them, each with the test that shows it, or why none does.

use testsmith_equip::Target;
use testsmith_explore::Cause;
use testsmith_record::{FailureKind, FailureReport};
use testsmith_sequence::{Sequence, World};

use super::{Root, Suite};
use crate::failing::{self, Finding};
use crate::path;
use crate::program::main_of;
use crate::verdict::{Verdict, broken};

impl Suite {
    /// Why no test shows a finding.
    fn untested(&self, finding: &Finding) -> String {
        let sequence = &finding.failure.sequence;
        let mut refused = self.refused.iter();
        if let Some((_, why)) = refused.find(|(case, _)| case.sequence == *sequence) {
            let why = why.lines().next().unwrap_or_default();
            return format!("its test does not compile cleanly: {why}");
        }
        let mut failing = self.failures.cases.iter();
        let why = match finding.judged.verdict {
            _ if failing.any(|case| case.sequence == *sequence) => "it has no text in Rust",
            Verdict::Precondition => "no test is written of what may be the caller's mistake",
            Verdict::Documented => "what it does is documented, and no test of it was chosen",
            Verdict::Suspicious => "it has no text in Rust",
        };
        why.to_owned()
    }

    /// The failures as the record lists them.
    pub fn failure_reports(
        &self,
        target: &Target,
        world: &World,
        findings: &[Finding],
    ) -> Vec<FailureReport> {
        let shown_in = |root: &Root, sequence: &Sequence| {
            let mut new = root.tests.iter();
            let new = new.find(|test| root.cases[test.case].sequence == *sequence);
            let mut there = self.there.iter();
            let there = there.find(|(case, _)| case.sequence == *sequence);
            let name = new.map(|it| &it.name).or(there.map(|(_, name)| name))?;
            let text = root.files.iter().find_map(|file| {
                let mut tests = file.tests.iter();
                Some(&tests.find(|it| file.full_name(it) == *name)?.text)
            })?;
            Some((name.clone(), text.clone()))
        };
        let shown_by = |sequence: &Sequence| {
            let roots = [&self.failures, &self.regression];
            roots.into_iter().find_map(|root| shown_in(root, sequence))
        };
        // A failure that does not happen again in a plain test is not the crate's.
        let is_confirmed = |finding: &&Finding| {
            let mut unconfirmed = self.unconfirmed.iter();
            !unconfirmed.any(|case| case.sequence == finding.failure.sequence)
        };
        findings
            .iter()
            .filter(is_confirmed)
            .map(|finding| {
                let Finding {
                    failure,
                    judged,
                    name,
                    others,
                    ..
                } = finding;
                let place = match &failure.cause {
                    Cause::Panic { file, line, .. } => path::relative(file).map(|f| (f, *line)),
                    Cause::Death(_) => None,
                };
                let (file, line) = place.unwrap_or_default();
                let (test, text) = shown_by(&failure.sequence).unzip();
                FailureReport {
                    name: name.clone(),
                    kind: match broken(world, failure) {
                        Some(_) => FailureKind::Contract,
                        None => failing::kind(&failure.cause),
                    },
                    operation: world.catalogue.operation(failure.operation).key.to_string(),
                    message: failure.message.clone(),
                    file,
                    line,
                    verdict: judged.verdict.recorded(),
                    level: judged.level.recorded(),
                    reason: judged.reason.clone(),
                    says_bug: judged.evidence.says_bug.clone(),
                    says_none: judged.evidence.says_none.clone(),
                    documentation: judged.evidence.documentation.clone(),
                    main: main_of(target, world, &failure.sequence),
                    dropping: failure.dropping,
                    others: others.clone(),
                    untested: match test {
                        Some(_) => None,
                        None => Some(self.untested(finding)),
                    },
                    test,
                    text,
                    program: testsmith_sequence::text(world, &failure.sequence),
                }
            })
            .collect()
    }
}
