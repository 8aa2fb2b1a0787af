//! Turns Rust's expressions into those of a script.

use syn::punctuated::Punctuated;
use syn::{BinOp, ExprLit, Lit, Member, RangeLimits, Token, UnOp};

use super::names::Names;
use super::script::{Expr, Path, Why, arithmetic};

/// The most elements of a list. Longer lists show no more.
const MAX_LIST: usize = 64;
/// The most characters of a text. What is made of longer text takes long to make, to observe and to
/// read.
const MAX_TEXT: usize = 200;

/// The expression, as far as it can be lifted.
pub(super) fn expr(source: &syn::Expr, names: &Names) -> Expr {
    let boxed = |source: &syn::Expr| Box::new(expr(source, names));
    match source {
        syn::Expr::Lit(ExprLit { lit, .. }) => literal(lit),
        syn::Expr::Path(it) => path_expr(names.path(&it.path), names),
        syn::Expr::Paren(it) => expr(&it.expr, names),
        syn::Expr::Group(it) => expr(&it.expr, names),
        syn::Expr::Cast(it) => expr(&it.expr, names),
        syn::Expr::Reference(it) => Expr::Place(boxed(&it.expr)),
        syn::Expr::Try(it) => Expr::Unwrap {
            of: boxed(&it.expr),
            is_err: false,
        },
        syn::Expr::Unary(it) => unary(&it.op, expr(&it.expr, names)),
        syn::Expr::Binary(it) => binary(&it.op, expr(&it.left, names), expr(&it.right, names)),
        syn::Expr::Tuple(it) => Expr::Tuple(all(&it.elems, names)),
        syn::Expr::Array(it) => Expr::List(all(&it.elems, names)),
        syn::Expr::Repeat(it) => repeated(expr(&it.expr, names), expr(&it.len, names)),
        syn::Expr::Range(it) => Expr::Range {
            start: it.start.as_deref().map(boxed),
            end: it.end.as_deref().map(boxed),
            is_inclusive: matches!(it.limits, RangeLimits::Closed(_)),
        },
        syn::Expr::Index(it) => Expr::Operator(
            &["index"],
            vec![expr(&it.expr, names), expr(&it.index, names)],
        ),
        syn::Expr::Field(it) => {
            let name = match &it.member {
                Member::Named(name) => name.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            Expr::Field(boxed(&it.base), name)
        }
        syn::Expr::Call(it) => match &*it.func {
            syn::Expr::Path(func) => call(names.path(&func.path), all(&it.args, names), names),
            _ => Expr::Beyond(Why::Syntax),
        },
        syn::Expr::MethodCall(it) => method(it, names),
        syn::Expr::Struct(it) if it.rest.is_none() => {
            let field = |field: &syn::FieldValue| {
                let name = match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(index) => index.index.to_string(),
                };
                (name, expr(&field.expr, names))
            };
            Expr::Struct(names.path(&it.path), it.fields.iter().map(field).collect())
        }
        syn::Expr::Macro(it) => macro_expr(&it.mac, names),
        // The block has only a value.
        syn::Expr::Unsafe(it) => match it.block.stmts.as_slice() {
            [syn::Stmt::Expr(value, None)] => expr(value, names),
            _ => Expr::Beyond(Why::ControlFlow),
        },
        syn::Expr::Closure(_) | syn::Expr::Async(_) => Expr::Beyond(Why::Closure),
        syn::Expr::ForLoop(_)
        | syn::Expr::While(_)
        | syn::Expr::Loop(_)
        | syn::Expr::If(_)
        | syn::Expr::Match(_)
        | syn::Expr::Return(_)
        | syn::Expr::Block(_) => Expr::Beyond(Why::ControlFlow),
        _ => Expr::Beyond(Why::Syntax),
    }
}

fn all(list: &Punctuated<syn::Expr, Token![,]>, names: &Names) -> Vec<Expr> {
    list.iter().map(|it| expr(it, names)).collect()
}

