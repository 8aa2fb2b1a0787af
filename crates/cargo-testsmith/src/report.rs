//! `cargo testsmith report`: from records alone to a page, or to what other programs read.

use std::path::{Path, PathBuf};

use testsmith_project::Package;
use testsmith_report::{Records, elements, github, html, sarif};

use crate::arguments::{Arguments, Format, Report};
use crate::exit::{self, Failure};
use crate::packages::Packages;
use crate::{complain, kept, say};

/// Makes it, for named records or for the packages that are meant. Returns the exit code.
pub(crate) fn report(arguments: &Arguments, choice: &Report) -> u8 {
    let result = match choice.records.is_empty() {
        true => of_packages(arguments, choice),
        false => of_files(choice).map(|()| 0),
    };
    result.unwrap_or_else(|failure| complain(&failure))
}

fn of_files(choice: &Report) -> Result<(), Failure> {
    let mut records = Records::default();
    for path in &choice.records {
        kept::add(&mut records, path)?;
    }
    let name = records.package().unwrap_or("package");
    let default = PathBuf::from(format!("testsmith-{name}.{}", choice.format.extension()));
    deliver(
        choice,
        &made(choice.format, &records, ""),
        choice.out.clone(),
        default,
    )
}

fn of_packages(arguments: &Arguments, choice: &Report) -> Result<u8, Failure> {
    let packages = Packages::of(arguments)?;
    let mut worst = 0;
    for package in &packages.list {
        let result = kept::read(package).and_then(|records| {
            let out = choice.out.as_deref();
            let out = out.map(|out| packages.of_one(out, package));
            let default = kept::made(package, choice.format.extension());
            let text = made(choice.format, &records, &root(package));
            deliver(choice, &text, out, default)
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

/// To where it was asked for, or to where it goes by default.
fn deliver(
    choice: &Report,
    text: &str,
    out: Option<PathBuf>,
    default: PathBuf,
) -> Result<(), Failure> {
    let path = match out {
        Some(path) if path == Path::new("-") => {
            say(text);
            return Ok(());
        }
        // Only what is printed is seen by a workflow.
        None if choice.format == Format::Github => {
            say(text);
            return Ok(());
        }
        Some(path) => path,
        None => default,
    };
    kept::write(&path, text)?;
    say(&format!("{}\n", kept::shown(&path)));
    Ok(())
}

/// The way from the repository to the package, with a slash at its end: whoever reads annotations
/// knows no packages.
fn root(package: &Package) -> String {
    let above = package.dir.ancestors();
    let mut repositories = above.filter(|dir| dir.join(".git").exists());
    let repository = repositories.next().unwrap_or(&package.workspace_root);
    match package.dir.strip_prefix(repository) {
        Ok(way) if !way.as_os_str().is_empty() => format!("{}/", way.display()),
        _ => String::new(),
    }
}
