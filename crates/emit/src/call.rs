//! An operation with its arguments as an expression: methods, operators, constructors, recipes.

use testsmith_api::{
    Bound, Callable, CallableKind, Fields, Form, GenericArg, Names as _, Operation, Pass, Reading,
    STAND_INS, Side, TraitRef, Ty, last_segment,
};
use testsmith_protocol::Caps;

use crate::cx::{Cx, head, type_args};
use crate::expr::Expr;
use crate::lints::{looks_like_a_slip, panicking};
use crate::literal::{Mode, fill_fields};
use crate::operand::Operand;
use crate::operator::operator;
use crate::recipe::recipe;

/// The operation's expression. With `pinned`, nothing around it fixes its type.
pub(crate) fn call(cx: Cx<'_>, op: &Operation, operands: &[Operand], pinned: bool) -> Expr {
    let expr = match op.formatter {
        Some(_) => formatted(cx, op, operands, pinned),
        None => safe_call(cx, op, operands, pinned),
    };
    let expr = match op.reading {
        // The statement that the call becomes drops the result.
        None | Some(Reading::Dropped) => expr,
        Some(reading) => read(cx, reading, Operand::value(expr)),
    };
    match cx.callable(op) {
        Some(callable) if callable.is_unsafe => Expr::atom(format!("unsafe {{ {} }}", expr.text)),
        _ => expr,
    }
}

/// The reading of a result whose type has no name.
fn read(cx: Cx<'_>, reading: Reading, result: Operand) -> Expr {
    let result = [result];
    let seen = recipe(cx, reading.template(), &result);
    match reading.opposite() {
        Some(opposite) => seen.or_not(&recipe(cx, opposite, &result)),
        None => seen,
    }
}

/// The text that the call writes to a formatter, as an expression.
fn formatted(cx: Cx<'_>, op: &Operation, operands: &[Operand], pinned: bool) -> Expr {
    let has_word = |text: &str, name: &str| {
        let mut words = text.split(|c: char| c != '_' && !c.is_alphanumeric());
        words.any(|word| word == name)
    };
    let is_free = |name: &&str| !texts(operands).iter().any(|text| has_word(text, name));
    let names = ["f", "formatter", "to_formatter"];
    let name = names.into_iter().find(is_free).unwrap_or("f");
    let formatter = Operand::value(Expr::atom(name));
    let operands = op.with_formatter(operands.to_vec(), formatter);
    let expr = safe_call(cx, op, &operands, pinned);
    Expr::atom(format!(
        "std::fmt::from_fn(|{name}| {}).to_string()",
        expr.text
    ))
}

fn safe_call(cx: Cx<'_>, op: &Operation, operands: &[Operand], pinned: bool) -> Expr {
    match &op.form {
        Form::Function { path, turbofish } => {
            let head = cx.imports.path(path);
            apply(&format!("{head}{}", cx.turbofish(turbofish)), operands)
        }
        Form::Inherent {
            self_ty,
            name,
            turbofish,
            has_self,
        } => {
            let name = format!("{}{}", cx.identifier(name), cx.turbofish(turbofish));
            if *has_self && !operands.is_empty() {
                method(&operands[0].receiver, &name, &operands[1..])
            } else {
                let head = match says_nothing(operands) {
                    true => cx.ty_in_expr(self_ty),
                    false => self_path(cx, op, self_ty),
                };
                apply(&format!("{head}::{name}"), operands)
            }
        }
        Form::Trait {
            self_ty,
            trait_,
            name,
            turbofish,
            has_self,
        } => {
            let generics = cx.turbofish(turbofish);
            if *has_self && !operands.is_empty() {
                trait_method(cx, op, self_ty, trait_, name, &generics, operands)
            } else {
                trait_function(cx, op, self_ty, trait_, name, &generics, operands)
            }
        }
        Form::StructLiteral { self_ty, fields } => {
            let head = literal_head(cx, op, self_ty, fields, pinned);
            Expr::atom(fill_fields(cx, &head, fields, &texts(operands)))
        }
        Form::Variant {
            self_ty,
            name,
            fields,
        } => variant(cx, op, self_ty, name, fields, operands, pinned),
        Form::Const { path } => Expr::atom(cx.imports.path(path)),
        Form::AssocConst { self_ty, name } => {
            let name = cx.identifier(name);
            Expr::atom(format!("{}::{name}", cx.ty_in_expr(self_ty)))
        }
        Form::Field { name } => {
            let name = cx.identifier(name);
            operands[0].receiver.dot(&name).borrow(false)
        }
        Form::Unwrap(side) => unwrap(cx, op, *side, &operands[0]),
        Form::Literal => operands[0].direct.clone(),
        Form::Recipe { template } => match (&**template, operands) {
            // A borrow coerces where the type is known.
            ("{0}.as_slice()" | "{0}.as_mut_slice()" | "{0}.as_str()", [operand]) if !pinned => {
                operand.direct.clone()
            }
            _ => recipe(cx, template, operands),
        },
        Form::Closure { template, .. } => closure(cx, op, template, operands, |_| false),
        // A law is printed as statements, not as an expression.
        Form::Law(law) => Expr::atom(format!("/* {} */", law.name)),
    }
}

