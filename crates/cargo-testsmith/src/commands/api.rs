//! `cargo testsmith api`: every public callable with its instances, or why there is none.

use std::fmt::Write as _;

use testsmith_record::{ApiReport, CallableReport};

use super::reach::hidden;
use crate::exit::Failure;
use crate::job::Job;
use crate::row::Row;

/// How the API is listed.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Let rustc judge the instances (`cargo check`), and say how many callables have one that
    /// it accepts, with the reasons for the others; what it refuses is no error, exit code 0
    #[arg(long)]
    check: bool,
}

/// Callables that a short listing shows for a reason.
const MAX_EXAMPLES: usize = 3;

/// Lists the API of one package.
pub(crate) fn api(args: &Args, job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    let report =
        job.watch(|watch| testsmith_commands::api(&config.equipping, args.check, watch))?;
    let mut text = text(&report, job.flags.verbose);
    if let Some(page) = job.keep("api", &report) {
        let _ = writeln!(text, "  report    {page}");
    }
    job.tell(&text, &report)?;
    Ok(row(&report))
}

fn row(report: &ApiReport) -> Row {
    let text = format!(
        "{} of {} with an instance",
        report.with_instance, report.counted
    );
    Row::done(&report.package, text)
}

/// The listing, and what rustc said of it if it was asked.
fn text(report: &ApiReport, verbose: bool) -> String {
    let mut out = String::new();
    let (left_out, listed): (Vec<_>, Vec<_>) =
        report.callables.iter().partition(|c| c.is_left_out());
    for callable in &listed {
        entry(&mut out, callable);
    }
    let _ = writeln!(
        out,
        "\n{} {}: {} public functions and methods, {} with an instance{}; {} other items{}{}",
        report.package,
        report.version,
        report.counted,
        report.with_instance,
        match report.checked {
            true => " that rustc accepts",
            false => "",
        },
        listed.iter().filter(|c| !c.is_hidden()).count() - report.counted,
        match left_out.len() {
            0 => String::new(),
            n => format!("; {n} left out on request"),
        },
        hidden(&report.callables),
    );
    if report.checked {
        verdict(&mut out, report, verbose);
    }
    out
}

/// One callable, with what is known of it.
fn entry(out: &mut String, callable: &CallableReport) {
    let _ = writeln!(out, "{}", callable.path);
    for instance in &callable.instances {
        if **instance != callable.path {
            let _ = writeln!(out, "    {instance}");
        }
    }
    if let Some(reason) = &callable.reason {
        let _ = writeln!(out, "    left out: {reason}");
    }
    if let Some(safety) = &callable.safety {
        let words: Vec<&str> = safety.split_whitespace().collect();
        let _ = writeln!(out, "    # Safety: {}", words.join(" "));
    }
}

/// What rustc accepts of an API, and what stands in the way of the rest.
fn verdict(out: &mut String, report: &ApiReport, verbose: bool) {
    let ApiReport {
        counted,
        with_instance,
        ..
    } = report;
    let _ = write!(
        out,
        "\naccepted {with_instance} of {counted} counted callables"
    );
    if *counted > 0 {
        let percent = *with_instance as f64 / *counted as f64 * 100.0;
        let _ = write!(out, " ({percent:.1} %)");
    }
    let _ = writeln!(
        out,
        "\njudged by `cargo check`; the few errors that take a build to show are not in this figure"
    );
    let n_max = match verbose {
        true => usize::MAX,
        false => MAX_EXAMPLES,
    };
    for reason in &report.reasons {
        let _ = writeln!(out, "{:>5} × {}", reason.count, reason.reason);
        for callable in reason.callables.iter().take(n_max) {
            let _ = writeln!(out, "          {callable}");
        }
        if reason.count > n_max {
            let n_more = reason.count - n_max;
            let _ = writeln!(out, "          and {n_more} more; -v shows them all");
        }
    }
}

#[cfg(test)]
mod tests {
    use testsmith_record::{CallableStatus, LEFT_OUT, ReasonReport, RecordKind};

    use super::*;
    use crate::commands::reach::callable;

    fn report() -> ApiReport {
        let mut generic = callable("small::both", CallableStatus::Modelled, None);
        generic.instances = vec!["small::both::<u8>".to_owned()];
        let mut raw = callable("small::raw", CallableStatus::Skipped, Some("it is unsafe"));
        raw.safety = Some("the pointer\nis valid".to_owned());
        ApiReport {
            schema: 1,
            kind: RecordKind::Api,
            package: "small".to_owned(),
            version: "0.1.0".to_owned(),
            callables: vec![
                generic,
                raw,
                callable("small::never", CallableStatus::Skipped, Some(LEFT_OUT)),
            ],
            checked: false,
            counted: 2,
            with_instance: 1,
            reasons: vec![ReasonReport {
                reason: "it is unsafe".to_owned(),
                count: 4,
                callables: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            }],
        }
    }

    #[test]
    fn a_callable_is_listed_with_its_instances_or_its_reason() {
        let expected = "\
small::both
    small::both::<u8>
small::raw
    left out: it is unsafe
    # Safety: the pointer is valid

small 0.1.0: 2 public functions and methods, 1 with an instance; 0 other items; 1 left out on request
";
        assert_eq!(text(&report(), false), expected);
    }

    #[test]
    fn what_rustc_refuses_is_listed_by_reason() {
        let report = ApiReport {
            checked: true,
            ..report()
        };
        let short = text(&report, false);
        let expected = "
accepted 1 of 2 counted callables (50.0 %)
judged by `cargo check`; the few errors that take a build to show are not in this figure
    4 × it is unsafe
          a
          b
          c
          and 1 more; -v shows them all
";
        assert!(short.ends_with(expected), "{short}");
        assert!(text(&report, true).ends_with("          c\n          d\n"));
    }
}