fn literal(lit: &Lit) -> Expr {
    match lit {
        Lit::Str(text) if text.value().len() > MAX_TEXT => Expr::Beyond(Why::TooMuch),
        Lit::Str(text) => Expr::Text(text.value()),
        Lit::ByteStr(bytes) => Expr::Bytes(bytes.value()),
        Lit::Byte(byte) => Expr::Int(i128::from(byte.value())),
        Lit::Char(char) => Expr::Char(char.value()),
        Lit::Bool(bool) => Expr::Bool(bool.value()),
        Lit::Int(int) if matches!(int.suffix(), "f32" | "f64") => int
            .base10_digits()
            .parse()
            .map_or(Expr::Beyond(Why::Syntax), Expr::Float),
        Lit::Int(int) => int
            .base10_parse()
            .map_or(Expr::Beyond(Why::Syntax), Expr::Int),
        Lit::Float(float) => float
            .base10_parse()
            .map_or(Expr::Beyond(Why::Syntax), Expr::Float),
        _ => Expr::Beyond(Why::Syntax),
    }
}

/// A path as an expression. Constants of literals, and the ends of number types, become literals.
fn path_expr(path: Path, names: &Names) -> Expr {
    if let Some(value) = names.constant(&path) {
        return value.clone();
    }
    let ends = |bits: u32, is_signed: bool| match is_signed {
        true => (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let range = match path.qualifier.as_deref() {
        Some("i8") => ends(8, true),
        Some("i16") => ends(16, true),
        Some("i32") => ends(32, true),
        Some("i64" | "isize") => ends(64, true),
        Some("u8") => ends(8, false),
        Some("u16") => ends(16, false),
        Some("u32") => ends(32, false),
        Some("u64" | "usize") => ends(64, false),
        _ => return Expr::Path(path),
    };
    match &*path.name {
        "MIN" => Expr::Int(range.0),
        "MAX" => Expr::Int(range.1),
        _ => Expr::Path(path),
    }
}

fn unary(op: &UnOp, of: Expr) -> Expr {
    match (op, of) {
        (UnOp::Neg(_), Expr::Int(value)) => Expr::Int(-value),
        (UnOp::Neg(_), Expr::Float(value)) => Expr::Float(-value),
        (UnOp::Not(_), Expr::Bool(value)) => Expr::Bool(!value),
        (UnOp::Neg(_), of) => Expr::Operator(&["neg"], vec![of]),
        (UnOp::Not(_), of) => Expr::Operator(&["not"], vec![of]),
        (_, of) => Expr::Place(Box::new(of)),
    }
}

fn binary(op: &BinOp, left: Expr, right: Expr) -> Expr {
    let names: &[&str] = match op {
        BinOp::Eq(_) => &["eq"],
        BinOp::Ne(_) => &["ne", "eq"],
        BinOp::Lt(_) => &["lt", "partial_cmp"],
        BinOp::Le(_) => &["le", "partial_cmp"],
        BinOp::Gt(_) => &["gt", "partial_cmp"],
        BinOp::Ge(_) => &["ge", "partial_cmp"],
        BinOp::And(_) | BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["add"],
        BinOp::Sub(_) => &["sub"],
        BinOp::Mul(_) => &["mul"],
        BinOp::Div(_) => &["div"],
        BinOp::Rem(_) => &["rem"],
        BinOp::BitAnd(_) => &["bitand"],
        BinOp::BitOr(_) => &["bitor"],
        BinOp::BitXor(_) => &["bitxor"],
        BinOp::Shl(_) => &["shl"],
        BinOp::Shr(_) => &["shr"],
        BinOp::AddAssign(_) => &["add_assign"],
        BinOp::SubAssign(_) => &["sub_assign"],
        BinOp::MulAssign(_) => &["mul_assign"],
        BinOp::DivAssign(_) => &["div_assign"],
        BinOp::BitAndAssign(_) => &["bitand_assign"],
        BinOp::BitOrAssign(_) => &["bitor_assign"],
        BinOp::BitXorAssign(_) => &["bitxor_assign"],
        _ => return Expr::Beyond(Why::Syntax),
    };
    if let (Expr::Int(a), Expr::Int(b)) = (&left, &right)
        && let Some(value) = arithmetic(names, *a, *b)
    {
        return Expr::Int(value);
    }
    Expr::Operator(names, vec![left, right])
}

fn repeated(of: Expr, n: Expr) -> Expr {
    match n {
        Expr::Int(n) if (0..=MAX_LIST as i128).contains(&n) => Expr::List(vec![of; n as usize]),
        _ => Expr::Beyond(Why::Syntax),
    }
}

/// A call, or the literal or expression that it stands for.
fn call(path: Path, args: Vec<Expr>, names: &Names) -> Expr {
    if let Some(expr) = names.inlined(&path, &args) {
        return expr;
    }
    match (path.qualifier.as_deref(), &*path.name, args.as_slice()) {
        (Some("String"), "new", []) => Expr::Text(String::new()),
        (Some("Vec"), "new", []) | (Some("Vec"), "with_capacity", [_]) => Expr::List(Vec::new()),
        (Some("String"), "with_capacity", [_]) => Expr::Text(String::new()),
        (Some("String" | "Vec"), "from", [of]) => of.clone(),
        _ => Expr::Call(path, args),
    }
}

fn method(source: &syn::ExprMethodCall, names: &Names) -> Expr {
    let receiver = expr(&source.receiver, names);
    let name = source.method.to_string();
    let turbofish = source
        .turbofish
        .as_ref()
        .and_then(|it| match it.args.first() {
            Some(syn::GenericArgument::Type(ty)) => names.head(ty),
            _ => None,
        });
    match (&*name, source.args.len()) {
        ("unwrap", 0) | ("expect", 1) | ("unwrap_err", 0) | ("expect_err", 1) => Expr::Unwrap {
            of: Box::new(receiver),
            is_err: name.ends_with("_err"),
        },
        ("parse", 0) => Expr::Call(
            Path {
                qualifier: turbofish,
                name: "from_str".to_owned(),
            },
            vec![receiver],
        ),
        // Text stays text.
        ("to_string" | "to_owned" | "into_string", 0) if matches!(receiver, Expr::Text(_)) => {
            receiver
        }
        _ => Expr::Method {
            receiver: Box::new(receiver),
            name,
            args: all(&source.args, names),
        },
    }
}

/// The arguments of a macro, if they are expressions.
pub(super) fn arguments(mac: &syn::Macro) -> Option<Vec<syn::Expr>> {
    let parser = Punctuated::<syn::Expr, Token![,]>::parse_terminated;
    let list = mac.parse_body_with(parser).ok()?;
    Some(list.into_iter().collect())
}

fn macro_expr(mac: &syn::Macro, names: &Names) -> Expr {
    let name = names.path(&mac.path).name;
    let Some(args) = arguments(mac) else {
        return match &*name {
            "vec" => repetition(mac, names),
            _ => Expr::Beyond(Why::Macro),
        };
    };
    let args: Vec<Expr> = args.iter().map(|it| expr(it, names)).collect();
    match (&*name, args.as_slice()) {
        ("vec", _) => Expr::List(args),
        ("format", [Expr::Text(text)]) if !text.contains('{') => Expr::Text(text.clone()),
        ("format", [Expr::Text(text), of]) if text == "{}" => Expr::Method {
            receiver: Box::new(of.clone()),
            name: "to_string".to_owned(),
            args: Vec::new(),
        },
        ("format", [Expr::Text(text), of]) if text.starts_with("{:") && text.ends_with('}') => {
            Expr::Call(
                Path {
                    qualifier: None,
                    name: format!("format!{text}"),
                },
                vec![of.clone()],
            )
        }
        ("matches", [of, ..]) => of.clone(),
        _ => Expr::Beyond(Why::Macro),
    }
}

/// `vec![x; n]`
fn repetition(mac: &syn::Macro, names: &Names) -> Expr {
    let parser = |input: syn::parse::ParseStream<'_>| {
        let of: syn::Expr = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok((of, input.parse::<syn::Expr>()?))
    };
    match mac.parse_body_with(parser) {
        Ok((of, n)) => repeated(expr(&of, names), expr(&n, names)),
        Err(_) => Expr::Beyond(Why::Macro),
    }
}
