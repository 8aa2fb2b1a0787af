//! Records, as far as anything here needs them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the format that is understood.
const SCHEMA: u64 = 1;

/// What is known about one package.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Of `cargo testsmith`.
    pub run: Option<Run>,
    /// Of `cargo testsmith mutants`.
    pub mutants: Option<Mutants>,
    /// Of `cargo testsmith states`, one for each type.
    pub states: Vec<States>,
    /// Of `cargo testsmith api`.
    pub api: Option<Api>,
}

/// Why a record is of no use.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It is not JSON, or a field is not what it should be.
    #[error("it cannot be read: {0}")]
    Syntax(#[from] serde_json::Error),
    /// It is of a version to come.
    #[error("its schema is {0}, and {SCHEMA} is the last one that this testsmith knows")]
    Schema(u64),
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
        let value: serde_json::Value = serde_json::from_str(text)?;
        let has = |field: &str| value.get(field).is_some();
        let schema = value.get("schema").and_then(serde_json::Value::as_u64);
        if let Some(schema) = schema.filter(|it| *it > SCHEMA) {
            return Err(RecordError::Schema(schema));
        }
        let this = value.get("package").and_then(serde_json::Value::as_str);
        let this = this.unwrap_or_default().to_owned();
        if let Some(other) = self.package().filter(|other| *other != this) {
            let other = other.to_owned();
            return Err(RecordError::Package { this, other });
        }
        let kind = value.get("kind").and_then(serde_json::Value::as_str);
        // Records of older versions do not say what they are.
        let kind = kind.map(str::to_owned).unwrap_or_else(|| {
            let kind = match () {
                () if has("transitions") => "states",
                () if has("with_instance") => "api",
                () if has("failures") && has("callables") => "run",
                () if has("mutants") => "mutants",
                () => "",
            };
            kind.to_owned()
        });
        match &*kind {
            "run" => self.run = Some(serde_json::from_value(value)?),
            "mutants" => {
                let mut mutants: Mutants = serde_json::from_value(value)?;
                mutants.take_rest();
                self.mutants = Some(mutants);
            }
            "api" => self.api = Some(serde_json::from_value(value)?),
            "states" => {
                let states: States = serde_json::from_value(value)?;
                self.states.retain(|it| it.ty != states.ty);
                self.states.push(states);
                self.states.sort_by(|a, b| a.ty.cmp(&b.ty));
            }
            _ => return Err(RecordError::Kind),
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
        let by_all = self.mutants.as_ref().map(Mutants::judged);
        let is_told = |it: &Judged<'_>| it.mutants.iter().any(|it| it.status != "pending");
        let by_own = self.run.as_ref().map(Run::judged);
        let by_own = by_own.filter(|it| !it.mutants.is_empty());
        by_all.filter(is_told).or(by_own).or(by_all)
    }
}

/// Mutants, the tests that judge them, and the sources.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'r> {
    /// The mutants.
    pub mutants: &'r [Mutant],
    /// The tests.
    pub tests: &'r [Test],
    /// The sources.
    pub sources: &'r [Source],
}

impl Judged<'_> {
    /// The text of a file.
    pub fn source(&self, path: &str) -> Option<&str> {
        let source = self.sources.iter().find(|it| it.path == path);
        source.map(|it| &*it.text)
    }
}

/// The record of `cargo testsmith`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Run {
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Where the randomness started.
    pub seed: u64,
    /// Calls executed.
    pub calls: u64,
    /// Distinct sequences executed.
    pub sequences: u64,
    /// Distinct values seen.
    pub states: u64,
    /// By stage.
    pub seconds: BTreeMap<String, f64>,
    /// Every public callable.
    pub callables: Vec<Callable>,
    /// What the tests go through.
    pub coverage: Option<Coverage>,
    /// Sides of branches.
    pub branches: Vec<Branch>,
    /// Mutants, and what the written tests make of them.
    pub mutants: Vec<Mutant>,
    /// The crate's files.
    pub sources: Vec<Source>,
    /// Tests that were written.
    pub tests: Vec<Test>,
    /// Causes of failure.
    pub failures: Vec<Failure>,
    /// What was left out.
    pub dropped: Vec<LeftOut>,
    /// Files that were written.
    pub files: Vec<WrittenFile>,
    /// Ended early?
    pub interrupted: bool,
}