/// A closure. Literals are written into its body, so they need not be captured.
pub(crate) fn closure(
    cx: Cx<'_>,
    op: &Operation,
    template: &str,
    operands: &[Operand],
    is_literal: impl Fn(usize) -> bool,
) -> Expr {
    let mut template = panicking(cx, op, template).unwrap_or_else(|| template.to_owned());
    for i in (0..operands.len()).filter(|i| is_literal(*i)) {
        template = template.replace(&format!("{{{i}}}.clone()"), &format!("{{{i}}}"));
    }
    let captures = (0..operands.len()).any(|i| !is_literal(i));
    let text = match captures {
        true => &template,
        false => template.trim_start_matches("move "),
    };
    recipe(cx, text, operands)
}

/// How a literal must be written as the argument of this input.
pub(crate) fn literal_mode(cx: Cx<'_>, op: &Operation, input_idx: usize, pinned: bool) -> Mode {
    if is_receiver(op, input_idx) {
        return Mode::TYPED;
    }
    match &op.form {
        Form::Literal => {
            return if pinned { Mode::TYPED } else { Mode::KNOWN };
        }
        Form::Unwrap(_) => return Mode::TYPED,
        Form::Closure { template, .. } => {
            // What a type parameter stands for is decided by the type of the closure's body.
            let is_constant = template.ends_with("| {0}") || template.ends_with("| {0}.clone()");
            return Mode {
                typed: is_constant,
                coerces: false,
                array: false,
            };
        }
        Form::Recipe { template } => {
            let output = &cx.world.catalogue.types.get(op.signature.output.ty).ty;
            // `Some(5)` where an `Option<u8>` is expected needs no suffix. `from` always does, and
            // so do stand-in functions, because they take anything.
            let typed = if template.starts_with(STAND_INS) {
                true
            } else if has_parts(output) {
                pinned
            } else {
                template.contains("::from(")
            };
            return Mode {
                typed,
                coerces: false,
                array: false,
            };
        }
        _ => {}
    }
    let generic = op.signature.inputs[input_idx].generic;
    // A parameter that is nothing but a type parameter takes the literal's own type; any other
    // has a shape that the literal coerces to.
    let declared = cx
        .callable(op)
        .and_then(|callable| callable.inputs.get(op.parameter(input_idx)));
    let bare = match declared {
        Some(param) => matches!(param.ty, Ty::Param(_)),
        None => generic,
    };
    let decides = generic && bare || chooses_impl(cx, op, declared.map(|param| &param.ty));
    let is_fixed = declared.is_some_and(|param| is_fixed_by_self(cx, op, &param.ty));
    let is_open = generic && !is_fixed && !has_items_of_self(op);
    Mode {
        typed: is_open || is_overloaded(cx, op),
        coerces: !decides,
        array: declared.is_some_and(|param| takes_any_items(cx, op, &param.ty)),
    }
}

/// Does the type that is made or filled say what the items of an argument are?
fn has_items_of_self(op: &Operation) -> bool {
    matches!(&op.form, Form::Trait { trait_, .. } if matches!(
        &*trait_.path,
        "std::iter::FromIterator" | "std::iter::Extend"
    ))
}

