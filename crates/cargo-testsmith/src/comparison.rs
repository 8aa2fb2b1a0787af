//! How strategies fared against each other, as a table.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use testsmith_pipeline::{CompareReport, RunReport};

/// The table, means over seeds.
pub(crate) fn table(report: &CompareReport) -> String {
    let mut out = String::new();
    let mut strategies: Vec<&str> = Vec::new();
    for run in &report.runs {
        if !strategies.contains(&run.strategy) {
            strategies.push(run.strategy);
        }
    }
    let n_seeds = report.runs_of(report.strategy).count();
    let _ = writeln!(
        out,
        "\n{} {}: {} calls, {n_seeds} seeds; means over seeds",
        report.package, report.version, report.calls
    );
    let _ = writeln!(
        out,
        "  {:<12} {:>9} {:>9} {:>10} {:>9} {:>9} {:>9} {:>10} {:>10}",
        "strategy",
        "failures",
        "ever",
        "values",
        "reached",
        "regions",
        "kept",
        "calls",
        "sequences"
    );
    for strategy in strategies {
        let mean = |count: &dyn Fn(&RunReport) -> u64| {
            let sum: u64 = report.runs_of(strategy).map(count).sum();
            sum as f64 / report.runs_of(strategy).count().max(1) as f64
        };
        let ever: BTreeSet<&String> = report
            .runs_of(strategy)
            .flat_map(|run| &run.failures)
            .collect();
        let _ = writeln!(
            out,
            "  {strategy:<12} {:>9.1} {:>9} {:>10.0} {:>9.1} {:>9.1} {:>9.0} {:>10.0} {:>10.0}",
            mean(&|run| run.failures.len() as u64),
            ever.len(),
            mean(&|run| run.states),
            mean(&|run| run.reached),
            mean(&|run| run.regions),
            mean(&|run| run.kept),
            mean(&|run| run.calls),
            mean(&|run| run.sequences),
        );
    }
    for versus in &report.against {
        let _ = writeln!(
            out,
            "  {} against {}: A12 {:.2}; more failures with {} seeds, as many with {}, fewer with {}",
            report.strategy, versus.strategy, versus.a12, versus.won, versus.tied, versus.lost
        );
    }
    out
}
