//! Names tests after the call that they are about and its outcome, in one case or in several.
//!
//! A name says nothing that its test does not show. If two tests would have the same name, the
//! second says more: what the call was given, or what else was observed. Only after that there are
//! numbers.

mod several;
mod story;
mod words;

use std::collections::BTreeSet;

use self::several::Several;
use self::story::Story;
use crate::case::TestCase;
use crate::cx::Cx;

/// Longer names are avoided. If there is no other, words are left out.
const MAX_LENGTH: usize = 60;

/// A name for the test that is not taken yet.
pub(crate) fn title(
    cx: Cx<'_>,
    case: &TestCase,
    printed: &[bool],
    taken: &mut BTreeSet<String>,
) -> String {
    let stories = Story::all(cx, case, printed);
    let candidates = match &stories[..] {
        [story] => story.names(),
        _ => Several::of(&stories).names(),
    };
    let fits = |name: &&String| name.len() <= MAX_LENGTH;
    for name in candidates.iter().filter(fits) {
        if taken.insert(name.clone()) {
            return name.clone();
        }
    }
    let shortest = candidates.iter().find(fits).or(candidates.first());
    numbered(&shorten(shortest.map_or("nothing", |name| name)), taken)
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
