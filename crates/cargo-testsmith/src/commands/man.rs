//! `cargo testsmith man`: the manual page.

use super::completions::BINARY;
use crate::exit::{self, Failure};
use crate::terminal;

/// Which page.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Of one of the commands
    #[arg(value_name = "COMMAND")]
    of: Option<String>,
}

/// Prints the manual page of this command line, or of one of its commands. Returns the exit code.
pub(crate) fn man(args: &Args, line: clap::Command) -> Result<u8, Failure> {
    terminal::hand_over(&page(args.of.as_deref(), line)?)?;
    Ok(0)
}

fn page(of: Option<&str>, line: clap::Command) -> Result<String, Failure> {
    let mut line = line.name(BINARY);
    line.build();
    let page = match of {
        None => line,
        Some(name) => {
            let found = line.find_subcommand(name).cloned();
            found.ok_or_else(|| Failure {
                message: format!("there is no command `{name}`"),
                advice: Some("`cargo testsmith --help` lists them".to_owned()),
                code: exit::USAGE,
            })?
        }
    };
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(page).render(&mut text);
    rendered.expect("memory can be written to");
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_of_the_whole_or_of_a_command_that_there_is() {
        let line = || clap::Command::new("any").subcommand(clap::Command::new("api"));
        let whole = page(None, line()).expect("there is one");
        assert!(whole.contains(".TH cargo-testsmith"), "{whole}");
        let part = page(Some("api"), line()).expect("there is one");
        assert!(part.contains("api"), "{part}");
        let failure = page(Some("apo"), line()).expect_err("there is none");
        assert_eq!(failure.message, "there is no command `apo`");
    }
}
