//! What people publish: callables, generic as written, and the types around them.

use std::sync::Arc;

use crate::ty::{GenericArg, Region, Substitution, TraitRef, Ty};

/// Index of a callable in [`Api::callables`](crate::Api::callables).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallableId(pub u32);

/// `type Pair<T> = (T, T);`
#[derive(Clone, Debug)]
pub struct TypeAlias {
    /// Its parameters.
    pub generics: Vec<GenericParam>,
    /// What it stands for.
    pub ty: Ty,
}

impl TypeAlias {
    /// The type that it stands for with these arguments. Missing arguments have defaults.
    pub fn with(&self, args: &[GenericArg]) -> Option<Ty> {
        let mut by = Substitution::default();
        for (i, param) in self.generics.iter().enumerate() {
            match (args.get(i), &param.kind) {
                (Some(GenericArg::Type(ty)), _) => {
                    by.types.insert(param.name.clone(), ty.clone());
                }
                (Some(GenericArg::Const(value)), _) => {
                    by.consts.insert(param.name.clone(), value.clone());
                }
                (
                    None,
                    GenericKind::Type {
                        default: Some(ty), ..
                    },
                ) => {
                    by.types.insert(param.name.clone(), ty.substitute(&by));
                }
                _ => return None,
            }
        }
        (args.len() <= self.generics.len()).then(|| self.ty.substitute(&by))
    }
}

/// One public function, method, constructor, constant or field, generic as written.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Textual, unique, stable across runs and versions: `semver::Version::parse`,
    /// `<semver::Version as std::cmp::Ord>::cmp`, `semver::Version.major`.
    pub key: Arc<str>,
    /// What kind of item it is, and how it is addressed.
    pub kind: CallableKind,
    /// Type and const parameters of the impl, then of the function itself. `impl Trait` in
    /// argument position is a parameter named after its position (`impl0`).
    pub generics: Vec<GenericParam>,
    /// All bounds and where clauses on them, implied `Sized` left out.
    pub bounds: Vec<Bound>,
    /// How many region variables the signature uses.
    pub n_regions: u32,
    /// `'a: 'b` as declared.
    pub outlives: Vec<(Region, Region)>,
    /// Parameters, the receiver first.
    pub inputs: Vec<Param>,
    /// The return type; `Self` already replaced.
    pub output: Ty,
    /// What the documentation says.
    pub docs: Docs,
    /// Is it in the fixed denominator of reach: a function or a method of an explicit impl?
    pub counted: bool,
    /// Did the compiler write it (`#[derive]`)?
    pub derived: bool,
    /// Is it an `unsafe fn`?
    pub is_unsafe: bool,
    /// Why no instance can be made, if the reader knows that already.
    pub skip: Option<Reason>,
}

/// A parameter as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// The parameter's name, `self` for the receiver, `arg1` for a pattern.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Ty,
}

/// The kinds of callable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallableKind {
    /// A free function by its full public path.
    Function {
        /// `strsim::levenshtein`
        path: Arc<str>,
    },
    /// A function in an inherent impl.
    Inherent {
        /// The impl's self type.
        self_ty: Ty,
        /// The function's name.
        name: Arc<str>,
        /// Does it take `self` in some form?
        has_self: bool,
    },
    /// A function in a trait impl, or a provided one of a local trait.
    Trait {
        /// The impl's self type.
        self_ty: Ty,
        /// The trait at the impl's arguments.
        trait_: TraitRef,
        /// The function's name.
        name: Arc<str>,
        /// Does it take `self` in some form?
        has_self: bool,
    },
    /// `Foo { a: .., b: .. }` or `Foo(..)`: every field is public.
    StructLiteral {
        /// The struct.
        self_ty: Ty,
        /// How its fields are written.
        fields: Fields,
    },
    /// An enum's variant.
    Variant {
        /// The enum.
        self_ty: Ty,
        /// The variant's name.
        name: Arc<str>,
        /// How its fields are written.
        fields: Fields,
    },
    /// A constant or static by its full public path.
    Const {
        /// `std::u8::MAX`
        path: Arc<str>,
    },
    /// An associated constant.
    AssocConst {
        /// The impl's self type.
        self_ty: Ty,
        /// The constant's name.
        name: Arc<str>,
    },
    /// A public field: its place, borrowed shared. The input is `&'r0 Self`, the output `&'r0 F`.
    Field {
        /// The struct.
        self_ty: Ty,
        /// The field's name or index.
        name: Arc<str>,
    },
}

