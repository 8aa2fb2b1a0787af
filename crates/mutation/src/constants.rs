//! Finds functions that tests compute constants with. The compiler runs these, and no mutant can be
//! active then.
//!
//! **A constant that a test computes is no verdict.** The original holds where the compiler
//! evaluates, so a mutant that only such a constant meets would wrongly survive. If one survives in
//! a `const fn` that a constant in a file with tests names, tests are built once without the word
//! `const`, and rustc says whose verdicts go .

#![expect(
    clippy::disallowed_methods,
    reason = "it looks for constants in the text of tests"
)]

use std::collections::BTreeSet;
use std::path::Path;

use testsmith_harness::{Copied, MutantId};
use testsmith_record::{MutantsReport, RefusedFor, Status};

use testsmith_rig::{Rig, digest, each_file, run};

use crate::error::MutationError;
use crate::memory::Memory;

/// The reason in the record for mutants in such functions.
const WHY: &str = "a test computes a constant with its function, where nothing can be decided";

/// Takes back the verdict of mutants that were not noticed, if tests compute constants with their
/// functions: edited in, such a mutant might have been noticed.
pub(crate) fn take_back(
    report: &mut MutantsReport,
    memory: &mut Memory,
    rig: &Rig,
    copied: &Copied,
) -> Result<(), MutationError> {
    let texts = texts(&rig.twin.package);
    let is_doubtful = |id: &MutantId| {
        let mutant = copied.mutant(*id);
        let name = mutant.function.rsplit("::").next().unwrap_or_default();
        mutant.is_freed
            && texts
                .iter()
                .any(|it| constants_with(it, name).next().is_some())
    };
    let is_unnoticed = |status| matches!(status, Status::Survived | Status::Unreached);
    let unnoticed = report.mutants.iter().filter(|it| is_unnoticed(it.status));
    let doubtful: BTreeSet<MutantId> = unnoticed
        .map(|it| MutantId(it.id))
        .filter(is_doubtful)
        .collect();
    if doubtful.is_empty() || rig.is_cancelled() {
        return Ok(());
    }
    // rustc's answer stays the same as long as these functions and constants do, so it is kept by
    // their digest.
    let mut asked = BTreeSet::new();
    for id in &doubtful {
        let mutant = copied.mutant(*id);
        let name = mutant.function.rsplit("::").next().unwrap_or_default();
        let constants = texts.iter().flat_map(|it| constants_with(it, name));
        asked.extend(constants.map(|it| (mutant.function_key(), it)));
    }
    let asked = digest(&asked);
    if memory.constants.as_ref().is_none_or(|it| it.0 != asked) {
        let found = in_constants(rig, copied)?;
        let found = found.iter().map(|id| copied.mutant(*id).function_key());
        memory.constants = Some((asked, found.collect()));
    }
    let found = memory.constants.as_ref().map(|it| &it.1);
    let is_found = |id: MutantId| {
        let function = copied.mutant(id).function_key();
        found.is_some_and(|it| it.contains(&function))
    };
    for mutant in &mut report.mutants {
        let id = MutantId(mutant.id);
        if doubtful.contains(&id) && is_found(id) {
            mutant.status = Status::Unviable;
            mutant.reason = Some(WHY.to_owned());
            mutant.refused_for = Some(RefusedFor::Constant);
            mutant.reused = false;
        }
    }
    Ok(())
}

/// Mutants in functions that tests compute constants with, as rustc says.
fn in_constants(rig: &Rig, copied: &Copied) -> Result<BTreeSet<MutantId>, MutationError> {
    rig.write_copy(|dir, package| copied.freed(dir, package))?;
    let mut command = rig.cargo("build");
    command.args(["--tests", "--keep-going"]);
    Ok(copied.in_constants(&run(&mut command)?.errors))
}

/// The texts of source files that have tests.
fn texts(package: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for dir in ["tests", "src"] {
        each_file(&package.join(dir), Path::new(""), &mut |path| {
            if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                let has_tests = dir == "tests" || text.contains("#[test]");
                texts.extend(has_tests.then_some(text));
            }
        });
    }
    texts
}

/// The constants and statics whose definition has this word. It may find more than there are: rustc
/// decides afterwards.
fn constants_with<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let words = ["const", "static"].iter();
            let at = words.filter_map(|it| rest.find(it)).min()?;
            let is_begun = !rest[..at].ends_with(is_part);
            let item = &rest[at..];
            rest = &rest[at + "const".len()..];
            let mut words = item.split(|it| !is_part(it));
            let mut depth = 0_i32;
            let end = item.find(|it| {
                match it {
                    '{' | '(' | '[' => depth += 1,
                    '}' | ')' | ']' => depth -= 1,
                    _ => {}
                }
                depth < 0 || depth == 0 && it == ';'
            });
            let is_one = is_begun && matches!(words.next(), Some("const" | "static"));
            let is_function = matches!(words.next(), Some("fn" | "unsafe" | "extern" | "async"));
            let item = &item[..end.unwrap_or(item.len())];
            if is_one && !is_function && item.split(|it| !is_part(it)).any(|word| word == name) {
                return Some(item);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_looked_at_to_their_ends() {
        let found = |text, name| constants_with(text, name).collect::<Vec<_>>();
        let text = "fn f() { const A: u8 = { let x = 1; add(x) }; other(A); }";
        assert_eq!(found(text, "add"), ["const A: u8 = { let x = 1; add(x) }"]);
        assert!(found(text, "other").is_empty());
        assert!(found("fn f() { constant(add()); }", "add").is_empty());
        assert!(found("const fn f() { add() } fn g() { add() }", "add").is_empty());
        let text = "static B: [u8; add(1)] = [0; 2];";
        assert_eq!(found(text, "add"), [text.trim_end_matches(';')]);
        assert_eq!(
            found("let x = const { add(1) };", "add"),
            ["const { add(1) }"]
        );
    }
}