impl Run {
    /// Its mutants, by the tests that it wrote.
    pub fn judged(&self) -> Judged<'_> {
        Judged {
            mutants: &self.mutants,
            tests: &self.tests,
            sources: &self.sources,
        }
    }
}

/// The record of `cargo testsmith mutants`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Mutants {
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Every mutant.
    pub mutants: Vec<Mutant>,
    /// In a file, those that were not asked for, as far as they are known.
    rest: Vec<Mutant>,
    /// Every test of the package.
    pub tests: Vec<Test>,
    /// The crate's files.
    pub sources: Vec<Source>,
    /// What the tests go through.
    pub coverage: Option<Coverage>,
    /// Sides of branches.
    pub branches: Vec<Branch>,
    /// The share of mutants that are killed.
    pub score: Option<f64>,
    /// By stage.
    pub seconds: BTreeMap<String, f64>,
    /// What was left out on purpose.
    pub left_out: BTreeMap<String, u64>,
    /// Ended early?
    pub interrupted: bool,
}

impl Mutants {
    /// Whatever was asked for the last time, all that is known counts.
    fn take_rest(&mut self) {
        if self.rest.is_empty() {
            return;
        }
        self.mutants.append(&mut self.rest);
        self.mutants.sort_by_key(|it| it.id);
        let n = |status: &str| self.mutants.iter().filter(|it| it.status == status).count();
        let of = n("killed") + n("survived") + n("unreached");
        self.score = (of > 0).then(|| n("killed") as f64 / of as f64);
    }

    /// Its mutants, by the tests of the package.
    pub fn judged(&self) -> Judged<'_> {
        Judged {
            mutants: &self.mutants,
            tests: &self.tests,
            sources: &self.sources,
        }
    }
}

/// The record of `cargo testsmith api`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Api {
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Every public callable.
    pub callables: Vec<Callable>,
    /// Did rustc judge the instances?
    pub checked: bool,
}

/// The record of `cargo testsmith states`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct States {
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The type that is drawn.
    #[serde(rename = "type")]
    pub ty: String,
    /// How states are told apart where observers do not.
    pub note: Option<String>,
    /// What makes the states.
    pub predicates: Vec<String>,
    /// The states.
    pub states: Vec<State>,
    /// What leads from one to another.
    pub transitions: Vec<Transition>,
    /// Different values that were met.
    pub values: u64,
    /// Calls on them.
    pub calls: u64,
    /// The drawing, as SVG.
    pub drawing: String,
}

/// A state of a type.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// What tells it from the others.
    pub is: Vec<String>,
    /// What else holds of all values seen in it.
    pub also: Vec<String>,
    /// Values seen in it.
    pub values: u64,
    /// Methods that always panic here.
    pub panics: Vec<String>,
    /// Methods that panic here with some arguments.
    pub may_panic: Vec<String>,
}

/// What leads from one state to another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Transition {
    /// None for constructors.
    pub from: Option<usize>,
    /// The state after it.
    pub to: usize,
    /// Calls.
    pub calls: Vec<String>,
}

/// A public callable.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Callable {
    /// Its stable key.
    pub path: String,
    /// `reached`, `modelled` or `skipped`.
    pub status: String,
    /// Calls that returned.
    pub calls: u64,
    /// Why it was not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Does reach count it?
    pub counted: bool,
    /// What an unsafe function asks of its callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety: Option<String>,
    /// Its operations.
    pub instances: Vec<String>,
    /// What of the world its calls reached for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
}

/// What tests go through.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Coverage {
    /// Sides of branches.
    pub branches: u64,
    /// Those that a test takes.
    pub branches_taken: u64,
    /// Lines of code.
    pub lines: u64,
    /// Those that a test goes through.
    pub lines_covered: u64,
    /// By file.
    pub covered: BTreeMap<String, Vec<u64>>,
    /// By file.
    pub uncovered: BTreeMap<String, Vec<u64>>,
}

