//! What is said of the suite that was there: what changed, and what is proposed.

use std::fmt::Write as _;

use testsmith_record::{
    ChangedReport, CheckReport, ReasonedReport, ShowingReport, StandingReport, Timed,
};

/// Tests that show a change, of all that a short summary shows.
const MAX_SHOWN: usize = 8;
/// The most characters of a value in a short summary.
const MAX_VALUE: usize = 160;

/// What `--check` says.
pub(super) fn checked(report: &CheckReport, verbose: bool) -> String {
    let mut out = String::new();
    let seconds: f64 = report.seconds.values().sum();
    let standing = &report.standing;
    let _ = writeln!(
        out,
        "\n{} {}: {seconds:.1} s",
        report.package, report.version
    );
    told(&mut out, standing, verbose);
    let took = report.seconds.get(&Timed::Standing).copied().unwrap_or(0.0);
    if verbose {
        let _ = writeln!(
            out,
            "  time      compiling and running the suite {took:.1} s"
        );
    }
    out
}

/// What became of the suite that was there; nothing if there was none.
pub(super) fn told(out: &mut String, standing: &StandingReport, verbose: bool) {
    if standing.tests == 0 {
        return;
    }
    let n_changed = standing.n_open();
    let mut parts = vec![format!("{} hold", standing.held)];
    let mut part = |n: usize, what: &str| {
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    };
    part(n_changed, "show behaviour that changed");
    part(standing.rewritten.len(), "accepted");
    part(standing.taken_out.len(), "taken out");
    part(standing.fixed.len(), "fixed");
    part(standing.flickering.len(), "fail in some runs only");
    part(standing.untried.len(), "not run");
    part(standing.added.len(), "added");
    let persons = match standing.persons {
        0 => String::new(),
        n => format!(" ({n} a person's)"),
    };
    let fresh = match standing.fresh {
        true => ", and this run starts over",
        false => "",
    };
    let _ = writeln!(
        out,
        "  suite     {} tests were there{persons}{fresh}: {}",
        standing.tests,
        parts.join(", ")
    );
    changed(out, standing, verbose);
    names(out, "rewritten", &standing.rewritten, verbose);
    names(out, "taken out", &standing.taken_out, verbose);
    names(out, "fixed", &standing.fixed, verbose);
    names(out, "flickers", &standing.flickering, verbose);
    reasons(out, "not run", &standing.untried, verbose);
    names(out, "new", &standing.added, verbose);
    if !standing.proposed.is_empty() {
        reasons(out, "could go", &standing.proposed, verbose);
        let _ = writeln!(
            out,
            "            `cargo testsmith review` takes them out, one by one"
        );
    }
}

/// The behaviour that changed, with both values, and what can be done.
fn changed(out: &mut String, standing: &StandingReport, verbose: bool) {
    let n_max = if verbose { usize::MAX } else { MAX_SHOWN };
    let mut n_shown = 0;
    let mut n_more = 0;
    for ChangedReport { call, tests } in &standing.changed {
        let open: Vec<&ShowingReport> = tests.iter().filter(|it| !it.accepted).collect();
        if open.is_empty() {
            continue;
        }
        let call = match call.is_empty() {
            true => "something",
            false => call,
        };
        let tests = match open.len() {
            1 => "1 test".to_owned(),
            n => format!("{n} tests"),
        };
        let _ = writeln!(out, "  changed   {call}, likely ({tests})");
        // Whoever wrote a test wants to know of it.
        for test in open {
            match n_shown < n_max || test.person {
                true => {
                    n_shown += 1;
                    showing(out, test, verbose);
                }
                false => n_more += 1,
            }
        }
    }
    if n_more > 0 {
        let _ = writeln!(
            out,
            "            and {n_more} tests more; -v shows them all"
        );
    }
    if standing.waiting > 0 {
        let _ = writeln!(
            out,
            "            {} new tests wait until that is settled",
            standing.waiting
        );
    }
    if n_shown > 0 {
        let _ = writeln!(
            out,
            "            they stay as they are: repair the code, or accept what it does with --accept [NAME], or one \
             by one with `cargo testsmith review`"
        );
    }
}

/// A test that shows a change.
fn showing(out: &mut String, test: &ShowingReport, verbose: bool) {
    let persons = match test.person {
        true => " (a person's)",
        false => "",
    };
    let _ = writeln!(
        out,
        "            {}{persons} at {}:{}",
        test.name, test.file, test.line
    );
    let short = |value: &str| -> String {
        let n_max = if verbose { usize::MAX } else { MAX_VALUE };
        match value.char_indices().nth(n_max) {
            Some((end, _)) => format!("{}…", &value[..end]),
            None => value.to_owned(),
        }
    };
    match (&test.old, &test.new) {
        (Some(old), Some(new)) => {
            let _ = writeln!(out, "              was {}", short(old));
            let _ = writeln!(out, "              now {}", short(new));
        }
        _ => {
            let how = test.how.lines().next().unwrap_or_default();
            let _ = writeln!(out, "              {}", short(how));
        }
    }
}

fn names(out: &mut String, head: &str, names: &[String], verbose: bool) {
    let n_max = if verbose { usize::MAX } else { MAX_SHOWN };
    for (i, name) in names.iter().take(n_max).enumerate() {
        let head = if i == 0 { head } else { "" };
        let _ = writeln!(out, "  {head:<9} {name}");
    }
    if names.len() > n_max {
        let _ = writeln!(
            out,
            "            and {} more; -v shows them all",
            names.len() - n_max
        );
    }
}

/// Tests with the reason for each, those with the same one together.
fn reasons(out: &mut String, head: &str, tests: &[ReasonedReport], verbose: bool) {
    let mut said: Vec<&str> = Vec::new();
    for ReasonedReport { reason, .. } in tests {
        if said.contains(&&**reason) {
            continue;
        }
        let own = tests.iter().filter(|it| it.reason == *reason);
        let own: Vec<String> = own.map(|it| it.name.clone()).collect();
        let head = if said.is_empty() { head } else { "" };
        let reason_line = reason.lines().next().unwrap_or_default();
        let _ = writeln!(out, "  {head:<9} {} × {reason_line}", own.len());
        names(out, "", &own, verbose);
        said.push(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_with_both_values_and_what_to_do() {
        let test = ShowingReport {
            name: "list_len".to_owned(),
            file: "tests/testsmith_regression.rs".to_owned(),
            line: 7,
            old: Some("3".to_owned()),
            new: Some("4".to_owned()),
            ..ShowingReport::default()
        };
        let standing = StandingReport {
            tests: 3,
            persons: 1,
            held: 2,
            changed: vec![ChangedReport {
                call: "List::len".to_owned(),
                tests: vec![test],
            }],
            ..StandingReport::default()
        };
        let mut out = String::new();
        told(&mut out, &standing, false);
        let expected = "  \
  suite     3 tests were there (1 a person's): 2 hold, 1 show behaviour that changed
  changed   List::len, likely (1 test)
            list_len at tests/testsmith_regression.rs:7
              was 3
              now 4
            they stay as they are: repair the code, or accept what it does with --accept [NAME], or one by one with `cargo testsmith review`
";
        assert_eq!(out, expected);
    }
}
