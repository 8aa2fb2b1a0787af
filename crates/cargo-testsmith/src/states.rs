//! What `cargo testsmith states` prints.

use std::fmt::Write as _;

use testsmith_record::StatesReport;

use crate::exit;
use crate::summary::Row;

/// The machine in words, what makes its states, and where the pictures are.
pub(crate) fn text(report: &StatesReport, is_verbose: bool) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "\n{}: {}, {} values seen, {} calls",
        report.ty,
        match report.states.len() {
            1 => "1 state".to_owned(),
            n => format!("{n} states"),
        },
        report.values,
        report.calls
    );
    if let Some(note) = &report.note {
        let _ = writeln!(out, "  note           {note}");
    }
    for (n, state) in report.states.iter().enumerate() {
        let _ = writeln!(out, "\n  {} {}", n + 1, name(report, n));
        for transition in report.transitions.iter().filter(|it| it.to == n) {
            if transition.from.is_none() {
                let _ = writeln!(out, "      made by    {}", transition.calls.join(", "));
            }
        }
        for transition in report.transitions.iter().filter(|it| it.from == Some(n)) {
            let to = match transition.to == n {
                true => "stays".to_owned(),
                false => format!("to {}", transition.to + 1),
            };
            let _ = writeln!(out, "      {to:<10} {}", transition.calls.join(", "));
        }
        if !state.panics.is_empty() {
            let _ = writeln!(out, "      panics     {}", state.panics.join(", "));
        }
        if is_verbose && !state.may_panic.is_empty() {
            let _ = writeln!(out, "      may panic  {}", state.may_panic.join(", "));
        }
    }
    out.push('\n');
    for it in &report.left_out {
        let _ = writeln!(out, "  left out       {}: {}", it.observer, it.reason);
    }
    if !report.ends.is_empty() {
        let _ = writeln!(
            out,
            "  not drawn      {}: no value is left after it",
            report.ends.join(", ")
        );
    }
    if !report.idle.is_empty() {
        let names = report.idle.join(", ");
        let _ = writeln!(out, "  not drawn      {names}: never changed a value");
    }
    if is_verbose {
        for (what, n) in &report.dropped {
            let _ = writeln!(out, "  left out       {n} × {what}");
        }
    }
    if !report.other_instances.is_empty() {
        let _ = writeln!(
            out,
            "  instances      write it in full to draw another: {}",
            report.other_instances.join("; ")
        );
    }
    if report.interrupted {
        out.push_str("  interrupted    the picture shows what was found by then\n");
    }
    let _ = writeln!(out, "  drawing        {}", report.svg.display());
    let _ = writeln!(out, "  graph          {}", report.dot.display());
    out
}

fn name(report: &StatesReport, n: usize) -> String {
    match report.states[n].is.is_empty() {
        true => "any".to_owned(),
        false => report.states[n].is.join(", "),
    }
}

/// A line of the table of several packages.
pub(crate) fn row(report: &StatesReport) -> Row {
    let text = format!("{}: {} states", report.ty, report.states.len());
    match report.interrupted {
        true => Row::failed(&report.package, exit::INTERRUPTED, &text),
        false => Row::done(&report.package, text),
    }
}
