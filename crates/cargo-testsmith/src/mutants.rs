//! What `cargo testsmith mutants` prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use testsmith_mutation::{ChangedLines, Choice, changed_lines};
use testsmith_record::{Impact, MutantReport, MutantsReport, Status, VerificationReport};

use crate::arguments::Arguments;
use crate::exit::{self, Failure};
use crate::summary::Row;

/// The lines that a diff changes; `-` is standard input.
pub(crate) fn diff(path: Option<&Path>) -> Result<Option<ChangedLines>, Failure> {
    let Some(path) = path else {
        return Ok(None);
    };
    let failure = |problem: String| Failure {
        message: format!("cannot use the diff {}: {problem}", path.display()),
        advice: Some(
            "name a file that `git diff` wrote, or `-` and pipe its output here".to_owned(),
        ),
        code: exit::USAGE,
    };
    let mut text = String::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().read_to_string(&mut text).map(drop),
        false => fs::read_to_string(path).map(|it| text = it),
    };
    read.map_err(|error| failure(error.to_string()))?;
    match changed_lines(&text) {
        Some(lines) => Ok(Some(lines)),
        None => Err(failure("it is no unified diff".to_owned())),
    }
}

/// Puts records together, and says what they say. Returns the exit code.
pub(crate) fn merge(
    arguments: &Arguments,
    paths: &[PathBuf],
    fail_under: Option<f64>,
) -> Result<u8, Failure> {
    let failure = |message: String| Failure {
        message,
        advice: Some("name records that `cargo testsmith mutants --json FILE` wrote".to_owned()),
        code: exit::USAGE,
    };
    crate::check_json(arguments.json.as_deref())?;
    let mut records = Vec::new();
    for path in paths {
        let broken = |why: String| failure(format!("cannot read {}: {why}", path.display()));
        let bytes = fs::read(path).map_err(|error| broken(error.to_string()))?;
        let record: MutantsReport =
            serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))?;
        if record.kind != "mutants" {
            return Err(broken("it is no record of `mutants`".to_owned()));
        }
        records.push(record);
    }
    let merged = testsmith_mutation::merge(records).map_err(|error| failure(error.to_string()))?;
    let telling = Telling {
        verbose: arguments.verbose,
        ..Telling::default()
    };
    crate::say(&text(&merged, telling));
    crate::write_json(arguments.json.as_deref(), &merged)?;
    Ok(row(&merged, fail_under).code)
}

/// A file that is not there has no mutants, but that is not what was meant.
pub(crate) fn check_files(choice: &Choice, report: &MutantsReport) -> Result<(), Failure> {
    let files: Vec<&str> = report.sources.iter().map(|it| it.path.as_str()).collect();
    let unmatched = choice.unmatched(&files);
    if unmatched.is_empty() {
        return Ok(());
    }
    Err(Failure {
        message: format!(
            "no file of package `{}` is meant by --file {}",
            report.package,
            unmatched.join(", ")
        ),
        advice: Some(format!("these have code: {}", files.join(", "))),
        code: exit::USAGE,
    })
}

/// How much is said, and of what.
#[derive(Clone, Copy, Default)]
pub(crate) struct Telling {
    /// Only which there are.
    pub(crate) is_list: bool,
    pub(crate) verbose: bool,
    /// Were those asked for that nobody had noticed?
    pub(crate) survivors: bool,
}

/// What became of the mutants, survivors first; or a list of them.
pub(crate) fn text(report: &MutantsReport, telling: Telling) -> String {
    let Telling {
        is_list, verbose, ..
    } = telling;
    let mut out = String::new();
    match is_list {
        true => list(report, verbose, &mut out),
        false => verdicts(report, telling, &mut out),
    }
    for (why, n) in &report.left_out {
        if is_list || verbose {
            let _ = writeln!(out, "  left out    {n} × {why}");
        }
    }
    verification(&report.verification, &mut out);
    out
}

