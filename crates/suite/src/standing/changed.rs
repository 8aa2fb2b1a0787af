//! What a test that fails now shows: the value that it expects, the one that there is, and which call
//! is likely to have changed.

use std::collections::BTreeSet;

use syn::spanned::Spanned;
use syn::visit::Visit;
use testsmith_project::End;
use testsmith_rig::TestRun;

use super::trial::{Fate, Fates};
use super::{At, Standing, StandingTest};
use crate::blame::{Spectrum, blame};

/// How a test fails that used to pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Broke {
    /// It does not compile any more.
    Compiling {
        /// What rustc says.
        message: String,
    },
    /// An assertion fails.
    Assertion {
        /// The line of the file, counted from 1.
        line: u32,
        /// The value that is expected, if the assertion compares values.
        old: Option<String>,
        /// The value that there is.
        new: Option<String>,
    },
    /// The code under test panics.
    Panics {
        /// With this message.
        message: String,
    },
    /// A panic is expected, and none comes.
    Returns,
    /// The process dies, or takes too long.
    Dies {
        /// In words.
        how: String,
    },
}

/// A change of behaviour, as one test shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    /// The test.
    pub(crate) at: At,
    /// How it fails.
    pub(crate) broke: Broke,
}

/// Changes that are likely to have one cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Likely {
    /// The call that is likely to have changed, as tests write it.
    pub(crate) call: String,
    /// The changes.
    pub(crate) changes: Vec<Change>,
}

/// How a test fails, by what its process printed.
pub(crate) fn broke(standing: &Standing, at: At, run: &TestRun, name: &str) -> Broke {
    let printed = run.failed.get(name).unwrap_or(&run.text);
    if run.complete {
        return said(
            printed,
            &format!("tests/{}", standing.below(standing.file(at))),
        );
    }
    let how = match &run.end {
        End::Late => "takes too long".to_owned(),
        End::Signal(signal) => format!("is ended by signal {signal}"),
        End::Code(code) => format!("ends the process with exit code {code}"),
        other => format!("{other:?}").to_lowercase(),
    };
    Broke::Dies { how }
}

/// How a test fails that prints this. `file` is the end of the path of its file.
fn said(printed: &str, file: &str) -> Broke {
    if printed.contains("test did not panic as expected") {
        return Broke::Returns;
    }
    let mut lines = printed.lines();
    let mut at = None;
    for line in lines.by_ref() {
        if let Some((_, place)) = line.split_once("panicked at ") {
            at = Some(place);
            break;
        }
    }
    let message: Vec<&str> = lines
        .take_while(|line| !line.starts_with("note: "))
        .collect();
    let first = message.first().copied().unwrap_or_default();
    let line = at.and_then(|place| {
        let (path, rest) = place.split_once(".rs:")?;
        let is_here = format!("{path}.rs").ends_with(file);
        is_here.then(|| rest.split(':').next()?.parse().ok())?
    });
    match line {
        Some(line) if first.starts_with("assertion") => {
            let side = |name: &str| {
                let mut lines = message.iter().map(|line| line.trim_start());
                let found = lines.find_map(|line| line.strip_prefix(name));
                found.map(str::to_owned)
            };
            Broke::Assertion {
                line,
                old: side("right: "),
                new: side("left: "),
            }
        }
        _ => Broke::Panics {
            message: message.join("\n").trim_end().to_owned(),
        },
    }
}

/// The changes that tests show, by the calls that are likely to have changed.
pub(crate) fn likely(standing: &Standing, fates: &Fates) -> Vec<Likely> {
    let tests: Vec<(At, &StandingTest)> = standing.tests().collect();
    let spectra: Vec<Spectrum> = tests
        .iter()
        .map(|(at, test)| {
            let line = match fates.of(*at) {
                Fate::Broken(Broke::Assertion { line, .. }) => {
                    (*line as usize).checked_sub(test.lines.start + 1)
                }
                _ => None,
            };
            Spectrum {
                callables: calls(&test.text, line),
                failed: matches!(fates.of(*at), Fate::Broken(_)),
            }
        })
        .collect();
    let blamed = blame(&spectra).into_iter();
    let likely = blamed.map(|(call, explained)| {
        let changes = explained
            .into_iter()
            .filter_map(|i| match fates.of(tests[i].0) {
                Fate::Broken(broke) => Some(Change {
                    at: tests[i].0,
                    broke: broke.clone(),
                }),
                _ => None,
            });
        Likely {
            call,
            changes: changes.collect(),
        }
    });
    likely.filter(|it| !it.changes.is_empty()).collect()
}

