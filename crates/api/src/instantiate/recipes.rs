//! Ways to make values of the standard library's types: constructors for what inputs need.

use super::build::{
    adt_parts, exclusive, option, prim, region, shared, slice, string, vec,
};
use super::literal::is_literal;
use super::{Draft, DraftInput};
use crate::callable::{Adt, Fields, Shape};
use crate::operation::{Form, Origin};
use crate::ty::{KeyNames, Prim, Region, Ty};
use crate::unify::{Match, unify_args};

/// A recipe of ours: a template over inputs.
pub(super) fn recipe(template: &str, inputs: Vec<Ty>, output: Ty) -> Draft {
    let form = Form::Recipe {
        template: template.into(),
    };
    drafted(template, form, inputs, output)
}

/// An operation of ours, its regions renumbered densely.
pub(super) fn drafted(text: &str, form: Form, inputs: Vec<Ty>, output: Ty) -> Draft {
    let mut known: Vec<Region> = Vec::new();
    let mut dense = |ty: &Ty| {
        ty.map(&mut |_| None, &mut |r| match r {
            Region::Var(_) => {
                let n = known.iter().position(|k| *k == r).unwrap_or_else(|| {
                    known.push(r);
                    known.len() - 1
                });
                region(n as u32)
            }
            other => other,
        })
    };
    let inputs: Vec<Ty> = inputs.iter().map(&mut dense).collect();
    let output = dense(&output);
    let types: Vec<String> = inputs.iter().map(|ty| ty.render(&KeyNames)).collect();
    let key = format!("{text} ({}) -> {}", types.join(", "), output.render(&KeyNames));
    Draft {
        key: key.into(),
        origin: Origin::Recipe,
        form,
        n_regions: known.len() as u32,
        inputs: inputs
            .into_iter()
            .enumerate()
            .map(|(i, ty)| DraftInput {
                name: format!("arg{i}").into(),
                ty,
                generic: true,
            })
            .collect(),
        output,
        outlives: Vec::new(),
    }
}

/// Every region a variable of its own: a recipe works at any lifetime.
pub(super) fn open_regions(ty: &Ty) -> Ty {
    let mut n = 0;
    ty.map(&mut |_| None, &mut |r| match r {
        Region::Bound(_) => r,
        _ => {
            n += 1;
            region(n - 1)
        }
    })
}

/// A literal in a slot of its own, to be borrowed.
pub(super) fn literal(ty: &Ty) -> Draft {
    let ty = open_regions(ty);
    let text = format!("literal <{}>", ty.render(&KeyNames));
    let mut draft = drafted(&text, Form::Literal, vec![ty.clone()], ty);
    draft.key = text.into();
    draft
}

/// The recipes that make a value of this type, if it is the standard library's.
pub(super) fn constructors(ty: &Ty) -> Vec<Draft> {
    let ty = open_regions(ty);
    let make = |template: &str, inputs: &[Ty]| recipe(template, inputs.to_vec(), ty.clone());
    match &ty {
        Ty::Tuple(parts) if !parts.is_empty() && parts.len() <= 6 => {
            let places: Vec<String> = (0..parts.len()).map(|i| format!("{{{i}}}")).collect();
            let comma = if parts.len() == 1 { "," } else { "" };
            vec![make(&format!("({}{comma})", places.join(", ")), parts)]
        }
        Ty::Array(of, n) => {
            let Ok(n) = n.parse::<usize>() else {
                return Vec::new();
            };
            if matches!(**of, Ty::Prim(_)) {
                return vec![make(&format!("[{{0}}; {n}]"), &[(**of).clone()])];
            }
            if n > 8 {
                return Vec::new();
            }
            let places: Vec<String> = (0..n).map(|i| format!("{{{i}}}")).collect();
            vec![make(
                &format!("[{}]", places.join(", ")),
                &vec![(**of).clone(); n],
            )]
        }
        Ty::Ref {
            region,
            mutable,
            to,
        } => references(*region, *mutable, to, &ty),
        Ty::Adt { .. } => adts(&ty),
        _ => Vec::new(),
    }
}