/// Will anything do for the parameter that has items? Then its type is no matter, neither of the
/// result nor of another argument.
fn takes_any_items(cx: Cx<'_>, op: &Operation, declared: &Ty) -> bool {
    let (Ty::Param(name), Some(callable)) = (declared, cx.callable(op)) else {
        return false;
    };
    let is_it = |ty: &Ty| matches!(ty, Ty::Param(other) if other == name);
    let turbofish = match &op.form {
        Form::Function { turbofish, .. }
        | Form::Inherent { turbofish, .. }
        | Form::Trait { turbofish, .. } => turbofish,
        _ => return false,
    };
    let mut bounds = callable.bounds.iter().filter(|bound| match bound {
        Bound::Trait { on, .. } | Bound::Outlives { on, .. } => is_it(on),
    });
    let is_only = matches!(
        (bounds.next(), bounds.next()),
        (Some(Bound::Trait { trait_, .. }), None) if &*trait_.path == "std::iter::IntoIterator"
    );
    let n_uses = callable
        .inputs
        .iter()
        .filter(|it| it.ty.any(&mut |ty| is_it(ty)));
    is_only
        && turbofish.is_empty()
        && n_uses.count() == 1
        && !callable.output.any(&mut |ty| is_it(ty))
}

/// Does the receiver's type say what the type parameters in a parameter stand for? A variable's type
/// is fixed where it is made.
fn is_fixed_by_self(cx: Cx<'_>, op: &Operation, declared: &Ty) -> bool {
    let Some(CallableKind::Inherent {
        self_ty,
        has_self: true,
        ..
    }) = cx.callable(op).map(|callable| &callable.kind)
    else {
        return false;
    };
    let is_in_self = |name: &str| fixes(self_ty, &|it| matches!(it, Ty::Param(n) if **n == *name));
    // Keys are asked for by what they borrow as; of a number that is the number.
    let is_borrowed = |name: &str| {
        let bounds = cx.callable(op).into_iter().flat_map(|it| &it.bounds);
        let mut bounds = bounds.filter_map(|bound| match bound {
            Bound::Trait {
                on: Ty::Param(key),
                trait_,
            } if &*trait_.path == "std::borrow::Borrow" => Some((key, &trait_.args)),
            _ => None,
        });
        bounds.any(|(key, args)| {
            let is_it = |arg: &GenericArg| {
                matches!(arg, GenericArg::Type(Ty::Param(other)) if **other == *name)
            };
            args.iter().any(is_it) && is_in_self(key)
        })
    };
    let is_of_self = |name: &str| is_in_self(name) || is_borrowed(name);
    let mut is_fixed = true;
    declared.any(&mut |node| {
        match node {
            Ty::Param(name) => is_fixed &= is_of_self(name),
            Ty::Assoc { .. } | Ty::Opaque { .. } | Ty::Dyn { .. } => is_fixed = false,
            _ => {}
        }
        false
    });
    is_fixed
}

/// `Foo::from(&[1, 2])`: the argument's own type says which impl is meant, so nothing coerces.
/// Every type also has `From<Self>`, so there is always more than one impl of `From`.
fn chooses_impl(cx: Cx<'_>, op: &Operation, declared: Option<&Ty>) -> bool {
    let (Form::Trait { trait_, .. }, Some(declared)) = (&op.form, declared) else {
        return false;
    };
    let is_slice = matches!(declared, Ty::Ref { to, .. } if matches!(**to, Ty::Slice(_)));
    let of_callable = cx.callable(op).map(|callable| &callable.kind);
    let is_argument = matches!(
        of_callable,
        Some(CallableKind::Trait { trait_, .. })
            if trait_.args.iter().any(|arg| matches!(arg, GenericArg::Type(ty) if ty == declared))
    );
    is_slice
        && is_argument
        && (&*trait_.path == "std::convert::From" || n_rivals(cx, op, |_| true) > 1)
}

/// Does the type have arguments or elements that a literal inside it would have to fix?
pub(crate) fn has_parts(ty: &Ty) -> bool {
    match ty {
        Ty::Adt { .. } => !type_args(ty).is_empty(),
        Ty::Tuple(_) | Ty::Array(..) | Ty::Slice(_) => true,
        Ty::Ref { to, .. } => has_parts(to),
        _ => false,
    }
}

