//! What `cargo testsmith mutants` prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use testsmith_record::{
    FixReport, Impact, MutantReport, MutantsReport, OwnTestStatus, RefusedFor, Status,
    VerificationReport,
};

/// How much is said, and of what.
#[derive(Clone, Copy, Default)]
pub(crate) struct Telling {
    /// Is it only said which mutants there are?
    pub(crate) is_list: bool,
    /// Is everything said?
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
    if let Some(fix) = &report.fix {
        fixed(fix, &mut out);
    }
    out
}

/// What came of writing tests for what no test noticed.
fn fixed(fix: &FixReport, out: &mut String) {
    if fix.asked == 0 {
        let _ = writeln!(
            out,
            "  fixed       nothing: no mutant that tests could notice is alive"
        );
        return;
    }
    let _ = writeln!(
        out,
        "  fixed       {} of {} that no test noticed, by {} tests",
        fix.killed.len(),
        fix.asked,
        fix.tests.len()
    );
    for file in &fix.files {
        let _ = writeln!(out, "              {} ({})", file.path, file.status);
    }
    let stops = fix.stops.iter();
    let mut rest: Vec<String> = stops.map(|(stop, n)| format!("{n} {stop}")).collect();
    if fix.unconfirmed > 0 {
        rest.push(format!(
            "{} that its test does not notice after all",
            fix.unconfirmed
        ));
    }
    if !rest.is_empty() {
        let _ = writeln!(out, "  alive       {}", rest.join(", "));
    }
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

/// What tests said of the mutants, and the summary.
fn verdicts(report: &MutantsReport, telling: Telling, out: &mut String) {
    survived(report, out);
    unreached(report, out);
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
    } else if telling.survivors {
        for mutant in of(report, Status::Killed) {
            let by = mutant.killed_by.first().map_or("", String::as_str);
            let _ = writeln!(out, "killed now {}\n           by {by}", place(mutant));
        }
    }
    summary(report, telling, out);
}

/// Survivors, those first that changed most without being noticed.
fn survived(report: &MutantsReport, out: &mut String) {
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
}

/// What no test goes to, a line for each function: all its mutants lack the same test.
fn unreached(report: &MutantsReport, out: &mut String) {
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
}

