//! Exit codes, and what to do about each failure. `docs/exit-codes.md` documents the codes.

use testsmith_commands::CommandError;
use testsmith_equip::{EquipError, Stage};
use testsmith_harness::{BuildError, GuestError};
use testsmith_project::{LocateError, ScratchError, VersionError};
use testsmith_rig::RigError;
use testsmith_suite::{StandingError, SuiteError, VetError};

use crate::settings::SettingsError;

/// A bug of ours, or something nobody foresaw.
pub(crate) const INTERNAL: u8 = 1;
/// The command line or a settings file makes no sense.
pub(crate) const USAGE: u8 = 2;
/// There is no package, or it has no library.
pub(crate) const NO_LIBRARY: u8 = 3;
/// The package does not build.
pub(crate) const NO_BUILD: u8 = 4;
/// There is nothing that can be called, or no record to report on.
pub(crate) const NOTHING: u8 = 5;
/// A file could not be written.
pub(crate) const WRITE: u8 = 6;
/// `diff` found behaviour that changed.
pub(crate) const CHANGED: u8 = 7;
/// `minimize` would take something from the suite, and did nothing.
pub(crate) const MISSED: u8 = 8;
/// Fewer mutants are killed than `--fail-under` asks for.
pub(crate) const BELOW: u8 = 9;
/// Tests that were there show that behaviour changed, and nobody accepted it.
pub(crate) const OTHERWISE: u8 = 10;
/// A build was ended from outside several times, or the machine had no memory left for it.
pub(crate) const ENDED: u8 = 11;
/// Ctrl-C; what was found by then is written.
pub(crate) const INTERRUPTED: u8 = 130;

/// The worse of two exit codes: being interrupted, then a bug, then the greater number.
pub(crate) fn worse(a: u8, b: u8) -> u8 {
    let badness = |code: u8| match code {
        INTERNAL => INTERRUPTED - 1,
        code => code,
    };
    if badness(b) > badness(a) { b } else { a }
}

/// A message, what to do, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) advice: Option<String>,
    pub(crate) code: u8,
}

