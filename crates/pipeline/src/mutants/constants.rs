//! Functions that tests compute constants with: the compiler runs them then, and no mutant is active.

use std::collections::BTreeSet;
use std::path::Path;

use testsmith_harness::{About, Copied, MutantId};

use super::digests;
use super::own::Bench;
use super::report::{MutantsReport, Status};
use crate::PipelineError;
use crate::verify::run;

/// What is said of such mutants.
const WHY: &str = "a test computes a constant with its function, where nothing can be decided";

/// Takes back what was said of mutants that were not noticed, if tests compute constants with their
/// functions: edited in, they might have been.
pub(crate) fn take_back(
    report: &mut MutantsReport,
    bench: &Bench<'_>,
    copied: &Copied,
) -> Result<(), PipelineError> {
    let texts = texts(&bench.twin.package);
    let is_doubtful = |id: &MutantId| {
        let mutant = copied.mutant(*id);
        let name = mutant.function.rsplit("::").next().unwrap_or_default();
        mutant.is_freed && texts.iter().any(|it| names_in_constant(it, name))
    };
    let is_unnoticed = |status| matches!(status, Status::Survived | Status::Unreached);
    let unnoticed = report.mutants.iter().filter(|it| is_unnoticed(it.status));
    let doubtful: BTreeSet<MutantId> = unnoticed
        .map(|it| MutantId(it.id))
        .filter(is_doubtful)
        .collect();
    if doubtful.is_empty() || bench.is_cancelled() {
        return Ok(());
    }
    let found = bench.in_constants(copied)?;
    for mutant in &mut report.mutants {
        let id = MutantId(mutant.id);
        if doubtful.contains(&id) && found.contains(&id) {
            mutant.status = Status::Unviable;
            mutant.reason = Some(WHY.to_owned());
            mutant.refused_for = Some(About::Constant.name().to_owned());
            mutant.reused = false;
        }
    }
    Ok(())
}

impl Bench<'_> {
    /// Mutants of functions that tests compute constants with.
    fn in_constants(&self, copied: &Copied) -> Result<BTreeSet<MutantId>, PipelineError> {
        self.prepare(|dir, package| copied.freed(dir, package))?;
        let mut command = self.cargo("build");
        command.args(["--tests", "--keep-going"]);
        Ok(copied.in_constants(&run(&mut command)?.errors))
    }
}

/// The texts of files with tests.
fn texts(package: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for dir in ["tests", "src"] {
        digests::each_file(&package.join(dir), Path::new(""), &mut |path| {
            if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                let has_tests = dir == "tests" || text.contains("#[test]");
                texts.extend(has_tests.then_some(text));
            }
        });
    }
    texts
}

/// Is there a constant, or a static, with this word in what it is computed from? When in doubt, yes.
fn names_in_constant(text: &str, name: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let mut rest = text;
    while let Some(at) = rest
        .find("const")
        .into_iter()
        .chain(rest.find("static"))
        .min()
    {
        let item = &rest[at..];
        let word = item.split(|it| !is_part(it)).next();
        let is_word = !rest[..at].ends_with(is_part) && matches!(word, Some("const" | "static"));
        let mut depth = 0_i32;
        let end = item.find(|it| {
            match it {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ => {}
            }
            depth < 0 || depth == 0 && it == ';'
        });
        let item = &item[..end.unwrap_or(item.len())];
        if is_word && item.split(|it| !is_part(it)).any(|word| word == name) {
            return true;
        }
        rest = &rest[at + "const".len()..];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_looked_at_to_their_ends() {
        let text = "fn f() { const A: u8 = { let x = 1; add(x) }; other(A); }";
        assert!(names_in_constant(text, "add"));
        assert!(!names_in_constant(text, "other"));
        assert!(!names_in_constant("fn f() { constant(add()); }", "add"));
        assert!(names_in_constant("static B: [u8; add(1)] = [0; 2];", "add"));
        assert!(names_in_constant("let x = const { add(1) };", "add"));
    }
}
