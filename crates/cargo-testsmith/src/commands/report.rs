//! `cargo testsmith report`: from records alone to a page, or to what other programs read.

use std::path::{Path, PathBuf};

use testsmith_project::Package;
use testsmith_report::{Records, elements, github, html, sarif};

use crate::exit::{self, Failure};
use crate::flags::Flags;
use crate::kept;
use crate::output::complain;
use crate::packages::Packages;
use crate::terminal::{hand_over, say};

/// What to make of records.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// What to make of them
    #[arg(long, value_enum, default_value_t = Format::Html)]
    format: Format,

    /// Where it goes, `-` for the terminal [default: target/testsmith/report/PACKAGE.html; github prints]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Files that --json wrote, instead of the records that are kept
    #[arg(value_name = "RECORD")]
    records: Vec<PathBuf>,
}

/// What can be made of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// A page for people, in one file
    Html,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// The report of mutation-testing-elements, for its viewers
    Elements,
    /// Annotations of a GitHub workflow
    Github,
}

impl Format {
    /// The extension of the file that it goes to by default.
    fn extension(self) -> &'static str {
        match self {
            Format::Html => "html",
            Format::Sarif => "sarif",
            Format::Elements => "mutation.json",
            Format::Github => "txt",
        }
    }
}

/// Makes the report of the records that are named, or else of those that are kept of the packages.
/// Returns the exit code.
pub(crate) fn report(args: &Args, flags: &Flags) -> Result<u8, Failure> {
    match args.records.is_empty() {
        true => of_packages(args, flags),
        false => of_files(args).map(|()| 0),
    }
}

fn of_files(args: &Args) -> Result<(), Failure> {
    let mut records = Records::default();
    for path in &args.records {
        kept::add(&mut records, path)?;
    }
    // A record may come from anywhere, and its words are no path.
    let name = kept::file_name(records.package().unwrap_or("package"));
    let default = PathBuf::from(format!("testsmith-{name}.{}", args.format.extension()));
    deliver(
        args,
        &made(args.format, &records, ""),
        args.out.clone(),
        default,
    )
}

fn of_packages(args: &Args, flags: &Flags) -> Result<u8, Failure> {
    let packages = Packages::of(flags)?;
    let mut worst = 0;
    for package in &packages.list {
        let result = kept::read(package).and_then(|records| {
            let out = args.out.as_deref();
            let out = out.map(|out| packages.of_one(out, package));
            let default = kept::made(package, args.format.extension());
            let text = made(args.format, &records, &root(package));
            deliver(args, &text, out, default)
        });
        if let Err(failure) = result {
            worst = exit::worse(worst, complain(&failure));
        }
    }
    Ok(worst)
}

fn made(format: Format, records: &Records, root: &str) -> String {
    match format {
        Format::Html => html(records),
        Format::Sarif => sarif(records, root),
        Format::Elements => elements(records),
        Format::Github => github(records, root),
    }
}

/// Writes the text to where it was asked for, or else to `default`.
fn deliver(args: &Args, text: &str, out: Option<PathBuf>, default: PathBuf) -> Result<(), Failure> {
    let path = match out {
        Some(path) if path == Path::new("-") => return hand_over(text),
        // Only what is printed is seen by a workflow.
        None if args.format == Format::Github => return hand_over(text),
        Some(path) => path,
        None => default,
    };
    kept::write(&path, text)?;
    say(&format!("{}\n", kept::shown(&path)));
    Ok(())
}

/// The path from the repository to the package, with a slash at its end: whoever reads annotations
/// wants paths from the repository.
fn root(package: &Package) -> String {
    let above = package.dir.ancestors();
    let mut repositories = above.filter(|dir| dir.join(".git").exists());
    let repository = repositories.next().unwrap_or(&package.workspace_root);
    match package.dir.strip_prefix(repository) {
        Ok(way) if !way.as_os_str().is_empty() => format!("{}/", way.display()),
        _ => String::new(),
    }
}