impl CallableKind {
    /// Is it a function?
    pub fn is_call(&self) -> bool {
        matches!(
            self,
            CallableKind::Function { .. }
                | CallableKind::Inherent { .. }
                | CallableKind::Trait { .. }
        )
    }
}

/// The fields of a struct or variant, as they are written in a literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fields {
    /// `Foo`
    Unit,
    /// `Foo(a, b)`
    Tuple(Vec<Field>),
    /// `Foo { a, b }`
    Named(Vec<Field>),
}

impl Fields {
    /// The fields in order.
    pub fn list(&self) -> &[Field] {
        match self {
            Fields::Unit => &[],
            Fields::Tuple(fields) | Fields::Named(fields) => fields,
        }
    }
}

/// One field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name, or index as text.
    pub name: Arc<str>,
    /// Its type in terms of the ADT's own parameters.
    pub ty: Ty,
}

/// A public struct, enum or union of the crate.
#[derive(Clone, Debug)]
pub struct Adt {
    /// Public path.
    pub path: Arc<str>,
    /// The type with its own parameters as arguments: `Foo<'r0, T>`.
    pub self_ty: Ty,
    /// Its type and const parameters.
    pub generics: Vec<GenericParam>,
    /// Bounds on them.
    pub bounds: Vec<Bound>,
    /// Can a slot hold it? Wrappers of `str` and slices exist only behind references.
    pub sized: bool,
    /// `#[deprecated]`
    pub deprecated: bool,
    /// What its documentation says of panics.
    pub panics: Option<Arc<str>>,
    /// Its fields or variants, as far as they can be seen.
    pub shape: Shape,
}

/// What can be seen of an ADT from outside.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Public fields only; `all_public` says that there are no others, and that the struct is not
    /// `#[non_exhaustive]`.
    Struct {
        /// The public fields.
        fields: Fields,
        /// No private fields and not `#[non_exhaustive]`.
        all_public: bool,
    },
    /// Variants in order of declaration, hidden ones left out.
    Enum {
        /// Name and fields, and whether all of the variant's fields can be named outside.
        variants: Vec<Variant>,
        /// May there be more variants, so that a match needs a wildcard?
        open: bool,
    },
    /// A union. Reading it is unsafe, so it is opaque.
    Union,
}

/// One variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: Arc<str>,
    /// Its fields.
    pub fields: Fields,
    /// Can it be built and matched outside, all fields named?
    pub usable: bool,
}

/// `impl<generics> Trait<args> for self_ty where bounds`.
#[derive(Clone, Debug)]
pub struct Implementor {
    /// The implementing type.
    pub self_ty: Ty,
    /// The trait at the impl's arguments.
    pub trait_: TraitRef,
    /// The impl's type and const parameters.
    pub generics: Vec<GenericParam>,
    /// Bounds on them.
    pub bounds: Vec<Bound>,
    /// `type Item = T;` of the impl.
    pub assoc: Vec<(Arc<str>, Ty)>,
}

/// A type or const parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenericParam {
    /// Its name.
    pub name: Arc<str>,
    /// What it ranges over.
    pub kind: GenericKind,
}

/// What a generic parameter ranges over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GenericKind {
    /// A type, with its default if it has one.
    Type {
        /// `S = RandomState`
        default: Option<Ty>,
        /// `impl Trait` in argument position: it has no turbofish.
        synthetic: bool,
    },
    /// A constant of this type.
    Const(Ty),
}

