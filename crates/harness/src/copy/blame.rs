//! Finds out which mutants an error of rustc's is about.

use std::collections::BTreeMap;
use std::path::Path;

use testsmith_instrument::{
    Contents, FunctionId, Generated, Mutant, MutantId, Rewriter, RewrittenFile,
};
use testsmith_project::{Diagnostic, Span};

use super::{About, Refusal};

/// Is rustc's error about the module that the rewriter adds, or about unstable features?
pub(super) fn is_ours(files: &[RewrittenFile], errors: &[Diagnostic]) -> bool {
    let is_ours = |error: &Diagnostic| {
        let mut spans = error.spans.iter().filter(|span| span.primary);
        // Of errors without a place, the last one only counts the others.
        let is_last = error.message.starts_with("aborting due to");
        error.code == "E0554"
            || error.code.is_empty() && error.spans.is_empty() && !is_last
            || spans.any(|span| {
                let file = file_of(files, &span.file);
                file.is_some_and(|file| span.bytes.start >= file.own)
            })
    };
    errors.is_empty() || errors.iter().any(is_ours)
}

/// The generated code for types that errors are about.
pub(super) fn refused(
    files: &[RewrittenFile],
    errors: &[Diagnostic],
) -> BTreeMap<Generated, String> {
    let mut found = BTreeMap::new();
    for error in errors {
        if let Some(generated) = generated(files, error) {
            found.entry(generated).or_insert_with(|| said(error));
        }
    }
    found
}

/// The generated code for a type that an error points at.
fn generated(files: &[RewrittenFile], error: &Diagnostic) -> Option<Generated> {
    let mut spans = error.spans.iter().filter(|span| span.primary);
    spans.find_map(|span| file_of(files, &span.file)?.generated_at(&span.bytes))
}

/// The functions whose notes of returned values have errors. `None` if an error is elsewhere.
pub(super) fn silenced(
    files: &[RewrittenFile],
    errors: &[Diagnostic],
) -> Option<BTreeMap<FunctionId, String>> {
    let mut found = BTreeMap::new();
    for error in errors.iter().filter(|it| !it.spans.is_empty()) {
        let at = |span: &Span| file_of(files, &span.file)?.returned_at(&span.bytes);
        let (primary, other): (Vec<&Span>, Vec<&Span>) =
            error.spans.iter().partition(|span| span.primary);
        let id = primary.into_iter().chain(other).find_map(at)?;
        found.insert(id, said(error));
    }
    Some(found)
}

fn said(error: &Diagnostic) -> String {
    format!("{} {}", error.code, error.message)
        .trim()
        .to_owned()
}

/// The mutants that errors are about. An error that is in no mutant's code is blamed on a mutant
/// that it spans, or else on the removal of a statement of its function, or else on any mutant of
/// that function.
pub(super) fn blamed(
    rewriter: &Rewriter,
    kept: &Contents,
    errors: &[Diagnostic],
) -> BTreeMap<MutantId, Refusal> {
    let files = rewriter.render(kept);
    let mut found: BTreeMap<MutantId, Refusal> = BTreeMap::new();
    for error in errors {
        if generated(&files, error).is_some() {
            continue;
        }
        let (about, ids) = one(rewriter, kept, &files, error);
        let said = said(error);
        for id in ids {
            let refusal = Refusal {
                said: said.clone(),
                about,
            };
            match found.get(&id) {
                Some(known) if about == About::Around || known.about == About::Itself => {}
                _ => drop(found.insert(id, refusal)),
            }
        }
    }
    found
}

fn one(
    rewriter: &Rewriter,
    kept: &Contents,
    files: &[RewrittenFile],
    error: &Diagnostic,
) -> (About, Vec<MutantId>) {
    if error.code == "E0015" && !kept.constants {
        let is_left = |id: &MutantId| !kept.dropped.contains(id);
        let ids = needed_in_constants(rewriter.mutants(), &is_left, &error.message);
        if !ids.is_empty() {
            return (About::Constant, ids);
        }
    }
    // A span of no length shows no place.
    let placed = error.spans.iter().filter(|span| !span.bytes.is_empty());
    let mut spans = placed.filter_map(|span| Some((file_of(files, &span.file)?, span)));
    let Some((file, span)) = spans.clone().find(|(_, span)| span.primary) else {
        let ids = spans.find_map(|(file, span)| below(rewriter, kept, &file.path, span));
        return (About::Around, ids.unwrap_or_default());
    };
    if let Some(place) = file.guilty(&span.bytes) {
        let about = match place.is_own {
            true => About::Itself,
            false => About::Around,
        };
        return (about, place.mutants.clone());
    }
    let within = file.within(&span.bytes);
    match within.is_empty() {
        true => (
            About::Around,
            suspects(rewriter, kept, &file.path, span, error),
        ),
        false => (About::Around, within),
    }
}

