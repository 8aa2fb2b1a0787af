//! What `cargo testsmith mutants` prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use testsmith_pipeline::{MutantReport, MutantsReport, VerificationReport};

use crate::exit;
use crate::summary::Row;

/// The mutants, a line each, and how many of each family there are. What rustc refused is listed on
/// request.
pub(crate) fn text(report: &MutantsReport, verbose: bool) -> String {
    let mut out = String::new();
    for mutant in report
        .mutants
        .iter()
        .filter(|it| verbose || it.refused.is_none())
    {
        let _ = writeln!(
            out,
            "{}:{} in {}: {} `{}` -> `{}`",
            mutant.file,
            mutant.line,
            mutant.function,
            mutant.operator,
            mutant.original,
            mutant.replacement
        );
        if let Some(refused) = &mutant.refused {
            let _ = writeln!(out, "    left out: {refused}");
        }
    }
    let _ = writeln!(
        out,
        "\n{} {}: {} mutants, {} more that rustc refused; {} rounds of cargo check",
        report.package,
        report.version,
        n_accepted(report),
        report.mutants.len() - n_accepted(report),
        report.rounds
    );
    for (operator, (n, n_refused)) in by_operator(&report.mutants) {
        let _ = writeln!(out, "  {operator:<12} {n:>6}   refused {n_refused:>5}");
    }
    let _ = writeln!(
        out,
        "  types        {:>6}   refused {:>5}",
        report.types,
        report.opaque.len()
    );
    let _ = writeln!(
        out,
        "  equalities   {:>6}   derived {:>5}",
        report.written_out,
        report.derived.len()
    );
    for (about, n) in by_reason(&report.mutants) {
        let _ = writeln!(out, "  refused     {n} × {about}");
    }
    for (why, n) in &report.left_out {
        let _ = writeln!(out, "  left out    {n} × {why}");
    }
    verification(&report.verification, &mut out);
    out
}

/// What editing mutants in said of them.
fn verification(report: &VerificationReport, out: &mut String) {
    let (verified, refused) = (&report.verified, &report.alone);
    if !verified.is_empty() {
        let n_agreed = verified.iter().filter(|it| it.agrees).count();
        let n_noticed = verified.iter().filter(|it| it.copied != "not noticed");
        let _ = writeln!(
            out,
            "edited in: agreed {n_agreed} of {}; own tests notice {}",
            verified.len(),
            n_noticed.count()
        );
    }
    for it in verified.iter().filter(|it| !it.agrees) {
        let (edited, copied) = (&it.edited, &it.copied);
        let _ = writeln!(
            out,
            "  {}\n    edited in: {edited}\n    in the copy: {copied}",
            it.name
        );
    }
    let alone = refused.iter().filter(|it| it.compiles);
    if !refused.is_empty() {
        let (n, of) = (alone.clone().count(), refused.len());
        let _ = writeln!(out, "refused: {n} of {of} compile alone");
    }
    for it in alone {
        let _ = writeln!(out, "  {}", it.name);
    }
}

fn n_accepted(report: &MutantsReport) -> usize {
    let accepted = report.mutants.iter().filter(|it| it.refused.is_none());
    accepted.count()
}

fn by_operator(mutants: &[MutantReport]) -> BTreeMap<&str, (usize, usize)> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for mutant in mutants {
        let (accepted, refused) = counts.entry(mutant.operator).or_default();
        match mutant.refused {
            None => *accepted += 1,
            Some(_) => *refused += 1,
        }
    }
    counts
}

/// How many were refused for an error in their own code, and how many for another reason.
fn by_reason(mutants: &[MutantReport]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for about in mutants.iter().filter_map(|it| it.refused_for) {
        let words = match about {
            "itself" => "an error in its own code",
            "around" => "an error around it",
            _ => "a constant that is computed with its function",
        };
        *counts.entry(words).or_default() += 1;
    }
    counts
}

/// A line of the table of several packages.
pub(crate) fn row(report: &MutantsReport) -> Row {
    let text = format!("{} mutants", n_accepted(report));
    let verified = &report.verification.verified;
    match verified.iter().all(|it| it.agrees) {
        true => Row::done(&report.package, text),
        false => Row::failed(
            &report.package,
            exit::INTERNAL,
            "a mutant is not what it says it is",
        ),
    }
}
