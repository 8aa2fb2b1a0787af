//! Literals mined from the crate's source and documentation, weighted by where and how often they
//! occur.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::rng::Rng;
use crate::weights::Weights;

/// Strings that are longer than this are left out: they are messages, not inputs.
const MAX_STRING: usize = 80;
/// Literals in code weigh more than those in tests and examples, because the code may compare with
/// them.
const CODE: u32 = 4;
const ASIDE: u32 = 1;

/// Values of one kind, with their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool<T> {
    sums: BTreeMap<T, u32>,
    items: Vec<T>,
    weights: Weights,
}

impl<T: Ord + Clone> Pool<T> {
    fn add(&mut self, item: T, weight: u32) {
        *self.sums.entry(item).or_default() += weight;
    }

    /// Computes the weights. They are damped, because what occurs a hundred times is not a hundred
    /// times as interesting.
    fn settle(&mut self) {
        self.items = self.sums.keys().cloned().collect();
        let damped = self.sums.values().map(|sum| 2 * sum.isqrt());
        self.weights = Weights::new(damped.collect());
    }

    /// All values.
    pub(crate) fn items(&self) -> impl Iterator<Item = &T> {
        self.items.iter()
    }

    /// One of the values, chosen by weight.
    pub(crate) fn pick(&self, rng: &mut Rng) -> Option<&T> {
        Some(&self.items[self.weights.pick(rng)?])
    }
}

/// Literals by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mined {
    pub(crate) integers: Pool<i128>,
    /// Bits of `f64`.
    pub(crate) floats: Pool<u64>,
    pub(crate) strings: Pool<String>,
    pub(crate) chars: Pool<char>,
}

impl Mined {
    /// Learns the literals of Rust source. `is_aside` says that it is a test or an example. Text
    /// that is not Rust is ignored.
    pub(crate) fn mine(&mut self, source: &str, is_aside: bool) {
        if let Ok(tokens) = source.parse::<TokenStream>() {
            self.mine_tokens(tokens, if is_aside { ASIDE } else { CODE });
        }
    }

    /// Computes the weights. It is called once, when all sources were read.
    pub(crate) fn settle(&mut self) {
        self.integers.settle();
        self.floats.settle();
        self.strings.settle();
        self.chars.settle();
    }

    /// Learns the quoted strings of documentation.
    fn mine_docs(&mut self, text: &str) {
        let mut rest = text;
        while let Some(start) = rest.find('"') {
            let tail = &rest[start + 1..];
            let Some(end) = tail.find(['"', '\n']) else {
                return;
            };
            if tail.as_bytes()[end] == b'"' && !tail[..end].contains('\\') {
                self.add_string(tail[..end].to_owned(), ASIDE);
                rest = &tail[end + 1..];
            } else {
                rest = &tail[end..];
            }
        }
    }

