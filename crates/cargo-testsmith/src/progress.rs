//! Live progress: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use testsmith_equip::{Event, Stage};
use testsmith_record::shown;

use crate::bug;
use crate::terminal::tell;

pub(crate) struct Progress {
    quiet: bool,
    bar: Option<ProgressBar>,
    is_terminal: bool,
    last_line: Instant,
    stage_began: Instant,
    /// When the next plain line about exploration is due, counted from the last.
    line_after: Duration,
}

/// At most this often a plain line says how far tests are that learn or judge.
const JUDGING_EVERY: Duration = Duration::from_secs(10);

/// The first plain line about exploration comes soon, for it shows the rate.
const FIRST_LINE: Duration = Duration::from_secs(1);
/// The other lines about exploration come at most this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

impl Progress {
    pub(crate) fn new(quiet: bool) -> Progress {
        Progress {
            quiet,
            bar: None,
            is_terminal: std::io::stderr().is_terminal(),
            last_line: Instant::now(),
            stage_began: Instant::now(),
            line_after: FIRST_LINE,
        }
    }

    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn line(&mut self, verb: &str, rest: &str) {
        let text = format!("{verb:>12} {rest}");
        let text = text.trim_end();
        match &self.bar {
            Some(bar) => bar.println(shown(text)),
            None => tell(text),
        }
    }

    pub(crate) fn show(&mut self, event: Event) {
        if let Event::Note(note) = &event {
            return self.line("Note", note);
        }
        if let Event::Stage(stage) = &event {
            bug::enter(*stage);
        }
        if self.quiet {
            return;
        }
        match event {
            Event::Stage(stage) => self.stage(stage),
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
            Event::Copying { n: 1, .. } => {
                self.line("Copying", "the crate with its mutants, round 1")
            }
            Event::Copying { n, n_mutants } => self.line(
                "Copying",
                &format!("the crate with its mutants, round {n}: {n_mutants} mutants"),
            ),
            Event::Choosing { doing, left } => self.choosing(doing, left),
            Event::Judging { n, of } => self.judging(n, of),
            Event::Learning { n, of } => self.learning(n, of),
            Event::Comparing { n, of } => self.line(
                "Comparing",
                &format!("survivors with the original, optimised: build {n} of {of}"),
            ),
            Event::Asking { n, of } => self.asking(n, of),
            Event::Verifying { i, n } => {
                self.line("Verifying", &format!("mutant {} of {n}", i + 1))
            }
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

    fn stage(&mut self, stage: Stage) {
        self.finish();
        self.last_line = Instant::now();
        self.stage_began = Instant::now();
        match stage {
            Stage::Explore if !self.is_terminal => self.line("Exploring", ""),
            Stage::Standing => self.line("Running", "the suite that is there"),
            Stage::Choose => self.line("Choosing", "tests that show something of their own"),
            Stage::Mutants => self.line("Judging", "tests by the mutants that make them fail"),
            Stage::Minimize => self.line("Checking", "the suite without what is redundant"),
            Stage::Record => self.line("Recording", "what own tests call"),
            Stage::Redundancy => self.line("Judging", "suites of every type by every notion"),
            Stage::States => self.line("Calling", "every method on values of each kind"),
            Stage::Compare => self.line("Comparing", "what NEW does with what was learnt on OLD"),
            Stage::Check => self.line("Checking", "the suite: compiled, run several times"),
            _ => {}
        }
        if !self.is_terminal {
            return;
        }
        if stage == Stage::Explore {
            self.start_bar(1000, "   Exploring {bar:20} {wide_msg}");
        } else {
            // Nobody knows how long a compiler takes; that it is at work can be shown.
            self.start_bar(0, "           {spinner} {elapsed}");
        }
    }

    fn start_bar(&mut self, n: u64, template: &str) {
        let bar = ProgressBar::new(n);
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.expect("the templates are constants"));
        bar.enable_steady_tick(Duration::from_millis(200));
        self.bar = Some(bar);
    }

    /// Says what choosing does, and how much of the time is left.
    fn choosing(&mut self, doing: &str, left: Option<Duration>) {
        let left = left.map(|left| format!(", {} left", short(left.as_secs_f64())));
        self.line("Choosing", &format!("{doing}{}", left.unwrap_or_default()));
    }

    /// Says for the first test, and then now and then, of how many it is known what they reach.
    fn learning(&mut self, n: usize, of: usize) {
        if n <= 1 || self.last_line.elapsed() >= JUDGING_EVERY {
            self.last_line = Instant::now();
            self.line("Learning", &format!("what tests reach: {n} of {of}"));
        }
    }

    /// Says now and then how many runs of tests by mutants are done.
    fn judging(&mut self, n: usize, of: usize) {
        if self.last_line.elapsed() >= JUDGING_EVERY {
            self.last_line = Instant::now();
            let (n, of) = (HumanCount(n as u64), HumanCount(of as u64));
            self.line("Judging", &format!("tests by mutants: {n} of {of} runs"));
        }
    }

    /// Says now and then how many mutants are judged, and how long the others will take. That can be told
    /// because the stage has one list of mutants, while `judging` is told of several in turn.
    fn asking(&mut self, n: usize, of: usize) {
        if self.last_line.elapsed() >= JUDGING_EVERY {
            self.last_line = Instant::now();
            let seconds = self.stage_began.elapsed().as_secs_f64();
            let left = short(seconds / n.max(1) as f64 * of.saturating_sub(n) as f64);
            let (n, of) = (HumanCount(n as u64), HumanCount(of as u64));
            self.line("Judging", &format!("{n} of {of} mutants, {left} left"));
        }
    }

    fn exploring(&mut self, calls: u64, sequences: u64, states: u64, seconds: f64, done: f64) {
        let rate = (calls as f64 / seconds.max(0.001)) as u64;
        let left = match done > 0.01 {
            true => format!("{} left", short(seconds / done - seconds)),
            false => "begun".to_owned(),
        };
        let text = format!(
            "{} calls ({}/s), {} sequences, {} states",
            HumanCount(calls),
            HumanCount(rate),
            HumanCount(sequences),
            HumanCount(states),
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position((done * 1000.0) as u64);
                // A narrow terminal cuts the end off; the time left is what people look for.
                bar.set_message(format!("{left}, {text}"));
            }
            None if self.last_line.elapsed() >= self.line_after || done >= 1.0 => {
                self.last_line = Instant::now();
                self.line_after = LINE_EVERY;
                self.line("Explored", &format!("{text}, {left}"));
            }
            None => {}
        }
    }
}

/// A length of time, no more exact than it is known.
fn short(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_said_in_the_unit_that_fits() {
        let said: Vec<String> = [0.2, 119.0, 600.0, 36_000.0].map(short).into();
        assert_eq!(said, ["0 s", "119 s", "10 min", "10 h"]);
    }
}