impl Failure {
    /// The failure of a command that the user ended before there was anything to keep.
    pub(crate) fn interrupted(stage: Stage) -> Failure {
        Failure {
            message: format!("interrupted while {}; nothing was written", stage.doing()),
            advice: Some(AGAIN.to_owned()),
            code: INTERRUPTED,
        }
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Failure {
        Failure {
            message: error.to_string(),
            advice: Some("the keys are the long flags; docs/settings.md lists them".to_owned()),
            code: USAGE,
        }
    }
}

impl From<LocateError> for Failure {
    fn from(error: LocateError) -> Failure {
        CommandError::from(error).into()
    }
}

impl From<VersionError> for Failure {
    fn from(error: VersionError) -> Failure {
        let message = error.to_string();
        let (code, advice) = match error {
            VersionError::Locate { source, .. } => {
                return Failure {
                    message,
                    ..Failure::from(source)
                };
            }
            VersionError::Unknown { .. } => (
                USAGE,
                "name a directory, a version like 1.2.3 or name@1.2.3, or what `git rev-parse` \
                 understands; a tag that looks like a version is `tags/1.2.3`",
            ),
            VersionError::NoPackage { .. } => (
                NO_LIBRARY,
                "run it in the package, name it with --manifest-path, or write name@1.2.3",
            ),
            VersionError::NotPublished { .. } => (
                USAGE,
                "`cargo info NAME` shows which versions there are; cargo must reach the registry",
            ),
            VersionError::NoLibrary { .. } | VersionError::NotThere { .. } => {
                (NO_LIBRARY, "choose a version that has the library")
            }
            VersionError::Git { .. } => {
                (USAGE, "`git status` must work in the package's directory")
            }
            VersionError::Write { .. } => (WRITE, MOVE_TARGET),
        };
        Failure {
            message,
            advice: Some(advice.to_owned()),
            code,
        }
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Failure {
        let message = error.to_string();
        // Whoever met it, we or a compiler, there is one thing to do about it.
        let (code, advice) = match (is_disk_full(&message), is_unlinkable(&message)) {
            _ if is_ended(&message) => (
                ENDED,
                "nothing was written; run it again when the machine has more memory left, or with --jobs 1"
                    .to_owned(),
            ),
            (true, _) => (
                WRITE,
                "the disk is full: make room, or set CARGO_TARGET_DIR to a place that has some"
                    .to_owned(),
            ),
            (false, true) => (
                NO_BUILD,
                "`cargo test` cannot link there either: set CARGO_TARGET_DIR to a path of plain letters, \
                 without `%`"
                    .to_owned(),
            ),
            (false, false) => advise(&error),
        };
        // Whoever looks into a bug wants to know all that led to it.
        let causes = match code {
            INTERNAL => causes(&error),
            _ => Vec::new(),
        };
        let causes = causes.iter().map(|it| format!("\ncaused by: {it}"));
        Failure {
            message: message + &causes.collect::<String>(),
            advice: Some(advice),
            code,
        }
    }
}

/// The causes of an error, without those that its own message repeats.
fn causes(error: &dyn std::error::Error) -> Vec<String> {
    let mut said = error.to_string();
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !said.contains(&text) {
            said.push_str(&text);
            causes.push(text);
        }
        next = cause.source();
    }
    causes
}

/// Does the message say, in the words of the operating system, that there is no room?
fn is_disk_full(message: &str) -> bool {
    // A linker does not say the number, and is quoted with what it was asked to do.
    // Where it maps what it writes, a full disk ends it by a signal.
    let of_linker = message.contains("linking with")
        && ["File too large", "Bus error"]
            .iter()
            .any(|words| message.contains(words));
    let words = [
        "No space left on device",
        "Disk quota exceeded",
        "File too large (os error",
    ];
    of_linker || words.iter().any(|words| message.contains(words))
}

/// Was it a process that somebody ended, wherever in the work that was? The error itself is behind several
/// others, most of which stand for it without naming it.
fn is_ended(message: &str) -> bool {
    message.contains(" was ended several times, and not by the code that it builds")
}

/// Does the linker say that it cannot write where cargo builds? It reads more into some characters of a
/// path than there is.
fn is_unlinkable(message: &str) -> bool {
    message.contains("linking with") && message.contains("cannot open output file")
}

fn advise(error: &CommandError) -> (u8, String) {
    let (code, advice) = match error {
        CommandError::Equip(error) => return advise_on_equipping(error),
        CommandError::Suite(SuiteError::Export(_)) => {
            (USAGE, "give --export a directory that is new or empty")
        }
        CommandError::Write { .. } => (
            WRITE,
            "make the directory writable, choose another with --out, or see with --dry-run what \
             would be written",
        ),
        CommandError::Changed { .. } => (
            WRITE,
            "run it again, and leave the test files alone meanwhile",
        ),
        CommandError::NoSuite { .. } => (
            NOTHING,
            "write tests first, with `cargo testsmith`; --out says where they are, --features what they \
             are for",
        ),
        CommandError::Suite(SuiteError::Standing(StandingError::NoRust { .. })) => (
            NO_BUILD,
            "repair the file, or move it away; nothing was written",
        ),
        CommandError::Suite(SuiteError::Standing(StandingError::Read { .. })) => (
            WRITE,
            "make the file readable, and UTF-8; nothing was written",
        ),
        CommandError::Suite(SuiteError::Vet(VetError::Standing(_))) => (
            NO_BUILD,
            "make `cargo test --no-run` work first; what a test file needs besides the package and its \
             dependencies belongs into another file. Nothing was written",
        ),
        CommandError::Rig(RigError::OwnTests { .. }) => (
            NO_BUILD,
            "make `cargo test --no-run` work first; testsmith builds a copy of the workspace, below \
             its target directory",
        ),
        CommandError::Suite(SuiteError::Vet(VetError::Package(_))) => (NO_BUILD, BUILD_FIRST),
        CommandError::NoType { near, several, .. } => {
            let types: Vec<String> = near.iter().map(|ty| format!("`{ty}`")).collect();
            let types = types.join(", ");
            let advice = match several {
                _ if near.is_empty() => "the package has no public struct or enum".to_owned(),
                true => format!("write the whole path: {types}"),
                false => format!("did you mean one of these? {types}"),
            };
            return (USAGE, advice);
        }
        CommandError::NoInstance { instances, .. } => {
            let instances: Vec<String> = instances.iter().map(|it| format!("`{it}`")).collect();
            let advice = format!("these can be drawn: {}", instances.join(", "));
            return (USAGE, advice);
        }
        CommandError::NoMachine { .. } => (
            NOTHING,
            "`cargo testsmith api` lists what can be done with it; choose a type whose values change",
        ),
        CommandError::Rig(_) | CommandError::Suite(_) | CommandError::Mutation(_) => {
            (INTERNAL, NOTHING_CHANGED)
        }
    };
    (code, advice.to_owned())
}

/// The advice where the fault is ours, as far as anybody knows.
const NOTHING_CHANGED: &str =
    "nothing in your tree was changed; if the machine was busy, it may help to run it again";
/// The advice where a file of functions that make values cannot be used.
const NAME_MAKERS: &str = "name a file of public functions that compiles as a module of a test, with \
    --makers or `makers` in testsmith.toml; it can use the package and its dependencies";
/// The advice where nothing can be written below the target directory.
const MOVE_TARGET: &str =
    "make the target directory writable, or set CARGO_TARGET_DIR to one that is";
/// The advice where the package itself does not build.
const BUILD_FIRST: &str = "make `cargo build` and `cargo doc` work first; --features and \
    --no-default-features choose what is built";

fn advise_on_equipping(error: &EquipError) -> (u8, String) {
    let (code, advice) = match error {
        EquipError::Locate(error) => advise_on_locating(error),
        EquipError::Scratch(error) => advise_on_scratch(error),
        EquipError::Empty { unmade, .. } if !unmade.is_empty() => {
            return (NOTHING, advise_to_construct(unmade));
        }
        EquipError::Values { .. } => (
            USAGE,
            "`cargo testsmith api` lists what there is; the table `values` has lines like \
             \"Type::function.parameter\" = { range = \"0..10\" }",
        ),
        EquipError::Name { .. } => (
            NO_LIBRARY,
            "give the package another name, or its library if the name is the compiler's (`[lib] name = ..`); \
             `cargo testsmith mutants` asks its own tests as it is",
        ),
        EquipError::Makers { .. } | EquipError::NoMakers { .. } => (USAGE, NAME_MAKERS),
        EquipError::Build(BuildError::Scratch(ScratchError::Write { .. })) => (WRITE, MOVE_TARGET),
        EquipError::Write { .. } => (
            WRITE,
            "make the directory writable, choose another with --out, or see with --dry-run what \
             would be written",
        ),
        EquipError::Build(BuildError::Subject(_)) => (NO_BUILD, BUILD_FIRST),
        EquipError::Read(_) => (
            NO_BUILD,
            "use the Rust version that this testsmith was made for, or a newer testsmith",
        ),
        EquipError::NoWrapper => (USAGE, "leave --no-instrument out"),
        EquipError::NoneChosen { .. } => {
            (USAGE, "`cargo testsmith api` lists what there is to choose")
        }
        EquipError::NoApi { .. } => (
            NOTHING,
            "make what should be tested `pub`, so that code outside the crate can name it",
        ),
        EquipError::Empty { .. } => (
            NOTHING,
            "`cargo testsmith api` lists the reason for every item",
        ),
        EquipError::Build(BuildError::NothingLeft { .. }) => (
            NOTHING,
            "`cargo testsmith api --check` lists the reason for every item",
        ),
        EquipError::Interrupted => (INTERRUPTED, AGAIN),
        EquipError::Build(_) | EquipError::Guest(GuestError::Start(_)) => {
            (INTERNAL, NOTHING_CHANGED)
        }
        EquipError::Guest(_) => (
            NOTHING,
            "the crate, or a dependency, has code that runs before `main` (`#[ctor]`, `.init_array`) and ends \
             the process, never ends itself, or speaks in its place; `cargo testsmith mutants` needs no such \
             process. If there is none: was it ended by somebody, or for want of memory?",
        ),
    };
    (code, advice.to_owned())
}

fn advise_on_locating(error: &LocateError) -> (u8, &'static str) {
    let advice = match error {
        LocateError::Ambiguous { .. } => "name one with -p, or take them all with --workspace",
        LocateError::NoLibrary { .. }
        | LocateError::NoLibraries { .. }
        | LocateError::Unknown { .. } => {
            "choose a package with a library, with -p or --manifest-path"
        }
        LocateError::Metadata(_) | LocateError::Manifest { .. } => {
            "run it in a cargo package, or name one with --manifest-path"
        }
    };
    (NO_LIBRARY, advice)
}

fn advise_on_scratch(error: &ScratchError) -> (u8, &'static str) {
    match error {
        ScratchError::Makers { .. } => (USAGE, NAME_MAKERS),
        ScratchError::UnknownFeature { .. } => (
            USAGE,
            "features come from --features, testsmith.toml, or the manifest's metadata.testsmith",
        ),
        ScratchError::Write { .. } => (WRITE, MOVE_TARGET),
        ScratchError::Cargo(_) | ScratchError::NoJson { .. } => (NO_BUILD, BUILD_FIRST),
    }
}

/// The advice where there are types that nobody can have values of.
fn advise_to_construct(types: &[String]) -> String {
    let types: Vec<String> = types.iter().take(5).map(|ty| format!("`{ty}`")).collect();
    format!(
        "nobody outside the crate can construct {}: give it a public constructor, or \
         make a function public that returns it",
        types.join(", ")
    )
}

/// The advice after an interruption.
const AGAIN: &str = "run it again when there is time";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interruption_is_worst_and_a_bug_comes_next() {
        let worst = |codes: &[u8]| codes.iter().copied().fold(0, worse);
        assert_eq!(worst(&[0, 5, 4]), NOTHING);
        assert_eq!(worst(&[0, INTERNAL, WRITE]), INTERNAL);
        assert_eq!(worst(&[INTERNAL, INTERRUPTED, 0]), INTERRUPTED);
    }

