//! Which survivors to look at first.

use std::cmp::Reverse;

use testsmith_record::{MutantReport, Status};

/// Those that change most come first, then by their place.
pub(crate) fn ranked<'m>(mutants: impl Iterator<Item = &'m MutantReport>) -> Vec<&'m MutantReport> {
    let mut mutants: Vec<&MutantReport> = mutants.collect();
    mutants.sort_by_key(|it| {
        let impact = it.impact.unwrap_or_default();
        (
            Reverse(impact.weight()),
            &it.file,
            it.line,
            it.column,
            it.id,
        )
    });
    mutants
}

/// One of these statuses.
pub(crate) fn with_status(mutants: &[MutantReport], status: Status) -> Vec<&MutantReport> {
    ranked(mutants.iter().filter(|it| it.status == status))
}

/// What it does, in a line.
pub(crate) fn words(mutant: &MutantReport) -> String {
    let shown = |text: &str| match text.is_empty() {
        true => "nothing".to_owned(),
        false => format!(
            "`{}`",
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        ),
    };
    format!(
        "{} -> {} in {}",
        shown(&mutant.original),
        shown(&mutant.replacement),
        mutant.function
    )
}
