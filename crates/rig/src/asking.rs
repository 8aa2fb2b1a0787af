//! Runs tests with a mutant active, and says how they react.

use std::path::Path;
use std::time::Duration;

use testsmith_project::End;
use testsmith_protocol::{
    EXHAUSTED_CODE, EXHAUSTED_VARIABLE, FUEL_VARIABLE, MutantId, REACH_VARIABLE, RETURNS_VARIABLE,
};

use crate::cell::Cell;
use crate::error::RigError;
use crate::libtest::Line;
use crate::own::OwnTest;
use crate::patience::{self, LONGEST};
use crate::process::FAILED_CODE;
use crate::profile::{Looking, Profile};
use crate::rig::Rig;

/// How a run of tests ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reaction {
    /// All passed.
    Passed,
    /// A test failed.
    Failed,
    /// The process died.
    Died,
    /// The process made more calls and turns of loops than it may.
    Exhausted,
    /// The process took too long.
    Late,
}

/// Tests of one binary that run in one process.
struct Group<'g> {
    tests: &'g [&'g OwnTest],
    /// The names of the tests as the binary calls them; empty if the binary is run as a whole.
    names: Vec<&'g str>,
}

/// What a process printed about the tests of a group while it ran.
#[derive(Default)]
struct Heard {
    n_passed: usize,
    /// The test that failed, or that has begun and not ended.
    culprit: Option<String>,
}

impl Heard {
    /// Reads a line; false once a test of the group has failed, because then nothing more need be
    /// heard.
    fn hear(&mut self, line: &str, names: &[&str]) -> bool {
        match Line::of(line) {
            Line::Passed(_) => self.n_passed += 1,
            // libtest prints the name of a test before it runs it. So if the process ends early,
            // the last name is that of the test which ended it.
            Line::Begun(name) => self.culprit = Some(name.to_owned()),
            Line::Failed(name) if names.contains(&name) => {
                self.culprit = Some(name.to_owned());
                return false;
            }
            _ => {}
        }
        true
    }
}

impl Group<'_> {
    /// How the tests reacted, by the way the process ended. `None` if the user cancelled.
    fn reaction(&self, end: End, heard: &Heard) -> Option<Reaction> {
        let is_whole = self.names.is_empty();
        let panics = is_whole && self.tests[0].panics;
        Some(match end {
            End::Cancelled => return None,
            End::Enough => Reaction::Failed,
            End::Code(0) if panics => Reaction::Failed,
            End::Code(FAILED_CODE) if panics => Reaction::Passed,
            End::Code(0) if is_whole => Reaction::Passed,
            // A test that ends the process with code 0 before its time has not passed.
            End::Code(0) if heard.n_passed >= self.names.len() => Reaction::Passed,
            End::Code(0) => Reaction::Died,
            End::Code(FAILED_CODE) => Reaction::Failed,
            End::Code(EXHAUSTED_CODE) => Reaction::Exhausted,
            End::Code(_) if is_whole => Reaction::Failed,
            End::Code(_) | End::Signal(_) => Reaction::Died,
            End::Late => Reaction::Late,
        })
    }
}

impl Rig {
    /// Runs tests of one binary with a mutant until one fails. Gives the reaction, and the name of
    /// the test that failed or ended the process, as its binary calls it. `profiles` are those of
    /// the tests. `None` if the user cancelled.
    pub fn ask<'t>(
        &self,
        cell: &Cell,
        tests: &[&OwnTest],
        mutant: Option<MutantId>,
        profiles: impl Iterator<Item = &'t Profile>,
    ) -> Result<Option<(Reaction, Option<String>)>, RigError> {
        self.react(cell, tests, mutant, profiles, None)
    }

    /// Does the same with one test, which writes what it enters to a directory.
    pub(crate) fn ask_and_look<'t>(
        &self,
        cell: &Cell,
        test: &OwnTest,
        mutant: Option<MutantId>,
        profiles: impl Iterator<Item = &'t Profile>,
        reached: (&Path, Looking),
    ) -> Result<Option<Reaction>, RigError> {
        let reaction = self.react(cell, &[test], mutant, profiles, Some(reached))?;
        Ok(reaction.map(|it| it.0))
    }

    fn react<'t>(
        &self,
        cell: &Cell,
        tests: &[&OwnTest],
        mutant: Option<MutantId>,
        profiles: impl Iterator<Item = &'t Profile>,
        reached: Option<(&Path, Looking)>,
    ) -> Result<Option<(Reaction, Option<String>)>, RigError> {
        let first = tests[0];
        let group = Group {
            tests,
            names: tests.iter().filter_map(|it| it.exact()).collect(),
        };
        let binary = first.binary.as_ref().expect("who is asked is built");
        let mut command = self.command(binary, &first.dir, mutant);
        if !group.names.is_empty() {
            command
                .args(["--exact", "--test-threads=1"])
                .args(&group.names);
        }
        if let Some(number) = first.number {
            // rustdoc sets the same variable when it has its merged binary run one example.
            command.env("RUSTDOC_DOCTEST_RUN_NB_TEST", number.to_string());
        }
        if let Some((dir, looking)) = reached {
            command.env(REACH_VARIABLE, dir);
            if looking == Looking::Returns {
                command.env(RETURNS_VARIABLE, "1");
            }
        }
        let mut most = LONGEST;
        if mutant.is_some() {
            let (mut seconds, mut n_turns) = (0.0, 0);
            for it in profiles {
                seconds += it.seconds;
                n_turns += it.turns;
            }
            most = patience::with_mutant(Duration::from_secs_f64(seconds));
            command
                .env(FUEL_VARIABLE, patience::fuel(n_turns).to_string())
                .env(EXHAUSTED_VARIABLE, "1");
        }
        let mut heard = Heard::default();
        let end = self
            .process(cell, most)
            .follow(command, &mut |line| heard.hear(line, &group.names))?;
        let reaction = group.reaction(end, &heard);
        Ok(reaction.map(|it| (it, heard.culprit)))
    }
}
