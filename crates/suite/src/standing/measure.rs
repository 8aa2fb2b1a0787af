//! What the tests that are there enter and kill, as they run: they are built on the copy with mutants.
//!
//! Reading tests back from their text is quick and tells nothing of what a closure or a loop does, so that
//! runs added tests which showed what the suite showed already. Measuring costs a build of the suite, and is
//! done only if a case that was chosen seems to be new.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use testsmith_harness::{Copied, Instrument, profile};
use testsmith_project::Run;
use testsmith_protocol::{MutantId, RegionId};
use testsmith_rig::{CopiedQuestion, CopiedTest, entered, noticing};

use super::trial::write_files;
use super::{At, Standing};
use crate::vet::{VetError, Vetting};

/// Tests that are there, built on the copy, with what each of them enters.
pub(crate) struct Measured<'m> {
    vetting: &'m Vetting<'m>,
    copied: &'m Copied,
    tests: Vec<Entering>,
}

/// A test, and how often it enters each region.
struct Entering {
    at: At,
    test: CopiedTest,
    regions: BTreeMap<RegionId, u64>,
}

/// Builds the suite on the copy and runs these tests there. `compiling` is the suite without what does not
/// hold. `None` if it does not build there.
pub(crate) fn measure<'m>(
    vetting: &'m Vetting<'m>,
    copied: &'m Copied,
    standing: &Standing,
    compiling: &Standing,
    which: &BTreeSet<At>,
) -> Result<Option<Measured<'m>>, VetError> {
    let Some(binaries) = built(vetting, copied, compiling)? else {
        return Ok(None);
    };
    let tests = which.iter().filter_map(|at| {
        let binary = binaries.get(standing.file(*at).root)?.clone();
        let name = standing.full_name(*at);
        Some((*at, CopiedTest { binary, name }))
    });
    let (which, tests): (Vec<At>, Vec<CopiedTest>) = tests.unzip();
    let regions = entered(vetting.cells, &tests)?;
    let tests = which.into_iter().zip(tests).zip(regions);
    let tests = tests.filter_map(|((at, test), regions)| {
        let regions = regions?;
        Some(Entering { at, test, regions })
    });
    Ok(Some(Measured {
        vetting,
        copied,
        tests: tests.collect(),
    }))
}

/// The suite's binaries on the copy, by their roots.
fn built(
    vetting: &Vetting<'_>,
    copied: &Copied,
    compiling: &Standing,
) -> Result<Option<BTreeMap<String, PathBuf>>, VetError> {
    let scratch = vetting.scratch;
    let Some(wrapper) = &scratch.wrapper else {
        return Ok(None);
    };
    vetting.prepare(&compiling.roots())?;
    let texts = compiling.files.iter().map(|it| &*it.text);
    write_files(vetting, compiling, texts)?;
    let instrument = Instrument {
        wrapper: wrapper.clone(),
        krate: scratch.package().krate.clone(),
        copy: Some(copied.dir.clone()),
    };
    let mut command = scratch.cargo_test("suite");
    command.args(["--profile", profile(Some(&instrument))]);
    command.args(scratch.feature_flags());
    instrument.apply_copy(&mut command, &copied.dir);
    let run = Run::of(&mut command)?;
    Ok(run.success.then(|| run.executables.into_iter().collect()))
}

impl Measured<'_> {
    /// The regions that each test enters.
    pub(crate) fn entered(&self) -> impl Iterator<Item = (At, BTreeSet<RegionId>)> {
        let tests = self.tests.iter();
        tests.map(|it| (it.at, it.regions.keys().copied().collect()))
    }

    /// Which of these mutants some test kills, with tests that do.
    pub(crate) fn kills(
        &self,
        mutants: &BTreeSet<MutantId>,
    ) -> Result<BTreeMap<At, BTreeSet<MutantId>>, VetError> {
        let questions: Vec<CopiedQuestion<'_>> =
            mutants.iter().flat_map(|it| self.questions(*it)).collect();
        let noticed = noticing(self.vetting.cells, &questions)?;
        let mut kills: BTreeMap<At, BTreeSet<MutantId>> = BTreeMap::new();
        for (question, names) in questions.iter().zip(noticed) {
            let is_it =
                |it: &&Entering| it.test.binary == question.binary && names.contains(&it.test.name);
            for it in self.tests.iter().filter(is_it) {
                kills.entry(it.at).or_default().insert(question.mutant);
            }
        }
        Ok(kills)
    }

    /// What to ask about a mutant: the tests that enter its code, those of one binary together.
    fn questions(&self, mutant: MutantId) -> Vec<CopiedQuestion<'_>> {
        let region = self.copied.mutant(mutant).region;
        let region = region.filter(|it| self.copied.counted.contains(it));
        let enters = |it: &&Entering| region.is_none_or(|region| it.regions.contains_key(&region));
        let mut questions: Vec<CopiedQuestion<'_>> = Vec::new();
        for it in self.tests.iter().filter(enters) {
            let turns: u64 = it.regions.values().sum();
            match questions.iter_mut().find(|of| of.binary == it.test.binary) {
                Some(question) => {
                    question.names.push(&it.test.name);
                    question.turns += turns;
                }
                None => questions.push(CopiedQuestion {
                    binary: &it.test.binary,
                    names: vec![&it.test.name],
                    mutant,
                    turns,
                }),
            }
        }
        questions
    }
}