/// Is this input written before the dot?
pub(crate) fn is_receiver(op: &Operation, input_idx: usize) -> bool {
    input_idx == 0
        && match &op.form {
            Form::Inherent { has_self, .. } | Form::Trait { has_self, .. } => *has_self,
            Form::Field { .. } | Form::Unwrap(_) => true,
            Form::Recipe { template } => template.starts_with("{0}."),
            _ => false,
        }
}

/// Does the type have several impls of the trait that differ in a number type? `Foo::from(5)` would
/// be ambiguous.
fn is_overloaded(cx: Cx<'_>, op: &Operation) -> bool {
    fn number(arg: &GenericArg) -> bool {
        matches!(arg, GenericArg::Type(ty) if ty.any(&mut |ty| matches!(
            ty,
            Ty::Param(_) | Ty::Prim(_)
        )))
    }
    n_rivals(cx, op, number) > 1
}

/// How many impls of a trait with arguments the type has, this one included, with an argument of
/// this kind.
pub(crate) fn n_rivals(cx: Cx<'_>, op: &Operation, is_such: fn(&GenericArg) -> bool) -> usize {
    let Form::Trait {
        self_ty,
        trait_,
        name,
        ..
    } = &op.form
    else {
        return 0;
    };
    let is_rival = |callable: &&Callable| match &callable.kind {
        CallableKind::Trait {
            self_ty: other,
            trait_: rival,
            name: rival_name,
            ..
        } => {
            rival.path == trait_.path
                && rival_name == name
                && head(other) == head(self_ty)
                && rival.args.iter().any(is_such)
        }
        _ => false,
    };
    let callables = &cx.world.catalogue.api.callables;
    callables.iter().filter(is_rival).count()
}

fn texts(operands: &[Operand]) -> Vec<String> {
    operands
        .iter()
        .map(|operand| operand.direct.text.clone())
        .collect()
}

fn apply(function: &str, operands: &[Operand]) -> Expr {
    Expr::atom(format!("{function}({})", texts(operands).join(", ")))
}

fn method(receiver: &Expr, name: &str, operands: &[Operand]) -> Expr {
    receiver.dot(&format!("{name}({})", texts(operands).join(", ")))
}

/// The self type before `::name`, with its arguments unless the inputs fix them.
fn self_path(cx: Cx<'_>, op: &Operation, self_ty: &Ty) -> String {
    let Ty::Adt { path, args } = self_ty else {
        return cx.ty_in_expr(self_ty);
    };
    let n_params = args
        .iter()
        .filter(|arg| !matches!(arg, GenericArg::Region(_)))
        .count();
    if n_params == 0 {
        return cx.imports.path(path);
    }
    let declared = cx.callable(op).and_then(|callable| match &callable.kind {
        CallableKind::Inherent { self_ty, .. }
        | CallableKind::Trait { self_ty, .. }
        | CallableKind::StructLiteral { self_ty, .. }
        | CallableKind::Variant { self_ty, .. } => Some((callable, self_ty)),
        _ => None,
    });
    let Some((callable, Ty::Adt { args: written, .. })) = declared else {
        return cx.ty_in_expr(self_ty);
    };
    let fixed = |arg: &GenericArg| match arg {
        GenericArg::Region(_) => true,
        GenericArg::Type(ty) => {
            let mut all = true;
            let mut some = false;
            ty.any(&mut |node| {
                if let Ty::Param(name) = node {
                    some = true;
                    all &= callable.inputs.iter().any(|param| {
                        fixes(&param.ty, &|ty| matches!(ty, Ty::Param(n) if n == name))
                    });
                }
                false
            });
            some && all
        }
        GenericArg::Const(n) => callable.inputs.iter().any(|param| {
            fixes(&param.ty, &|ty| match ty {
                Ty::Array(_, length) => length == n,
                Ty::Adt { args, .. } => args.contains(&GenericArg::Const(n.clone())),
                _ => false,
            })
        }),
    };
    if written.iter().all(fixed) {
        return cx.imports.path(path);
    }
    // A generic argument that is left out is inferred in an expression, but defaulted in a type.
    let n_explicit = cx.n_explicit(path, args);
    let defaults_are_free = written
        .iter()
        .skip(n_explicit)
        .any(|arg| matches!(arg, GenericArg::Type(Ty::Param(_))) && !fixed(arg));
    if defaults_are_free {
        return format!("<{}>", cx.ty(self_ty));
    }
    cx.ty_in_expr(self_ty)
}

