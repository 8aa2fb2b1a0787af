//! What the harness holds: a callable at concrete types, or a recipe of ours.
//!
//! **What has no name gets a box.** `impl Trait` results are kept as trait objects
//! (`Operation::opaque`) and driven by recipes whose text is the same for both; the test writes the
//! plain call. Where a trait object is asked for, anything that implements the trait is passed, and
//! coerces.

use std::sync::Arc;

use crate::api::Api;
use crate::callable::{CallableId, Fields, Reason};
use crate::ty::{GenericArg, Region, TraitRef, Ty};
use crate::types::{Regioned, TypeIdx, Types};

/// What a closure of ours says when it panics, which it does because it was asked to.
pub const CLOSURE_PANIC: &str = "from the closure";

/// What the panic of a law that does not hold has in its message.
pub const LAW_BROKEN: &str = "the law is broken";

/// Index of an operation; dense, lives for one catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OperationId(pub u32);

/// All operations and types of one crate under test.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// The model it was made from.
    pub api: Api,
    /// By [`OperationId`].
    pub operations: Vec<Operation>,
    /// The interned types.
    pub types: Types,
    /// For callables without an operation, why; in order of callables.
    pub skipped: Vec<(CallableId, Reason)>,
}

impl Catalogue {
    /// The operation of this id.
    pub fn operation(&self, id: OperationId) -> &Operation {
        &self.operations[id.0 as usize]
    }
}

/// A callable at concrete types, or a recipe.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Stable across runs: the callable's key with the instance's types, or the recipe's text.
    pub key: Arc<str>,
    /// Where it comes from.
    pub origin: Origin,
    /// How it is written as an expression.
    pub form: Form,
    /// Types, regions and how arguments are passed.
    pub signature: Signature,
    /// The result is `impl Trait`, which has no name: the harness keeps it in a box.
    pub opaque: bool,
    /// Which parameter of the callable is a `&mut Formatter`, if it writes to one: nobody makes that,
    /// so it is none of the inputs, and the text is the result.
    pub formatter: Option<usize>,
    /// What is made of a result that no slot can hold, because its type has no name.
    pub reading: Option<Reading>,
}

/// What can be seen of a value whose type has no name. rustc says which of them are possible; of
/// those the first is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reading {
    /// What it can be borrowed as.
    Borrowed,
    /// The items of what is known to have some.
    Collected,
    /// The text of the items of an iterator.
    Items,
    /// Its own text.
    Shown,
    /// Is there a value at all?
    IsSome,
    /// Did it succeed?
    IsOk,
    /// Nothing but what the call does.
    Dropped,
}

impl Reading {
    /// The expression, with `{0}` for the call.
    pub fn template(self) -> &'static str {
        match self {
            Reading::Borrowed => "{0}.as_ref().to_owned()",
            Reading::Collected => "{0}.into_iter().collect::<Vec<_>>()",
            Reading::Items => "format!(\"{:?}\", {0}.collect::<Vec<_>>())",
            Reading::Shown => "format!(\"{:?}\", {0})",
            Reading::IsSome => "{0}.is_some()",
            Reading::IsOk => "{0}.is_ok()",
            Reading::Dropped => "drop({0})",
        }
    }

    /// The expression that is `false` where this one is `true`.
    pub fn opposite(self) -> Option<&'static str> {
        match self {
            Reading::IsSome => Some("{0}.is_none()"),
            Reading::IsOk => Some("{0}.is_err()"),
            _ => None,
        }
    }
}

impl Operation {
    /// The key without the reading: one instance has several until rustc has judged.
    pub fn instance(&self) -> &str {
        let reading = self.reading.map(|reading| reading.to_string());
        let instance = reading.and_then(|reading| self.key.strip_suffix(&*reading));
        instance.unwrap_or(&self.key)
    }