fn place(mutant: &MutantReport) -> String {
    format!(
        "{}:{}:{} in {}: {} `{}` -> `{}`",
        mutant.file,
        mutant.line,
        mutant.column,
        mutant.function,
        mutant.operator,
        mutant.original,
        mutant.replacement
    )
}

/// The mutants, a line each, and how many of each family there are. What rustc refused is listed on
/// request.
fn list(report: &MutantsReport, verbose: bool, out: &mut String) {
    for mutant in &report.mutants {
        let is_refused = mutant.status == Status::Unviable;
        if is_refused && !verbose {
            continue;
        }
        let _ = writeln!(out, "{}", place(mutant));
        if let Some(reason) = &mutant.reason {
            let _ = writeln!(out, "    {}: {reason}", mutant.status.name());
        }
    }
    let n_refused = report.n(Status::Unviable);
    let _ = writeln!(
        out,
        "\n{} {}: {} mutants, {n_refused} more that rustc refused; {} rounds of cargo check",
        report.package,
        report.version,
        report.mutants.len() - n_refused,
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
}

/// What a survivor changed, in words.
fn changed(impact: Impact) -> String {
    let functions = |n: usize| match n {
        1 => "1 function".to_owned(),
        n => format!("{n} functions"),
    };
    match (impact.functions, impact.values) {
        (0, 0) => "; nothing went another way".to_owned(),
        (0, n) => format!("; {} returned something else", functions(n)),
        (n, 0) => format!("; {} went another way", functions(n)),
        (n, values) => {
            format!(
                "; {} went another way, {values} returned something else",
                functions(n)
            )
        }
    }
}

fn verdicts(report: &MutantsReport, telling: Telling, out: &mut String) {
    let mut survivors: Vec<&MutantReport> = of(report, Status::Survived).collect();
    let weight = |it: &MutantReport| it.impact.unwrap_or_default().weight();
    survivors.sort_by_key(|it| std::cmp::Reverse(weight(it)));
    for mutant in survivors {
        let _ = writeln!(out, "survived   {}", place(mutant));
        let tests = match mutant.reached_by.len() {
            1 => format!("reached by {}", mutant.reached_by[0]),
            n => format!("reached by {n} tests, {} first", mutant.reached_by[0]),
        };
        let changed = mutant.impact.map_or(String::new(), changed);
        let _ = writeln!(out, "           {tests}{changed}");
    }
    let mut unreached: BTreeMap<(&str, &str), Vec<&MutantReport>> = BTreeMap::new();
    for mutant in of(report, Status::Unreached) {
        let function = (mutant.file.as_str(), mutant.function.as_str());
        unreached.entry(function).or_default().push(mutant);
    }
    for ((file, function), mutants) in unreached {
        let (n, line) = (mutants.len(), mutants[0].line);
        let mutants = if n == 1 { "mutant" } else { "mutants" };
        let _ = writeln!(
            out,
            "unreached  {file}:{line} in {function}: {n} {mutants} where no test goes"
        );
    }
    if telling.survivors && !telling.verbose {
        for mutant in of(report, Status::Killed) {
            let by = mutant.killed_by.first().map_or("", String::as_str);
            let _ = writeln!(out, "killed now {}\n           by {by}", place(mutant));
        }
    }
    if telling.verbose {
        for mutant in &report.mutants {
            let why = match (&mutant.killed_by[..], &mutant.reason) {
                ([test, ..], _) => test.as_str(),
                ([], Some(reason)) => reason,
                ([], None) => continue,
            };
            let status = mutant.status.name();
            let _ = writeln!(out, "{status:<10} {}\n           {why}", place(mutant));
        }
    }
    summary(report, telling, out);
}

fn summary(report: &MutantsReport, telling: Telling, out: &mut String) {
    let n = |status| report.n(status);
    let of = n(Status::Killed) + n(Status::Survived) + n(Status::Unreached);
    let n_killed = n(Status::Killed);
    let score = match report.score {
        None => "no mutants to kill".to_owned(),
        Some(_) if telling.survivors => {
            format!("{n_killed} of {of} mutants that no test had noticed are killed now")
        }
        Some(score) => format!("{n_killed} of {of} mutants killed, {:.1} %", score * 100.0),
    };
    let _ = writeln!(out, "\n{} {}: {score}", report.package, report.version);
    let others = [
        Status::Survived,
        Status::Unreached,
        Status::Equivalent,
        Status::Suppressed,
        Status::Unviable,
        Status::Pending,
    ];
    let others = others.into_iter().filter(|it| n(*it) > 0);
    let others: Vec<String> = others
        .map(|it| format!("{} {}", n(it), it.name()))
        .collect();
    if !others.is_empty() {
        let _ = writeln!(out, "  {}", others.join(", "));
    }
    if report.not_asked > 0 {
        let _ = writeln!(out, "  {} more were not asked for", report.not_asked);
    }
    if report.reused > 0 {
        let _ = writeln!(
            out,
            "  {} verdicts are of an earlier run: neither the function nor its tests have changed",
            report.reused
        );
    }
    let n_asked = report
        .tests
        .iter()
        .filter(|it| it.status == "passed")
        .count();
    let n_docs = report.tests.iter().filter(|it| it.target == "doc").count();
    let _ = match report.seconds.is_empty() {
        true => writeln!(
            out,
            "  nothing has changed, so none of {n_asked} tests was asked"
        ),
        false => writeln!(
            out,
            "  {n_asked} tests were asked, {n_docs} of them in the documentation"
        ),
    };
    let mut unfit: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for test in &report.tests {
        if let Some(reason) = &test.reason {
            unfit.entry(reason).or_default().push(&test.name);
        }
    }
    for (reason, tests) in unfit {
        let (n, first) = (tests.len(), tests[0]);
        let shown = match n {
            1 => first.to_owned(),
            n => format!("{n} tests, {first} the first"),
        };
        let _ = writeln!(out, "  not asked: {shown}: {reason}");
    }
    let stages = report.seconds.iter();
    let stages: Vec<String> = stages
        .map(|(stage, n)| format!("{stage} {n:.1} s"))
        .collect();
    if !stages.is_empty() {
        let _ = writeln!(out, "  {}", stages.join(", "));
    }
    if report.interrupted {
        let _ = writeln!(
            out,
            "  interrupted: run it again, and what is known is not asked again"
        );
    }
}

fn of(report: &MutantsReport, status: Status) -> impl Iterator<Item = &MutantReport> {
    report.mutants.iter().filter(move |it| it.status == status)
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

fn by_operator(mutants: &[MutantReport]) -> BTreeMap<&str, (usize, usize)> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for mutant in mutants {
        let (accepted, refused) = counts.entry(&mutant.operator).or_default();
        match mutant.status {
            Status::Unviable => *refused += 1,
            _ => *accepted += 1,
        }
    }
    counts
}

/// How many were refused for an error in their own code, and how many for another reason.
fn by_reason(mutants: &[MutantReport]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for about in mutants.iter().filter_map(|it| it.refused_for.as_deref()) {
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
pub(crate) fn row(report: &MutantsReport, fail_under: Option<f64>) -> Row {
    let score = report.score.map(|it| it * 100.0);
    let text = match score {
        Some(score) => format!("{score:.1} % of mutants killed"),
        None => format!("{} mutants", report.mutants.len()),
    };
    let verified = &report.verification.verified;
    if !verified.iter().all(|it| it.agrees) {
        return Row::failed(
            &report.package,
            exit::INTERNAL,
            "a mutant is not what it says it is",
        );
    }
    if report.interrupted {
        return Row::failed(&report.package, exit::INTERRUPTED, &text);
    }
    match (score, fail_under) {
        (Some(score), Some(least)) if score < least => {
            let text = format!("{text}, less than {least} %");
            Row::failed(&report.package, exit::BELOW, &text)
        }
        _ => Row::done(&report.package, text),
    }
}
