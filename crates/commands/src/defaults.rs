//! The values that parameters get, whatever the crate: a few for each type, chosen once.
//!
//! | type | values |
//! |---|---|
//! | numbers | 1; 0 and 1; where all combinations are tried, -1 before them if there is one |
//! | `bool`, `char`, text | `false` and `true`, `'a'` and `'b'`, `""` and `"a"`; of fewer, the last |
//! | `Option`, vectors and slices | none or empty, and with a value that its type has |
//! | tuples, arrays | of values that their parts have |
//! | types of the crate | what their constructors make of such values, as many as numbers have |
//! | other types | the first thing that a recipe makes of such values |

use testsmith_api::{Form, GenericArg, OperationId, Origin, Prim, Ty, TypeIdx};
use testsmith_protocol::{Caps, Value};
use testsmith_sequence::{Arg, Builder, Rejected, SlotIdx, World};
use testsmith_suite::is_own;

/// How deep arguments of arguments may be nested.
const MAX_DEPTH: usize = 3;
/// The most combinations of arguments for one operation.
const MAX_ROWS: usize = 300;

/// How to make an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Given {
    Literal(Value),
    Made { op: OperationId, args: Vec<Given> },
}

/// How the choices for several parameters are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rows {
    /// The first choices together, then the second ones, and so on. A parameter with fewer choices
    /// repeats its last.
    Side,
    /// All combinations.
    Product,
}

/// Chooses the values that parameters get.
pub(crate) struct Defaults<'w> {
    world: &'w World,
    numbers: &'static [i8],
}

