//! What a review shows to the user, one thing at a time, and the suite that comes of the answers.

use std::collections::BTreeSet;

use testsmith_record::{Drops, ShowingReport};

use crate::begin::Begun;
use crate::place::relative;
use crate::stage::{Root, Suite, Writer};
use crate::standing::refused::Offer;
use crate::standing::seal::sealed;
use crate::standing::text::{Edit, edited};
use crate::standing::{At, Standing};

/// What the user decides about.
#[derive(Clone, Debug)]
pub struct Offered {
    /// What it is.
    pub what: What,
    /// The test's name.
    pub name: String,
    /// The test's file, relative to the package if it is inside.
    pub file: String,
    /// The text of the test as it is there; none if it is new.
    pub was: Option<String>,
    /// The text that it would have; none if it would be taken out.
    pub now: Option<String>,
    at: Option<At>,
}

/// What is decided.
#[derive(Clone, Debug)]
pub enum What {
    /// A test shows a change: is that as it should be?
    Change {
        /// The call that is likely to have changed.
        call: String,
        /// The test, and how it fails.
        showing: ShowingReport,
    },
    /// Is a new test to be added?
    New,
    /// Is a test to be taken out?
    Removal {
        /// Why it could go.
        reason: String,
    },
}

/// What the user says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is done.
    Yes,
    /// It is not done, and offered again the next time.
    No,
    /// It is not done, and not offered again. A test that shows a change is taken out.
    Never,
    /// The test gets this text, and is the user's from now on.
    Edited(String),
}

impl Offered {
    /// Can it be answered with yes? A test that a person wrote or edited is rewritten by a person only.
    pub fn can_be_accepted(&self) -> bool {
        !matches!(&self.what, What::Change { showing, .. } if showing.person)
    }
}

impl Writer<'_> {
    /// What is to be decided: changes first, then what is new, then what could go.
    pub fn offers(&self, begun: &Begun, suite: &Suite) -> Vec<Offered> {
        let changes = begun.changes.iter().map(|it| {
            let name = &it.name;
            let rewritten = begun.accepted.standing.tests();
            let mut rewritten = rewritten.filter(|_| begun.accepted.rewritten.contains(name));
            let now = rewritten.find(|(at, _)| begun.accepted.standing.full_name(*at) == *name);
            Offered {
                what: What::Change {
                    call: it.call.clone(),
                    showing: it.report(false),
                },
                name: name.clone(),
                file: it.file.clone(),
                was: Some(it.text.clone()),
                now: now.map(|(_, test)| test.text.clone()),
                at: Some(it.change.at),
            }
        });
        let files = suite.regression.files.iter().chain(&suite.failures.files);
        let tests = files.flat_map(|file| file.tests.iter().map(move |test| (file, test)));
        let new = suite.added().filter_map(|new| {
            let mut tests = tests.clone();
            let (file, test) = tests.find(|(file, test)| file.full_name(test) == new.name)?;
            Some(Offered {
                what: What::New,
                name: new.name.clone(),
                file: relative(&self.target.package, &file.path),
                was: None,
                now: Some(test.text.clone()),
                at: None,
            })
        });
        let removals = suite.proposed.iter().filter_map(|(at, reason)| {
            let name = begun.standing.full_name(*at);
            let original = begun.original.tests();
            let mut original = original.map(|(at, _)| at);
            Some(Offered {
                what: What::Removal {
                    reason: reason.clone(),
                },
                file: relative(&self.target.package, &begun.standing.file(*at).path),
                was: Some(begun.standing.test(*at).text.clone()),
                now: None,
                at: Some(original.find(|it| begun.original.full_name(*it) == name)?),
                name,
            })
        });
        changes.chain(new).chain(removals).collect()
    }

    /// The suite that comes of the answers. What was not answered stays as it is.
    pub fn settle(
        &self,
        begun: &mut Begun,
        suite: Suite,
        answers: &[(Offered, Answer)],
        drops: &mut Drops,
    ) -> Suite {
        let (mut texts, mut edits, mut out) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut accepted = BTreeSet::new();
        for (offered, answer) in answers {
            let name = &offered.name;
            let Some(at) = offered.at else { continue };
            let is_change = matches!(offered.what, What::Change { .. });
            match answer {
                Answer::No => {}
                Answer::Edited(text) => edits.push((at, text.clone())),
                Answer::Yes if !offered.can_be_accepted() => {}
                Answer::Yes => match &offered.now {
                    Some(text) => texts.push((at, text.clone())),
                    None => drop(out.insert(at)),
                },
                Answer::Never if is_change && offered.can_be_accepted() => {
                    for text in offered.was.iter().chain(&offered.now) {
                        begun.refused.add(Offer::Test, name, text);
                    }
                    out.insert(at);
                }
                Answer::Never if is_change => {}
                Answer::Never => {
                    let was = offered.was.as_deref().unwrap_or_default();
                    begun.refused.add(Offer::Removal, name, was);
                }
            }
            let is_done = match answer {
                Answer::No => false,
                Answer::Edited(_) => true,
                Answer::Yes | Answer::Never => offered.can_be_accepted(),
            };
            if is_change && is_done {
                accepted.insert(name.clone());
            }
        }
        let standing = begun.original.with(&texts).edited(&edits).without(&out);
        let regression = self.answered(
            begun,
            &standing,
            suite.names.regression,
            suite.regression,
            answers,
            drops,
        );
        let failures = self.answered(
            begun,
            &standing,
            suite.names.failures,
            suite.failures,
            answers,
            drops,
        );
        begun.settled(standing, accepted, &texts, &out);
        let mut settled = Suite::of(suite.names);
        settled.regression = regression;
        settled.failures = failures;
        settled.code = suite.code;
        settled
    }

    /// The files of a root with the new tests that the user wants.
    fn answered(
        &self,
        begun: &mut Begun,
        standing: &Standing,
        name: &'static str,
        root: Root,
        answers: &[(Offered, Answer)],
        drops: &mut Drops,
    ) -> Root {
        let answer = |name: &str| {
            let is_it = |it: &&(Offered, Answer)| it.0.at.is_none() && it.0.name == name;
            answers.iter().find(is_it)
        };
        let mut cases = Vec::new();
        let mut texts = Vec::new();
        for test in &root.tests {
            match answer(&test.name) {
                Some((_, Answer::Yes)) => cases.push(root.cases[test.case].clone()),
                Some((offered, Answer::Edited(text))) => {
                    cases.push(root.cases[test.case].clone());
                    texts.push((offered.now.clone().unwrap_or_default(), text.clone()));
                }
                Some((offered, Answer::Never)) => {
                    let text = offered.now.as_deref().unwrap_or_default();
                    begun.refused.add(Offer::Test, &test.name, text);
                }
                Some((_, Answer::No)) | None => {}
            }
        }
        let mut composed = self.composed(name, standing, cases, drops);
        for file in &mut composed.files {
            let own = file.tests.iter().filter_map(|test| {
                let same = |(old, _): &&(String, String)| {
                    crate::standing::news::canonical(old)
                        == crate::standing::news::canonical(&test.text)
                };
                let (_, text) = texts.iter().find(same)?;
                Some(Edit {
                    lines: test.lines.clone(),
                    with: text.lines().map(str::to_owned).collect(),
                })
            });
            let own: Vec<Edit> = own.collect();
            if !own.is_empty() {
                let text = edited(&file.text, own);
                *file = file
                    .again(text)
                    .expect("an edited test was read before it was taken");
            }
        }
        composed
    }
}

