//! Names tests after the call that they are about.
//!
//! The only test of `insert` is called `insert`, as people would call it: what it shows stands in its
//! assertions. A name says more where there is more to tell apart: that the call fails, or, of a second test
//! of the same call, its outcome, the state that it is made in, or what it was given. Only after that there
//! are numbers. Names used to list calls and kinds of results; readers found that these say less than the test
//! itself.

mod several;
mod story;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{NEWEST_EDITION, is_keyword};

use self::several::Several;
use self::story::Story;
use crate::case::TestCase;
use crate::cx::Cx;

/// Longer names are avoided. If there is no other, words are left out.
const MAX_LENGTH: usize = 60;

/// The names of a file's tests.
pub(crate) struct Titles {
    taken: BTreeSet<String>,
    /// Functions that the file may import. No test may hide them.
    reserved: BTreeSet<String>,
    /// Names of calls that belong to several types.
    shared: BTreeSet<String>,
}

impl Titles {
    /// The names that a file has already are taken.
    pub(crate) fn new(
        cx: Cx<'_>,
        cases: &[&TestCase],
        before: &BTreeSet<String>,
        reserved: &BTreeSet<String>,
    ) -> Titles {
        let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for case in cases {
            let printed = vec![false; case.checks.len()];
            for story in Story::all(cx, case, &printed) {
                let of_verb = owners.entry(story.own_verb()).or_default();
                of_verb.insert(story.typed_verb());
            }
        }
        let shared = owners.into_iter().filter(|(_, typed)| typed.len() > 1);
        Titles {
            taken: before.clone(),
            reserved: reserved.clone(),
            shared: shared.map(|(verb, _)| verb).collect(),
        }
    }

    /// A name for the test that is not taken yet.
    pub(crate) fn title(&mut self, cx: Cx<'_>, case: &TestCase, printed: &[bool]) -> String {
        let stories = Story::all(cx, case, printed);
        let plain = stories[0].plain(&self.shared);
        let candidates = match &stories[..] {
            [story] => story.names(&plain),
            _ => Several::of(&stories).names(&plain),
        };
        let fits = |name: &&String| name.len() <= MAX_LENGTH;
        for name in candidates.iter().filter(fits) {
            let name = self.free(name);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        let shortest = candidates.iter().find(fits).or(candidates.first());
        let shortest = shorten(shortest.map_or("nothing", |name| name));
        numbered(&self.free(&shortest), &mut self.taken)
    }

    /// The name, or another one if a function of that name may be imported.
    fn free(&self, name: &str) -> String {
        match self.is_reserved(name) {
            true => format!("test_{name}"),
            false => name.to_owned(),
        }
    }

    fn is_reserved(&self, name: &str) -> bool {
        self.reserved.contains(name) || name == "drop" || is_keyword(name, NEWEST_EDITION)
    }
}

fn numbered(base: &str, taken: &mut BTreeSet<String>) -> String {
    if taken.insert(base.to_owned()) {
        return base.to_owned();
    }
    let mut n = 2;
    loop {
        let candidate = format!("{base}_{n}");
        if taken.insert(candidate.clone()) {
            return candidate;
        }
        n += 1;
    }
}

/// Leaves out words in the middle, because the call at the beginning and the outcome at the end
/// matter most.
fn shorten(name: &str) -> String {
    let mut words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    while words.join("_").len() > MAX_LENGTH && words.len() > 1 {
        words.remove(words.len() / 2);
    }
    words.join("_")
}