impl<'w> Defaults<'w> {
    /// Chooses among these numbers, as far as a parameter's type has them.
    pub(crate) fn new(world: &'w World, numbers: &'static [i8]) -> Defaults<'w> {
        Defaults { world, numbers }
    }

    /// Lists of arguments for the inputs of an operation, beginning with input `from`. There are
    /// none if some input has no choice.
    pub(crate) fn rows(&self, op: OperationId, from: usize, how: Rows) -> Vec<Vec<Given>> {
        self.rows_within(op, from, how, MAX_DEPTH)
    }

    /// How many combinations of arguments are left out because there would be too many.
    pub(crate) fn n_cut(&self, op: OperationId, from: usize, how: Rows) -> usize {
        if how == Rows::Side {
            return 0;
        }
        let inputs = &self.world.signature(op).inputs[from..];
        let choices = inputs
            .iter()
            .map(|input| self.choices(input.ty.ty, MAX_DEPTH));
        let n_rows = choices.fold(1, |n: usize, of| n.saturating_mul(of.len()));
        n_rows.saturating_sub(MAX_ROWS)
    }

    fn rows_within(
        &self,
        op: OperationId,
        from: usize,
        how: Rows,
        depth: usize,
    ) -> Vec<Vec<Given>> {
        let inputs = &self.world.signature(op).inputs[from..];
        let choices = inputs.iter().map(|input| self.choices(input.ty.ty, depth));
        let choices: Vec<Vec<Given>> = choices.collect();
        if choices.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        match how {
            Rows::Side => {
                let n_rows = choices.iter().map(Vec::len).max().unwrap_or(1);
                let of = |n: usize| {
                    let row = choices.iter().map(|of| of[n.min(of.len() - 1)].clone());
                    row.collect()
                };
                (0..n_rows).map(of).collect()
            }
            Rows::Product => {
                let mut rows = vec![Vec::new()];
                for of_input in &choices {
                    let longer = rows.iter().flat_map(|row: &Vec<Given>| {
                        of_input.iter().map(|last| {
                            let mut row = row.clone();
                            row.push(last.clone());
                            row
                        })
                    });
                    rows = longer.take(MAX_ROWS).collect();
                }
                rows
            }
        }
    }

    /// The choices for a parameter of this type.
    fn choices(&self, ty: TypeIdx, depth: usize) -> Vec<Given> {
        let info = self.world.catalogue.types.get(ty);
        if self.world.caps(ty).has(Caps::LITERAL) {
            let mut literals = self.literals(&info.ty);
            if !literals.is_empty() {
                // If there are too many literals, the last ones stay, because they say more.
                let n_over = literals.len().saturating_sub(self.numbers.len().max(1));
                literals.drain(..n_over);
                return literals.into_iter().map(Given::Literal).collect();
            }
        }
        if depth == 0 {
            return Vec::new();
        }
        let is_own = is_own(self.world, &info.ty);
        let mut found = Vec::new();
        let mut makers = self.makers(ty, is_own);
        // Operations without a receiver come first, because they need no other value of the crate.
        makers.sort_by_key(|op| (has_self(self.world, *op), *op));
        let max = if is_own { self.numbers.len() } else { 1 };
        for op in makers {
            for args in self.rows_within(op, 0, Rows::Side, depth - 1) {
                let made = Given::Made { op, args };
                if found.len() < max && !found.contains(&made) {
                    found.push(made);
                }
            }
        }
        found
    }

    /// Operations that give a value of a type without taking one.
    fn makers(&self, ty: TypeIdx, is_own: bool) -> Vec<OperationId> {
        let operations = self.world.catalogue.operations.iter().zip(0..);
        let makes = operations.filter(|(operation, _)| {
            let signature = &operation.signature;
            let is_of_kind = match operation.origin {
                Origin::Callable(callable) => {
                    is_own && !self.world.catalogue.api.callable(callable).derived
                }
                Origin::Beside(_) => !is_own,
                Origin::Recipe => !is_own && !matches!(operation.form, Form::Unwrap(_)),
                Origin::Law => false,
            };
            is_of_kind
                && signature.output.ty == ty
                && !signature.inputs.iter().any(|input| input.ty.ty == ty)
        });
        makes.map(|(_, id)| OperationId(id)).collect()
    }

    fn literals(&self, ty: &Ty) -> Vec<Value> {
        let numbers = self.numbers.iter();
        match ty {
            Ty::Prim(Prim::Bool) => [false, true].map(Value::Bool).into(),
            Ty::Prim(Prim::Char) => ['a', 'b'].map(Value::Char).into(),
            Ty::Prim(Prim::F32) => numbers
                .map(|n| Value::F32(f32::from(*n).to_bits()))
                .collect(),
            Ty::Prim(Prim::F64) => numbers
                .map(|n| Value::F64(f64::from(*n).to_bits()))
                .collect(),
            Ty::Prim(Prim::Never) => Vec::new(),
            Ty::Prim(prim) if is_signed(*prim) => {
                numbers.map(|n| Value::Int(i128::from(*n))).collect()
            }
            Ty::Prim(_) => {
                let numbers = numbers.filter_map(|n| u128::try_from(*n).ok());
                numbers.map(Value::UInt).collect()
            }
            Ty::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.literals(part)).collect();
                if parts.iter().any(Vec::is_empty) {
                    return Vec::new();
                }
                if parts.is_empty() {
                    return vec![Value::Unit];
                }
                let n = parts.iter().map(Vec::len).max().unwrap_or(0);
                let of = |i: usize| parts.iter().map(move |of| of[i.min(of.len() - 1)].clone());
                (0..n).map(|i| Value::Tuple(of(i).collect())).collect()
            }
            Ty::Array(of, n) => {
                let n = n.parse().unwrap_or(0);
                let values = self.literals(of).into_iter();
                values.map(|it| Value::List(vec![it; n])).collect()
            }
            Ty::Ref { to, .. } => match &**to {
                Ty::Str => text(),
                Ty::Slice(of) => self.lists(of),
                _ => Vec::new(),
            },
            Ty::Adt { path, args } => match (&**path, args.as_slice()) {
                ("std::string::String", _) => text(),
                ("std::vec::Vec", [GenericArg::Type(of)]) => self.lists(of),
                ("std::option::Option", [GenericArg::Type(of)]) => {
                    let some = |value| Value::Named {
                        path: "Some".to_owned(),
                        fields: vec![("0".to_owned(), value)],
                    };
                    let none = Value::Named {
                        path: "None".to_owned(),
                        fields: Vec::new(),
                    };
                    let last = self.literals(of).pop();
                    std::iter::once(none).chain(last.map(some)).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn lists(&self, of: &Ty) -> Vec<Value> {
        let last = self.literals(of).pop();
        let empty = std::iter::once(Vec::new());
        empty
            .chain(last.map(|it| vec![it]))
            .map(Value::List)
            .collect()
    }
}

fn text() -> Vec<Value> {
    ["", "a"].map(|it| Value::Str(it.to_owned())).into()
}

fn is_signed(prim: Prim) -> bool {
    use Prim::{I8, I16, I32, I64, I128, Isize};
    matches!(prim, I8 | I16 | I32 | I64 | I128 | Isize)
}

/// Does the operation have a receiver?
pub(crate) fn has_self(world: &World, op: OperationId) -> bool {
    match &world.catalogue.operation(op).form {
        Form::Inherent { has_self, .. } | Form::Trait { has_self, .. } => *has_self,
        _ => false,
    }
}

/// Makes the arguments and calls the operation. `on` is its receiver, if it has one.
pub(crate) fn call(
    world: &World,
    builder: &mut Builder<'_>,
    op: OperationId,
    on: Option<SlotIdx>,
    given: &[Given],
) -> Result<SlotIdx, Rejected> {
    let inputs = &world.signature(op).inputs;
    let mut args = Vec::with_capacity(inputs.len());
    let mut slots = on.into_iter();
    let mut given = given.iter();
    for (at, input) in inputs.iter().enumerate() {
        let slot = match slots.next() {
            Some(slot) => slot,
            None => match given.next().ok_or(Rejected::Type)? {
                Given::Literal(value) if builder.literal_fits(op, at).is_ok() => {
                    args.push(Arg::Literal(value.clone().into()));
                    continue;
                }
                Given::Literal(value) => in_a_slot(world, builder, input.ty.ty, value)?,
                Given::Made { op, args } => call(world, builder, *op, None, args)?,
            },
        };
        let usage = world.usage(input, builder.ty(slot)).ok_or(Rejected::Type)?;
        args.push(Arg::Slot(slot, usage));
    }
    builder.push(op, args)
}

/// Puts a literal into a slot of its own, because it is borrowed for longer than a statement.
fn in_a_slot(
    world: &World,
    builder: &mut Builder<'_>,
    ty: TypeIdx,
    value: &Value,
) -> Result<SlotIdx, Rejected> {
    let mut operations = world.catalogue.operations.iter().zip(0..);
    let found = operations.find(|(it, _)| it.form == Form::Literal && it.signature.output.ty == ty);
    let (_, id) = found.ok_or(Rejected::Temporary)?;
    builder.push(OperationId(id), vec![Arg::Literal(value.clone().into())])
}