fn references(lender: Region, mutable: bool, to: &Ty, ty: &Ty) -> Vec<Draft> {
    let borrow = |of: Ty| match mutable {
        true => exclusive(lender, of),
        false => shared(lender, of),
    };
    let make = |template: &str, input: Ty| vec![recipe(template, vec![input], ty.clone())];
    match (to, mutable) {
        (Ty::Slice(of), false) => make("{0}.as_slice()", borrow(vec((**of).clone()))),
        (Ty::Slice(of), true) => make("{0}.as_mut_slice()", borrow(vec((**of).clone()))),
        (Ty::Str, false) => make("{0}.as_str()", borrow(string())),
        (Ty::Str, true) => make("{0}.as_mut_str()", borrow(string())),
        (Ty::Adt { path, .. }, false) if &**path == "std::path::Path" => {
            make("std::path::Path::new({0})", shared(lender, Ty::Str))
        }
        (Ty::Adt { path, .. }, false) if &**path == "std::ffi::OsStr" => {
            make("std::ffi::OsStr::new({0})", shared(lender, Ty::Str))
        }
        (Ty::Dyn { .. }, _) => Vec::new(),
        // A reference as a value of its own: an element of a `Vec<&T>`.
        _ if !to.is_unsized() => make("{0}", borrow(to.clone())),
        _ => Vec::new(),
    }
}