    #[test]
    fn a_full_disk_is_recognised_in_what_a_compiler_says() {
        for said in [
            "error: failed to write deps: No space left on device (os error 28)",
            "error: linking with `cc` failed: exit status: 1\n\
             collect2: fatal error: ld terminated with signal 7 [Bus error]",
        ] {
            let failure = Failure::from(CommandError::from(BuildError::Subject(said.to_owned())));
            assert_eq!(failure.code, WRITE, "{said}");
            assert!(failure.advice.expect("advice").contains("CARGO_TARGET_DIR"));
        }
    }

    #[test]
    fn a_build_that_was_ended_is_no_fault_of_the_code() {
        let ended = testsmith_project::CargoError::Ended {
            what: "cargo".to_owned(),
            why: "signal 9".to_owned(),
        };
        let failure = Failure::from(CommandError::from(BuildError::Cargo(ended)));
        assert_eq!(failure.code, ENDED);
    }

    #[test]
    fn causes_are_listed_unless_the_error_says_them() {
        #[derive(Debug, thiserror::Error)]
        #[error("{said}")]
        struct Outer {
            said: String,
            source: std::io::Error,
        }
        let outer = |said: &str| Outer {
            said: said.to_owned(),
            source: std::io::Error::other("no room"),
        };
        assert_eq!(causes(&outer("cannot write")), ["no room"]);
        assert!(causes(&outer("cannot write: no room")).is_empty());
    }

    #[test]
    fn a_full_target_directory_has_the_same_advice_wherever_it_is_met() {
        let error = || ScratchError::Write {
            path: "target".into(),
            source: std::io::Error::other("read-only"),
        };
        let in_build = EquipError::Build(BuildError::Scratch(error()));
        for error in [EquipError::Scratch(error()), in_build] {
            assert_eq!(advise_on_equipping(&error), (WRITE, MOVE_TARGET.to_owned()));
        }
    }

    #[test]
    fn types_without_a_constructor_are_named() {
        let error = EquipError::Empty {
            package: "a".to_owned(),
            n_callables: 3,
            reason: "there is no `a::B`".to_owned(),
            unmade: vec!["a::B".to_owned()],
        };
        let (code, advice) = advise_on_equipping(&error);
        assert_eq!(code, NOTHING);
        assert!(advice.starts_with("nobody outside the crate can construct `a::B`: "));
    }
}
