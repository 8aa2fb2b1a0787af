//! Paths of source files as users write them.

/// The path of a source file without the directories of this machine. `None` if it is in the
/// harness: a function with `#[track_caller]` blames its caller, which is our code.
pub fn relative(file: &str) -> Option<String> {
    if file.ends_with(".rs") && file.contains("harness/src/operations_") {
        return None;
    }
    let parts: Vec<&str> = file.split('/').collect();
    Some(relative_parts(&parts, file))
}

fn relative_parts(parts: &[&str], file: &str) -> String {
    if let Some(at) = parts.iter().rposition(|part| *part == "library") {
        return parts[at..].join("/");
    }
    match parts.iter().rposition(|part| *part == "src") {
        Some(at) => {
            parts[at.saturating_sub(usize::from(at > 0 && file.contains(".cargo")))..].join("/")
        }
        None => parts.last().copied().unwrap_or_default().to_owned(),
    }
}