fn adts(ty: &Ty) -> Vec<Draft> {
    let Some((path, types, lender)) = adt_parts(ty) else {
        return Vec::new();
    };
    let lender = lender.unwrap_or(Region::Static);
    let make = |template: &str, inputs: &[Ty]| recipe(template, inputs.to_vec(), ty.clone());
    let many = |templates: &[&str], inputs: &[Ty]| -> Vec<Draft> {
        templates.iter().map(|t| make(t, inputs)).collect()
    };
    let text = || shared(lender, Ty::Str);
    match (path, types.as_slice()) {
        ("std::option::Option", [of]) => {
            vec![make("Some({0})", &[(*of).clone()]), make("None", &[])]
        }
        ("std::result::Result", [ok, err]) => vec![
            make("Ok({0})", &[(*ok).clone()]),
            make("Err({0})", &[(*err).clone()]),
        ],
        ("std::vec::Vec", [of]) => vec![
            make("vec![]", &[]),
            make("vec![{0}]", &[(*of).clone()]),
            make("vec![{0}, {1}]", &[(*of).clone(), (*of).clone()]),
        ],
        ("std::boxed::Box", [Ty::Str]) => many(&["String::into_boxed_str({0})"], &[string()]),
        ("std::boxed::Box", [Ty::Slice(of)]) => {
            many(&["Vec::into_boxed_slice({0})"], &[vec((**of).clone())])
        }
        ("std::boxed::Box", [of]) if !of.is_unsized() => {
            many(&["Box::new({0})"], &[(*of).clone()])
        }
        ("std::rc::Rc" | "std::sync::Arc", [of]) => match of {
            Ty::Str => many(&[&format!("{path}::from({{0}})")], &[shared(region(0), Ty::Str)]),
            Ty::Slice(of) => many(&[&format!("{path}::from({{0}})")], &[vec((**of).clone())]),
            Ty::Dyn { .. } => Vec::new(),
            of => many(&[&format!("{path}::new({{0}})")], &[(*of).clone()]),
        },
        (
            "std::cell::Cell" | "std::cell::RefCell" | "std::sync::Mutex" | "std::sync::RwLock"
            | "std::io::Cursor" | "std::mem::ManuallyDrop" | "std::io::BufReader"
            | "std::io::BufWriter",
            [of],
        ) => many(&[&format!("{path}::new({{0}})")], &[(*of).clone()]),
        ("std::num::Wrapping" | "std::num::Saturating" | "std::cmp::Reverse", [of]) => {
            many(&[&format!("{path}({{0}})")], &[(*of).clone()])
        }
        ("std::num::NonZero", [of]) => vec![recipe(
            "std::num::NonZero::new({0})",
            vec![(*of).clone()],
            option(ty.clone()),
        )],
        ("std::ops::Range", [of]) => many(&["{0}..{1}"], &[(*of).clone(), (*of).clone()]),
        ("std::ops::RangeInclusive", [of]) => {
            many(&["{0}..={1}"], &[(*of).clone(), (*of).clone()])
        }
        ("std::ops::RangeFrom", [of]) => many(&["{0}.."], &[(*of).clone()]),
        ("std::ops::RangeTo", [of]) => many(&["..{0}"], &[(*of).clone()]),
        ("std::ops::RangeToInclusive", [of]) => many(&["..={0}"], &[(*of).clone()]),
        ("std::ops::RangeFull", []) => many(&[".."], &[]),
        ("std::ops::Bound", [of]) => vec![
            make("std::ops::Bound::Included({0})", &[(*of).clone()]),
            make("std::ops::Bound::Excluded({0})", &[(*of).clone()]),
            make("std::ops::Bound::Unbounded", &[]),
        ],
        ("std::borrow::Cow", [of]) => {
            let owned = match of {
                Ty::Str => string(),
                Ty::Slice(of) => vec((**of).clone()),
                of => (*of).clone(),
            };
            vec![
                make("std::borrow::Cow::Borrowed({0})", &[shared(lender, (*of).clone())]),
                make("std::borrow::Cow::Owned({0})", &[owned]),
            ]
        }
        ("std::time::Duration", []) => vec![
            make("std::time::Duration::from_millis({0})", &[prim(Prim::U64)]),
            make("std::time::Duration::from_nanos({0})", &[prim(Prim::U64)]),
            make("std::time::Duration::from_secs({0})", &[prim(Prim::U64)]),
        ],
        ("std::time::SystemTime", []) => many(&["std::time::UNIX_EPOCH"], &[]),
        ("std::time::Instant", []) => many(&["std::time::Instant::now()"], &[]),
        ("std::collections::HashMap" | "std::collections::BTreeMap", [k, v]) => vec![
            make(&format!("{path}::new()"), &[]),
            make(
                &format!("{path}::from([({{0}}, {{1}})])"),
                &[(*k).clone(), (*v).clone()],
            ),
        ],
        (
            "std::collections::HashSet" | "std::collections::BTreeSet"
            | "std::collections::VecDeque" | "std::collections::BinaryHeap"
            | "std::collections::LinkedList",
            [of],
        ) => vec![
            make(&format!("{path}::new()"), &[]),
            make(&format!("{path}::from([{{0}}])"), &[(*of).clone()]),
            make(
                &format!("{path}::from([{{0}}, {{1}}])"),
                &[(*of).clone(), (*of).clone()],
            ),
        ],
        ("std::marker::PhantomData", _) => many(&["std::marker::PhantomData"], &[]),
        ("std::cmp::Ordering", []) => many(
            &[
                "std::cmp::Ordering::Less",
                "std::cmp::Ordering::Equal",
                "std::cmp::Ordering::Greater",
            ],
            &[],
        ),
        ("std::net::Ipv4Addr", []) => many(
            &["std::net::Ipv4Addr::new({0}, {1}, {2}, {3})"],
            &vec![prim(Prim::U8); 4],
        ),
        ("std::net::Ipv6Addr", []) => {
            many(&["std::net::Ipv6Addr::from({0})"], &[prim(Prim::U128)])
        }
        ("std::net::IpAddr", []) => ["V4", "V6"]
            .map(|v| {
                let of = Ty::adt(&format!("std::net::Ip{}Addr", v.to_lowercase()), []);
                make(&format!("std::net::IpAddr::{v}({{0}})"), &[of])
            })
            .into(),
        ("std::net::SocketAddr", []) => many(
            &["std::net::SocketAddr::new({0}, {1})"],
            &[Ty::adt("std::net::IpAddr", []), prim(Prim::U16)],
        ),
        ("std::net::SocketAddrV4", []) => many(
            &["std::net::SocketAddrV4::new({0}, {1})"],
            &[Ty::adt("std::net::Ipv4Addr", []), prim(Prim::U16)],
        ),
        ("std::net::SocketAddrV6", []) => many(
            &["std::net::SocketAddrV6::new({0}, {1}, {2}, {3})"],
            &[
                Ty::adt("std::net::Ipv6Addr", []),
                prim(Prim::U16),
                prim(Prim::U32),
                prim(Prim::U32),
            ],
        ),
        ("std::path::PathBuf", []) => many(&["std::path::PathBuf::from({0})"], &[string()]),
        ("std::ffi::OsString", []) => many(&["std::ffi::OsString::from({0})"], &[string()]),
        ("std::vec::IntoIter", [of]) => many(&["{0}.into_iter()"], &[vec((*of).clone())]),
        ("std::slice::Iter", [of]) => {
            let items = shared(lender, slice((*of).clone()));
            let items = match is_literal(&items) {
                true => items,
                false => shared(lender, vec((*of).clone())),
            };
            many(&["{0}.iter()"], &[items])
        }
        ("std::slice::IterMut", [of]) => many(
            &["{0}.iter_mut()"],
            &[exclusive(lender, vec((*of).clone()))],
        ),
        ("std::str::Chars", []) => many(&["{0}.chars()"], &[text()]),
        ("std::str::CharIndices", []) => many(&["{0}.char_indices()"], &[text()]),
        ("std::str::Bytes", []) => many(&["{0}.bytes()"], &[text()]),
        ("std::str::Lines", []) => many(&["{0}.lines()"], &[text()]),
        ("std::str::SplitWhitespace", []) => many(&["{0}.split_whitespace()"], &[text()]),
        (
            "std::collections::hash_map::DefaultHasher"
            | "std::collections::hash_map::RandomState",
            [],
        ) => many(&[&format!("{path}::new()")], &[]),
        ("std::hash::BuildHasherDefault", [_]) => {
            many(&["std::hash::BuildHasherDefault::default()"], &[])
        }
        ("std::pin::Pin", [Ty::Ref { .. }]) => {
            many(&["std::pin::Pin::new({0})"], &[types[0].clone()])
        }
        ("std::fmt::Error", []) => many(&["std::fmt::Error"], &[]),
        ("std::io::ErrorKind", []) => many(
            &["std::io::ErrorKind::NotFound", "std::io::ErrorKind::Other"],
            &[],
        ),
        ("std::io::SeekFrom", []) => vec![
            make("std::io::SeekFrom::Start({0})", &[prim(Prim::U64)]),
            make("std::io::SeekFrom::Current({0})", &[prim(Prim::I64)]),
            make("std::io::SeekFrom::End({0})", &[prim(Prim::I64)]),
        ],
        ("std::io::Error", []) => many(
            &["std::io::Error::from({0})"],
            &[Ty::adt("std::io::ErrorKind", [])],
        ),
        ("std::num::ParseIntError", []) => many(&["\"x\".parse::<i32>().unwrap_err()"], &[]),
        ("std::num::ParseFloatError", []) => many(&["\"x\".parse::<f64>().unwrap_err()"], &[]),
        ("std::num::TryFromIntError", []) => {
            many(&["u8::try_from(300i32).unwrap_err()"], &[])
        }
        ("std::collections::TryReserveError", []) => many(
            &["Vec::<u8>::new().try_reserve(usize::MAX).unwrap_err()"],
            &[],
        ),
        ("std::string::FromUtf8Error", []) => {
            many(&["String::from_utf8(vec![255]).unwrap_err()"], &[])
        }
        ("std::str::Utf8Error", []) => many(
            &["String::from_utf8(vec![255]).unwrap_err().utf8_error()"],
            &[],
        ),
        _ => Vec::new(),
    }
}

