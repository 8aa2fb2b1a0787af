//! Methods that must agree with another way to ask the same: the plain one with those that can say no
//! or end at a limit, `get` with indexing, what is iterated over with its number, a range with the same
//! range that has its end.
//!
//! A plain method may panic where it must give a value, so its panic is caught: who finds only that it
//! panics cannot know that it must not.

use std::sync::Arc;

use super::super::{Draft, DraftInput};
use super::iterator::{is_comparable, item};
use super::operators::OPERATORS;
use super::{Subject, caught, given, let_, then};
use crate::keywords::{NEWEST_EDITION, identifier};
use crate::operation::{Clause, Form};
use crate::ty::{GenericArg, Prim, Ty};
use crate::unify::same_but_regions;

/// A method of the type that leaves its value as it is.
pub(super) struct Method<'a> {
    pub(super) name: &'a Arc<str>,
    draft: &'a Draft,
    is_lent: bool,
}

impl Method<'_> {
    /// What is passed beside the value.
    pub(super) fn rest(&self) -> &[DraftInput] {
        &self.draft.inputs[1..]
    }

    pub(super) fn output(&self) -> &Ty {
        &self.draft.output
    }

    /// The inputs of a law that calls it, and the call.
    pub(super) fn call(&self, subject: &Subject<'_>) -> Option<(Vec<Ty>, String)> {
        let mut inputs = vec![subject.lent(0)];
        let mut arguments = Vec::new();
        for (n, input) in (1..).zip(self.rest()) {
            let (ty, text) = subject.passed(&input.ty, n)?;
            inputs.push(ty);
            arguments.push(text);
        }
        Some((inputs, self.with(subject, &arguments.join(", "))))
    }

    /// The call with these arguments.
    fn with(&self, subject: &Subject<'_>, arguments: &str) -> String {
        let receiver = match self.is_lent || subject.is("std::marker::Copy") {
            true => "{0}",
            false => "{0}.clone()",
        };
        let name = identifier(self.name, NEWEST_EDITION);
        format!("{receiver}.{name}({arguments})")
    }

    fn takes_the_same(&self, other: &Method<'_>) -> bool {
        let (own, others) = (self.rest(), other.rest());
        let mut pairs = own.iter().zip(others);
        own.len() == others.len() && pairs.all(|(a, b)| same_but_regions(&a.ty, &b.ty))
    }
}

/// The methods that take the value by reference, or a copy of it.
pub(super) fn methods<'a>(subject: &'a Subject<'_>) -> Vec<Method<'a>> {
    let can_be_cloned = subject.is("std::clone::Clone");
    let found = subject.drafts.values().filter_map(|draft| {
        let Form::Inherent {
            self_ty,
            name,
            has_self: true,
            ..
        } = &draft.form
        else {
            return None;
        };
        let receiver = &draft.inputs.first()?.ty;
        let is_lent = matches!(receiver, Ty::Ref { mutable: false, .. });
        let is_value = can_be_cloned && same_but_regions(receiver, &subject.ty);
        let is_it = draft.formatter.is_none() && same_but_regions(self_ty, &subject.ty);
        (is_it && (is_lent || is_value)).then_some(Method {
            name,
            draft,
            is_lent,
        })
    });
    found.collect()
}

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let methods = methods(subject);
    let mut laws = Vec::new();
    for method in &methods {
        laws.extend(plain_twin(subject, &methods, method));
        laws.extend(limited_twin(subject, &methods, method));
        laws.extend(same_range(subject, &methods, method));
    }
    laws.extend(indexed(subject, &methods));
    laws.extend(contained(subject, &methods));
    laws.extend(counted(subject, &methods));
    laws
}

