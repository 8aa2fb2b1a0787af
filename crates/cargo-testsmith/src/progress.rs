//! Live progress: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use testsmith_pipeline::Event;

pub(crate) struct Progress {
    quiet: bool,
    bar: Option<ProgressBar>,
    is_terminal: bool,
    last_line: Instant,
}

/// Plain lines about exploration come at most this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

impl Progress {
    pub(crate) fn new(quiet: bool) -> Progress {
        Progress {
            quiet,
            bar: None,
            is_terminal: std::io::stderr().is_terminal(),
            last_line: Instant::now(),
        }
    }

    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn line(&mut self, verb: &str, rest: &str) {
        let text = format!("{verb:>12} {rest}");
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }

    pub(crate) fn show(&mut self, event: Event) {
        if let Event::Note(note) = &event {
            return self.line("Note", note);
        }
        if self.quiet {
            return;
        }
        match event {
            Event::Stage(stage) => {
                self.finish();
                match stage {
                    "explore" => self.start_bar(),
                    "choose" => self.line("Choosing", "tests that show something of their own"),
                    "check" => self.line("Checking", "the suite: compiled, run several times"),
                    _ => {}
                }
            }
            Event::Package { name, version } => self.line("Learning", &format!("{name} {version}")),
            Event::Api {
                n_callables,
                n_operations,
            } => self.line(
                "Found",
                &format!("{n_callables} public callables, {n_operations} operations to try"),
            ),
            Event::Round { n, n_operations } => self.line(
                "Building",
                &format!("the harness, round {n}: {n_operations} operations"),
            ),
            Event::Exploring {
                n_calls,
                n_sequences,
                n_states,
                seconds,
                done,
            } => self.exploring(n_calls, n_sequences, n_states, seconds, done),
            Event::Note(_) => {}
        }
    }

    fn start_bar(&mut self) {
        self.last_line = Instant::now();
        if !self.is_terminal {
            return self.line("Exploring", "");
        }
        let bar = ProgressBar::new(1000);
        let style = ProgressStyle::with_template("   Exploring {bar:30} {msg}");
        bar.set_style(style.expect("the template is a constant"));
        self.bar = Some(bar);
    }

    fn exploring(&mut self, calls: u64, sequences: u64, states: u64, seconds: f64, done: f64) {
        let rate = (calls as f64 / seconds.max(0.001)) as u64;
        let left = match done > 0.01 {
            true => format!(", {:.0} s left", seconds / done - seconds),
            false => String::new(),
        };
        let text = format!(
            "{} calls ({}/s), {} sequences, {} states{left}",
            HumanCount(calls),
            HumanCount(rate),
            HumanCount(sequences),
            HumanCount(states),
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position((done * 1000.0) as u64);
                bar.set_message(text);
            }
            None if self.last_line.elapsed() >= LINE_EVERY || done >= 1.0 => {
                self.last_line = Instant::now();
                self.line("Explored", &text);
            }
            None => {}
        }
    }
}