/// The score, what became of the others, and what was asked.
fn summary(report: &MutantsReport, telling: Telling, out: &mut String) {
    let n = |status| report.n(status);
    let n_killed = n(Status::Killed);
    let of = n_killed + n(Status::Survived) + n(Status::Unreached);
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
    asked(report, out);
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

/// How many tests were asked, and why the others were not.
fn asked(report: &MutantsReport, out: &mut String) {
    let asked = report
        .tests
        .iter()
        .filter(|it| it.status == OwnTestStatus::Passed);
    let n_asked = asked.count();
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
    for about in mutants.iter().filter_map(|it| it.refused_for) {
        let words = match about {
            RefusedFor::Itself => "an error in its own code",
            RefusedFor::Around => "an error around it",
            RefusedFor::Constant => "a constant that is computed with its function",
            RefusedFor::Unknown => "an error that another version tells of",
        };
        *counts.entry(words).or_default() += 1;
    }
    counts
}

#[cfg(test)]
pub(crate) mod tests {
    use testsmith_record::{OwnTestReport, Timed, Verified};

    use super::*;

    fn mutant(line: usize, status: Status) -> MutantReport {
        MutantReport {
            file: "src/lib.rs".to_owned(),
            line,
            column: 5,
            function: "half".to_owned(),
            operator: "arithmetic".to_owned(),
            original: "/".to_owned(),
            replacement: "*".to_owned(),
            status,
            ..MutantReport::default()
        }
    }

    fn own_test(name: &str, status: OwnTestStatus, reason: Option<&str>) -> OwnTestReport {
        OwnTestReport {
            name: name.to_owned(),
            target: "lib".to_owned(),
            status,
            reason: reason.map(str::to_owned),
            ..OwnTestReport::default()
        }
    }

    /// One mutant of each of four kinds.
    pub(crate) fn report() -> MutantsReport {
        let mut killed = mutant(1, Status::Killed);
        killed.killed_by = vec!["lib tests::halves".to_owned()];
        let mut survived = mutant(2, Status::Survived);
        survived.reached_by = vec!["lib tests::a".to_owned(), "lib tests::b".to_owned()];
        survived.impact = Some(Impact {
            functions: 1,
            regions: 1,
            values: 2,
        });
        let mut refused = mutant(4, Status::Unviable);
        refused.reason = Some("mismatched types".to_owned());
        refused.refused_for = Some(RefusedFor::Itself);
        let unreached = mutant(3, Status::Unreached);
        let mut report = MutantsReport {
            package: "small".to_owned(),
            version: "0.1.0".to_owned(),
            mutants: vec![killed, survived, unreached, refused],
            tests: vec![
                own_test("lib tests::halves", OwnTestStatus::Passed, None),
                own_test(
                    "lib tests::slow",
                    OwnTestStatus::Ignored,
                    Some("it is ignored"),
                ),
            ],
            seconds: [(Timed::Build, 1.25)].into(),
            rounds: 2,
            types: 3,
            ..MutantsReport::default()
        };
        report.count();
        report
    }

    #[test]
    fn survivors_come_first_and_what_no_test_reaches_is_counted() {
        let expected = "\
survived   src/lib.rs:2:5 in half: arithmetic `/` -> `*`
           reached by 2 tests, lib tests::a first; 1 function went another way, 2 returned something else
unreached  src/lib.rs:3 in half: 1 mutant where no test goes

small 0.1.0: 1 of 3 mutants killed, 33.3 %
  1 survived, 1 unreached, 1 unviable
  1 tests were asked, 0 of them in the documentation
  not asked: lib tests::slow: it is ignored
  build 1.2 s
";
        assert_eq!(text(&report(), Telling::default()), expected);
    }

    #[test]
    fn a_list_counts_what_rustc_refused() {
        let telling = Telling {
            is_list: true,
            ..Telling::default()
        };
        let expected = "\
src/lib.rs:1:5 in half: arithmetic `/` -> `*`
src/lib.rs:2:5 in half: arithmetic `/` -> `*`
src/lib.rs:3:5 in half: arithmetic `/` -> `*`

small 0.1.0: 3 mutants, 1 more that rustc refused; 2 rounds of cargo check
  arithmetic        3   refused     1
  types             3   refused     0
  equalities        0   derived     0
  refused     1 × an error in its own code
";
        assert_eq!(text(&report(), telling), expected);
    }

    #[test]
    fn survivors_of_the_last_time_are_killed_now() {
        let telling = Telling {
            survivors: true,
            ..Telling::default()
        };
        let text = text(&report(), telling);
        assert!(text.contains("           by lib tests::halves\n"), "{text}");
        let score = "1 of 3 mutants that no test had noticed are killed now";
        assert!(text.contains(score), "{text}");
    }

    #[test]
    fn mutants_that_are_something_else_when_edited_in_are_named() {
        let verified = |name: &str, copied: &str| Verified {
            id: 1,
            name: name.to_owned(),
            agrees: copied == "tests::halves fails",
            edited: "tests::halves fails".to_owned(),
            copied: copied.to_owned(),
            status: Status::Killed,
        };
        let report = VerificationReport {
            verified: vec![
                verified("one", "tests::halves fails"),
                verified("two", "not noticed"),
            ],
            alone: Vec::new(),
        };
        let mut out = String::new();
        verification(&report, &mut out);
        let expected = "\
edited in: agreed 1 of 2; own tests notice 1
  two
    edited in: tests::halves fails
    in the copy: not noticed
";
        assert_eq!(out, expected);
    }

    #[test]
    fn what_was_fixed_is_told_with_what_is_left() {
        let mut out = String::new();
        let file = testsmith_record::FileReport {
            path: "tests/testsmith_mutants.rs".to_owned(),
            status: testsmith_record::FileStatus::Written,
            ..Default::default()
        };
        let fix = FixReport {
            asked: 9,
            killed: vec!["a".to_owned(), "b".to_owned()],
            unconfirmed: 1,
            files: vec![file],
            stops: [(testsmith_record::Stop::NotSeen, 6)].into(),
            ..FixReport::default()
        };
        fixed(&fix, &mut out);
        let expected = "  \
  fixed       2 of 9 that no test noticed, by 0 tests
              tests/testsmith_mutants.rs (written)
  alive       6 not seen, 1 that its test does not notice after all
";
        assert_eq!(out, expected);
        fixed(&FixReport::default(), &mut out);
        assert!(out.contains("nothing: no mutant"), "{out}");
    }
}
