//! An expression's text together with how tightly it binds.

/// How tightly an expression binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Prec {
    /// Assignments, ranges, closures.
    Loose,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Add,
    Mul,
    Cast,
    Unary,
    /// Paths, literals, calls, field accesses.
    Postfix,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expr {
    pub(crate) text: String,
    pub(crate) prec: Prec,
    /// For `&e` and `&mut e`: `e`, so that a dereference or a method call can take it back.
    borrowed: Option<Box<Expr>>,
    /// For `a == b`: `a != b`; for `x.is_some()`: `x.is_none()`.
    negated: Option<String>,
}

impl Expr {
    pub(crate) fn new(text: impl Into<String>, prec: Prec) -> Expr {
        Expr {
            text: text.into(),
            prec,
            borrowed: None,
            negated: None,
        }
    }

    /// A path, literal or call.
    pub(crate) fn atom(text: impl Into<String>) -> Expr {
        Expr::new(text, Prec::Postfix)
    }

    /// The text for a place that needs at least this tightness.
    pub(crate) fn at(&self, least: Prec) -> String {
        if self.prec < least {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }

    /// `&e`, `&mut e`.
    pub(crate) fn borrow(&self, mutable: bool) -> Expr {
        let sign = if mutable { "&mut " } else { "&" };
        Expr {
            text: format!("{sign}{}", self.at(Prec::Unary)),
            prec: Prec::Unary,
            borrowed: Some(Box::new(self.clone())),
            negated: None,
        }
    }

    /// `*e`, or the borrowed expression itself if `e` is a borrow.
    pub(crate) fn deref(&self) -> Expr {
        match &self.borrowed {
            Some(place) => (**place).clone(),
            None => Expr::new(format!("*{}", self.at(Prec::Unary)), Prec::Unary),
        }
    }

    /// The expression as a receiver that method calls borrow or dereference by themselves.
    pub(crate) fn receiver(&self) -> Expr {
        self.borrowed
            .as_ref()
            .map_or_else(|| self.clone(), |place| place.receiver())
    }

    /// `e.rest`
    pub(crate) fn dot(&self, rest: &str) -> Expr {
        Expr::atom(format!("{}.{rest}", self.at(Prec::Postfix)))
    }

    /// `left sign right`, with an expression that says the opposite.
    pub(crate) fn comparison(left: &str, sign: &str, right: &str, opposite: String) -> Expr {
        Expr {
            negated: Some(opposite),
            ..Expr::new(format!("{left} {sign} {right}"), Prec::Compare)
        }
    }

    /// The same question, with another one that has the opposite answer.
    pub(crate) fn or_not(self, opposite: &Expr) -> Expr {
        Expr {
            negated: Some(opposite.text.clone()),
            ..self
        }
    }

    /// `!e`
    pub(crate) fn not(&self) -> Expr {
        match &self.negated {
            Some(text) => Expr::new(text.clone(), Prec::Compare),
            None => Expr::new(format!("!{}", self.at(Prec::Unary)), Prec::Unary),
        }
    }

    /// Is it a plain name?
    pub(crate) fn is_name(&self) -> bool {
        self.text.chars().all(|c| c == '_' || c.is_alphanumeric())
            && !self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}