/// Does a node outside of projections satisfy the predicate? Projections are left out, because they
/// fix no type.
fn fixes(ty: &Ty, predicate: &dyn Fn(&Ty) -> bool) -> bool {
    predicate(ty)
        || !matches!(ty, Ty::Assoc { .. } | Ty::Opaque { .. })
            && ty
                .children()
                .into_iter()
                .any(|child| fixes(child, predicate))
}

fn literal_head(cx: Cx<'_>, op: &Operation, self_ty: &Ty, fields: &Fields, pinned: bool) -> String {
    let Ty::Adt { path, .. } = self_ty else {
        return cx.ty_in_expr(self_ty);
    };
    if pinned && fields.list().is_empty() {
        self_path(cx, op, self_ty)
    } else {
        cx.imports.path(path)
    }
}

fn variant(
    cx: Cx<'_>,
    op: &Operation,
    self_ty: &Ty,
    name: &str,
    fields: &Fields,
    operands: &[Operand],
    pinned: bool,
) -> Expr {
    let name = &*cx.identifier(name);
    let Ty::Adt { path, .. } = self_ty else {
        return Expr::atom(format!("{}::{name}", cx.ty_in_expr(self_ty)));
    };
    let head = match (&**path, pinned) {
        ("std::option::Option", true) if name == "None" => {
            let args: Vec<_> = type_args(self_ty).iter().map(|ty| cx.ty(ty)).collect();
            format!("None::<{}>", args.join(", "))
        }
        ("std::result::Result", true) => {
            let args: Vec<_> = type_args(self_ty).iter().map(|ty| cx.ty(ty)).collect();
            format!("{name}::<{}>", args.join(", "))
        }
        ("std::option::Option" | "std::result::Result", _) => name.to_owned(),
        (_, true) => format!("{}::{name}", self_path(cx, op, self_ty)),
        _ => format!("{}::{name}", cx.imports.path(path)),
    };
    Expr::atom(fill_fields(cx, &head, fields, &texts(operands)))
}

fn unwrap(cx: Cx<'_>, op: &Operation, side: Side, operand: &Operand) -> Expr {
    let from = &cx
        .world
        .catalogue
        .types
        .get(op.signature.inputs[0].ty.ty)
        .ty;
    let args = type_args(from);
    // If a `Result` can be shown, both of its sides can.
    let both = cx.can(from, Caps::DEBUG);
    let shown = |i: usize| both || args.get(i).is_some_and(|ty| cx.can(ty, Caps::DEBUG));
    let rest = match side {
        Side::Some => "unwrap()",
        Side::Ok if shown(1) => "unwrap()",
        Side::Ok => "ok().unwrap()",
        Side::Err if shown(0) => "unwrap_err()",
        Side::Err => "err().unwrap()",
    };
    operand.direct.dot(rest)
}

fn trait_function(
    cx: Cx<'_>,
    op: &Operation,
    self_ty: &Ty,
    trait_: &TraitRef,
    name: &str,
    generics: &str,
    operands: &[Operand],
) -> Expr {
    if (&*trait_.path, name) == ("std::str::FromStr", "from_str") {
        return operands[0]
            .receiver
            .dot(&format!("parse::<{}>()", cx.ty(self_ty)));
    }
    let hidden = has_inherent(cx, self_ty, name) || has_other_trait(cx, self_ty, trait_, name);
    let is_path = matches!(self_ty, Ty::Adt { .. } | Ty::Prim(_));
    let name = cx.identifier(name);
    let hidden = hidden || cx.imports.is_in_full(&trait_.path);
    if hidden || !is_path || !args_are_fixed(cx, op, trait_) {
        let args = cx.turbofish(&trait_.args).replacen("::", "", 1);
        let trait_ = cx.imports.path(&trait_.path);
        let head = format!("<{} as {trait_}{args}>::{name}{generics}", cx.ty(self_ty));
        return apply(&head, operands);
    }
    cx.imports.methods_of(&trait_.path);
    let head = match says_nothing(operands) {
        true => cx.ty_in_expr(self_ty),
        false => self_path(cx, op, self_ty),
    };
    apply(&format!("{head}::{name}{generics}"), operands)
}

