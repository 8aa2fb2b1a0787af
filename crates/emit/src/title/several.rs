//! Names tests of several cases after what the cases have in common, or what they contrast.

use testsmith_protocol::Value;

use super::MAX_LENGTH;
use super::story::{Answer, Story};
use super::words::{among, phrase};

pub(super) struct Several<'s, 'a> {
    stories: &'s [Story<'a>],
}

/// The most words of an error's text in a name.
const MAX_ERROR_WORDS: usize = 4;

impl<'s, 'a> Several<'s, 'a> {
    pub(super) fn of(stories: &'s [Story<'a>]) -> Several<'s, 'a> {
        Several { stories }
    }

    /// Names for the test, the best one first. `plain` is the name of its first call.
    pub(super) fn names(&self, plain: &str) -> Vec<String> {
        let verbs = distinct(self.stories.iter().map(Story::own_verb));
        if verbs.len() > 1 {
            return self.of_several_calls();
        }
        let sides: Vec<Option<&str>> = self.stories.iter().map(Story::side).collect();
        let mut names = Vec::new();
        match sides.iter().all(|side| *side == Some("err")) {
            true => {
                names.extend(self.errors().map(|errors| format!("{plain}_{errors}")));
                names.push(format!("{plain}_fails"));
            }
            false => names.push(plain.to_owned()),
        }
        names.extend(self.longer());
        names
    }

    /// Names that say more than the call.
    fn longer(&self) -> Vec<String> {
        let verbs = distinct(self.stories.iter().map(Story::own_verb));
        let typed = self.stories[0].typed_verb();
        let mut heads = vec![typed.clone()];
        heads.extend(Some(self.head()).filter(|it| *it != typed));
        if let Some(shared) = self.shared_condition() {
            heads.push(format!("{}_{shared}", self.stories[0].typed_verb()));
        }
        let tails = self.tails();
        let mut names = Vec::new();
        // Where the outcomes differ and no condition says when, the call alone says more than a list of
        // outcomes: the table has them.
        if is_list(&tails[0]) {
            names.extend(heads.iter().cloned());
            names.push(format!("{typed}_cases"));
        }
        for tail in &tails {
            for head in &heads {
                let name = format!("{head}_{tail}");
                // A type with a long name is left out of the test's name.
                names.push(match name.len() > MAX_LENGTH {
                    true => format!("{}_{tail}", verbs[0]),
                    false => name,
                });
            }
        }
        for detail in self.instance().into_iter().chain(self.given()) {
            let name = |tail: &String| format!("{}_{tail}_{detail}", heads[0]);
            names.extend(tails.iter().map(name));
        }
        if !names.iter().any(|name| name.len() <= MAX_LENGTH) {
            names.push(format!("{}_in_{}_cases", heads[0], self.stories.len()));
        }
        names
    }

    /// The instance of a generic type that all cases are about.
    fn instance(&self) -> Option<String> {
        let instances: Option<Vec<String>> = self.stories.iter().map(Story::instance).collect();
        match &distinct(instances?.into_iter())[..] {
            [only] => Some(format!("for_{only}")),
            _ => None,
        }
    }

    /// What the first case was given, for when nothing else tells two tests apart.
    fn given(&self) -> Option<String> {
        let mut words = self.stories.iter().filter_map(Story::given);
        words.next().map(|word| format!("given_{word}"))
    }

    /// A name like `stack_push_pop_and_len`.
    fn of_several_calls(&self) -> Vec<String> {
        let own = distinct(self.stories.iter().map(Story::own_verb));
        let first = self.stories[0].typed_verb();
        let ty = first.strip_suffix(&own[0]).unwrap_or_default();
        let rest = own[1..].iter();
        let rest = rest.map(|verb| verb.strip_prefix(ty).unwrap_or(verb).to_owned());
        let all: Vec<String> = std::iter::once(first.clone()).chain(rest).collect();
        let several = |verbs: &[String]| among(verbs, "and");
        vec![several(&all), several(&all[..2]), first]
    }

    /// The call and its receiver, if all cases have the same receiver; else the call and its type.
    fn head(&self) -> String {
        let actions = distinct(self.stories.iter().map(Story::action));
        let is_long = actions[0].len() > 36;
        match &actions[..] {
            [action] if !is_long && *action != self.stories[0].own_verb() => action.clone(),
            _ => self.stories[0].typed_verb(),
        }
    }

    /// A condition that holds in every case.
    fn shared_condition(&self) -> Option<String> {
        let of_first = self.stories[0].conditions().into_iter();
        let mut shared =
            of_first.filter(|it| self.stories.iter().all(|s| s.conditions().contains(it)));
        shared.next()
    }

    /// Phrases for the outcomes of the calls, from several points of view.
    fn tails(&self) -> Vec<String> {
        let mut tails = Vec::new();
        let sides: Option<Vec<&str>> = self.stories.iter().map(Story::side).collect();
        let sides = sides.unwrap_or_default();
        let is_err = !sides.is_empty() && sides.iter().all(|side| *side == "err");
        if is_err {
            tails.extend(self.errors());
        }
        let base = match &sides[..] {
            [] => self.results(),
            _ => {
                let sides: Vec<String> = sides.iter().map(|it| (*it).to_owned()).collect();
                let inner = self.payloads();
                let contrast = self.contrast(&sides, "returns");
                inner.or(contrast).or_else(|| Some(outcomes(&sides)))
            }
        };
        let equal: Option<Vec<String>> = self.stories.iter().map(Story::equal).collect();
        if let Some(equal) = equal.map(|it| distinct(it.into_iter()))
            && let [equal] = &equal[..]
        {
            tails.push(format!("equals_{equal}"));
        }
        let seen = self.answered();
        match base {
            Some(base) => {
                tails.push(base.clone());
                let link = if sides.is_empty() { "and" } else { "with" };
                let telling = seen.iter().filter(|it| !is_vague(it));
                tails.extend(telling.map(|seen| {
                    let seen = match link {
                        "with" => seen.replace("_returns_", "_").replace("_is_", "_"),
                        _ => seen.clone(),
                    };
                    format!("{base}_{link}_{seen}")
                }));
            }
            None => {
                tails.extend(self.fields());
                let (vague, telling): (Vec<_>, Vec<_>) =
                    seen.into_iter().partition(|seen| is_vague(seen));
                let seen = telling.into_iter().chain(vague);
                tails.extend(seen.map(|seen| format!("then_{seen}")));
            }
        }
        if is_err {
            tails.retain(|it| it != "returns_err");
            tails.push("fails".to_owned());
            tails.extend(self.like());
        }
        if tails.is_empty() {
            tails.push("succeeds".to_owned());
        }
        tails
    }

    /// A phrase like `fails_with_unexpected_character`.
    fn errors(&self) -> Option<String> {
        let words: Option<Vec<Vec<String>>> = self.stories.iter().map(Story::error_words).collect();
        let words = words?;
        let n_shared = (0..MAX_ERROR_WORDS)
            .take_while(|i| {
                let first = words[0].get(*i);
                first.is_some() && words.iter().all(|it| it.get(*i) == first)
            })
            .count();
        if n_shared > 1 || n_shared == 1 && words.iter().all(|it| it.len() == 1) {
            return Some(format!("fails_with_{}", words[0][..n_shared].join("_")));
        }
        let heads = words.iter().map(|it| it[..it.len().min(3)].join("_"));
        let heads = distinct(heads);
        (heads.len() == 2).then(|| format!("fails_with_{}", among(&heads, "or")))
    }

    /// The error of the first case, if the errors have no words in common.
    fn like(&self) -> Option<String> {
        let words = self.stories[0].error_words()?;
        let words = &words[..words.len().min(MAX_ERROR_WORDS)];
        (!words.is_empty()).then(|| format!("fails_like_{}", words.join("_")))
    }

    /// The results of the calls, in words for values.
    fn results(&self) -> Option<String> {
        let results: Option<Vec<&Value>> = self.stories.iter().map(Story::result).collect();
        let results = results?;
        let is_written = self.stories.iter().all(Story::is_written);
        if is_written && !self.answered().is_empty() {
            return None;
        }
        let together = self.together(&results, "returns")?;
        if together == "has_debug_text" {
            return Some(format!("returns_{}", self.stories[0].output_word()));
        }
        // The name of the call's own type says nothing about its result.
        let is_named = matches!(results[0], Value::Named { .. });
        match is_named && together == format!("returns_{}", self.stories[0].output_word()) {
            true => Some(format!("gives_{}", self.stories[0].output_word()))
                .filter(|_| self.answered().is_empty() && self.fields().is_none()),
            false => Some(together),
        }
    }

    /// The payloads, if all values have the same constructor: `less` and `greater` for `Some(Less)`
    /// and `Some(Greater)`.
    fn payloads(&self) -> Option<String> {
        let payload = |story: &Story<'a>| match story.result()? {
            Value::Named { path, fields } if path == "Some" => match &fields[..] {
                [(_, inner @ Value::Named { fields, .. })] if fields.is_empty() => Some(inner),
                _ => None,
            },
            _ => None,
        };
        // References to the payloads live as long as the test case.
        let payloads: Option<Vec<String>> = self
            .stories
            .iter()
            .map(|story| payload(story).map(|inner| bare(inner, "returns")))
            .collect();
        let payloads = payloads?;
        let contrast = self.contrast(&payloads, "returns");
        contrast.or_else(|| Some(outcomes(&payloads)))
    }

    /// One value of each case, in a phrase.
    fn together(&self, values: &[&Value], link: &str) -> Option<String> {
        let phrases = distinct(values.iter().map(|value| phrase(value, link)));
        if let [phrase] = &phrases[..] {
            let is_same = values.iter().all(|value| *value == values[0]);
            return Some(match values[0] {
                // The cases have different texts.
                Value::Str(_) if !is_same => format!("{link}_text"),
                _ => phrase.clone(),
            });
        }
        let all = |is: fn(&Value) -> bool| values.iter().all(|value| is(value));
        if all(|it| matches!(it, Value::Bool(_))) {
            if self.stories[0].own_verb().ends_with("_eq") {
                return Some("tells_equal_from_different".to_owned());
            }
            let words: Vec<String> = values.iter().map(|it| bare(it, link)).collect();
            let contrast = self.contrast(&words, "is");
            return contrast.or_else(|| Some("is_true_or_false".to_owned()));
        }
        if all(|it| matches!(it, Value::Named { .. })) {
            let words: Vec<String> = values.iter().map(|it| bare(it, link)).collect();
            return Some(match distinct(words.iter().cloned()).len() {
                2 | 3 => self
                    .contrast(&words, link)
                    .unwrap_or_else(|| outcomes(&words)),
                n => format!("{link}_{n}_variants"),
            });
        }
        if all(|it| matches!(it, Value::Int(_) | Value::UInt(_))) {
            let is_zero = |it: &&&Value| matches!(it, Value::Int(0) | Value::UInt(0));
            let is_negative = |it: &&Value| matches!(it, Value::Int(n) if *n < 0);
            let mut sorted = values.to_vec();
            sorted.sort();
            let words = distinct(sorted.iter().map(|it| bare(it, link)));
            let n_letters: usize = words.iter().map(String::len).sum();
            return Some(if n_letters <= 16 && words.len() <= 3 {
                format!("{link}_{}", among(&words, "or"))
            } else if values.iter().any(is_negative) {
                format!("{link}_any_number")
            } else if values.iter().any(|it| is_zero(&it)) {
                format!("{link}_zero_or_more")
            } else {
                format!("{link}_a_number")
            });
        }
        if all(|it| matches!(it, Value::Str(_))) {
            let is_empty = |it: &&Value| matches!(it, Value::Str(text) if text.is_empty());
            let words = distinct(values.iter().map(|it| bare(it, link)));
            let n_letters: usize = words.iter().map(String::len).sum();
            return Some(
                if words.len() == 2 && n_letters <= 16 && !words.contains(&"string".into()) {
                    format!("{link}_{}", among(&words, "or"))
                } else if values.iter().any(is_empty) {
                    format!("{link}_empty_or_other_text")
                } else {
                    format!("{link}_text")
                },
            );
        }
        if all(|it| matches!(it, Value::Debug(_))) {
            return Some("has_debug_text".to_owned());
        }
        if all(|it| matches!(it, Value::List(_) | Value::Unordered(_))) {
            let is_empty = |it: &&Value| matches!(it, Value::List(list) | Value::Unordered(list) if list.is_empty());
            return Some(match values.iter().any(is_empty) {
                true => format!("{link}_items_or_none"),
                false => format!("{link}_items"),
            });
        }
        None
    }

    /// A phrase like `returns_none_when_new_else_some`, if the cases are so.
    fn contrast(&self, outcomes: &[String], link: &str) -> Option<String> {
        let kinds = distinct(outcomes.iter().cloned());
        let [first, second] = &kinds[..] else {
            return None;
        };
        for (kind, other) in [(first, second), (second, first)] {
            let with = |wanted: &String| {
                let stories = self.stories.iter().zip(outcomes);
                let stories = stories.filter(|(_, outcome)| *outcome == wanted);
                stories
                    .map(|(story, _)| story.conditions())
                    .collect::<Vec<_>>()
            };
            let (those, others) = (with(kind), with(other));
            let found = those[0].iter().find(|condition| {
                those.iter().all(|it| it.contains(condition))
                    && !others.iter().any(|it| it.contains(condition))
            });
            if let Some(condition) = found {
                return Some(format!("{link}_{kind}_{condition}_else_{other}"));
            }
        }
        None
    }

    /// A phrase like `gives_major_and_minor`, for checked fields of the result.
    fn fields(&self) -> Option<String> {
        let fields = |story: &Story<'a>| -> Vec<String> {
            let answers = story.answers().filter(|answer| answer.link == "is");
            answers.map(|answer| answer.verb).collect()
        };
        let of_first = fields(&self.stories[0]).into_iter();
        let mut shared: Vec<String> = of_first
            .filter(|it| self.stories.iter().all(|story| fields(story).contains(it)))
            .collect();
        shared.truncate(3);
        (shared.len() > 1).then(|| format!("gives_{}", among(&shared, "and")))
    }

    /// The observers that all cases call, the most telling first.
    fn answered(&self) -> Vec<String> {
        let mut same = Vec::new();
        let mut different = Vec::new();
        for Answer { verb, link, .. } in self.stories[0].answers() {
            let value = |story: &Story<'a>| {
                let mut answers = story.answers().filter(|it| it.verb == verb);
                answers.next().map(|it| it.value)
            };
            let values: Option<Vec<&Value>> = self.stories.iter().map(value).collect();
            let Some(values) = values else { continue };
            let is_same = values.iter().all(|it| *it == values[0]);
            let Some(together) = self.together(&values, link) else {
                continue;
            };
            let list = if is_same { &mut same } else { &mut different };
            let is_said = together.starts_with("is_") && verb.starts_with("is_");
            list.push(match (&*together, is_said) {
                ("is_true", true) => verb,
                ("is_false", true) => verb.replacen("is_", "is_not_", 1),
                ("is_true_or_false", true) => format!("{verb}_or_not"),
                (other, true) => match other.strip_prefix("is_true_") {
                    Some(rest) => format!("{verb}_{}", rest.replace("_else_false", "_else_not")),
                    None => format!("{verb}_{other}"),
                },
                _ => format!("{verb}_{together}"),
            });
        }
        same.into_iter().chain(different).collect()
    }
}

/// Does the phrase only list outcomes?
fn is_list(tail: &str) -> bool {
    tail.contains("_or_") && !tail.contains("_else_") || is_vague(tail)
}

/// Does the phrase say no more than that there was a result?
fn is_vague(seen: &str) -> bool {
    [
        "_text",
        "_string",
        "_a_number",
        "_any_number",
        "_items",
        "_pair",
        "_tuple",
    ]
    .iter()
    .any(|end| seen.ends_with(end))
}

/// The outcomes in the order that people say them: `returns_less_equal_or_greater`.
fn outcomes(words: &[String]) -> String {
    let mut words = distinct(words.iter().cloned());
    let usual = [
        "ok", "some", "less", "equal", "greater", "true", "false", "none", "err",
    ];
    words.sort_by_key(|word| usual.iter().position(|it| it == word));
    format!("returns_{}", among(&words, "or"))
}

/// The phrase without its verb.
fn bare(value: &Value, link: &str) -> String {
    let phrase = phrase(value, link);
    let rest = phrase.split_once('_').map(|(_, rest)| rest.to_owned());
    rest.unwrap_or(phrase)
}

/// Each item once, in the order of first occurrence.
fn distinct(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}