/// Steps that look into a value: unwraps, projections, and driven iterators.
pub(super) fn views(api: &crate::callable::Api, ty: &Ty) -> Vec<Draft> {
    use crate::operation::Side;
    let ty = open_regions(ty);
    let view = |template: &str, output: Ty| recipe(template, vec![ty.clone()], output);
    let unwrap = |side: Side, payload: &Ty| {
        let text = match side {
            Side::Some => "unwrap Some",
            Side::Ok => "unwrap Ok",
            Side::Err => "unwrap Err",
        };
        drafted(text, Form::Unwrap(side), vec![ty.clone()], payload.clone())
    };
    if let Ty::Tuple(parts) = &ty {
        let is_opaque = parts.iter().any(|part| !is_literal(part));
        return match is_opaque {
            true => (0..)
                .zip(parts)
                .map(|(i, part): (u32, _)| view(&format!("{{0}}.{i}"), part.clone()))
                .collect(),
            false => Vec::new(),
        };
    }
    if let Ty::Ref {
        region,
        mutable: false,
        to,
    } = &ty
        && let Some(("std::option::Option", types, _)) = adt_parts(to)
        && let [of] = types.as_slice()
    {
        return vec![view("{0}.as_ref()", option(shared(*region, (*of).clone())))];
    }
    let Some((path, types, _)) = adt_parts(&ty) else {
        return Vec::new();
    };
    if let Some(adt) = api.adts.get(path) {
        return payloads(adt, &ty);
    }
    let mut views: Vec<Draft> = match (path, types.as_slice()) {
        ("std::option::Option", [of]) if !of.is_unit() => vec![unwrap(Side::Some, of)],
        ("std::result::Result", [ok, err]) => [(Side::Ok, ok), (Side::Err, err)]
            .into_iter()
            .filter(|(_, payload)| !payload.is_unit() && !is_uninhabited(payload))
            .map(|(side, payload)| unwrap(side, payload))
            .collect(),
        ("std::boxed::Box", [of]) if !of.is_unsized() => vec![view("*{0}", (*of).clone())],
        ("std::borrow::Cow", [Ty::Str]) => vec![view("{0}.into_owned()", string())],
        ("std::borrow::Cow", [Ty::Slice(of)]) => {
            vec![view("{0}.into_owned()", vec((**of).clone()))]
        }
        ("std::vec::Vec", [of]) if !is_literal(of) => vec![view(
            "{0}.into_iter()",
            Ty::adt("std::vec::IntoIter", [(*of).clone()]),
        )],
        _ => Vec::new(),
    };
    let is_range = path.starts_with("std::ops::");
    if path.starts_with("std::")
        && !is_range
        && let Some(item) = super::project::iterator_item(&api.impls, &ty)
    {
        // The borrow that `next` takes is a region that nothing else mentions.
        let lender = Region::Var(crate::ty::RegionIdx(u32::MAX - 1));
        views.push(recipe(
            "{0}.next()",
            vec![exclusive(lender, ty.clone())],
            option(item.clone()),
        ));
        if !matches!(path, "std::iter::Cycle" | "std::iter::Repeat") {
            views.push(view("{0}.collect::<Vec<_>>()", vec(item)));
        }
    }
    views
}