/// Is an argument a list without items, which does not say of what it is one?
fn says_nothing(operands: &[Operand]) -> bool {
    let mut texts = operands.iter().map(|it| &*it.direct.text);
    texts.any(|text| matches!(text, "[]" | "&[]" | "&mut []" | "vec![]"))
}

fn trait_method(
    cx: Cx<'_>,
    op: &Operation,
    self_ty: &Ty,
    trait_: &TraitRef,
    name: &str,
    generics: &str,
    operands: &[Operand],
) -> Expr {
    let is_plain = !looks_like_a_slip(cx, op, trait_, operands);
    if let Some(expr) = operator(&trait_.path, name, operands).filter(|_| is_plain) {
        return expr;
    }
    let fixed = args_are_fixed(cx, op, trait_);
    let hidden = has_inherent(cx, self_ty, name)
        || has_other_trait(cx, self_ty, trait_, name)
        || may_be_inherent_in_std(cx, self_ty, trait_, name)
        || is_of_reference(cx, op)
        || cx.imports.is_in_full(&trait_.path)
        || !is_plain;
    let name = format!("{}{generics}", cx.identifier(name));
    if hidden || !fixed {
        let args = if fixed {
            String::new()
        } else {
            cx.turbofish(&trait_.args)
        };
        return apply(
            &format!("{}{args}::{name}", cx.imports.path(&trait_.path)),
            operands,
        );
    }
    cx.imports.methods_of(&trait_.path);
    let receiver = if takes_reference_by_value(cx, op, self_ty) {
        &operands[0].direct
    } else {
        &operands[0].receiver
    };
    method(receiver, &name, &operands[1..])
}

/// `impl Trait for &mut T` with a method that takes `&mut self`: a dot would find the method of `T`.
fn is_of_reference(cx: Cx<'_>, op: &Operation) -> bool {
    let Some(CallableKind::Trait { self_ty, .. }) = cx.callable(op).map(|it| &it.kind) else {
        return false;
    };
    let is_blanket = matches!(self_ty, Ty::Ref { to, .. } if matches!(**to, Ty::Param(_)));
    let input = &op.signature.inputs[0];
    let is_slot = matches!(cx.world.catalogue.types.get(input.ty.ty).ty, Ty::Ref { .. });
    is_blanket && is_slot && !matches!(input.pass, Pass::Value)
}

/// `impl Trait for &Foo` with a method that takes `self`: the reference must be written.
fn takes_reference_by_value(cx: Cx<'_>, op: &Operation, self_ty: &Ty) -> bool {
    let Ty::Ref { to, .. } = self_ty else {
        return false;
    };
    let input = &op.signature.inputs[0];
    !matches!(input.pass, Pass::Value) && cx.world.catalogue.types.find(to) == Some(input.ty.ty)
}

/// Do the inputs say which of the trait's arguments are meant? `AsRef<str>` needs a turbofish.
fn args_are_fixed(cx: Cx<'_>, op: &Operation, trait_: &TraitRef) -> bool {
    let types = &cx.world.catalogue.types;
    trait_.args.iter().all(|arg| match arg {
        GenericArg::Region(_) => true,
        GenericArg::Const(_) => false,
        GenericArg::Type(arg) => {
            let arg = types.find(arg).map(|idx| &types.get(idx).ty).unwrap_or(arg);
            op.signature.inputs.iter().enumerate().any(|(i, input)| {
                let is_self = i == 0 && is_receiver(op, 0);
                let by_reference = !matches!(input.pass, Pass::Value);
                let ty = &types.get(input.ty.ty).ty;
                !is_self
                    && (ty.any(&mut |ty| ty == arg)
                        || by_reference && matches!(arg, Ty::Ref { to, .. } if **to == *ty))
            })
        }
    }) || matches!(
        last_segment(&trait_.path),
        // The argument of these traits does not decide which impl a call means.
        "Extend" | "FromIterator" | "Sum" | "Product"
    )
}

