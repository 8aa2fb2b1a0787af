//! `cargo testsmith sandbox`: what the walls around foreign code are here, and what is allowed within.

use std::fmt::Write as _;

use testsmith_project::{Allowed, Inmate, Sandbox};

use crate::exit::{self, Failure};
use crate::terminal::say;

/// Prints what this system gives, and the description that the filters are made from.
pub(crate) fn sandbox() -> Result<u8, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure {
        message: format!("cannot tell the current directory: {error}"),
        advice: Some("call it from a directory that is there".to_owned()),
        code: exit::USAGE,
    })?;
    let sandbox = Sandbox::new(&here);
    let mut text = String::from("Walls around guests and tests, as this system gives them:\n\n");
    for given in sandbox.given() {
        let (mark, what) = match given.is {
            Ok(what) => ("yes", what),
            Err(what) => ("no ", what),
        };
        let _ = writeln!(text, "  {mark}  {:<14} {what}", given.name);
    }
    let guest = sandbox.allowed(Inmate::Guest);
    let test = sandbox.allowed(Inmate::TestBinary);
    text += "\nSystem calls that both may make; all others are refused, and noticed in guests:\n";
    list(&mut text, test.iter().filter(|it| guest.contains(it)));
    text += "\nTests may besides:\n";
    list(&mut text, test.iter().filter(|it| !guest.contains(it)));
    text += "\nGuests may besides, but not the children in which they call foreign code:\n";
    list(&mut text, guest.iter().filter(|it| !test.contains(it)));
    say(text.trim_end());
    Ok(0)
}

/// The width of a line of names.
const WIDTH: usize = 96;

fn list<'a>(text: &mut String, allowed: impl Iterator<Item = &'a Allowed>) {
    for Allowed { what, calls } in allowed {
        let _ = writeln!(text, "\n  {what}");
        let mut line = String::from("   ");
        for call in calls {
            if line.len() + 1 + call.len() > WIDTH {
                let _ = writeln!(text, "{line}");
                line = String::from("   ");
            }
            let _ = write!(line, " {call}");
        }
        let _ = writeln!(text, "{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_lines_below_what_they_are_for() {
        let calls = vec!["rt_sigprocmask"; 8];
        let what = "how it takes signals";
        let mut text = String::new();
        list(&mut text, [Allowed { what, calls }].iter());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "  how it takes signals");
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|it| it.len() <= WIDTH));
    }
}