/// The one type argument of an `Option`, or the first of a `Result`.
fn success<'t>(ty: &'t Ty, path: &str) -> Option<&'t Ty> {
    match ty {
        Ty::Adt { path: of, args } if &**of == path => match args.first()? {
            GenericArg::Type(ty) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// The expression of the method, or of the operator, that this one is the careful twin of.
fn plain(
    subject: &Subject<'_>,
    methods: &[Method<'_>],
    careful: &Method<'_>,
    name: &str,
    gives: &Ty,
) -> Option<String> {
    let is_plain = |it: &&Method<'_>| {
        &**it.name == name && it.takes_the_same(careful) && same_but_regions(it.output(), gives)
    };
    if let Some(method) = methods.iter().find(is_plain) {
        return method.call(subject).map(|it| it.1);
    }
    let [other] = careful.rest() else {
        return None;
    };
    let is_named = |it: &&(&str, &str)| it.0.eq_ignore_ascii_case(name);
    let (path, sign) = OPERATORS.iter().find(is_named)?;
    let operators = subject.impls(&format!("std::ops::{path}"));
    let is_it = operators.iter().any(|it| {
        let right = it.args.first().unwrap_or(&subject.ty);
        let output = it.assoc("Output");
        same_but_regions(right, &other.ty) && output.is_some_and(|it| same_but_regions(it, gives))
    });
    let right = subject.passed(&other.ty, 1)?.1;
    is_it.then(|| format!("{} {sign} {right}", subject.value(0)))
}

/// `checked_` and `try_`: where they give a value, the plain one gives it, too.
fn plain_twin(
    subject: &Subject<'_>,
    methods: &[Method<'_>],
    careful: &Method<'_>,
) -> Option<Draft> {
    let (name, gives, given_it, result) = match careful.name.split_once('_')? {
        ("checked", name) => {
            let gives = success(careful.output(), "std::option::Option")?;
            (name, gives, "careful.is_some()", "careful")
        }
        ("try", name) => {
            let gives = success(careful.output(), "std::result::Result")?;
            (name, gives, "careful.is_ok()", "careful.ok()")
        }
        _ => return None,
    };
    if gives.is_unit() || !is_comparable(subject, gives) {
        return None;
    }
    let plain = plain(subject, methods, careful, name, gives)?;
    let (inputs, call) = careful.call(subject)?;
    let clauses = vec![
        let_("careful", call),
        given(given_it),
        let_("plain", caught(&plain)),
        then(format!("assert!({result} == plain)")),
    ];
    let says = format!(
        "where `{}` gives a value, `{name}` must give it",
        careful.name
    );
    let law = format!("twins {name} {}", careful.name);
    Some(subject.law(&law, &says, 2, inputs, clauses))
}

/// `saturating_`, `wrapping_` and `overflowing_`: where nothing overflows, all give the same.
fn limited_twin(
    subject: &Subject<'_>,
    methods: &[Method<'_>],
    limited: &Method<'_>,
) -> Option<Draft> {
    let (how, name) = limited.name.split_once('_')?;
    let (gives, bound, value) = match (how, limited.output()) {
        ("saturating" | "wrapping", gives) => (gives, "limited", "limited"),
        ("overflowing", Ty::Tuple(parts)) => match &parts[..] {
            [gives, Ty::Prim(Prim::Bool)] => (gives, "(limited, overflows)", "limited"),
            _ => return None,
        },
        _ => return None,
    };
    if !is_comparable(subject, gives) {
        return None;
    }
    // What says that nothing overflows: the checked one, and else that the plain one does not panic.
    let checked = methods.iter().find(|it| {
        let is_checked = it.name.strip_prefix("checked_") == Some(name);
        let found = success(it.output(), "std::option::Option");
        is_checked
            && it.takes_the_same(limited)
            && found.is_some_and(|it| same_but_regions(it, gives))
    });
    let (other, text) = match checked {
        Some(checked) => (checked.name.to_string(), checked.call(subject)?.1),
        None => {
            let text = plain(subject, methods, limited, name, gives)?;
            (name.to_owned(), caught(&text))
        }
    };
    let (inputs, call) = limited.call(subject)?;
    let mut clauses = vec![
        let_("fits", text),
        given("fits.is_some()"),
        let_(bound, call),
    ];
    if how == "overflowing" {
        clauses.push(then("assert!(!overflows)"));
    }
    clauses.push(then(format!("assert!(fits == Some({value}))")));
    let says = format!(
        "where nothing overflows, `{}` must give what `{other}` gives",
        limited.name
    );
    let law = format!("twins {name} {}", limited.name);
    Some(subject.law(&law, &says, 2, inputs, clauses))
}

/// `get` and `[]`.
fn indexed(subject: &Subject<'_>, methods: &[Method<'_>]) -> Option<Draft> {
    for index in subject.impls("std::ops::Index") {
        let (Some(key), Some(output)) = (index.args.first(), index.assoc("Output")) else {
            continue;
        };
        let is_get = |it: &&Method<'_>| {
            let gives = success(it.output(), "std::option::Option");
            let is_it = matches!(gives, Some(Ty::Ref { to, .. }) if same_but_regions(to, output));
            let takes = matches!(it.rest(), [it] if same_but_regions(&it.ty, key));
            &**it.name == "get" && is_it && takes
        };
        let Some(get) = methods.iter().find(is_get) else {
            continue;
        };
        if !is_comparable(subject, output) {
            continue;
        }
        let (inputs, call) = get.call(subject)?;
        let at = subject.passed(key, 1)?.1;
        let clauses = vec![
            let_("got", call),
            given("got.is_some()"),
            let_("indexed", caught(&format!("&{{0}}[{at}]"))),
            then("assert!(got == indexed)"),
        ];
        let says = "what `get` finds, an index must find";
        return Some(subject.law("get-index", says, 1, inputs, clauses));
    }
    None
}

/// `get` and what says that something is there.
fn contained(subject: &Subject<'_>, methods: &[Method<'_>]) -> Option<Draft> {
    let get = methods
        .iter()
        .find(|it| &**it.name == "get" && success(it.output(), "std::option::Option").is_some())?;
    let has = methods.iter().find(|it| {
        let is_named = matches!(&**it.name, "contains" | "contains_key");
        is_named && *it.output() == Ty::Prim(Prim::Bool) && it.takes_the_same(get)
    })?;
    let (inputs, got) = get.call(subject)?;
    let has_call = has.call(subject)?.1;
    let clauses = vec![then(format!("assert_eq!({got}.is_some(), {has_call})"))];
    let says = format!(
        "`get` must find what `{}` says is there, and nothing else",
        has.name
    );
    Some(subject.law("get-contains", &says, 2, inputs, clauses))
}

/// The method `iter`, if it gives an iterator.
pub(super) fn iter<'m, 'a>(
    subject: &Subject<'_>,
    methods: &'m [Method<'a>],
) -> Option<&'m Method<'a>> {
    methods.iter().find(|it| {
        let is_named = &**it.name == "iter" && it.rest().is_empty();
        is_named && item(subject, it.output()).is_some()
    })
}

