//! Reads what a sentence says of panics: that there is one, or that there is none.
//!
//! Most sentences with the word announce a panic. Those that deny it have the denial right before
//! it ("does not panic", "rather than raising a panic"); what is denied elsewhere ("if it is not
//! there, this panics") is the condition.

/// What a sentence says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Polarity {
    /// Something panics.
    Panics,
    /// Something does not panic.
    DoesNot,
}

/// Words that deny what follows them.
const DENIALS: [&str; 19] = [
    "aren't", "avoid", "avoiding", "avoids", "cannot", "can't", "doesn't", "don't", "instead",
    "isn't", "never", "no", "non", "not", "prevent", "prevents", "rather", "without", "won't",
];
/// Words that may stand between a denial and what it denies.
const BETWEEN: [&str; 40] = [
    "a",
    "about",
    "actually",
    "also",
    "an",
    "any",
    "be",
    "by",
    "cause",
    "causes",
    "causing",
    "chance",
    "do",
    "does",
    "ever",
    "from",
    "get",
    "in",
    "is",
    "itself",
    "just",
    "lead",
    "of",
    "possibility",
    "raise",
    "raised",
    "raising",
    "result",
    "resulting",
    "risk",
    "simply",
    "than",
    "the",
    "throwing",
    "to",
    "triggering",
    "via",
    "will",
    "with",
    "possible",
];

/// What a sentence says of panics; `None` if it does not speak of them.
pub fn polarity(sentence: &str) -> Option<Polarity> {
    let sentence = sentence.to_lowercase().replace('’', "'");
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    // Commas end what a denial reaches, and so are words here.
    let mut words = Vec::new();
    for piece in sentence.split_inclusive(|c: char| !is_word(c)) {
        let word = piece.trim_end_matches(|c: char| !is_word(c));
        if !word.is_empty() {
            words.push(word);
        }
        if piece.ends_with([',', ';', ':', '(', '—']) {
            words.push(",");
        }
    }
    let mut found = None;
    for (at, word) in words.iter().enumerate() {
        if !is_panic(word) {
            continue;
        }
        let mut before = words[..at].iter().rev();
        let before = before.find(|word| !BETWEEN.contains(word));
        let is_denied = before.is_some_and(|word| DENIALS.contains(word));
        let after = &words[at + 1..];
        let is_exception = after.iter().any(|it| matches!(*it, "unless" | "except"));
        let is_free = after.first() == Some(&"free");
        match is_free || is_denied && !is_exception {
            true => found = found.or(Some(Polarity::DoesNot)),
            false => return Some(Polarity::Panics),
        }
    }
    found
}

fn is_panic(word: &str) -> bool {
    matches!(
        word,
        "panic" | "panics" | "panicking" | "panicked" | "panicks"
    )
}

/// The sentences of a text. Paragraphs and points of lists end one, too.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let paragraphs = text.split("\n\n");
    let sentences = paragraphs.flat_map(|paragraph| paragraph.split_inclusive(". "));
    sentences.map(str::trim).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_counts_where_it_stands() {
        for sentence in [
            "This method does not panic.",
            "It returns an error rather than raising a panic.",
            "Returns `None` instead of panicking.",
            "A non-panicking version of `at`.",
            "It never panics, whatever `n` is.",
            "Use it to avoid a panic.",
            "A panic-free variant.",
            "Doesn't ever panic.",
        ] {
            assert_eq!(polarity(sentence), Some(Polarity::DoesNot), "{sentence}");
        }
        for sentence in [
            "Panics if it is not there.",
            "If the key is not present, this panics.",
            "If it does not exist this method panics",
            "It will not panic unless `n` is 0.",
            "Does not panic in release, but panics in debug builds.",
            "This may panic.",
        ] {
            assert_eq!(polarity(sentence), Some(Polarity::Panics), "{sentence}");
        }
        assert_eq!(polarity("It panicles."), None);
    }
}
