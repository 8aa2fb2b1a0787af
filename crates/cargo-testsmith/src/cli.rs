//! From the command line to the command: which is meant, and for which packages it is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::CommandFactory;

use crate::arguments::{Arguments, Command};
use crate::bug;
use crate::commands::{
    api, augment, bugs, clean, compare, completions, diff, man, minimize, mutants, record,
    redundancy, report, review, run, sandbox, states,
};
use crate::exit::{self, Failure};
use crate::flags::Flags;
use crate::job::Job;
use crate::output::complain;
use crate::packages::Packages;
use crate::progress::Progress;
use crate::row::{self, Row};
use crate::terminal::say;

/// A command that is called for one package after another.
type OnPackage<'a> = dyn Fn(&mut Job<'_>) -> Result<Row, Failure> + 'a;

/// Does what was asked for. Returns the exit code.
pub(crate) fn answer(arguments: &Arguments, cancel: &Arc<AtomicBool>) -> u8 {
    let flags = &arguments.flags();
    let result = match &arguments.command {
        None => each(flags, cancel, &run::run),
        Some(Command::Api(args)) => each(flags, cancel, &|job| api::api(args, job)),
        Some(Command::Mutants(args)) => match &args.command {
            None => each(flags, cancel, &|job| mutants::mutants(args, job)),
            Some(mutants::Subcommand::Merge { records }) => mutants::merge(args, records, flags),
        },
        Some(Command::Record) => each(flags, cancel, &record::record),
        Some(Command::Minimize(args)) => each(flags, cancel, &|job| minimize::minimize(args, job)),
        Some(Command::Compare(args)) => each(flags, cancel, &|job| compare::compare(args, job)),
        Some(Command::Redundancy) => each(flags, cancel, &redundancy::redundancy),
        Some(Command::Augment(_)) => each(flags, cancel, &augment::augment),
        Some(Command::Bugs(args)) => each(flags, cancel, &|job| bugs::bugs(args, job)),
        Some(Command::Review(_)) => each(flags, cancel, &review::review),
        Some(Command::States(args)) => each(flags, cancel, &|job| states::states(args, job)),
        Some(Command::Diff(args)) => diff::diff(args, flags, cancel),
        Some(Command::Report(args)) => report::report(args, flags),
        Some(Command::Sandbox) => sandbox::sandbox(),
        Some(Command::Clean) => clean::clean(flags, cancel),
        Some(Command::Completions(args)) => {
            completions::completions(args, Arguments::command()).map(|()| 0)
        }
        Some(Command::Man(args)) => man::man(args, Arguments::command()),
    };
    result.unwrap_or_else(|failure| complain(&failure))
}

/// Calls the command for one package after another; one that fails does not stop the others. Returns
/// the worst exit code.
fn each(flags: &Flags, cancel: &Arc<AtomicBool>, command: &OnPackage<'_>) -> Result<u8, Failure> {
    let packages = match Packages::of(flags) {
        Ok(packages) => packages,
        // Cargo was asked about the package, and Ctrl-C was for it too.
        Err(_) if cancel.load(Ordering::Relaxed) => return Ok(exit::INTERRUPTED),
        Err(failure) => return Err(failure),
    };
    let mut worst = 0;
    let mut rows = Vec::new();
    for package in &packages.list {
        if cancel.load(Ordering::Relaxed) {
            worst = exit::worse(worst, exit::INTERRUPTED);
            rows.push(Row::failed(&package.name, exit::INTERRUPTED, "not begun"));
            continue;
        }
        bug::about(package);
        let mut progress = Progress::new(flags.quiet);
        let result = command(&mut Job {
            flags,
            packages: &packages,
            package,
            progress: &mut progress,
            cancel,
        });
        progress.finish();
        let row = result.unwrap_or_else(|failure| {
            complain(&failure);
            Row::failed(&package.name, failure.code, &failure.message)
        });
        worst = exit::worse(worst, row.code);
        rows.push(row);
    }
    if packages.several {
        say(&row::table(&rows, &packages.without_library));
    }
    Ok(worst)
}
