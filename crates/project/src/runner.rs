//! Makes one program the runner of what cargo starts, whatever the user's settings say.
//!
//! cargo starts examples of the documentation by itself, and the only way to keep it from that is a runner.
//! A runner that is set for the target by its name comes before one that is set for a condition, so ours is
//! set for each name that could count: that of this machine, and those for which some file that cargo reads
//! sets one. What is set on the command line comes before files and variables.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::cargo;
use crate::child::CargoCommand;

/// The first minor version of Rust in which examples of the documentation have a runner.
const RUNS_EXAMPLES: u32 = 89;

/// Has everything that cargo starts for `cargo test` given to this program instead.
///
/// `false` if the cargo of this directory, or its rustdoc, starts examples of the documentation without a runner.
pub fn set_runner(command: &mut CargoCommand, dir: &Path, program: &[String]) -> bool {
    let has_runners = runs_examples(dir);
    if has_runners {
        set_runner_of_tests(command, dir, program);
    }
    has_runners
}

/// Has test binaries that cargo, or nextest, starts given to this program instead.
pub fn set_runner_of_tests(command: &mut CargoCommand, dir: &Path, program: &[String]) {
    let mut targets = BTreeSet::from(["cfg(all())".to_owned()]);
    targets.extend(host(dir));
    for file in settings(dir) {
        targets.extend(with_runner(&fs::read_to_string(file).unwrap_or_default()));
    }
    let program: Vec<String> = program.iter().map(|word| format!("{word:?}")).collect();
    let program = program.join(", ");
    for target in targets {
        let flag = format!("target.{target:?}.runner = [{program}]");
        command.args(["--config", &flag]);
    }
    // The flags come before variables, but only for the targets that they name.
    for (name, _) in std::env::vars_os() {
        let is_runner = name
            .to_str()
            .is_some_and(|it| it.starts_with("CARGO_TARGET_") && it.ends_with("_RUNNER"));
        if is_runner {
            command.env_remove(name);
        }
    }
}

/// Do examples have a runner in this version?
fn runs_examples(dir: &Path) -> bool {
    let rustdoc = std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    let rustdoc = said_by(Command::new(rustdoc).arg("-V").current_dir(dir));
    let tools = [said_by(cargo(dir).arg("-vV")), rustdoc];
    let does = |said: Option<String>| said.and_then(|it| minor(&it)) >= Some(RUNS_EXAMPLES);
    tools.into_iter().all(does)
}

/// The target of this machine.
fn host(dir: &Path) -> Option<String> {
    let said = said_by(cargo(dir).arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "))?;
    Some(host.to_owned())
}

fn said_by(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The 95 of `cargo 1.95.0 (f2d3ce0bd 2026-03-21)`.
fn minor(said: &str) -> Option<u32> {
    let version = said.split_whitespace().nth(1)?;
    version.split('.').nth(1)?.parse().ok()
}

/// The files that cargo reads settings from, if it runs in this directory.
fn settings(dir: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let above = dir.ancestors().map(|it| it.join(".cargo"));
    let places = above.chain(home);
    places
        .flat_map(|it| [it.join("config.toml"), it.join("config")])
        .collect()
}

/// Targets by their names for which a settings file sets a runner.
fn with_runner(text: &str) -> Vec<String> {
    let table = text.parse::<toml::Table>().unwrap_or_default();
    let targets = table.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flatten();
    targets
        .filter(|(name, target)| !name.starts_with("cfg(") && target.get("runner").is_some())
        .map(|(name, _)| name.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_are_named_and_have_a_runner_are_found() {
        let text = "[target.x86_64-unknown-linux-musl]\nrunner = \"evil\"\n\
                    [target.'cfg(unix)']\nrunner = [\"nice\"]\n[target.wasm32-wasip1]\nlinker = \"lld\"\n";
        assert_eq!(with_runner(text), ["x86_64-unknown-linux-musl"]);
        assert_eq!(with_runner("no toml ["), Vec::<String>::new());
    }

    #[test]
    fn versions_are_read_of_what_tools_say_of_themselves() {
        assert_eq!(
            minor("cargo 1.95.0 (f2d3ce0bd 2026-03-21)\nhost: here"),
            Some(95)
        );
        assert_eq!(minor("rustdoc 1.85.0"), Some(85));
        assert_eq!(minor("what?"), None);
    }
}
