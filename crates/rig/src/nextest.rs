//! Lists tests as nextest does, which runs each of them in a process of its own.

use std::path::PathBuf;

use serde_json::Value;
use testsmith_project::{ScratchError, set_runner_of_tests};

use crate::error::RigError;
use crate::own::{Own, OwnTest};
use crate::rig::Rig;
use crate::sources::Sources;
use crate::walled::RUN_WALLED;

/// Builds the tests by nextest, and adds those that its filters let through.
pub(crate) fn list(rig: &Rig, helpers: &str, own: &mut Own) -> Result<(), RigError> {
    let mut command = rig.cargo("nextest list");
    command.args(["--message-format", "json"]);
    // It starts the test binaries to have them list their tests.
    if rig.cells[0].is_walled() {
        let [wrapper, dir] =
            [&rig.instrument.wrapper, &rig.cells[0].dir].map(|it| it.display().to_string());
        let runner = [wrapper, RUN_WALLED.to_owned(), dir];
        set_runner_of_tests(&mut command, &rig.twin.package, &runner);
    }
    let text = command.checked_text().map_err(ScratchError::from)?;
    let listed: Value = serde_json::from_str(&text).unwrap_or_default();
    let suites = listed["rust-suites"].as_object();
    for suite in suites.into_iter().flat_map(|it| it.values()) {
        let said = |key: &str| suite[key].as_str().unwrap_or_default();
        let (kind, name, binary) = (said("kind"), said("binary-name"), said("binary-path"));
        let dir = PathBuf::from(said("cwd"));
        let target = format!("{kind} {name}");
        // nextest does not say which the root file is.
        let root = match kind {
            "lib" => "src/lib.rs".to_owned(),
            _ => format!("tests/{name}.rs"),
        };
        let helpers = (kind == "lib").then_some(helpers);
        let sources = Sources::of(&dir, root.as_ref(), helpers);
        let cases = suite["testcases"].as_object();
        for (test, case) in cases.into_iter().flatten() {
            let is_ignored = case["ignored"].as_bool().unwrap_or(false);
            if !is_ignored && case["filter-match"]["status"] != "matches" {
                let why = "a test that nextest's filter leaves out".to_owned();
                *own.left_out.entry(why).or_default() += 1;
                continue;
            }
            own.tests.push(OwnTest {
                is_ignored,
                ..OwnTest::listed(&target, Some(binary.as_ref()), &dir, test, &sources)
            });
        }
    }
    Ok(())
}
