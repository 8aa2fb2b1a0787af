//! What is printed: the answer on standard output, everything else on standard error. Nothing that a
//! crate says acts on the terminal, and nobody has to read to the end.

use std::io::{ErrorKind, Write};

use testsmith_record::shown;

/// Prints what the user asked for, with nothing in it that a terminal would obey.
pub(crate) fn say(text: &str) {
    hand_over(&shown(text));
}

/// Says something beside the answer: progress, warnings, failures. Whoever closes the pipe early does not
/// want to know.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", shown(text));
}

/// Prints a text as it is, which a program reads. Whoever closes the pipe early has read enough.
pub(crate) fn hand_over(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let result = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    if let Err(error) = result
        && error.kind() != ErrorKind::BrokenPipe
    {
        tell(&format!("warning: cannot print the summary: {error}"));
    }
}
