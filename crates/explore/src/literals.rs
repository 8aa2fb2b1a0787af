//! Values that matter: boundaries of every primitive, and literals mined from the crate's source
//! and documentation.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use testsmith_api::{GenericArg, Prim, Ty};
use testsmith_protocol::Value;

use crate::rng::Rng;

/// Pools of values by kind.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    integers: Vec<i128>,
    floats: Vec<f64>,
    strings: Vec<String>,
    chars: Vec<char>,
    weights: BTreeMap<String, u32>,
}

/// Longer strings are left in the source: they are messages, not inputs.
const MAX_STRING: usize = 80;

impl Literals {
    /// Learns the literals of one source file. A file that is not Rust teaches nothing.
    pub fn mine(&mut self, source: &str) {
        if let Ok(tokens) = source.parse::<TokenStream>() {
            self.mine_tokens(tokens);
        }
    }

    /// Learns the quoted strings of documentation.
    pub fn mine_docs(&mut self, text: &str) {
        let mut rest = text;
        while let Some(start) = rest.find('"') {
            let tail = &rest[start + 1..];
            let Some(end) = tail.find(['"', '\n']) else {
                return;
            };
            if tail.as_bytes()[end] == b'"' && !tail[..end].contains('\\') {
                self.add_string(tail[..end].to_owned());
                rest = &tail[end + 1..];
            } else {
                rest = &tail[end..];
            }
        }
    }

