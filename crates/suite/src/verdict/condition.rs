//! Evaluates the condition that a sentence of documentation names, for the call at hand.
//!
//! "Panics if `i >= len`", "if the two indices are equal", "unless `n` is greater than 0": where
//! all that such a sentence mentions is known, it is true or false of the call. Of most sentences
//! nothing is known, and then nothing is said.

use testsmith_protocol::Value;

/// What is known of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts<'a> {
    /// Its arguments, without the receiver.
    pub(super) arguments: Vec<Argument<'a>>,
    /// Was the receiver just made empty, and not changed since?
    pub(super) is_fresh: bool,
    /// The length that the panic's message names.
    pub(super) len: Option<i128>,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument<'a> {
    /// The parameter's name.
    pub(super) name: &'a str,
    /// A number that arguments of one type share.
    pub(super) ty: u32,
    pub(super) what: What<'a>,
}

/// What is known of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'a> {
    Value(&'a Value),
    /// It is in the slot with this number.
    Slot(u16),
}

/// How two numbers compare.
type Compare = fn(&i128, &i128) -> bool;

/// Of one part of a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// It names no condition.
    Nothing,
    Unknown,
    Known(bool),
}

/// Is what the sentence names as its condition true of the call? `None` if that is not known.
pub(super) fn holds(sentence: &str, facts: &Facts<'_>) -> Option<bool> {
    let lower = sentence.to_lowercase();
    let parts = match in_code(sentence, facts) {
        parts if parts.is_empty() => in_words(&lower, facts),
        parts => parts,
    };
    let known = || parts.iter().filter(|it| **it != Part::Nothing);
    let holds = match parts.contains(&Part::Known(true)) {
        true => Some(true),
        false if known().next().is_some() && known().all(|it| *it == Part::Known(false)) => {
            Some(false)
        }
        false => None,
    };
    let is_inverse = lower.split_whitespace().any(|word| word == "unless");
    holds.map(|it| it != is_inverse)
}

/// The conditions that are written as code: `` `i >= len` ``.
fn in_code(sentence: &str, facts: &Facts<'_>) -> Vec<Part> {
    let spans = sentence.split('`').skip(1).step_by(2);
    let spans = spans.filter_map(|span| match syn::parse_str::<syn::Expr>(span) {
        Ok(syn::Expr::Binary(it)) => Some(it),
        _ => None,
    });
    spans.filter_map(|it| compared(&it, facts)).collect()
}

/// A comparison in code; `None` if it is something else.
fn compared(it: &syn::ExprBinary, facts: &Facts<'_>) -> Option<Part> {
    let compare: Compare = match it.op {
        syn::BinOp::Eq(_) => i128::eq,
        syn::BinOp::Ne(_) => i128::ne,
        syn::BinOp::Lt(_) => i128::lt,
        syn::BinOp::Le(_) => i128::le,
        syn::BinOp::Gt(_) => i128::gt,
        syn::BinOp::Ge(_) => i128::ge,
        _ => return None,
    };
    let sides = number(&it.left, facts).zip(number(&it.right, facts));
    Some(match sides {
        Some((left, right)) => Part::Known(compare(&left, &right)),
        None => Part::Unknown,
    })
}