/// The calls in a test. First are those in the statement at a line, counted from 0, if one is given;
/// else the last ones, which tests are about.
pub(crate) fn calls(text: &str, line: Option<usize>) -> Vec<String> {
    let Ok(function) = syn::parse_str::<syn::ItemFn>(text) else {
        return Vec::new();
    };
    let mut found = Calls::default();
    let statements = function.block.stmts.iter().rev();
    let (here, others): (Vec<_>, Vec<_>) = statements.partition(|statement| {
        let lines = statement.span().start().line..=statement.span().end().line;
        line.is_some_and(|line| lines.contains(&(line + 1)))
    });
    for statement in here.into_iter().chain(others) {
        found.visit_stmt(statement);
    }
    let mut known = BTreeSet::new();
    found.names.retain(|name| known.insert(name.clone()));
    found.names
}

#[derive(Default)]
struct Calls {
    names: Vec<String>,
}

/// Calls of the standard library that say nothing of the crate under test.
const COMMON: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_err",
    "as_ref",
    "as_deref",
    "iter",
    "collect",
    "Some",
    "Ok",
    "Err",
    "to_owned",
    "to_vec",
    "into_iter",
    "String::from",
    "Vec::new",
    "Box::new",
    "copied",
    "cloned",
];

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.add(call.method.to_string());
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func {
            let segments = path.path.segments.iter().map(|it| it.ident.to_string());
            let segments: Vec<String> = segments.collect();
            let last = &segments[segments.len().saturating_sub(2)..];
            self.add(last.join("::"));
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if let Ok(args) = mac.parse_body_with(parse) {
            args.iter().for_each(|arg| {
                // The arguments live no longer than this call, so they get a visitor of their own.
                let mut inner = Calls::default();
                inner.visit_expr(arg);
                self.names.append(&mut inner.names);
            });
        }
    }
}

impl Calls {
    fn add(&mut self, name: String) {
        if !COMMON.contains(&&*name) {
            self.names.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_values_of_a_comparison_are_read() {
        let printed = "thread 't' (7) panicked at tests/testsmith_regression.rs:12:5:\nassertion `left == right` failed: why\n  left: Some(4)\n right: None\nnote: run with `RUST_BACKTRACE=1`\n";
        let broke = said(printed, "testsmith_regression.rs");
        assert_eq!(
            broke,
            Broke::Assertion {
                line: 12,
                old: Some("None".to_owned()),
                new: Some("Some(4)".to_owned()),
            }
        );
    }

    #[test]
    fn a_panic_elsewhere_is_the_crates() {
        let printed = "thread 't' panicked at src/lib.rs:3:9:\nattempt to add\nnote: run\n";
        let message = "attempt to add".to_owned();
        assert_eq!(said(printed, "t.rs"), Broke::Panics { message });
        let printed = "note: test did not panic as expected at tests/t.rs:4:4";
        assert_eq!(said(printed, "t.rs"), Broke::Returns);
    }

    #[test]
    fn the_calls_of_the_failing_statement_come_first() {
        let text = "#[test]\nfn t() {\n    let mut m = Map::new();\n    m.insert(1);\n    assert_eq!(m.len(), 1);\n    assert!(m.get(1).is_some());\n}";
        assert_eq!(
            calls(text, Some(4)),
            ["len", "is_some", "get", "insert", "Map::new"]
        );
        assert_eq!(calls(text, None)[..2], ["is_some", "get"]);
    }
}