/// `on: trait_` or `on: 'region`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The type must implement the trait.
    Trait {
        /// The bounded type.
        on: Ty,
        /// The trait.
        trait_: TraitRef,
    },
    /// The type must outlive the region.
    Outlives {
        /// The bounded type.
        on: Ty,
        /// The region.
        region: Region,
    },
}

/// What documentation says that matters for testing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Docs {
    /// Is there any documentation?
    pub is_there: bool,
    /// The `# Panics` section's text, or the first sentence that says that it panics.
    pub panics: Option<Arc<str>>,
    /// The first sentence that says that something does not panic.
    pub denies: Option<Arc<str>>,
    /// A sentence that says that other functions panic if they get the value which this one makes.
    pub warns: Option<Arc<str>>,
    /// Sentences that say what must or should hold.
    pub asks: Vec<Arc<str>>,
    /// The first sentence that says that it trusts its callers: it checks nothing, or is for the crate itself.
    pub trusts: Option<Arc<str>>,
    /// The `# Safety` section's text.
    pub safety: Option<Arc<str>>,
    /// Code blocks that rustdoc would run.
    pub examples: Vec<Arc<str>>,
    /// `#[deprecated]`
    pub deprecated: bool,
    /// `#[must_use]`
    pub must_use: bool,
    /// Where it is defined, relative to the package.
    pub file: Option<Arc<str>>,
    /// First line of its definition.
    pub line: u32,
    /// Last line of its definition.
    pub end: u32,
}

/// Why a callable has no operation. Every one of these is counted and shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// `unsafe fn`.
    Unsafe,
    /// No candidate for a type parameter.
    NoInstance {
        /// The parameter.
        param: Arc<str>,
        /// Its bounds, as text.
        bounds: Arc<str>,
    },
    /// No type is known to implement a trait, and no stand-in can.
    NoStandIn {
        /// What is asked for, as text: `P: krate::Plan`, `&dyn krate::Plan`.
        wanted: Arc<str>,
        /// What is in the way.
        obstacle: Arc<str>,
    },
    /// Nothing makes a value of this type.
    NoProducer {
        /// The type, as text.
        ty: Arc<str>,
        /// A callable that would, if it could itself be called.
        maker: Option<Arc<str>>,
    },
    /// There are no values of this type: it is an enum without variants.
    Uninhabited(Arc<str>),
    /// rustc refused every instance.
    RustcRefused {
        /// `E0277`
        code: Arc<str>,
        /// First line of the message.
        text: Arc<str>,
    },
    /// The type or trait cannot be named from outside.
    Unnameable(Arc<str>),
    /// It needs something that is not modelled yet.
    Unsupported(Arc<str>),
    /// `#[doc(hidden)]`: public for macros and for the compiler, not for people.
    Hidden,
    /// The user left it out.
    Filtered,
    /// The API is too large to be tried as a whole.
    TooMany,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Unsafe => write!(f, "unsafe function; --unsafe calls it"),
            Reason::NoInstance { param, bounds } => {
                write!(f, "no type known for `{param}: {bounds}`")
            }
            Reason::NoStandIn { wanted, obstacle } => {
                write!(
                    f,
                    "no type known for `{wanted}`, and none can be written: {obstacle}"
                )
            }
            Reason::NoProducer { ty, maker: None } => {
                write!(f, "nothing makes a value of `{ty}`")
            }
            Reason::NoProducer {
                ty,
                maker: Some(maker),
            } => write!(
                f,
                "nothing makes a value of `{ty}`: `{maker}` would, but cannot be called either"
            ),
            Reason::Uninhabited(ty) => write!(f, "there are no values of `{ty}`"),
            Reason::RustcRefused { code, text } => write!(f, "rustc refused it: {text} [{code}]"),
            Reason::Unnameable(what) => write!(f, "`{what}` cannot be named outside its crate"),
            Reason::Unsupported(what) => write!(f, "not supported: {what}"),
            Reason::Hidden => write!(f, "hidden from the documentation"),
            Reason::Filtered => write!(f, "left out on request"),
            Reason::TooMany => write!(f, "the API is too large; --only asks for it"),
        }
    }
}
