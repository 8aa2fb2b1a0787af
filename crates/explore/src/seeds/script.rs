//! Examples and tests, reduced to what matters for lifting: statements in order, and expressions
//! without types.
//!
//! Code that has no form here is [`Expr::Beyond`], with its reason, so that reading never fails
//! half-way.

use std::fmt;

/// The body of one example or test.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Script {
    pub(crate) statements: Vec<Statement>,
}

/// One statement.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Statement {
    /// An expression, and what happens to its value.
    Do {
        target: Target,
        /// The head of the type that the program declares for it, like `Version`.
        ty: Option<String>,
        expr: Expr,
    },
    /// `{`: names bound from here on are forgotten at the next [`Statement::Leave`].
    Enter,
    /// `}`
    Leave,
}

/// What happens to a value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Target {
    /// It is not used.
    Unused,
    /// It is asserted to be true, or one of its parts to be something.
    Asserted,
    /// `let name = ..`
    Let(String),
    /// `name = ..`
    Assigned(String),
    /// It is bound by a pattern that is not taken apart: these names are unknown from here on.
    Lost(Vec<String>),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expr {
    Bool(bool),
    Char(char),
    Int(i128),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Tuple(Vec<Expr>),
    /// `[a, b]`, `vec![a, b]`
    List(Vec<Expr>),
    Range {
        start: Option<Box<Expr>>,
        end: Option<Box<Expr>>,
        is_inclusive: bool,
    },
    /// A local name, a constant, or a variant without fields.
    Path(Path),
    Call(Path, Vec<Expr>),
    Method {
        receiver: Box<Expr>,
        name: String,
        args: Vec<Expr>,
    },
    Field(Box<Expr>, String),
    /// `Foo { a: 1 }`
    Struct(Path, Vec<(String, Expr)>),
    /// `&x`, `&mut x`, `*x`, `(x)`. Types decide what is a place and what a reference.
    Place(Box<Expr>),
    /// `?`, `.unwrap()`, `.expect(..)`, or with `is_err` `.unwrap_err()`.
    Unwrap {
        of: Box<Expr>,
        is_err: bool,
    },
    /// An operator, by the methods that it may stand for.
    Operator(&'static [&'static str], Vec<Expr>),
    /// Code that is not lifted.
    Beyond(Why),
}

/// A path without its generic arguments: the last segment, and the one before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    pub(crate) qualifier: Option<String>,
    pub(crate) name: String,
}

/// Why a statement was not lifted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Why {
    /// A loop, a branch, or an early return.
    ControlFlow,
    /// A closure, or an `async` block.
    Closure,
    /// A macro that is not the standard library's.
    Macro,
    /// Syntax without a form in scripts.
    Syntax,
    /// No operation has this name: it is the standard library's, private, or the test's own.
    Unknown,
    /// Operations have this name, but receiver or arguments fit none of their instances.
    Unfit,
    /// It needs a value whose statement was not lifted, or that was moved away.
    Lost,
    /// The sequence is long enough, or too many calls were tried.
    TooMuch,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::ControlFlow => "a loop or a branch",
            Why::Closure => "a closure",
            Why::Macro => "a macro",
            Why::Syntax => "not a call",
            Why::Unknown => "no operation of that name",
            Why::Unfit => "its arguments fit no instance",
            Why::Lost => "needs a value that was not lifted",
            Why::TooMuch => "too long",
        })
    }
}

impl Expr {
    /// An expression that is only a name.
    pub(crate) fn name(name: &str) -> Expr {
        Expr::Path(Path {
            qualifier: None,
            name: name.to_owned(),
        })
    }

    /// The expressions directly inside.
    pub(crate) fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Tuple(parts)
            | Expr::List(parts)
            | Expr::Call(_, parts)
            | Expr::Operator(_, parts) => parts.iter().collect(),
            Expr::Range { start, end, .. } => {
                [start, end].into_iter().flatten().map(|it| &**it).collect()
            }
            Expr::Method { receiver, args, .. } => [&**receiver].into_iter().chain(args).collect(),
            Expr::Field(of, _) | Expr::Place(of) | Expr::Unwrap { of, .. } => vec![of],
            Expr::Struct(_, fields) => fields.iter().map(|(_, field)| field).collect(),
            _ => Vec::new(),
        }
    }

    /// Are expressions nested in it more often than this?
    pub(crate) fn is_deeper_than(&self, most: usize) -> bool {
        let below = |part: &Expr| most == 0 || part.is_deeper_than(most - 1);
        self.parts().into_iter().any(below)
    }

    fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Tuple(parts)
            | Expr::List(parts)
            | Expr::Call(_, parts)
            | Expr::Operator(_, parts) => parts.iter_mut().collect(),
            Expr::Range { start, end, .. } => [start, end]
                .into_iter()
                .flatten()
                .map(|it| &mut **it)
                .collect(),
            Expr::Method { receiver, args, .. } => {
                [&mut **receiver].into_iter().chain(args).collect()
            }
            Expr::Field(of, _) | Expr::Place(of) | Expr::Unwrap { of, .. } => vec![of],
            Expr::Struct(_, fields) => fields.iter_mut().map(|(_, field)| field).collect(),
            _ => Vec::new(),
        }
    }

    /// May an operation be called in it? Comparisons of names and literals, and `Some`, are not
    /// operations.
    pub(crate) fn has_call(&self) -> bool {
        let is_call = match self {
            Expr::Call(path, _) => !matches!(&*path.name, "Some" | "Ok" | "Err"),
            Expr::Method { .. } | Expr::Struct(..) | Expr::Field(..) | Expr::Beyond(_) => true,
            Expr::Operator(names, _) => !is_comparison(names),
            _ => false,
        };
        is_call || self.parts().into_iter().any(Expr::has_call)
    }

    /// Puts expressions in place of names.
    pub(crate) fn substitute(&mut self, by: &[(String, Expr)]) {
        if let Expr::Path(Path {
            qualifier: None,
            name,
        }) = self
            && let Some((_, other)) = by.iter().find(|(known, _)| known == name)
        {
            *self = other.clone();
            return;
        }
        for part in self.parts_mut() {
            part.substitute(by);
        }
    }
}

/// Does the operator only compare, or join comparisons?
pub(crate) fn is_comparison(names: &[&str]) -> bool {
    matches!(names[0], "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "&&")
}

/// The result of an operator on two numbers.
pub(crate) fn arithmetic(names: &[&str], a: i128, b: i128) -> Option<i128> {
    match names[0] {
        "add" => a.checked_add(b),
        "sub" => a.checked_sub(b),
        "mul" => a.checked_mul(b),
        "div" => a.checked_div(b),
        "rem" => a.checked_rem(b),
        "shl" if (0..64).contains(&b) => a.checked_shl(b as u32),
        _ => None,
    }
}