    fn mine_tokens(&mut self, tokens: TokenStream, weight: u32) {
        let mut is_doc = false;
        let mut is_test = false;
        let mut is_negative = false;
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let is_body = group.delimiter() == Delimiter::Brace;
                    let of_test = is_body && std::mem::take(&mut is_test);
                    let weight = if of_test { ASIDE } else { weight };
                    if group.delimiter() == Delimiter::Bracket {
                        let text = group.stream().to_string();
                        is_test |= matches!(&*text, "test" | "cfg (test)" | "cfg(test)");
                    }
                    self.mine_tokens(group.stream(), weight);
                }
                TokenTree::Ident(ident) => is_doc = ident == "doc",
                TokenTree::Punct(punct) => {
                    is_negative = punct.as_char() == '-';
                    is_test &= punct.as_char() != ';';
                    continue;
                }
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if std::mem::take(&mut is_doc) {
                        self.mine_docs(&unquote(&text).unwrap_or_default());
                    } else {
                        self.add(&text, is_negative, weight);
                    }
                }
            }
            is_negative = false;
        }
    }

    fn add(&mut self, text: &str, is_negative: bool, weight: u32) {
        let first = text.chars().next().unwrap_or(' ');
        let is_byte = text.starts_with("b'");
        if is_byte || first == '\'' {
            let inner = text.trim_start_matches('b');
            let inner = inner.get(1..inner.len() - 1).and_then(unescape);
            let mut chars = inner.iter().flat_map(|inner| inner.chars());
            if let (Some(c), None) = (chars.next(), chars.next()) {
                self.chars.add(c, weight);
                if is_byte {
                    self.integers.add(i128::from(u32::from(c)), weight);
                }
            }
        } else if first.is_ascii_digit() {
            self.add_number(text, is_negative, weight);
        } else if let Some(string) = unquote(text.trim_start_matches(['b', 'c'])) {
            self.add_string(string, weight);
        }
    }

    fn add_number(&mut self, text: &str, is_negative: bool, weight: u32) {
        let plain: String = text.chars().filter(|c| *c != '_').collect();
        let (digits, radix) = match plain.get(..2) {
            Some("0x") => (&plain[2..], 16),
            Some("0o") => (&plain[2..], 8),
            Some("0b") => (&plain[2..], 2),
            _ => (&plain[..], 10),
        };
        let end = digits
            .find(|c: char| !c.is_digit(radix))
            .unwrap_or(digits.len());
        let suffix = &digits[end..];
        if suffix.starts_with('.') || suffix.starts_with('e') || suffix.starts_with('E') {
            let number = digits.trim_end_matches("f32").trim_end_matches("f64");
            if let Ok(value) = number.parse::<f64>() {
                let value = if is_negative { -value } else { value };
                self.floats.add(value.to_bits(), weight);
            }
        } else if let Ok(value) = i128::from_str_radix(&digits[..end], radix) {
            let value = if is_negative { -value } else { value };
            self.integers.add(value, weight);
        }
    }

    fn add_string(&mut self, string: String, weight: u32) {
        if string.len() <= MAX_STRING && !(string.contains('{') && string.contains('}')) {
            self.strings.add(string, weight);
        }
    }
}

/// The contents of a plain or raw string literal; `None` if it has escapes that are not supported.
fn unquote(text: &str) -> Option<String> {
    if let Some(raw) = text.strip_prefix('r') {
        let body = raw.trim_matches('#');
        return Some(body.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    }
    unescape(text.strip_prefix('"')?.strip_suffix('"')?)
}

fn unescape(body: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            c @ ('\\' | '"' | '\'') => c,
            'x' => {
                let digits: String = chars.by_ref().take(2).collect();
                char::from(u8::from_str_radix(&digits, 16).ok()?)
            }
            'u' => {
                let digits: String = chars.by_ref().take_while(|c| *c != '}').collect();
                char::from_u32(u32::from_str_radix(digits.strip_prefix('{')?, 16).ok()?)?
            }
            _ => return None,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mined(source: &str) -> Mined {
        let mut mined = Mined::default();
        mined.mine(source, false);
        mined.settle();
        mined
    }

    #[test]
    fn literals_are_mined_from_code_macros_and_documentation() {
        let mined = mined(
            r##"
            /// Parses `"1.2.3-alpha"`.
            fn f() { g("x^2", 0xff_u8, 1.5e3, 'q', '\u{41}', -7); vec![r#"raw"#]; }
            "##,
        );
        assert_eq!(mined.strings.items, ["1.2.3-alpha", "raw", "x^2"]);
        assert_eq!(mined.integers.items, [-7, 255]);
        assert_eq!(mined.floats.items, [1500f64.to_bits()]);
        assert_eq!(mined.chars.items, ['A', 'q']);
    }

    #[test]
    fn code_weighs_more_than_tests_and_documentation() {
        let mined = mined(
            r#"
            /// As in `"doc"`.
            fn f() { g("code"); g("code"); }
            #[cfg(test)]
            mod tests { fn t() { f("test"); } }
            "#,
        );
        let sums: Vec<_> = mined.strings.sums.into_iter().collect();
        let expected = [("code", 2 * CODE), ("doc", ASIDE), ("test", ASIDE)];
        assert_eq!(sums, expected.map(|(text, sum)| (text.to_owned(), sum)));
    }
}