/// What the variants of a local enum hold, each as an `Option`; an unwrap takes it from there.
fn payloads(adt: &Adt, ty: &Ty) -> Vec<Draft> {
    let (Shape::Enum { variants, open }, Ty::Adt { args, .. }) = (&adt.shape, ty) else {
        return Vec::new();
    };
    let mut found = Match::default();
    let Ty::Adt {
        args: declared, ..
    } = &adt.self_ty
    else {
        return Vec::new();
    };
    if !unify_args(declared, args, &mut found) {
        return Vec::new();
    }
    let is_only = variants.len() == 1 && !open;
    let otherwise = if is_only { "" } else { ", _ => None" };
    variants
        .iter()
        .filter(|variant| variant.usable)
        .filter_map(|variant| {
            let fields = variant.fields.list();
            let tys: Vec<Ty> = fields.iter().map(|field| found.apply(&field.ty)).collect();
            let is_known = |ty: &Ty| !ty.any(&mut |t| matches!(t, Ty::Assoc { .. } | Ty::Param(_)));
            if tys.iter().all(is_literal) || !tys.iter().all(is_known) {
                return None;
            }
            let names: Vec<String> = (0..tys.len()).map(|i| format!("value{i}")).collect();
            let pattern = match &variant.fields {
                Fields::Named(list) => {
                    let parts: Vec<String> = list
                        .iter()
                        .zip(&names)
                        .map(|(field, name)| format!("{}: {name}", field.name))
                        .collect();
                    format!(" {{ {} }}", parts.join(", "))
                }
                _ => format!("({})", names.join(", ")),
            };
            let (value, output) = match tys.as_slice() {
                [ty] => (names[0].clone(), ty.clone()),
                _ => (format!("({})", names.join(", ")), Ty::Tuple(tys)),
            };
            let template = format!(
                "match {{0}} {{ {}::{}{pattern} => Some({value}){otherwise} }}",
                adt.path, variant.name
            );
            Some(recipe(&template, vec![ty.clone()], option(output)))
        })
        .collect()
}

fn is_uninhabited(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(Prim::Never) => true,
        Ty::Adt { path, .. } => &**path == "std::convert::Infallible",
        _ => false,
    }
}

/// A view of an owned string or vector as what many functions take.
pub(super) fn borrowed_views(ty: &Ty) -> Vec<Draft> {
    let ty = open_regions(ty);
    let lender = Region::Var(crate::ty::RegionIdx(u32::MAX - 1));
    match adt_parts(&ty) {
        Some(("std::string::String", _, _)) => {
            references(lender, false, &Ty::Str, &shared(lender, Ty::Str))
        }
        Some(("std::vec::Vec", types, _)) if types.len() == 1 => {
            let of = slice(types[0].clone());
            references(lender, false, &of, &shared(lender, of.clone()))
        }
        Some(("std::cell::Ref" | "std::cell::RefMut", types, _)) if types.len() == 1 => {
            vec![recipe(
                "&**{0}",
                vec![shared(lender, ty.clone())],
                shared(lender, types[0].clone()),
            )]
        }
        _ => Vec::new(),
    }
}
