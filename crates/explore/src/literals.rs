//! Literals for arguments: values from the crate's source and documentation, boundaries of every
//! primitive type, and values near those that led through new code.

use std::collections::BTreeMap;

use testsmith_api::{CallableId, GenericArg, OperationId, Prim, Ty};
use testsmith_protocol::Value;
use testsmith_sequence::Sequence;

use crate::allowed::Allowed;
use crate::lively::Lively;
use crate::mined::Mined;
use crate::numbers::{Width, float32, float64, is_costly, neighbour};
use crate::rng::Rng;
use crate::strings;

/// Pools of values.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    mined: Mined,
    /// Literals from the examples in each callable's documentation.
    by_callable: BTreeMap<CallableId, Mined>,
    /// The values that the user allows for parameters, by callable and position.
    allowed: BTreeMap<(CallableId, usize), Allowed>,
    lively: Lively,
}

/// The operation that a value is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose {
    pub(crate) operation: OperationId,
    pub(crate) callable: Option<CallableId>,
}

impl Literals {
    /// Learns the literals of a source file of the crate. Text that is not Rust is ignored.
    pub fn mine(&mut self, source: &str) {
        self.mined.mine(source, false);
    }

    /// Learns the literals of a test or an example.
    pub fn mine_aside(&mut self, source: &str) {
        self.mined.mine(source, true);
    }

    /// Learns the literals of an example in a callable's documentation.
    pub fn mine_example(&mut self, callable: CallableId, source: &str) {
        self.mined.mine(source, true);
        self.by_callable
            .entry(callable)
            .or_default()
            .mine(source, true);
    }

    /// Prepares the pools for choosing. It is called once, when all sources were read.
    pub fn settle(&mut self) {
        self.mined.settle();
        self.by_callable.values_mut().for_each(Mined::settle);
    }

    /// The texts of the crate's source, documentation and tests.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        self.mined.strings.items()
    }

    /// Limits a parameter to these values.
    pub fn allow(&mut self, callable: CallableId, input: usize, allowed: Allowed) {
        self.allowed.insert((callable, input), allowed);
    }

    /// The limit of a parameter, if it has one.
    pub(crate) fn allowed(&self, callable: CallableId, input: usize) -> Option<&Allowed> {
        self.allowed.get(&(callable, input))
    }

    /// Notes that the last call of this sequence led through new code, so that values near its
    /// literals are tried.
    pub(crate) fn enliven(&mut self, sequence: &Sequence) {
        self.lively.add(sequence);
    }

    /// A value of this type; `None` if such values cannot be written as literals.
    pub fn value(&self, ty: &Ty, rng: &mut Rng) -> Option<Value> {
        self.chooser(None).value(ty, rng)
    }

    /// Does the same as [`Literals::value`], and prefers values that suit the operation.
    pub(crate) fn value_for(&self, purpose: Purpose, ty: &Ty, rng: &mut Rng) -> Option<Value> {
        self.chooser(Some(purpose)).value(ty, rng)
    }

    fn chooser(&self, purpose: Option<Purpose>) -> Chooser<'_> {
        let callable = purpose.and_then(|purpose| purpose.callable);
        Chooser {
            mined: &self.mined,
            own: callable.and_then(|callable| self.by_callable.get(&callable)),
            lively: purpose.map(|purpose| (&self.lively, purpose.operation)),
        }
    }
}

/// The pools that are used for one value.
struct Chooser<'a> {
    mined: &'a Mined,
    own: Option<&'a Mined>,
    lively: Option<(&'a Lively, OperationId)>,
}

impl<'a> Chooser<'a> {
    fn value(&self, ty: &Ty, rng: &mut Rng) -> Option<Value> {
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
        // Lists of bytes often hold text.
        if *of == Ty::Prim(Prim::U8) && rng.chance(30) {
            let text = self.string(rng);
            let byte = |byte| Value::UInt(u128::from(byte));
            return Some(Value::List(text.bytes().map(byte).collect()));
        }
        let n = [0, 1, 1, 2, 2, 3, 3, 4, 5, 8][rng.below(10)];
        Some(Value::List(
            (0..n).map(|_| self.value(of, rng)).collect::<Option<_>>()?,
        ))
    }

    fn primitive(&self, prim: Prim, rng: &mut Rng) -> Option<Value> {
        Some(match prim {
            Prim::Bool => Value::Bool(rng.chance(50)),
            Prim::Char => Value::Char(self.char(rng)),
            Prim::F32 => {
                let plain = self.plain_float(rng).map(|value| value as f32);
                Value::F32(plain.unwrap_or_else(|| float32(rng)).to_bits())
            }
            Prim::F64 => {
                let plain = self.plain_float(rng);
                Value::F64(plain.unwrap_or_else(|| float64(rng)).to_bits())
            }
            Prim::Never => return None,
            prim => {
                let (bits, signed) = prim.int_range()?;
                self.integer(Width { bits, signed }, rng)
            }
        })
    }