    /// Which parameter of the callable an input is.
    pub fn parameter(&self, input: usize) -> usize {
        match self.formatter {
            Some(formatter) if input >= formatter => input + 1,
            _ => input,
        }
    }

    /// The arguments of the call, with the formatter in its place.
    pub fn with_formatter<T>(&self, mut arguments: Vec<T>, formatter: T) -> Vec<T> {
        if let Some(at) = self.formatter {
            arguments.insert(at, formatter);
        }
        arguments
    }
}

/// The end of an operation's key.
impl std::fmt::Display for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, " as {}", self.template())
    }
}

/// Where an operation comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Origin {
    /// The crate under test.
    Callable(CallableId),
    /// A dependency, or a module of the user's that makes values.
    Beside(CallableId),
    /// Ours: literals, standard library constructors, unwraps.
    Recipe,
    /// A law: it is called to see whether it holds, and makes nothing.
    Law,
}

/// How an operation is written. Both the harness and the tests print from this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// `path::<turbofish>(args)`
    Function {
        /// Full public path.
        path: Arc<str>,
        /// Explicit generic arguments, empty where inference does it.
        turbofish: Vec<GenericArg>,
    },
    /// `<Self>::name(args)`, or `self.name(args)`.
    Inherent {
        /// The self type at this instance.
        self_ty: Ty,
        /// The function's name.
        name: Arc<str>,
        /// Explicit generic arguments of the function itself.
        turbofish: Vec<GenericArg>,
        /// Does it take `self` in some form?
        has_self: bool,
    },
    /// `<Self as Trait>::name(args)`, an operator, or `self.name(args)`.
    Trait {
        /// The self type at this instance.
        self_ty: Ty,
        /// The trait.
        trait_: TraitRef,
        /// The function's name.
        name: Arc<str>,
        /// Explicit generic arguments of the function itself.
        turbofish: Vec<GenericArg>,
        /// Does it take `self` in some form?
        has_self: bool,
    },
    /// A struct literal; inputs are the fields in order.
    StructLiteral {
        /// The struct at this instance.
        self_ty: Ty,
        /// Its fields.
        fields: Fields,
    },
    /// A variant; inputs are the fields in order.
    Variant {
        /// The enum at this instance.
        self_ty: Ty,
        /// The variant.
        name: Arc<str>,
        /// Its fields.
        fields: Fields,
    },
    /// A constant by its path.
    Const {
        /// Full public path.
        path: Arc<str>,
    },
    /// An associated constant.
    AssocConst {
        /// The self type at this instance.
        self_ty: Ty,
        /// The constant.
        name: Arc<str>,
    },
    /// `&x.name`
    Field {
        /// The field.
        name: Arc<str>,
    },
    /// Take one side of an `Option` or `Result`; refuses when it is the other.
    Unwrap(Side),
    /// The argument itself: puts a literal into a slot of its own.
    Literal,
    /// A closure; inputs are what it captures.
    Closure {
        /// `move |a| a < {0}`; without `move` it borrows what it captures.
        template: Arc<str>,
        /// In the harness it stands in a box, unless it is a function pointer.
        boxed: bool,
    },
    /// Text with `{0}`, `{1}`, .. for the arguments: standard library calls and macros. Paths in
    /// it are those of the prelude or begin with `std::`.
    Recipe {
        /// The expression.
        template: Arc<str>,
    },
    /// A law of its arguments.
    Law(Arc<Law>),
}

/// What must hold of values, whatever made them. A call panics if it does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Law {
    /// Short and stable: `eq-symmetric`.
    pub name: Arc<str>,
    /// The type that it is about.
    pub of: Ty,
    /// What it demands, in a sentence without its end.
    pub says: Arc<str>,
    /// The lower, the surer it is that a value that breaks it is wrong.
    pub rank: u8,
    /// What is said of the arguments, in order.
    pub clauses: Vec<Clause>,
    /// Which values it is asked of.
    pub asks: Asks,
    /// If it is a guess: broken more often than so many times in a hundred, it is no law.
    pub doubted_above: Option<u8>,
}