    fn mine_tokens(&mut self, tokens: TokenStream) {
        let mut is_doc = false;
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.mine_tokens(group.stream()),
                TokenTree::Ident(ident) => is_doc = ident == "doc",
                TokenTree::Punct(_) => {}
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if std::mem::take(&mut is_doc) {
                        self.mine_docs(&unquote(&text).unwrap_or_default());
                    } else {
                        self.add(&text);
                    }
                }
            }
        }
    }

    fn add(&mut self, text: &str) {
        let first = text.chars().next().unwrap_or(' ');
        if text.starts_with("b'") {
            if let Some(Ok(byte)) = text.get(2..3).map(|c| c.parse::<char>()) {
                self.chars.push(byte);
                self.integers.push(i128::from(u32::from(byte)));
            }
        } else if first == '\'' {
            let mut inner = text.trim_matches('\'').chars();
            if let (Some(c), None) = (inner.next(), inner.next()) {
                self.chars.push(c);
            }
        } else if first.is_ascii_digit() {
            self.add_number(text);
        } else if let Some(string) = unquote(text.trim_start_matches(['b', 'c'])) {
            self.add_string(string);
        }
    }

    fn add_number(&mut self, text: &str) {
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
            if let Ok(value) = number.parse() {
                self.floats.push(value);
            }
        } else if let Ok(value) = i128::from_str_radix(&digits[..end], radix) {
            self.integers.push(value);
        }
    }

    fn add_string(&mut self, string: String) {
        if string.len() > MAX_STRING || string.contains('{') && string.contains('}') {
            return;
        }
        let weight = self.weights.entry(string.clone()).or_default();
        *weight += 1;
        if *weight == 1 {
            self.strings.push(string);
        }
    }

    /// Sorts and dedupes: the order of files must not matter.
    pub fn settle(&mut self) {
        self.integers.sort_unstable();
        self.integers.dedup();
        self.chars.sort_unstable();
        self.chars.dedup();
        self.strings.sort_unstable();
        self.floats.sort_by(f64::total_cmp);
        self.floats.dedup();
    }

    /// How many strings were mined.
    pub fn n_strings(&self) -> usize {
        self.strings.len()
    }

    /// A value of this type; `None` if it is not one that can be written in place.
    pub fn value(&self, ty: &Ty, rng: &mut Rng) -> Option<Value> {
        Some(match ty {
            Ty::Prim(prim) => self.primitive(*prim, rng)?,
            Ty::Tuple(parts) if parts.is_empty() => Value::Unit,
            Ty::Tuple(parts) => Value::Tuple(
                parts
                    .iter()
                    .map(|part| self.value(part, rng))
                    .collect::<Option<_>>()?,
            ),
            Ty::Ref {
                mutable: false, to, ..
            } => match &**to {
                Ty::Str => Value::Str(self.string(rng)),
                Ty::Slice(of) => self.list(of, rng)?,
                _ => return None,
            },
            Ty::Array(of, n) => {
                let n: usize = n.parse().ok()?;
                Value::List((0..n).map(|_| self.value(of, rng)).collect::<Option<_>>()?)
            }
            Ty::Adt { path, args } => match (&**path, &args[..]) {
                ("std::string::String", _) => Value::Str(self.string(rng)),
                ("std::vec::Vec", [GenericArg::Type(of), ..]) => self.list(of, rng)?,
                ("std::option::Option", [GenericArg::Type(of)]) => {
                    if rng.chance(25) {
                        Value::none()
                    } else {
                        Value::some(self.value(of, rng)?)
                    }
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn list(&self, of: &Ty, rng: &mut Rng) -> Option<Value> {
        let n = [0, 1, 1, 2, 2, 3, 3, 4, 5, 8][rng.below(10)];
        Some(Value::List(
            (0..n).map(|_| self.value(of, rng)).collect::<Option<_>>()?,
        ))
    }

    fn primitive(&self, prim: Prim, rng: &mut Rng) -> Option<Value> {
        Some(match prim {
            Prim::Bool => Value::Bool(rng.chance(50)),
            Prim::Char => Value::Char(self.char(rng)),
            Prim::F32 => Value::F32((self.float(rng) as f32).to_bits()),
            Prim::F64 => Value::F64(self.float(rng).to_bits()),
            Prim::Never => return None,
            prim => self.integer(prim, rng)?,
        })
    }

    fn integer(&self, prim: Prim, rng: &mut Rng) -> Option<Value> {
        let (bits, signed) = prim.int_range()?;
        let mask = if bits == 128 { !0 } else { (1u128 << bits) - 1 };
        let wrap = |value: i128| {
            if signed {
                let shift = 128 - bits;
                Value::Int(value << shift >> shift)
            } else {
                Value::UInt(value as u128 & mask)
            }
        };
        let fits = |value: &i128| match signed {
            true => bits == 128 || (*value >= -(1 << (bits - 1)) && *value < 1 << (bits - 1)),
            false => *value >= 0 && (*value as u128) & !mask == 0,
        };
        let small =
            |rng: &mut Rng| rng.below(10) as i128 - if signed && rng.chance(25) { 10 } else { 0 };
        Some(match rng.below(100) {
            0..58 => wrap(small(rng)),
            58..83 => match rng.pick(&self.integers).filter(|value| fits(value)) {
                Some(mined) => wrap(*mined + [0, 0, 0, 1, -1][rng.below(5)]),
                None => wrap(small(rng)),
            },
            83..96 => {
                wrap([16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1000][rng.below(13)])
            }
            _ if signed => {
                let (min, max) = match bits {
                    128 => (i128::MIN, i128::MAX),
                    _ => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                };
                Value::Int([min, min + 1, max, max - 1, -1][rng.below(5)])
            }
            _ => Value::UInt([mask, mask - 1, mask >> 1, (mask >> 1) + 1][rng.below(4)]),
        })
    }

    fn float(&self, rng: &mut Rng) -> f64 {
        const EDGES: [f64; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::EPSILON,
            1e10,
            -1e-10,
        ];
        match rng.below(100) {
            0..40 => rng.below(20) as f64 - 6.0,
            40..60 => rng.below(64) as f64 / 8.0,
            60..80 => rng.pick(&self.floats).copied().unwrap_or(0.5),
            _ => EDGES[rng.below(EDGES.len())],
        }
    }

    fn char(&self, rng: &mut Rng) -> char {
        const EDGES: [char; 14] = [
            'a',
            'b',
            'z',
            'A',
            'Z',
            '0',
            '9',
            ' ',
            '\n',
            '-',
            '.',
            'é',
            '漢',
            '\u{10FFFF}',
        ];
        match rng.pick(&self.chars) {
            Some(mined) if rng.chance(50) => *mined,
            _ => EDGES[rng.below(EDGES.len())],
        }
    }

    fn string(&self, rng: &mut Rng) -> String {
        const EDGES: [&str; 12] = [
            "", "a", "b", "ab", "abc", "0", "1", " ", "A", "é", "a b", "-1",
        ];
        let one = |rng: &mut Rng| match rng.pick(&self.strings) {
            Some(mined) if rng.chance(75) => mined.clone(),
            _ => EDGES[rng.below(EDGES.len())].to_owned(),
        };
        let base = one(rng);
        match rng.below(100) {
            0..70 => base,
            // Recombined and mutated: parsers have their branches between the literals.
            70..78 => base + &one(rng),
            78..86 => {
                let mut chars: Vec<char> = base.chars().collect();
                if !chars.is_empty() {
                    let at = rng.below(chars.len());
                    chars.remove(at);
                }
                chars.into_iter().collect()
            }
            86..94 => {
                let mut chars: Vec<char> = base.chars().collect();
                let at = rng.below(chars.len() + 1);
                chars.insert(at, self.char(rng));
                chars.into_iter().collect()
            }
            _ => {
                let other = one(rng);
                let cut = |text: &str, rng: &mut Rng| rng.below(text.chars().count() + 1);
                let (head, tail) = (cut(&base, rng), cut(&other, rng));
                base.chars()
                    .take(head)
                    .chain(other.chars().skip(tail))
                    .collect()
            }
        }
    }
}

/// The contents of a plain or raw string literal; `None` for escapes we don't undo.
fn unquote(text: &str) -> Option<String> {
    if let Some(raw) = text.strip_prefix('r') {
        let body = raw.trim_matches('#');
        return Some(body.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    }
    let body = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::new();
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '0' => out.push('\0'),
            '\\' => out.push('\\'),
            '"' => out.push('"'),
            '\'' => out.push('\''),
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_mined_from_code_macros_and_documentation() {
        let mut literals = Literals::default();
        literals.mine(
            r##"
            /// Parses `"1.2.3-alpha"`.
            fn f() { g("x^2", 0xff_u8, 1.5e3, 'q'); vec![r#"raw"#]; }
            "##,
        );
        literals.settle();
        assert_eq!(literals.strings, ["1.2.3-alpha", "raw", "x^2"]);
        assert_eq!(literals.integers, [255]);
        assert_eq!(literals.floats, [1500.0]);
        assert_eq!(literals.chars, ['q']);
    }

    #[test]
    fn integers_stay_in_their_range() {
        let mut literals = Literals::default();
        literals.mine("const A: i128 = 70000; const B: u8 = 200;");
        literals.settle();
        let mut rng = Rng::new(1);
        for _ in 0..2000 {
            match literals.value(&Ty::Prim(Prim::I8), &mut rng) {
                Some(Value::Int(value)) => assert!(i8::try_from(value).is_ok(), "{value}"),
                other => panic!("{other:?}"),
            }
            match literals.value(&Ty::Prim(Prim::U16), &mut rng) {
                Some(Value::UInt(value)) => assert!(u16::try_from(value).is_ok(), "{value}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