fn has_inherent(cx: Cx<'_>, self_ty: &Ty, name: &str) -> bool {
    let callables = &cx.world.catalogue.api.callables;
    head(self_ty).is_some()
        && callables.iter().any(|callable| match &callable.kind {
            CallableKind::Inherent {
                self_ty: other,
                name: rival,
                ..
            } => **rival == *name && head(other) == head(self_ty),
            _ => false,
        })
}

fn is_iterator(cx: Cx<'_>, ty: &Ty) -> bool {
    let impls = &cx.world.catalogue.api.impls;
    head(ty).is_some()
        && impls.iter().any(|implementor| {
            &*implementor.trait_.path == "std::iter::Iterator"
                && head(&implementor.self_ty) == head(ty)
        })
}

fn has_other_trait(cx: Cx<'_>, self_ty: &Ty, trait_: &TraitRef, name: &str) -> bool {
    let callables = &cx.world.catalogue.api.callables;
    let krate = trait_.path.split("::").next().unwrap_or_default();
    let is_foreign = krate != "std" && krate != &*cx.world.catalogue.api.krate;
    // An iterator also has methods that compare it with another iterator.
    let compares = matches!(
        name,
        "cmp" | "partial_cmp" | "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "max" | "min"
    );
    if compares && trait_.name() != "Iterator" && is_iterator(cx, self_ty) {
        return true;
    }
    // Every value with an order has these methods from `Ord`.
    if &*trait_.path != "std::cmp::Ord" && matches!(name, "max" | "min" | "clamp") {
        return true;
    }
    head(self_ty).is_some()
        && callables.iter().any(|callable| match &callable.kind {
            CallableKind::Trait {
                self_ty: other,
                trait_: rival,
                name: rival_name,
                ..
            } => {
                // A trait of another crate may be implemented for every type, which the model does
                // not show.
                **rival_name == *name
                    && rival.path != trait_.path
                    && (is_foreign || head(other) == head(self_ty))
            }
            _ => false,
        })
}

/// May the method of a local trait on a foreign type be hidden by an inherent method that the model
/// does not show?
fn may_be_inherent_in_std(cx: Cx<'_>, self_ty: &Ty, trait_: &TraitRef, name: &str) -> bool {
    let is_local = head(self_ty).is_some_and(|path| cx.adt(path).is_some());
    let is_std_trait = trait_.path.starts_with("std::");
    !is_local
        && !is_std_trait
        && matches!(
            name,
            "len"
                | "is_empty"
                | "get"
                | "get_mut"
                | "push"
                | "pop"
                | "insert"
                | "remove"
                | "contains"
                | "iter"
                | "iter_mut"
                | "first"
                | "last"
                | "clear"
                | "as_str"
                | "as_bytes"
                | "as_slice"
                | "to_string"
                | "trim"
                | "split"
                | "find"
                | "replace"
                | "min"
                | "max"
                | "abs"
                | "pow"
                | "map"
                | "count"
                | "next"
                | "is_some"
                | "is_none"
                | "unwrap"
        )
}

/// Can the result of the expression stay unused without `let _ =`?
pub(crate) fn may_be_ignored(cx: Cx<'_>, op: &Operation) -> bool {
    let output = &cx.world.catalogue.types.get(op.signature.output.ty).ty;
    let is_whole = op.formatter.is_none() && op.reading.is_none();
    if output.is_unit() && is_whole || matches!(output, Ty::Prim(testsmith_api::Prim::Never)) {
        return true;
    }
    let Some(callable) = cx.callable(op) else {
        return false;
    };
    let is_plain_call = match &op.form {
        Form::Function { .. } | Form::Inherent { .. } => true,
        Form::Trait { trait_, .. } => !trait_.path.starts_with("std::"),
        _ => false,
    };
    let is_plain_type = match output {
        Ty::Prim(_) | Ty::Ref { .. } => true,
        Ty::Adt { path, .. } => matches!(
            &**path,
            "std::option::Option" | "std::string::String" | "std::vec::Vec"
        ),
        _ => false,
    };
    is_plain_call && is_plain_type && !callable.docs.must_use && is_whole
}
