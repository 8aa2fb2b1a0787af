//! Which survivors to look at first.

use std::cmp::Reverse;

use crate::record::Mutant;

/// Those that change most come first, then by their place.
pub(crate) fn ranked<'m>(mutants: impl Iterator<Item = &'m Mutant>) -> Vec<&'m Mutant> {
    let mut mutants: Vec<&Mutant> = mutants.collect();
    mutants.sort_by_key(|it| {
        let impact = it.impact.unwrap_or_default();
        let impact = (impact.functions + impact.values, impact.regions);
        (Reverse(impact), &it.file, it.line, it.column, it.id)
    });
    mutants
}

/// One of these statuses.
pub(crate) fn with_status<'m>(mutants: &'m [Mutant], status: &str) -> Vec<&'m Mutant> {
    ranked(mutants.iter().filter(|it| it.status == status))
}

/// What it does, in a line.
pub(crate) fn words(mutant: &Mutant) -> String {
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
