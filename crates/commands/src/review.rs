//! `cargo testsmith review`: a run that writes nothing before the user has seen it, one change or one
//! test at a time.

use testsmith_equip::{Outcome, Watch};
use testsmith_record::{Drops, Report};
use testsmith_suite::{Answer, Course, Offered, Writer, Writing};

use crate::config::Config;
use crate::error::CommandError;
use crate::run::{Goal, Whole, run_whole};

/// A run whose results are not written yet.
pub struct Review {
    whole: Whole,
    config: Config,
    /// What the user decides about.
    pub offers: Vec<Offered>,
}

/// Does all that a run does, but for writing.
pub fn review(config: &Config, watch: &mut Watch<'_>) -> Result<Outcome<Review>, CommandError> {
    let config = Config {
        writing: Writing {
            course: Course::Review,
            ..config.writing.clone()
        },
        ..config.clone()
    };
    let whole = run_whole(&config, Goal::Suite, watch).map(|whole| {
        let offers = writer(&whole, &config).offers(&whole.begun, &whole.suite);
        Review {
            whole,
            config: config.clone(),
            offers,
        }
    });
    watch.outcome(whole)
}

fn writer<'w>(whole: &'w Whole, config: &'w Config) -> Writer<'w> {
    Writer {
        writing: &config.writing,
        target: &whole.target,
        world: &whole.world,
        is_sandboxed: config.equipping.machinery.sandbox,
        is_partial: whole.report.interrupted,
    }
}

impl Review {
    /// Writes what the user decided. What the suite covers and kills then is not known: that was
    /// found out of the suite that was offered.
    pub fn settle(
        self,
        answers: &[(Offered, Answer)],
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<Report>, CommandError> {
        let report = self.settled(answers, watch);
        watch.outcome(report)
    }

    fn settled(
        self,
        answers: &[(Offered, Answer)],
        watch: &mut Watch<'_>,
    ) -> Result<Report, CommandError> {
        let Review { whole, config, .. } = self;
        let Whole {
            report,
            target,
            world,
            suite,
            mut begun,
            ..
        } = whole;
        let writer = Writer {
            writing: &config.writing,
            target: &target,
            world: &world,
            is_sandboxed: config.equipping.machinery.sandbox,
            is_partial: report.interrupted,
        };
        let mut drops = Drops::default();
        let suite = writer.settle(&mut begun, suite, answers, &mut drops);
        let files = writer.write(&begun, &suite, watch)?;
        let mut dropped = report.dropped.clone();
        dropped.extend(drops.into_list());
        Ok(Report {
            standing: begun.report(Some(&suite), &target.package),
            tests: suite.test_reports(&target),
            files,
            coverage: None,
            branches: Vec::new(),
            mutants: Vec::new(),
            sources: Vec::new(),
            dropped,
            ..report
        })
    }
}