/// The number that an expression stands for.
fn number(expr: &syn::Expr, facts: &Facts<'_>) -> Option<i128> {
    match expr {
        syn::Expr::Lit(it) => match &it.lit {
            syn::Lit::Int(it) => it.base10_parse().ok(),
            _ => None,
        },
        syn::Expr::Paren(it) => number(&it.expr, facts),
        syn::Expr::Binary(it) => {
            let (left, right) = (number(&it.left, facts)?, number(&it.right, facts)?);
            match it.op {
                syn::BinOp::Add(_) => left.checked_add(right),
                syn::BinOp::Sub(_) => left.checked_sub(right),
                syn::BinOp::Mul(_) => left.checked_mul(right),
                _ => None,
            }
        }
        syn::Expr::Path(it) => {
            let name = it.path.get_ident()?.to_string();
            facts.number(&name).or(match &*name {
                "len" | "length" => facts.len,
                _ => None,
            })
        }
        syn::Expr::MethodCall(it) if it.method == "len" && it.args.is_empty() => {
            match &*it.receiver {
                syn::Expr::Path(of) if of.path.is_ident("self") => facts.len,
                syn::Expr::Path(of) => facts.len_of(&of.path.get_ident()?.to_string()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The conditions that are told in words, joined by "or".
fn in_words(sentence: &str, facts: &Facts<'_>) -> Vec<Part> {
    let sentence = without_commas(sentence);
    let mut text = String::new();
    let mut depth = 0;
    for c in sentence.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth > 0 => {}
            '`' | '*' => {}
            _ => text.push(c),
        }
    }
    let text = text.replace(" or equal to ", " or_equal_to ");
    let parts = text.split([',', ';']);
    let parts = parts.flat_map(|part| part.split(" or "));
    parts.map(|part| part_in_words(part, facts)).collect()
}

/// The sentence without the commas around a name: "if the rate, `fp`, is 0".
fn without_commas(sentence: &str) -> String {
    let parts: Vec<&str> = sentence.split('`').collect();
    let n_parts = parts.len();
    let plain = parts.iter().enumerate().map(|(i, part)| {
        let is_prose = i % 2 == 0;
        let is_before = |at: usize| parts.get(at).is_some_and(|it| it.ends_with(", "));
        let is_after = |at: usize| parts.get(at).is_some_and(|it| it.starts_with(", "));
        let mut part = *part;
        if is_prose && i > 1 && is_before(i - 2) {
            part = part.strip_prefix(',').unwrap_or(part);
        }
        if is_prose && i + 2 < n_parts && is_after(i + 2) {
            part = part.strip_suffix(", ").unwrap_or(part);
        }
        part
    });
    plain.collect::<Vec<_>>().join(" `")
}

fn part_in_words(part: &str, facts: &Facts<'_>) -> Part {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '-');
    let words: Vec<&str> = part.split(|c| !is_word(c)).collect();
    let words: Vec<&str> = words.into_iter().filter(|it| !it.is_empty()).collect();
    let is_denied = words.iter().any(|word| {
        matches!(
            *word,
            "not" | "isn't" | "aren't" | "don't" | "doesn't" | "never"
        )
    });
    let turned = |part: Part| match part {
        Part::Known(it) => Part::Known(it != is_denied),
        other => other,
    };
    let subject = |before: usize| {
        let mut named = words[..before].iter().rev();
        named.find_map(|word| facts.argument(word))
    };
    for (at, word) in words.iter().enumerate() {
        let found = match *word {
            "zero" | "0" if !compares(&words[..at]) => {
                subject(at).map(|it| is_number(&it, |n| n == 0))
            }
            "non-zero" | "nonzero" => subject(at).map(|it| is_number(&it, |n| n != 0)),
            "negative" => subject(at).map(|it| is_number(&it, |n| n < 0)),
            "empty" | "non-empty" => {
                let empty = match subject(at) {
                    Some(it) => it.is_empty(),
                    None => facts.is_fresh.then_some(true),
                };
                Some(match empty {
                    Some(empty) => Part::Known(empty == (*word == "empty")),
                    None => Part::Unknown,
                })
            }
            "equal" | "identical" | "same" => Some(are_equal(&words, facts)),
            "different" | "differ" | "unequal" | "distinct" => {
                Some(match are_equal(&words, facts) {
                    Part::Known(it) => Part::Known(!it),
                    other => other,
                })
            }
            _ => comparison(&words[at..]).map(|(n_words, compare)| {
                let left = subject(at).and_then(|it| it.number());
                let after = words[at + n_words..].iter();
                let right = after.clone().find_map(|word| facts.amount(word));
                match left.zip(right) {
                    Some((left, right)) => Part::Known(compare(&left, &right)),
                    None => Part::Unknown,
                }
            }),
        };
        if let Some(part) = found {
            return turned(part);
        }
    }
    let panics = words.iter().any(|word| word.starts_with("panic"));
    let when = ["if", "when", "whenever", "unless", "on", "for", "in"];
    match words.is_empty() || panics && !words.iter().any(|word| when.contains(word)) {
        true => Part::Nothing,
        false => Part::Unknown,
    }
}

fn compares(before: &[&str]) -> bool {
    (0..before.len()).any(|at| comparison(&before[at..]).is_some())
}

/// The comparison that these words begin with, and how many words it has.
fn comparison(words: &[&str]) -> Option<(usize, Compare)> {
    let known: [(&[&str], Compare); 16] = [
        (&["greater", "than", "or_equal_to"], i128::ge),
        (&["larger", "than", "or_equal_to"], i128::ge),
        (&["less", "than", "or_equal_to"], i128::le),
        (&["smaller", "than", "or_equal_to"], i128::le),
        (&["greater", "than"], i128::gt),
        (&["larger", "than"], i128::gt),
        (&["bigger", "than"], i128::gt),
        (&["higher", "than"], i128::gt),
        (&["more", "than"], i128::gt),
        (&["exceeds"], i128::gt),
        (&["exceed"], i128::gt),
        (&["less", "than"], i128::lt),
        (&["smaller", "than"], i128::lt),
        (&["lower", "than"], i128::lt),
        (&["at", "least"], i128::ge),
        (&["at", "most"], i128::le),
    ];
    let mut known = known.into_iter();
    known.find_map(|(said, compare)| words.starts_with(said).then_some((said.len(), compare)))
}

/// Are the arguments equal that are named, or all that have the type of another one?
fn are_equal(words: &[&str], facts: &Facts<'_>) -> Part {
    let is_named = |it: &&Argument<'_>| words.contains(&it.name.to_lowercase().as_str());
    let named: Vec<&Argument<'_>> = facts.arguments.iter().filter(is_named).collect();
    let all = match named.len() {
        2.. => named,
        1 => return Part::Unknown,
        _ => facts.arguments.iter().collect(),
    };
    let lengths = ["length", "lengths", "len", "size", "sizes"];
    let is_about_length = words.iter().any(|word| lengths.contains(word));
    let mut pairs = Vec::new();
    for (i, left) in all.iter().enumerate() {
        for right in &all[i + 1..] {
            if is_about_length {
                pairs.push(left.len().zip(right.len()).map(|(a, b)| a == b));
            } else if left.ty == right.ty {
                pairs.push(left.is_equal_to(right));
            }
        }
    }
    match pairs.contains(&Some(true)) {
        true => Part::Known(true),
        false if !pairs.is_empty() && pairs.iter().all(|it| *it == Some(false)) => {
            Part::Known(false)
        }
        false => Part::Unknown,
    }
}

fn is_number(argument: &Argument<'_>, is: impl Fn(i128) -> bool) -> Part {
    match argument.number() {
        Some(n) => Part::Known(is(n)),
        None => Part::Unknown,
    }
}

impl<'a> Facts<'a> {
    fn argument(&self, name: &str) -> Option<Argument<'a>> {
        let mut arguments = self.arguments.iter();
        arguments
            .find(|it| it.name.eq_ignore_ascii_case(name))
            .copied()
    }

    fn number(&self, name: &str) -> Option<i128> {
        self.argument(name)?.number()
    }

    fn len_of(&self, name: &str) -> Option<i128> {
        i128::try_from(self.argument(name)?.len()?).ok()
    }

    /// The number that a word of a sentence stands for.
    fn amount(&self, word: &str) -> Option<i128> {
        let by_name = self.number(word);
        by_name.or_else(|| match word {
            "zero" => Some(0),
            "one" => Some(1),
            "len" | "length" => self.len,
            _ => word.replace('_', "").parse().ok(),
        })
    }
}

impl Argument<'_> {
    fn number(&self) -> Option<i128> {
        match self.what {
            What::Value(Value::UInt(n)) => i128::try_from(*n).ok(),
            What::Value(Value::Int(n)) => Some(*n),
            What::Value(Value::F64(bits)) => whole(f64::from_bits(*bits)),
            What::Value(Value::F32(bits)) => whole(f32::from_bits(*bits).into()),
            _ => None,
        }
    }

    fn len(&self) -> Option<usize> {
        match self.what {
            What::Value(Value::List(items)) => Some(items.len()),
            What::Value(Value::Str(text)) => Some(text.len()),
            _ => None,
        }
    }

    fn is_empty(&self) -> Option<bool> {
        self.len().map(|len| len == 0)
    }

    /// Two slots may hold equal values, so that they are never known to differ.
    fn is_equal_to(&self, other: &Argument<'_>) -> Option<bool> {
        match (self.what, other.what) {
            (What::Value(left), What::Value(right)) => Some(left == right),
            (What::Slot(left), What::Slot(right)) if left == right => Some(true),
            _ => None,
        }
    }
}

/// The float as an integer, if it is one.
fn whole(number: f64) -> Option<i128> {
    (number.fract() == 0.0 && number.abs() < 1e30).then_some(number as i128)
}

/// The length that the standard library names in the message of a panic.
pub(super) fn len_in(message: &str) -> Option<i128> {
    let marks = ["the len is ", "of length ", "len (is "];
    let found = marks
        .iter()
        .find_map(|mark| message.split_once(mark).map(|it| it.1))?;
    let digits = found.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, given: &[(&str, Value)], expected: Option<bool>) {
        let arguments = given.iter().map(|(name, value)| Argument {
            name,
            ty: 0,
            what: What::Value(value),
        });
        let facts = Facts {
            arguments: arguments.collect(),
            is_fresh: false,
            len: Some(3),
        };
        assert_eq!(holds(sentence, &facts), expected, "{sentence} {given:?}");
    }

    #[test]
    fn conditions_of_numbers_are_evaluated() {
        let n = |n: u128| Value::UInt(n);
        check("Panics if `i >= len`.", &[("i", n(3))], Some(true));
        check("Panics if `i >= self.len()`.", &[("i", n(2))], Some(false));
        check("Panics unless `i < len`.", &[("i", n(2))], Some(false));
        check("Panics if `i >= cap`.", &[("i", n(2))], None);
        check("Panics if `size` is zero.", &[("size", n(0))], Some(true));
        check("If size is 0, this panics.", &[("size", n(1))], Some(false));
        check(
            "Panics if `size` is not greater than 0.",
            &[("size", n(1))],
            Some(false),
        );
        check(
            "Panics if `lo` is greater than or equal to `hi`, or if `lo` is 0.",
            &[("lo", n(4)), ("hi", n(4))],
            Some(true),
        );
        check(
            "Panics if the date is invalid or `lo` is 0.",
            &[("lo", n(4))],
            None,
        );
        check("Panics if `lo` exceeds 31.", &[("lo", n(32))], Some(true));
        let float = |n: f64| Value::F64(n.to_bits());
        let said = "Panics if the rate, `fp`, is 0.";
        check(said, &[("fp", float(0.0))], Some(true));
        check(said, &[("fp", float(0.5))], None);
    }

    #[test]
    fn emptiness_and_equality_are_evaluated() {
        let list = |n: usize| Value::List(vec![Value::Unit; n]);
        check(
            "Panics if `items` is empty.",
            &[("items", list(0))],
            Some(true),
        );
        check(
            "Panics if items is empty.",
            &[("items", list(2))],
            Some(false),
        );
        check("Panics if the queue is empty.", &[], None);
        let pair = |a, b| [("a", Value::UInt(a)), ("b", Value::UInt(b))];
        let said = "Panics when the two indices are equal (having the same slot).";
        check(said, &pair(1, 1), Some(true));
        check(said, &pair(1, 2), Some(false));
        check(
            "Panics if `a` and `b` are not equal.",
            &pair(1, 2),
            Some(true),
        );
        check("Panics if the lengths differ.", &pair(1, 1), None);
        let lists = [("a", list(1)), ("b", Value::Str("x".into()))];
        check("Panics if the lengths differ.", &lists, Some(false));
        let fresh = Facts {
            is_fresh: true,
            ..Facts::default()
        };
        assert_eq!(holds("Panics if it is empty.", &fresh), Some(true));
    }

    #[test]
    fn messages_name_lengths() {
        assert_eq!(
            len_in("index out of bounds: the len is 3 but the index is 7"),
            Some(3)
        );
        assert_eq!(
            len_in("removal index (is 1) should be < len (is 12)"),
            Some(12)
        );
        assert_eq!(len_in("mid > len"), None);
    }
}
