//! The records of one package, together.

use serde::Serialize;
use testsmith_record::{
    AnyRecord, ApiReport, MutantReport, MutantsReport, OwnTestReport, OwnTestStatus, ReadError,
    Report, SourceReport, StatesReport, Status, TestKind, TestReport,
};

/// What is known about one package.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Of `cargo testsmith`.
    pub run: Option<Report>,
    /// Of `cargo testsmith mutants`.
    pub mutants: Option<MutantsReport>,
    /// Of `cargo testsmith states`, one for each type.
    pub states: Vec<StatesReport>,
    /// Of `cargo testsmith api`.
    pub api: Option<ApiReport>,
}

/// Why a record is of no use.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It is no record.
    #[error(transparent)]
    Read(ReadError),
    /// It is the record of a command that there is no report of.
    #[error("it is not a record of `cargo testsmith`, `mutants`, `states` or `api`")]
    Kind,
    /// It is about something else than the others.
    #[error("it is about package `{this}`, and another one about `{other}`")]
    Package {
        /// What this one is about.
        this: String,
        /// What the others are about.
        other: String,
    },
}

impl Records {
    /// Reads a record, whatever it is of; it takes the place of one of the same kind.
    pub fn add(&mut self, text: &str) -> Result<(), RecordError> {
        let record = AnyRecord::read(text).map_err(|error| match error {
            ReadError::Kind => RecordError::Kind,
            error => RecordError::Read(error),
        })?;
        let this = record.package();
        if let Some(other) = self.package().filter(|other| *other != this) {
            let (this, other) = (this.to_owned(), other.to_owned());
            return Err(RecordError::Package { this, other });
        }
        match record {
            AnyRecord::Run(run) => self.run = Some(*run),
            AnyRecord::Mutants(mut mutants) => {
                mutants.take_rest();
                self.mutants = Some(*mutants);
            }
            AnyRecord::Api(api) => self.api = Some(*api),
            AnyRecord::States(states) => {
                self.states.retain(|it| it.ty != states.ty);
                self.states.push(*states);
                self.states.sort_by(|a, b| a.ty.cmp(&b.ty));
            }
            AnyRecord::Check(_)
            | AnyRecord::Compare(_)
            | AnyRecord::Diff(_)
            | AnyRecord::Minimize(_)
            | AnyRecord::Record(_)
            | AnyRecord::Redundancy(_) => return Err(RecordError::Kind),
        }
        Ok(())
    }

    /// The package that they are about.
    pub fn package(&self) -> Option<&str> {
        self.about().map(|(package, _)| package)
    }

    /// Its version.
    pub fn version(&self) -> Option<&str> {
        self.about().map(|(_, version)| version)
    }

    fn about(&self) -> Option<(&str, &str)> {
        let run = self.run.as_ref().map(|it| (&*it.package, &*it.version));
        let mutants = self.mutants.as_ref().map(|it| (&*it.package, &*it.version));
        let states = self.states.first().map(|it| (&*it.package, &*it.version));
        let api = self.api.as_ref().map(|it| (&*it.package, &*it.version));
        mutants.or(run).or(states).or(api)
    }

    /// The mutants with what became of them: by all tests of the package, if they were asked, else by
    /// those that testsmith wrote.
    pub fn judged(&self) -> Option<Judged<'_>> {
        let by_all = self.mutants.as_ref().map(Judged::by_all);
        let is_told = |it: &Judged<'_>| it.mutants.iter().any(|it| it.status != Status::Pending);
        let by_own = self.run.as_ref().map(Judged::by_written);
        let by_own = by_own.filter(|it| !it.mutants.is_empty());
        match by_all {
            Some(by_all) if is_told(&by_all) => Some(by_all),
            by_all => by_own.or(by_all),
        }
    }
}

/// Mutants, the tests that judge them, and the sources.
#[derive(Clone, Debug)]
pub struct Judged<'r> {
    /// The mutants.
    pub mutants: &'r [MutantReport],
    /// The tests.
    pub tests: Vec<Test<'r>>,
    /// The sources.
    pub sources: &'r [SourceReport],
}

impl<'r> Judged<'r> {
    /// By the tests that a run wrote.
    pub(crate) fn by_written(run: &'r Report) -> Judged<'r> {
        Judged {
            mutants: &run.mutants,
            tests: run.tests.iter().map(Test::written).collect(),
            sources: &run.sources,
        }
    }

    /// By the tests of the package.
    pub(crate) fn by_all(mutants: &'r MutantsReport) -> Judged<'r> {
        Judged {
            mutants: &mutants.mutants,
            tests: mutants.tests.iter().map(Test::own).collect(),
            sources: &mutants.sources,
        }
    }

    /// The text of a file.
    pub fn source(&self, path: &str) -> Option<&'r str> {
        let source = self.sources.iter().find(|it| it.path == path);
        source.map(|it| &*it.text)
    }
}

/// A test: one that was written, or one of the package.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Test<'r> {
    /// As `cargo test -- --exact` takes it, after its target if it is the package's.
    pub name: &'r str,
    /// The target that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<&'r str>,
    /// The file that it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'r str>,
    /// Its line there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'r str>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<TestKind>,
    /// How it ends with no mutant active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<OwnTestStatus>,
    /// Why it is not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'r str>,
    /// How long it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Calls of the crate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_calls: Option<u32>,
    /// Assertions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_assertions: Option<u32>,
    /// Mutants that it kills.
    pub kills: usize,
}

impl<'r> Test<'r> {
    /// One that was written.
    fn written(test: &'r TestReport) -> Test<'r> {
        Test {
            name: &test.name,
            file: said(&test.file),
            line: Some(test.line).filter(|line| *line > 0),
            text: said(&test.text),
            kind: Some(test.kind).filter(|it| *it != TestKind::Unknown),
            n_calls: Some(test.n_calls),
            n_assertions: Some(test.n_assertions),
            kills: test.kills,
            ..Test::default()
        }
    }

    /// One of the package.
    fn own(test: &'r OwnTestReport) -> Test<'r> {
        Test {
            name: &test.name,
            target: said(&test.target),
            status: Some(test.status).filter(|it| *it != OwnTestStatus::Unknown),
            reason: test.reason.as_deref(),
            seconds: Some(test.seconds),
            kills: test.kills,
            ..Test::default()
        }
    }
}

/// A record that lacks a text has an empty one.
fn said(text: &str) -> Option<&str> {
    Some(text).filter(|it| !it.is_empty())
}
