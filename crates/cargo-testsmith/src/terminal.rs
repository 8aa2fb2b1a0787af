//! What is printed: the answer on standard output, everything else on standard error. Nothing that a
//! crate says acts on the terminal, and nobody has to read to the end.

use std::io::{ErrorKind, Write};

use testsmith_record::shown;

use crate::exit::{self, Failure};

/// Prints what the user asked for, with nothing in it that a terminal would obey.
pub(crate) fn say(text: &str) {
    if let Err(error) = print(&shown(text)) {
        tell(&format!("warning: cannot print the summary: {error}"));
    }
}

/// Says something beside the answer: progress, warnings, failures. Whoever closes the pipe early does not
/// want to know.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", shown(text));
}

/// Prints a text as it is, which a program reads and which stands nowhere else.
pub(crate) fn hand_over(text: &str) -> Result<(), Failure> {
    print(text).map_err(|error| Failure {
        message: format!("cannot print it: {error}"),
        advice: Some("name a file with room".to_owned()),
        code: exit::WRITE,
    })
}

/// Whoever closes the pipe early has read enough.
fn print(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let printed = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match printed {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}