impl Standing {
    /// The suite with texts of a person's for some tests.
    fn edited(&self, texts: &[(At, String)]) -> Standing {
        let of_file = |i: usize| {
            let file = &self.files[i];
            let own = texts.iter().filter(|(at, _)| at.file == i);
            let edits = own.map(|(at, text)| Edit {
                lines: file.tests[at.test].lines.clone(),
                with: text.lines().map(str::to_owned).collect(),
            });
            let edits: Vec<Edit> = edits.collect();
            match edits.is_empty() {
                true => file.text.clone(),
                // A file of an earlier version must say of its other tests that they are ours.
                false => {
                    let is_edited = |it: &&str| {
                        let mut own = texts.iter().filter(|(at, _)| at.file == i);
                        own.any(|(at, _)| file.tests[at.test].text == **it)
                    };
                    let mut pieces = file.own_pieces();
                    pieces.retain(|it| !is_edited(it));
                    sealed(&edited(&file.text, edits), &pieces, None)
                }
            }
        };
        self.with_texts((0..self.files.len()).map(of_file).collect())
    }
}

/// Reads a test that somebody edited. Gives what is wrong with it, if anything is.
pub fn check_edited(text: &str) -> Result<(), String> {
    let file = syn::parse_file(text)
        .map_err(|error| format!("line {}: {error}", error.span().start().line))?;
    match &file.items[..] {
        [syn::Item::Fn(it)] if it.attrs.iter().any(|it| it.path().is_ident("test")) => Ok(()),
        _ => Err("it must be one function with #[test]".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_test_is_one_function() {
        assert!(check_edited("// Why.\n#[test]\nfn a() {}\n").is_ok());
        assert!(check_edited("#[test]\nfn a() {}\nfn b() {}\n").is_err());
        let error = check_edited("#[test]\nfn a( {}\n").expect_err("it is no Rust");
        assert!(error.starts_with("line 2: "), "{error}");
    }
}