/// Which values a law is asked of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// Any.
    OfAny,
    /// Values that are made in the same way: it asks for one value twice.
    OfAlike,
    /// Values that `FromStr` made of text, and that nothing changed since.
    OfRead,
    /// Counters, once everything else was dropped.
    AfterDrops,
}

/// A part of a law; a template, like that of a recipe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clause {
    /// `let sum = {0} + {1}`: the name, and what it stands for.
    Let(&'static str, String),
    /// `sum += {1}`
    Do(String),
    /// Unless this is true, the law says nothing.
    Given(String),
    /// An assertion.
    Then(String),
}

/// Which side of an `Option` or `Result`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each variant is the Rust variant of that name")]
pub enum Side {
    Some,
    Ok,
    Err,
}

/// Types and regions of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Region variables `0..n_regions`.
    pub n_regions: u32,
    /// In order of the arguments.
    pub inputs: Vec<Input>,
    /// What comes back.
    pub output: Regioned,
    /// `'a: 'b`, and `T: 'static` of an instance that has regions.
    pub outlives: Vec<(Region, Region)>,
}

impl Signature {
    /// Makes one region of all that the types mention. What is borrowed for the call alone stays
    /// apart. Answers whether anything changed.
    ///
    /// Bounds can tie regions in ways that the signature does not show (`F: Filter<G::Edge>`). Where
    /// rustc says so, this is safe: whoever shares a region shares its loans.
    pub fn tie_regions(&mut self) -> bool {
        let types = self.inputs.iter_mut().map(|input| &mut input.ty);
        let mut regions: Vec<&mut Region> = types
            .chain([&mut self.output])
            .flat_map(|ty| ty.regions.iter_mut().map(|(region, _)| region))
            .filter(|region| matches!(region, Region::Var(_)))
            .collect();
        let Some(first) = regions.first().map(|region| **region) else {
            return false;
        };
        let mut tied = Vec::new();
        for region in &mut regions {
            if **region != first && !tied.contains(*region) {
                tied.push(**region);
            }
            **region = first;
        }
        let rename = |region: &mut Region| {
            if tied.contains(region) {
                *region = first;
            }
        };
        for input in &mut self.inputs {
            if let Pass::Shared(region) | Pass::Mut(region) = &mut input.pass {
                rename(region);
            }
        }
        for (longer, shorter) in &mut self.outlives {
            rename(longer);
            rename(shorter);
        }
        self.outlives.retain(|(longer, shorter)| longer != shorter);
        !tied.is_empty()
    }
}

/// One input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The parameter's name.
    pub name: Arc<str>,
    /// For [`Pass::Value`] the parameter's type, else the type that is borrowed.
    pub ty: Regioned,
    /// By value, or borrowed from a slot.
    pub pass: Pass,
    /// The callable's parameter mentions a type parameter: an unsuffixed literal would be
    /// inferred wrongly.
    pub generic: bool,
}

/// How an argument is passed. References to unsized types (`&str`, `&[T]`) are values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pass {
    /// Moved or copied.
    Value,
    /// `&'r T` of a sized `T`.
    Shared(Region),
    /// `&'r mut T` of a sized `T`.
    Mut(Region),
}

impl Input {
    /// The types whose slots can serve: the type itself and, for a borrow, references to it.
    pub fn accepts(&self, types: &Types) -> Vec<TypeIdx> {
        let ty = self.ty.ty;
        let refs = |mutable| types.reference_to(ty, mutable);
        match self.pass {
            Pass::Value => vec![ty],
            Pass::Shared(_) => [Some(ty), refs(false), refs(true)]
                .into_iter()
                .flatten()
                .collect(),
            Pass::Mut(_) => [Some(ty), refs(true)].into_iter().flatten().collect(),
        }
    }
}