    fn integer(&self, width: Width, rng: &mut Rng) -> Value {
        let drawn = match rng.below(100) {
            0..24 => self.mined_integer(rng),
            24..32 => self
                .lively
                .and_then(|(lively, operation)| lively.integer(operation, rng))
                .map(|value| neighbour(value, rng))
                .filter(|value| !is_costly(*value)),
            32..36 => Some(rng.below(300) as i128),
            36..44 => return width.near_power(10, rng),
            44..46 => return width.near_power(width.bits, rng),
            46..49 => return width.extreme(rng),
            _ => None,
        };
        // Small numbers, as every test uses them, come most often. They also stand in for numbers
        // that the type does not hold.
        width.wrap(
            drawn
                .filter(|value| width.holds(*value))
                .unwrap_or_else(|| {
                    let below = if width.signed && rng.chance(25) {
                        10
                    } else {
                        0
                    };
                    rng.below(10) as i128 - below
                }),
        )
    }

    fn mined_integer(&self, rng: &mut Rng) -> Option<i128> {
        let own = self.own.filter(|_| rng.chance(40));
        let mined = own.and_then(|own| own.integers.pick(rng));
        let mined = mined.or_else(|| self.mined.integers.pick(rng))?;
        Some(mined.wrapping_add([0, 0, 0, 1, -1][rng.below(5)]))
    }

    /// A common number, or `None` if it should be a boundary instead.
    fn plain_float(&self, rng: &mut Rng) -> Option<f64> {
        match rng.below(100) {
            0..40 => Some(rng.below(20) as f64 - 6.0),
            40..60 => Some(rng.below(64) as f64 / 8.0),
            60..80 => self
                .mined
                .floats
                .pick(rng)
                .map(|bits| f64::from_bits(*bits)),
            _ => None,
        }
    }

    fn char(&self, rng: &mut Rng) -> char {
        const EDGES: [char; 20] = [
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
            'ß',
            '漢',
            '😀',
            '\0',
            '\u{7F}',
            '\u{301}',
            '\u{FFFF}',
            '\u{10FFFF}',
        ];
        match self.mined.chars.pick(rng) {
            Some(mined) if rng.chance(50) => *mined,
            _ => EDGES[rng.below(EDGES.len())],
        }
    }

    fn string(&self, rng: &mut Rng) -> String {
        if let Some((lively, operation)) = self.lively
            && rng.chance(35)
            && let Some(text) = lively.string(operation, rng)
        {
            let other = match rng.chance(50) {
                true => lively.string(operation, rng).unwrap_or(""),
                false => self.plain_string(rng),
            };
            return strings::mutate(text, other, rng, |rng| self.letter(text, rng));
        }
        let base = self.plain_string(rng);
        match rng.below(100) {
            0..70 => base.to_owned(),
            70..78 => base.to_owned() + self.plain_string(rng),
            _ => {
                let other = self.plain_string(rng);
                strings::mutate(base, other, rng, |rng| self.letter(base, rng))
            }
        }
    }

    /// A letter to put into a text; often one that the text already has.
    fn letter(&self, text: &str, rng: &mut Rng) -> char {
        let n_chars = text.chars().count();
        match rng.chance(30) && n_chars > 0 {
            true => text.chars().nth(rng.below(n_chars)).unwrap_or(' '),
            false => self.char(rng),
        }
    }

    /// A string as it stands in some source.
    fn plain_string(&self, rng: &mut Rng) -> &'a str {
        let own = self.own.filter(|_| rng.chance(30));
        if let Some(own) = own.and_then(|own| own.strings.pick(rng)) {
            return own;
        }
        match self.mined.strings.pick(rng) {
            Some(mined) if rng.chance(75) => mined,
            _ => strings::EDGES[rng.below(strings::EDGES.len())],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn examples_of_a_callable_count_for_it_above_all() {
        let mut literals = Literals::default();
        literals.mine(r#"const ALL: [&str; 8] = ["p", "q", "r", "s", "t", "u", "v", "w"];"#);
        literals.mine_example(CallableId(3), r#"parse("special")"#);
        literals.settle();
        let n_special = |callable| {
            let purpose = Purpose {
                operation: OperationId(0),
                callable: Some(callable),
            };
            let mut rng = Rng::new(2);
            let ty = Ty::Adt {
                path: "std::string::String".into(),
                args: Vec::new(),
            };
            let drawn = (0..1000).filter_map(|_| literals.value_for(purpose, &ty, &mut rng));
            drawn
                .filter(|value| *value == Value::Str("special".to_owned()))
                .count()
        };
        let (own, other) = (n_special(CallableId(3)), n_special(CallableId(4)));
        assert!(own > 3 * other && other > 0, "{own} {other}");
    }
}