/// The mutants of the function that cannot be called in a constant, as an error says.
pub(super) fn needed_in_constants(
    mutants: &[Mutant],
    is_left: &dyn Fn(&MutantId) -> bool,
    message: &str,
) -> Vec<MutantId> {
    let called = message.split('`').nth(1).unwrap_or_default();
    let called = segments(called);
    let freed = |ends_alike: &dyn Fn(&Mutant) -> bool| {
        let mutants = mutants.iter().zip(1..);
        let of_it = mutants.filter(|(mutant, _)| mutant.is_freed && ends_alike(mutant));
        let ids = of_it.map(|(_, id)| MutantId(id));
        let left = ids.filter(|id| is_left(id));
        left.collect::<Vec<MutantId>>()
    };
    // The function is looked for with its type first. The type may have another name in the
    // message.
    let exactly = freed(&|it| alike(&segments(&it.function), &called, 2));
    match exactly.is_empty() {
        true => freed(&|it| alike(&segments(&it.function), &called, 1)),
        false => exactly,
    }
}

/// Do the last `n` segments agree, as far as both paths have them?
fn alike(one: &[String], other: &[String], n: usize) -> bool {
    let mut pairs = one.iter().rev().zip(other.iter().rev()).take(n);
    !other.is_empty() && pairs.all(|(one, other)| one == other)
}

/// The segments of a path without generic arguments: `Slab` and `new` for `Slab::<T>::new`.
fn segments(path: &str) -> Vec<String> {
    let mut depth = 0_u32;
    let mut plain = String::new();
    for c in path.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let segments = plain.split("::").map(str::trim);
    segments
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

fn file_of<'f>(files: &'f [RewrittenFile], name: &str) -> Option<&'f RewrittenFile> {
    files
        .iter()
        .find(|file| Path::new(name).ends_with(&file.path))
}

/// The mutants of the first function below the place that an error mentions.
fn below(rewriter: &Rewriter, kept: &Contents, file: &Path, at: &Span) -> Option<Vec<MutantId>> {
    let line = at.line as usize;
    let left = left(rewriter, kept, file);
    let below = left.iter().filter(|id| rewriter.mutant(**id).line >= line);
    let nearest = below.min_by_key(|id| rewriter.mutant(**id).line)?;
    let function = &rewriter.mutant(*nearest).function;
    let there = |id: &&MutantId| rewriter.mutant(**id).function == *function;
    Some(left.iter().filter(there).copied().collect())
}

/// The mutants of a file that are in the copy.
fn left(rewriter: &Rewriter, kept: &Contents, file: &Path) -> Vec<MutantId> {
    let ids = (1..=rewriter.mutants().len() as u32).map(MutantId);
    ids.filter(|id| !kept.dropped.contains(id) && rewriter.mutant(*id).file == file)
        .collect()
}

/// Mutants in the function around an error: those that remove an assignment to the variable that
/// the error names, or else those that remove anything, or else any.
fn suspects(
    rewriter: &Rewriter,
    kept: &Contents,
    file: &Path,
    at: &Span,
    error: &Diagnostic,
) -> Vec<MutantId> {
    let line = at.line as usize;
    let left = left(rewriter, kept, file);
    // It is the function of the nearest mutant above.
    let above = left.iter().filter(|id| rewriter.mutant(**id).line <= line);
    let nearest = above.max_by_key(|id| rewriter.mutant(**id).line);
    let Some(function) = nearest.map(|id| &rewriter.mutant(*id).function) else {
        return left.first().copied().into_iter().collect();
    };
    let there = |id: &&MutantId| rewriter.mutant(**id).function == *function;
    let deleted = |id: &&MutantId| rewriter.mutant(**id).operator == "statement";
    let all: Vec<MutantId> = left.iter().filter(there).copied().collect();
    let deletions: Vec<MutantId> = all.iter().filter(deleted).copied().collect();
    let named = error.message.split('`').nth(1).unwrap_or_default();
    let assigns = |id: &&MutantId| assigns(&rewriter.mutant(**id).original, named);
    let assignments: Vec<MutantId> = deletions.iter().filter(assigns).copied().collect();
    let groups = [assignments, deletions, all];
    groups
        .into_iter()
        .find(|it| !it.is_empty())
        .unwrap_or_default()
}

/// Is the statement an assignment to this name?
fn assigns(statement: &str, named: &str) -> bool {
    let rest = statement.strip_prefix(named).map(str::trim_start);
    !named.is_empty() && rest.is_some_and(|it| it.starts_with('=') && !it.starts_with("=="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_told_by_what_they_begin_with() {
        assert!(assigns("end = self.len;", "end"));
        assert!(!assigns("end == self.len;", "end"));
        assert!(!assigns("ending = self.len;", "end"));
        assert!(!assigns("= 1;", ""));
    }

    #[test]
    fn paths_are_compared_without_their_arguments() {
        assert_eq!(segments("Slab::<(usize, Vec<u8>)>::new"), ["Slab", "new"]);
        assert_eq!(segments("date::<Date as Trait>::new"), ["date", "new"]);
        let called = segments("Slab::<T>::new");
        assert!(alike(&segments("inner::Slab<T>::new"), &called, 2));
        assert!(!alike(&segments("inner::Iter<T>::new"), &called, 2));
        assert!(alike(&segments("inner::Iter<T>::new"), &called, 1));
        assert!(alike(&segments("inner::new"), &segments("new"), 2));
    }
}