/// A side of a branch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Branch {
    /// Relative to the package.
    pub file: String,
    /// Where it begins.
    pub line: u64,
    /// What decides whether it is taken.
    pub kind: String,
    /// The function it is in.
    pub function: String,
    /// Does a test take it?
    pub taken: bool,
}

/// A mutant.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Mutant {
    /// Its number.
    pub id: u64,
    /// Stays the same when other lines change.
    pub name: String,
    /// Relative to the package.
    pub file: String,
    /// Where the text that is replaced begins, from 1.
    pub line: usize,
    /// In characters, from 1; 0 if nobody said.
    pub column: usize,
    /// Where that text ends.
    pub end_line: usize,
    /// The character after the last one.
    pub end_column: usize,
    /// The function it is in.
    pub function: String,
    /// The family of its operator.
    pub operator: String,
    /// What stands in the source.
    pub original: String,
    /// What stands there instead.
    pub replacement: String,
    /// The text for that place if it is edited in.
    pub edit: String,
    /// `killed`, `survived`, `unreached`, `unviable`, `equivalent`, `suppressed` or `pending`.
    pub status: String,
    /// Tests that fail with it.
    pub killed_by: Vec<String>,
    /// Tests that reach it.
    pub reached_by: Vec<String>,
    /// How the test that kills it ended.
    pub how: Option<String>,
    /// Why it is what it is.
    pub reason: Option<String>,
    /// Is that from an earlier run?
    pub reused: bool,
    /// What it changes, although no test fails.
    pub impact: Option<Impact>,
}

impl Default for Mutant {
    fn default() -> Mutant {
        Mutant {
            id: 0,
            name: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            end_line: 0,
            end_column: 0,
            function: String::new(),
            operator: String::new(),
            original: String::new(),
            replacement: String::new(),
            edit: String::new(),
            // Older records list mutants, and do not say what became of them.
            status: "pending".to_owned(),
            killed_by: Vec::new(),
            reached_by: Vec::new(),
            how: None,
            reason: None,
            reused: false,
            impact: None,
        }
    }
}

/// What a mutant changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Impact {
    /// Functions that some test went through otherwise.
    pub functions: u64,
    /// Regions that are entered more or less often.
    pub regions: u64,
    /// Functions that returned something else to some test.
    pub values: u64,
}

/// A test: one that was written, or one of the package.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Test {
    /// As `cargo test -- --exact` takes it, after its target if it is the package's.
    pub name: String,
    /// The target that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The file that it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `regression` or `failure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `passed`, `failed`, `ignored` or `unsteady`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Why it is not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Calls of the crate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_calls: Option<u64>,
    /// Assertions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_assertions: Option<u64>,
    /// Mutants that it kills.
    pub kills: u64,
}

/// A cause of failure.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Failure {
    /// What settings can accept it by.
    pub name: String,
    /// `panic`, `abort` and others.
    pub kind: String,
    /// What failed.
    pub operation: String,
    /// The panic's message.
    pub message: String,
    /// Where it was raised.
    pub file: String,
    /// Where it was raised.
    pub line: u64,
    /// The calls that lead to it.
    pub program: String,
    /// `documented`, `suspicious` or `precondition`.
    pub verdict: String,
    /// Why.
    pub reason: String,
    /// Who else fails so.
    pub others: Vec<String>,
    /// The test that shows it.
    pub test: Option<String>,
    /// The text of that test.
    pub text: Option<String>,
}

/// Something that was left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftOut {
    /// What.
    pub what: String,
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
}

/// A test file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WrittenFile {
    /// Relative to the package, if it is inside.
    pub path: String,
    /// `written`, `unchanged` or `dry-run`.
    pub status: String,
}

/// A file of the crate.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Relative to the package.
    pub path: String,
    /// All of it.
    pub text: String,
}
