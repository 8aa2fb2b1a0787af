//! How a file is written.

/// Formats a source text; `None` if it cannot.
pub type Format<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How a file is written.
#[derive(Clone)]
pub struct EmitOptions<'a> {
    /// Lines of documentation at the top, without slashes: a crate that demands documentation
    /// demands it of its tests too.
    pub header: Vec<String>,
    /// The `cfg` predicate on which the whole file depends.
    pub condition: Option<String>,
    /// The edition of the package that gets the test.
    pub edition: u16,
    /// A module of functions that make values, if tests may need one: its name, and the path to its
    /// file from the written file.
    pub module: Option<(String, String)>,
    /// Does the crate's own code depend on how wide a pointer is?
    pub depends_on_width: bool,
    /// The formatter, as a rule rustfmt. If it fails, the text stays as it is.
    pub format: Option<Format<'a>>,
}

impl Default for EmitOptions<'_> {
    fn default() -> Self {
        EmitOptions {
            header: Vec::new(),
            condition: None,
            edition: 2021,
            module: None,
            depends_on_width: false,
            format: None,
        }
    }
}

impl EmitOptions<'_> {
    /// The text after formatting.
    pub(crate) fn formatted(&self, text: String) -> String {
        let format = self.format.and_then(|format| format(&text));
        format.unwrap_or(text)
    }
}
