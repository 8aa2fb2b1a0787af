//! `cargo testsmith review`: shows one change or one test at a time, and asks what is to become of it.
//! It works at a terminal and with answers that come through a pipe.

#![expect(
    clippy::disallowed_methods,
    reason = "a test is edited in a file, by the editor that the user has"
)]

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::process::Command;

use testsmith_suite::{Answer, Offered, What, check_edited};

use super::run;
use crate::exit::Failure;
use crate::job::Job;
use crate::row::Row;
use crate::terminal::say;

/// Reviews the suite of one package.
pub(crate) fn review(job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    let review = job.watch(|watch| testsmith_commands::review(&config, watch))?;
    let scratch = job.package.target_dir.join("testsmith/review");
    let answers = ask(&review.offers, &scratch, &mut io::stdin().lock());
    let report = job.watch(|watch| review.settle(&answers, watch))?;
    let text = run::text(&report, &run::Context::of(job, &config));
    job.tell(&text, &report)?;
    Ok(run::row(&report, job.is_cancelled()))
}

/// What the user can say to a question.
enum Said {
    Yes,
    No,
    Edit,
    Never,
    Quit,
}

/// Asks about one thing after another, until the user quits or there is nobody to answer.
fn ask(offers: &[Offered], scratch: &Path, input: &mut dyn BufRead) -> Vec<(Offered, Answer)> {
    let mut answers = Vec::new();
    if offers.is_empty() {
        say("\nThere is nothing to decide: what is there holds, and nothing is new.\n");
    }
    'offers: for (i, offered) in offers.iter().enumerate() {
        say(&shown(offered, i + 1, offers.len()));
        loop {
            say(&prompt(offered));
            let answer = match said(input) {
                None | Some(Said::Quit) => break 'offers,
                Some(Said::Yes) if offered.can_be_accepted() => Answer::Yes,
                Some(Said::Yes) => {
                    say(
                        "a person wrote or edited it, so only a person changes it: edit it, or say no\n",
                    );
                    continue;
                }
                Some(Said::No) => Answer::No,
                Some(Said::Never) => Answer::Never,
                Some(Said::Edit) => match edited(offered, scratch) {
                    Ok(text) => Answer::Edited(text),
                    Err(problem) => {
                        say(&format!("not taken: {problem}\n"));
                        continue;
                    }
                },
            };
            answers.push((offered.clone(), answer));
            break;
        }
    }
    answers
}

/// The next answer that makes sense; none at the end of the input.
fn said(input: &mut dyn BufRead) -> Option<Said> {
    loop {
        let mut line = String::new();
        match input.read_line(&mut line) {
            Ok(0) | Err(_) => {
                say("\n");
                return None;
            }
            Ok(_) => {}
        }
        // Whoever reads a log of piped answers wants to see them.
        if !io::stdin().is_terminal() {
            say(&line);
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Some(Said::Yes),
            "n" | "no" => return Some(Said::No),
            "e" | "edit" => return Some(Said::Edit),
            "v" | "never" | "never again" => return Some(Said::Never),
            "q" | "quit" => return Some(Said::Quit),
            _ => say("y, n, e, v or q? "),
        }
    }
}

fn prompt(offered: &Offered) -> String {
    let question = match (&offered.what, &offered.now) {
        (What::Change { .. }, Some(_)) => "Is that as it should be?",
        (What::Change { .. }, None) => "Is that as it should be? Then the test goes.",
        (What::New, _) => "Add it?",
        (What::Removal { .. }, _) => "Take it out?",
    };
    format!("{question} [y]es, [n]o, [e]dit, ne[v]er again, [q]uit: ")
}