/// Are there items of an iterator to compare?
pub(super) fn gives_items(subject: &Subject<'_>, ty: &Ty) -> bool {
    item(subject, ty).is_some_and(|item| is_comparable(subject, &item))
}

/// `iter` and `len`.
fn counted(subject: &Subject<'_>, methods: &[Method<'_>]) -> Option<Draft> {
    if subject.question("len") != Some(Ty::Prim(Prim::Usize)) {
        return None;
    }
    iter(subject, methods)?;
    let clauses = vec![
        let_("len", "{0}.len()"),
        given("len < 1000"),
        then("assert_eq!({0}.iter().take(1000).count(), len)"),
    ];
    let says = "`iter` must give as many items as `len` says";
    // What is counted need not be what is iterated over: values of a key, words of a text.
    Some(subject.guess("iter-len", says, vec![subject.lent(0)], clauses))
}

/// A method that takes any range: up to the end, and with an end that is one less.
fn same_range(subject: &Subject<'_>, methods: &[Method<'_>], open: &Method<'_>) -> Option<Draft> {
    let of_range = |it: &Method<'_>, kind: &str| match it.rest() {
        [it] => success(&it.ty, kind).cloned(),
        _ => None,
    };
    let number = of_range(open, "std::ops::Range")?;
    let Ty::Prim(prim) = &number else {
        return None;
    };
    let closed = methods.iter().find(|it| {
        let of = of_range(it, "std::ops::RangeInclusive");
        it.name == open.name && of.is_some_and(|of| of == number)
    });
    if !prim.is_integer() || closed.is_none() {
        return None;
    }
    let one = open.with(subject, "{1}..{2}");
    let other = open.with(subject, "{1}..={2} - 1");
    let is_value = is_comparable(subject, open.output());
    let same = match is_value {
        true => then(format!("assert!({one} == {other})")),
        false if gives_items(subject, open.output()) => then(format!("assert!({one}.eq({other}))")),
        false => return None,
    };
    let clauses: Vec<Clause> = vec![given("{1} < {2}"), same];
    let says = format!(
        "`{}` must take `a..b` for what it takes `a..=b - 1` for",
        open.name
    );
    let law = format!("same-range {}", open.name);
    let inputs = vec![subject.lent(0), number.clone(), number];
    Some(subject.law(&law, &says, 2, inputs, clauses))
}
