//! `cargo testsmith states`: the states of a type, as a picture and in words.

use std::fmt::Write as _;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use testsmith_commands::Picture;
use testsmith_record::StatesReport;

use crate::exit::{self, Failure};
use crate::flags::{Exploring, Flags};
use crate::job::Job;
use crate::row::Row;
use crate::settings::parse_time;
use crate::{kept, output};

/// Which type to draw, and how.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A public type: its path or the end of it; a generic one may be written in full, `Map<u8, u8>`,
    /// to choose the instance
    #[arg(value_name = "TYPE")]
    ty: String,

    /// Where the drawing goes [default: target/testsmith/states/TYPE.svg]
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Where the Graphviz file goes [default: target/testsmith/states/TYPE.dot]
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,

    /// How long to explore before it is drawn [default: 5s]
    #[arg(long, value_name = "DURATION", value_parser = parse_time)]
    time: Option<Duration>,

    /// Explore so many calls instead; then the same seed gives the same picture
    #[arg(long, value_name = "N", conflicts_with = "time")]
    calls: Option<NonZeroU64>,

    /// At most so many states; observers that would make more are left out
    #[arg(long, value_name = "N", default_value = "12")]
    max_states: NonZeroUsize,
}

impl Args {
    fn picture(&self) -> Picture {
        Picture {
            ty: self.ty.clone(),
            svg: self.svg.clone(),
            dot: self.dot.clone(),
            max_states: self.max_states.get(),
        }
    }

    /// The flags before the command with the budget behind it. If neither has one, it is short: the
    /// one in a file is for writing tests.
    pub(crate) fn over(&self, before: &Flags) -> Flags {
        let exploring = &before.exploring;
        let (time, calls) = match (self.time, self.calls) {
            (None, None) => match (exploring.time, exploring.calls) {
                (None, None) => (Some(Duration::from_secs(5)), None),
                chosen => chosen,
            },
            chosen => chosen,
        };
        Flags {
            exploring: Exploring {
                time,
                calls,
                ..exploring.clone()
            },
            ..before.clone()
        }
    }
}

/// Draws a type of one package.
pub(crate) fn states(args: &Args, job: &mut Job<'_>) -> Result<Row, Failure> {
    let picture = args.picture();
    for path in [&picture.svg, &picture.dot].into_iter().flatten() {
        output::check_file("picture", path)?;
    }
    let config = job.config()?;
    let report = job.watch(|watch| testsmith_commands::states(&config, &picture, watch))?;
    let mut text = text(&report, job.flags.verbose);
    if let Some(page) = job.keep(&format!("states-{}", kept::plain(&report.ty)), &report) {
        let _ = writeln!(text, "  report         {page}");
    }
    job.tell(&text, &report)?;
    Ok(row(&report))
}

fn row(report: &StatesReport) -> Row {
    let text = format!("{}: {} states", report.ty, report.states.len());
    match report.interrupted {
        true => Row::failed(&report.package, exit::INTERRUPTED, &text),
        false => Row::done(&report.package, text),
    }
}

/// The machine in words, what makes its states, and where the pictures are.
fn text(report: &StatesReport, is_verbose: bool) -> String {
    let mut out = String::new();
    let n_states = match report.states.len() {
        1 => "1 state".to_owned(),
        n => format!("{n} states"),
    };
    let _ = writeln!(
        out,
        "\n{}: {n_states}, {} values seen, {} calls",
        report.ty, report.values, report.calls
    );
    if let Some(note) = &report.note {
        let _ = writeln!(out, "  note           {note}");
    }
    for n in 0..report.states.len() {
        state(&mut out, report, n, is_verbose);
    }
    out.push('\n');
    not_drawn(&mut out, report, is_verbose);
    if report.interrupted {
        out.push_str("  interrupted    the picture shows what was found by then\n");
    }
    let _ = writeln!(out, "  drawing        {}", report.svg.display());
    let _ = writeln!(out, "  graph          {}", report.dot.display());
    out
}

/// What makes a state, and what leads out of it.
fn state(out: &mut String, report: &StatesReport, n: usize, is_verbose: bool) {
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
    let state = &report.states[n];
    if !state.panics.is_empty() {
        let _ = writeln!(out, "      panics     {}", state.panics.join(", "));
    }
    if is_verbose && !state.may_panic.is_empty() {
        let _ = writeln!(out, "      may panic  {}", state.may_panic.join(", "));
    }
}

/// What the picture does not show, and why.
fn not_drawn(out: &mut String, report: &StatesReport, is_verbose: bool) {
    for it in &report.left_out {
        let _ = writeln!(out, "  left out       {}: {}", it.observer, it.reason);
    }
    if !report.ends.is_empty() {
        let names = report.ends.join(", ");
        let _ = writeln!(out, "  not drawn      {names}: no value is left after it");
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
}

/// What tells a state from the others, in words.
fn name(report: &StatesReport, n: usize) -> String {
    match report.states[n].is.is_empty() {
        true => "any".to_owned(),
        false => report.states[n].is.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use testsmith_record::{LeftOut, RecordKind, StateReport, TransitionReport};

    use super::*;

    fn state(is: &[&str], may_panic: &[&str]) -> StateReport {
        let words = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect();
        StateReport {
            is: words(is),
            also: Vec::new(),
            values: 1,
            panics: Vec::new(),
            may_panic: words(may_panic),
        }
    }

    fn transition(from: Option<usize>, to: usize, call: &str) -> TransitionReport {
        TransitionReport {
            from,
            to,
            calls: vec![call.to_owned()],
        }
    }

    #[test]
    fn states_are_numbered_and_lead_to_each_other() {
        let report = StatesReport {
            schema: 1,
            kind: RecordKind::States,
            package: "small".to_owned(),
            version: "0.1.0".to_owned(),
            ty: "small::Stack".to_owned(),
            other_instances: Vec::new(),
            seed: 0,
            predicates: vec!["is_empty".to_owned()],
            note: None,
            left_out: vec![LeftOut {
                observer: "len".to_owned(),
                reason: "it would make too many".to_owned(),
            }],
            dropped: BTreeMap::new(),
            ends: vec!["into_vec".to_owned()],
            idle: Vec::new(),
            states: vec![state(&["empty"], &[]), state(&[], &["swap"])],
            transitions: vec![
                transition(None, 0, "new"),
                transition(Some(0), 1, "push"),
                transition(Some(1), 1, "push"),
            ],
            values: 9,
            calls: 20,
            drawing: String::new(),
            svg: "stack.svg".into(),
            dot: "stack.dot".into(),
            seconds: BTreeMap::new(),
            interrupted: false,
        };
        let expected = "
small::Stack: 2 states, 9 values seen, 20 calls

  1 empty
      made by    new
      to 2       push

  2 any
      stays      push

  left out       len: it would make too many
  not drawn      into_vec: no value is left after it
  drawing        stack.svg
  graph          stack.dot
";
        assert_eq!(text(&report, false), expected);
        assert!(text(&report, true).contains("      may panic  swap\n"));
    }
}
