//! Annotations that GitHub shows at the lines of a pull request: workflow commands in the log.

use std::fmt::Write as _;

use testsmith_record::{FailureVerdict, Status, shown};

use crate::rank::{with_status, words};
use crate::records::Records;

/// A line for every suspicious failure and every mutant that survives, those first that change most:
/// GitHub shows ten of a kind in a step. `root` leads from the repository to the package.
pub fn github(records: &Records, root: &str) -> String {
    let mut out = String::new();
    let failures = records.run.iter().flat_map(|run| &run.failures);
    for failure in failures.filter(|it| it.verdict == FailureVerdict::Suspicious) {
        let title = format!("{} ({})", failure.operation, failure.kind);
        let place = match failure.file.is_empty() {
            true => None,
            false => Some((&*failure.file, failure.line as usize)),
        };
        let mut message = failure.message.clone();
        if !message.is_empty() {
            message.push('\n');
        }
        message.push_str(&failure.reason);
        if let Some(test) = &failure.test {
            let _ = write!(message, "\nshown by {test}");
        }
        command(&mut out, "error", root, place, &title, &message);
    }
    let Some(judged) = records.judged() else {
        return out;
    };
    for mutant in with_status(judged.mutants, Status::Survived) {
        let mut message = words(mutant);
        match mutant.reached_by.len() {
            0 => {}
            1 => message.push_str("\none test reaches it and does not notice"),
            n => {
                let _ = write!(message, "\n{n} tests reach it and do not notice");
            }
        }
        let place = Some((&*mutant.file, mutant.line));
        let title = format!("mutant survives: {}", mutant.operator);
        command(&mut out, "warning", root, place, &title, &message);
    }
    out
}

fn command(
    out: &mut String,
    level: &str,
    root: &str,
    place: Option<(&str, usize)>,
    title: &str,
    message: &str,
) {
    let mut properties = String::new();
    if let Some((file, line)) = place {
        let file = property(&format!("{root}{file}"));
        let _ = write!(properties, "file={file},line={line},");
    }
    let (title, message) = (property(title), data(message));
    let _ = writeln!(out, "::{level} {properties}title={title}::{message}");
}

/// As a message has it: in one line.
fn data(text: &str) -> String {
    let text = shown(text).replace('%', "%25");
    text.replace('\n', "%0A")
}

/// As a property has it: what separates properties is written otherwise, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