/// What is decided, with the test as it is and as it would be.
fn shown(offered: &Offered, i: usize, n: usize) -> String {
    let mut out = String::new();
    let Offered { name, file, .. } = offered;
    let about = match &offered.what {
        What::Change { call, .. } => format!("{name} shows that `{call}` changed, likely"),
        What::New => format!("{name} is new"),
        What::Removal { .. } => format!("{name} could go"),
    };
    let _ = writeln!(out, "\n{i} of {n}: {about}  ({file})");
    match &offered.what {
        What::Change { showing, .. } => match (&showing.old, &showing.new) {
            (Some(old), Some(new)) => {
                let _ = writeln!(out, "  was {old}\n  now {new}");
            }
            _ => {
                let _ = writeln!(out, "  {}", showing.how);
            }
        },
        What::New => {}
        What::Removal { reason } => {
            let _ = writeln!(out, "  {reason}");
        }
    }
    let was = offered.was.as_deref().unwrap_or_default();
    let now = offered.now.as_deref();
    let lines = match &offered.what {
        What::Change { .. } if now.is_none() && !offered.can_be_accepted() => {
            was.lines().map(|line| format!("  {line}")).collect()
        }
        _ => differences(was, now.unwrap_or_default()),
    };
    for line in lines {
        let _ = writeln!(out, "    {line}");
    }
    out
}

/// The lines of both texts: those that only the first has begin with `-`, those that only the second
/// has with `+`.
fn differences(was: &str, now: &str) -> Vec<String> {
    let (was, now): (Vec<&str>, Vec<&str>) = (was.lines().collect(), now.lines().collect());
    // How many lines both have, from each pair of places on.
    let mut shared = vec![vec![0usize; now.len() + 1]; was.len() + 1];
    for i in (0..was.len()).rev() {
        for j in (0..now.len()).rev() {
            shared[i][j] = match was[i] == now[j] {
                true => shared[i + 1][j + 1] + 1,
                false => shared[i + 1][j].max(shared[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < was.len() || j < now.len() {
        if i < was.len() && j < now.len() && was[i] == now[j] {
            lines.push(format!("  {}", was[i]));
            i += 1;
            j += 1;
        } else if i < was.len() && (j == now.len() || shared[i + 1][j] >= shared[i][j + 1]) {
            lines.push(format!("- {}", was[i]));
            i += 1;
        } else {
            lines.push(format!("+ {}", now[j]));
            j += 1;
        }
    }
    lines
}

/// Lets the user edit the test with `$VISUAL` or `$EDITOR`, and gives the new text, or why there is none.
fn edited(offered: &Offered, scratch: &Path) -> Result<String, String> {
    let text = offered.now.as_ref().or(offered.was.as_ref());
    let text = text.map(String::as_str).unwrap_or_default();
    let path = scratch.join(format!("{}.rs", offered.name.replace("::", "_")));
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(scratch).map_err(failed)?;
    fs::write(&path, format!("{text}\n")).map_err(failed)?;
    let set = |name: &str| std::env::var(name).ok().filter(|it| !it.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR"));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    // An editor may be given with flags, as git takes it.
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(&path)
        .status()
        .map_err(|error| format!("cannot start {editor}: {error}"))?;
    if !status.success() {
        return Err(format!("{editor} ended with {status}"));
    }
    let new = fs::read_to_string(&path).map_err(failed)?;
    let new = new.trim_end().to_owned();
    if new == text {
        return Err("nothing was changed".to_owned());
    }
    check_edited(&new)?;
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_marked() {
        let lines = differences(
            "fn a() {\n    b(1);\n    c();\n}",
            "fn a() {\n    b(2);\n    c();\n}",
        );
        assert_eq!(
            lines,
            [
                "  fn a() {",
                "-     b(1);",
                "+     b(2);",
                "      c();",
                "  }"
            ]
        );
        assert_eq!(differences("", "a"), ["+ a"]);
        assert_eq!(differences("a", ""), ["- a"]);
    }

    #[test]
    fn an_answer_is_a_letter_or_a_word_and_the_end_of_the_input_is_none() {
        let mut input = "maybe\nYES\nv\n".as_bytes();
        assert!(matches!(said(&mut input), Some(Said::Yes)));
        assert!(matches!(said(&mut input), Some(Said::Never)));
        assert!(said(&mut input).is_none());
    }
}
